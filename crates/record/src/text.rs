//! Texts that are not Unicode, without loss, in the same way in the recorders of all languages.
//!
//! A trace holds Unicode. Of a text that is not, each wrong byte is written `\xff`, and each half of a surrogate pair `\ud800`: two texts that
//! differ must not look alike, since a key that looks like another one is a false violation. For the same reason a backslash that begins
//! what looks like such an escape is written `\x5c`. All other texts stay as they are.
//!
//! *No two texts are written alike.* A reader that goes from left to right and takes `\xHH` and `\udHHH` (lower-case digits) for what they
//! stand for gets the text back: a backslash of the text that such a reader would take for the beginning of an escape was
//! written `\x5c`, and an escape that was written is followed by whatever follows, since it is of fixed length.

use std::borrow::Cow;

/// A text in UTF-8, or what was meant to be.
#[doc(hidden)]
pub fn lossless(text: &[u8]) -> Cow<'_, str> {
    if let Ok(unicode) = std::str::from_utf8(text)
        && !has_escape(unicode)
    {
        return Cow::Borrowed(unicode);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for chunk in text.utf8_chunks() {
        put(&mut escaped, chunk.valid());
        for byte in chunk.invalid() {
            escaped.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(escaped)
}

/// A text in UTF-16, or what was meant to be.
#[doc(hidden)]
pub fn lossless_wide(units: &[u16]) -> String {
    let mut escaped = String::with_capacity(units.len());
    let mut unicode = String::new();
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(one) => unicode.push(one),
            Err(half) => {
                put(&mut escaped, &unicode);
                unicode.clear();
                escaped.push_str(&format!("\\u{:04x}", half.unpaired_surrogate()));
            }
        }
    }
    put(&mut escaped, &unicode);
    escaped
}

/// Whether a text holds what looks like an escape.
#[inline]
pub(crate) fn has_escape(text: &str) -> bool {
    text.as_bytes().contains(&b'\\') && holds_escape(text)
}

#[cold]
fn holds_escape(text: &str) -> bool {
    text.match_indices('\\')
        .any(|(at, _)| is_escape(&text.as_bytes()[at + 1..]))
}

/// Whether an escape follows a backslash.
fn is_escape(rest: &[u8]) -> bool {
    let are_digits = |digits: &[u8]| {
        digits
            .iter()
            .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    match rest {
        [b'x', first, second, ..] => are_digits(&[*first, *second]),
        [b'u', b'd', first, second, third, ..] => are_digits(&[*first, *second, *third]),
        _ => false,
    }
}

fn put(escaped: &mut String, unicode: &str) {
    for (at, one) in unicode.char_indices() {
        match one {
            '\\' if is_escape(&unicode.as_bytes()[at + 1..]) => escaped.push_str("\\x5c"),
            _ => escaped.push(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader that knows the escapes makes of a text.
    fn read(text: &str) -> Vec<u8> {
        let (mut rest, mut read) = (text.as_bytes(), Vec::new());
        while let Some((first, more)) = rest.split_first() {
            if *first == b'\\' && is_escape(more) && more[0] == b'x' {
                let digits = std::str::from_utf8(&more[1..3]).unwrap();
                read.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &more[3..];
            } else {
                read.push(*first);
                rest = more;
            }
        }
        read
    }

    #[test]
    fn every_text_can_be_had_back_and_most_stay_as_they_are() {
        for text in [
            "",
            "a é 😀",
            "C:\\users\\xyz",
            "\\",
            "\\\\",
            "\\x4",
            "\\xFF",
            "\\ud80",
            "\u{fffd}",
            "a\0b",
        ] {
            assert_eq!(lossless(text.as_bytes()), text);
        }
        let parts: [&[u8]; 12] = [
            b"\\",
            b"x",
            b"u",
            b"d",
            b"5c",
            b"f",
            b"8",
            b"00",
            b"\xff",
            b"\xc3\xa9",
            b"\xc3",
            b"\xed\xa0\x80",
        ];
        let mut known = std::collections::HashMap::new();
        for number in 0..12_usize.pow(5) {
            let each = (0..5).map(|place| parts[number / 12_usize.pow(place) % 12]);
            let text: Vec<u8> = each.flatten().copied().collect();
            let escaped = lossless(&text).into_owned();
            if !escaped.contains("\\ud") {
                assert_eq!(read(&escaped), text, "{escaped}");
            }
            let other = known.insert(escaped, text.clone());
            assert!(other.is_none_or(|other| other == text));
        }
    }

    #[test]
    fn halves_of_pairs_are_kept_apart() {
        assert_eq!(
            lossless_wide(&[0xd800, 0x41, 0xd83d, 0xde00, 0xdfff]),
            "\\ud800A😀\\udfff"
        );
        let literal: Vec<u16> = "\\ud800 \\".encode_utf16().collect();
        assert_eq!(lossless_wide(&literal), "\\x5cud800 \\");
        assert_eq!(lossless(b"\xff\\xff\xc3"), "\\xff\\x5cxff\\xc3");
    }
}
