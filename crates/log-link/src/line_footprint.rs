//! Which cells of the state a line may read and write, in any state.

use omnilink_tla::eval::{Cell, CellStep, Effects, Layout};
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;

use crate::expansion::{Expander, Steps};
use crate::formula::LineFormula;
use crate::meaning::Meaning;
use crate::mutant::{Mutant, mutated};
use crate::prepared_line::{LineKind, PreparedLine};
use crate::stage_action::StageAction;
use crate::update::{Update, UpdateOperator};

/// The cells that a line may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineFootprint {
    /// Whether nothing is known: everything may be read and written.
    is_everything: bool,
    reads: Vec<Cell>,
    writes: Vec<Cell>,
}

impl LineFootprint {
    /// Everything.
    pub fn everything() -> Self {
        Self {
            is_everything: true,
            ..Self::default()
        }
    }

    /// The cells that a line may read and write.
    ///
    /// The effects of its actions, and what its updates compare: `x' = update(x)` depends on the cells that the update changes and on those
    /// that the action writes. The update also counts as written, because an action may leave the next value of a variable open.
    pub fn of_line(line: &PreparedLine, expander: &mut Expander<'_>) -> Self {
        let mut footprint = Self::default();
        match &line.kind {
            // It explains nothing, so it had better come last.
            LineKind::Failure => return Self::everything(),
            LineKind::Stuttering => {}
            LineKind::Step(meaning) => footprint.add_steps(line, meaning, expander),
        }
        let has_action = |part: &PreparedLine| !part.has_arguments_of_step();
        if line.contradiction.is_some() || line.joined.iter().any(has_action) {
            return Self::everything();
        }
        for part in line.parts() {
            for formula in part.requires().into_iter().chain(part.ensures()) {
                let effects = effects(expander, formula.operation, formula.arguments(&part.context));
                footprint.add(&effects, true);
            }
        }
        for (variable, updates) in &line.updates {
            for update in updates {
                footprint.writes.extend(updated_cells(*variable, update));
            }
        }
        footprint
    }

    fn add_steps(&mut self, line: &PreparedLine, meaning: &Meaning, expander: &mut Expander<'_>) {
        let last = meaning.stages.len().saturating_sub(1);
        for (at, stage) in meaning.stages.iter().enumerate() {
            let computed;
            let steps = match &stage.action {
                StageAction::Event(number) if at == last => expander.event(*number, &line.arguments),
                StageAction::Event(number) => expander.event(*number, &[]),
                StageAction::Applied(number, formulas) => {
                    let program = &expander.spec.program;
                    let body = |formula: &LineFormula| &program.operator(formula.operation.formula()).body;
                    let needs_state = formulas.iter().any(|formula| body(formula).uses.state);
                    match expander.computed(formulas, line) {
                        Ok(arguments) if !needs_state => {
                            computed = arguments;
                            expander.event(*number, &computed)
                        }
                        _ => {
                            *self = Self::everything();
                            return;
                        }
                    }
                }
                // A formula of the link file is compared with all of the next-state relation.
                StageAction::Any | StageAction::Formula(_) => {
                    *self = Self::everything();
                    return;
                }
            };
            // Of an event without a restriction, nothing is known about the arguments that are compared.
            let Steps::Of(operation, arguments) = steps else {
                *self = Self::everything();
                return;
            };
            let effects = effects(expander, operation, arguments);
            self.add(&effects, false);
        }
    }

    /// The cells that a state predicate reads.
    pub fn of_predicate(operation: OperatorId, expander: &mut Expander<'_>) -> Self {
        let mut footprint = Self::default();
        let effects = effects(expander, operation, Vec::new());
        footprint.add(&effects, true);
        footprint
    }

    /// Adds effects. A condition on a step writes nothing: `x' = 5` in it depends on all of `x`.
    fn add(&mut self, effects: &Effects, is_condition: bool) {
        if !effects.is_complete {
            *self = Self::everything();
            return;
        }
        let demanded = effects.demands.iter().map(|(cell, _)| cell);
        self.reads.extend(effects.reads.iter().chain(demanded).cloned());
        for write in &effects.writes {
            if is_condition {
                self.reads.push(Cell::whole(write.cell.variable))
            } else {
                self.writes.push(write.cell.clone())
            }
        }
    }

    /// Whether the order of two lines may matter: one may write what the other reads or writes.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.may_change(other) || other.may_change(self)
    }

    /// Whether something that is written here may be read or written there.
    pub fn may_change(&self, other: &Self) -> bool {
        if self.is_nothing() || other.is_nothing() {
            return false;
        }
        if self.is_everything {
            return true;
        }
        if other.is_everything {
            return !self.writes.is_empty();
        }
        let is_partial = |cell: &Cell| matches!(cell.path.last(), Some(CellStep::Like(_)));
        if mutated(Mutant::IgnorePartialElements) && self.writes.iter().chain(&other.writes).any(is_partial) {
            return false;
        }
        let touched = || other.reads.iter().chain(&other.writes);
        self.writes
            .iter()
            .any(|written| touched().any(|cell| written.overlaps(cell)))
    }

    fn is_nothing(&self) -> bool {
        !self.is_everything && self.reads.is_empty() && self.writes.is_empty()
    }
}

fn effects(expander: &mut Expander<'_>, operation: OperatorId, arguments: Vec<Value>) -> Effects {
    let arguments: Vec<Option<Value>> = arguments.into_iter().map(Some).collect();
    // No assumption about the states: the log may set a variable that the action leaves open.
    expander
        .evaluator
        .effects(operation, &arguments, &Layout::default().with_partial_elements())
}

/// The cells that an update changes.
fn updated_cells(variable: u32, update: &Update) -> Vec<Cell> {
    let path = update.path.iter().cloned().map(CellStep::At);
    let cell = |step: Option<CellStep>| Cell {
        variable,
        path: path.clone().chain(step).collect(),
    };
    let elements = |list: &Value| list.as_set().or_else(|| list.as_tuple()).map(<[Value]>::to_vec);
    let Some(first) = update.args.first().cloned() else {
        return vec![cell(None)];
    };
    match update.operator {
        UpdateOperator::AddElement | UpdateOperator::RemoveElement => {
            vec![cell(Some(CellStep::Has(first)))]
        }
        UpdateOperator::AddElements | UpdateOperator::RemoveElements => match elements(&first) {
            Some(elements) => elements
                .into_iter()
                .map(|element| cell(Some(CellStep::Has(element))))
                .collect(),
            None => vec![cell(None)],
        },
        UpdateOperator::SetKey
        | UpdateOperator::AddKey
        | UpdateOperator::RemoveKey
        | UpdateOperator::ResetKey
        | UpdateOperator::AddElementToBag
        | UpdateOperator::RemoveElementFromBag => vec![cell(Some(CellStep::At(first)))],
        _ => vec![cell(None)],
    }
}
