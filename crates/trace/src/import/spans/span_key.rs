//! The identity of a span.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The identity of a span: its trace's number and its own, which is unique within the trace. Prints as in the header
/// `traceparent` of W3C: 32 and 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SpanKey {
    trace: u128,
    span: u64,
}

impl SpanKey {
    /// The span of this number; `None` for zero, which means "none" in all formats.
    pub(super) fn new(trace: u128, span: u64) -> Option<Self> {
        (span != 0).then_some(Self { trace, span })
    }

    /// The span of this number in the same trace.
    pub(super) fn in_same_trace(self, span: u64) -> Option<Self> {
        Self::new(self.trace, span)
    }

    /// The span's own number, as text.
    pub(super) fn short(self) -> String {
        format!("{:016x}", self.span)
    }
}

impl fmt::Display for SpanKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}-{:016x}", self.trace, self.span)
    }
}

/// The number of a trace: at most 32 hexadecimal digits, or 16 bytes as base64, as the general JSON form of protobuf has them.
pub(super) fn trace_number(text: &str) -> Option<u128> {
    match text.len() {
        1..=32 if is_hex(text) => u128::from_str_radix(text, 16).ok(),
        24 => bytes(text).map(u128::from_be_bytes),
        _ => None,
    }
}

/// The number of a span: at most 16 hexadecimal digits, or 8 bytes as base64; 0 for none.
pub(super) fn span_number(text: &str) -> Option<u64> {
    match text.len() {
        0 => Some(0),
        1..=16 if is_hex(text) => u64::from_str_radix(text, 16).ok(),
        12 => bytes(text).map(u64::from_be_bytes),
        _ => None,
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_hexadecimal_or_base64() {
        for text in [
            "5b8efff798038103d269b633813fc60c",
            "5B8EFFF798038103D269B633813FC60C",
            "W47/95gDgQPSabYzgT/GDA==",
        ] {
            assert_eq!(
                trace_number(text),
                Some(0x5b8e_fff7_9803_8103_d269_b633_813f_c60c),
                "{text}"
            );
        }
        for text in ["eee19b7ec3c1b174", "7uGbfsPBsXQ="] {
            assert_eq!(span_number(text), Some(0xeee1_9b7e_c3c1_b174), "{text}");
        }
        assert_eq!(span_number(""), Some(0));
        for text in ["xyz", "+1", "0123456789abcdef0", "7uGbfsPBsX!="] {
            assert_eq!(span_number(text), None, "{text}");
        }
        assert_eq!(trace_number(""), None);
    }
}
