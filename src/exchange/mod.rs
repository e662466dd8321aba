//! HTTP exchanges between the readers of HTTP-shaped recordings and events.
//!
//! Knows A2A through [`crate::a2a`]; knows no input and no table. A reader turns a record into an
//! [`Exchange`] (or one side of it); [`join`] puts the sightings of several recorders together
//! (model §1 *Joining*); [`derive`] turns a whole exchange into events.

pub mod clock;
mod codec;
pub mod derive;
pub mod join;
mod matching;
mod merge;
pub(crate) mod spool;

use crate::event::Text;
use crate::problem::At;
use std::borrow::Cow;

/// Who wrote the record down (model §1: client identity comes from the calling side only, and the
/// caller's times count).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The caller, or a proxy on its way: HAR, client spans, application logs.
    #[default]
    Caller,
    /// The called server: SERVER and CONSUMER spans.
    Server,
    /// Something between both: gateway logs.
    Gateway,
}

/// One piece of a streamed answer.
#[derive(Debug, Clone)]
pub struct StreamPiece<'a> {
    /// When it was captured; UTC nanoseconds.
    pub time: Option<i64>,
    /// The data of one SSE event (JSON), already unframed.
    pub data: Text<'a>,
}

/// One HTTP exchange as one recorder saw it.
#[derive(Debug, Clone, Default)]
pub struct Exchange<'a> {
    /// Where the record begins.
    pub at: At,
    /// When the request was sent; UTC nanoseconds.
    pub started_at: i64,
    /// When the answer was complete.
    pub ended_at: Option<i64>,
    /// Who wrote it down.
    pub side: Side,
    /// The delegating client, when the record names it.
    pub client: Option<Text<'a>>,
    /// The agent, when the record names it.
    pub agent: Option<Text<'a>>,
    /// HTTP method; `None` when the record does not tell.
    pub method: Option<Text<'a>>,
    /// Absolute URL as recorded.
    pub url: Option<Text<'a>>,
    /// Names in any case; values as received.
    pub request_headers: Vec<(Text<'a>, Text<'a>)>,
    /// The request's body.
    pub request_body: Option<Cow<'a, [u8]>>,
    /// HTTP status; `None` or 0: no answer.
    pub status: Option<i64>,
    /// Names in any case; values as received.
    pub response_headers: Vec<(Text<'a>, Text<'a>)>,
    /// The answer's body, decompressed; SSE still framed.
    pub response_body: Option<Cow<'a, [u8]>>,
    /// The recorder kept the body as a JSON value of its own, so these are not the original bytes: a
    /// card without [`response_sha256`](Self::response_sha256) is hashed over its RFC 8785 form, and
    /// flagged.
    pub reserialised: bool,
    /// Something in the record was mended that may be a part of a body: no digest can be checked.
    pub mended: bool,
    /// SHA-256 of the original bytes of the body, when the recorder re-serialised it.
    pub response_sha256: Option<Text<'a>>,
    /// The stream's events, when the recorder unframed it already.
    pub stream: Vec<StreamPiece<'a>>,
    /// Connection error or timeout.
    pub error: Option<Text<'a>>,
    /// The recorder says that the answer broke off.
    pub cut: bool,
    /// Only an A2A object was recorded (a webhook's body, an answer in a log), not the exchange that
    /// it came with: nothing else of that is missed.
    pub bare: bool,
    /// Answered by the client's own cache.
    pub from_cache: bool,
    /// What the record states by itself (fields of the journal that a mapping named).
    pub stated: Option<Box<Stated<'a>>>,
    /// A2A method, when only that is known (spans and gateway logs without bodies).
    pub rpc_method: Option<Text<'a>>,
    /// A2A error code, when only that is known.
    pub rpc_code: Option<i64>,
    /// gRPC status, name or number.
    pub grpc_status: Option<Text<'a>>,
    /// Task id, when only that is known (span attributes, gateway logs).
    pub task_id: Option<Text<'a>>,
    /// Context id, likewise.
    pub context_id: Option<Text<'a>>,
    /// Task state answered with, likewise.
    pub task_state: Option<Text<'a>>,
    /// Hex.
    pub trace_id: Option<Text<'a>>,
    /// Hex.
    pub span_id: Option<Text<'a>>,
    /// Hex.
    pub parent_span_id: Option<Text<'a>>,
    /// The configured exchange key within one resource (`join` of a mapping).
    pub key: Option<Text<'a>>,
    /// What `key` is unique within (the OTLP resource, in any stable spelling); `None`: the source.
    pub resource: Option<Text<'a>>,
    /// Who within the source wrote it, where several may write of one exchange: an instrumentation
    /// scope, a logger. One of them writes each exchange once.
    pub recorder: Option<Text<'a>>,
    /// Which halves the record holds: a log may write request and response apart.
    pub half: Half,
}

/// Which halves of an exchange a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Half {
    /// Both.
    #[default]
    Whole,
    /// The request only.
    Request,
    /// The response only.
    Response,
}

/// What a record states of its exchange's events beside what was sent and received: goes over what
/// the bodies tell. Field by field as in the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated<'a> {
    /// Who served the card.
    pub registry: Option<Text<'a>>,
    /// This registry is the agent's authority.
    pub authority: Option<bool>,
    /// The protocol version named in the record, as written.
    pub protocol_version: Option<Text<'a>>,
    /// The skill asked for.
    pub skill_id: Option<Text<'a>>,
    /// Binding hash of the card that the client held, lower-case hex.
    pub admitted_under: Option<Text<'a>>,
    /// As written.
    pub accepted_output_modes: Option<Vec<Text<'a>>>,
    /// Streaming was asked for.
    pub stream: Option<bool>,
    /// Push notifications were asked for.
    pub push: Option<bool>,
    /// The outcome that the client recorded, one of the model's table.
    pub outcome: Option<Text<'a>>,
    /// `ErrorInfo.reason`.
    pub error_reason: Option<Text<'a>>,
    /// What the client did with the artifacts: `accepted`, `rejected`, `quarantined`.
    pub disposition: Option<Text<'a>>,
}
