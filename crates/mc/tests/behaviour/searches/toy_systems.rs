//! Small transition systems: a grid and a pseudo-random graph.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use omnilink_mc::{
    Fingerprint, SearchLimits, SearchOptions, State, StateVisitor, SuccessorVisitor, TransitionSystem,
};
use omnilink_value::Value;

/// A grid: from the origin, each step adds 1 to one coordinate. Action n increments coordinate n.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    /// The largest value of a coordinate.
    pub side: i64,
    /// Number of coordinates.
    pub dimensions: usize,
    /// The invariant: no state has this sum of coordinates.
    pub forbidden_sum: Option<i64>,
    /// The step property: no step leads to this sum.
    pub forbidden_step: Option<i64>,
    /// States with this sum cannot be expanded.
    pub failing_sum: Option<i64>,
    /// The constraint: the sum is at most this.
    pub sum_max: Option<i64>,
    /// Whether the far corner is a deadlock.
    pub is_corner_deadlock: bool,
    /// Whether the order of coordinates is irrelevant.
    pub is_symmetric: bool,
}

impl TransitionSystem for Grid {
    type Worker = ();
    type Label = usize;
    type Step = usize;
    type Error = String;

    fn worker(&self, _: usize) {}

    fn action_count(&self) -> usize {
        self.dimensions
    }

    fn action(&self, label: &usize) -> usize {
        *label
    }

    fn describe(&self, (): &(), label: &usize) -> usize {
        *label
    }

    fn initial_states(&self, (): &mut (), visitor: &mut StateVisitor<'_, ()>) -> Result<(), String> {
        let origin = vec![Value::int(0); self.dimensions];
        let _ = visitor(&mut (), &origin);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        from: &State,
        _: u32,
        visitor: &mut dyn SuccessorVisitor<(), usize>,
    ) -> Result<(), String> {
        if Some(sum(from)) == self.failing_sum {
            return Err("failing sum".into());
        }
        for at in 0..self.dimensions {
            let mut to = from.to_vec();
            let coordinate = to[at].as_int().unwrap_or_default();
            if coordinate < self.side {
                to[at] = Value::int(coordinate + 1);
                if visitor.visit(&mut (), &to, &at) == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn has_constraints(&self) -> bool {
        self.sum_max.is_some()
    }

    fn has_action_constraints(&self) -> bool {
        false
    }

    fn checks_repeat(&self) -> bool {
        true
    }

    fn has_step_properties(&self) -> bool {
        self.forbidden_step.is_some()
    }

    fn satisfies_constraints(&self, (): &mut (), state: &State, _: u32) -> Result<bool, String> {
        Ok(self.sum_max.is_none_or(|most| sum(state) <= most))
    }

    fn satisfies_action_constraints(
        &self,
        (): &mut (),
        _: &State,
        _: &[Value],
        _: u32,
    ) -> Result<bool, String> {
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

    fn violated_invariant(
        &self,
        (): &mut (),
        state: &State,
        _: u32,
        from: usize,
    ) -> Result<Option<usize>, String> {
        Ok((from == 0 && Some(sum(state)) == self.forbidden_sum).then_some(0))
    }

    fn violated_initial_property(&self, (): &mut (), _: &State, _: usize) -> Result<Option<usize>, String> {
        Ok(None)
    }

    fn violated_step_property(
        &self,
        (): &mut (),
        (_, to): (&State, &[Value]),
        _: u32,
        from: usize,
    ) -> Result<Option<usize>, String> {
        Ok((from == 0 && Some(sum(to)) == self.forbidden_step).then_some(0))
    }

    fn checks_deadlock(&self) -> bool {
        self.is_corner_deadlock
    }
}

/// The sum of the coordinates.
pub fn sum(state: &[Value]) -> i64 {
    state.iter().filter_map(Value::as_int).sum()
}

/// Options with this many workers and no limit that a test could reach.
pub fn search(workers: usize) -> SearchOptions {
    SearchOptions {
        workers,
        limits: SearchLimits {
            time: None,
            memory_bytes: 8 << 30,
        },
        queue_bytes_max: 1 << 30,
        seen_bytes_max: 1 << 30,
        stack_bytes: 1 << 20,
        depth_max: None,
    }
}

/// A pseudo-random graph over numbers, most of them reachable from several levels.
#[derive(Clone, Copy, Debug)]
pub struct RandomGraph {
    /// Number of states.
    pub nodes: i64,
    /// Number of successors of each state.
    pub degree: i64,
    /// The invariant: this state is not reached.
    pub forbidden: Option<i64>,
    /// Each thread sleeps once per this many expansions, as if it had been suspended.
    pub sleeps_every: Option<u64>,
    /// Whether states may be expanded twice.
    pub may_reexpand: bool,
    /// Counts expansions.
    pub expansions: Option<&'static AtomicU64>,
    /// A state whose expansion panics.
    pub panics_at: Option<i64>,
    /// States that this number divides violate the constraints.
    pub outside: Option<i64>,
    /// Steps between states with a sum that this number divides violate the action constraints.
    pub outside_steps: Option<i64>,
    /// The step property: no step between states with this sum.
    pub forbidden_step: Option<i64>,
    /// Whether the checks of a step have the same answer each time.
    pub checks_repeat: bool,
}

thread_local! {
    static EXPANDED: Cell<u64> = const { Cell::new(0) };
}

impl RandomGraph {
    /// The successor of this index.
    pub fn successor(&self, from: i64, index: i64) -> i64 {
        let mixed = (from * 6_364_136_223 + index * 1_442_695_041 + 17).unsigned_abs();
        // Near and far successors, so that there are long paths and shortcuts.
        let step = if index == 0 {
            1
        } else {
            mixed % (1 << (index % 12).max(3))
        };
        (from + step as i64) % self.nodes
    }
}

impl TransitionSystem for RandomGraph {
    type Worker = ();
    type Label = usize;
    type Step = usize;
    type Error = String;

    fn worker(&self, _: usize) {}

    fn action_count(&self) -> usize {
        self.degree as usize
    }

    fn action(&self, label: &usize) -> usize {
        *label
    }

    fn describe(&self, (): &(), label: &usize) -> usize {
        *label
    }

    fn initial_states(&self, (): &mut (), visitor: &mut StateVisitor<'_, ()>) -> Result<(), String> {
        let _ = visitor(&mut (), &[Value::int(0)]);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        from: &State,
        _: u32,
        visitor: &mut dyn SuccessorVisitor<(), usize>,
    ) -> Result<(), String> {
        let expanded = EXPANDED.get() + 1;
        EXPANDED.set(expanded);
        if let Some(expansions) = self.expansions {
            expansions.fetch_add(1, Ordering::Relaxed);
        }
        assert_ne!(Some(sum(from)), self.panics_at, "planned panic");
        if self
            .sleeps_every
            .is_some_and(|every| expanded.is_multiple_of(every))
        {
            sleep(Duration::from_millis(4));
        }
        for index in 0..self.degree {
            let to = [Value::int(self.successor(sum(from), index))];
            let label = index as usize;
            let is_skipped = visitor.can_skip(Fingerprint::of_state(&to), &label);
            if !is_skipped && visitor.visit(&mut (), &to, &label) == ControlFlow::Break(()) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn has_constraints(&self) -> bool {
        self.outside.is_some() || self.outside_steps.is_some()
    }

    fn has_action_constraints(&self) -> bool {
        self.outside_steps.is_some()
    }

    fn checks_repeat(&self) -> bool {
        self.checks_repeat
    }

    fn has_step_properties(&self) -> bool {
        self.forbidden_step.is_some()
    }

    fn satisfies_constraints(&self, (): &mut (), state: &State, _: u32) -> Result<bool, String> {
        let divides = |by: i64| sum(state) > 0 && sum(state) % by == 0;
        Ok(!self.outside.is_some_and(divides))
    }

    fn satisfies_action_constraints(
        &self,
        (): &mut (),
        from: &State,
        to: &[Value],
        _: u32,
    ) -> Result<bool, String> {
        let divides = |by: i64| (sum(from) + sum(to)) % by == 0;
        Ok(!self.outside_steps.is_some_and(divides))
    }

    fn fingerprint(&self, (): &mut (), state: &[Value], _: u32) -> Result<Fingerprint, String> {
        Ok(Fingerprint::of_state(state))
    }

    fn violated_invariant(
        &self,
        (): &mut (),
        state: &State,
        _: u32,
        from: usize,
    ) -> Result<Option<usize>, String> {
        Ok((from == 0 && Some(sum(state)) == self.forbidden).then_some(0))
    }

    fn violated_initial_property(&self, (): &mut (), _: &State, _: usize) -> Result<Option<usize>, String> {
        Ok(None)
    }

    fn violated_step_property(
        &self,
        (): &mut (),
        (before, after): (&State, &[Value]),
        _: u32,
        from: usize,
    ) -> Result<Option<usize>, String> {
        let is_forbidden = Some(sum(before) + sum(after)) == self.forbidden_step;
        Ok((from == 0 && is_forbidden).then_some(0))
    }

    fn checks_deadlock(&self) -> bool {
        false
    }

    fn may_reexpand(&self) -> bool {
        self.may_reexpand
    }
}
