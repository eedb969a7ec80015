//! Many registers, read and written several at a time, atomically.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::assoc::Assoc;
use crate::describe::{Seen, list};
use crate::keys::keys;

/// Registers by key. A transaction reads and writes any number of them at one instant; a single read or write is a
/// transaction of one.
#[derive(Clone, Debug)]
pub struct MultiRegister {
    /// What every register holds before it is first written.
    pub initial: Value,
}

/// A transaction: these accesses, one after the other, with nothing in between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultiRegisterOp(pub SmallVec<[Access; 1]>);

/// What a transaction does to one register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The register of this key now holds this.
    Write(Value, Value),
    /// The register of this key held this; `None` where the result was not seen.
    Read(Value, Option<Value>),
}

impl MultiRegisterOp {
    fn writes(&self) -> impl DoubleEndedIterator<Item = (&Value, &Value)> {
        self.0.iter().filter_map(|access| match access {
            Access::Write(key, value) => Some((key, value)),
            Access::Read(..) => None,
        })
    }

    /// What the transaction leaves in the register of `key`, if it writes it.
    fn leaves(&self, key: &Value) -> Option<&Value> {
        self.writes()
            .rev()
            .find(|(written, _)| *written == key)
            .map(|(_, value)| value)
    }

    /// The reads with a known result, each with what the transaction itself wrote to that register before.
    fn known_reads(&self) -> impl Iterator<Item = (&Value, &Value, Option<&Value>)> {
        self.0.iter().enumerate().filter_map(|(at, access)| match access {
            Access::Read(key, Some(value)) => {
                let own = self.0.iter().take(at).rev().find_map(|earlier| match earlier {
                    Access::Write(written, value) if written == key => Some(value),
                    _ => None,
                });
                Some((key, value, own))
            }
            _ => None,
        })
    }
}

impl MultiRegister {
    fn value<'a>(&'a self, state: &'a Assoc<Value>, key: &Value) -> &'a Value {
        state.get(key).unwrap_or(&self.initial)
    }

    /// The first read whose result is not what the register holds, with what it holds.
    fn first_wrong_read<'a>(
        &'a self,
        state: &'a Assoc<Value>,
        op: &'a MultiRegisterOp,
    ) -> Option<WrongRead<'a>> {
        op.known_reads().find_map(|(key, read, own)| {
            let held = own.unwrap_or_else(|| self.value(state, key));
            (read != held).then_some(WrongRead {
                key,
                read,
                held,
                own: own.is_some(),
            })
        })
    }
}

struct WrongRead<'a> {
    key: &'a Value,
    read: &'a Value,
    held: &'a Value,
    own: bool,
}

impl Model for MultiRegister {
    /// The registers that no longer hold the initial value.
    type State = Assoc<Value>;
    type Op = MultiRegisterOp;

    fn initial(&self) -> Vec<Assoc<Value>> {
        vec![Assoc::new()]
    }

    fn step(&self, state: &Assoc<Value>, op: &MultiRegisterOp, outcomes: &mut Outcomes<Assoc<Value>>) {
        if let Some(WrongRead { key, read, held, own }) = self.first_wrong_read(state, op) {
            return outcomes.refuse(|| {
                let whose = if own {
                    "the transaction itself has just written"
                } else {
                    "it holds"
                };
                format!("read {read} from register {key}, but {whose} {held}")
            });
        }
        let mut next = state.clone();
        for (key, value) in op.writes() {
            // Equal states must be equal: a register that holds the initial value again has no entry.
            next = if *value == self.initial {
                next.without(key)
            } else {
                next.with(key, value.clone())
            };
        }
        outcomes.accept(next);
    }

    fn is_pure(&self, op: &MultiRegisterOp) -> bool {
        op.writes().next().is_none()
    }

    fn footprint(&self, op: &MultiRegisterOp) -> Footprint {
        let reads = op
            .known_reads()
            .filter(|(_, _, own)| own.is_none())
            .map(|(key, _, _)| key);
        Footprint {
            reads: keys(reads),
            writes: if self.is_pure(op) {
                Keys::none()
            } else {
                keys(op.writes().map(|(key, _)| key))
            },
        }
    }

    /// Take the first read that is wrong. The last transaction to change its register left there what was read. A read
    /// that contradicts its own transaction can never be right.
    fn may_enable(&self, state: &Assoc<Value>, refused: &MultiRegisterOp, helper: &MultiRegisterOp) -> bool {
        match self.first_wrong_read(state, refused) {
            Some(wrong) => !wrong.own && helper.leaves(wrong.key) == Some(wrong.read),
            None => false,
        }
    }

    fn describe_state(&self, state: &Assoc<Value>) -> String {
        let changed = list(
            state.iter().map(|(key, value)| format!("{key}: {value}")),
            ["{", "}"],
        );
        if state.is_empty() {
            format!("every register holds {}", self.initial)
        } else {
            changed
        }
    }

    fn describe_op(&self, op: &MultiRegisterOp) -> String {
        let access = |access: &Access| match access {
            Access::Write(key, value) => format!("write({key}, {value})"),
            Access::Read(key, result) => format!("read({key}) = {}", Seen(result)),
        };
        match op.0.as_slice() {
            [single] => access(single),
            several => list(several.iter().map(access), ["txn[", "]"]),
        }
    }

    fn state_bytes(&self, state: &Assoc<Value>) -> usize {
        state.heap_bytes()
    }
}
