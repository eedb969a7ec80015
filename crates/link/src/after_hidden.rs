//! What hidden steps mean for a model: the states that they lead to, and the footprints of the operations that meet them. Why that is right
//! is argued in [`crate::hidden_steps`].

use std::rc::Rc;

use omnilink_engine::{Footprint, Keys};
use omnilink_tla::eval::error::{ErrorClass, Failure, Outcome};
use omnilink_tla::eval::{Evaluator, Flow, State};

use crate::hidden_steps::HIDDEN_MAX;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::state::SpecState;

/// The states kept with what hidden steps lead to from them.
const KNOWN_MAX: usize = 1 << 10;
/// More states than these are not kept.
const KEPT_MAX: usize = 64;
/// The key that every operation reads: no variable has this number.
const ROOM: u64 = 0x6869_6464_656e_0000;

impl<'l> TlaModel<'l> {
    pub(crate) fn has_hidden_steps(&self) -> bool {
        !self.linked.hidden.is_empty()
    }

    /// Whether an operation meets the hidden steps.
    pub(crate) fn meets_hidden_steps(&self, instance: &Instance) -> bool {
        self.has_hidden_steps() && self.hidden.borrow().are_met_by(self.effects(instance))
    }

    /// The footprint of an operation in a spec with hidden steps.
    pub(crate) fn with_hidden_footprint(&self, instance: &Instance, mut footprint: Footprint) -> Footprint {
        if self.meets_hidden_steps(instance) {
            return Footprint::everything();
        }
        if let Keys::Only(keys) = &mut footprint.reads {
            keys.push(ROOM);
        }
        if let Keys::Only(keys) = &mut footprint.writes
            && keys.is_empty()
        {
            keys.push(ROOM ^ instance.0.hash | 1);
        }
        footprint
    }

    /// The state, and all states that hidden steps lead to from it.
    pub(crate) fn with_hidden(
        &self,
        evaluator: &mut Evaluator<'l>,
        state: &SpecState,
    ) -> Outcome<Rc<[SpecState]>> {
        // States with equal views may lead to different ones.
        let is_kept = self.linked.view.is_none();
        if is_kept && let Some(known) = self.hidden.borrow().known.get(state) {
            return Ok(Rc::clone(known));
        }
        let states: Rc<[SpecState]> = self.after_hidden(evaluator, state)?.into();
        if is_kept && states.len() <= KEPT_MAX {
            let known = &mut self.hidden.borrow_mut().known;
            if known.len() >= KNOWN_MAX {
                known.clear();
            }
            known.insert(state.clone(), Rc::clone(&states));
        }
        Ok(states)
    }

    fn after_hidden(&self, evaluator: &mut Evaluator<'l>, state: &SpecState) -> Outcome<Vec<SpecState>> {
        let mut reached = vec![(state.clone(), vec![0u32; self.linked.hidden.len()])];
        let mut next = 0;
        while let Some((from, used)) = reached.get(next).cloned() {
            next += 1;
            for (number, (action, bound)) in self.linked.hidden.iter().enumerate() {
                if used[number] >= *bound {
                    continue;
                }
                let mut used = used.clone();
                used[number] += 1;
                let mut states: Vec<State> = Vec::new();
                evaluator.successors(*action, from.values(), &mut |_, next, _| {
                    let canonical = self.layout.canonical(next);
                    states.push(canonical.as_deref().unwrap_or(next).into());
                    Ok(Flow::Go)
                })?;
                for values in states {
                    let Some(state) = self.completed(evaluator, values)? else {
                        continue;
                    };
                    let entry = (state.after(&from), used.clone());
                    if !reached.contains(&entry) {
                        reached.push(entry);
                    }
                }
                if reached.len() > HIDDEN_MAX {
                    let message =
                        format!("hidden steps lead to more than {HIDDEN_MAX} states; lower their bounds");
                    return Err(Failure::new(ErrorClass::Resource, message));
                }
            }
        }
        let mut states: Vec<SpecState> = Vec::new();
        for (state, _) in reached {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(states)
    }
}
