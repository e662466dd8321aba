//! What was asked in an exchange.

use super::facts::Facts;
use crate::a2a::method::Operation;
use crate::a2a::object::request::{Params, params, requests};
use crate::event::Text;
use crate::exchange::Exchange;
use std::borrow::Cow;

/// One call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// JSON text of the JSON-RPC id (`"1"` and `1` differ).
    pub(super) id: Option<&'a str>,
    /// As on the wire; of a route of HTTP+JSON the name that JSON-RPC of that version has for it.
    pub(super) method: Cow<'a, str>,
    /// What it asks for.
    pub(super) operation: Operation,
    /// Its parameters; `None`: not on record, or unreadable.
    pub(super) params: Option<Params<'a>>,
    /// The task that it is about.
    pub(super) task_id: Option<Text<'static>>,
    /// The conversation.
    pub(super) context_id: Option<Text<'static>>,
}

/// The calls, in their order: several in a JSON-RPC batch, none when nothing tells.
pub(super) fn of<'a>(
    exchange: &'a Exchange<'_>,
    facts: &'a Facts<'_>,
    body: Option<&'a str>,
) -> Vec<Call<'a>> {
    let rpc = body.filter(|_| facts.method == "POST").and_then(|body| requests(body).ok());
    if let Some(rpc) = rpc.filter(|rpc| !rpc.is_empty()) {
        return rpc
            .into_iter()
            .map(|request| {
                let operation = request.operation();
                let method = request.method.0.unwrap_or_default();
                Call::new(request.id.0, method, operation, request.params.0, None, exchange)
            })
            .collect();
    }
    if let Some(route) = &facts.route
        && route.operation != Operation::Card
    {
        let method = route_name(route.operation, route.v1_prefix);
        let params = body.and_then(|body| params(body).ok());
        let task = route.task_id.as_deref();
        return vec![Call::new(None, method.into(), route.operation, params, task, exchange)];
    }
    let named = exchange.rpc_method.as_deref().or_else(|| grpc_method(exchange, facts));
    named.map_or_else(Vec::new, |name| {
        vec![Call::new(None, name.into(), Operation::of(name), None, None, exchange)]
    })
}

/// The name of a gRPC call in its path.
fn grpc_method<'a>(exchange: &Exchange<'_>, facts: &Facts<'a>) -> Option<&'a str> {
    let grpc = exchange.grpc_status.is_some() || facts.path.contains("A2AService/");
    grpc.then(|| facts.path.trim_start_matches('/'))
        .filter(|path| Operation::of(path) != Operation::Unknown)
}

/// JSON-RPC's name for a route: what an error code means hangs on the version that it implies.
fn route_name(operation: Operation, v1_prefix: bool) -> &'static str {
    let (v03, v10) = match operation {
        Operation::Send => ("message/send", "SendMessage"),
        Operation::Stream => ("message/stream", "SendStreamingMessage"),
        Operation::PushSet => {
            ("tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig")
        }
        other => (other.as_str(), other.as_str()),
    };
    if v1_prefix { v03 } else { v10 }
}

impl<'a> Call<'a> {
    fn new(
        id: Option<&'a str>,
        method: Cow<'a, str>,
        operation: Operation,
        params: Option<Params<'a>>,
        task_of_path: Option<&str>,
        exchange: &Exchange<'_>,
    ) -> Self {
        let message = params.as_ref().and_then(Params::message);
        let asked = || params.as_ref().and_then(|params| params.task_of_call(message.as_ref()));
        let recorded = || exchange.task_id.clone();
        let task = task_of_path.map(Cow::Borrowed).or_else(asked).or_else(recorded);
        let context = params.as_ref().and_then(|params| params.context_of_call(message.as_ref()));
        let context = context.or_else(|| exchange.context_id.clone());
        let owned = |text: Option<Cow<'_, str>>| {
            text.filter(|text| !text.is_empty()).map(|text| Cow::Owned(text.into_owned()))
        };
        Self { id, method, operation, task_id: owned(task), context_id: owned(context), params }
    }
}
