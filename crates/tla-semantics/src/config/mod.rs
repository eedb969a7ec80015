//! Configuration files: the formulas that are the spec and its properties, and the values of its constants.
//!
//! [`parse`] reads a `.cfg` by itself; [`Config::check`] checks its names against the spec. Sections may repeat and come in any order;
//! comments are those of TLA+. The value of a constant is a number, string, Boolean, set, tuple or record; any other name is a
//! model value.

mod absent;
mod check;
mod reader;
mod section;

use omnilink_tla_syntax::source::{SourceId, Span};
use serde::Serialize;

pub use absent::absent_behaviour;
pub use reader::parse;
pub use section::config_section;

/// A name in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name, perhaps with `!`.
    pub name: String,
    /// Its span.
    #[serde(skip)]
    pub span: Span,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum ConfigValue {
    /// A whole number, as written.
    Number(String),
    /// A string.
    Text(String),
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// A name: a model value.
    Model(String),
    /// `{a, b}`.
    Set(Vec<ConfigValue>),
    /// `<<a, b>>`.
    Tuple(Vec<ConfigValue>),
    /// `[a |-> 1]`.
    Record(Vec<(String, ConfigValue)>),
}

/// One line of CONSTANTS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// What is assigned: a constant or a definition, perhaps of an instance (`Inst!Op`).
    pub target: Named,
    /// The arguments of `f(1, 2) = 3`; empty otherwise.
    pub arguments: Vec<ConfigValue>,
    /// The module that the assignment is meant for: `Op <- [Module] Def`.
    pub module: Option<Named>,
    /// What is assigned.
    pub value: Assigned,
}

/// The right-hand side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Assigned {
    /// `=` and a value.
    Value {
        /// The value.
        value: ConfigValue,
    },
    /// `<-` and a definition of the spec.
    Definition {
        /// Its name.
        name: Named,
    },
}

/// A configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Config {
    /// The text it was read from.
    #[serde(skip)]
    pub source: Option<SourceId>,
    /// SPECIFICATION.
    pub specification: Option<Named>,
    /// INIT.
    pub init: Option<Named>,
    /// NEXT.
    pub next: Option<Named>,
    /// CONSTANT and CONSTANTS.
    pub constants: Vec<Assignment>,
    /// INVARIANT and INVARIANTS.
    pub invariants: Vec<Named>,
    /// PROPERTY and PROPERTIES.
    pub properties: Vec<Named>,
    /// CONSTRAINT and CONSTRAINTS.
    pub constraints: Vec<Named>,
    /// ACTION_CONSTRAINT and ACTION_CONSTRAINTS.
    pub action_constraints: Vec<Named>,
    /// SYMMETRY.
    pub symmetry: Option<Named>,
    /// VIEW.
    pub view: Option<Named>,
    /// ALIAS.
    pub alias: Option<Named>,
    /// POSTCONDITION and POSTCONDITIONS.
    pub postconditions: Vec<Named>,
    /// _PERIODIC: evaluated periodically.
    pub periodic: Vec<Named>,
    /// TYPE, which TLC reads and ignores.
    pub types: Vec<Named>,
    /// TYPE_CONSTRAINT, likewise.
    pub type_constraints: Vec<Named>,
    /// _RL_REWARD: the reward of a learning simulation.
    pub reward: Option<Named>,
    /// _POSSIBLE: what some behaviour must reach.
    pub possible: Vec<Named>,
    /// CHECK_DEADLOCK.
    pub check_deadlock: Option<bool>,
}
