//! `[[mapping]]`: where JSON lines of another program's shape keep what carddrift needs.
//!
//! Knows how a mapping is spelled and checks it; knows nothing of records. How a record is read with
//! one stands in [`crate::formats`].

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::a2a::pointer::Pointer;
use crate::exchange;

use super::nearest;
use super::plan::Plan;

macro_rules! fields {
    ($($name:ident = $word:literal,)*) => {
        /// What a mapping can name. The words are those of the journal and of the interface.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = concat!("`", $word, "`")] $name,)*
        }

        impl Field {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The key in the configuration.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

fields! {
    // of an exchange
    Url = "url",
    Method = "method",
    MethodUrl = "method_url",
    RpcMethod = "rpc_method",
    RequestHeaders = "request_headers",
    RequestBody = "request_body",
    ResponseHeaders = "response_headers",
    ResponseBody = "response_body",
    ResponseSha256 = "response_sha256",
    SseChunks = "sse_chunks",
    SseEvents = "sse_events",
    SseTimes = "sse_times",
    Join = "join",
    ParentSpanId = "parent_span_id",
    // a bare object
    A2a = "a2a",
    // of the journal, by its own names
    Time = "time",
    Event = "event",
    Client = "client",
    Agent = "agent",
    TraceId = "trace_id",
    SpanId = "span_id",
    Registry = "registry",
    SentAt = "sent_at",
    Status = "status",
    Etag = "etag",
    CacheControl = "cache_control",
    LastModified = "last_modified",
    AgeS = "age_s",
    Card = "card",
    CardBase64 = "card_base64",
    CardSha256 = "card_sha256",
    Authority = "authority",
    FromCache = "from_cache",
    Error = "error",
    EndTime = "end_time",
    Duration = "duration",
    ProtocolVersion = "protocol_version",
    TaskId = "task_id",
    ContextId = "context_id",
    SkillId = "skill_id",
    AdmittedUnder = "admitted_under",
    AcceptedOutputModes = "accepted_output_modes",
    Stream = "stream",
    Push = "push",
    Outcome = "outcome",
    HttpStatus = "http_status",
    RpcCode = "rpc_code",
    TaskState = "task_state",
    GrpcStatus = "grpc_status",
    ErrorReason = "error_reason",
    TransportError = "transport_error",
    State = "state",
    ArtifactId = "artifact_id",
    MediaType = "media_type",
    SchemaVersion = "schema_version",
    Digest = "digest",
    DigestCheck = "digest_check",
    Payload = "payload",
    PayloadBase64 = "payload_base64",
    Append = "append",
    LastChunk = "last_chunk",
    Disposition = "disposition",
}

/// One place to look: a pointer, or the value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A pointer that starts at the record.
    Record(Slot),
    /// A pointer that starts at the element that `each` stands at.
    Element(Slot),
    /// A constant.
    Constant(String),
}

/// A pointer's number in its plan.
pub type Slot = usize;

/// Places in the order in which they are tried: the first that exists counts.
pub type Places = Vec<Place>;

/// What must hold for a mapping to read a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The pointers, one of which must lead to something other than null.
    pub slots: Vec<Slot>,
    /// The values one of which must stand there; empty: any.
    pub equals: Vec<String>,
}

/// How the two halves of an exchange are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The pointer that tells.
    pub places: Places,
    /// Its value on requests.
    pub request: String,
    /// Its value on responses.
    pub response: String,
}

/// What the numbers of times count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// Text, RFC 3339; numbers are nanoseconds, as in the journal.
    #[default]
    Rfc3339,
    /// Seconds since 1970, with a fraction or without.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
}

impl TimeUnit {
    /// Reads the word of the configuration.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "rfc3339" => Self::Rfc3339,
            "s" => Self::Seconds,
            "ms" => Self::Millis,
            "us" | "µs" => Self::Micros,
            "ns" => Self::Nanos,
            _ => return None,
        })
    }

    /// Nanoseconds in one.
    pub fn nanos(self) -> i64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Millis => 1_000_000,
            Self::Micros => 1_000,
            Self::Nanos | Self::Rfc3339 => 1,
        }
    }
}

/// One `[[mapping]]`.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// As named, for messages.
    pub name: String,
    /// All must hold.
    pub when: Vec<Condition>,
    /// One exchange or event for each element there.
    pub each: Option<Slot>,
    /// The pointers of `each`'s element.
    pub element: Plan,
    /// Where the fields stand.
    pub fields: Vec<(Field, Places)>,
    /// How requests and responses on lines of their own are told apart.
    pub side: Option<Side>,
    /// Who writes these records.
    pub recorded_by: Option<exchange::Side>,
    /// For `time`, `end_time`, `sent_at` and `sse_times`.
    pub time_unit: TimeUnit,
    /// For `duration`.
    pub duration_unit: TimeUnit,
    /// strftime spelling of times, when they are not RFC 3339.
    pub time_format: Option<String>,
    /// For times without a zone.
    pub time_zone: Option<jiff::tz::TimeZone>,
    /// As it stands in the configuration.
    source: toml::Table,
}

impl Mapping {
    /// Where a field stands; none: not mapped.
    pub fn places(&self, field: Field) -> &[Place] {
        self.fields.iter().find(|(name, _)| *name == field).map_or(&[], |(_, places)| places)
    }

    /// The first place of a field as the configuration spells it, for messages.
    pub fn spelled(&self, field: Field) -> &str {
        let value = match self.source.get(field.word()) {
            Some(toml::Value::Array(list)) => list.first(),
            value => value,
        };
        value.and_then(toml::Value::as_str).unwrap_or(field.word())
    }
}

impl PartialEq for Mapping {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Serialize for Mapping {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

/// All mappings in their order, with one plan over the pointers of all of them, so that a record is
/// walked once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mappings {
    list: Vec<Mapping>,
    plan: Plan,
}

impl Mappings {
    /// The plan over all pointers that start at the record.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Reads the tables of the configuration; the error names the mapping and the key.
    pub fn read(tables: Vec<toml::Table>) -> Result<Self, BadMapping> {
        let mut plan = Plan::default();
        let mut list = Vec::with_capacity(tables.len());
        for (index, table) in tables.into_iter().enumerate() {
            let name = match table.get("name") {
                Some(toml::Value::String(name)) => name.clone(),
                _ => format!("#{}", index + 1),
            };
            let mapping = read(table, name.clone(), &mut plan)
                .map_err(|what| BadMapping(format!("mapping {name:?}: {what}")))?;
            list.push(mapping);
        }
        Ok(Self { list, plan })
    }
}

impl Deref for Mappings {
    type Target = [Mapping];

    fn deref(&self) -> &[Mapping] {
        &self.list
    }
}

impl<'de> Deserialize<'de> for Mappings {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tables = Vec::<toml::Table>::deserialize(deserializer)?;
        Self::read(tables).map_err(serde::de::Error::custom)
    }
}

impl Serialize for Mappings {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

/// What is wrong with a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMapping(String);

impl fmt::Display for BadMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadMapping {}

/// The keys beside the fields.
const SETTINGS: &[&str] = &[
    "name",
    "when",
    "each",
    "side",
    "recorded_by",
    "time_unit",
    "duration_unit",
    "time_format",
    "time_zone",
];

fn read(table: toml::Table, name: String, plan: &mut Plan) -> Result<Mapping, String> {
    let mut element = Plan::default();
    let each = match table.get("each") {
        Some(value) => Some(plan.add(&pointer(text(value, "each")?)?)),
        None => None,
    };
    let mut fields = Vec::new();
    for (key, value) in &table {
        if let Some(&field) = Field::ALL.iter().find(|field| field.word() == key) {
            let places = places(value, plan, each.is_some().then_some(&mut element))
                .map_err(|what| format!("`{key}`: {what}"))?;
            fields.push((field, places));
        } else if !SETTINGS.contains(&key.as_str()) {
            return Err(unknown(key));
        }
    }
    let when = conditions(
        table.get("when").ok_or("`when` is missing: it says which records it reads")?,
        plan,
    )?;
    let side = match table.get("side") {
        Some(value) => Some(side(value, plan, each.is_some().then_some(&mut element))?),
        None => None,
    };
    let has = |field: Field| fields.iter().any(|(name, _)| *name == field);
    if side.is_some() != has(Field::Join) {
        return Err(
            "`join` and `side` go together: the key of the exchange, and which half a line is"
                .into(),
        );
    }
    if has(Field::A2a) && has(Field::Event) {
        return Err("`a2a` and `event` exclude each other: an A2A object tells what it is".into());
    }
    let unit = |key: &str, otherwise| match table.get(key) {
        Some(value) => {
            let word = text(value, key)?;
            TimeUnit::parse(word)
                .ok_or(format!("`{key}` is one of rfc3339, s, ms, us, ns, not {word:?}"))
        }
        None => Ok(otherwise),
    };
    let time_unit = unit("time_unit", TimeUnit::Rfc3339)?;
    let duration_unit = unit("duration_unit", TimeUnit::Millis)?;
    let recorded_by = match table.get("recorded_by") {
        None => None,
        Some(value) => Some(match text(value, "recorded_by")? {
            "caller" => exchange::Side::Caller,
            "server" => exchange::Side::Server,
            "gateway" => exchange::Side::Gateway,
            other => {
                return Err(format!("`recorded_by` is caller, server or gateway, not {other:?}"));
            }
        }),
    };
    let time_format = match table.get("time_format") {
        Some(value) => Some(text(value, "time_format")?.to_owned()),
        None => None,
    };
    let time_zone = match table.get("time_zone") {
        Some(value) => {
            let zone = text(value, "time_zone")?;
            Some(
                jiff::tz::TimeZone::get(zone)
                    .map_err(|_| format!("`time_zone`: no zone is called {zone:?}"))?,
            )
        }
        None => None,
    };
    Ok(Mapping {
        name,
        when,
        each,
        element,
        fields,
        side,
        recorded_by,
        time_unit,
        duration_unit,
        time_format,
        time_zone,
        source: table,
    })
}

fn unknown(key: &str) -> String {
    let words = Field::ALL.iter().map(|field| field.word()).chain(SETTINGS.iter().copied());
    match nearest(key, words) {
        Some(word) => format!("unknown key `{key}`; did you mean `{word}`?"),
        None => format!("unknown key `{key}`"),
    }
}

fn text<'v>(value: &'v toml::Value, key: &str) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("`{key}` must be a text, not {}", value.type_str()))
}

fn pointer(text: &str) -> Result<Pointer, String> {
    text.parse().map_err(|why| format!("{text:?} is no pointer: {why}"))
}

/// A constant in the words in which JSON would write it.
fn constant(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn places(
    value: &toml::Value,
    plan: &mut Plan,
    mut element: Option<&mut Plan>,
) -> Result<Places, String> {
    let one = |value: &toml::Value, element: Option<&mut Plan>, plan: &mut Plan| match value {
        toml::Value::String(text) if text.is_empty() || text.starts_with('/') => {
            Ok(Place::Record(plan.add(&pointer(text)?)))
        }
        toml::Value::String(text) if text == "." || text.starts_with("./") => {
            let element = element.ok_or(
                "a pointer that begins with `.` starts at an element of `each`, which is missing",
            )?;
            Ok(Place::Element(element.add(&pointer(text.strip_prefix('.').unwrap_or_default())?)))
        }
        other => constant(other).map(Place::Constant).ok_or_else(|| {
            format!("must be a pointer, a constant or a list of them, not {}", other.type_str())
        }),
    };
    match value {
        toml::Value::Array(list) if list.is_empty() => Err("the list is empty".into()),
        toml::Value::Array(list) => {
            list.iter().map(|item| one(item, element.as_deref_mut(), plan)).collect()
        }
        single => Ok(vec![one(single, element, plan)?]),
    }
}

fn conditions(value: &toml::Value, plan: &mut Plan) -> Result<Vec<Condition>, String> {
    match value {
        toml::Value::Table(table) => Ok(vec![condition(table, plan)?]),
        toml::Value::Array(list) if !list.is_empty() => list
            .iter()
            .map(|item| condition(item.as_table().ok_or("`when`: each condition is a table")?, plan))
            .collect(),
        _ => Err("`when` is { pointer = … } or { pointer = …, equals = … }, or a list of these that must all hold".into()),
    }
}

fn condition(table: &toml::Table, plan: &mut Plan) -> Result<Condition, String> {
    if let Some(key) = table.keys().find(|key| !["pointer", "equals"].contains(&key.as_str())) {
        return Err(format!("`when`: unknown key `{key}`"));
    }
    let slots = match table.get("pointer").ok_or("`when`: `pointer` is missing")? {
        toml::Value::Array(list) if !list.is_empty() => list
            .iter()
            .map(|at| Ok(plan.add(&pointer(text(at, "when.pointer")?)?)))
            .collect::<Result<_, String>>()?,
        at => vec![plan.add(&pointer(text(at, "when.pointer")?)?)],
    };
    let equals = match table.get("equals") {
        None => Vec::new(),
        Some(toml::Value::Array(list)) if !list.is_empty() => list
            .iter()
            .map(|item| constant(item).ok_or("`when.equals` must be a value or a list of values"))
            .collect::<Result<_, _>>()?,
        Some(value) => {
            vec![constant(value).ok_or("`when.equals` must be a value or a list of values")?]
        }
    };
    Ok(Condition { slots, equals })
}

fn side(value: &toml::Value, plan: &mut Plan, element: Option<&mut Plan>) -> Result<Side, String> {
    let table = value.as_table().ok_or("`side` is { pointer = …, request = …, response = … }")?;
    if let Some(key) =
        table.keys().find(|key| !["pointer", "request", "response"].contains(&key.as_str()))
    {
        return Err(format!("`side`: unknown key `{key}`"));
    }
    let word = |key: &str| {
        table
            .get(key)
            .and_then(constant)
            .ok_or_else(|| format!("`side`: `{key}` is missing or no plain value"))
    };
    let at = table.get("pointer").ok_or("`side`: `pointer` is missing")?;
    Ok(Side {
        places: places(at, plan, element)?,
        request: word("request")?,
        response: word("response")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mappings(toml: &str) -> Result<Mappings, String> {
        let table: toml::Table = toml.parse().unwrap();
        let tables = table["mapping"].as_array().unwrap();
        let tables = tables.iter().map(|table| table.as_table().unwrap().clone());
        Mappings::read(tables.collect()).map_err(|error| error.to_string())
    }

    fn refused(body: &str) -> String {
        mappings(&format!("[[mapping]]\nname = \"m\"\n{body}")).unwrap_err()
    }

    #[test]
    fn pointers_of_all_mappings_share_one_plan() {
        let read = mappings(
            "[[mapping]]\nwhen = { pointer = \"/a\" }\ntime = \"/t\"\n\
             [[mapping]]\nwhen = { pointer = [\"/a\", \"/b\"], equals = [1, true] }\ntime = [\"/t\", \"./u\"]\neach = \"/l/*\"\nstatus = 200",
        )
        .unwrap();
        assert_eq!(read.plan().len(), 4);
        assert_eq!(read[0].name, "#1");
        assert_eq!(read[1].when[0].equals, ["1", "true"]);
        assert_eq!(read[1].places(Field::Status), [Place::Constant("200".to_owned())]);
        let [Place::Record(slot), Place::Element(0)] = read[1].places(Field::Time) else {
            panic!()
        };
        assert_eq!(read.plan().pointer(*slot).unwrap().as_str(), "/t");
        assert_eq!(read[1].spelled(Field::Time), "/t");
    }

    #[test]
    fn what_is_refused_and_why() {
        for (body, why) in [
            ("time = \"/t\"", "`when` is missing"),
            ("when = { pointer = \"/a\" }\nrequest_boddy = \"/b\"", "did you mean `request_body`?"),
            ("when = { pointer = \"a\" }", "is no pointer"),
            ("when = { pointer = \"/a\", equal = 1 }", "unknown key `equal`"),
            ("when = { pointer = \"/a\" }\ntime = \"./t\"", "element of `each`, which is missing"),
            ("when = { pointer = \"/a\" }\njoin = \"/k\"", "`join` and `side` go together"),
            ("when = { pointer = \"/a\" }\na2a = \"\"\nevent = \"attempt\"", "exclude each other"),
            ("when = { pointer = \"/a\" }\ntime_unit = \"h\"", "one of rfc3339, s, ms, us, ns"),
            ("when = { pointer = \"/a\" }\ntime_zone = \"Mars/Base\"", "no zone is called"),
            ("when = { pointer = \"/a\" }\ntime = []", "the list is empty"),
            ("when = { pointer = \"/a\" }\nrecorded_by = \"me\"", "caller, server or gateway"),
        ] {
            let error = refused(body);
            assert!(error.starts_with("mapping \"m\": ") && error.contains(why), "{body}: {error}");
        }
    }
}
