//! The cards seen: each binding hash once, whoever recorded it how often.
//!
//! A body seen before costs one comparison: no unescaping, no hashing, no parsing. What a body says
//! is kept once for all threads; which record held it first is settled at the end, so it does not
//! depend on who came first.

use super::identity::Identities;
use crate::a2a::canonical::canonical;
use crate::a2a::card::{Card, CardSchemaRule, default_rules};
use crate::a2a::digest::{hex, sha256};
use crate::a2a::json::scalar;
use crate::config::Config;
use crate::event::CardSeen;
use crate::problem::At;
use crate::tables::{
    CardInterfaceRow, CardInterfaces, CardModeRow, CardModes, CardRow, CardSchemaRow, CardSchemas,
    CardSkillRow, CardSkills, Cards,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
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
}

/// How a body is stored and whether something was replaced in it.
pub type Redacted = (String, bool);

#[derive(Debug)]
struct Shelved {
    known: Arc<Known>,
    card: Option<Box<Card>>,
    size_bytes: usize,
    first: Spot,
}

/// All cards of one ingest.
#[derive(Debug)]
pub struct Shelf<'c> {
    identities: &'c Identities,
    rules: Vec<CardSchemaRule>,
    redact: fn(&str) -> Redacted,
    cards: Mutex<BTreeMap<String, Shelved>>,
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
    /// An empty one. `redact` replaces the secrets in a body.
    pub fn new(config: &Config, identities: &'c Identities, redact: fn(&str) -> Redacted) -> Self {
        let rules = match &config.extract.card_schema {
            // What is no rule was refused when the configuration was read.
            Some(texts) => texts.iter().filter_map(|text| text.parse().ok()).collect(),
            None => default_rules().to_vec(),
        };
        Self { identities, rules, redact, cards: Mutex::default() }
    }

    /// Takes a body. `card` is its binding hash when the bytes are not the original ones.
    fn put(&self, body: &[u8], card: Option<&str>, spot: Spot) -> Arc<Known> {
        let card = card.map_or_else(|| hex(&sha256(body)), str::to_owned);
        if let Some(known) = self.seen(&card, spot) {
            return known;
        }
        let parsed = Card::parse(body);
        let known = Arc::new(Known {
            not_a_card: parsed.as_ref().err().map(ToString::to_string),
            agent: parsed
                .as_ref()
                .ok()
                .and_then(Card::preferred_url)
                .map(|url| self.identities.agent(url).into_owned()),
            card: card.clone(),
        });
        let shelved = Shelved {
            known: Arc::clone(&known),
            card: parsed.ok().map(Box::new),
            size_bytes: body.len(),
            first: spot,
        };
        let mut cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have put it there meanwhile.
        let kept = cards.entry(card).or_insert(shelved);
        kept.first = kept.first.min(spot);
        Arc::clone(&kept.known)
    }

    fn seen(&self, card: &str, spot: Spot) -> Option<Arc<Known>> {
        let mut cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        let shelved = cards.get_mut(card)?;
        shelved.first = shelved.first.min(spot);
        Some(Arc::clone(&shelved.known))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cards.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of all cards but those that `stored` knows, ordered by hash. `name` gives a source's
    /// name by its number.
    pub fn rows(self, names: &[String], stored: impl Fn(&str) -> bool) -> CardTables {
        let mut tables = CardTables::default();
        for (hash, shelved) in self.cards.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if !stored(&hash) {
                let source = names.get(shelved.first.0 as usize).map_or("", String::as_str);
                tables.add(&shelved, source, &self.rules, self.redact);
            }
        }
        tables
    }
}

impl CardTables {
    fn add(
        &mut self,
        shelved: &Shelved,
        source: &str,
        rules: &[CardSchemaRule],
        redact: fn(&str) -> Redacted,
    ) {
        let hash = shelved.known.card.as_str();
        let card = shelved.card.as_deref();
        let facets = card.map(|card| card.facets(rules));
        let facet = |get: fn(&crate::a2a::card::Facets) -> &String| {
            facets.as_ref().map(|f| get(f).as_str())
        };
        let contract = facets.as_ref().map(crate::a2a::card::contract::contract);
        let body = card.map(|card| redact(card.text()));
        self.cards.push(&CardRow {
            card: hash,
            is_card: card.is_some(),
            contract: contract.as_deref(),
            agent: shelved.known.agent.as_deref(),
            name: card.and_then(|card| card.name.as_deref()),
            version: card.and_then(|card| card.version.as_deref()),
            skills: facet(|f| &f.skills),
            default_modes: facet(|f| &f.default_modes),
            capabilities: facet(|f| &f.capabilities),
            security: facet(|f| &f.security),
            protocol: facet(|f| &f.protocol),
            schema: facet(|f| &f.schema),
            body: body.as_ref().map(|(text, _)| text.as_str()),
            body_redacted: body.as_ref().is_some_and(|(_, redacted)| *redacted),
            size_bytes: signed(shelved.size_bytes as u64),
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
                skill_id: &keys.id,
                modes: &modes,
                security: &keys.security,
            });
        }
        let mut modes: Vec<&str> = card.all_output_modes().collect();
        modes.sort_unstable();
        modes.dedup();
        for mode in modes {
            self.modes.push(&CardModeRow { card: hash, mode });
        }
        for candidate in card.schema_candidates(rules) {
            self.schemas.push(&CardSchemaRow {
                card: hash,
                rule: i64::from(candidate.rule),
                skill_id: candidate.skill.as_deref(),
                media_base: candidate.media_base.as_deref(),
                stated: &candidate.stated,
                normalised: &candidate.normalised,
                position: i64::from(candidate.position),
            });
        }
        let Some(agent) = shelved.known.agent.as_deref() else { return };
        for (position, interface) in (0..).zip(&card.interfaces) {
            let facts = Identities::default().url(&interface.url);
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

/// What one thread remembers of the bodies it saw, by their bytes as recorded.
#[derive(Debug, Default)]
pub struct CardMemory {
    known: HashMap<(u8, u64), (Box<[u8]>, Arc<Known>, Spot)>,
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
}

impl CardMemory {
    /// Tells the binding hash of a recorded card, and puts its body on the shelf.
    pub fn see(&mut self, shelf: &Shelf<'_>, seen: &CardSeen<'_>, spot: Spot) -> Seen {
        match seen {
            CardSeen::Unknown => Seen::Unknown,
            CardSeen::Hash(text) => {
                sha256_of(text).map_or(Seen::BadHash, |hash| Seen::Hash(hash.into_owned()))
            }
            CardSeen::Body(body) => {
                self.remembered(shelf, (0, body), spot, |body| Some(Cow::Borrowed(body)))
            }
            CardSeen::JsonString(raw) => self.remembered(shelf, (1, raw.as_bytes()), spot, |raw| {
                let text = scalar(std::str::from_utf8(raw).ok()?)?;
                Some(Cow::Owned(text.into_owned().into_bytes()))
            }),
            CardSeen::Object(json) => self.remembered(shelf, (2, json.as_bytes()), spot, |json| {
                let text = std::str::from_utf8(json).ok()?;
                // What is too deep for its canonical form is hashed as it stands.
                Some(
                    canonical(text)
                        .map_or(Cow::Borrowed(json), |text| Cow::Owned(text.into_bytes())),
                )
            }),
            CardSeen::HashedBody { sha256, body } => match sha256_of(sha256) {
                Some(hash) => Seen::Body(shelf.put(body, Some(&hash), spot)),
                None => self.remembered(shelf, (0, body), spot, |body| Some(Cow::Borrowed(body))),
            },
        }
    }

    fn remembered(
        &mut self,
        shelf: &Shelf<'_>,
        (form, raw): (u8, &[u8]),
        spot: Spot,
        body: impl for<'b> FnOnce(&'b [u8]) -> Option<Cow<'b, [u8]>>,
    ) -> Seen {
        let key = (form, xxh3_64(raw));
        if let Some((bytes, known, first)) = self.known.get(&key)
            && **bytes == *raw
            && *first <= spot
        {
            return Seen::Body(Arc::clone(known));
        }
        let Some(body) = body(raw) else { return Seen::BadText };
        let known = shelf.put(&body, None, spot);
        if self.known.len() >= REMEMBERED_BODIES || self.bytes + raw.len() > REMEMBERED_BYTES {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += raw.len();
        self.known.insert(key, (raw.into(), Arc::clone(&known), spot));
        Seen::Body(known)
    }
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
        let identities = Identities::default();
        let shelf = Shelf::new(&Config::default(), &identities, |text| (text.to_owned(), false));
        let mut memory = CardMemory::default();
        let escaped = json!(ONE).to_string();
        let forms = [
            CardSeen::JsonString(&escaped),
            CardSeen::Body(Cow::Borrowed(ONE.as_bytes())),
            CardSeen::JsonString(&escaped),
        ];
        let hash = hex(&sha256(ONE.as_bytes()));
        for (form, byte) in forms.iter().zip([9, 4, 12]) {
            let Seen::Body(known) = memory.see(&shelf, form, (0, at(byte))) else {
                panic!("a body")
            };
            assert_eq!((known.card.as_str(), known.not_a_card.is_none()), (hash.as_str(), true));
            assert_eq!(known.agent.as_deref(), Some("https://s.example/rpc/"));
        }
        assert_eq!(shelf.len(), 1);
        let tables = shelf.rows(&["f".to_owned()], |_| false);
        assert_eq!((tables.cards.len(), tables.skills.len(), tables.interfaces.len()), (1, 1, 1));
        // `artifact_schema`, `output_mode` of the skill, `only_mode`.
        assert_eq!(tables.schemas.len(), 3);
    }

    #[test]
    fn what_is_no_card_and_what_is_no_hash() {
        let identities = Identities::default();
        let shelf = Shelf::new(&Config::default(), &identities, |text| (text.to_owned(), false));
        let mut memory = CardMemory::default();
        let page = CardSeen::Body(Cow::Borrowed(b"<html>".as_slice()));
        let Seen::Body(known) = memory.see(&shelf, &page, (0, at(0))) else { panic!("a body") };
        assert!(known.not_a_card.is_some());
        assert_eq!(memory.see(&shelf, &CardSeen::Hash("12".into()), (0, at(0))), Seen::BadHash);
        let upper = "AB".repeat(32);
        assert_eq!(
            memory.see(&shelf, &CardSeen::Hash(upper.into()), (0, at(0))),
            Seen::Hash("ab".repeat(32))
        );
        assert_eq!(
            memory.see(&shelf, &CardSeen::JsonString(r#""\ud8""#), (0, at(0))),
            Seen::BadText
        );
    }
}
