//! Counts of cells: the step of an operation that does nothing but compare them.

use std::cell::RefCell;
use std::rc::Rc;

use omnilink_tla::Count;
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::state::SpecState;

/// The counts that an instance compares.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) of: Box<[Counted]>,
    /// Whether the action does nothing else: it changes nothing, and nothing else can refuse it.
    pub(crate) is_all: bool,
}

/// Which values are counted, as far as evaluated; shared by instances with the same condition.
type SharedVerdicts = Rc<RefCell<CountedValues>>;

/// Values of cells, and whether a cell that holds them is counted.
#[derive(Debug, Default)]
struct CountedValues {
    /// The integers from 0 to 63 that were evaluated, one bit each: most cells hold one of them.
    known: u64,
    /// Those of them that are counted.
    counted: u64,
    /// Other values, and those for which evaluation fails: `None`.
    others: Vec<(Value, Option<bool>)>,
}

impl CountedValues {
    fn bit(value: &Value) -> Option<u64> {
        let int = value.as_int().filter(|int| (0..64).contains(int))?;
        Some(1 << int)
    }

    #[inline]
    fn get(&self, value: &Value) -> Option<Option<bool>> {
        match Self::bit(value) {
            Some(bit) if self.known & bit != 0 => Some(Some(self.counted & bit != 0)),
            _ => {
                let known = self.others.iter().find(|(known, _)| known == value);
                known.map(|(_, counted)| *counted)
            }
        }
    }

    fn add(&mut self, value: &Value, counted: Option<bool>) {
        match (Self::bit(value), counted) {
            (Some(bit), Some(counted)) => {
                self.known |= bit;
                self.counted |= if counted { bit } else { 0 };
            }
            _ if self.others.len() < OTHERS_MAX => self.others.push((value.clone(), counted)),
            _ => {}
        }
    }
}

/// The evaluated conditions of all instances: `found = (map[key] # NoValue)` has the same value for a content whichever cell holds
/// it.
#[derive(Debug, Default)]
pub(crate) struct ConditionCache {
    of: FxHashMap<(OperatorId, u32, Box<[Value]>), SharedVerdicts>,
}

/// The number of conditions kept; instances keep a reference to theirs.
const CONDITIONS_MAX: usize = 1 << 12;

impl ConditionCache {
    pub(crate) fn counts(&mut self, operation: OperatorId, counts: omnilink_tla::Counts) -> Counts {
        Counts {
            of: counts
                .of
                .into_iter()
                .map(|count| Counted {
                    known: self.shared(operation, &count),
                    count,
                })
                .collect(),
            is_all: counts.is_all,
        }
    }

    fn shared(&mut self, operation: OperatorId, count: &Count) -> SharedVerdicts {
        let Some((conjunct, looks_at)) = count.condition() else {
            return SharedVerdicts::default();
        };
        if self.of.len() >= CONDITIONS_MAX {
            self.of.clear();
        }
        let shared = self.of.entry((operation, conjunct, looks_at.into()));
        Rc::clone(shared.or_default())
    }
}

/// A count that an instance compares, with the values evaluated so far.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) count: Count,
    known: SharedVerdicts,
}

/// Values kept: a longer list takes longer to search than to evaluate.
const OTHERS_MAX: usize = 64;

impl Counted {
    /// Whether a cell that holds `value` is counted. `evaluate` computes it.
    fn is_counted(&self, value: &Value, evaluate: &mut dyn FnMut(&Value) -> Option<bool>) -> Option<bool> {
        let known = self.known.borrow().get(value);
        known.unwrap_or_else(|| {
            let counted = evaluate(value);
            self.known.borrow_mut().add(value, counted);
            counted
        })
    }

    /// The number of counted cells in a state; `None` if it cannot be evaluated.
    pub(crate) fn counted_in(
        &self,
        state: &SpecState,
        evaluate: &mut dyn FnMut(&Value) -> Option<bool>,
    ) -> Option<i64> {
        let cells = state.values().get(self.count.variable as usize)?;
        let mut counted = 0;
        for key in &self.count.keys {
            counted += i64::from(self.is_counted(cells.apply(key)?, evaluate)?);
        }
        Some(counted)
    }
}
