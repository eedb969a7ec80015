//! `key=value` in text, as logfmt and many messages have it.

use serde_json::{Map, Value};

use crate::field_text::value_of;

/// The pairs of a text, and what stands between them. A value ends at a space or a comma, or is in quotation marks or brackets; of several with one name
/// the last counts.
pub(crate) fn pairs(text: &str) -> (Map<String, Value>, String) {
    let mut found = Map::new();
    let mut others = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest.find([' ', '\t', ',', ';']).unwrap_or(rest.len());
        let pair = rest.find('=').filter(|equals| *equals > 0 && *equals < word_end);
        let Some((key, after)) = pair.map(|equals| (&rest[..equals], &rest[equals + 1..])) else {
            let next = rest[word_end..].chars().next().map_or(0, char::len_utf8);
            others.push_str(&rest[..word_end + next]);
            rest = &rest[word_end + next..];
            continue;
        };
        let is_key = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/' | '@');
        if !key.chars().all(is_key) {
            others.push_str(&rest[..word_end]);
            rest = &rest[word_end..];
            continue;
        }
        let length = value_length(after);
        found.insert(key.to_owned(), value_of(&after[..length]));
        rest = after[length..].trim_start_matches([' ', '\t', ',', ';']);
    }
    (found, others.trim().to_owned())
}

/// How long the value at the beginning of a text is.
fn value_length(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        if is_quoted {
            match (is_escaped, letter) {
                (true, _) => is_escaped = false,
                (false, '\\') => is_escaped = true,
                (false, '"') if depth == 0 => return at + 1,
                (false, '"') => is_quoted = false,
                _ => {}
            }
            continue;
        }
        match letter {
            '"' if at == 0 || depth > 0 => is_quoted = true,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth == 0 => return at,
            '}' | ']' | ')' => {
                depth -= 1;
                if depth == 0 && text.starts_with(['{', '[']) {
                    return at + letter.len_utf8();
                }
            }
            ' ' | '\t' | ',' | ';' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pairs_are_taken_out_of_a_message() {
        let (found, others) =
            pairs(r#"vote granted from=n2, term=3 msg="hello \"you\" there" peers=[1, 2] ok=true"#);
        assert_eq!(
            Value::Object(found),
            json!({"from": "n2", "term": 3, "msg": "hello \"you\" there", "peers": [1, 2], "ok": true})
        );
        assert_eq!(others, "vote granted");
    }

    #[test]
    fn what_is_no_pair_stays() {
        for text in ["a == b", "=3", "x", "", "(a=b", "ä = 3"] {
            let (_, others) = pairs(text);
            assert_eq!(others, text.trim(), "{text}");
        }
        let (found, _) = pairs("span{id=3}: x=1 y=");
        assert_eq!(Value::Object(found), json!({"x": 1, "y": ""}));
    }
}
