//! Diagnostics of a link: recorded fields that nothing reads, vacuous verdicts, slow expressions.

use omnilink_tla::ir::Formula;

use crate::model::TlaModel;
use crate::probe::Thoroughness;
use crate::vacuity::{Vacuity, vacuities};

/// Constant sets with more values are reported if an action enumerates them.
const VALUES_MAX: u64 = 5_000;

impl TlaModel<'_> {
    /// Recorded fields that nothing reads: operation and field. Outside setups made for OmniLink they are an error when an
    /// operation is bound.
    pub fn unread_fields(&self) -> Vec<(String, String)> {
        self.unread.borrow().iter().cloned().collect()
    }

    /// Reasons why a valid trace would have been valid with any recorded values.
    pub fn vacuities(&self) -> Vec<Vacuity> {
        let refused = self.coverage().actions.iter().map(|action| action.refused).sum();
        vacuities(&self.probe(Thoroughness::Brief), refused)
    }

    /// Expressions that enumerate a large constant set whenever an operation is evaluated, each as a sentence.
    pub fn slow_expressions(&self) -> Vec<String> {
        let linked = self.linked;
        let of_plans = linked.bindings.iter().flat_map(|binding| {
            let steps = binding.steps.iter().map(|steps| steps.step.operation);
            let aborted = binding.aborted.iter().map(|aborted| aborted.operation);
            steps
                .chain(aborted)
                .chain([binding.happened.operation])
                .map(|operation| operation.formula())
        });
        let others = linked.invariants.iter().map(|invariant| invariant.formula);
        let others = others
            .chain(linked.view)
            .chain(linked.hidden.iter().map(|(action, _)| *action));
        let formulas: Vec<Formula> = of_plans.chain(others).collect();
        let mut evaluator = self.evaluator.borrow_mut();
        let mut found: Vec<omnilink_tla::Enumeration> = Vec::new();
        for formula in formulas {
            for enumeration in evaluator.enumerations(formula, VALUES_MAX) {
                if !found.iter().any(|known| known.at == enumeration.at) {
                    found.push(enumeration);
                }
            }
        }
        let program = &linked.program;
        let sentence = |enumeration: &omnilink_tla::Enumeration| {
            let source = program.sources.get(enumeration.at.source);
            let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!(
                "{}: `{}` enumerates all {} values of {} whenever it is evaluated; test membership instead, or enumerate fewer",
                source.place(enumeration.at.span.start),
                one_line(program.text(enumeration.at)),
                enumeration.values,
                one_line(program.text(enumeration.set)),
            )
        };
        found.iter().map(sentence).collect()
    }
}
