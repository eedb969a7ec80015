//! Instances of temporal formulas: quantifiers over constant sets become conjunctions and disjunctions, and the parts about states and
//! steps become atoms.

use std::sync::Arc;

use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::ir::OperatorId;
use omnilink_tla::ir::temporal::{Temporal, TemporalBounded, TemporalKind};
use omnilink_value::Value;

use super::formula::{Atom, FormulaKind, Origin, TemporalFormula};

/// How the truth of an atom is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AtomKind {
    /// Evaluated in each state.
    State(OperatorId),
    /// Evaluated for each step.
    Step {
        step: OperatorId,
        /// Its truth for a stuttering step.
        stutters: bool,
    },
    /// `ENABLED <<A>>_v`. The next atom is `<<A>>_v` itself.
    Enabled {
        step: OperatorId,
        enabled: OperatorId,
        /// Whether it does not follow from the steps.
        hides: bool,
    },
    /// The step of the atom before.
    Taken,
}

/// An atom with the values of the names bound around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtomInstance {
    pub(crate) kind: AtomKind,
    pub(crate) arguments: Vec<Value>,
}

/// Makes instances of formulas, and collects their atoms.
pub(crate) struct Instantiation<'e, 'm> {
    pub(crate) evaluator: &'e mut Evaluator<'m>,
    pub(crate) atoms: Vec<AtomInstance>,
}

type Instantiated = Result<TemporalFormula, Box<Failure>>;

impl Instantiation<'_, '_> {
    /// The instance of a formula without free names.
    pub(crate) fn formula(&mut self, formula: &Temporal) -> Instantiated {
        self.instance(formula, &Arc::from([]))
    }

    fn atom(&mut self, kind: AtomKind, names: &[(Box<str>, Value)]) -> Atom {
        let arguments = names.iter().map(|(_, value)| value.clone()).collect();
        let atom = AtomInstance { kind, arguments };
        let is_paired = matches!(atom.kind, AtomKind::Enabled { .. } | AtomKind::Taken);
        let known = self.atoms.iter().position(|known| !is_paired && *known == atom);
        known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        }) as Atom
    }

    fn instance(&mut self, formula: &Temporal, names: &Arc<[(Box<str>, Value)]>) -> Instantiated {
        let kind = match &formula.kind {
            TemporalKind::State(operation) => {
                FormulaKind::Atom(self.atom(AtomKind::State(*operation), names))
            }
            TemporalKind::Step { step, stutters } => {
                let (step, stutters) = (*step, *stutters);
                FormulaKind::Atom(self.atom(AtomKind::Step { step, stutters }, names))
            }
            TemporalKind::Fairness {
                is_strong,
                step,
                enabled,
                hides,
            } => {
                let enabled = AtomKind::Enabled {
                    step: *step,
                    enabled: *enabled,
                    hides: *hides,
                };
                let enabled = self.atom(enabled, names);
                let step = self.atom(AtomKind::Taken, names);
                FormulaKind::Fairness {
                    is_strong: *is_strong,
                    enabled,
                    step,
                }
            }
            TemporalKind::Not(operand) => FormulaKind::Not(Box::new(self.instance(operand, names)?)),
            TemporalKind::And(parts) => FormulaKind::And(self.instances(parts, names)?),
            TemporalKind::Or(parts) => FormulaKind::Or(self.instances(parts, names)?),
            TemporalKind::Implies(operands) => FormulaKind::Implies(self.both(operands, names)?),
            TemporalKind::Equiv(operands) => FormulaKind::Equiv(self.both(operands, names)?),
            TemporalKind::LeadsTo(operands) => FormulaKind::LeadsTo(self.both(operands, names)?),
            TemporalKind::If(operands) => {
                let (condition, yes, no) = &**operands;
                FormulaKind::If(Box::new((
                    self.instance(condition, names)?,
                    self.instance(yes, names)?,
                    self.instance(no, names)?,
                )))
            }
            TemporalKind::Always(operand) => FormulaKind::Always(Box::new(self.instance(operand, names)?)),
            TemporalKind::Eventually(operand) => {
                FormulaKind::Eventually(Box::new(self.instance(operand, names)?))
            }
            TemporalKind::ForAll(bounded) => FormulaKind::And(self.bounded(formula, bounded, names)?),
            TemporalKind::Exists(bounded) => FormulaKind::Or(self.bounded(formula, bounded, names)?),
        };
        Ok(TemporalFormula {
            kind,
            origin: Origin {
                at: Some(formula.at),
                bindings: names.clone(),
            },
        })
    }

    fn instances(
        &mut self,
        parts: &[Temporal],
        names: &Arc<[(Box<str>, Value)]>,
    ) -> Result<Vec<TemporalFormula>, Box<Failure>> {
        parts.iter().map(|part| self.instance(part, names)).collect()
    }

    fn both(
        &mut self,
        operands: &(Temporal, Temporal),
        names: &Arc<[(Box<str>, Value)]>,
    ) -> Result<Box<(TemporalFormula, TemporalFormula)>, Box<Failure>> {
        Ok(Box::new((
            self.instance(&operands.0, names)?,
            self.instance(&operands.1, names)?,
        )))
    }

    /// One instance of the body for each choice of elements.
    fn bounded(
        &mut self,
        whole: &Temporal,
        bounded: &TemporalBounded,
        names: &Arc<[(Box<str>, Value)]>,
    ) -> Result<Vec<TemporalFormula>, Box<Failure>> {
        let outer: Vec<Value> = names.iter().map(|(_, value)| value.clone()).collect();
        let mut choices: Vec<Vec<(Box<str>, Value)>> = vec![names.to_vec()];
        for bound in &bounded.bounds {
            let set = self.evaluator.value_with(bound.set, &outer)?;
            let Some(elements) = set.as_set() else {
                let message = format!("a name ranges over {set}, which is not a set");
                return Err(Failure::new(ErrorClass::Type, message).at(whole.at));
            };
            let groups: Vec<&[Box<str>]> = match bound.is_tuple {
                true => vec![&bound.names],
                false => bound.names.chunks(1).collect(),
            };
            for group in groups {
                let mut longer = Vec::with_capacity(choices.len() * elements.len());
                for choice in &choices {
                    for element in elements {
                        let mut choice = choice.clone();
                        match (bound.is_tuple, element.as_tuple()) {
                            (true, Some(parts)) if parts.len() == group.len() => {
                                choice.extend(group.iter().cloned().zip(parts.iter().cloned()));
                            }
                            (true, _) => {
                                let message = format!(
                                    "{element} is not a tuple of {} parts, which the names stand for",
                                    group.len()
                                );
                                return Err(Failure::new(ErrorClass::Type, message).at(whole.at));
                            }
                            (false, _) => choice.push((group[0].clone(), element.clone())),
                        }
                        longer.push(choice);
                    }
                }
                choices = longer;
            }
        }
        choices
            .into_iter()
            .map(|choice| self.instance(&bounded.body, &choice.into()))
            .collect()
    }
}
