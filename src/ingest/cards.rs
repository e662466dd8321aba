//! The cards seen: each binding hash once, whoever recorded it how often.
//!
//! A body seen before costs one comparison: no unescaping, no hashing, no parsing. What a body says
//! is kept once for all threads; which record held it first is settled at the end, so it does not
//! depend on who came first.

use super::identity::Identities;
use crate::a2a::canonical::{canonical, repeats_a_key};
use crate::a2a::card::contract::contract;
use crate::a2a::card::{Card, CardSchemaRule, Facets, default_rules};
use crate::a2a::digest::{hex, sha256};
use crate::a2a::json::scalar;
use crate::config::Config;
use crate::event::CardSeen;
use crate::exchange::spool::{Slot, Spool};
use crate::problem::At;
use crate::redact::Redactor;
use crate::tables::{
    CardInterfaceRow, CardInterfaces, CardModeRow, CardModes, CardRow, CardSchemaRow, CardSchemas,
    CardSkillRow, CardSkills, Cards,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// A record's place: the number of its source in order, and where it begins.
pub type Spot = (u32, At);

/// What is known of a binding hash whose bytes were seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The binding hash, hex.
    pub card: String,
    /// Why the bytes are no card; `None`: they are one.
    pub not_a_card: Option<String>,
    /// The identity of the card.
    pub agent: Option<String>,
    /// An object in it has one key twice.
    pub repeats_a_key: bool,
}

#[derive(Debug)]
struct Shelved {
    known: Arc<Known>,
    first: Spot,
    body: Slot,
}

/// Cards whose rows are made at once.
const CARDS_AT_ONCE: usize = 1024;

#[derive(Debug, Default)]
struct Stack {
    by_hash: BTreeMap<String, Shelved>,
    bodies: Spool,
}

/// All cards of one ingest.
#[derive(Debug)]
pub struct Shelf<'c> {
    identities: &'c Identities,
    rules: Vec<CardSchemaRule>,
    redactor: &'c Redactor,
    cards: Mutex<Stack>,
    limit: usize,
}

/// The rows of the tables about cards.
#[derive(Debug, Default)]
pub struct CardTables {
    /// `cards`.
    pub cards: Cards,
    /// `card_skills`.
    pub skills: CardSkills,
    /// `card_modes`.
    pub modes: CardModes,
    /// `card_schemas`.
    pub schemas: CardSchemas,
    /// `card_interfaces`.
    pub interfaces: CardInterfaces,
}

impl<'c> Shelf<'c> {
    /// An empty one, for up to `limit` cards.
    pub fn new(
        config: &Config,
        identities: &'c Identities,
        redactor: &'c Redactor,
        limit: usize,
    ) -> Self {
        let rules = match &config.extract.card_schema {
            // What is no rule was refused when the configuration was read.
            Some(texts) => texts.iter().filter_map(|text| text.parse().ok()).collect(),
            None => default_rules().to_vec(),
        };
        Self { identities, rules, redactor, cards: Mutex::default(), limit }
    }

    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.cards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a body. `card` is its binding hash when the bytes are not the original ones.
    fn put(&self, body: &[u8], card: Option<&str>, spot: Spot) -> io::Result<Seen> {
        let card = card.map_or_else(|| hex(&sha256(body)), str::to_owned);
        let full = {
            let mut stack = self.lock();
            if let Some(shelved) = stack.by_hash.get_mut(&card) {
                shelved.first = shelved.first.min(spot);
                return Ok(Seen::Body(Arc::clone(&shelved.known)));
            }
            stack.by_hash.len() >= self.limit
        };
        if full {
            return Ok(Seen::TooMany(card));
        }
        let parsed = Card::parse(body);
        let url = parsed.as_ref().ok().and_then(Card::preferred_url);
        let known = Arc::new(Known {
            agent: url.map(|url| self.redactor.url(&self.identities.agent(url)).into_owned()),
            not_a_card: parsed.err().map(|error| error.to_string()),
            repeats_a_key: std::str::from_utf8(body).is_ok_and(repeats_a_key),
            card: card.clone(),
        });
        let mut stack = self.lock();
        // Another thread may have put it there meanwhile.
        if let Some(shelved) = stack.by_hash.get_mut(&card) {
            shelved.first = shelved.first.min(spot);
            return Ok(Seen::Body(Arc::clone(&shelved.known)));
        }
        let place = stack.bodies.push(body)?;
        stack.by_hash.insert(card, Shelved { known: Arc::clone(&known), first: spot, body: place });
        Ok(Seen::Body(known))
    }

    /// Makes the rows of all cards but those that `stored` knows, ordered by hash, some at a time.
    /// `name` gives a source's name by its number.
    pub fn rows<E: From<io::Error>>(
        self,
        name: impl Fn(u32) -> String,
        stored: impl Fn(&str) -> bool,
        mut take: impl FnMut(&mut CardTables) -> Result<(), E>,
    ) -> Result<(), E> {
        let Stack { by_hash, mut bodies } =
            self.cards.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut tables = CardTables::default();
        for shelved in by_hash.into_values().filter(|shelved| !stored(&shelved.known.card)) {
            let body = bodies.read(shelved.body)?;
            tables.add(&shelved, &body, &name(shelved.first.0), &self.rules, self.redactor);
            if tables.cards.len() >= CARDS_AT_ONCE {
                take(&mut tables)?;
            }
        }
        take(&mut tables)
    }
}

impl CardTables {
    fn add(
        &mut self,
        shelved: &Shelved,
        body: &[u8],
        source: &str,
        rules: &[CardSchemaRule],
        redactor: &Redactor,
    ) {
        let hash = shelved.known.card.as_str();
        let size_bytes = signed(body.len() as u64);
        let card = Card::parse(body).ok();
        let card = card.as_ref();
        let facets = card.map(|card| card.facets(rules));
        let contract = facets.as_ref().map(contract);
        let name = card.and_then(|card| card.name.as_deref()).map(|name| redactor.text(name));
        let version = card.and_then(|card| card.version.as_deref()).map(|v| redactor.text(v));
        let clean = |get: fn(&Facets) -> &String| facets.as_ref().map(|f| redactor.json(get(f)));
        let stored = card.map(|card| redactor.card_body(card.text().as_bytes()));
        self.cards.push(&CardRow {
            card: hash,
            is_card: card.is_some(),
            contract: contract.as_deref(),
            agent: shelved.known.agent.as_deref(),
            name: name.as_deref(),
            version: version.as_deref(),
            skills: clean(|f| &f.skills).as_deref(),
            default_modes: clean(|f| &f.default_modes).as_deref(),
            capabilities: clean(|f| &f.capabilities).as_deref(),
            security: clean(|f| &f.security).as_deref(),
            protocol: clean(|f| &f.protocol).as_deref(),
            schema: clean(|f| &f.schema).as_deref(),
            body: stored.as_ref().map(|(text, _)| text.as_str()),
            body_redacted: stored.as_ref().is_some_and(|(_, redacted)| *redacted),
            size_bytes,
            source_file: source,
            source_line: signed(shelved.first.1.line),
            source_byte: signed(shelved.first.1.byte),
        });
        let (Some(card), Some(facets)) = (card, facets) else { return };
        for keys in &facets.skill_keys {
            // Both are JSON, so the two of them are, too.
            let modes =
                format!("{{\"input\":{},\"output\":{}}}", keys.input_modes, keys.output_modes);
            self.skills.push(&CardSkillRow {
                card: hash,
                skill_id: &redactor.text(&keys.id),
                modes: &redactor.json(&modes),
                security: &redactor.json(&keys.security),
            });
        }
        let mut modes: Vec<&str> = card.all_output_modes().collect();
        modes.sort_unstable();
        modes.dedup();
        for mode in modes {
            self.modes.push(&CardModeRow { card: hash, mode: &redactor.text(mode) });
        }
        for candidate in card.schema_candidates(rules) {
            self.schemas.push(&CardSchemaRow {
                card: hash,
                rule: i64::from(candidate.rule),
                skill_id: candidate.skill.as_deref().map(|id| redactor.text(id)).as_deref(),
                media_base: candidate
                    .media_base
                    .as_deref()
                    .map(|base| redactor.text(base))
                    .as_deref(),
                stated: &redactor.text(&candidate.stated),
                normalised: &redactor.text(&candidate.normalised),
                position: i64::from(candidate.position),
            });
        }
        let Some(agent) = shelved.known.agent.as_deref() else { return };
        for (position, interface) in (0..).zip(&card.interfaces) {
            let facts = Identities::default().url(&redactor.url(&interface.url));
            self.interfaces.push(&CardInterfaceRow {
                card: hash,
                agent,
                position,
                url: facts.base(),
                url_origin: facts.origin.as_deref(),
            });
        }
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Bodies that one thread remembers.
const REMEMBERED_BODIES: usize = 1024;
/// And how many bytes of them.
const REMEMBERED_BYTES: usize = 8 << 20;

/// A body as recorded, what is known of it, and the first record that this thread saw it in.
type Remembered = (Box<[u8]>, Arc<Known>, Spot);

/// What one thread remembers of the bodies it saw, by their bytes as recorded.
#[derive(Debug, Default)]
pub struct CardMemory {
    known: HashMap<(u8, u64), Remembered>,
    bytes: usize,
}

/// What became of a recorded card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Neither body nor hash.
    Unknown,
    /// Only its hash, lower-case hex.
    Hash(String),
    /// Its body.
    Body(Arc<Known>),
    /// The recorded hash is none.
    BadHash,
    /// The body cannot be read as text: unescaping failed.
    BadText,
    /// There are more cards than allowed: only its hash is kept.
    TooMany(String),
}

impl CardMemory {
    /// Tells the binding hash of a recorded card, and puts its body on the shelf. Errors when the
    /// temporary folder cannot be written.
    pub fn see(&mut self, shelf: &Shelf<'_>, seen: &CardSeen<'_>, spot: Spot) -> io::Result<Seen> {
        match seen {
            CardSeen::Unknown => Ok(Seen::Unknown),
            CardSeen::Hash(text) => {
                Ok(sha256_of(text).map_or(Seen::BadHash, |hash| Seen::Hash(hash.into_owned())))
            }
            CardSeen::Body(body) => self.remembered(shelf, (0, body), spot, plain),
            CardSeen::JsonString(raw) => self.remembered(shelf, (1, raw.as_bytes()), spot, |raw| {
                let text = scalar(std::str::from_utf8(raw).ok()?)?;
                Some(Cow::Owned(text.into_owned().into_bytes()))
            }),
            CardSeen::Object(json) => {
                self.remembered(shelf, (2, json.as_bytes()), spot, |json| {
                    // What is too deep for its canonical form is hashed as it stands.
                    let canonical = canonical(std::str::from_utf8(json).ok()?);
                    Some(
                        canonical.map_or(Cow::Borrowed(json), |text| Cow::Owned(text.into_bytes())),
                    )
                })
            }
            CardSeen::HashedBody { sha256, body } => match sha256_of(sha256) {
                Some(hash) => shelf.put(body, Some(&hash), spot),
                None => self.remembered(shelf, (0, body), spot, plain),
            },
        }
    }

    fn remembered(
        &mut self,
        shelf: &Shelf<'_>,
        (form, raw): (u8, &[u8]),
        spot: Spot,
        body: impl for<'b> FnOnce(&'b [u8]) -> Option<Cow<'b, [u8]>>,
    ) -> io::Result<Seen> {
        let key = (form, xxh3_64(raw));
        if let Some((bytes, known, first)) = self.known.get(&key)
            && **bytes == *raw
            && *first <= spot
        {
            return Ok(Seen::Body(Arc::clone(known)));
        }
        let Some(body) = body(raw) else { return Ok(Seen::BadText) };
        let seen = shelf.put(&body, None, spot)?;
        if let Seen::Body(known) = &seen {
            if self.known.len() >= REMEMBERED_BODIES || self.bytes + raw.len() > REMEMBERED_BYTES {
                self.known.clear();
                self.bytes = 0;
            }
            self.bytes += raw.len();
            self.known.insert(key, (raw.into(), Arc::clone(known), spot));
        }
        Ok(seen)
    }
}

/// The bytes of a body that stand in the record as they are.
#[expect(clippy::unnecessary_wraps, reason = "other bodies may not be readable")]
fn plain(body: &[u8]) -> Option<Cow<'_, [u8]>> {
    Some(Cow::Borrowed(body))
}

/// A SHA-256 in hex, lower case; `None` when it is none.
pub fn sha256_of(text: &str) -> Option<Cow<'_, str>> {
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some(if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ONE: &str = r#"{"name":"S","url":"https://s.example/rpc/","skills":[{"id":"sum","outputModes":["x/y;version=4"]}],"artifactSchema":{"version":"3"}}"#;

    fn at(byte: u64) -> At {
        At { line: byte + 1, byte }
    }

    #[test]
    fn one_body_in_every_form_is_one_card() {
        let (identities, redactor) = (Identities::default(), Redactor::default());
        let shelf = Shelf::new(&Config::default(), &identities, &redactor, 2);
        let mut memory = CardMemory::default();
        let escaped = json!(ONE).to_string();
        let forms = [
            CardSeen::JsonString(&escaped),
            CardSeen::Body(Cow::Borrowed(ONE.as_bytes())),
            CardSeen::JsonString(&escaped),
        ];
        let hash = hex(&sha256(ONE.as_bytes()));
        for (form, byte) in forms.iter().zip([9, 4, 12]) {
            let Ok(Seen::Body(known)) = memory.see(&shelf, form, (0, at(byte))) else {
                panic!("a body")
            };
            assert_eq!((known.card.as_str(), known.not_a_card.is_none()), (hash.as_str(), true));
            assert_eq!(known.agent.as_deref(), Some("https://s.example/rpc/"));
        }
        let mut counts = Vec::new();
        let names = |number: u32| number.to_string();
        shelf
            .rows::<io::Error>(
                names,
                |_| false,
                |t| {
                    // `artifact_schema`, `output_mode` of the skill, `only_mode`.
                    counts.push((
                        t.cards.len(),
                        t.skills.len(),
                        t.interfaces.len(),
                        t.schemas.len(),
                    ));
                    Ok(())
                },
            )
            .unwrap();
        assert_eq!(counts, [(1, 1, 1, 3)]);
    }

    #[test]
    fn what_is_no_card_and_what_is_no_hash() {
        let (identities, redactor) = (Identities::default(), Redactor::default());
        let shelf = Shelf::new(&Config::default(), &identities, &redactor, 2);
        let mut memory = CardMemory::default();
        let page = CardSeen::Body(Cow::Borrowed(b"<html>".as_slice()));
        let Ok(Seen::Body(known)) = memory.see(&shelf, &page, (0, at(0))) else { panic!("a body") };
        assert!(known.not_a_card.is_some());
        let mut see = |seen: &CardSeen<'_>| memory.see(&shelf, seen, (0, at(0))).unwrap();
        assert_eq!(see(&CardSeen::Hash("12".into())), Seen::BadHash);
        assert_eq!(see(&CardSeen::Hash("AB".repeat(32).into())), Seen::Hash("ab".repeat(32)));
        assert_eq!(see(&CardSeen::JsonString(r#""\ud8""#)), Seen::BadText);
        assert!(matches!(see(&CardSeen::Body(b"{}".as_slice().into())), Seen::Body(_)));
        let third = CardSeen::Body(b"[]".as_slice().into());
        assert_eq!(see(&third), Seen::TooMany(hex(&sha256(b"[]"))));
    }
}
