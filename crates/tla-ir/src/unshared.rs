//! Deep copies of values and programs that share no memory with the original.
//!
//! Cloning a value increments a reference count next to its parts. Two threads that clone the same value contend for one cache line,
//! which costs two workers about a tenth of their time. So every worker has its own copy of the constants of its
//! program.

use omnilink_value::{Shape, Value, ValueKind};

use super::node::{Kind, Node, PathStep};
use super::program::Program;

/// A deep copy of a value.
fn unshared(value: &Value) -> Value {
    match value.kind() {
        ValueKind::Bool | ValueKind::Int => value.clone(),
        ValueKind::Str => Value::str(value.as_str().unwrap_or_default()),
        ValueKind::Model => Value::model(value.as_model().unwrap_or_default()),
        ValueKind::Set => Value::set_of_sorted(value.as_set().unwrap_or_default().iter().map(unshared)),
        ValueKind::Tuple => Value::tuple(value.as_tuple().unwrap_or_default().iter().map(unshared)),
        ValueKind::Record | ValueKind::Function => {
            let entries = value.as_entries().unwrap_or_default().iter();
            let copies = entries.map(|(key, value)| (unshared(key), unshared(value)));
            // The keys of a function are distinct.
            Value::function(copies).unwrap_or_else(|_| value.clone())
        }
    }
}

impl Program {
    /// A deep copy of the program for another thread. Only its source texts stay shared.
    pub fn unshared(&self) -> Self {
        let mut copy = self.clone();
        for operator in &mut copy.operators {
            unshare(&mut operator.body);
        }
        for value in &mut copy.model_values {
            *value = unshared(value);
        }
        copy
    }
}

fn unshare(node: &mut Node) {
    match &mut node.kind {
        Kind::Const(value) => *value = unshared(value),
        Kind::Path(_, steps) => unshare_fields(steps),
        Kind::Except(_, updates) => updates
            .iter_mut()
            .for_each(|update| unshare_fields(&mut update.path)),
        Kind::Record(shape, _) => *shape = Shape::of_sorted(shape.names().iter().map(unshared)),
        Kind::RecordSet(fields) => fields.iter_mut().for_each(|(name, _)| *name = unshared(name)),
        _ => {}
    }
    node.kind.for_each_child_mut(unshare);
}

fn unshare_fields(steps: &mut [PathStep]) {
    for step in steps {
        if let PathStep::Field(field) = step {
            field.name = unshared(&field.name);
        }
    }
}
