//! The names under which recorders keep the same fact.
//!
//! Names of the semantic conventions (stable, deprecated and drafts) and of SDKs and gateways that
//! many run; none that a single application invented: those need a `[[mapping]]`.

use std::sync::LazyLock;

use crate::event::Text;

use super::value::Attributes;

/// A fact that an attribute may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// HTTP method.
    Method,
    /// Absolute URL.
    Url,
    /// Scheme of the URL.
    Scheme,
    /// Host, perhaps with a port.
    Host,
    /// Port.
    Port,
    /// Path, perhaps with a query.
    Path,
    /// Query without `?`.
    Query,
    /// HTTP status.
    Status,
    /// Method of A2A.
    RpcMethod,
    /// Method of some RPC system: of A2A only when A2A knows the name.
    AnyRpcMethod,
    /// JSON-RPC error code.
    RpcCode,
    /// gRPC status, number or name.
    GrpcStatus,
    /// Version of A2A.
    ProtocolVersion,
    /// Task id.
    TaskId,
    /// Context id.
    ContextId,
    /// Task state.
    TaskState,
    /// URL of the agent, when no HTTP URL is told.
    AgentUrl,
    /// Kind of an error.
    ErrorType,
    /// What an A2A implementation names its error.
    ErrorReason,
}

/// Name and fact, in the order in which they are asked.
const NAMES: &[(&str, Fact)] = &[
    ("http.request.method", Fact::Method),
    ("http.method", Fact::Method),
    ("url.full", Fact::Url),
    ("http.url", Fact::Url),
    ("url.scheme", Fact::Scheme),
    ("http.scheme", Fact::Scheme),
    ("http.host", Fact::Host),
    ("server.address", Fact::Host),
    ("http.server_name", Fact::Host),
    ("net.host.name", Fact::Host),
    ("net.peer.name", Fact::Host),
    ("server.port", Fact::Port),
    ("net.host.port", Fact::Port),
    ("net.peer.port", Fact::Port),
    ("url.path", Fact::Path),
    ("http.target", Fact::Path),
    ("http.path", Fact::Path),
    ("url.query", Fact::Query),
    ("http.response.status_code", Fact::Status),
    ("http.status_code", Fact::Status),
    ("http.status", Fact::Status),
    ("a2a.method.name", Fact::RpcMethod),
    ("a2a.method", Fact::RpcMethod),
    ("gen_ai.agent.a2a.operation.name", Fact::RpcMethod),
    ("gen_ai.a2a.rpc.method", Fact::RpcMethod),
    ("kong.a2a.operation", Fact::RpcMethod),
    ("bifrost.a2a.operation.name", Fact::RpcMethod),
    ("rpc.method", Fact::AnyRpcMethod),
    ("jsonrpc.method", Fact::AnyRpcMethod),
    ("a2a.response.error_code", Fact::RpcCode),
    ("rpc.jsonrpc.error_code", Fact::RpcCode),
    ("jsonrpc.error.code", Fact::RpcCode),
    ("rpc.response.status_code", Fact::RpcCode),
    ("rpc.status_code", Fact::RpcCode),
    ("rpc.grpc.status_code", Fact::GrpcStatus),
    ("grpc.status", Fact::GrpcStatus),
    ("a2a.protocol.version", Fact::ProtocolVersion),
    ("kong.a2a.protocol.version", Fact::ProtocolVersion),
    ("a2a.task.id", Fact::TaskId),
    ("a2a.task_id", Fact::TaskId),
    ("gen_ai.agent.a2a.task_id", Fact::TaskId),
    ("gen_ai.a2a.task.id", Fact::TaskId),
    ("kong.a2a.task.id", Fact::TaskId),
    ("task.id", Fact::TaskId),
    ("taskId", Fact::TaskId),
    ("a2a.context.id", Fact::ContextId),
    ("a2a.context_id", Fact::ContextId),
    ("gen_ai.agent.a2a.context_id", Fact::ContextId),
    ("gen_ai.a2a.context.id", Fact::ContextId),
    ("kong.a2a.context.id", Fact::ContextId),
    ("gen_ai.conversation.id", Fact::ContextId),
    ("context.id", Fact::ContextId),
    ("contextId", Fact::ContextId),
    ("a2a.task.state", Fact::TaskState),
    ("gen_ai.a2a.task.state", Fact::TaskState),
    ("gen_ai.agent.a2a.status", Fact::TaskState),
    ("kong.a2a.task.state", Fact::TaskState),
    ("task.finalStatus", Fact::TaskState),
    ("task.status", Fact::TaskState),
    ("gen_ai.a2a.agent.url", Fact::AgentUrl),
    ("error.type", Fact::ErrorType),
    ("kong.a2a.error", Fact::ErrorReason),
];

/// The facts of some attributes, found in one pass over them.
#[derive(Debug)]
pub struct Facts<'r, 'a> {
    attributes: &'r Attributes<'a>,
    /// By fact: rank of the name among those of the fact, and the attribute's number.
    best: [Option<(u8, u16)>; FACTS],
}

/// How many facts there are.
const FACTS: usize = Fact::ErrorReason as usize + 1;

/// [`NAMES`] by name, each with its rank.
static BY_NAME: LazyLock<Vec<(&'static str, Fact, u8)>> = LazyLock::new(|| {
    let mut names: Vec<_> =
        (0..).zip(NAMES).map(|(rank, (name, fact))| (*name, *fact, rank)).collect();
    names.sort_unstable_by_key(|(name, ..)| *name);
    names
});

impl<'r, 'a> Facts<'r, 'a> {
    /// Looks through the attributes.
    pub fn of(attributes: &'r Attributes<'a>) -> Self {
        let mut best = [None; FACTS];
        for (number, (name, value)) in (0..).zip(&attributes.0) {
            let Ok(at) = BY_NAME.binary_search_by_key(&name.as_ref(), |(name, ..)| name) else {
                continue;
            };
            let Some((_, fact, rank)) = BY_NAME.get(at) else { continue };
            let Some(known) = best.get_mut(*fact as usize) else { continue };
            if known.is_none_or(|(better, _)| better > *rank)
                && value.text().is_some_and(|text| !text.is_empty())
            {
                *known = Some((*rank, number));
            }
        }
        Self { attributes, best }
    }

    /// The best attribute of a fact that is there and not empty.
    pub fn text(&self, fact: Fact) -> Option<Text<'a>> {
        let (_, number) = (*self.best.get(fact as usize)?)?;
        self.attributes.0.get(usize::from(number))?.1.text()
    }
}

/// Headers of one side: `http.request.header.<name>` or `http.response.header.<name>`; the
/// deprecated form writes `_` for `-`.
pub fn headers<'a>(attributes: &Attributes<'a>, prefix: &str) -> Vec<(Text<'a>, Text<'a>)> {
    let mut found = Vec::new();
    for (name, value) in &attributes.0 {
        let Some(header) = name.strip_prefix(prefix) else { continue };
        let header = header.replace('_', "-");
        let values: Vec<Text<'a>> = match value {
            super::value::Value::List(list) => {
                list.iter().filter_map(super::value::Value::text).collect()
            }
            single => single.text().into_iter().collect(),
        };
        found.extend(values.into_iter().map(|value| (Text::Owned(header.clone()), value)));
    }
    found
}
