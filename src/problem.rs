//! What can be wrong with an input, and where.
//!
//! This room knows nothing of A2A, of files or of tables: it names kinds of problems and positions.
//! A bad record is data, not a crash: it becomes a row of the table `problems`.
//!
//! *A kind of problem*: one line in [`kinds!`] with its code, severity, title and help, and a case in
//! `tests/` that triggers it. Codes ascend and are never used twice.

use std::borrow::Cow;
use std::fmt;

/// Where a record or a field begins within its source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// Line of the record's first byte, from 1; for formats without lines, the number of the entry.
    pub line: u64,
    /// Offset of the record's first byte in the decompressed source, from 0.
    pub byte: u64,
}

/// How much a problem costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing was lost; an assumption was made or something is odd.
    Note,
    /// The record was kept after a repair.
    Repaired,
    /// A record or a part of one was left out.
    DataLoss,
    /// The source could not be read at all.
    Error,
}

impl Severity {
    /// The word that the tables and reports print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Repaired => "repaired",
            Self::DataLoss => "data_loss",
            Self::Error => "error",
        }
    }
}

macro_rules! kinds {
    ($($name:ident = $code:literal, $severity:ident, $title:literal, $help:literal;)*) => {
        /// The kinds of problems, in the order of their codes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = $title] $name,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable code, for example `CD101`.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// How much it costs.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What is wrong, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What to do about it.
            pub fn help(self) -> &'static str {
                match self { $(Self::$name => $help,)* }
            }
        }
    };
}

kinds! {
    // 0xx: sources
    Unreadable = "CD001", Error, "the source cannot be read", "check that the file exists and that you may read it";
    UnknownFormat = "CD002", Error, "no reader knows this format", "run `carddrift inspect` on it; JSON lines of another shape need a [[mapping]] in carddrift.toml";
    TruncatedCompression = "CD003", DataLoss, "the compressed data ends early", "the records before the cut were kept; copy the file again from where it came";
    CorruptCompression = "CD004", DataLoss, "the compressed data is damaged", "the records before the damage were kept; copy the file again from where it came";
    TrailingGarbage = "CD005", Note, "bytes that belong to no member follow the compressed data", "nothing of the recording was lost";
    BombRatio = "CD006", DataLoss, "the data expands beyond the limit", "raise --max-expansion or --max-source-bytes if the source is trusted";
    SourceChanged = "CD007", DataLoss, "the source changed while it was read", "read it again when its writer has finished";
    EmptySource = "CD008", Note, "the source is empty", "nothing to do, unless a recording was expected here";
    // 1xx: records
    NotJson = "CD101", DataLoss, "the record is not valid JSON", "the pointer and byte say where; the writer of this log is at fault";
    TruncatedRecord = "CD102", DataLoss, "the last record is cut off", "the recorder was stopped while it wrote; nothing more can be had from this record";
    TooLarge = "CD103", DataLoss, "the record is larger than the limit", "raise --max-record-bytes if the source is trusted";
    TooDeep = "CD104", DataLoss, "the record nests deeper than the limit", "no A2A object nests this deep; the record is hostile or not a recording";
    JoinedLines = "CD105", DataLoss, "two records stand on one line of text", "the line end between them was lost, and what belongs to which cannot be told";
    RepairedBom = "CD110", Repaired, "a byte-order mark was removed", "nothing to do";
    RepairedUtf16 = "CD111", Repaired, "UTF-16 was read as UTF-8", "nothing to do";
    RepairedUtf8 = "CD112", Repaired, "invalid UTF-8 was replaced by U+FFFD", "hashes of the damaged text cannot be trusted";
    RepairedSurrogate = "CD113", Repaired, "a lone surrogate was replaced by U+FFFD", "the writer cut a character in two";
    RepairedEscape = "CD114", Repaired, "an invalid escape was read as the character itself", "the writer does not escape JSON strings";
    RepairedNul = "CD115", Repaired, "NUL padding was removed", "the file was preallocated or its machine crashed";
    RepairedNan = "CD116", Repaired, "NaN or Infinity was read as null", "JSON has no such numbers";
    RepairedNumber = "CD117", Repaired, "a number is beyond what 64 bits hold", "it was kept as text where a text is wanted, else left out";
    RepairedControl = "CD118", Repaired, "raw control characters in a string were kept", "the writer does not escape JSON strings";
    SeveralOnLine = "CD119", Repaired, "several objects stand on one line", "each was read as a record of its own";
    SpansLines = "CD120", Repaired, "one object spans several lines", "it was read as one record";
    TrailingText = "CD121", Repaired, "text follows the object on its line", "the object was kept and the rest left out";
    DuplicateKeys = "CD122", Repaired, "a key occurs twice with different values", "the last one was used; digests are taken over the bytes as recorded";
    // 2xx: events
    MissingField = "CD201", DataLoss, "the event lacks a field that it needs", "see the journal's documentation for the fields of each event";
    WrongType = "CD202", DataLoss, "a field has the wrong type", "compare the record with the samples";
    BadTime = "CD203", DataLoss, "the time cannot be read", "times are RFC 3339 with a zone, or unix nanoseconds";
    TimeOutOfRange = "CD204", DataLoss, "the time does not fit into 64-bit nanoseconds", "only the years 1678 to 2261 can be told";
    NaiveTime = "CD205", Note, "the time has no zone", "it was read as UTC; name the zone with --assume-zone";
    UnknownEvent = "CD206", DataLoss, "the event is of no known kind", "known kinds: card_publish, card_fetch, attempt, task_status, artifact";
    UnknownState = "CD207", Note, "the task state is none that A2A knows", "it was read as unknown";
    NoAgent = "CD208", DataLoss, "the event does not tell which agent it concerns", "record the agent or its URL; an attempt without one counts nowhere";
    NotACard = "CD209", Note, "the answer is not an Agent Card", "it counts as a fetch and a binding, but shows nothing of the card";
    CardObject = "CD210", Note, "the card was recorded as an object, not as its bytes", "its hash is taken over the RFC 8785 form; record the exact bytes instead";
    DigestContradicted = "CD211", Note, "the recorded digest check contradicts the computed digest", "the computed digest counts";
    ChunksAcrossCommits = "CD212", Note, "the chunks of one artifact lie in several ingests", "its digest is unchecked; ingest the files of one recording together";
    UnknownOutcome = "CD213", Note, "the recorded outcome is none that the model knows", "it was derived from the answer instead";
    BadHash = "CD214", Note, "a hash is not 64 hex digits", "it was left out";
    OneUrlTwoAgents = "CD215", Note, "two agents share one URL", "name them in [agents] of the configuration";
    BadField = "CD216", Note, "an optional field has the wrong type or value", "it was left out; the rest of the event was kept";
    BadAnswer = "CD217", Note, "a body is not the A2A object that it should be", "the exchange was kept without what its body would have told";
    CutStream = "CD218", Note, "a stream ends before its task does", "the attempt counts as broken midstream";
    MissingBody = "CD219", Note, "the recorder kept no body", "switch on bodies in the recorder, or at least the SHA-256 of cards";
    MisdecodedBody = "CD220", Note, "a body was stored under the wrong character set and was restored", "nothing to do";
    AmbiguousExchange = "CD221", Note, "two recorders saw exchanges that cannot be matched one to one", "record a trace id, or name an exchange key in [[mapping]]";
    ClockAdjusted = "CD222", Note, "the recorder adjusted this time for clock skew", "the original time is not on record";
    Redacted = "CD223", Note, "a secret was replaced before anything was written", "nothing to do";
    TooManyNames = "CD224", DataLoss, "more distinct names than the limit", "raise --max-names if the source is trusted";
    LeapSecond = "CD225", Note, "the time lies within a leap second", "unix time has none: it was read as the second before, with which it cannot be put in order";
    SuspectUnit = "CD226", Note, "the time is likely counted in another unit", "a journal counts nanoseconds; name the unit of other logs with time_unit in their [[mapping]]";
    // 9xx
    Internal = "CD999", Error, "carddrift contradicts itself", "this is a bug: please report it with the record's position";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// One problem of one record. The source's name is added by the layer that knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: Kind,
    /// The record, or the spot in it.
    pub at: At,
    /// RFC 6901 pointer to the field within the record; empty: the record itself.
    pub pointer: String,
    /// What was expected and found: types, lengths and names of fields, never values of the record.
    pub detail: Cow<'static, str>,
}

impl Problem {
    /// A problem of the record at `at`.
    pub fn new(kind: Kind, at: At, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, at, pointer: String::new(), detail: detail.into() }
    }

    /// The same with the pointer to the field.
    #[must_use]
    pub fn pointing(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_every_kind_has_help() {
        for pair in Kind::ALL.windows(2) {
            assert!(pair[0].code() < pair[1].code(), "{} comes before {}", pair[0], pair[1]);
        }
        for kind in Kind::ALL {
            assert!(!kind.title().is_empty() && !kind.help().is_empty(), "{kind}");
        }
    }
}
