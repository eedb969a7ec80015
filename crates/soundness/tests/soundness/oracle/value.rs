//! Values, with the functions, sequences and records of TLA+ as one kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Val {
    Bool(bool),
    Int(i64),
    Text(&'static str),
    Set(Rc<BTreeSet<Val>>),
    /// Also sequences (from `1..n`) and records (from texts).
    Fun(Rc<BTreeMap<Val, Val>>),
}

impl Val {
    pub fn set(elements: impl IntoIterator<Item = Val>) -> Self {
        Self::Set(Rc::new(elements.into_iter().collect()))
    }

    pub fn fun(pairs: impl IntoIterator<Item = (Val, Val)>) -> Self {
        Self::Fun(Rc::new(pairs.into_iter().collect()))
    }

    pub fn seq(elements: impl IntoIterator<Item = Val>) -> Self {
        Self::fun(
            elements
                .into_iter()
                .enumerate()
                .map(|(at, value)| (Self::Int(at as i64 + 1), value)),
        )
    }

    pub fn record(fields: impl IntoIterator<Item = (&'static str, Val)>) -> Self {
        Self::fun(fields.into_iter().map(|(name, value)| (Self::Text(name), value)))
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    pub fn as_set(&self) -> Option<&BTreeSet<Val>> {
        match self {
            Self::Set(set) => Some(set),
            _ => None,
        }
    }

    pub fn as_fun(&self) -> Option<&BTreeMap<Val, Val>> {
        match self {
            Self::Fun(fun) => Some(fun),
            _ => None,
        }
    }

    /// The elements of a sequence.
    pub fn as_seq(&self) -> Option<Vec<Val>> {
        let fun = self.as_fun()?;
        let is_seq = fun
            .keys()
            .enumerate()
            .all(|(at, key)| *key == Self::Int(at as i64 + 1));
        is_seq.then(|| fun.values().cloned().collect())
    }

    /// As a JSON value of a trace. Functions that are neither sequences nor records do not occur in traces.
    pub fn json(&self) -> String {
        let list = |values: &[Val]| values.iter().map(Self::json).collect::<Vec<_>>().join(",");
        match self {
            Self::Bool(truth) => truth.to_string(),
            Self::Int(int) => int.to_string(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Set(set) => format!(
                "{{\"$set\":[{}]}}",
                list(&set.iter().cloned().collect::<Vec<_>>())
            ),
            Self::Fun(fun) => match self.as_seq() {
                Some(values) => format!("[{}]", list(&values)),
                None if fun.keys().all(|key| matches!(key, Self::Text(_))) => {
                    let mut text = String::new();
                    for (key, value) in fun.iter() {
                        let comma = if text.is_empty() { "" } else { "," };
                        let _ = write!(text, "{comma}{}:{}", key.json(), value.json());
                    }
                    format!("{{{text}}}")
                }
                None => {
                    let pairs = fun
                        .iter()
                        .map(|(key, value)| format!("[{},{}]", key.json(), value.json()));
                    format!("{{\"$fn\":[{}]}}", pairs.collect::<Vec<_>>().join(","))
                }
            },
        }
    }
}
