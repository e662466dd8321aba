//! From arguments to an open session: settings, ingest, and what was lost on the way.

use super::arguments::{From, Globals, LimitArgs, Reading};
use super::exit::{Exit, Failure};
use super::output::tell;
use super::progress::Progress;
use crate::config::load::{Ask, Loaded, load};
use crate::ingest::{IngestError, IngestOptions, Ingested, ingest};
use crate::problem::Severity;
use crate::query::{OwnQuery, Session, Settings, Unmatched};
use crate::report::figures::{count, counted, percent, ratio};
use crate::store::{Extent, Store};
use std::path::{Path, PathBuf};

/// What was read, and how the command must end because of it.
#[derive(Debug)]
pub struct Read {
    /// The session over it.
    pub session: Session,
    /// How far the store goes; without one, as an empty one does.
    pub extent: Extent,
    /// `Done`, or `Unreadable` when something was lost that was not to be lost.
    pub exit: Exit,
}

/// The settings from file, environment and flags.
pub fn settings(globals: &Globals) -> Result<Loaded, Failure> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
    // A variable that is not UTF-8 cannot be one of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(load(&Ask {
        file: globals.config.clone(),
        folder: std::env::current_dir().ok(),
        user_file: folder.map(|f| f.join("carddrift").join(crate::config::load::FILE_NAME)),
        environment: environment.collect(),
        flags: globals.set.clone(),
    })?)
}

/// How to ingest.
pub fn options(globals: &Globals, reading: &Reading) -> Result<IngestOptions, Failure> {
    let mut options = IngestOptions { threads: globals.threads, ..IngestOptions::default() };
    if let Some(zone) = &reading.assume_zone {
        options.assume_zone = Some(jiff::tz::TimeZone::get(zone).map_err(|_| {
            Failure::usage(format!("--assume-zone: `{zone}` is no time zone"))
                .help("zones are named as in the IANA database, for example Europe/Berlin")
        })?);
    }
    options.input_format.clone_from(&reading.input_format);
    options.keep_payloads = reading.keep_payloads;
    if let Some(bytes) = reading.max_record_bytes {
        options.limits.record_bytes = bytes;
    }
    if let Some(bytes) = reading.max_source_bytes {
        options.limits.source_bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    }
    if let Some(ratio) = reading.max_expansion {
        options.limits.expansion = ratio;
    }
    if let Some(cards) = reading.max_names {
        options.max_cards = cards;
    }
    Ok(options)
}

/// Reads the inputs.
pub fn read_inputs(
    globals: &Globals,
    inputs: &[String],
    reading: &Reading,
    loaded: &Loaded,
) -> Result<Ingested, Failure> {
    let mut options = options(globals, reading)?;
    let progress = Progress::start(globals.quiet, inputs);
    options.limits.pace.clone_from(&progress.pace);
    let ingested = ingest(inputs, &loaded.config, &options);
    progress.end();
    ingested.map_err(|e| match e {
        IngestError::UnknownFormat(_) => Failure::usage(format!("--input-format: {e}")),
        other => Failure::new(Exit::Internal, other.to_string()),
    })
}

/// Whether anything could be read, and whether what was lost may be lost; says what was.
pub fn judge(
    globals: &Globals,
    inputs: &[String],
    reading: &Reading,
    ingested: &Ingested,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let nothing_decoded =
        |a: &crate::ingest::Account| a.facts.truncated && a.facts.content_bytes == 0;
    let broke_off = |a: &crate::ingest::Account| {
        let named = inputs.contains(&a.source) || a.source == "-";
        let least = if named && nothing_decoded(a) { Severity::DataLoss } else { Severity::Error };
        let errors = a.facts.problems.clone().into_iter();
        let errors = errors.filter(|problem| problem.kind.severity() >= least);
        errors.map(|problem| (a.source.clone(), problem)).collect::<Vec<_>>()
    };
    let broke_off: Vec<_> = ingested.accounts.iter().flat_map(broke_off).collect();
    for (source, problem) in ingested.unreadable.iter().chain(&broke_off) {
        exit = Exit::Unreadable;
        tell(&format!(
            "error[{}]: {}: {}{}\n  help: {}",
            problem.kind.code(),
            crate::report::safe::terminal(source),
            problem.kind.title(),
            detail(&problem.detail),
            problem.kind.help(),
        ));
    }
    for account in &ingested.accounts {
        let named = inputs.contains(&account.source) || account.source == "-";
        let unknown = account.format.is_none() && account.facts.content_bytes > 0;
        if unknown && named {
            exit = Exit::Unreadable;
            let kind = crate::problem::Kind::UnknownFormat;
            tell(&format!(
                "error[{}]: {}: {}\n  help: {}",
                kind.code(),
                crate::report::safe::terminal(&account.source),
                kind.title(),
                kind.help(),
            ));
        }
    }
    let known = |a: &crate::ingest::Account| {
        a.format.is_some() || (a.facts.content_bytes == 0 && !nothing_decoded(a))
    };
    if !ingested.accounts.iter().any(known) && ingested.skipped.is_empty() {
        return Err(Failure::new(Exit::Unreadable, "nothing could be read")
            .help("`carddrift inspect` tells why, source by source"));
    }
    let (records, _, fates) = ingested.totals();
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let lost = ingested
        .problems
        .iter()
        .filter(|(kind, _)| kind.severity() >= Severity::DataLoss)
        .map(|(_, n)| *n)
        .sum::<u64>();
    if fates.rejected > 0 && !globals.quiet {
        tell(&format!(
            "read {}, {} left out ({})",
            counted(number(records), "record", "records"),
            count(number(fates.rejected)),
            percent(ratio(number(fates.rejected), number(records))),
        ));
    }
    if reading.strict && lost > 0 {
        exit = Exit::Unreadable;
        tell(
            "error: data was lost, and --strict was given\n  help: the table `problems` says what and where",
        );
    }
    if let Some(most) = reading.max_rejected
        && ratio(number(fates.rejected), number(records)) > most
    {
        exit = Exit::Unreadable;
        tell(&format!(
            "error: more than --max-rejected {} of the records was left out",
            percent(most)
        ));
    }
    Ok(exit)
}

fn detail(detail: &str) -> String {
    if detail.is_empty() {
        String::new()
    } else {
        format!(": {}", crate::report::safe::terminal(detail))
    }
}

/// The user's own queries of all folders; of two with one name the later folder's counts.
pub fn own_queries(globals: &Globals, settings: &Settings) -> Result<Vec<OwnQuery>, Failure> {
    let mut queries: Vec<OwnQuery> = Vec::new();
    for folder in &globals.queries {
        let loaded = OwnQuery::load(folder, settings).map_err(|e| {
            Failure::usage(format!("--queries: {e}"))
                .help("`carddrift queries NAME` shows the header of a built-in one to copy")
        })?;
        queries.retain(|query| !loaded.iter().any(|later| later.name == query.name));
        queries.extend(loaded);
    }
    Ok(queries)
}

/// Reads what the arguments name, or the store, and opens a session over it.
pub fn open(globals: &Globals, from: &From, limits: &LimitArgs) -> Result<Read, Failure> {
    if from.inputs.is_empty() && from.store.is_none() {
        return Err(
            Failure::usage("there is nothing to read").help("give --input INPUT or --store STORE")
        );
    }
    let loaded = settings(globals)?;
    let settings = session_settings(globals, limits, &loaded)?;
    if let Some(store) = &from.store {
        let (dataset, extent) = Store::open(store)?.dataset_until(None)?;
        let session = Session::open(dataset, &settings)?;
        remark(globals, &session)?;
        return Ok(Read { session, extent, exit: Exit::Done });
    }
    let ingested = read_inputs(globals, &from.inputs, &from.reading, &loaded)?;
    let exit = judge(globals, &from.inputs, &from.reading, &ingested)?;
    let session = Session::open(ingested.tables, &settings)?;
    remark(globals, &session)?;
    Ok(Read { session, extent: Extent::default(), exit })
}

/// Tells of limits that nothing falls under: they may be misspelled.
fn remark(globals: &Globals, session: &Session) -> Result<(), Failure> {
    if globals.quiet {
        return Ok(());
    }
    for Unmatched { kind, glob, nearest } in session.unmatched()? {
        let help = nearest.map_or_else(String::new, |near| {
            format!("; did you mean `{}`?", crate::report::safe::terminal(&near))
        });
        tell(&format!("note: no {kind} matches --{kind} {glob}{help}"));
    }
    Ok(())
}

/// A session over the store as it was at a commit.
pub fn open_until(
    globals: &Globals,
    store: &Path,
    limits: &LimitArgs,
    commit: u64,
) -> Result<Session, Failure> {
    let loaded = settings(globals)?;
    let settings = session_settings(globals, limits, &loaded)?;
    let (dataset, _) = Store::open(store)?.dataset_until(Some(commit))?;
    Ok(Session::open(dataset, &settings)?)
}

/// The same for inputs alone, and when nothing could be read too: to tell what they hold.
pub fn open_all(globals: &Globals, from: &From, limits: &LimitArgs) -> Result<Read, Failure> {
    let loaded = settings(globals)?;
    let settings = session_settings(globals, limits, &loaded)?;
    let ingested = read_inputs(globals, &from.inputs, &from.reading, &loaded)?;
    let exit = judge(globals, &from.inputs, &from.reading, &ingested).unwrap_or(Exit::Unreadable);
    let session = Session::open(ingested.tables, &settings)?;
    Ok(Read { session, extent: Extent::default(), exit })
}

fn session_settings(
    globals: &Globals,
    limits: &LimitArgs,
    loaded: &Loaded,
) -> Result<Settings, Failure> {
    let mut settings = Settings::of(&loaded.config);
    settings.limits = limits.limits()?;
    settings.queries = own_queries(globals, &settings)?;
    if globals.threads > 0 {
        settings.threads = globals.threads;
    }
    settings.memory_limit = globals.memory_limit;
    Ok(settings)
}
