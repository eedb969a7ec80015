//! The types of a spec's values, as far as they are known, and what JSON means as one of them.
//!
//! JSON has no sets, no model values, no functions but those from strings. What an array, a string or an object means is decided by the
//! values that the spec itself has at that place: in its initial states and in the states around them.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_value::{Value, ValueKind};

/// Which values there may be at one place. Several kinds at once are possible: TLA+ is untyped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueType {
    has_int: bool,
    has_bool: bool,
    has_string: bool,
    /// The model values.
    models: BTreeSet<String>,
    set: Option<Box<ValueType>>,
    sequence: Option<Box<ValueType>>,
    /// Records, which are functions from strings.
    record: Option<BTreeMap<String, ValueType>>,
    /// Other functions: keys, the type of keys and that of values.
    function: Option<Box<FunctionType>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FunctionType {
    key: ValueType,
    value: ValueType,
    /// The integers among the keys.
    integers: BTreeSet<i64>,
}

/// Why JSON means nothing at a place, or several things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TypeProblem {
    #[error(
        "{json} may be a sequence or a set here; write {{\"$set\":[…]}} for a set, or let the spec have only one of them at this place"
    )]
    SequenceOrSet { json: String },
    #[error(
        "\"{text}\" may be a string or the model value {text} here; write {{\"$model\":\"{text}\"}} for the model value, or say it in the link \
         file ([log.values] '\"{text}\"' = …)"
    )]
    StringOrModel { text: String },
    #[error("null has no meaning in TLA+; say it in the link file: [log.values] null = \"Nil\"")]
    Null,
    #[error("the keys of {json} are not all of one kind")]
    Keys { json: String },
}

/// What values of the log mean, by their JSON text.
pub(crate) type ValueTable = rustc_hash::FxHashMap<Value, Value>;

/// What the conversion of JSON needs to know besides the type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    /// What the link file says.
    pub table: ValueTable,
    /// The model values of the spec.
    pub models: BTreeSet<String>,
}

impl ValueType {
    /// Adds a value that occurs.
    pub fn add(&mut self, value: &Value) {
        match value.kind() {
            ValueKind::Int => self.has_int = true,
            ValueKind::Bool => self.has_bool = true,
            ValueKind::Str => self.has_string = true,
            ValueKind::Model => {
                self.models.extend(value.as_model().map(str::to_owned));
            }
            ValueKind::Set => {
                let element = self.set.get_or_insert_default();
                value
                    .as_set()
                    .into_iter()
                    .flatten()
                    .for_each(|one| element.add(one));
            }
            ValueKind::Tuple => {
                let element = self.sequence.get_or_insert_default();
                value
                    .as_tuple()
                    .into_iter()
                    .flatten()
                    .for_each(|one| element.add(one));
            }
            ValueKind::Record => {
                let fields = self.record.get_or_insert_default();
                for (name, value) in value.as_record().into_iter().flat_map(|record| record.iter()) {
                    fields.entry(name.to_owned()).or_default().add(value);
                }
            }
            ValueKind::Function => {
                let function = self.function.get_or_insert_default();
                for (key, value) in value.as_entries().into_iter().flatten() {
                    function.key.add(key);
                    function.value.add(value);
                    function.integers.extend(key.as_int());
                }
            }
        }
    }

    /// The type of a set's elements, or of the keys of a bag.
    pub fn element(&self) -> Self {
        self.set.as_deref().cloned().unwrap_or_default()
    }

    /// The type of a sequence's elements.
    pub fn item(&self) -> Self {
        self.sequence.as_deref().cloned().unwrap_or_default()
    }

    /// The type of a function's keys.
    pub fn key(&self) -> Self {
        let mut key = self
            .function
            .as_ref()
            .map(|function| function.key.clone())
            .unwrap_or_default();
        key.has_string |= self.record.is_some();
        key.has_int |= self
            .sequence
            .as_ref()
            .is_some_and(|_| self.function.is_none() && self.record.is_none());
        key
    }

    /// The type of a function's value at a key.
    pub fn at(&self, key: &Value) -> Self {
        match key.as_str() {
            Some(name) => match &self.record {
                Some(fields) => fields
                    .get(name)
                    .cloned()
                    .unwrap_or_else(|| joined(fields.values())),
                None => self
                    .function
                    .as_ref()
                    .map(|function| function.value.clone())
                    .unwrap_or_default(),
            },
            None => {
                let function = self.function.as_ref().map(|function| &function.value);
                joined(function.into_iter().chain(self.sequence.as_deref()))
            }
        }
    }

    fn join(&mut self, other: &Self) {
        self.has_int |= other.has_int;
        self.has_bool |= other.has_bool;
        self.has_string |= other.has_string;
        self.models.extend(other.models.iter().cloned());
        let join = |mine: &mut Option<Box<ValueType>>, other: &Option<Box<ValueType>>| {
            if let Some(other) = other {
                mine.get_or_insert_default().join(other);
            }
        };
        join(&mut self.set, &other.set);
        join(&mut self.sequence, &other.sequence);
        if let Some(fields) = &other.record {
            let mine = self.record.get_or_insert_default();
            for (name, field) in fields {
                mine.entry(name.clone()).or_default().join(field);
            }
        }
        if let Some(function) = &other.function {
            let mine = self.function.get_or_insert_default();
            mine.key.join(&function.key);
            mine.value.join(&function.value);
            mine.integers.extend(&function.integers);
        }
    }

    /// What JSON means as a value of this type.
    pub fn convert(&self, json: &Value, words: &Vocabulary) -> Result<Value, TypeProblem> {
        if !words.table.is_empty()
            && let Some(meaning) = words.table.get(json)
        {
            return Ok(meaning.clone());
        }
        if json.is_null() {
            return Err(TypeProblem::Null);
        }
        match json.kind() {
            ValueKind::Str => self.convert_string(json, words),
            ValueKind::Tuple => self.convert_array(json, words),
            ValueKind::Record => self.convert_object(json, words),
            // Sets, functions and model values are written as such.
            ValueKind::Set => {
                let element = self.element();
                let elements = json.as_set().into_iter().flatten();
                let elements: Result<Vec<Value>, _> =
                    elements.map(|one| element.convert(one, words)).collect();
                elements.map(Value::set)
            }
            _ => Ok(json.clone()),
        }
    }

    fn convert_string(&self, json: &Value, words: &Vocabulary) -> Result<Value, TypeProblem> {
        if words.models.is_empty() {
            return Ok(json.clone());
        }
        let text = json.as_str().unwrap_or_default();
        if !words.models.contains(text) {
            return Ok(json.clone());
        }
        match (self.has_string, !self.models.is_empty()) {
            (true, false) => Ok(json.clone()),
            (true, true) if !self.models.contains(text) => Ok(json.clone()),
            (true, true) => Err(TypeProblem::StringOrModel {
                text: text.to_owned(),
            }),
            (false, _) => Ok(Value::model(text)),
        }
    }

    fn convert_array(&self, json: &Value, words: &Vocabulary) -> Result<Value, TypeProblem> {
        let items = json.as_tuple().unwrap_or_default();
        let converted = |of: &ValueType| -> Result<Vec<Value>, TypeProblem> {
            items.iter().map(|item| of.convert(item, words)).collect()
        };
        match (&self.sequence, &self.set) {
            (Some(_), Some(_)) => Err(TypeProblem::SequenceOrSet { json: json.to_json() }),
            (None, Some(element)) => Ok(Value::set(converted(element)?)),
            (None, None) if self.is_numbered(items.len()) => {
                let function = self.function.as_ref();
                let values = converted(
                    &function
                        .map(|function| function.value.clone())
                        .unwrap_or_default(),
                )?;
                let keys = function.into_iter().flat_map(|function| &function.integers);
                Ok(Value::function_of_sorted(
                    keys.map(|key| Value::int(*key)).zip(values),
                ))
            }
            (Some(item), None) => Ok(Value::tuple(converted(item)?)),
            (None, None) => Ok(Value::tuple(converted(&ValueType::default())?)),
        }
    }

    /// Whether an array of this length is a function from integers, such as `0..2`.
    fn is_numbered(&self, length: usize) -> bool {
        self.function.as_ref().is_some_and(|function| {
            function.integers.len() == length && !function.integers.contains(&(length as i64))
        })
    }

    fn convert_object(&self, json: &Value, words: &Vocabulary) -> Result<Value, TypeProblem> {
        let fields = json.as_record();
        let fields = fields.iter().flat_map(|record| record.iter());
        let key = self.key();
        let mut entries = Vec::new();
        for (name, value) in fields {
            let key = key.convert_key(name, words);
            let value = self.at(&key).convert(value, words)?;
            entries.push((key, value));
        }
        Value::function(entries).map_err(|_| TypeProblem::Keys { json: json.to_json() })
    }

    /// What the name of a JSON field means as a key: JSON has only strings there.
    pub fn convert_key(&self, name: &str, words: &Vocabulary) -> Value {
        if let Some(meaning) = words.table.get(&Value::str(name)) {
            return meaning.clone();
        }
        match name.parse::<i64>() {
            Ok(number) if self.has_int && !self.has_string => Value::int(number),
            _ if words.models.contains(name) && !self.has_string => Value::model(name),
            _ => Value::str(name),
        }
    }
}

fn joined<'t>(types: impl Iterator<Item = &'t ValueType>) -> ValueType {
    types.fold(ValueType::default(), |mut all, one| {
        all.join(one);
        all
    })
}
