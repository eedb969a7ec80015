//! Formulas outside of any state: assumptions, postconditions, and what mentions no variable.

use omnilink_memory::guard;
use omnilink_tla::deep_stack;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Session};
use omnilink_tla::ir::Formula;
use omnilink_tla::model::{Check, NamedFormula};
use omnilink_value::Value;

use super::CheckRun;
use crate::counterexample::{failure_report, false_part};
use crate::limits::Limit;
use crate::report::{Answer, Behaviour, PropertyKind, Report};
use crate::session::set_level;

impl CheckRun<'_> {
    /// Evaluates invariants and properties of initial states that have no variables once, before the search, as in TLC.
    pub(super) fn constant_formulas(&self, report: &mut Report) -> Option<Answer> {
        let program = &self.model.program;
        let invariants = self.model.invariants.iter();
        let constant: Vec<NamedFormula> = invariants
            .filter(|named| program.operator(named.formula).body.uses.is_constant())
            .cloned()
            .collect();
        for named in &constant {
            report.notes.push(format!(
                "the invariant {} mentions no variable, so it is the same in every state",
                named.name
            ));
        }
        let mut properties = Vec::new();
        for property in &self.model.properties {
            for check in &property.checks {
                if let Check::Initial(formula) = check
                    && program.operator(*formula).body.uses.is_constant()
                {
                    properties.push(NamedFormula {
                        name: property.name.clone(),
                        formula: *formula,
                        at: None,
                    });
                }
            }
        }
        let is_false = |answer: &Answer| match answer {
            Answer::Wrong(violation) => !violation.kind.is_error(),
            _ => true,
        };
        // An error does not matter if there is no state.
        let invariant = self.evaluate(&constant, PropertyKind::Invariant).filter(is_false);
        invariant.or_else(|| {
            self.evaluate(&properties, PropertyKind::Property)
                .filter(is_false)
        })
    }

    /// Evaluates formulas outside of any state. Returns an answer if one is false or fails.
    pub(super) fn evaluate(&self, formulas: &[NamedFormula], kind: PropertyKind) -> Option<Answer> {
        deep_stack::run(|| {
            set_level(0);
            let mut evaluator = Evaluator::new(&self.model.program, self.session);
            for named in formulas {
                match evaluator.truth(named.formula) {
                    Ok(true) => {}
                    Ok(false) => {
                        return Some(Answer::Wrong(Box::new(Behaviour {
                            false_part: false_part(self.model, &mut evaluator, named.formula),
                            ..Behaviour::new(kind, Some(named.name.clone()), Vec::new())
                        })));
                    }
                    Err(failure) => return Some(self.failure_answer(&failure, Some(&named.name))),
                }
            }
            None
        })
    }

    /// Evaluates the postconditions after a violation: they may look at `CounterExample`. The violation stays the answer.
    pub(super) fn evaluate_after_violation(&self, report: &mut Report) {
        match self.evaluate(&self.model.postconditions, PropertyKind::Postcondition) {
            None => {}
            Some(Answer::Wrong(wrong)) if wrong.kind.is_error() => {
                let error = wrong.error.as_deref().unwrap_or_default();
                report.notes.push(format!(
                    "the postcondition {} could not be evaluated after the violation: {error}",
                    wrong.violated.as_deref().unwrap_or_default()
                ));
            }
            Some(Answer::Wrong(wrong)) => report.further.push(*wrong),
            Some(_) => report
                .notes
                .push("time was up before the postconditions were evaluated after the violation".to_owned()),
        }
    }

    /// The answer for a failed evaluation outside of the search: a limit if it ran out of time.
    pub(super) fn failure_answer(&self, failure: &Failure, name: Option<&str>) -> Answer {
        if failure.class == ErrorClass::Resource && self.session.is_over() {
            return Answer::Limit(match guard::over() {
                _ if self.progress.is_interrupted() => Limit::Interrupt,
                Some(over) => over.into(),
                None => Limit::Time,
            });
        }
        Answer::Wrong(Box::new(Behaviour {
            violated: name.map(str::to_owned),
            ..failure_report(self.model, failure, Vec::new())
        }))
    }

    pub(super) fn value(&self, formula: Formula) -> Result<Value, Box<Failure>> {
        deep_stack::run(|| Evaluator::new(&self.model.program, self.session).value(formula))
    }
}
