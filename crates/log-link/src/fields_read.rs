//! Which fields of lines formulas of the link file read, so that a misspelt field is noticed although there are formulas.

use std::collections::BTreeSet;

use omnilink_tla::ir::{Argument, Kind, Node, PathStep, Program};
use omnilink_value::Value;

/// Fields of a line that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldsRead {
    /// These.
    Only(BTreeSet<Box<str>>),
    /// The line is used as a whole, so each field may be read.
    Any,
}

/// How much of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    Nothing,
    /// Some fields in it.
    Part,
    Whole,
}

impl Extent {
    /// How much of what is at a path is read, if these paths are.
    pub fn of<'p>(read: impl Iterator<Item = &'p str>, path: &str) -> Self {
        let is_below = |path: &str, above: &str| {
            let rest = path.strip_prefix(above);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let of_one = |read: &str| match (is_below(path, read), is_below(read, path)) {
            (true, _) => Self::Whole,
            (false, true) => Self::Part,
            (false, false) => Self::Nothing,
        };
        read.map(of_one).max().unwrap_or(Self::Nothing)
    }
}

impl Default for FieldsRead {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl FieldsRead {
    /// The fields that an operator reads of the record that is its parameter.
    pub fn of_parameter(program: &Program, operator: u32, parameter: u32) -> Self {
        let mut search = FieldSearch {
            program,
            found: BTreeSet::new(),
            visited: BTreeSet::new(),
        };
        if search.operator(operator, parameter) {
            Self::Only(search.found)
        } else {
            Self::Any
        }
    }

    /// Whether a field of a line, or a part of it, may be read.
    pub fn has(&self, field: &str) -> bool {
        self.extent(field) != Extent::Nothing
    }

    /// How much of what is at a path with dots may be read.
    pub fn extent(&self, path: &str) -> Extent {
        match self {
            Self::Only(fields) => Extent::of(fields.iter().map(|field| &**field), path),
            Self::Any => Extent::Whole,
        }
    }

    /// Adds what is read elsewhere.
    pub fn add(&mut self, other: Self) {
        match (self, other) {
            (Self::Only(own), Self::Only(more)) => own.extend(more),
            (own, _) => *own = Self::Any,
        }
    }
}

struct FieldSearch<'p> {
    program: &'p Program,
    found: BTreeSet<Box<str>>,
    visited: BTreeSet<(u32, u32)>,
}

/// Methods answer whether only fields by name are read of what a slot holds.
impl FieldSearch<'_> {
    fn operator(&mut self, operator: u32, slot: u32) -> bool {
        if !self.visited.insert((operator, slot)) {
            return true;
        }
        match self.program.operators.get(operator as usize) {
            Some(operator) => self.node(&operator.body, slot),
            None => false,
        }
    }

    fn field(&mut self, name: &Value) -> bool {
        let Some(name) = name.as_str() else {
            return false;
        };
        self.found.insert(name.into());
        true
    }

    fn node(&mut self, node: &Node, slot: u32) -> bool {
        let is_slot = |node: &Node| matches!(node.bare().kind, Kind::Local(own) if own == slot);
        match &node.kind {
            Kind::Local(own) => *own != slot,
            Kind::Path(root, steps) if is_slot(root) => {
                let names = steps.iter().map_while(|step| match step {
                    PathStep::Field(field) => field.name.as_str(),
                    PathStep::Index(index) => match &index.bare().kind {
                        Kind::Const(name) => name.as_str(),
                        _ => None,
                    },
                });
                let path = names.collect::<Vec<_>>().join(".");
                let is_named = !path.is_empty();
                if is_named {
                    self.found.insert(path.into());
                }
                let mut indices = steps.iter().filter_map(|step| match step {
                    PathStep::Index(index) => Some(index),
                    PathStep::Field(_) => None,
                });
                is_named && indices.all(|index| self.node(index, slot))
            }
            // Whether there is a field.
            Kind::In(two) | Kind::NotIn(two) => match (&two.0.bare().kind, &two.1.bare().kind) {
                (Kind::Const(name), Kind::Domain(record)) if is_slot(record) => self.field(name),
                _ => self.node(&two.0, slot) && self.node(&two.1, slot),
            },
            Kind::Call(call) => {
                let mut arguments = call.arguments.iter();
                arguments
                    .all(|(inner, argument)| self.argument(argument, slot, Some((call.operator, *inner))))
            }
            kind => {
                let mut is_by_name = true;
                kind.for_each_argument(|argument| {
                    // Expressions are among the children.
                    is_by_name &= argument.node().is_some() || self.argument(argument, slot, None);
                });
                kind.for_each_child(|child| is_by_name = is_by_name && self.node(child, slot));
                is_by_name
            }
        }
    }

    /// The same in an argument for a slot of an operator, if that is known.
    fn argument(&mut self, argument: &Argument, slot: u32, to: Option<(u32, u32)>) -> bool {
        let is_slot = match argument {
            Argument::Slot(own) => *own == slot,
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => match node.bare().kind {
                Kind::Local(own) => own == slot,
                _ => return self.node(node, slot),
            },
            Argument::Operator(operator, captures) => {
                let mut captures = captures.iter();
                return captures
                    .all(|(inner, capture)| self.argument(capture, slot, Some((*operator, *inner))));
            }
        };
        match (is_slot, to) {
            (false, _) => true,
            (true, Some((operator, inner))) => self.operator(operator, inner),
            (true, None) => false,
        }
    }
}
