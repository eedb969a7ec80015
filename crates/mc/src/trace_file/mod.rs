//! Files with the states of one behaviour: a counterexample to keep, or a trace to be replayed.
//!
//! Written are the ITF format, which other TLA+ tools read, the JSON of TLC's `-dumpTrace json`, and DOT for Graphviz. Read are the
//! first two and the evidence of this tool. TLC's JSON does not tell sets from sequences, nor model values from strings, so what is
//! read from it is compared with values, not turned into one: see [`RecordedValue`].

mod dot;
mod itf;
mod recorded_value;
mod tlc_json;

use omnilink_value::Value;
use serde_json::Value as Json;
use thiserror::Error;

pub use self::recorded_value::RecordedValue;
pub use self::tlc_json::plain_json;
use crate::report::{ActionTaken, Behaviour};
use crate::transition_system::State;

/// Format of a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// The Informal Trace Format.
    Itf,
    /// The JSON of TLC's `-dumpTrace json`.
    TlcJson,
    /// For Graphviz.
    Dot,
}

impl TraceFormat {
    /// The format that the name of a file asks for.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if name.ends_with(".itf.json") || name.ends_with(".itf") {
            return Some(Self::Itf);
        }
        match name.rsplit_once('.')?.1 {
            "json" => Some(Self::TlcJson),
            "dot" | "gv" => Some(Self::Dot),
            _ => None,
        }
    }

    /// The states of a counterexample as the text of a file; `None` if it has no states. Written are these variables, or all that an
    /// ALIAS shows instead of them.
    pub fn text(self, behaviour: &Behaviour, variables: &[String]) -> Option<String> {
        let behaviour = WrittenBehaviour::new(behaviour, variables)?;
        Some(match self {
            Self::Itf => itf::text(&behaviour),
            Self::TlcJson => tlc_json::text(&behaviour),
            Self::Dot => dot::text(&behaviour),
        })
    }
}

/// A behaviour that is written.
struct WrittenBehaviour<'a> {
    variables: Vec<&'a str>,
    /// For each state the action that led to it, and the values of the variables.
    states: Vec<(Option<&'a ActionTaken>, Vec<&'a Value>)>,
    /// The position to which the last state leads back, and the action; the last position itself for stuttering.
    back: Option<(usize, Option<&'a ActionTaken>)>,
    description: String,
}

impl<'a> WrittenBehaviour<'a> {
    fn new(behaviour: &'a Behaviour, variables: &'a [String]) -> Option<Self> {
        let first = behaviour.states.first()?;
        let is_shown = variables.iter().all(|name| first.values.get(name).is_some());
        let variables: Vec<&str> = match is_shown {
            true => variables.iter().map(String::as_str).collect(),
            false => first.values.iter().map(|(name, _)| name.as_str()).collect(),
        };
        // A last state that is not complete is left out.
        let states = behaviour.states.iter().filter_map(|state| {
            let values = variables.iter().map(|name| state.values.get(name));
            Some((state.action.as_ref(), values.collect::<Option<Vec<_>>>()?))
        });
        Some(Self {
            states: states.collect(),
            variables,
            back: behaviour
                .lasso
                .map(|back_to| (back_to.saturating_sub(1), behaviour.back.as_ref())),
            description: match &behaviour.violated {
                Some(violated) => format!("a counterexample to {violated}, made by omnilink mc"),
                None => "made by omnilink mc".to_owned(),
            },
        })
    }
}

/// A behaviour in the ITF format, which no property is about: its states, each with the action that led to it. The parameters of an action
/// are in `#meta` beside its name.
pub fn itf_text<'a>(
    description: &str,
    variables: &'a [String],
    states: impl IntoIterator<Item = (Option<&'a ActionTaken>, &'a State)>,
) -> String {
    let states = states
        .into_iter()
        .map(|(action, state)| (action, state.iter().collect()));
    itf::text(&WrittenBehaviour {
        variables: variables.iter().map(String::as_str).collect(),
        states: states.collect(),
        back: None,
        description: description.to_owned(),
    })
}

/// The states of a behaviour, as read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTrace {
    /// For each state the variables with their values. A variable may be missing.
    pub states: Vec<Vec<(String, RecordedValue)>>,
    /// For each state the action that led to it, if the file says it. Empty if the format has none.
    pub steps: Vec<Option<RecordedStep>>,
    /// The position to which the last state leads back.
    pub back_to: Option<usize>,
}

/// An action that a file names.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// Its name.
    pub action: String,
    /// Its parameters, and the names that it chooses.
    pub parameters: Vec<(String, Value)>,
}

/// Why a file is no trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceFileError {
    /// The text is no JSON.
    #[error(
        "line {line}, column {column}: {message}; give a trace in the ITF format, TLC's JSON, or evidence of `omnilink mc`"
    )]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The JSON has none of the known forms.
    #[error(
        "there are no states in it: ITF has \"states\", TLC's JSON \"counterexample\", and evidence of `omnilink mc` a \"violation\" with a \"trace\""
    )]
    NoStates,
    /// A part has the wrong form.
    #[error("state {state}: {message}")]
    State {
        /// Number of the state, counted from 1.
        state: usize,
        /// What is wrong.
        message: String,
    },
    /// The state that closes the cycle does not exist.
    #[error("the cycle leads back to state {0}, which does not exist")]
    Cycle(u64),
}

impl RecordedTrace {
    /// Reads a trace. Of several lines of evidence, the first with a behaviour counts.
    ///
    /// # Errors
    /// When the text is no trace.
    pub fn read(text: &str) -> Result<Self, TraceFileError> {
        let syntax = |error: serde_json::Error| TraceFileError::Syntax {
            line: error.line(),
            column: error.column(),
            message: error
                .to_string()
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Json>();
        loop {
            let document = match documents.next() {
                None => return Err(TraceFileError::NoStates),
                Some(document) => document.map_err(syntax)?,
            };
            let trace = if let Some(states) = document.get("states") {
                itf::read(states, document.get("loop"))?
            } else if let Some(counterexample) = document.get("counterexample") {
                tlc_json::read(counterexample)?
            } else if let Some(behaviour) = document
                .get("violation")
                .filter(|found| found.get("trace").is_some())
            {
                of_evidence(behaviour)?
            } else {
                continue;
            };
            if trace.states.is_empty() {
                return Err(TraceFileError::NoStates);
            }
            return Ok(trace);
        }
    }
}

/// A behaviour of this tool's evidence.
fn of_evidence(behaviour: &Json) -> Result<RecordedTrace, TraceFileError> {
    let listed = behaviour.get("trace").and_then(Json::as_array);
    let listed = listed.ok_or(TraceFileError::NoStates)?;
    let mut states = Vec::with_capacity(listed.len());
    for (number, state) in (1..).zip(listed) {
        let wrong = |message: String| TraceFileError::State {
            state: number,
            message,
        };
        let values = state.get("values").and_then(Json::as_object);
        let values = values.ok_or_else(|| wrong("there is no object \"values\"".into()))?;
        let values = values.iter().map(|(name, value)| {
            let value: Result<Value, _> = serde_json::from_value(value.clone());
            match value {
                Ok(value) => Ok((name.clone(), RecordedValue::Exact(value))),
                Err(error) => Err(wrong(format!("{name}: {error}"))),
            }
        });
        states.push(values.collect::<Result<Vec<_>, _>>()?);
    }
    let back_to = match behaviour.get("lasso").and_then(Json::as_u64) {
        None => None,
        Some(number) => Some(position(number.checked_sub(1), states.len(), number)?),
    };
    let steps = Vec::new();
    Ok(RecordedTrace {
        states,
        steps,
        back_to,
    })
}

/// The position of the state that closes a cycle.
fn position(position: Option<u64>, states: usize, shown: u64) -> Result<usize, TraceFileError> {
    let position = position.and_then(|position| usize::try_from(position).ok());
    position
        .filter(|position| *position < states)
        .ok_or(TraceFileError::Cycle(shown))
}

#[cfg(test)]
mod tests;
