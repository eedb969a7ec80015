//! An operation instance: an action with its arguments. Equal ones form one class of the engine.

use std::cell::OnceCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use omnilink_tla::eval::Effects;
use omnilink_tla::ir::OperatorId;
use omnilink_trace::Location;
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::audit_record::Audit;
use crate::enabling_reason::LastEnablingSet;
use crate::outcome_cache::OutcomeCache;
use crate::step_part::StepPart;

/// An action with its arguments, as the engine handles it: a shared pointer. Results computed for the instance are kept with it.
///
/// They are functions of what makes two instances equal: the action, its arguments, which part of which operation it is, and the binding, which
/// tells what unknown arguments may be.
#[derive(Clone)]
pub struct Instance(pub(crate) Rc<InstanceData>);

pub(crate) struct InstanceData {
    /// Which binding it was bound by.
    pub(crate) binding: u32,
    pub(crate) operation: OperatorId,
    /// Values of the parameters; `None` for what a pending operation does not know.
    pub(crate) arguments: SmallVec<[Option<Value>; 3]>,
    /// Where the first such operation was read.
    pub(crate) place: Location,
    pub(crate) hash: u64,
    /// Its static effects. Boxed, because steps seldom look at them.
    pub(crate) effects: OnceCell<Box<Effects>>,
    /// Outcomes in earlier states, for instances that touch few cells.
    pub(crate) cache: OnceCell<Option<Box<OutcomeCache>>>,
    /// What may enable it, in the last state that refused it.
    pub(crate) enabling: LastEnablingSet,
    /// The parts of invariants that its writes may make false.
    pub(crate) touched: OnceCell<Box<[(u16, u16)]>>,
    /// What was found out about it, where steps are audited.
    pub(crate) audit: Audit,
    /// For operations in steps: the operation, and whether this is its last step.
    pub(crate) part: Option<StepPart>,
}

impl InstanceData {
    /// The values, if all are known.
    pub(crate) fn known(&self) -> Option<SmallVec<[Value; 6]>> {
        self.arguments.iter().cloned().collect()
    }
}

pub(crate) fn hash_of(operation: OperatorId, arguments: &[Option<Value>], part: Option<StepPart>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    operation.hash(&mut hasher);
    for argument in arguments {
        hasher.write_u64(argument.as_ref().map_or(0, Value::hash64));
    }
    part.hash(&mut hasher);
    hasher.finish()
}

impl PartialEq for Instance {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash
                && self.0.binding == other.0.binding
                && self.0.operation == other.0.operation
                && self.0.part == other.0.part
                && self.0.arguments == other.0.arguments)
    }
}

impl Eq for Instance {}

impl Hash for Instance {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("operation", &self.0.operation)
            .field("arguments", &self.0.arguments)
            .finish_non_exhaustive()
    }
}
