//! What is said about a search that is over.

use std::sync::atomic::Ordering;

use super::CheckRun;
use crate::report::{Answer, Behaviour, PropertyKind, Report};
use crate::tla_system::TlaSystem;

impl CheckRun<'_> {
    /// Every `_POSSIBLE` formula must be true somewhere in a completed search.
    pub(super) fn check_possible(&self, system: &TlaSystem<'_>, report: &mut Report) {
        let all = self.model.possible.iter().zip(&system.possible_counts);
        for (possible, count) in all {
            if count.load(Ordering::Relaxed) > 0 {
                continue;
            }
            let name = &possible.formula.name;
            let what = if possible.is_step { "step" } else { "state" };
            if report.behaviours.is_some() {
                report.notes.push(format!(
                    "no {what} of the behaviours that were drawn satisfies {name} (_POSSIBLE)"
                ));
                continue;
            }
            report.notes.push(format!(
                "no {what} satisfies {name}, which must be possible (_POSSIBLE)"
            ));
            let violation = Behaviour::new(PropertyKind::Postcondition, Some(name.clone()), Vec::new());
            report.answer = Answer::Wrong(Box::new(violation));
            return;
        }
    }

    /// Adds a note where `valid` covers less than a reader may expect.
    pub(super) fn note_what_was_checked(&self, system: &TlaSystem<'_>, report: &mut Report) {
        if !matches!(report.answer, Answer::Valid | Answer::Stopped) {
            return;
        }
        if report.figures.generated == 0 {
            report
                .notes
                .push("no state satisfies the initial condition, so nothing was checked".into());
            return;
        }
        let has_formula = !(system.invariants.is_empty()
            && system.initials.is_empty()
            && system.steps.is_empty()
            && report.held.is_empty()
            && self.model.postconditions.is_empty()
            && self.model.possible.is_empty());
        if !has_formula {
            report.notes.push(match self.checks_deadlock {
                true => "no invariant was checked, only that there is no deadlock".into(),
                false => "no invariant was checked, and no deadlock: the states were only explored".into(),
            });
        }
    }
}
