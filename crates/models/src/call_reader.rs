//! A reader of one operation of a trace: finds its arguments and its result, whatever the importer.

use std::cell::RefCell;

use omnilink_trace::{Args, Operation};
use omnilink_value::{Value, ValueKind};

use crate::decode::Asked;
use crate::decode_error::{DecodeError, DecodeProblem, THE_RESULT};
use crate::entry::{ModelEntry, OpEntry, is_similar};
use crate::suggestion::nearest;

/// The names of results that are given among the arguments.
pub(crate) const RESULT: &[&str] = &["result", "ret"];
/// The names of the argument under which importers put all arguments of an invocation.
pub(crate) const PAYLOAD: &[&str] = &["value", "input"];

/// An operation of a trace that a model supports.
#[derive(Clone, Copy, Debug)]
pub struct CallReader<'a> {
    operation: &'a Operation,
    entry: &'static OpEntry,
    /// Where the names of the arguments go that the model asks for.
    asked: Option<&'a RefCell<Asked>>,
}

impl<'a> CallReader<'a> {
    pub(crate) fn new(operation: &'a Operation, model: &'static ModelEntry) -> Result<Self, DecodeError> {
        match model.op(&operation.name) {
            Some(entry) => Ok(Self {
                operation,
                entry,
                asked: None,
            }),
            None => Err(Self::unknown(operation, model)),
        }
    }

    /// The same reader, which writes down what it is asked for.
    pub(crate) fn recording(self, asked: &'a RefCell<Asked>) -> Self {
        Self {
            asked: Some(asked),
            ..self
        }
    }

    #[inline]
    fn ask(&self, names: &[&str]) {
        if let Some(asked) = self.asked {
            let names = names.iter().map(|name| (*name).to_owned());
            asked.borrow_mut().names.extend(names);
        }
    }

    /// All arguments, for a model that has its own way of reading them.
    pub(crate) fn args(&self) -> &'a Args {
        if let Some(asked) = self.asked {
            asked.borrow_mut().is_all = true;
        }
        &self.operation.args
    }

    #[cold]
    fn unknown(operation: &Operation, model: &'static ModelEntry) -> DecodeError {
        let known = model.ops.iter().map(|op| op.name).collect::<Vec<_>>().join(", ");
        let (model_name, op) = (model.name, operation.name.to_string());
        let problem = if is_code(&op) {
            DecodeProblem::Code {
                model: model_name,
                op,
                known,
            }
        } else {
            DecodeProblem::UnknownOp {
                model: model_name,
                suggestion: nearest(&op, model.op_names()),
                op,
                known,
            }
        };
        DecodeError::new(operation.location.clone(), problem)
    }

    /// The name of the operation in the model's entry.
    pub(crate) fn op(&self) -> &'static str {
        self.entry.name
    }

    /// The operation of the trace.
    pub(crate) fn operation(&self) -> &'a Operation {
        self.operation
    }

    /// The argument with one of these names, or at this position.
    pub(crate) fn find(&self, names: &[&str], position: usize) -> Option<&'a Value> {
        self.ask(names);
        match &self.operation.args {
            Args::Positional(tuple) => tuple.as_tuple()?.get(position),
            Args::Named(record) => {
                let inside = || {
                    PAYLOAD
                        .iter()
                        .find_map(|payload| field(record.field(payload)?, names))
                };
                field(record, names).or_else(inside)
            }
        }
    }

    /// The same for a mandatory argument.
    pub(crate) fn argument(
        &self,
        names: &[&'static str],
        position: usize,
        expected: &'static str,
    ) -> Result<&'a Value, DecodeError> {
        self.find(names, position).ok_or_else(|| {
            let argument = names.first().copied().unwrap_or_default();
            self.error(DecodeProblem::MissingArgument {
                op: self.name(),
                argument,
                expected,
            })
        })
    }

    /// An integer argument of at least `least`.
    pub(crate) fn integer(
        &self,
        names: &[&'static str],
        position: usize,
        least: i64,
        expected: &'static str,
    ) -> Result<i64, DecodeError> {
        let value = self.argument(names, position, expected)?;
        value
            .as_int()
            .filter(|number| *number >= least)
            .ok_or_else(|| self.wrong(names.first().copied().unwrap_or_default(), value, expected))
    }

    /// An integer argument of at least `least`; `default` if it is missing.
    pub(crate) fn integer_or(
        &self,
        default: i64,
        names: &[&'static str],
        position: usize,
        least: i64,
        expected: &'static str,
    ) -> Result<i64, DecodeError> {
        match self.find(names, position) {
            Some(value) if !value.is_null() => self.integer(names, position, least, expected),
            _ => Ok(default),
        }
    }

    /// The result: beside the arguments, among them under a name for results or one of `names`, or behind them at
    /// `position`.
    ///
    /// This is where all models learn whether there is a result. A missing one is unknown (`None`), and so is that of a
    /// pending call, which has none yet. A `null` is the result null, and it is the model that accepts or refuses it. Only
    /// an argument that merely shares a name with the result, such as the `value` of a read, is not a result while it is
    /// null: Jepsen's invocations hold `:value nil` there until the completion fills it in.
    pub(crate) fn result(&self, names: &[&str], position: usize) -> Option<&'a Value> {
        self.ask(names);
        if self.operation.timebox.is_pending() {
            return None;
        }
        let filled_in = |value: &&Value| !value.is_null();
        self.operation
            .ret
            .as_ref()
            .or_else(|| match &self.operation.args {
                Args::Positional(tuple) => tuple.as_tuple()?.get(position),
                Args::Named(record) => exact_field(record, RESULT)
                    .or_else(|| exact_field(record, names).filter(filled_in))
                    .or_else(|| similar_field(record, RESULT))
                    .or_else(|| similar_field(record, names).filter(filled_in)),
            })
    }

    /// The value that the call returned. Porcupine wraps it in an output record: `{"value": 3}`, `{"exists": false}`,
    /// `{"unknown": true}`.
    ///
    /// # Errors
    /// If the output record reports an error or contains no value.
    pub(crate) fn value_result(&self, names: &[&str], position: usize) -> Result<Option<Value>, DecodeError> {
        let Some(result) = self.result(names, position) else {
            return Ok(None);
        };
        let output = Output::of(result);
        self.check_argument_agrees(names, result, output.as_ref().and_then(|output| output.value))?;
        let Some(output) = output else {
            return Ok(Some(result.clone()));
        };
        self.check_success(result)?;
        // If one record serves all operations, only `exists` and `unknown` are about reads.
        let is_about_reads = output.exists.is_some() || output.is_unknown.is_some();
        match output {
            Output {
                is_unknown: Some(true),
                ..
            } => Ok(None),
            Output {
                exists: Some(false),
                value,
                ..
            } if value.is_none_or(is_empty_result) => Ok(Some(Value::null())),
            Output {
                exists: Some(false), ..
            } => Err(self.wrong(THE_RESULT, result, "no value where nothing exists")),
            Output { ok: Some(false), .. } if !is_about_reads => Err(self.wrong(THE_RESULT, result, FAILED)),
            Output {
                value: Some(value), ..
            } => Ok(Some(value.clone())),
            _ => Err(self.wrong(THE_RESULT, result, "the value")),
        }
    }

    /// Checks that an argument with the name of the result does not contradict the result: a read with a value of its own is
    /// more likely a write.
    fn check_argument_agrees(
        &self,
        names: &[&str],
        result: &Value,
        unwrapped: Option<&Value>,
    ) -> Result<(), DecodeError> {
        let (Some(_), Args::Named(record)) = (&self.operation.ret, &self.operation.args) else {
            return Ok(());
        };
        match field(record, names) {
            Some(given) if !is_empty_result(given) && given != result && Some(given) != unwrapped => {
                Err(self.wrong(
                    "an argument",
                    given,
                    "none of that name beside the result, or the same",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a result reports no error.
    pub(crate) fn check_success(&self, result: &Value) -> Result<(), DecodeError> {
        match Output::of(result).and_then(|output| output.error) {
            Some(_) => Err(self.wrong(THE_RESULT, result, FAILED)),
            None => Ok(()),
        }
    }

    /// An integer result, if there is a result.
    pub(crate) fn integer_result(
        &self,
        names: &[&str],
        position: usize,
        expected: &'static str,
    ) -> Result<Option<i64>, DecodeError> {
        match self.value_result(names, position)? {
            None => Ok(None),
            Some(value) => match value.as_int() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(THE_RESULT, &value, expected)),
            },
        }
    }

    /// The same for an operation that may also return nothing, that is null, and then says as little as without a result.
    pub(crate) fn integer_or_nothing(
        &self,
        names: &[&str],
        position: usize,
        expected: &'static str,
    ) -> Result<Option<i64>, DecodeError> {
        match self.value_result(names, position)? {
            Some(value) if value.is_null() => Ok(None),
            _ => self.integer_result(names, position, expected),
        }
    }

    /// A Boolean result, if there is a result. Jepsen returns the value of the invocation for `true`.
    pub(crate) fn bool_result(&self, names: &[&str], position: usize) -> Result<Option<bool>, DecodeError> {
        match self.answer(names, position)? {
            Some(Answer::Nothing(null)) => Err(self.wrong(THE_RESULT, null, TRUE_OR_FALSE)),
            Some(Answer::Flag(flag)) => Ok(Some(flag)),
            None => Ok(None),
        }
    }

    /// The same for an operation that may also return nothing, that is null. `nothing` is what that says.
    pub(crate) fn bool_or_nothing(
        &self,
        nothing: Option<bool>,
        names: &[&str],
        position: usize,
    ) -> Result<Option<bool>, DecodeError> {
        match self.answer(names, position)? {
            Some(Answer::Nothing(_)) => Ok(nothing),
            Some(Answer::Flag(flag)) => Ok(Some(flag)),
            None => Ok(None),
        }
    }

    /// Null or a Boolean, if there is a result.
    fn answer(&self, names: &[&str], position: usize) -> Result<Option<Answer<'a>>, DecodeError> {
        let Some(result) = self.result(names, position) else {
            return Ok(None);
        };
        let flag = |flag: bool| Ok(Some(Answer::Flag(flag)));
        if result.is_null() {
            return Ok(Some(Answer::Nothing(result)));
        }
        if let Some(result) = result.as_bool() {
            return flag(result);
        }
        let wrong = || self.wrong(THE_RESULT, result, TRUE_OR_FALSE);
        let Some(output) = Output::of(result) else {
            return if self.is_echo(result) || is_ok(result) {
                flag(true)
            } else {
                Err(wrong())
            };
        };
        self.check_success(result)?;
        if output.is_unknown == Some(true) {
            return Ok(None);
        }
        // A value beside the flag must be empty or repeat the arguments.
        let value = output
            .value
            .filter(|value| !is_empty_result(value) && !self.is_echo(value));
        match (output.ok, value) {
            (Some(ok), None) => flag(ok),
            (None, Some(value)) if is_ok(value) => flag(true),
            (None, Some(value)) => value.as_bool().map_or_else(|| Err(wrong()), flag),
            (None, None) => match (output.exists, output.value) {
                (Some(exists), _) => flag(exists),
                (None, Some(value)) if value.is_null() => Ok(Some(Answer::Nothing(value))),
                (None, Some(value)) if self.is_echo(value) => flag(true),
                _ => Err(wrong()),
            },
            (Some(_), Some(_)) => Err(wrong()),
        }
    }

    /// Checks that the result of an operation without a result value reports success.
    pub(crate) fn check_acknowledged(&self, position: usize) -> Result<(), DecodeError> {
        self.check_acknowledged_as(
            position,
            "nothing, true, 0 or \"ok\"; what did not happen is marked \"aborted\": true",
        )
    }

    /// The same, with the text of the error.
    pub(crate) fn check_acknowledged_as(
        &self,
        position: usize,
        expected: &'static str,
    ) -> Result<(), DecodeError> {
        let Some(result) = self.result(&[], position) else {
            return Ok(());
        };
        let is_plain_success = |value: &Value| {
            is_empty_result(value) || self.is_echo(value) || is_ok(value) || value.as_bool() == Some(true)
        };
        let is_fine = is_plain_success(result)
            || Output::of(result).is_some_and(|output| {
                let is_fine = output.ok != Some(false) && output.error.is_none();
                // `exists` answers a read, which this operation is not.
                let has_no_value = output.exists != Some(true) && output.value.is_none_or(is_plain_success);
                is_fine && (has_no_value || output.is_unknown == Some(true))
            });
        if is_fine {
            Ok(())
        } else {
            Err(self.wrong(THE_RESULT, result, expected))
        }
    }

    /// Whether `result` only repeats the arguments.
    fn is_echo(&self, result: &Value) -> bool {
        match &self.operation.args {
            Args::Named(record) => field(record, PAYLOAD) == Some(result) || record == result,
            Args::Positional(tuple) => {
                tuple == result || tuple.as_tuple() == Some(std::slice::from_ref(result))
            }
        }
    }

    /// The name of the operation in messages: the one in the trace, if the model has it.
    pub(crate) fn name(&self) -> String {
        let spelled = self.operation.name.as_str();
        let is_known = is_similar(self.entry.name, spelled)
            || self.entry.aliases.iter().any(|alias| is_similar(alias, spelled));
        if is_known { spelled } else { self.entry.name }.to_owned()
    }

    #[cold]
    pub(crate) fn error(&self, problem: DecodeProblem) -> DecodeError {
        DecodeError::new(self.operation.location.clone(), problem)
    }

    #[cold]
    pub(crate) fn wrong(&self, part: &'static str, found: &Value, expected: &'static str) -> DecodeError {
        self.error(DecodeProblem::WrongType {
            op: self.name(),
            part,
            found: found.clone(),
            expected,
        })
    }

    /// `value`, if it can be ordered. A number that is no 64-bit integer cannot.
    pub(crate) fn ordered(&self, value: &Value) -> Result<Value, DecodeError> {
        let is_opaque = value.kind() == ValueKind::Model && !value.is_null();
        if is_opaque {
            Err(self.wrong(
                "a value",
                value,
                "a 64-bit integer or a text, because this model puts values in order",
            ))
        } else {
            Ok(value.clone())
        }
    }

    /// `value`, unless it is the one that stands for an absent value.
    pub(crate) fn unreserved(
        &self,
        value: &Value,
        reserved: &Value,
        meaning: &'static str,
        remedy: &'static str,
    ) -> Result<Value, DecodeError> {
        if value != reserved && !value.is_null() {
            return Ok(value.clone());
        }
        Err(self.error(DecodeProblem::Reserved {
            op: self.name(),
            found: value.clone(),
            meaning,
            remedy,
        }))
    }
}

/// Whether the name of an operation is a number or a Boolean. Only the author of the trace knows which operation it is.
pub fn is_code(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number || matches!(name, "true" | "false")
}

/// The expectation that a result which reports a failure violates.
const FAILED: &str = "no failure; mark an operation that did not happen \"aborted\": true, and leave out the end of one \
                      that may have";

/// The expectation of a Boolean result.
const TRUE_OR_FALSE: &str = "true or false";

/// A result of an operation that answers yes or no.
enum Answer<'a> {
    Flag(bool),
    /// Null, as it was found.
    Nothing(&'a Value),
}

/// Whether a result is a placeholder: nil, or a zero value of C and Go.
pub(crate) fn is_empty_result(result: &Value) -> bool {
    result.is_null() || result.is_empty() || result.as_int() == Some(0) || result.as_str() == Some("")
}

/// Whether a result is the text "ok".
fn is_ok(result: &Value) -> bool {
    result
        .as_str()
        .is_some_and(|text| text.eq_ignore_ascii_case("ok"))
}

/// The field with one of these names; if there is none, the field with a similar name.
fn field<'a>(record: &'a Value, names: &[&str]) -> Option<&'a Value> {
    exact_field(record, names).or_else(|| similar_field(record, names))
}

fn exact_field<'a>(record: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| record.field(name))
}

fn similar_field<'a>(record: &'a Value, names: &[&str]) -> Option<&'a Value> {
    let mut fields = record.as_record()?.iter();
    fields
        .find(|(field, _)| names.iter().any(|name| is_similar(name, field)))
        .map(|(_, value)| value)
}

/// A record with the fields of a Porcupine output.
struct Output<'a> {
    value: Option<&'a Value>,
    ok: Option<bool>,
    exists: Option<bool>,
    is_unknown: Option<bool>,
    error: Option<&'a Value>,
}

impl<'a> Output<'a> {
    /// `None` if `result` has other fields: then it is an ordinary value.
    fn of(result: &'a Value) -> Option<Self> {
        let mut output = Self {
            value: None,
            ok: None,
            exists: None,
            is_unknown: None,
            error: None,
        };
        let fields = result.as_record().filter(|fields| !fields.is_empty())?;
        for (name, value) in fields.iter() {
            match (name.to_ascii_lowercase().as_str(), value.as_bool()) {
                ("value" | "values" | "result", _) => output.value = Some(value),
                ("ok" | "success", Some(ok)) => output.ok = Some(ok),
                ("exists" | "found", Some(exists)) => output.exists = Some(exists),
                ("unknown", Some(is_unknown)) => output.is_unknown = Some(is_unknown),
                ("err" | "error", flag) => {
                    let is_none = is_empty_result(value) || flag == Some(false);
                    output.error = (!is_none).then_some(value);
                }
                _ => return None,
            }
        }
        Some(output)
    }
}
