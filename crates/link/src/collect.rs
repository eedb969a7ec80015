//! Constants that are collected from a trace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::bind::event_of;
use crate::call_cache::CallCache;
use crate::error::LinkError;
use crate::omnilink_setup::asks_for_traces;
use crate::setup_names::TRACES;

/// Constants, each the set of all values that some fields of a trace hold.
#[derive(Clone, Debug, Default)]
pub struct CollectedConstants {
    constants: BTreeMap<String, Collected>,
    /// Recent calls whose arguments were taken.
    taken: CallCache<()>,
    /// Whether some field is found elsewhere than in the arguments.
    looks_beyond_arguments: bool,
    /// All operations of all threads, for setups made for OmniLink that look at them.
    traces: Option<BTreeMap<Value, Vec<Value>>>,
}

#[derive(Clone, Debug, Default)]
struct Collected {
    fields: Vec<Field>,
    values: BTreeSet<Value>,
}

#[derive(Clone, Debug)]
struct Field {
    /// `Op.field`: of operations of this name only.
    op: Option<String>,
    name: String,
    /// `2`: the second argument of those without names.
    position: Option<usize>,
    /// `field*`: not the value, but what is in it.
    elements: bool,
    /// Whether it is found in the arguments and nowhere else.
    is_argument: bool,
}

impl Field {
    fn parse(text: &str) -> Self {
        let (text, elements) = match text.strip_suffix('*') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (op, name) = match text.split_once('.') {
            Some((op, name)) => (Some(op.to_owned()), name),
            None => (None, text),
        };
        Self {
            op,
            name: name.to_owned(),
            position: name.parse().ok(),
            elements,
            is_argument: !matches!(name, "thread" | "ret"),
        }
    }

    fn of<'o>(&self, operation: &'o Operation) -> Option<&'o Value> {
        if self.op.as_ref().is_some_and(|op| *op != operation.name.as_str()) {
            return None;
        }
        match self.name.as_str() {
            "thread" => Some(&operation.thread),
            "ret" => operation.ret.as_ref().or_else(|| operation.args.field("ret")),
            name => operation.args.field(name).or_else(|| {
                let arguments = operation.args.as_value().as_tuple()?;
                arguments.get(self.position?.checked_sub(1)?)
            }),
        }
    }
}

impl CollectedConstants {
    /// Adds what `--collect Keys=key,lo,hi` asks for. `field*` collects the elements of sequences and sets, `2` the second
    /// argument of operations whose arguments have no names, `Put.key` the field of operations called Put only.
    ///
    /// # Errors
    /// When it is written differently.
    pub fn add(&mut self, text: &str) -> Result<(), LinkError> {
        let wrong = || {
            LinkError::Usage(format!(
                "--collect {text}: expected CONSTANT=field,field…, such as Keys=key,lo,hi (field* for the elements of a sequence, \
                 1 for the first argument where arguments have no names, Op.field for one operation only)"
            ))
        };
        let (name, fields) = text.split_once('=').ok_or_else(wrong)?;
        let fields: Vec<String> = fields.split(',').map(|field| field.trim().to_owned()).collect();
        if name.trim().is_empty() || fields.iter().any(String::is_empty) {
            return Err(wrong());
        }
        self.add_fields(name.trim(), &fields);
        Ok(())
    }

    /// Adds a constant and the fields that it is collected from.
    pub fn add_fields(&mut self, constant: &str, fields: &[String]) {
        let fields: Vec<Field> = fields.iter().map(|field| Field::parse(field)).collect();
        self.looks_beyond_arguments |= fields.iter().any(|field| !field.is_argument);
        let collected = self.constants.entry(constant.to_owned()).or_default();
        collected.fields.extend(fields);
    }

    /// Adds what the spec itself asks for: a setup made for OmniLink may look at the whole trace, as `__traces`.
    pub fn add_asked_for_by(&mut self, spec: &Path) {
        if asks_for_traces(spec) {
            self.traces = Some(BTreeMap::new());
        }
    }

    /// Whether there is nothing to collect.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty() && self.traces.is_none()
    }

    /// Adds the values of an operation.
    pub fn observe(&mut self, operation: &Operation) {
        if let Some(traces) = &mut self.traces {
            let event = event_of(operation);
            traces.entry(operation.thread.clone()).or_default().push(event);
        }
        let is_taken = self.taken.get(&operation.call).is_some();
        if is_taken && !self.looks_beyond_arguments {
            return;
        }
        if !is_taken {
            self.taken.put(&operation.call, ());
        }
        for collected in self.constants.values_mut() {
            for field in collected
                .fields
                .iter()
                .filter(|field| !is_taken || !field.is_argument)
            {
                let Some(value) = field.of(operation) else {
                    continue;
                };
                if !field.elements {
                    if !collected.values.contains(value) {
                        collected.values.insert(value.clone());
                    }
                } else if let Some(elements) = value.as_tuple().or_else(|| value.as_set()) {
                    collected.values.extend(elements.iter().cloned());
                }
            }
        }
    }

    /// The constants with their values, and notes for the user.
    pub fn finish(self) -> (Vec<(String, Value)>, Vec<String>) {
        let mut notes = Vec::new();
        let values = self.constants.into_iter().map(|(name, collected)| {
            if collected.values.is_empty() {
                let fields: Vec<&str> = collected.fields.iter().map(|field| field.name.as_str()).collect();
                notes.push(format!(
                    "{name} is the empty set: no operation of the trace has a field {}",
                    fields.join(" or ")
                ));
            }
            (name, Value::set_of_sorted(collected.values))
        });
        let mut values: Vec<(String, Value)> = values.collect();
        if let Some(traces) = self.traces {
            let threads = traces
                .into_iter()
                .map(|(thread, events)| (thread, Value::tuple(events)));
            // The keys of a map are distinct.
            values.extend(
                Value::function(threads)
                    .ok()
                    .map(|traces| (TRACES.to_owned(), traces)),
            );
        }
        (values, notes)
    }
}
