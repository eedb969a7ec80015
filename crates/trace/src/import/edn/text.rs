//! Strings and characters in EDN.

use super::EdnProblem;

/// The character of a token after a backslash: `a`, `newline`, `u0041`.
pub(super) fn character(token: &str) -> Result<char, EdnProblem> {
    let bad = || EdnProblem::BadCharacter(token.to_owned());
    let mut characters = token.chars();
    match (characters.next(), characters.as_str()) {
        (Some(character), "") => Ok(character),
        (Some('u'), digits) if digits.len() == 4 => hex(digits).ok_or_else(bad),
        _ => match token {
            "newline" => Ok('\n'),
            "return" => Ok('\r'),
            "space" => Ok(' '),
            "tab" => Ok('\t'),
            "formfeed" => Ok('\u{c}'),
            "backspace" => Ok('\u{8}'),
            _ => Err(bad()),
        },
    }
}

/// The text of a string whose raw form, between the quotes, is `raw`.
pub(super) fn unescape(raw: &str) -> Result<String, EdnProblem> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next().ok_or(EdnProblem::BadEscape)?;
        rest = &rest[at + 1 + escape.len_utf8()..];
        text.push(match escape {
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '\\' | '"' => escape,
            'u' => {
                let digits = rest.get(..4).ok_or(EdnProblem::BadEscape)?;
                rest = &rest[4..];
                hex(digits).ok_or(EdnProblem::BadEscape)?
            }
            _ => return Err(EdnProblem::BadEscape),
        });
    }
    text.push_str(rest);
    Ok(text)
}

fn hex(digits: &str) -> Option<char> {
    // `from_str_radix` would also take a sign.
    let code = digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(digits, 16));
    char::from_u32(code?.ok()?)
}
