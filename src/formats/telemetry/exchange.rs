//! What a span or a log record says of an exchange by its attributes alone.

use std::borrow::Cow;

use crate::a2a::error_name;
use crate::a2a::method::Operation;
use crate::event::Text;
use crate::exchange::{Exchange, Side, Stated};
use crate::formats::Context;
use crate::problem::At;

use super::attributes::{Fact, Facts, headers};
use super::value::Attributes;
use super::{LogRecord, Resource, Span};

/// What a span says of an exchange.
pub fn of_span<'a>(
    span: &Span<'a>,
    resource: &Resource<'a>,
    at: At,
    context: &Context<'_>,
) -> Exchange<'a> {
    let facts = Facts::of(&span.attributes);
    let mut exchange = of_facts(&facts, &span.attributes, span.kind.side(), resource, context);
    exchange.at = at;
    exchange.started_at = span.start.or(span.end).unwrap_or_default();
    exchange.ended_at = span.end;
    exchange.trace_id.clone_from(&span.trace_id);
    exchange.span_id.clone_from(&span.span_id);
    exchange.parent_span_id.clone_from(&span.parent_span_id);
    exchange.recorder.clone_from(&span.scope);
    failures(span, facts.text(Fact::ErrorType), &mut exchange);
    exchange
}

/// What is known of a log record before a mapping reads it.
pub fn of_log<'a>(
    log: &LogRecord<'a>,
    resource: &Resource<'a>,
    at: At,
    context: &Context<'_>,
) -> Exchange<'a> {
    let mut exchange = of_attributes(&log.attributes, Side::Caller, resource, context);
    exchange.at = at;
    exchange.started_at = log.time.unwrap_or_default();
    exchange.trace_id.clone_from(&log.trace_id);
    exchange.span_id.clone_from(&log.span_id);
    exchange.recorder.clone_from(&log.scope);
    exchange
}

/// Whether enough is told to speak of an exchange: an HTTP method and where to, or a method of A2A.
pub fn tells_an_exchange(exchange: &Exchange<'_>) -> bool {
    (exchange.method.is_some() && exchange.url.is_some()) || exchange.rpc_method.is_some()
}

/// The client of a record: the configured header, else the resource of records of the calling side.
pub fn client<'a>(
    request_headers: &[(Text<'a>, Text<'a>)],
    side: Side,
    resource: &Resource<'a>,
    context: &Context<'_>,
) -> Option<Text<'a>> {
    let header = context.config.client.header.as_deref();
    let named = header.and_then(|header| {
        request_headers
            .iter()
            .find(|(name, value)| name.eq_ignore_ascii_case(header) && !value.is_empty())
    });
    match named {
        Some((_, value)) => Some(value.clone()),
        None if side == Side::Caller => resource.client(),
        None => None,
    }
}

/// What attributes say, whoever wrote them.
pub fn of_attributes<'a>(
    attributes: &Attributes<'a>,
    side: Side,
    resource: &Resource<'a>,
    context: &Context<'_>,
) -> Exchange<'a> {
    of_facts(&Facts::of(attributes), attributes, side, resource, context)
}

fn of_facts<'a>(
    facts: &Facts<'_, 'a>,
    attributes: &Attributes<'a>,
    side: Side,
    resource: &Resource<'a>,
    context: &Context<'_>,
) -> Exchange<'a> {
    let text = |fact| facts.text(fact);
    let request_headers = headers(attributes, "http.request.header.");
    let rpc_method = text(Fact::RpcMethod).or_else(|| {
        text(Fact::AnyRpcMethod).filter(|name| Operation::of(name) != Operation::Unknown)
    });
    let code = text(Fact::RpcCode);
    let rpc_code =
        code.as_deref().and_then(|code| code.parse().ok()).filter(|code: &i64| *code < 0);
    let grpc = text(Fact::GrpcStatus).or_else(|| code.filter(|code| is_grpc_name(code)));
    let reason = text(Fact::ErrorReason);
    let version = text(Fact::ProtocolVersion);
    let stated = (version.is_some() || reason.is_some()).then(|| {
        Box::new(Stated { protocol_version: version, error_reason: reason, ..Stated::default() })
    });
    Exchange {
        side,
        client: client(&request_headers, side, resource, context),
        method: text(Fact::Method),
        url: url(facts).or_else(|| text(Fact::AgentUrl).filter(|_| rpc_method.is_some())),
        response_headers: headers(attributes, "http.response.header."),
        request_headers,
        status: text(Fact::Status).and_then(|status| status.parse().ok()),
        rpc_method,
        rpc_code,
        grpc_status: grpc,
        task_id: text(Fact::TaskId),
        context_id: text(Fact::ContextId),
        task_state: text(Fact::TaskState),
        stated,
        ..Exchange::default()
    }
}

/// gRPC names its statuses in capitals.
fn is_grpc_name(code: &str) -> bool {
    code.len() > 1 && code.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

/// The absolute URL, put together from its parts when it is not recorded whole.
fn url<'a>(facts: &Facts<'_, 'a>) -> Option<Text<'a>> {
    if let Some(url) = facts.text(Fact::Url).filter(|url| url.contains("://")) {
        return Some(url);
    }
    let path = facts.text(Fact::Path)?;
    if path.contains("://") {
        return Some(path);
    }
    let mut host = facts.text(Fact::Host)?.into_owned();
    if host.bytes().filter(|b| *b == b':').count() > 1 && !host.starts_with('[') {
        host = format!("[{host}]");
    }
    let scheme = facts.text(Fact::Scheme).unwrap_or(Cow::Borrowed("http"));
    let has_port = host.rsplit(']').next().is_some_and(|end| end.contains(':'));
    if let Some(port) = facts.text(Fact::Port).filter(|_| !has_port)
        && !matches!((scheme.as_ref(), port.as_ref()), ("http", "80") | ("https", "443"))
    {
        host = format!("{host}:{port}");
    }
    let query = facts.text(Fact::Query).filter(|_| !path.contains('?'));
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(Cow::Owned(match query {
        Some(query) => format!("{scheme}://{host}{slash}{path}?{}", query.trim_start_matches('?')),
        None => format!("{scheme}://{host}{slash}{path}"),
    }))
}

/// What went wrong: an error of A2A by its class or code, else an error of the transport.
fn failures<'a>(span: &Span<'a>, error_type: Option<Text<'a>>, exchange: &mut Exchange<'a>) {
    let exception = span.events.iter().rev().find(|event| event.name == "exception");
    let class = exception.and_then(|event| event.attributes.text("exception.type"));
    for name in [&class, &error_type].into_iter().flatten() {
        if exchange.rpc_code.is_none() {
            exchange.rpc_code = error_name::code(name)
                .or_else(|| name.parse().ok().filter(|code: &i64| *code <= -32000));
        }
    }
    if exchange.rpc_code.is_some() {
        return;
    }
    // A status as the error's type says nothing more than the status. A span above the HTTP
    // exchange may have nothing but this.
    let status = error_type
        .as_deref()
        .and_then(|text| text.parse::<i64>().ok())
        .filter(|status| (100..600).contains(status));
    if let Some(status) = status {
        exchange.status.get_or_insert(status);
        return;
    }
    if exchange.status.is_some_and(|status| status >= 400) {
        return;
    }
    let message = exception
        .and_then(|event| event.attributes.text("exception.message"))
        .filter(|text| !text.is_empty());
    let told = error_type.or(class).or(message);
    let answered = exchange.status.is_some();
    exchange.error = told.or_else(|| {
        let failed = span.failed && !answered;
        failed.then(|| span.status_message.clone().unwrap_or(Cow::Borrowed("the span failed")))
    });
}
