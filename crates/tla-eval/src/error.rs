//! Evaluation errors.

use std::fmt::{self, Display, Formatter};

use omnilink_value::Value;

pub use omnilink_tla_ir::ErrorClass;
use omnilink_tla_ir::Loc;
use omnilink_tla_syntax::source::Sources;

/// The result of an evaluation.
pub type Outcome<T> = Result<T, Box<Failure>>;

/// A definition that was being evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Its name.
    pub name: String,
    /// Where it was used.
    pub at: Loc,
}

/// An evaluation error with its location, bindings and call chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub class: ErrorClass,
    /// The message, with the values in question.
    pub message: String,
    /// The innermost expression that failed.
    pub at: Option<Loc>,
    /// The names bound around it with their values, innermost first.
    pub bindings: Vec<(String, String)>,
    /// The call chain, innermost first.
    pub calls: Vec<CallSite>,
    /// The partial next state, if a variable was not assigned.
    pub partial: Vec<Option<Value>>,
    /// The action that did not assign it, with the names bound around it.
    pub incomplete: Option<IncompleteAction>,
}

/// An action that leaves a variable without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteAction {
    /// Index into [`Program::actions`](omnilink_tla_ir::Program::actions).
    pub action: u32,
    /// The names bound around it, with their values.
    pub bindings: Vec<(String, Value)>,
}

/// Maximum number of bindings and calls in an error.
const SHOWN_MAX: usize = 40;

impl Failure {
    /// An error whose location is added while it propagates.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            class,
            message: message.into(),
            at: None,
            bindings: Vec::new(),
            calls: Vec::new(),
            partial: Vec::new(),
            incomplete: None,
        })
    }

    /// Adds the location, unless there is a more precise one.
    #[must_use]
    pub fn at(mut self: Box<Self>, at: Loc) -> Box<Self> {
        self.at.get_or_insert(at);
        self
    }

    pub(crate) fn bind(&mut self, name: &str, value: impl FnOnce() -> String) {
        if self.bindings.len() < SHOWN_MAX && !name.is_empty() {
            let binding = (name.to_owned(), value());
            // A parameter that has the name and the value of what is given for it is told once.
            if !self.bindings.contains(&binding) {
                self.bindings.push(binding);
            }
        }
    }

    pub(crate) fn called(&mut self, name: &str, at: Loc) {
        // A recursion, or an action that was entered by its name, is told once.
        let is_told = self
            .calls
            .last()
            .is_some_and(|call| call.name == name && call.at == at);
        if self.calls.len() < SHOWN_MAX && !name.is_empty() && !is_told {
            self.calls.push(CallSite {
                name: name.to_owned(),
                at,
            });
        }
    }

    /// The error with its source line, bindings and call chain.
    pub fn render(&self, sources: &Sources) -> String {
        use omnilink_tla_syntax::diagnostic::{Class, Diagnostic, render};
        let Some(at) = self.at else {
            return format!("error: {}\n", self.message);
        };
        let mut diagnostic = Diagnostic::error(Class::Evaluation, at.source, at.span, self.message.clone());
        if !self.bindings.is_empty() {
            let names: Vec<String> = self.bindings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            diagnostic = diagnostic.help(format!("where {}", names.join(", ")));
        }
        let mut text = render(&diagnostic, sources);
        // A definition that was put together is where its section says, and who uses it is no user's matter.
        for call in self
            .calls
            .iter()
            .filter(|call| sources.made_from(&call.name).is_none())
        {
            let place = sources.get(call.at.source).place(call.at.span.start);
            text.push_str(&format!("  in {}, used at {place}\n", call.name));
        }
        text
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

pub(crate) fn type_error(message: impl Into<String>) -> Box<Failure> {
    Failure::new(ErrorClass::Type, message)
}

pub(crate) fn domain_error(message: impl Into<String>) -> Box<Failure> {
    Failure::new(ErrorClass::Domain, message)
}
