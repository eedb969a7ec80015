//! The accesses of transactions while a history is read.
//!
//! What a read means depends on what comes later: a key may turn out to hold a list, a set or a counter. So accesses are kept until the end. Nearly all
//! histories that are long have registers only. As long as that is so, an access is three numbers, not two values; with the first access of another kind
//! the numbers become values again.

use omnilink_history::order_graph::Id;

use crate::access::{Access, Accesses};
use crate::interner::Interner;

/// The accesses so far.
#[derive(Clone, Debug)]
pub(crate) enum OpenAccesses {
    /// Of registers only.
    Registers(RegisterAccesses),
    /// Of any kind.
    Any(Accesses),
}

/// Reads and writes of registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegisterAccesses {
    all: Vec<RegisterAccess>,
    /// The transactions, each with the number of accesses up to its last one.
    ends: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterAccess {
    pub(crate) key: Id,
    /// [`NOT_READ`] for a read that did not return.
    pub(crate) value: Id,
    pub(crate) is_write: bool,
}

pub(crate) const NOT_READ: Id = Id::MAX;

impl Default for OpenAccesses {
    fn default() -> Self {
        Self::Registers(RegisterAccesses::default())
    }
}

impl OpenAccesses {
    /// Takes the accesses of one more operation.
    pub fn add(&mut self, one: usize, accesses: Vec<Access>, keys: &mut Interner, values: &mut Interner) {
        if let Self::Registers(registers) = self {
            if accesses.iter().all(is_of_register) {
                return registers.add(one, &accesses, keys, values);
            }
            *self = Self::Any(registers.by_value(keys, values));
        }
        if let Self::Any(all) = self {
            all.0.push((one, accesses));
        }
    }
}

/// Whether an access is one of a register, as far as it says itself. Which keys hold lists depends on reads of lists and on appends, and which hold sets or
/// counters on additions; a read through a cursor or of a range is marked.
fn is_of_register(access: &Access) -> bool {
    match access {
        Access::Write(..) | Access::Read(_, None) => true,
        Access::Read(_, Some(value)) => value.as_tuple().is_none() && value.as_set().is_none(),
        _ => false,
    }
}

impl RegisterAccesses {
    fn add(&mut self, one: usize, accesses: &[Access], keys: &mut Interner, values: &mut Interner) {
        for access in accesses {
            let (key, is_write, value) = match access {
                Access::Write(key, value) => (key, true, Some(value)),
                Access::Read(key, value) => (key, false, value.as_ref()),
                _ => continue,
            };
            self.all.push(RegisterAccess {
                key: keys.id(key),
                value: value.map_or(NOT_READ, |value| values.id(value)),
                is_write,
            });
        }
        self.ends.push((one, self.all.len()));
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &[RegisterAccess])> {
        let mut from = 0;
        self.ends.iter().map(move |(one, end)| {
            let own = &self.all[from..*end];
            from = *end;
            (*one, own)
        })
    }

    fn by_value(&self, keys: &Interner, values: &Interner) -> Accesses {
        let access = |access: &RegisterAccess| {
            let key = keys.values[access.key as usize].clone();
            let value = values.values.get(access.value as usize).cloned();
            match (access.is_write, value) {
                (true, Some(value)) => Access::Write(key, value),
                (_, value) => Access::Read(key, value),
            }
        };
        let each = self.each();
        Accesses(
            each.map(|(one, own)| (one, own.iter().map(access).collect()))
                .collect(),
        )
    }
}
