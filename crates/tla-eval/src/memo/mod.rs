//! Memoisation of evaluations by the inputs that they read.
//!
//! Neighbouring states differ little, and an action reads little of a state: `pc[i]` decides whether process `i` can move at all.
//! So the results of actions and of costly formulas are kept in a [trie](trie) per *memo point* (a node of the program). Each inner
//! node of the trie is a [read](read) (a variable or a slot, and a path into it) and branches on what is observed there; a leaf
//! is the result. The result of an action is the list of its successors, each as [edits](edit) of the current state, so that
//! `[pc EXCEPT ![i] = "done"]` is the same result whatever the rest of `pc` is.
//!
//! # Soundness
//!
//! Evaluation is deterministic. Its only inputs are the state, the slots that are free in the node, and the set of variables that
//! are already assigned when it starts. During the first evaluation, every read of an input is logged in order. By induction over
//! the log: as long as another evaluation observes the same for the reads logged so far, it has taken the same path, so its next
//! read is the same. At the end of the log it therefore has the same result. Reads that are not logged would break this, so:
//!
//! - A node that reads registers, random values or files is not a memo point, nor is anything around it (`Uses::impure`).
//! - While logging, caches that hide reads are not used (`PerState`), and [`Evaluator::peek`] returns nothing.
//! - A slot that is not bound inside the memo point is an input, and so is the thunk in it. What is read to evaluate that thunk
//!   follows from it.
//! - The source of an edit (`pc` above) is not read, because the result is an edit of whatever value it has. Once the next value
//!   itself is read, its source is logged as a whole. An edit that does not apply to a value (no such key, not a set) is not
//!   applied: evaluation runs instead and reports the error.
//! - The set of assigned variables must be the same at every start, or the memo point is bypassed. Reading the next value of such a
//!   variable invalidates the log. So do `ENABLED` and `\cdot`, which change the state in between.
//!
//! Errors are not memoised. They are evaluated again, with all their details.
//!
//! # Disabled memo points
//!
//! A memo point with a low hit rate is disabled, and the memo points inside it remain: an invariant over all processes may never see
//! the same inputs twice while its part about one process does.

mod edit;
mod edit_evaluation;
mod interner;
mod logging;
mod read;
mod read_log;
mod refusal;
mod replay;
mod trie;

use std::sync::Arc;

use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::Datum;
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::step::Continuation;
use super::successors::OnNextState;
pub(crate) use edit::Edit;
use interner::Interner;
use logging::LogScope;
use omnilink_tla_ir::Node;
use read_log::ReadLog;
use trie::{MemorySize, ObservedRead, Trie, Walk};

/// The memo of one evaluator, and the log of the evaluation in progress.
pub(crate) struct Memo {
    points: Vec<MemoPoint>,
    interner: Interner,
    log: ReadLog,
    /// How the next value of each variable was computed, as far as it was logged.
    edits: Vec<Edit>,
    /// The variables that were assigned when the innermost logged action began.
    assigned: u128,
    /// Approximate number of bytes that tries may still use.
    bytes_left: usize,
}

/// One memoised node of the program.
#[derive(Default)]
struct MemoPoint {
    trie: Trie<MemoResult>,
    lookups: u32,
    hits: u32,
    is_disabled: bool,
    /// The variables that are assigned whenever an action begins here.
    assigned: Option<u128>,
}

impl MemoPoint {
    /// Disables the memo point if its hit rate is too low.
    #[cold]
    fn review(&mut self) {
        self.is_disabled = self.hits < EARLY_HITS_MIN;
        if self.lookups == REVIEW_LOOKUPS {
            self.is_disabled |= self.hits < REVIEW_HITS_MIN;
            (self.lookups, self.hits) = (0, 0);
        }
    }
}

/// The result at a memo point.
#[derive(Clone, Debug)]
enum MemoResult {
    Value(Value),
    Successors(Arc<[MemoSuccessor]>),
}

/// One successor that an action allows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MemoSuccessor {
    action: Option<u32>,
    edits: Box<[(u32, Edit)]>,
}

impl MemoResult {
    fn interned(self, interner: &mut Interner) -> Self {
        match self {
            Self::Value(value) => Self::Value(interner.value(&value)),
            Self::Successors(successors) => {
                Self::Successors(interner.successors.intern(&*successors, || successors.clone()))
            }
        }
    }
}

impl MemorySize for MemoResult {
    fn bytes(&self) -> usize {
        match self {
            Self::Value(value) => value.bytes(),
            Self::Successors(successors) => {
                let edits = successors.iter().flat_map(|successor| &successor.edits);
                successors.len() * size_of::<MemoSuccessor>()
                    + edits.map(|(_, edit)| edit.bytes()).sum::<usize>()
            }
        }
    }
}

/// The outcome of a lookup.
enum Lookup {
    /// The result is in this leaf.
    Hit(u32),
    /// There is no result yet: evaluation is to be logged.
    Miss,
    /// Evaluation is not to be logged.
    Bypass,
}

/// After this many lookups, a memo point needs a few hits. One that depends on the whole state has none, and is the most costly to
/// fill. Useful memo points have a hit rate over 10 % by then, measured on the benchmark specs.
const EARLY_LOOKUPS: u32 = 256;
const EARLY_HITS_MIN: u32 = 4;
/// After this many lookups, a memo point needs a hit rate of five eighths: storing a result costs as much as several hits save.
const REVIEW_LOOKUPS: u32 = 16 * EARLY_LOOKUPS;
const REVIEW_HITS_MIN: u32 = REVIEW_LOOKUPS / 8 * 5;
/// Maximum number of successors in one result.
const SUCCESSORS_MAX: usize = 256;
/// Variables that fit the bit set of assigned ones.
const VARIABLES_MAX: usize = 128;

impl<'p> Evaluator<'p> {
    /// Enables a memo of about this many bytes. Memoised steps name their action, but have no bindings.
    pub fn enable_memo_within(&mut self, bytes: usize) {
        self.enable_log(bytes, MemoPoint::default);
    }

    /// Lets [`Evaluator::reads_of_refusal`] log reads, without a memo.
    pub fn enable_read_log(&mut self) {
        self.enable_log(0, || MemoPoint {
            is_disabled: true,
            ..MemoPoint::default()
        });
    }

    fn enable_log(&mut self, bytes: usize, point: impl FnMut() -> MemoPoint) {
        let variables = self.program.variables.len();
        if variables > VARIABLES_MAX {
            return;
        }
        self.memo = Some(Box::new(Memo {
            points: std::iter::repeat_with(point)
                .take(self.program.memo_points as usize)
                .collect(),
            interner: Interner::default(),
            log: ReadLog::default(),
            edits: vec![Edit::Same; variables],
            assigned: 0,
            bytes_left: bytes,
        }));
    }

    /// Evaluates without the memo: filling it costs more than evaluating once.
    pub fn without_memo<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let memo = self.memo.take();
        let result = work(self);
        self.memo = memo;
        result
    }

    /// Whether the memo may be used. Evaluations that are explained must really happen.
    fn uses_memo(&self) -> bool {
        self.memo.is_some() && !self.primed && self.refusals.is_none()
    }

    /// The value at a memo point.
    #[inline(never)]
    pub(super) fn memo_value(&mut self, point: u32, inner: &'p Node) -> Outcome<Datum<'p>> {
        if inner.uses.next || !self.uses_memo() {
            return self.eval(inner);
        }
        match self.lookup(point) {
            Lookup::Bypass => self.eval(inner),
            Lookup::Hit(leaf) => match self.result(point, leaf) {
                Some(MemoResult::Value(value)) => Ok(Datum::Value(value.clone())),
                _ => self.eval(inner),
            },
            Lookup::Miss => {
                let scope = self.begin_log();
                let result = self.eval(inner);
                if let Ok(Datum::Value(value)) = &result {
                    let value = value.clone();
                    self.store(point, inner, &scope, MemoResult::Value(value));
                }
                self.end_log(scope);
                result
            }
        }
    }

    /// The successors that a memo point allows.
    #[inline(never)]
    pub(super) fn memo_step(
        &mut self,
        point: u32,
        inner: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        if !self.uses_memo() {
            return self.step(inner, rest, on_next);
        }
        match self.lookup(point) {
            Lookup::Bypass => self.step(inner, rest, on_next),
            Lookup::Hit(leaf) => match self.replay(point, leaf, rest, on_next) {
                Some(flow) => flow,
                None => self.step(inner, rest, on_next),
            },
            Lookup::Miss => self.step_and_store(point, inner, rest, on_next),
        }
    }

    fn step_and_store(
        &mut self,
        point: u32,
        inner: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let assigned = self.assigned_variables();
        let Some(memo) = &mut self.memo else {
            return self.step(inner, rest, on_next);
        };
        let here = &mut memo.points[point as usize];
        if *here.assigned.get_or_insert(assigned) != assigned {
            return self.step(inner, rest, on_next);
        }
        let outer_assigned = std::mem::replace(&mut memo.assigned, assigned);
        let scope = self.begin_log();
        // The action around the memo point is not part of it: the same formula may belong to several.
        let outer = self.taken.take();
        let mut successors = Vec::new();
        let mut later = Vec::new();
        let flow = self.step(inner, &Continuation::Done, &mut |this: &mut Self| {
            let inner = this.taken;
            if successors.len() < SUCCESSORS_MAX {
                successors.push(this.memo_successor(assigned));
            } else {
                this.invalidate_log();
            }
            // What follows the memo point does not belong to it: neither its reads nor its assignments. They belong to the
            // enclosing memo point, if there is one, and come after this one.
            let mark = this.memo.as_mut().map_or(0, |memo| {
                memo.assigned = outer_assigned;
                memo.log.len()
            });
            this.is_logging = scope.is_nested;
            this.taken = inner.or(outer);
            let flow = this.continue_with(rest, on_next);
            this.taken = inner;
            this.is_logging = true;
            if let Some(memo) = &mut this.memo {
                memo.assigned = assigned;
                memo.log.split_off(mark, &mut later);
            }
            flow
        });
        self.taken = outer;
        if matches!(flow, Ok(Flow::Go)) {
            self.store(point, inner, &scope, MemoResult::Successors(successors.into()));
        }
        let is_nested = scope.is_nested;
        self.end_log(scope);
        if let Some(memo) = &mut self.memo {
            memo.assigned = outer_assigned;
            if is_nested {
                memo.log.append(later);
            }
        }
        flow
    }

    /// The variables that have a next value, one bit each.
    fn assigned_variables(&self) -> u128 {
        let bits = self.is_assigned.iter().zip(0u32..);
        bits.fold(0, |assigned, (known, at)| assigned | u128::from(*known) << at)
    }

    /// The current next state, as edits of the variables that were not assigned at the start.
    fn memo_successor(&self, assigned: u128) -> MemoSuccessor {
        let edits = self.memo.as_ref().map_or(&[][..], |memo| &memo.edits);
        let own = (0u32..)
            .zip(edits)
            .filter(|(at, _)| self.is_assigned[*at as usize] && assigned >> at & 1 == 0);
        MemoSuccessor {
            action: self.taken.map(|taken| taken.action),
            edits: own.map(|(at, edit)| (at, edit.clone())).collect(),
        }
    }

    fn result(&self, point: u32, leaf: u32) -> Option<&MemoResult> {
        self.memo.as_ref()?.points.get(point as usize)?.trie.leaf(leaf)
    }

    /// Looks up the result for the current inputs.
    fn lookup(&mut self, point: u32) -> Lookup {
        let Some(memo) = &mut self.memo else {
            return Lookup::Bypass;
        };
        let here = &mut memo.points[point as usize];
        if here.is_disabled {
            return Lookup::Bypass;
        }
        here.lookups += 1;
        if here.lookups.is_multiple_of(EARLY_LOOKUPS) {
            here.review();
            if here.is_disabled {
                memo.bytes_left += here.trie.clear();
                memo.interner.clear();
                return Lookup::Bypass;
            }
        }
        loop {
            let Some(memo) = &mut self.memo else {
                return Lookup::Bypass;
            };
            let here = &mut memo.points[point as usize];
            let log = self.is_logging.then_some(&mut memo.log);
            match here.trie.walk(&self.state, &self.slots, self.base, log) {
                Walk::Hit(leaf) => {
                    here.hits += 1;
                    return Lookup::Hit(leaf);
                }
                Walk::Miss if memo.bytes_left == 0 => return Lookup::Bypass,
                Walk::Miss => return Lookup::Miss,
                // Evaluation would read this thunk next, so it is evaluated now. If that fails, it fails again where the error
                // belongs.
                Walk::Unevaluated(slot) => match self.local(slot) {
                    Ok(Datum::Value(_)) => {}
                    _ => return Lookup::Bypass,
                },
            }
        }
    }

    /// Stores a result under the inputs that were logged.
    fn store(&mut self, point: u32, node: &Node, scope: &LogScope, result: MemoResult) {
        let Some(memo) = &mut self.memo else { return };
        let Some(reads) = memo
            .log
            .inputs(scope.start, self.base, scope.top, node.uses.slots)
        else {
            return;
        };
        // A result can be found again only if all its inputs can be observed.
        let inputs: Option<SmallVec<[_; 8]>> = reads
            .iter()
            .map(|read| {
                let observed = read.observe(&self.state, &self.slots, self.base)?;
                Some(ObservedRead { read, observed })
            })
            .collect();
        let Some(inputs) = inputs else { return };
        let result = result.interned(&mut memo.interner);
        let trie = &mut memo.points[point as usize].trie;
        let added = trie.insert(&inputs, &mut memo.interner, result);
        memo.bytes_left = memo.bytes_left.saturating_sub(added);
    }
}
