//! An operation of a harness, and its parameters.

use omnilink_value::Value;

use crate::parameter_type::ParameterType;

/// What a parameter of an action is for a harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterRole {
    /// An argument: the harness chooses it.
    Argument,
    /// A result: the system gives it.
    Result,
    /// The thread that makes the call.
    Thread,
}

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the trace.
    pub name: String,
    /// What it is.
    pub role: ParameterRole,
    /// Of which kind its values are.
    pub kind: ParameterType,
    /// The set that the specification takes its values from, as TLA+.
    pub range: Option<String>,
    /// The elements of this set, if they can be enumerated.
    pub values: Option<Vec<Value>>,
    /// Why it is taken to be a result, if its name does not say it.
    pub reason: Option<String>,
}

/// An operation of a harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessOp {
    /// Its name in the trace.
    pub name: String,
    /// Its action as the specification writes it: `Insert(key, value)`.
    pub action: String,
    /// Where it is defined.
    pub at: String,
    /// Its parameters, in the order of the specification.
    pub parameters: Vec<Parameter>,
    /// What it is for, if that is not plain: the two parts of an operation in steps.
    pub note: Option<String>,
}

impl HarnessOp {
    /// What the harness chooses.
    pub fn arguments(&self) -> impl Iterator<Item = &Parameter> {
        self.having(ParameterRole::Argument)
    }

    /// What the system returns.
    pub fn results(&self) -> impl Iterator<Item = &Parameter> {
        self.having(ParameterRole::Result)
    }

    /// The comment above its function: the action, where it is defined, and which parameters are results. Each line begins with
    /// `start`.
    pub(crate) fn heading(&self, start: &str) -> String {
        let mut text = format!("{start} {}, {}", self.action, self.at);
        if let Some(note) = &self.note {
            text.push_str("; ");
            text.push_str(note);
        }
        text.push('\n');
        for result in self.results() {
            let name = &result.name;
            text.push_str(&match &result.reason {
                Some(reason) => format!(
                    "{start}   {name} is taken to be a result, because of {reason}; if it is not: --argument {}.{name}\n",
                    self.name
                ),
                None => format!("{start}   {name} is a result\n"),
            });
        }
        text
    }

    fn having(&self, role: ParameterRole) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(move |parameter| parameter.role == role)
    }

    /// The operation with its arguments, which is what a function of the harness gets.
    pub fn signature(&self) -> String {
        let names: Vec<&str> = self.arguments().map(|argument| argument.name.as_str()).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}
