//! Names of gRPC statuses.

use std::borrow::Cow;

/// gRPC status names; the index is the number.
pub(super) const GRPC: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The name of a gRPC status (`FAILED_PRECONDITION`) from any spelling: a number, `FailedPrecondition`,
/// `StatusCode.FAILED_PRECONDITION`. Unknown texts stay.
pub fn grpc_name(status: &str) -> Cow<'_, str> {
    let text = status.trim();
    let last = text.rsplit('.').next().unwrap_or(text);
    let by_number = last.parse::<usize>().ok().and_then(|number| GRPC.get(number));
    let fold = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_uppercase();
    let wanted = fold(last).replace("CANCELED", "CANCELLED");
    match by_number.or_else(|| GRPC.iter().find(|name| fold(name) == wanted)) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling() {
        for text in
            ["9", "FAILED_PRECONDITION", "FailedPrecondition", "StatusCode.FAILED_PRECONDITION"]
        {
            assert_eq!(grpc_name(text), "FAILED_PRECONDITION", "{text}");
        }
        assert_eq!(grpc_name("canceled"), "CANCELLED");
        assert_eq!(grpc_name("weird"), "weird");
        assert_eq!(grpc_name("17"), "17");
    }
}
