//! Why a lasso is a counterexample: how it satisfies each fairness condition, and which part of the property fails where.

use omnilink_evidence::LassoReason;
use omnilink_tla::ir::Program;

use super::formula::{FormulaKind, TemporalFormula};
use super::graph::LabelledGraph;
use super::lasso::Lasso;

/// Explains a lasso in the words of the spec.
pub(crate) struct Explainer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) graph: &'a LabelledGraph,
    pub(crate) lasso: &'a Lasso,
}

impl Explainer<'_> {
    /// How each fairness condition is satisfied.
    pub(crate) fn fairness(&self, formula: &TemporalFormula, reasons: &mut Vec<LassoReason>) {
        match &formula.kind {
            FormulaKind::And(parts) => parts.iter().for_each(|part| self.fairness(part, reasons)),
            FormulaKind::Fairness { enabled, step, .. } => {
                let cycle = self.lasso.start..self.lasso.nodes.len();
                let has = |at: usize, atom: u32| {
                    super::formula::has(&self.graph.letters[self.lasso.letters[at] as usize], atom)
                };
                let taken = cycle.clone().find(|at| has(*at, *step));
                let disabled = cycle.clone().find(|at| !has(*at, *enabled));
                let reason = match (taken, disabled) {
                    (Some(at), _) => format!("taken {}", self.step_from(at)),
                    (None, Some(_)) if cycle.clone().all(|at| !has(at, *enabled)) => {
                        match self.lasso.is_stuttering() {
                            true => format!("never enabled in state {}", self.lasso.start + 1),
                            false => "never enabled in the cycle".to_owned(),
                        }
                    }
                    (None, Some(at)) => format!("not enabled in state {}", at + 1),
                    (None, None) => "always enabled and never taken".to_owned(),
                };
                reasons.push(self.reason(formula, true, reason));
            }
            _ => reasons.push(self.reason(formula, true, "satisfied".to_owned())),
        }
    }

    /// Which part of a property fails.
    pub(crate) fn property(&self, formula: &TemporalFormula, reasons: &mut Vec<LassoReason>) {
        self.false_at(formula, 0, reasons);
    }

    /// Why a formula is false for the behaviour from a position on.
    fn false_at(&self, formula: &TemporalFormula, at: usize, reasons: &mut Vec<LassoReason>) {
        match &formula.kind {
            FormulaKind::And(parts) => {
                let part = parts.iter().find(|part| !self.holds(part, at));
                if let Some(part) = part {
                    self.false_at(part, at, reasons);
                }
            }
            FormulaKind::Or(parts) => parts.iter().for_each(|part| self.false_at(part, at, reasons)),
            FormulaKind::Implies(operands) => {
                reasons.push(self.true_at(&operands.0, at));
                self.false_at(&operands.1, at, reasons);
            }
            FormulaKind::Always(operand) => {
                let truths = self.lasso.truths(self.graph, operand);
                let fails = self.first_from(at, |at| !truths[at]);
                match &operand.kind {
                    FormulaKind::Atom(_) => {
                        reasons.push(self.reason(
                            formula,
                            false,
                            format!("false {}", self.in_state(operand, fails)),
                        ));
                    }
                    _ => self.false_at(operand, fails, reasons),
                }
            }
            FormulaKind::Eventually(operand) => {
                let reason = match (&operand.kind, at) {
                    (FormulaKind::Always(_), _) => "what must hold for ever fails again and again".to_owned(),
                    (_, 0) => "at no time".to_owned(),
                    _ if at >= self.lasso.start => "not in the cycle".to_owned(),
                    _ => format!("not from state {} on", at + 1),
                };
                reasons.push(self.reason(formula, false, reason));
                if let FormulaKind::Always(inner) = &operand.kind {
                    let truths = self.lasso.truths(self.graph, inner);
                    let fails = self.first_from(self.lasso.start.max(at), |at| !truths[at]);
                    match &inner.kind {
                        FormulaKind::Atom(_) => {
                            let reason = format!("false {}", self.in_state(inner, fails));
                            reasons.push(self.reason(inner, false, reason));
                        }
                        _ => self.false_at(inner, fails, reasons),
                    }
                }
            }
            FormulaKind::LeadsTo(operands) => {
                let before = self.lasso.truths(self.graph, &operands.0);
                let never = self.lasso.truths(self.graph, &operands.1);
                let later = |from: usize| self.positions_from(from).any(|at| never[at]);
                let fails = self.first_from(at, |at| before[at] && !later(at));
                reasons.push(self.true_at(&operands.0, fails));
                let reason = match fails >= self.lasso.start {
                    true => "in no state of the cycle".to_owned(),
                    false => format!("in no state from state {} on", fails + 1),
                };
                reasons.push(self.reason(&operands.1, false, reason));
            }
            FormulaKind::Fairness {
                is_strong,
                enabled,
                step: _,
            } => {
                let has = |at: usize| {
                    super::formula::has(&self.graph.letters[self.lasso.letters[at] as usize], *enabled)
                };
                let first = (self.lasso.start..self.lasso.nodes.len())
                    .find(|at| has(*at))
                    .unwrap_or(self.lasso.start);
                let reason = match (is_strong, self.lasso.is_stuttering()) {
                    (_, true) => format!("enabled in state {} and never taken", first + 1),
                    (true, _) => format!(
                        "enabled again and again (in state {}) and never taken in the cycle",
                        first + 1
                    ),
                    (false, _) => "enabled in every state of the cycle and never taken in it".to_owned(),
                };
                reasons.push(self.reason(formula, false, reason));
            }
            FormulaKind::If(operands) => {
                let (condition, yes, no) = &**operands;
                match self.holds(condition, at) {
                    true => {
                        reasons.push(self.true_at(condition, at));
                        self.false_at(yes, at, reasons);
                    }
                    false => {
                        self.false_at(condition, at, reasons);
                        self.false_at(no, at, reasons);
                    }
                }
            }
            FormulaKind::Not(operand) => reasons.push(self.true_at(operand, at)),
            FormulaKind::Equiv(operands) => {
                for operand in [&operands.0, &operands.1] {
                    match self.holds(operand, at) {
                        true => reasons.push(self.true_at(operand, at)),
                        false => self.false_at(operand, at, reasons),
                    }
                }
            }
            FormulaKind::Atom(_) => {
                let reason = format!("false {}", self.in_state(formula, at));
                reasons.push(self.reason(formula, false, reason));
            }
        }
    }

    fn true_at(&self, formula: &TemporalFormula, at: usize) -> LassoReason {
        let reason = match &formula.kind {
            FormulaKind::Atom(_) => format!("true {}", self.in_state(formula, at)),
            _ if at == 0 => "true".to_owned(),
            _ => format!("true from state {} on", at + 1),
        };
        self.reason(formula, true, reason)
    }

    fn holds(&self, formula: &TemporalFormula, at: usize) -> bool {
        self.lasso.truths(self.graph, formula)[at]
    }

    /// `in state 3`, or for a step `from state 3 to state 4`.
    fn in_state(&self, formula: &TemporalFormula, at: usize) -> String {
        let is_step = formula.origin.at.is_some_and(|origin| {
            let text = self
                .program
                .sources
                .get(origin.source)
                .slice(origin.span)
                .trim_start();
            text.starts_with('[') && !text.starts_with("[]") || text.starts_with("<<")
        });
        match is_step {
            true => self.step_from(at),
            false => format!("in state {}", at + 1),
        }
    }

    fn step_from(&self, at: usize) -> String {
        match at + 1 == self.lasso.nodes.len() {
            true => format!("from state {} back to state {}", at + 1, self.lasso.start + 1),
            false => format!("from state {} to state {}", at + 1, at + 2),
        }
    }

    /// All positions from one on, the cycle once.
    fn positions_from(&self, at: usize) -> impl Iterator<Item = usize> + use<'_> {
        let first = at.min(self.lasso.start.max(at));
        let wrapped = if at > self.lasso.start {
            self.lasso.start..at
        } else {
            0..0
        };
        (first..self.lasso.nodes.len()).chain(wrapped)
    }

    fn first_from(&self, at: usize, is_wanted: impl Fn(usize) -> bool) -> usize {
        self.positions_from(at).find(|at| is_wanted(*at)).unwrap_or(at)
    }

    fn reason(&self, formula: &TemporalFormula, holds: bool, reason: String) -> LassoReason {
        let text = formula
            .origin
            .at
            .map_or("", |at| self.program.sources.get(at.source).slice(at.span));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let bindings = formula.origin.bindings.iter();
        LassoReason {
            formula: text,
            bindings: omnilink_evidence::Bindings(
                bindings
                    .map(|(name, value)| (name.to_string(), value.clone()))
                    .collect(),
            ),
            holds,
            reason,
        }
    }
}
