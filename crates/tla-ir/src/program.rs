//! The program: all operators of a spec, lowered.

use std::sync::Arc;

use omnilink_tla_syntax::source::{Sources, Span};
use omnilink_value::Value;

use super::node::{Kind, Loc, Node};

/// A lowered definition, LAMBDA or deferred body.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Its name.
    pub name: Box<str>,
    /// Whether it is a definition, rather than a LAMBDA or a formula of the configuration.
    pub is_definition: bool,
    /// The number of parameters, which are the first slots. Captured names have later slots.
    pub params: u32,
    /// The names of all slots of the frame, empty for unnamed ones.
    pub slots: Box<[Box<str>]>,
    /// Its body.
    pub body: Node,
}

/// An action of the next-state relation.
#[derive(Clone, Debug)]
pub struct ActionInfo {
    /// Its name: the innermost definition around it.
    pub name: Box<str>,
    /// Its span.
    pub at: Loc,
    /// The names bound around it and its parameters, with their slots.
    pub bindings: Box<[(Box<str>, u32)]>,
    /// The slots of those names that LET defines: they follow from the others.
    pub defined: Box<[u32]>,
}

/// A spec, ready to be evaluated. Workers can share one, but [`Program::unshared`] copies avoid contention.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The variables, in the order of the slots of a state.
    pub variables: Vec<Box<str>>,
    /// All operators.
    pub operators: Vec<Operator>,
    /// The actions that next-state relations are made of.
    pub actions: Vec<ActionInfo>,
    /// The number of cells of [`super::Kind::Once`].
    pub once_cells: u32,
    /// The number of cells of [`super::Kind::PerState`].
    pub state_cells: u32,
    /// The number of hidden variables, which only the next states of ENABLED have. Their slots follow those of the variables.
    pub hidden_variables: u32,
    /// The number of memo points ([`super::Kind::Memo`]).
    pub memo_points: u32,
    /// The model values that the configuration introduces.
    pub model_values: Vec<Value>,
    /// The texts, for messages.
    pub sources: Arc<Sources>,
}

/// Names a lowered formula of a [`Program`]: an operator without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formula(pub u32);

/// Names a lowered operator of a [`Program`] whose parameters are given as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperatorId {
    pub(crate) operator: u32,
    pub(crate) params: u32,
}

impl Formula {
    /// The same operator, as an operation that takes no values.
    pub fn operation(self) -> OperatorId {
        OperatorId {
            operator: self.0,
            params: 0,
        }
    }
}

impl OperatorId {
    /// The number of values it takes.
    pub fn params(self) -> usize {
        self.params as usize
    }

    /// The same operator as a formula.
    pub fn formula(self) -> Formula {
        Formula(self.operator)
    }
}

impl Program {
    /// The operator of a formula.
    pub fn operator(&self, formula: Formula) -> &Operator {
        &self.operators[formula.0 as usize]
    }

    /// The definition that an action of the next-state relation is a part of.
    pub fn definition_of(&self, action: u32) -> Option<OperatorId> {
        fn marks(node: &Node, action: u32) -> bool {
            if let Kind::Action(own, _) = node.kind {
                return own == action;
            }
            let mut found = false;
            if node.uses.next {
                node.kind
                    .for_each_child(|child| found = found || marks(child, action));
            }
            found
        }
        let operator = self
            .operators
            .iter()
            .position(|operator| marks(&operator.body, action))?;
        Some(OperatorId {
            operator: u32::try_from(operator).ok()?,
            params: self.operators[operator].params,
        })
    }

    /// Adds an operator whose parameters are given as values. Its nodes may refer to all operators added before.
    pub fn add_operator(&mut self, operator: Operator) -> OperatorId {
        let operation = OperatorId {
            operator: self.operators.len() as u32,
            params: operator.params,
        };
        self.operators.push(operator);
        operation
    }

    /// The record by which TLC describes a definition to a spec: its name and location. A definition without a location is described
    /// like TLC's built-in operators.
    pub fn described(&self, name: &str, at: Option<Loc>) -> Value {
        let (module, from, to) = match at {
            Some(at) => {
                let source = self.sources.get(at.source);
                let module = source.path().file_stem().unwrap_or_default().to_string_lossy();
                let (from, to) = (
                    source.own_line_column(at.span.start),
                    source.own_line_column(at.span.end.saturating_sub(1)),
                );
                (module, (from.line, from.column), (to.line, to.column))
            }
            None => ("--TLA+ BUILTINS--".into(), (0, 0), (0, 0)),
        };
        let numbers = [
            ("beginLine", from.0),
            ("beginColumn", from.1),
            ("endLine", to.0),
            ("endColumn", to.1),
        ];
        let numbers = numbers.map(|(field, number)| (field, Value::int(i64::from(number))));
        let location = numbers.into_iter().chain([("module", Value::str(&module))]);
        Value::record([("name", Value::str(name)), ("location", Value::record(location))])
    }

    /// The text at a source location.
    pub fn text(&self, at: Loc) -> &str {
        self.sources
            .get(at.source)
            .slice(Span::new(at.span.start, at.span.end))
    }
}
