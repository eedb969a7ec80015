//! What was found out lately about operations of the same name with the same arguments.
//!
//! A trace repeats itself: few names, few arguments. The readers of traces hand out one and the same record for arguments
//! that are written alike, so finding an operation here costs a comparison of pointers.

use omnilink_trace::{Args, Name, Operation};

/// A direct-mapped table: a trace in which nothing repeats itself evicts, but never grows it. It is made when it is first
/// needed, of memory that a short trace leaves mostly untouched.
#[derive(Clone, Debug)]
pub(crate) struct Recent<T> {
    slots: Vec<Option<Box<Known<T>>>>,
}

#[derive(Clone, Debug)]
struct Known<T> {
    name: Name,
    args: Args,
    what: T,
}

const SLOTS_LOG: u32 = 13;
const SLOTS: usize = 1 << SLOTS_LOG;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<T: Clone> Recent<T> {
    /// What is known about operations like this one.
    #[inline]
    pub(crate) fn get(&self, operation: &Operation) -> Option<&T> {
        let known = self.slots.get(slot_of(operation))?.as_ref()?;
        (known.args == operation.args && known.name == operation.name).then_some(&known.what)
    }

    /// Remembers something about operations like this one.
    pub(crate) fn put(&mut self, operation: &Operation, what: T) {
        if self.slots.is_empty() {
            self.slots = vec![None; SLOTS];
        }
        self.slots[slot_of(operation)] = Some(Box::new(Known {
            name: operation.name.clone(),
            args: operation.args.clone(),
            what,
        }));
    }
}

/// By the identity of the arguments: whoever writes alike has the same record. What is equal and was read apart may be
/// remembered twice.
#[inline]
fn slot_of(operation: &Operation) -> usize {
    let spread = operation
        .args
        .as_value()
        .identity()
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> (u64::BITS - SLOTS_LOG)) as usize
}
