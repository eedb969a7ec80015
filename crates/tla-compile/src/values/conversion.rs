//! Values as words, and words as values.

use omnilink_value::{Value, ValueKind};

use super::store::ValueStore;
use super::word::{ValueWord, WordContent};

impl ValueStore {
    /// The word of a value.
    pub fn word(&mut self, value: &Value) -> ValueWord {
        self.converted(value, false)
    }

    /// The word of a value, which is kept: it is found by its hash when it comes again, and so is each of its parts.
    pub(crate) fn word_kept(&mut self, value: &Value) -> ValueWord {
        self.converted(value, true)
    }

    fn converted(&mut self, value: &Value, is_kept: bool) -> ValueWord {
        match value.kind() {
            ValueKind::Bool => ValueWord::bool(value.as_bool() == Some(true)),
            ValueKind::Int => match value.as_int().and_then(ValueWord::int) {
                Some(small) => small,
                None => self.atom(value),
            },
            ValueKind::Str | ValueKind::Model => self.atom(value),
            ValueKind::Set | ValueKind::Tuple | ValueKind::Record | ValueKind::Function => {
                if let Some(known) = self.known(value).filter(|_| is_kept) {
                    return known;
                }
                let word = self.converted_parts(value, is_kept);
                if let Some(number) = word.as_entry().filter(|_| is_kept) {
                    self.values[number as usize] = Some(value.clone());
                }
                word
            }
        }
    }

    /// The word of a set or function.
    fn converted_parts(&mut self, value: &Value, is_kept: bool) -> ValueWord {
        let mut words = |values: &mut dyn Iterator<Item = &Value>| -> Vec<ValueWord> {
            values.map(|value| self.converted(value, is_kept)).collect()
        };
        match value.kind() {
            ValueKind::Set => {
                let parts = words(&mut value.as_set().unwrap_or_default().iter());
                self.set_of_sorted(&parts)
            }
            ValueKind::Tuple => {
                let parts = words(&mut value.as_tuple().unwrap_or_default().iter());
                self.tuple_of(&parts)
            }
            kind => {
                let entries = value.as_entries().unwrap_or_default();
                let keys = words(&mut entries.iter().map(|(key, _)| key));
                let values = words(&mut entries.iter().map(|(_, value)| value));
                let domain = self.set_of_sorted(&keys);
                self.collection(kind, domain, &values)
            }
        }
    }

    /// The value of a word.
    pub fn value(&mut self, word: ValueWord) -> Value {
        let number = match word.content() {
            WordContent::Int(int) => return Value::int(int),
            WordContent::Bool(truth) => return Value::bool(truth),
            WordContent::Entry(number) => number,
        };
        if let Some(value) = &self.values[number as usize] {
            return value.clone();
        }
        let parts = self.parts(word).to_vec();
        let parts: Vec<Value> = parts.into_iter().map(|part| self.value(part)).collect();
        let value = match word.kind() {
            ValueKind::Set => Value::set_of_sorted(parts),
            ValueKind::Tuple => Value::tuple(parts),
            ValueKind::Record | ValueKind::Function => {
                let domain = self
                    .as_function(word)
                    .map_or(ValueWord::FALSE, |(domain, _)| domain);
                let keys = self.value(domain);
                let keys = keys.as_set().unwrap_or_default().iter().cloned();
                Value::function_of_sorted(keys.zip(parts).collect::<Vec<_>>())
            }
            _ => self.as_atom(word).cloned().unwrap_or_else(|| Value::bool(false)),
        };
        self.values[number as usize] = Some(value.clone());
        value
    }
}
