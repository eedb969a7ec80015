//! The ids of operations, and orders that are given by ids.

use std::collections::BTreeMap;

use omnilink_value::Value;

use crate::history_error::HistoryProblem;
use crate::recorded_history::label_of;

type Read<T> = Result<T, HistoryProblem>;

/// The ids of operations.
#[derive(Default)]
pub(crate) struct OpNames {
    pub labels: Vec<String>,
    positions: BTreeMap<Value, usize>,
}

impl OpNames {
    pub fn add(&mut self, id: Option<&Value>, position: usize) -> Read<()> {
        let id = id.cloned().unwrap_or_else(|| Value::int(position as i64));
        self.labels.push(label_of(&id));
        match self.positions.insert(id.clone(), position) {
            Some(_) => Err(HistoryProblem::Duplicate(id)),
            None => Ok(()),
        }
    }

    pub fn find(&self, id: &Value) -> Read<usize> {
        self.positions
            .get(id)
            .copied()
            .ok_or_else(|| HistoryProblem::NoSuchOp(id.clone()))
    }

    pub fn pairs(&self, whole: &str, pairs: &Value) -> Read<Vec<(usize, usize)>> {
        let wrong = |found: &Value| HistoryProblem::Wrong {
            whole: whole.to_owned(),
            field: "hb",
            found: found.clone(),
            expected: "an array of pairs [first, second] of operation ids",
        };
        let list = pairs.as_tuple().ok_or_else(|| wrong(pairs))?;
        list.iter()
            .map(|pair| match pair.as_tuple() {
                Some([first, second]) => Ok((self.find(first)?, self.find(second)?)),
                _ => Err(wrong(pair)),
            })
            .collect()
    }
}

pub(crate) fn counters_of(labels: &[String], counters: Vec<&Value>) -> Read<Vec<Vec<u64>>> {
    let count = |value: &Value| value.as_int().and_then(|count| u64::try_from(count).ok());
    labels
        .iter()
        .zip(counters)
        .map(|(label, found)| {
            let list = found
                .as_tuple()
                .map(|list| list.iter().map(count).collect::<Option<Vec<u64>>>());
            list.flatten().ok_or_else(|| HistoryProblem::Wrong {
                whole: format!("operation {label}"),
                field: "call_pcs",
                found: found.clone(),
                expected: "an array of counters, one per thread",
            })
        })
        .collect()
}
