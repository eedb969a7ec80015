//! A JSON text that is taken apart only as far as it is asked for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use omnilink_value::Value;
use omnilink_value::json::{JsonCursor, JsonError};

use crate::bindings::Bindings;
use crate::evidence::EvidenceError;

/// Why a text cannot be read, and at which of its bytes.
#[derive(Debug)]
pub(super) struct Problem {
    message: String,
    offset: usize,
}

pub(super) type Read<T> = Result<T, Problem>;

impl Problem {
    /// The error, with line and column.
    pub(super) fn in_text(self, text: &str) -> EvidenceError {
        let before = text.get(..self.offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        EvidenceError::Malformed {
            problem: self.message,
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

/// A part of a JSON text: one value, which has not been read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'a> {
    text: &'a str,
    /// Where it begins in the whole text.
    offset: usize,
}

impl<'a> Json<'a> {
    /// All of a text.
    pub(super) fn whole(text: &'a str) -> Read<Self> {
        let whole = Self { text, offset: 0 };
        let mut cursor = whole.cursor();
        cursor
            .skip()
            .and_then(|()| cursor.end())
            .map_err(|error| whole.problem(error))?;
        Ok(whole)
    }

    fn cursor(self) -> JsonCursor<'a> {
        JsonCursor::new(self.text)
    }

    fn problem(self, error: JsonError) -> Problem {
        Problem {
            message: error.problem.to_string(),
            offset: self.offset + error.offset,
        }
    }

    /// What is wrong with all of it.
    pub(super) fn wrong(self, message: String) -> Problem {
        let before = self.text.len() - self.text.trim_start().len();
        Problem {
            message,
            offset: self.offset + before,
        }
    }

    /// The next value of a cursor over this, which is skipped.
    fn part(self, cursor: &mut JsonCursor<'a>) -> Result<Self, JsonError> {
        let begin = cursor.offset();
        cursor.skip()?;
        Ok(Self {
            text: &self.text[begin..cursor.offset()],
            offset: self.offset + begin,
        })
    }

    fn read<T>(self, read: impl FnOnce(&mut JsonCursor<'a>) -> Result<T, JsonError>) -> Read<T> {
        let mut cursor = self.cursor();
        let all = read(&mut cursor).and_then(|value| cursor.end().map(|()| value));
        all.map_err(|error| self.problem(error))
    }

    fn is_null(self) -> bool {
        self.text.trim() == "null"
    }

    fn string(self) -> Read<Cow<'a, str>> {
        self.read(JsonCursor::string)
    }

    fn elements(self) -> Read<Vec<Self>> {
        self.read(|cursor| {
            cursor.array()?;
            let mut elements = Vec::new();
            while cursor.element(elements.is_empty())? {
                elements.push(self.part(cursor)?);
            }
            Ok(elements)
        })
    }

    /// The entries of an object, in their order.
    fn entries(self) -> Read<Vec<(Cow<'a, str>, Self)>> {
        self.read(|cursor| {
            cursor.object()?;
            let mut entries = Vec::new();
            while let Some(key) = cursor.key(entries.is_empty())? {
                entries.push((key, self.part(cursor)?));
            }
            Ok(entries)
        })
    }

    /// An object whose keys are the names of fields.
    pub(super) fn object(self) -> Read<Object<'a>> {
        let fields = self.entries()?;
        for (at, (name, value)) in fields.iter().enumerate() {
            if fields[..at].iter().any(|(other, _)| other == name) {
                return Err(value.wrong(format!("duplicate field `{name}`")));
            }
        }
        Ok(Object { json: self, fields })
    }

    /// The word among those of a type.
    pub(super) fn word<T: Copy>(self, words: &[(&str, T)]) -> Read<T> {
        let word = self.string()?;
        let known = words.iter().find(|(known, _)| *known == word);
        known.map(|(_, value)| *value).ok_or_else(|| {
            let all: Vec<String> = words.iter().map(|(known, _)| format!("`{known}`")).collect();
            self.wrong(format!(
                "unknown word `{word}`, expected one of {}",
                all.join(", ")
            ))
        })
    }

    /// The text of a number.
    fn number(self) -> Read<&'a str> {
        let text = self.text.trim();
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            && text
                .chars()
                .all(|char| matches!(char, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        is_number
            .then_some(text)
            .ok_or_else(|| self.wrong("expected a number".to_owned()))
    }
}

/// The fields of an object.
#[derive(Debug)]
pub(super) struct Object<'a> {
    json: Json<'a>,
    fields: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, name: &str) -> Option<Json<'a>> {
        let field = self.fields.iter().find(|(other, _)| other == name);
        field.map(|(_, value)| *value)
    }

    /// A field that has to be there, unless its type knows what it means that it is not.
    pub(super) fn field<T: FromJson>(&self, name: &str) -> Read<T> {
        match self.get(name) {
            Some(value) => T::from_json(value),
            None => T::absent().ok_or_else(|| self.json.wrong(format!("missing field `{name}`"))),
        }
    }

    /// A field that is not written if it says nothing.
    pub(super) fn field_or_default<T: FromJson + Default>(&self, name: &str) -> Read<T> {
        self.get(name).map_or_else(|| Ok(T::default()), T::from_json)
    }

    /// The word that says which variant this is.
    pub(super) fn variant<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Read<T> {
        let word = self.get(name);
        word.ok_or_else(|| self.json.wrong(format!("missing field `{name}`")))?
            .word(words)
    }
}

/// What is made of the fields of an object, which other types may share.
pub(super) trait Fields: Sized {
    fn from_fields(object: &Object<'_>) -> Read<Self>;
}

/// What is made of one JSON value.
pub(super) trait FromJson: Sized {
    fn from_json(json: Json<'_>) -> Read<Self>;

    /// What it means that a field of this type is not there.
    fn absent() -> Option<Self> {
        None
    }
}

impl<T: Fields> FromJson for T {
    fn from_json(json: Json<'_>) -> Read<Self> {
        T::from_fields(&json.object()?)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: Json<'_>) -> Read<Self> {
        if json.is_null() {
            return Ok(None);
        }
        T::from_json(json).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: Json<'_>) -> Read<Self> {
        let elements = json.elements()?;
        let mut list = Self::with_capacity(elements.len());
        for element in &elements {
            list.push(T::from_json(*element)?);
        }
        Ok(list)
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(json: Json<'_>) -> Read<Self> {
        let mut map = Self::new();
        for (key, value) in &json.entries()? {
            map.insert(key.to_string(), T::from_json(*value)?);
        }
        Ok(map)
    }
}

impl<T: FromJson> FromJson for Bindings<T> {
    fn from_json(json: Json<'_>) -> Read<Self> {
        let entries = json.entries()?;
        let mut bindings = Vec::with_capacity(entries.len());
        for (name, value) in &entries {
            bindings.push((name.to_string(), T::from_json(*value)?));
        }
        Ok(Self(bindings))
    }
}

impl FromJson for (u64, u64) {
    fn from_json(json: Json<'_>) -> Read<Self> {
        match json.elements()?.as_slice() {
            [one, other] => Ok((u64::from_json(*one)?, u64::from_json(*other)?)),
            _ => Err(json.wrong("expected two numbers".to_owned())),
        }
    }
}

impl FromJson for Value {
    fn from_json(json: Json<'_>) -> Read<Self> {
        json.read(JsonCursor::value)
    }
}

impl FromJson for String {
    fn from_json(json: Json<'_>) -> Read<Self> {
        json.string().map(Cow::into_owned)
    }
}

impl FromJson for bool {
    fn from_json(json: Json<'_>) -> Read<Self> {
        match json.text.trim() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(json.wrong("expected true or false".to_owned())),
        }
    }
}

macro_rules! numbers {
    ($($number:ty: $expected:literal)*) => {$(
        impl FromJson for $number {
            fn from_json(json: Json<'_>) -> Read<Self> {
                let text = json.number()?;
                text.parse()
                    .map_err(|_| json.wrong(format!("expected {}, found {text}", $expected)))
            }
        }
    )*};
}

numbers! {
    u32: "a number from 0 to 4294967295"
    u64: "a number from 0 to 18446744073709551615"
    usize: "a number of things"
    i64: "an integer of 64 bits"
    f64: "a number"
}
