//! The one shape that all formats become.
//!
//! This room does not know where an event came from nor where it goes: no file, no table, no thread.
//! An event borrows from the record it was parsed from; nothing is allocated on the fast path.
//! Field by field it follows the journal (see the README); times are UTC nanoseconds since 1970.

use std::borrow::Cow;

/// A borrowed or owned text.
pub type Text<'a> = Cow<'a, str>;

/// What an event's time was taken from (model §1 *Times*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeFrom {
    /// The record's own time: a journal's `time`, a span's or a log line's.
    #[default]
    Record,
    /// The time that the protocol object carries (`status.timestamp`).
    Object,
    /// The capture time of the chunk of the stream.
    Chunk,
    /// The next time carried in the same answer.
    NextInAnswer,
    /// The exchange's start.
    ExchangeStart,
    /// The exchange's end.
    ExchangeEnd,
}

impl TimeFrom {
    /// The word in the column `time_from`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Object => "object",
            Self::Chunk => "chunk",
            Self::NextInAnswer => "next_in_answer",
            Self::ExchangeStart => "exchange_start",
            Self::ExchangeEnd => "exchange_end",
        }
    }
}

/// What every event has.
#[derive(Debug, Clone, Default)]
pub struct Common<'a> {
    /// When it happened.
    pub time: i64,
    /// What `time` was taken from.
    pub time_from: TimeFrom,
    /// The delegating client instance; `None`: unknown.
    pub client: Option<Text<'a>>,
    /// The remote agent's identity as recorded; `None`: told by `url`, by the card, or unknown.
    pub agent: Option<Text<'a>>,
    /// For cards: the URL asked. For the rest: the agent's base URL, without the route of the REST binding.
    pub url: Option<Text<'a>>,
    /// W3C trace id, hex.
    pub trace_id: Option<Text<'a>>,
    /// Span id, hex.
    pub span_id: Option<Text<'a>>,
}

/// What a `card_fetch` row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FetchKind {
    /// The registry began to serve the card at exactly this time.
    Publish,
    /// A client asked for the card.
    #[default]
    Fetch,
    /// A GET that gave no card and whose URL is no well-known one: a fetch only if the same URL gave
    /// a card at another time (model §1 *registry*), which later data may show.
    Get,
}

/// The card of a fetch, as far as it was recorded.
#[derive(Debug, Clone, Default)]
pub enum CardSeen<'a> {
    /// Neither body nor hash.
    #[default]
    Unknown,
    /// The exact bytes of the body.
    Body(Cow<'a, [u8]>),
    /// The body as the text of a JSON string with its quotes and escapes, not yet unescaped: so a
    /// body seen before costs no unescaping.
    JsonString(&'a str),
    /// A JSON object in place of the bytes: hashed over its RFC 8785 form, and flagged.
    Object(Text<'a>),
    /// Only the SHA-256 of the body, lower-case hex.
    Hash(Text<'a>),
    /// The bytes were re-serialised by the recorder, which kept the hash of the original ones.
    HashedBody {
        /// SHA-256 of the original bytes, lower-case hex: the binding hash.
        sha256: Text<'a>,
        /// The body as the recorder wrote it: gives the content.
        body: Cow<'a, [u8]>,
    },
}

/// `card_publish` and `card_fetch`.
#[derive(Debug, Clone, Default)]
pub struct CardFetch<'a> {
    /// What all events have.
    pub common: Common<'a>,
    /// Publish, fetch, or a GET that may be one.
    pub kind: FetchKind,
    /// Who served it, as recorded; `None`: by the URL.
    pub registry: Option<Text<'a>>,
    /// When it was asked for; `None`: at `common.time`.
    pub sent_at: Option<i64>,
    /// HTTP status; `None` for a fetch that got no answer. A journal's default is 200.
    pub status: Option<i64>,
    /// Response header, as received.
    pub etag: Option<Text<'a>>,
    /// Response header, as received.
    pub cache_control: Option<Text<'a>>,
    /// Response header, as received.
    pub last_modified: Option<Text<'a>>,
    /// The Age header, seconds.
    pub age_s: Option<i64>,
    /// The card.
    pub card: CardSeen<'a>,
    /// The record says whether this registry is the agent's authority.
    pub authority: Option<bool>,
    /// Served by the client's own cache: no fetch.
    pub from_cache: bool,
    /// Fetched with authentication through the method for extended cards: observes nothing.
    pub extended: bool,
    /// The `A2A-Version` asked for, when the server says that its answer varies by it.
    pub variant: Option<Text<'a>>,
    /// Why the fetch failed.
    pub error: Option<Text<'a>>,
}

/// `attempt`: a client acted on a card towards its agent.
#[derive(Debug, Clone, Default)]
pub struct Attempt<'a> {
    /// What all events have; `time` is when it was sent.
    pub common: Common<'a>,
    /// When the answer was complete.
    pub end_time: Option<i64>,
    /// As on the wire.
    pub method: Option<Text<'a>>,
    /// The protocol version named in the record, as written.
    pub protocol_version: Option<Text<'a>>,
    /// The task acted on, or answered with.
    pub task_id: Option<Text<'a>>,
    /// The conversation.
    pub context_id: Option<Text<'a>>,
    /// The skill asked for.
    pub skill_id: Option<Text<'a>>,
    /// Binding hash of the card it was built from, lower-case hex.
    pub admitted_under: Option<Text<'a>>,
    /// As written.
    pub accepted_output_modes: Option<Vec<Text<'a>>>,
    /// Streaming was asked for.
    pub stream: Option<bool>,
    /// Push notifications were asked for.
    pub push: Option<bool>,
    /// The outcome that the client recorded, one of the model's table.
    pub outcome: Option<Text<'a>>,
    /// HTTP status of the answer.
    pub http_status: Option<i64>,
    /// JSON-RPC or A2A error code; a REST error's reason is mapped to its code.
    pub rpc_code: Option<i64>,
    /// State of the task in the answer, any spelling.
    pub task_state: Option<Text<'a>>,
    /// gRPC status name or number.
    pub grpc_status: Option<Text<'a>>,
    /// `ErrorInfo.reason`.
    pub error_reason: Option<Text<'a>>,
    /// No answer came, or it broke off.
    pub transport_error: Option<Text<'a>>,
    /// An answer derived as accepted broke off: its stream ended without a terminal or interrupted
    /// state, `final: true` or a message.
    pub broke: bool,
    /// Message, for people.
    pub error: Option<Text<'a>>,
    /// Tasks that the message refers to (`referenceTaskIds`).
    pub reference_task_ids: Option<Vec<Text<'a>>>,
}

/// `task_status`.
#[derive(Debug, Clone, Default)]
pub struct TaskStatus<'a> {
    /// What all events have.
    pub common: Common<'a>,
    /// Unique within its server only.
    pub task_id: Text<'a>,
    /// The conversation.
    pub context_id: Option<Text<'a>>,
    /// Any A2A spelling.
    pub state: Text<'a>,
    /// Binding hash of the card in force, lower-case hex.
    pub admitted_under: Option<Text<'a>>,
}

/// The payload of one artifact record.
#[derive(Debug, Clone, Default)]
pub struct Payload<'a> {
    /// Its text parts joined; also a journal's `payload` string.
    pub text: Option<Text<'a>>,
    /// JSON text of its only data part; also a journal's `payload` of another type.
    pub json: Option<Text<'a>>,
    /// Bytes of its only file part; also a journal's `payload_base64`.
    pub bytes: Option<Cow<'a, [u8]>>,
    /// It has several data or file parts, or a file by URL: nothing can be computed.
    pub unknown: bool,
}

impl Payload<'_> {
    /// Whether anything of the payload was recorded.
    pub fn is_recorded(&self) -> bool {
        self.text.is_some() || self.json.is_some() || self.bytes.is_some() || self.unknown
    }
}

/// `artifact`: an artifact or a chunk of one was received.
#[derive(Debug, Clone, Default)]
pub struct Artifact<'a> {
    /// What all events have.
    pub common: Common<'a>,
    /// Unique within its server only.
    pub task_id: Text<'a>,
    /// In v0.1 the index as text.
    pub artifact_id: Text<'a>,
    /// The conversation.
    pub context_id: Option<Text<'a>>,
    /// As written.
    pub media_type: Option<Text<'a>>,
    /// Schema version as stated, with the number of the first extraction rule (model §8) that hit.
    pub schema: Option<(u8, Text<'a>)>,
    /// As stated, any spelling.
    pub digest: Option<Text<'a>>,
    /// The recorder's own check: `true` is `pass`.
    pub digest_check: Option<bool>,
    /// What was received.
    pub payload: Payload<'a>,
    /// The record appends to the one before.
    pub append: bool,
    /// The artifact is complete.
    pub last_chunk: bool,
    /// What the client did with it: `accepted`, `rejected`, `quarantined`.
    pub disposition: Option<Text<'a>>,
}

/// A parsed record.
#[derive(Debug, Clone)]
pub enum Event<'a> {
    /// `card_publish` or `card_fetch`.
    Card(CardFetch<'a>),
    /// `attempt`.
    Attempt(Attempt<'a>),
    /// `task_status`.
    Status(TaskStatus<'a>),
    /// `artifact`.
    Artifact(Artifact<'a>),
}

impl<'a> Event<'a> {
    /// What all events have.
    pub fn common(&self) -> &Common<'a> {
        match self {
            Self::Card(e) => &e.common,
            Self::Attempt(e) => &e.common,
            Self::Status(e) => &e.common,
            Self::Artifact(e) => &e.common,
        }
    }

    /// What all events have, to be changed.
    pub fn common_mut(&mut self) -> &mut Common<'a> {
        match self {
            Self::Card(e) => &mut e.common,
            Self::Attempt(e) => &mut e.common,
            Self::Status(e) => &mut e.common,
            Self::Artifact(e) => &mut e.common,
        }
    }
}
