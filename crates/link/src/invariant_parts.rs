//! Invariants, part by part: a step needs only those parts evaluated that read what it writes.
//!
//! An invariant is a conjunction of parts, `TypeOK == \A k \in Keys : f[k] \in Values` of one for each key. Every state of an explanation
//! satisfies all of them, the initial ones included. So a step that changes `f[3]` leads to a state that satisfies the invariant if
//! and only if the parts that read `f[3]` hold there. Such a step depends on the cells that these parts read, and on nothing
//! else of the invariant: with these among its reads, its footprint is complete.

use omnilink_tla::eval::error::Outcome;
use omnilink_tla::eval::{Effects, Evaluator, State};

use crate::instance::Instance;
use crate::known_step::KnownStep;
use crate::model::TlaModel;
use crate::state::SpecState;

/// Which invariant, and which part of it.
type Part = (u16, u16);

impl<'l> TlaModel<'l> {
    /// Effects with what the invariants read because of the writes.
    pub(crate) fn with_invariants(&self, mut effects: Effects) -> Box<Effects> {
        if effects.is_complete && !effects.writes.is_empty() {
            for condition in self.invariant_parts.iter().flatten().flatten() {
                if !is_touched(&effects, &condition.cells) {
                    continue;
                }
                for cell in &condition.cells {
                    if !effects.reads.contains(cell) {
                        effects.reads.push(cell.clone());
                    }
                }
            }
        }
        Box::new(effects)
    }

    /// The parts that an instance may make false; `None` if all invariants must be evaluated.
    pub(crate) fn touched_parts<'i>(&self, instance: &'i Instance) -> Option<&'i [Part]> {
        let parts = self.invariant_parts.as_deref()?;
        if parts.is_empty() {
            return Some(&[]);
        }
        // The evaluator, which would find them, may be in use.
        let effects = instance.0.effects.get().filter(|effects| effects.is_complete)?;
        Some(instance.0.touched.get_or_init(|| {
            let of_all = (0..).zip(parts);
            of_all
                .flat_map(|(invariant, parts)| {
                    (0..)
                        .zip(parts)
                        .map(move |(part, condition)| (invariant, part, condition))
                })
                .filter(|(.., condition)| is_touched(effects, &condition.cells))
                .map(|(invariant, part, _)| (invariant, part))
                .collect()
        }))
    }

    /// Whether parts of invariants hold in a state.
    pub(crate) fn hold(
        &self,
        evaluator: &mut Evaluator<'l>,
        parts: &[Part],
        values: &State,
    ) -> Outcome<bool> {
        let all = self.invariant_parts.as_deref().unwrap_or_default();
        for (invariant, part) in parts {
            let condition = all
                .get(*invariant as usize)
                .and_then(|parts| parts.get(*part as usize));
            let formula = self.linked.invariants.get(*invariant as usize);
            let (Some(condition), Some(named)) = (condition, formula) else {
                continue;
            };
            let holds = evaluator.condition_holds(named.formula.operation(), &[], condition, values)?;
            self.counters.invariant(*invariant as usize, holds);
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A step to a state whose values are known: refused if an invariant does not hold there, else the state with its view. `None`
    /// if that cannot be evaluated.
    pub(crate) fn judged(&self, instance: &Instance, next: SpecState) -> Option<KnownStep> {
        let touched = self.touched_parts(instance)?;
        if !touched.is_empty()
            && !self
                .hold(&mut self.evaluator.borrow_mut(), touched, next.values())
                .ok()?
        {
            return Some(KnownStep::Refused);
        }
        self.viewed(next).map(KnownStep::Next)
    }

    /// A state with its view; `None` if that cannot be evaluated.
    pub(crate) fn viewed(&self, state: SpecState) -> Option<SpecState> {
        if self.linked.view.is_none() {
            return Some(state);
        }
        let viewed = self.with_view(&mut self.evaluator.borrow_mut(), state.values().clone());
        Some(viewed.ok()?.after(&state))
    }
}

fn is_touched(effects: &Effects, cells: &[omnilink_tla::eval::Cell]) -> bool {
    let writes = || effects.writes.iter().map(|write| &write.cell);
    cells
        .iter()
        .any(|cell| writes().any(|written| written.overlaps(cell)))
}
