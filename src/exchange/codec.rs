//! An exchange as bytes, and back.
//!
//! Only this program reads them again, within one run: no versions, no compatibility. A field that
//! is missing here does not compile.

use super::{Exchange, Half, Side, Stated, StreamPiece};
use crate::event::Text;
use crate::problem::At;
use std::borrow::Cow;

/// The exchange as bytes.
pub(super) fn encode(exchange: &Exchange<'_>) -> Vec<u8> {
    let body = |body: &Option<Cow<'_, [u8]>>| body.as_ref().map_or(0, |b| b.len());
    let bodies = body(&exchange.request_body) + body(&exchange.response_body);
    let mut bytes = Vec::with_capacity(1024 + bodies);
    exchange.put(&mut bytes);
    bytes
}

/// The exchange again; `None` when the bytes are not what [`encode`] made.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Exchange<'_>> {
    let exchange = Exchange::take(&mut bytes)?;
    bytes.is_empty().then_some(exchange)
}

/// What [`encode`] made, without where the exchange stood.
pub(super) fn without_place(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    At::take(&mut rest).map_or(bytes, |_| rest)
}

/// Something that can be written and read again.
trait Coded<'a>: Sized {
    fn put(&self, bytes: &mut Vec<u8>);
    fn take(bytes: &mut &'a [u8]) -> Option<Self>;
}

macro_rules! coded {
    ($name:ident $(<$life:lifetime>)? { $($field:ident),* $(,)? }) => {
        impl<'a> Coded<'a> for $name $(<$life>)? {
            fn put(&self, bytes: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(bytes);)*
            }

            fn take(bytes: &mut &'a [u8]) -> Option<Self> {
                Some(Self { $($field: Coded::take(bytes)?),* })
            }
        }
    };
}

macro_rules! coded_choice {
    ($name:ident { $($variant:ident = $code:literal),* $(,)? }) => {
        impl<'a> Coded<'a> for $name {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.push(match self { $(Self::$variant => $code),* });
            }

            fn take(bytes: &mut &'a [u8]) -> Option<Self> {
                match byte(bytes)? {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

coded!(Exchange<'a> {
    at, started_at, ended_at, side, client, agent, method, url, request_headers, request_body,
    status, response_headers, response_body, reserialised, mended, response_sha256, stream, error, cut, bare,
    from_cache, stated, rpc_method, rpc_code, grpc_status, task_id, context_id, task_state, trace_id,
    span_id, parent_span_id, key, resource, recorder, half,
});
coded!(Stated<'a> {
    registry, authority, protocol_version, skill_id, admitted_under, accepted_output_modes, stream,
    push, outcome, error_reason, disposition,
});
coded!(StreamPiece<'a> { time, data });
coded!(At { line, byte });
coded_choice!(Side { Caller = 0, Server = 1, Gateway = 2 });
coded_choice!(Half { Whole = 0, Request = 1, Response = 2 });

impl<'a> Coded<'a> for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        match byte(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<'a> Coded<'a> for u64 {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        let (number, rest) = bytes.split_first_chunk::<8>()?;
        *bytes = rest;
        Some(Self::from_le_bytes(*number))
    }
}

impl<'a> Coded<'a> for i64 {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.cast_unsigned().put(bytes);
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        u64::take(bytes).map(u64::cast_signed)
    }
}

impl<'a> Coded<'a> for Cow<'a, [u8]> {
    fn put(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).put(bytes);
        bytes.extend_from_slice(self);
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        let len = usize::try_from(u64::take(bytes)?).ok()?;
        let (these, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        Some(Cow::Borrowed(these))
    }
}

impl<'a> Coded<'a> for Text<'a> {
    fn put(&self, bytes: &mut Vec<u8>) {
        Cow::Borrowed(self.as_bytes()).put(bytes);
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        match Coded::take(bytes)? {
            Cow::Borrowed(these) => std::str::from_utf8(these).ok().map(Cow::Borrowed),
            Cow::Owned(these) => String::from_utf8(these).ok().map(Cow::Owned),
        }
    }
}

impl<'a, T: Coded<'a>> Coded<'a> for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        Some(if bool::take(bytes)? { Some(T::take(bytes)?) } else { None })
    }
}

impl<'a, T: Coded<'a>> Coded<'a> for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).put(bytes);
        for value in self {
            value.put(bytes);
        }
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        (0..u64::take(bytes)?).map(|_| T::take(bytes)).collect()
    }
}

impl<'a, T: Coded<'a>> Coded<'a> for Box<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        T::put(self, bytes);
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        T::take(bytes).map(Box::new)
    }
}

impl<'a, A: Coded<'a>, B: Coded<'a>> Coded<'a> for (A, B) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }

    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        Some((A::take(bytes)?, B::take(bytes)?))
    }
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_comes_back_as_it_was() {
        let exchange = Exchange {
            at: At { line: 3, byte: 17 },
            started_at: -5,
            ended_at: Some(9),
            side: Side::Gateway,
            half: Half::Response,
            cut: true,
            client: Some("c".into()),
            resource: Some("r".into()),
            status: Some(200),
            response_body: Some(Cow::Borrowed(b"\xff{}")),
            response_headers: vec![("ETag".into(), "\"1\"".into())],
            stream: vec![StreamPiece { time: Some(1), data: "{}".into() }],
            stated: Some(Box::new(Stated { push: Some(true), ..Stated::default() })),
            ..Exchange::default()
        };
        let bytes = encode(&exchange);
        assert_eq!(format!("{:?}", decode(&bytes).unwrap()), format!("{exchange:?}"));
        assert!(decode(&bytes[..bytes.len() - 1]).is_none());
        assert!(decode(&[&bytes[..], b"x"].concat()).is_none());
    }
}
