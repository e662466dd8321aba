//! `carddrift diff`: what changed between two cards.

use super::arguments::{From, Gate, Globals, LimitArgs, RowFormat, To};
use super::exit::{Exit, Failure};
use super::{gate, output, query, reading};
use crate::a2a::card::{Card, CardSchemaRule, default_rules, diff};
use crate::query::Session;
use crate::report::answers::view;
use crate::report::document::{markdown, text};
use crate::report::rows::{Value, View};
use crate::report::{card_diff, explain, write_rows};
use clap::{Args, ValueHint};
use std::fs;
use std::path::Path;

/// Tell what changed between two cards, and whether it breaks delegations
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift diff old.json new.json
  carddrift diff old.json new.json --fail-on breaking
  carddrift diff 9a984b63 ddef4593 --input archive/
A card is a file, or with --input or --store the first digits of its hash or a URL that it was fetched from (the latest there).")]
pub struct Diff {
    /// The earlier card: a file, a hash, or a URL
    #[arg(value_name = "CARD", value_hint = ValueHint::FilePath)]
    before: String,
    /// The later card
    #[arg(value_name = "CARD", value_hint = ValueHint::FilePath)]
    after: String,
    /// How to print the changes
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: RowFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    gate: Gate,
}

/// Runs it.
pub fn run(globals: &Globals, given: &Diff) -> Result<Exit, Failure> {
    let conditions = gate::conditions(&given.gate)?;
    let format = query::format_of(globals, given.format, false, &given.to)?;
    let read = if given.from.inputs.is_empty() && given.from.store.is_none() {
        None
    } else {
        Some(reading::open(globals, &given.from, &LimitArgs::default())?)
    };
    let session = read.as_ref().map(|r| &r.session);
    let (before_bytes, before) = card(&given.before, session)?;
    let (after_bytes, after) = card(&given.after, session)?;
    let diff = diff(&before, &after, &rules(globals)?);
    let batch = card_diff::rows(&diff).map_err(|e| Failure::new(Exit::Internal, e.to_string()))?;
    let rows = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
    let document =
        || card_diff::document(&given.before, &given.after, &diff, before_bytes == after_bytes);
    let path = given.to.output.as_deref();
    output::deliver(path, |out| {
        match given.format {
            RowFormat::Text => text::write(&document(), output::style(globals, path), out)?,
            RowFormat::Markdown => markdown::write(&document(), out)?,
            _ => write_rows(rows, format, out)?,
        }
        Ok(())
    })?;
    let breached = gate::check(&conditions, rows)?;
    Ok(read.map_or(Exit::Done, |r| r.exit).max(breached))
}

/// The rules of `[extract] card_schema`.
fn rules(globals: &Globals) -> Result<Vec<CardSchemaRule>, Failure> {
    match reading::settings(globals)?.config.extract.card_schema {
        None => Ok(default_rules().to_vec()),
        Some(rules) => rules
            .iter()
            .map(|rule| {
                rule.parse()
                    .map_err(|e| Failure::usage(format!("extract.card_schema: {rule}: {e}")))
            })
            .collect(),
    }
}

/// A card by its file, or by its hash or URL in the archive.
fn card(given: &str, session: Option<&Session>) -> Result<(Vec<u8>, Card), Failure> {
    let bytes = if Path::new(given).is_file() {
        fs::read(given)
            .map_err(|e| Failure::new(Exit::Unreadable, format!("the card {given}: {e}")))?
    } else {
        let Some(session) = session else {
            return Err(Failure::usage(format!("there is no file {given}"))
                .help("a hash or a URL is looked up in what --input or --store names"));
        };
        archived(given, session)?.into_bytes()
    };
    let card = Card::parse(&bytes)
        .map_err(|e| Failure::new(Exit::Unreadable, format!("{given} is no Agent Card: {e}")))?;
    Ok((bytes, card))
}

/// The body of the only card with that beginning of a hash, or of the latest from that URL.
fn archived(given: &str, session: &Session) -> Result<String, Failure> {
    let wanted = explain::quoted(given);
    let is_hash = given.len() >= 4 && given.bytes().all(|b| b.is_ascii_hexdigit());
    let rows = if is_hash {
        session.sql(
            &format!(
                "SELECT DISTINCT card, body FROM cards
                 WHERE starts_with(card, lower({wanted})) AND body IS NOT NULL ORDER BY card"
            ),
            &[],
        )?
    } else {
        session.sql(
            &format!(
                "SELECT c.card, c.body FROM card_fetches AS f JOIN cards AS c ON c.card = f.card
                 WHERE f.url = {wanted} AND c.body IS NOT NULL
                 ORDER BY f.time DESC, c.card LIMIT 1"
            ),
            &[],
        )?
    };
    let mut found: Vec<(String, String)> = Vec::new();
    view(&rows).for_each_row(|row| {
        if let [Value::Text(card), Value::Text(body)] = row
            && found.last().is_none_or(|(last, _)| last != card)
        {
            found.push((card.to_string(), body.to_string()));
        }
        Ok::<(), Failure>(())
    })?;
    let hashes: Vec<&str> = found.iter().filter_map(|(card, _)| card.get(..16)).collect();
    match found.as_slice() {
        [(_, body)] => Ok(body.clone()),
        [] => Err(Failure::usage(format!("the archive holds no card {given}")).help(
            "`carddrift query -e 'SELECT card, name, agent FROM cards'` lists those that it holds",
        )),
        _ => Err(Failure::usage(format!("several cards begin with {given}"))
            .help(format!("one of {}", hashes.join(", ")))),
    }
}
