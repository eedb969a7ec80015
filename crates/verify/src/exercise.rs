//! What a trace exercised, seen from outside: kinds of results, and operations that overlapped.

use std::collections::BTreeMap;

use omnilink_link::is_result_name;
use omnilink_trace::{Operation, Time};
use omnilink_value::{Value, ValueKind};

/// What a trace exercised.
///
/// Every operation of a campaign passes through here, so nothing is allocated for one that is like others before it.
#[derive(Clone, Debug, Default)]
pub struct Exercise {
    /// The names of operations, and how often each kind of result occurred.
    ops: Vec<(String, BTreeMap<String, u64>)>,
    /// How often operations overlapped, by the numbers of their names; the smaller one comes first.
    overlaps: BTreeMap<(usize, usize), u64>,
    /// The last operation of each thread, if it may still be running.
    running: Vec<(Value, usize, Option<Time>)>,
}

impl Exercise {
    /// Adds an operation; they come in the order of their starts.
    pub fn observe(&mut self, operation: &Operation) {
        let known = self.ops.iter().position(|(name, _)| *name == *operation.name);
        let op = known.unwrap_or_else(|| {
            self.ops.push((operation.name.to_string(), BTreeMap::new()));
            self.ops.len() - 1
        });
        let kinds = &mut self.ops[op].1;
        let kind = kind_of_result(operation);
        match kinds.get_mut(kind) {
            Some(times) => *times += 1,
            None => drop(kinds.insert(kind.to_owned(), 1)),
        }
        let start = operation.timebox.start;
        self.running
            .retain(|(thread, _, end)| *thread != operation.thread && end.is_none_or(|end| end >= start));
        for (_, other, _) in &self.running {
            *self.overlaps.entry((op.min(*other), op.max(*other))).or_default() += 1;
        }
        self.running
            .push((operation.thread.clone(), op, operation.timebox.end));
    }

    /// How often each thing happened, by name: `result Take: null`, `overlap Put | Take`. Pairs that never overlapped are there
    /// with 0.
    pub fn features(&self) -> BTreeMap<String, u64> {
        let mut features = BTreeMap::new();
        for (op, kinds) in &self.ops {
            for (kind, times) in kinds {
                features.insert(format!("result {op}: {kind}"), *times);
            }
        }
        for (second, (name, _)) in self.ops.iter().enumerate() {
            for (first, (other, _)) in self.ops[..=second].iter().enumerate() {
                let times = self.overlaps.get(&(first, second)).copied().unwrap_or_default();
                let (one, other) = (name.min(other), name.max(other));
                features.insert(format!("overlap {one} | {other}"), times);
            }
        }
        features
    }
}

/// Results of one kind are alike for a test: empty or not, found or not, this status or that.
fn kind_of_result(operation: &Operation) -> &str {
    if operation.aborted {
        return "aborted";
    }
    if operation.timebox.end.is_none() {
        return "pending";
    }
    let among_arguments = || {
        let fields = operation.args.as_value().as_record()?;
        fields
            .iter()
            .find(|(name, _)| is_result_name(name))
            .map(|(_, value)| value)
    };
    let Some(value) = operation.ret.as_ref().or_else(among_arguments) else {
        return "none";
    };
    match value.kind() {
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
    }
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
