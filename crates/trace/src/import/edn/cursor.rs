//! A cursor over EDN text that reads forms.

use std::borrow::Cow;

use omnilink_memory::guard;
use omnilink_value::{DEPTH_MAX, Value};

use super::number::{number, symbolic};
use super::text::{character, unescape};
use super::{EdnError, EdnProblem};

/// Reads forms from `bytes`, which may be the beginning of a longer input.
pub(in crate::import) struct EdnCursor<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Whether `bytes` is the whole input. Otherwise a token that reaches its end may continue behind it.
    is_all: bool,
}

type Read<T> = Result<T, EdnError>;

impl<'a> EdnCursor<'a> {
    pub(in crate::import) fn new(bytes: &'a [u8], is_all: bool) -> Self {
        Self {
            bytes,
            offset: 0,
            is_all,
        }
    }

    /// Bytes from the beginning.
    pub(in crate::import) fn offset(&self) -> usize {
        self.offset
    }

    /// The first byte of the next form, or a closing bracket; skips white space, comments and discarded forms. `None` at the
    /// end.
    pub(in crate::import) fn peek(&mut self) -> Read<Option<u8>> {
        self.peek_at_depth(0)
    }

    /// Skips one byte, such as a bracket that was peeked at.
    pub(in crate::import) fn advance(&mut self) {
        self.offset += 1;
    }

    /// Reads a form.
    pub(in crate::import) fn form(&mut self) -> Read<Value> {
        self.form_at_depth(0)
    }

    fn peek_at_depth(&mut self, depth: usize) -> Read<Option<u8>> {
        loop {
            match self.bytes.get(self.offset) {
                None => return Ok(None),
                Some(byte) if byte.is_ascii_whitespace() || *byte == b',' => self.offset += 1,
                Some(b';') => {
                    let rest = &self.bytes[self.offset..];
                    match rest.iter().position(|&byte| byte == b'\n') {
                        Some(length) => self.offset += length + 1,
                        None if self.is_all => self.offset = self.bytes.len(),
                        None => return Err(self.error(EdnProblem::Incomplete)),
                    }
                }
                Some(b'#') if self.bytes.get(self.offset + 1) == Some(&b'_') => {
                    self.limit(depth)?;
                    self.offset += 2;
                    self.form_at_depth(depth + 1)?;
                }
                Some(&byte) => return Ok(Some(byte)),
            }
        }
    }

    fn form_at_depth(&mut self, depth: usize) -> Read<Value> {
        self.limit(depth)?;
        let byte = self
            .peek_at_depth(depth)?
            .ok_or_else(|| self.error(EdnProblem::Incomplete))?;
        match byte {
            b'[' => self.list(b']', depth).map(Value::tuple),
            b'(' => self.list(b')', depth).map(Value::tuple),
            b'{' => self.map(depth),
            b'"' => self.string(),
            b'#' => self.dispatch(depth),
            b'\\' => self.character(),
            b']' | b')' | b'}' => Err(self.error(EdnProblem::Unexpected(char::from(byte)))),
            _ => self.atom(),
        }
    }

    /// Reads from the opening bracket here up to `close`.
    fn list(&mut self, close: u8, depth: usize) -> Read<Vec<Value>> {
        self.offset += 1;
        let mut elements = Vec::new();
        loop {
            match self.peek_at_depth(depth + 1)? {
                Some(byte) if byte == close => {
                    self.offset += 1;
                    return Ok(elements);
                }
                Some(byte @ (b']' | b')' | b'}')) => {
                    let (expected, found) = (char::from(close), char::from(byte));
                    return Err(self.error(EdnProblem::WrongBracket { expected, found }));
                }
                Some(_) => {
                    elements.push(self.form_at_depth(depth + 1)?);
                    if !guard::may_grow(elements.len(), 2 * size_of::<Value>()) {
                        return Err(self.error(EdnProblem::Stopped));
                    }
                }
                None => return Err(self.error(EdnProblem::Incomplete)),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Read<Value> {
        let begin = self.offset;
        let forms = self.list(b'}', depth)?;
        map_of(forms, begin)
    }

    /// `#:jepsen{:op 1}` is `{:jepsen/op 1}`. Clojure prints a map so if the names of all its keys have one namespace.
    fn namespaced_map(&mut self, depth: usize) -> Read<Value> {
        self.offset += 1;
        let namespace = self.token()?;
        match self.peek_at_depth(depth)? {
            Some(b'{') => {}
            Some(byte) => return Err(self.error(EdnProblem::Unexpected(char::from(byte)))),
            None => return Err(self.error(EdnProblem::Incomplete)),
        }
        let begin = self.offset;
        let namespace = namespace.trim_start_matches(':');
        let mut forms = self.list(b'}', depth)?;
        for key in forms.iter_mut().step_by(2) {
            if let Some(name) = key.as_str() {
                *key = match name.strip_prefix("_/") {
                    Some(plain) => Value::str(plain),
                    None if name.contains('/') => continue,
                    None => Value::str(&format!("{namespace}/{name}")),
                };
            }
        }
        map_of(forms, begin)
    }

    /// `#{…}` is a set, `##Inf` a number, `#:name{…}` a map, `#tag form` the form.
    fn dispatch(&mut self, depth: usize) -> Read<Value> {
        match self.bytes.get(self.offset + 1) {
            None => Err(self.error(EdnProblem::Incomplete)),
            Some(b'{') => {
                self.offset += 1;
                self.list(b'}', depth).map(Value::set)
            }
            Some(b'#') => {
                self.offset += 2;
                let begin = self.offset;
                let token = self.token()?;
                symbolic(&token).ok_or_else(|| EdnError {
                    offset: begin,
                    problem: EdnProblem::BadNumber(format!("##{token}")),
                })
            }
            Some(b':') => self.namespaced_map(depth),
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.offset += 1;
                let tag = self.token()?;
                let form = self.form_at_depth(depth + 1)?;
                let is_pair = tag.ends_with("Tuple") || tag.ends_with("MapEntry");
                Ok(is_pair.then(|| pair(&form)).flatten().unwrap_or(form))
            }
            Some(_) => Err(self.error(EdnProblem::Unexpected('#'))),
        }
    }

    fn string(&mut self) -> Read<Value> {
        let begin = self.offset + 1;
        let mut end = begin;
        loop {
            match self.bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return Err(self.error(EdnProblem::Incomplete)),
            }
        }
        let raw =
            std::str::from_utf8(&self.bytes[begin..end]).map_err(|_| self.error(EdnProblem::NotUtf8))?;
        let text = if raw.contains('\\') {
            Cow::Owned(unescape(raw).map_err(|problem| self.error(problem))?)
        } else {
            Cow::Borrowed(raw)
        };
        self.offset = end + 1;
        Ok(Value::str(&text))
    }

    /// A character may be one that would otherwise end a token: `\(`.
    fn character(&mut self) -> Read<Value> {
        let begin = self.offset;
        self.offset += 2;
        if self.offset > self.bytes.len() {
            self.offset = begin;
            return Err(self.error(EdnProblem::Incomplete));
        }
        let rest_length = self.token_length();
        let end = self.offset + rest_length;
        self.offset = begin;
        if end == self.bytes.len() && !self.is_all {
            return Err(self.error(EdnProblem::Incomplete));
        }
        let token =
            std::str::from_utf8(&self.bytes[begin + 1..end]).map_err(|_| self.error(EdnProblem::NotUtf8))?;
        let character = character(token).map_err(|problem| self.error(problem))?;
        self.offset = end;
        Ok(Value::str(character.encode_utf8(&mut [0; 4])))
    }

    fn atom(&mut self) -> Read<Value> {
        let begin = self.offset;
        let token = self.token()?;
        let mut bytes = token.bytes();
        let is_number = match bytes.next() {
            Some(b'+' | b'-') => bytes.next().is_some_and(|byte| byte.is_ascii_digit()),
            Some(byte) => byte.is_ascii_digit(),
            None => false,
        };
        if is_number {
            return number(&token).map_err(|problem| EdnError {
                offset: begin,
                problem,
            });
        }
        Ok(match token.as_ref() {
            "nil" => Value::null(),
            "true" => Value::bool(true),
            "false" => Value::bool(false),
            other => Value::str(other.strip_prefix(':').unwrap_or(other)),
        })
    }

    fn token(&mut self) -> Read<Cow<'a, str>> {
        let end = self.offset + self.token_length();
        if end == self.bytes.len() && !self.is_all {
            return Err(self.error(EdnProblem::Incomplete));
        }
        let token = &self.bytes[self.offset..end];
        if token.is_empty() {
            return Err(self.error(EdnProblem::Incomplete));
        }
        if memchr::memchr(0, token).is_some() {
            return Err(self.error(EdnProblem::Unexpected('\0')));
        }
        let token = std::str::from_utf8(token).map_err(|_| self.error(EdnProblem::NotUtf8))?;
        self.offset = end;
        Ok(Cow::Borrowed(token))
    }

    fn token_length(&self) -> usize {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;\"[](){}".contains(byte);
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        rest.iter().position(ends).unwrap_or(rest.len())
    }

    fn limit(&self, depth: usize) -> Read<()> {
        if depth < DEPTH_MAX {
            Ok(())
        } else {
            Err(self.error(EdnProblem::TooDeep))
        }
    }

    fn error(&self, problem: EdnProblem) -> EdnError {
        EdnError {
            offset: self.offset,
            problem,
        }
    }
}

/// The map of keys and values that alternate; it begins at `offset`.
fn map_of(forms: Vec<Value>, offset: usize) -> Read<Value> {
    if !forms.len().is_multiple_of(2) {
        let problem = EdnProblem::OddMap;
        return Err(EdnError { offset, problem });
    }
    let entries = forms
        .chunks_exact(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()));
    Value::function(entries).map_err(|error| EdnError {
        offset,
        problem: error.into(),
    })
}

/// The tuple of a key and a value that are written as a record: `#jepsen.independent.Tuple{:key 7, :value nil}`.
fn pair(form: &Value) -> Option<Value> {
    let fields = form.as_record().filter(|fields| fields.len() == 2)?;
    let key = fields.get("key").or_else(|| fields.get("k"))?;
    let value = ["value", "val", "v"].iter().find_map(|name| fields.get(name))?;
    Some(Value::tuple([key.clone(), value.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        EdnCursor::new(text.as_bytes(), true)
            .form()
            .map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn every_form_becomes_a_value() {
        for (edn, tla) in [
            ("nil", "null"),
            (" ; a comment\n true", "TRUE"),
            ("-12", "-12"),
            ("+7N", "7"),
            (":jepsen/read", "\"jepsen/read\""),
            ("a-symbol", "\"a-symbol\""),
            (r#""a\n\"b\" \u00e9""#, "\"a\\n\\\"b\\\" é\""),
            (r"[\a \newline \u0041 \( \,]", r#"<<"a", "\n", "A", "(", ",">>"#),
            ("(1, [2 #_ 3 4])", "<<1, <<2, 4>>>>"),
            ("#{3 1 3}", "{1, 3}"),
            ("{:f :cas, :value [1 2]}", "[f |-> \"cas\", value |-> <<1, 2>>]"),
            ("{7 :seven}", "(7 :> \"seven\")"),
            ("#jepsen.history.Op{:index 0}", "[index |-> 0]"),
            ("#inst \"2020\"", "\"2020\""),
            (
                "#object[java.lang.Thread 0x5e2F \"t\"]",
                "<<\"java.lang.Thread\", 24111, \"t\">>",
            ),
            ("[-0x10 0XffffffffffffffffN]", "<<-16, 18446744073709551615>>"),
            ("(#:a{:f 1} {:a/f 1})", "<<(\"a/f\" :> 1), (\"a/f\" :> 1)>>"),
            ("#:a{:_/g 2}", "[g |-> 2]"),
            ("#_ #_ 1 2 3", "3"),
            ("[1.5 -2.50M 1e3 2.0]", "<<1.5, -2.5, 1000, 2>>"),
            ("[1/2 -4/6 4/2]", "<<1/2, -2/3, 2>>"),
            ("99999999999999999999N", "99999999999999999999"),
            ("[##NaN ##Inf ##-Inf]", "<<NaN, Infinity, -Infinity>>"),
            ("#clojure.lang.MapEntry [7 nil]", "<<7, null>>"),
            ("#jepsen.independent.Tuple{:key 7, :value nil}", "<<7, null>>"),
        ] {
            assert_eq!(read(edn), tla, "{edn}");
        }
    }

    #[test]
    fn an_invalid_form_is_refused_with_its_offset() {
        for (edn, message) in [
            ("", "byte 0: the text ends in the middle of a form"),
            ("[1", "byte 2: the text ends in the middle of a form"),
            ("\"a", "byte 0: the text ends in the middle of a form"),
            ("##Nope", "byte 2: not a number: ##Nope"),
            ("1/0", "byte 0: not a number: 1/0"),
            ("12ab", "byte 0: not a number: 12ab"),
            ("{:a}", "byte 0: a map needs a value for each key"),
            ("#:a{:b}", "byte 3: a map needs a value for each key"),
            ("#:a[1]", "byte 3: expected a form, found '['"),
            ("#:a", "byte 3: the text ends in the middle of a form"),
            ("0x", "byte 0: not a number: 0x"),
            ("0x-1", "byte 0: not a number: 0x-1"),
            (
                "{:a 1 :a 2}",
                "byte 0: the key \"a\" occurs twice; a function has one value for each key",
            ),
            ("[1)", "byte 2: found ')' where ']' would close the form"),
            (")", "byte 0: expected a form, found ')'"),
            ("\\banana", "byte 0: not a character: \\banana"),
            ("\"\\q\"", "byte 0: not an escape sequence of EDN"),
        ] {
            assert_eq!(read(edn), message, "{edn}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        for hostile in [
            "[".repeat(100_000),
            "#_".repeat(100_000),
            "#a ".repeat(100_000),
            "{:a ".repeat(100_000),
        ] {
            assert!(read(&hostile).ends_with("nested deeper than 100 levels"));
        }
    }

    #[test]
    fn a_token_that_reaches_the_end_may_continue() {
        assert_eq!(
            EdnCursor::new(b"12", false).form().map_err(|error| error.problem),
            Err(EdnProblem::Incomplete)
        );
    }
}
