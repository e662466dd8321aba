//! An exchange looked at once.

use super::Rules;
use crate::a2a::method::Operation;
use crate::a2a::rest::{self, RestCall};
use crate::event::{Common, Text, TimeFrom};
use crate::exchange::{Exchange, Side};
use std::borrow::Cow;

/// What several rooms below ask of an exchange.
#[derive(Debug)]
pub(super) struct Facts<'e> {
    /// HTTP method, upper case; told from the rest when it was not recorded.
    pub(super) method: Cow<'e, str>,
    /// URL without query and fragment.
    pub(super) url: Option<&'e str>,
    /// Path of the URL.
    pub(super) path: &'e str,
    /// Query of the URL, without `?`.
    query: &'e str,
    /// The route of the HTTP+JSON binding that the path ends in.
    pub(super) route: Option<RestCall<'e>>,
    /// HTTP status; a 0 is no answer.
    pub(super) status: Option<i64>,
    /// What every event of the exchange has; `time` is its start, `url` the agent's base.
    pub(super) common: Common<'static>,
}

impl<'e> Facts<'e> {
    pub(super) fn of(exchange: &'e Exchange<'_>, rules: &Rules) -> Self {
        let (url, query) = exchange.url.as_deref().map_or((None, ""), |url| {
            let whole = url.split('#').next().unwrap_or(url);
            let (url, query) = whole.split_once('?').unwrap_or((whole, ""));
            (Some(url), query)
        });
        let path = url.map_or("", path_of);
        let method = method_of(exchange, path);
        let route = rest::call(&method, path);
        let trace = trace_of(exchange);
        let client = client_of(exchange, rules);
        let common = Common {
            time: exchange.started_at,
            time_from: TimeFrom::ExchangeStart,
            client: client.map(|client| Cow::Owned(client.to_owned())),
            agent: owned(exchange.agent.as_ref()),
            url: url.map(|url| Cow::Owned(base(url, route.as_ref()).to_owned())),
            trace_id: trace.map(|(trace, _)| Cow::Owned(trace.to_ascii_lowercase())),
            span_id: trace.and_then(|(_, span)| Some(Cow::Owned(span?.to_ascii_lowercase()))),
        };
        let status = exchange.status.filter(|status| *status > 0);
        Self { method, url, path, query, route, status, common }
    }

    /// The operation that the URL names: a route of HTTP+JSON, or the method of a gRPC call.
    pub(super) fn operation_of_path(&self) -> Option<Operation> {
        self.route.as_ref().map(|route| route.operation)
    }

    /// What an event has that an agent posted to its client: the URL is the client's own.
    pub(super) fn to_client(&self) -> Common<'static> {
        Common { client: None, url: None, ..self.common.clone() }
    }

    /// The `A2A-Version` asked for: header, else query parameter.
    pub(super) fn version_asked(&self, exchange: &'e Exchange<'_>) -> Option<&'e str> {
        request_header(exchange, "a2a-version").filter(|version| !version.is_empty()).or_else(
            || {
                self.query.split('&').find_map(|pair| {
                    let (name, value) = pair.split_once('=')?;
                    (name.eq_ignore_ascii_case("a2a-version") && !value.is_empty()).then_some(value)
                })
            },
        )
    }

    /// The answer had begun well.
    pub(super) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// The first value of a request header.
pub(in crate::exchange) fn request_header<'e>(
    exchange: &'e Exchange<'_>,
    name: &str,
) -> Option<&'e str> {
    header(&exchange.request_headers, name)
}

/// The first value of a response header.
pub(in crate::exchange) fn response_header<'e>(
    exchange: &'e Exchange<'_>,
    name: &str,
) -> Option<&'e str> {
    header(&exchange.response_headers, name)
}

fn header<'e>(headers: &'e [(Text<'_>, Text<'_>)], name: &str) -> Option<&'e str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// The client: what the configured header says, else what the record names, unless the called side
/// wrote it (model §1 *client*).
pub(in crate::exchange) fn client_of<'e>(
    exchange: &'e Exchange<'_>,
    rules: &Rules,
) -> Option<&'e str> {
    let configured = rules.client_header.as_deref();
    configured
        .and_then(|name| request_header(exchange, name))
        .filter(|client| !client.is_empty())
        .or(exchange.client.as_deref().filter(|_| exchange.side != Side::Server))
}

/// Trace and span of the call: as recorded, else from the W3C header that the caller sent.
pub(in crate::exchange) fn trace_of<'e>(
    exchange: &'e Exchange<'_>,
) -> Option<(&'e str, Option<&'e str>)> {
    if let Some(trace) = exchange.trace_id.as_deref() {
        return Some((trace, exchange.span_id.as_deref()));
    }
    traceparent(exchange).map(|(trace, span)| (trace, Some(span)))
}

/// Trace and span in the W3C `traceparent` header.
pub(in crate::exchange) fn traceparent<'e>(
    exchange: &'e Exchange<'_>,
) -> Option<(&'e str, &'e str)> {
    let mut parts = request_header(exchange, "traceparent")?.split('-').skip(1);
    let (trace, span) = (parts.next()?, parts.next()?);
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    (trace.len() == 32 && span.len() == 16 && hex(trace) && hex(span)).then_some((trace, span))
}

/// The HTTP method; when it was not recorded, what the rest implies.
pub(in crate::exchange) fn method_of<'e>(exchange: &'e Exchange<'_>, path: &str) -> Cow<'e, str> {
    match exchange.method.as_deref() {
        Some(method) if method.bytes().any(|b| b.is_ascii_lowercase()) => {
            Cow::Owned(method.to_ascii_uppercase())
        }
        Some(method) => Cow::Borrowed(method),
        None if exchange.request_body.is_none()
            && exchange.rpc_method.is_none()
            && rest::call("POST", path).is_none() =>
        {
            Cow::Borrowed("GET")
        }
        None => Cow::Borrowed("POST"),
    }
}

/// The path of an absolute URL, or the whole of what is none.
pub(in crate::exchange) fn path_of(url: &str) -> &str {
    let Some((_, rest)) = url.split_once("://") else { return url };
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
}

/// The agent's base URL: without the route. The `/v1` of v0.3 stays, because interfaces name it.
fn base<'u>(url: &'u str, route: Option<&RestCall<'_>>) -> &'u str {
    let Some(route) = route else { return url };
    let v1 = if route.v1_prefix { "/v1".len() } else { 0 };
    let path = path_of(url);
    let kept = url.len() - path.len() + route.base.len() + v1;
    url.get(..kept).unwrap_or(url)
}

/// A text of one's own.
pub(super) fn owned(text: Option<&Text<'_>>) -> Option<Text<'static>> {
    text.map(|text| Cow::Owned(text.clone().into_owned()))
}
