//! Where a harness takes the values of arguments from: one function for each kind of argument.

use omnilink_value::Value;

use crate::identifier::identifier;
use crate::operation::{HarnessOp, Parameter};
use crate::parameter_type::ParameterType;

/// A function that chooses values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueSource {
    /// The function's name.
    pub(crate) name: String,
    /// Of which kind the values are.
    pub(crate) kind: ParameterType,
    /// The set that the specification takes them from, as TLA+.
    pub(crate) range: Option<String>,
    /// What is chosen from.
    pub(crate) choice: Choice,
}

/// What values are chosen from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All integers from one to another.
    Between(i64, i64),
    /// These values, and how many there are in all.
    OneOf(Vec<Value>, usize),
    /// As many as the settings say.
    Settings,
}

/// More values than this are not listed: contention comes from few.
const VALUES_MAX: usize = 20;

impl ValueSource {
    fn of(name: String, parameter: &Parameter) -> Self {
        let choice = match parameter.values.as_deref() {
            None | Some([]) => Choice::Settings,
            Some(_) if parameter.kind == ParameterType::Unknown => Choice::Settings,
            Some(values) => Choice::of(values),
        };
        Self {
            name,
            kind: parameter.kind.clone(),
            range: parameter.range.clone(),
            choice,
        }
    }

    /// What a section's text depends on.
    pub(crate) fn signature(&self) -> String {
        match &self.range {
            Some(range) => format!("({} from {range})", self.kind),
            None => format!("({})", self.kind),
        }
    }
}

impl Choice {
    fn of(values: &[Value]) -> Self {
        let integers: Option<Vec<i64>> = values.iter().map(Value::as_int).collect();
        if let Some(integers) = integers
            && let (Some(low), Some(high)) = (integers.iter().min(), integers.iter().max())
            && high.abs_diff(*low) + 1 == integers.len() as u64
        {
            return Self::Between(*low, *high);
        }
        // Evenly among all of them.
        let step = values.len().div_ceil(VALUES_MAX).max(1);
        Self::OneOf(values.iter().step_by(step).cloned().collect(), values.len())
    }
}

/// The functions that the arguments of all operations need, and for each operation the names of those of its arguments.
/// Arguments of one name share a function unless their values differ.
pub(crate) fn value_sources(ops: &[HarnessOp]) -> (Vec<ValueSource>, Vec<Vec<String>>) {
    let mut sources: Vec<ValueSource> = Vec::new();
    let mut of_ops = Vec::new();
    for op in ops {
        let mut names = Vec::new();
        for parameter in op.arguments() {
            let plain = ValueSource::of(identifier(&parameter.name), parameter);
            let is_other = |source: &&ValueSource| source.name == plain.name && **source != plain;
            let source = match sources.iter().find(is_other) {
                None => plain,
                Some(_) => ValueSource {
                    name: identifier(&format!("{}_{}", op.name, parameter.name)),
                    ..plain
                },
            };
            names.push(source.name.clone());
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        of_ops.push(names);
    }
    (sources, of_ops)
}
