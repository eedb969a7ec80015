//! Problems: what a behaviour must satisfy to be a counterexample, taken apart.
//!
//! The fairness conditions and the negated property are conjoined. Conjuncts of the forms `[]<>p`, `<>[]p` and `<>[]p \/ []<>q`, with
//! p and q propositions, are conditions on the cycle of a lasso; they need no automaton. All others are left to the tableau.
//! Disjunctions that contain limit formulas, and those of the negated property, make several problems.

use super::normal_form::{Form, FormId, NormalForms, PropositionId};

/// Beyond this number of problems, disjunctions are left to the tableau.
const PROBLEMS_MAX: usize = 256;

/// Conditions on a behaviour, all of which must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// Conjuncts for the tableau.
    pub(crate) rest: Vec<FormId>,
    pub(crate) cycle: CycleConditions,
}

/// Conditions on the cycle of a lasso.
#[derive(Clone, Debug, Default)]
pub(crate) struct CycleConditions {
    /// `<>[]p`: p holds for every step.
    pub(crate) always: Vec<PropositionId>,
    /// `[]<>p`: p holds for some step.
    pub(crate) often: Vec<PropositionId>,
    /// `<>[]~p \/ []<>q`: if p holds for some step, q does for some.
    pub(crate) responses: Vec<(PropositionId, PropositionId)>,
}

/// The problems for a conjunction: a behaviour satisfies all conjuncts if it satisfies one of the problems.
pub(crate) fn problems(forms: &mut NormalForms, conjuncts: &[FormId]) -> Vec<Problem> {
    let mut problems = vec![Problem::default()];
    let mut pending: Vec<FormId> = conjuncts.to_vec();
    while let Some(conjunct) = pending.pop() {
        match forms.as_constant(conjunct) {
            Some(true) => continue,
            Some(false) => return Vec::new(),
            None => {}
        }
        match forms.form(conjunct).clone() {
            Form::And(parts) => pending.extend(parts.iter().copied()),
            Form::Or(parts) => {
                if let Some(response) = response(forms, &parts) {
                    problems
                        .iter_mut()
                        .for_each(|problem| problem.cycle.responses.push(response));
                } else if problems.len() * parts.len() <= PROBLEMS_MAX {
                    let mut alternatives = Vec::new();
                    for part in &parts {
                        for inner in self::problems(forms, &[*part]) {
                            alternatives.extend(problems.iter().map(|problem| problem.and(&inner)));
                        }
                    }
                    problems = alternatives;
                } else {
                    problems
                        .iter_mut()
                        .for_each(|problem| problem.rest.push(conjunct));
                }
            }
            form => {
                for problem in &mut problems {
                    problem.add(forms, conjunct, &form);
                }
            }
        }
    }
    problems
}

impl Problem {
    fn add(&mut self, forms: &NormalForms, conjunct: FormId, form: &Form) {
        match often(forms, form) {
            Some((true, proposition)) => self.cycle.often.push(proposition),
            Some((false, proposition)) => self.cycle.always.push(proposition),
            None => self.rest.push(conjunct),
        }
    }

    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.rest.extend(&other.rest);
        both.cycle.always.extend(&other.cycle.always);
        both.cycle.often.extend(&other.cycle.often);
        both.cycle.responses.extend(&other.cycle.responses);
        both
    }
}

/// The proposition of `[]<>p` (true) or `<>[]p` (false).
fn often(forms: &NormalForms, form: &Form) -> Option<(bool, PropositionId)> {
    let (is_often, inner) = match form {
        Form::Always(inner) => match forms.form(*inner) {
            Form::Eventually(inner) => (true, *inner),
            _ => return None,
        },
        Form::Eventually(inner) => match forms.form(*inner) {
            Form::Always(inner) => (false, *inner),
            _ => return None,
        },
        _ => return None,
    };
    match forms.form(inner) {
        Form::Proposition(proposition) => Some((is_often, *proposition)),
        _ => None,
    }
}

/// The propositions p and q of `<>[]~p \/ []<>q`.
fn response(forms: &mut NormalForms, parts: &[FormId]) -> Option<(PropositionId, PropositionId)> {
    let mut seldom = None;
    let mut frequent = Vec::new();
    for part in parts {
        match often(forms, forms.form(*part))? {
            (true, proposition) => frequent.push(proposition),
            (false, proposition) if seldom.is_none() => seldom = Some(proposition),
            (false, _) => return None,
        }
    }
    let request = forms.negated(seldom?);
    Some((request, forms.joined(frequent, false)))
}
