//! Negation normal form, with shared subformulas.
//!
//! Negations are moved to the atoms, and everything without `[]` and `<>` becomes one *proposition*, which a letter decides. These
//! equivalences keep automata small. A *limit formula* is one whose truth does not depend on any finite prefix: `[]<>F`, `<>[]F`, and
//! what is made of them by `/\` and `\/`.
//!
//! - `[][]F` is `[]F`; `[](F /\ G)` is `[]F /\ []G`; `[](L \/ F)` is `L \/ []F` for a limit formula L; `[]L` is L.
//! - `<><>F` is `<>F`; `<>(F \/ G)` is `<>F \/ <>G`; `<>(L /\ F)` is `L /\ <>F`; `<>L` is L.

use std::collections::HashMap;

use super::formula::{Atom, FormulaKind, TemporalFormula, has};

/// Number of a formula in [`NormalForms`].
pub(crate) type FormId = u32;
/// Number of a proposition in [`NormalForms`].
pub(crate) type PropositionId = u32;

/// A formula in negation normal form. Parts of conjunctions and disjunctions are sorted, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Proposition(PropositionId),
    And(Box<[FormId]>),
    Or(Box<[FormId]>),
    Always(FormId),
    Eventually(FormId),
}

/// A Boolean combination of atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proposition {
    Constant(bool),
    Atom(Atom),
    NotAtom(Atom),
    And(Box<[PropositionId]>),
    Or(Box<[PropositionId]>),
}

/// All formulas in normal form, each once.
#[derive(Debug, Default)]
pub(crate) struct NormalForms {
    forms: Vec<Form>,
    form_ids: HashMap<Form, FormId>,
    propositions: Vec<Proposition>,
    proposition_ids: HashMap<Proposition, PropositionId>,
}

impl NormalForms {
    pub(crate) fn form(&self, id: FormId) -> &Form {
        &self.forms[id as usize]
    }

    fn add(&mut self, form: Form) -> FormId {
        if let Some(id) = self.form_ids.get(&form) {
            return *id;
        }
        let id = self.forms.len() as FormId;
        self.forms.push(form.clone());
        self.form_ids.insert(form, id);
        id
    }

    fn add_proposition(&mut self, proposition: Proposition) -> PropositionId {
        if let Some(id) = self.proposition_ids.get(&proposition) {
            return *id;
        }
        let id = self.propositions.len() as PropositionId;
        self.propositions.push(proposition.clone());
        self.proposition_ids.insert(proposition, id);
        id
    }

    /// Whether a proposition holds for a letter.
    pub(crate) fn holds(&self, proposition: PropositionId, letter: &[u64]) -> bool {
        match &self.propositions[proposition as usize] {
            Proposition::Constant(value) => *value,
            Proposition::Atom(atom) => has(letter, *atom),
            Proposition::NotAtom(atom) => !has(letter, *atom),
            Proposition::And(parts) => parts.iter().all(|part| self.holds(*part, letter)),
            Proposition::Or(parts) => parts.iter().any(|part| self.holds(*part, letter)),
        }
    }

    pub(crate) fn constant(&mut self, value: bool) -> FormId {
        let proposition = self.add_proposition(Proposition::Constant(value));
        self.add(Form::Proposition(proposition))
    }

    /// The value of a formula that is a constant.
    pub(crate) fn as_constant(&self, id: FormId) -> Option<bool> {
        match self.form(id) {
            Form::Proposition(proposition) => match self.propositions[*proposition as usize] {
                Proposition::Constant(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The negation of a proposition.
    pub(crate) fn negated(&mut self, proposition: PropositionId) -> PropositionId {
        let negation = match self.propositions[proposition as usize].clone() {
            Proposition::Constant(value) => Proposition::Constant(!value),
            Proposition::Atom(atom) => Proposition::NotAtom(atom),
            Proposition::NotAtom(atom) => Proposition::Atom(atom),
            Proposition::And(parts) => {
                Proposition::Or(parts.iter().map(|part| self.negated(*part)).collect())
            }
            Proposition::Or(parts) => {
                Proposition::And(parts.iter().map(|part| self.negated(*part)).collect())
            }
        };
        self.add_proposition(negation)
    }

    /// The conjunction or disjunction of propositions.
    pub(crate) fn joined(&mut self, mut parts: Vec<PropositionId>, is_and: bool) -> PropositionId {
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => self.add_proposition(Proposition::Constant(is_and)),
            [only] => *only,
            _ => self.add_proposition(match is_and {
                true => Proposition::And(parts.into()),
                false => Proposition::Or(parts.into()),
            }),
        }
    }

    /// A formula, or its negation if `truth` is false.
    pub(crate) fn of(&mut self, formula: &TemporalFormula, truth: bool) -> FormId {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.literal(*atom, truth),
            FormulaKind::Fairness {
                is_strong,
                enabled,
                step,
            } => self.fairness(*is_strong, *enabled, *step, truth),
            FormulaKind::Not(operand) => self.of(operand, !truth),
            FormulaKind::And(parts) => {
                let parts = parts.iter().map(|part| self.of(part, truth)).collect();
                self.join(parts, truth)
            }
            FormulaKind::Or(parts) => {
                let parts = parts.iter().map(|part| self.of(part, truth)).collect();
                self.join(parts, !truth)
            }
            FormulaKind::Implies(operands) => {
                let parts = vec![self.of(&operands.0, !truth), self.of(&operands.1, truth)];
                self.join(parts, !truth)
            }
            FormulaKind::Equiv(operands) => {
                let both = vec![self.of(&operands.0, true), self.of(&operands.1, truth)];
                let neither = vec![self.of(&operands.0, false), self.of(&operands.1, !truth)];
                let parts = vec![self.join(both, true), self.join(neither, true)];
                self.join(parts, false)
            }
            FormulaKind::If(operands) => {
                let (condition, yes, no) = &**operands;
                let yes = vec![self.of(condition, true), self.of(yes, truth)];
                let no = vec![self.of(condition, false), self.of(no, truth)];
                let parts = vec![self.join(yes, true), self.join(no, true)];
                self.join(parts, false)
            }
            FormulaKind::Always(operand) => {
                let operand = self.of(operand, truth);
                self.modal(operand, truth)
            }
            FormulaKind::Eventually(operand) => {
                let operand = self.of(operand, truth);
                self.modal(operand, !truth)
            }
            FormulaKind::LeadsTo(operands) => {
                let after = self.of(&operands.1, truth);
                let response = self.modal(after, !truth);
                let parts = vec![self.of(&operands.0, !truth), response];
                let implication = self.join(parts, !truth);
                self.modal(implication, truth)
            }
        }
    }

    fn literal(&mut self, atom: Atom, truth: bool) -> FormId {
        let proposition = self.add_proposition(match truth {
            true => Proposition::Atom(atom),
            false => Proposition::NotAtom(atom),
        });
        self.add(Form::Proposition(proposition))
    }

    /// WF is `[]<>(~ENABLED <<A>>_v \/ <<A>>_v)`, SF is `<>[]~ENABLED <<A>>_v \/ []<><<A>>_v`.
    fn fairness(&mut self, is_strong: bool, enabled: Atom, step: Atom, truth: bool) -> FormId {
        let disabled = self.literal(enabled, !truth);
        let taken = self.literal(step, truth);
        if is_strong {
            let seldom = self.modal(disabled, truth);
            let seldom = self.modal(seldom, !truth);
            let often = self.modal(taken, !truth);
            let often = self.modal(often, truth);
            self.join(vec![seldom, often], !truth)
        } else {
            let good = self.join(vec![disabled, taken], !truth);
            let often = self.modal(good, !truth);
            self.modal(often, truth)
        }
    }

    /// The conjunction or disjunction of formulas.
    pub(crate) fn join(&mut self, parts: Vec<FormId>, is_and: bool) -> FormId {
        let mut propositions = Vec::new();
        let mut temporal = Vec::new();
        let mut pending = parts;
        while let Some(part) = pending.pop() {
            match self.form(part) {
                Form::Proposition(proposition) => match self.propositions[*proposition as usize] {
                    Proposition::Constant(value) if value == is_and => {}
                    Proposition::Constant(value) => return self.constant(value),
                    _ => propositions.push(*proposition),
                },
                Form::And(parts) if is_and => pending.extend(parts.iter().copied()),
                Form::Or(parts) if !is_and => pending.extend(parts.iter().copied()),
                _ => temporal.push(part),
            }
        }
        if !propositions.is_empty() || temporal.is_empty() {
            let proposition = self.joined(propositions, is_and);
            temporal.push(self.add(Form::Proposition(proposition)));
        }
        temporal.sort_unstable();
        temporal.dedup();
        match temporal.as_slice() {
            [only] => *only,
            _ => self.add(match is_and {
                true => Form::And(temporal.into()),
                false => Form::Or(temporal.into()),
            }),
        }
    }

    /// `[]F` or `<>F`, simplified.
    fn modal(&mut self, operand: FormId, is_always: bool) -> FormId {
        if self.as_constant(operand).is_some() || self.is_limit(operand) {
            return operand;
        }
        let (same, parts, distributes) = match self.form(operand) {
            Form::Always(_) => (is_always, Box::default(), false),
            Form::Eventually(_) => (!is_always, Box::default(), false),
            Form::And(parts) => (false, parts.clone(), is_always),
            Form::Or(parts) => (false, parts.clone(), !is_always),
            Form::Proposition(_) => (false, Box::default(), false),
        };
        if same {
            return operand;
        }
        if distributes {
            let parts = parts.iter().map(|part| self.modal(*part, is_always)).collect();
            return self.join(parts, is_always);
        }
        let (limits, others): (Vec<FormId>, Vec<FormId>) =
            parts.iter().partition(|part| self.is_limit(**part));
        if !limits.is_empty() {
            let rest = self.join(others, !is_always);
            let mut parts = limits;
            parts.push(self.modal(rest, is_always));
            return self.join(parts, !is_always);
        }
        self.add(match is_always {
            true => Form::Always(operand),
            false => Form::Eventually(operand),
        })
    }

    /// Whether no finite prefix matters.
    pub(crate) fn is_limit(&self, id: FormId) -> bool {
        match self.form(id) {
            Form::Proposition(_) => false,
            Form::And(parts) | Form::Or(parts) => parts.iter().all(|part| self.is_limit(*part)),
            Form::Always(operand) => matches!(self.form(*operand), Form::Eventually(_)),
            Form::Eventually(operand) => matches!(self.form(*operand), Form::Always(_)),
        }
    }

    /// Whether the negation of the formula can be seen in a finite prefix: it has no `<>`.
    pub(crate) fn is_safety(&self, id: FormId) -> bool {
        match self.form(id) {
            Form::Proposition(_) => true,
            Form::And(parts) | Form::Or(parts) => parts.iter().all(|part| self.is_safety(*part)),
            Form::Always(operand) => self.is_safety(*operand),
            Form::Eventually(_) => false,
        }
    }
}
