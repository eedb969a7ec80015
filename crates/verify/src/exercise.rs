//! What a trace exercised, seen from outside: kinds of results, and operations that overlapped.

use std::collections::BTreeMap;

use omnilink_link::is_result_name;
use omnilink_trace::{Operation, Time};
use omnilink_value::{Value, ValueKind};

/// What a trace exercised.
#[derive(Clone, Debug, Default)]
pub struct Exercise {
    results: BTreeMap<(String, String), u64>,
    overlaps: BTreeMap<(String, String), u64>,
    names: Vec<String>,
    /// The last operation of each thread, if it may still be running.
    running: Vec<(Value, usize, Option<Time>)>,
}

impl Exercise {
    /// Adds an operation; they come in the order of their starts.
    pub fn observe(&mut self, operation: &Operation) {
        let name = match self.names.iter().position(|name| *name == *operation.name) {
            Some(name) => name,
            None => {
                self.names.push(operation.name.to_string());
                self.names.len() - 1
            }
        };
        let key = (self.names[name].clone(), kind_of_result(operation));
        *self.results.entry(key).or_default() += 1;
        let start = operation.timebox.start;
        self.running
            .retain(|(thread, _, end)| *thread != operation.thread && end.is_none_or(|end| end >= start));
        for (_, other, _) in &self.running {
            *self.overlaps.entry(self.pair(name, *other)).or_default() += 1;
        }
        self.running
            .push((operation.thread.clone(), name, operation.timebox.end));
    }

    fn pair(&self, one: usize, other: usize) -> (String, String) {
        let (one, other) = (self.names[one].clone(), self.names[other].clone());
        if one <= other { (one, other) } else { (other, one) }
    }

    /// How often each thing happened, by name: `result Take: null`, `overlap Put | Take`. Pairs that never overlapped are there
    /// with 0.
    pub fn features(&self) -> BTreeMap<String, u64> {
        let mut features = BTreeMap::new();
        for ((op, kind), times) in &self.results {
            features.insert(format!("result {op}: {kind}"), *times);
        }
        for one in 0..self.names.len() {
            for other in 0..=one {
                let pair = self.pair(one, other);
                let times = self.overlaps.get(&pair).copied().unwrap_or_default();
                features.insert(format!("overlap {} | {}", pair.0, pair.1), times);
            }
        }
        features
    }
}

/// Results of one kind are alike for a test: empty or not, found or not, this status or that.
fn kind_of_result(operation: &Operation) -> String {
    if operation.aborted {
        return "aborted".to_owned();
    }
    if operation.timebox.end.is_none() {
        return "pending".to_owned();
    }
    let among_arguments = || {
        let fields = operation.args.as_value().as_record()?;
        fields
            .iter()
            .find(|(name, _)| is_result_name(name))
            .map(|(_, value)| value)
    };
    let Some(value) = operation.ret.as_ref().or_else(among_arguments) else {
        return "none".to_owned();
    };
    let text = match value.kind() {
        _ if value.is_null() => "null",
        ValueKind::Bool if value.as_bool() == Some(true) => "true",
        ValueKind::Bool => "false",
        ValueKind::Int => match value.as_int() {
            Some(0) => "0",
            Some(..0) => "negative",
            _ => "number",
        },
        // A status has no digits; a value that was written may have.
        ValueKind::Str => match value.as_str() {
            Some(text) if text.len() <= 24 && !text.contains(|c: char| c.is_ascii_digit()) => text,
            _ => "text",
        },
        ValueKind::Model => value.as_model().unwrap_or("model value"),
        _ if value.len() == Some(0) => "empty",
        _ => "several",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use omnilink_trace::{Args, Timebox};

    use super::*;

    fn operation(thread: i64, name: &str, start: Time, end: Option<Time>) -> Operation {
        Operation::new(Value::int(thread), name, Args::none(), Timebox { start, end })
    }

    #[test]
    fn overlaps_and_kinds_of_results_are_counted() {
        // t0  |--put--|        |---put---|
        // t1      |--take--|                |--take (pending)
        // t2                      |--take--|
        let mut exercise = Exercise::default();
        for operation in [
            operation(0, "put", 0, Some(10)),
            operation(1, "take", 5, Some(15)).returning(Value::null()),
            operation(0, "put", 20, Some(30)),
            operation(2, "take", 25, Some(35)).returning(Value::int(4)),
            operation(1, "take", 36, None),
        ] {
            exercise.observe(&operation);
        }
        let features = exercise.features();
        let expected = [
            ("overlap put | put", 0),
            ("overlap put | take", 2),
            ("overlap take | take", 0),
            ("result put: none", 2),
            ("result take: null", 1),
            ("result take: number", 1),
            ("result take: pending", 1),
        ];
        let expected: BTreeMap<String, u64> = expected
            .iter()
            .map(|(name, times)| ((*name).to_owned(), *times))
            .collect();
        assert_eq!(features, expected);
    }
}
