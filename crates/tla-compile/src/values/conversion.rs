//! Values as words, and words as values.

use omnilink_value::{Value, ValueKind};

use super::store::ValueStore;
use super::word::{ValueWord, WordContent};

impl ValueStore {
    /// The word of a value.
    pub fn word(&mut self, value: &Value) -> ValueWord {
        match value.kind() {
            ValueKind::Bool => ValueWord::bool(value.as_bool() == Some(true)),
            ValueKind::Int => match value.as_int().and_then(ValueWord::int) {
                Some(small) => small,
                None => self.atom(value),
            },
            ValueKind::Str | ValueKind::Model => self.atom(value),
            ValueKind::Set | ValueKind::Tuple | ValueKind::Record | ValueKind::Function => {
                if let Some(known) = self.known(value) {
                    return known;
                }
                let word = self.word_of_parts(value);
                if let Some(number) = word.as_entry() {
                    self.values[number as usize] = Some(value.clone());
                }
                word
            }
        }
    }

    /// The word of a set or function.
    fn word_of_parts(&mut self, value: &Value) -> ValueWord {
        match value.kind() {
            ValueKind::Set => {
                let parts = self.words(value.as_set().unwrap_or_default());
                self.set_of_sorted(&parts)
            }
            ValueKind::Tuple => {
                let parts = self.words(value.as_tuple().unwrap_or_default());
                self.tuple_of(&parts)
            }
            kind => {
                let entries = value.as_entries().unwrap_or_default();
                let keys: Vec<ValueWord> = entries.iter().map(|(key, _)| self.word(key)).collect();
                let domain = self.set_of_sorted(&keys);
                let values: Vec<ValueWord> = entries.iter().map(|(_, value)| self.word(value)).collect();
                self.collection(kind, domain, &values)
            }
        }
    }

    fn words(&mut self, values: &[Value]) -> Vec<ValueWord> {
        values.iter().map(|value| self.word(value)).collect()
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
