//! Small machines, drawn by hand.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use omnilink_mc::{Fingerprint, FoundState, FoundStep, Limits, Machine, Search, State};
use omnilink_value::Value;

/// What may be wrong with a grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    /// Coordinates run from 0 to this.
    pub side: i64,
    /// How many coordinates.
    pub dimensions: usize,
    /// A state that must not be reached: the sum of its coordinates.
    pub forbidden_sum: Option<i64>,
    /// A step that must not be taken: to this sum.
    pub forbidden_step: Option<i64>,
    /// A sum whose states cannot be evaluated.
    pub failing_sum: Option<i64>,
    /// States of a larger sum are outside the constraint.
    pub sum_max: Option<i64>,
    /// Whether the far corner is a deadlock.
    pub is_corner_deadlock: bool,
    /// Only the order of coordinates is left out of what identifies a state.
    pub is_symmetric: bool,
}

/// From the origin, each step adds 1 to one coordinate: action n to coordinate n.
impl Machine for Grid {
    type Worker = ();
    type Label = usize;
    type Named = usize;
    type Failure = String;

    fn worker(&self, _: usize) {}

    fn actions(&self) -> usize {
        self.dimensions
    }

    fn action(&self, label: &usize) -> usize {
        *label
    }

    fn named(&self, (): &(), label: &usize) -> usize {
        *label
    }

    fn initial(&self, (): &mut (), found: &mut FoundState<'_, ()>) -> Result<(), String> {
        let origin = vec![Value::int(0); self.dimensions];
        let _ = found(&mut (), &origin);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        from: &State,
        _: u32,
        found: &mut dyn FoundStep<(), usize>,
    ) -> Result<(), String> {
        if Some(sum(from)) == self.failing_sum {
            return Err("too much".into());
        }
        for at in 0..self.dimensions {
            let mut to = from.to_vec();
            let coordinate = to[at].as_int().unwrap_or_default();
            if coordinate < self.side {
                to[at] = Value::int(coordinate + 1);
                if found.found(&mut (), &to, &at) == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn has_constraints(&self) -> bool {
        self.sum_max.is_some()
    }

    fn has_step_properties(&self) -> bool {
        self.forbidden_step.is_some()
    }

    fn is_within(&self, (): &mut (), state: &State, _: u32) -> Result<bool, String> {
        Ok(self.sum_max.is_none_or(|most| sum(state) <= most))
    }

    fn is_step_within(&self, (): &mut (), _: &State, _: &[Value], _: u32) -> Result<bool, String> {
        Ok(true)
    }

    fn fingerprint(&self, (): &mut (), state: &[Value], _: u32) -> Result<Fingerprint, String> {
        if !self.is_symmetric {
            return Ok(Fingerprint::of_state(state));
        }
        let mut sorted = state.to_vec();
        sorted.sort();
        Ok(Fingerprint::of_state(&sorted))
    }

    fn broken_invariant(&self, (): &mut (), state: &State, _: u32) -> Result<Option<usize>, String> {
        Ok((Some(sum(state)) == self.forbidden_sum).then_some(0))
    }

    fn broken_initial(&self, (): &mut (), _: &State) -> Result<Option<usize>, String> {
        Ok(None)
    }

    fn broken_step(&self, (): &mut (), _: &State, to: &[Value], _: u32) -> Result<Option<usize>, String> {
        Ok((Some(sum(to)) == self.forbidden_step).then_some(0))
    }

    fn checks_deadlock(&self) -> bool {
        self.is_corner_deadlock
    }
}

/// The sum of the coordinates.
pub fn sum(state: &[Value]) -> i64 {
    state.iter().filter_map(Value::as_int).sum()
}

/// A search with so many workers and no limit that a test could reach.
pub fn search(workers: usize) -> Search {
    Search {
        workers,
        limits: Limits {
            time: None,
            memory_bytes: 8 << 30,
        },
        waiting_bytes_max: 1 << 30,
        stack_bytes: 1 << 20,
        depth_max: None,
    }
}

/// Numbers that lead to numbers, this way and that: most are reached from several levels.
#[derive(Clone, Copy, Debug)]
pub struct Web {
    /// States are the numbers below this.
    pub nodes: i64,
    /// How many successors each has.
    pub ways: i64,
    /// A state that must not be reached.
    pub forbidden: Option<i64>,
    /// Each thread rests once in so many expansions, as if it had lost its processor.
    pub rests_every: Option<u64>,
    /// Whether expanding a state twice cannot be noticed.
    pub may_repeat: bool,
    /// Counts the states that are expanded.
    pub expansions: Option<&'static AtomicU64>,
    /// A state whose expansion is a mistake of ours.
    pub panics_at: Option<i64>,
}

thread_local! {
    static EXPANDED: Cell<u64> = const { Cell::new(0) };
}

impl Web {
    /// Where the given way leads from a state.
    pub fn successor(&self, from: i64, way: i64) -> i64 {
        let mixed = (from * 6_364_136_223 + way * 1_442_695_041 + 17).unsigned_abs();
        // Near ones and far ones, so that there are long ways and shortcuts.
        let step = if way == 0 {
            1
        } else {
            mixed % (1 << (way % 12).max(3))
        };
        (from + step as i64) % self.nodes
    }
}

impl Machine for Web {
    type Worker = ();
    type Label = usize;
    type Named = usize;
    type Failure = String;

    fn worker(&self, _: usize) {}

    fn actions(&self) -> usize {
        self.ways as usize
    }

    fn action(&self, label: &usize) -> usize {
        *label
    }

    fn named(&self, (): &(), label: &usize) -> usize {
        *label
    }

    fn initial(&self, (): &mut (), found: &mut FoundState<'_, ()>) -> Result<(), String> {
        let _ = found(&mut (), &[Value::int(0)]);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        from: &State,
        _: u32,
        found: &mut dyn FoundStep<(), usize>,
    ) -> Result<(), String> {
        let expanded = EXPANDED.get() + 1;
        EXPANDED.set(expanded);
        if let Some(expansions) = self.expansions {
            expansions.fetch_add(1, Ordering::Relaxed);
        }
        assert_ne!(Some(sum(from)), self.panics_at, "as planned");
        if self
            .rests_every
            .is_some_and(|every| expanded.is_multiple_of(every))
        {
            sleep(Duration::from_millis(4));
        }
        for way in 0..self.ways {
            let to = [Value::int(self.successor(sum(from), way))];
            let label = way as usize;
            let is_known = found.is_known(Fingerprint::of_state(&to), &label);
            if !is_known && found.found(&mut (), &to, &label) == ControlFlow::Break(()) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn has_constraints(&self) -> bool {
        false
    }

    fn has_step_properties(&self) -> bool {
        false
    }

    fn is_within(&self, (): &mut (), _: &State, _: u32) -> Result<bool, String> {
        Ok(true)
    }

    fn is_step_within(&self, (): &mut (), _: &State, _: &[Value], _: u32) -> Result<bool, String> {
        Ok(true)
    }

    fn fingerprint(&self, (): &mut (), state: &[Value], _: u32) -> Result<Fingerprint, String> {
        Ok(Fingerprint::of_state(state))
    }

    fn broken_invariant(&self, (): &mut (), state: &State, _: u32) -> Result<Option<usize>, String> {
        Ok((Some(sum(state)) == self.forbidden).then_some(0))
    }

    fn broken_initial(&self, (): &mut (), _: &State) -> Result<Option<usize>, String> {
        Ok(None)
    }

    fn broken_step(&self, (): &mut (), _: &State, _: &[Value], _: u32) -> Result<Option<usize>, String> {
        Ok(None)
    }

    fn checks_deadlock(&self) -> bool {
        false
    }

    fn may_repeat(&self) -> bool {
        self.may_repeat
    }
}
