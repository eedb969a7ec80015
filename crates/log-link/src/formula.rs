//! Formulas of the link file about lines of a log.

use omnilink_link::{Changes, Definition, identifiers};
use omnilink_tla::eval::Evaluator;
use omnilink_tla::eval::error::Outcome;
use omnilink_tla::ir::{OperatorId, Program};
use omnilink_value::Value;

use crate::fields_read::FieldsRead;
use crate::line_context::LineContext;

/// What a formula may say about lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineName {
    Line,
    Previous,
    Next,
    Node,
}

const NAMES: [(&str, LineName); 4] = [
    ("line", LineName::Line),
    ("previous", LineName::Previous),
    ("next", LineName::Next),
    ("node", LineName::Node),
];

/// The names that a formula may use for lines, unless the spec has them.
pub(crate) fn line_names() -> [&'static str; 4] {
    NAMES.map(|(name, _)| name)
}

/// A formula before the spec is compiled: its number among the definitions.
#[derive(Clone, Debug)]
pub(crate) struct FormulaText {
    number: usize,
    takes: Vec<LineName>,
}

impl FormulaText {
    /// Adds a formula of an entry of the link file to what is compiled.
    pub fn define(entry: &str, formula: &str, changes: &mut Changes) -> Self {
        let words = identifiers(formula);
        let (params, takes): (Vec<&str>, Vec<LineName>) = NAMES
            .into_iter()
            .filter(|(name, _)| words.contains(name) && !changes.own_names.iter().any(|own| own == name))
            .unzip();
        let number = changes.definitions.len();
        changes.definitions.push(Definition {
            role: number.to_string(),
            entry: entry.to_owned(),
            params: params.into_iter().map(str::to_owned).collect(),
            body: formula.to_owned(),
        });
        Self { number, takes }
    }

    /// The formula after that.
    pub fn compiled(self, operations: &[Option<OperatorId>]) -> Option<LineFormula> {
        Some(LineFormula {
            operation: (*operations.get(self.number)?)?,
            takes: self.takes,
        })
    }
}

/// A formula about lines.
#[derive(Clone, Debug)]
pub(crate) struct LineFormula {
    pub operation: OperatorId,
    takes: Vec<LineName>,
}

impl LineFormula {
    /// The arguments of its operation.
    pub fn arguments(&self, context: &LineContext) -> Vec<Value> {
        let nothing = || Value::tuple([]);
        self.takes
            .iter()
            .map(|name| match name {
                LineName::Line => context.line.clone(),
                LineName::Previous => context.previous.clone().unwrap_or_else(nothing),
                LineName::Next => context.next.clone().unwrap_or_else(nothing),
                LineName::Node => context.node.clone().unwrap_or_else(nothing),
            })
            .collect()
    }

    /// Whether it depends on the line.
    pub fn reads_line(&self) -> bool {
        !self.takes.is_empty()
    }

    /// Whether it looks back at the node's previous line.
    pub fn looks_back(&self) -> bool {
        self.takes.contains(&LineName::Previous)
    }

    /// Whether it looks at the node's previous or next line.
    pub fn looks_around(&self) -> bool {
        self.looks_back() || self.takes.contains(&LineName::Next)
    }

    /// The fields of the line that it may read.
    pub fn fields_of_line(&self, program: &Program) -> FieldsRead {
        self.fields_of(program, |name| name == LineName::Line)
    }

    /// The fields of the node's previous and next line that it may read.
    pub fn fields_of_neighbours(&self, program: &Program) -> FieldsRead {
        self.fields_of(program, |name| {
            matches!(name, LineName::Previous | LineName::Next)
        })
    }

    fn fields_of(&self, program: &Program, is_asked: impl Fn(LineName) -> bool) -> FieldsRead {
        let mut fields = FieldsRead::default();
        for (slot, name) in (0u32..).zip(&self.takes) {
            if is_asked(*name) {
                fields.add(FieldsRead::of_parameter(
                    program,
                    self.operation.formula().0,
                    slot,
                ));
            }
        }
        fields
    }

    /// Its value in the current state.
    pub fn value(&self, evaluator: &mut Evaluator<'_>, context: &LineContext) -> Outcome<Value> {
        evaluator.value_with(self.operation, &self.arguments(context))
    }

    /// Whether it holds in the current states.
    pub fn holds(&self, evaluator: &mut Evaluator<'_>, context: &LineContext) -> Outcome<bool> {
        evaluator.holds_with(self.operation, &self.arguments(context))
    }
}
