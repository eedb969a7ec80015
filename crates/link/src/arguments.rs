//! Arguments: which value each parameter of an action gets from an operation of a trace.
//!
//! The rule is that **nothing is guessed**. A parameter takes the field of its name. Two kinds of fields need not be
//! among the arguments: a result (`result`, `ret`, `res`, `return`, `ok`) may stand apart as `ret`, and the thread (`thread`,
//! `self`, `pid`, `thread_id`) is part of every record. The link file gives parameters other fields, defaults and sets of
//! possible values. Whatever parameter is without a value then is an error, and so is whatever was recorded and is read
//! by nothing: either of them would make an operation mean something else than what was observed.
//!
//! Arguments without names fill the parameters in order, those of the result and of the thread left out if they are
//! recorded elsewhere.

use omnilink_tla::diagnostic::nearest;
use omnilink_trace::{Args, Operation};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::binding::{OpBinding, Processes};
use crate::error::BindProblem;
use crate::model::TlaModel;
use crate::param::{Fallback, ParamBinding, is_thread_name};
use crate::run::SELF;
use crate::setup_names::BOOKKEEPING;
use omnilink_settings::toml_key;

/// Arguments in the order of the parameters; `None` for what is not known.
pub(crate) type Arguments = SmallVec<[Option<Value>; 6]>;

/// The arguments that an operation gives to an action.
pub(crate) struct BoundArguments {
    pub(crate) arguments: Arguments,
    /// Whether its thread is among them.
    pub(crate) takes_thread: bool,
}

/// The number of processes that are named where a value is none.
const PROCESSES_TOLD: usize = 8;

/// The number of unread fields kept.
const UNREAD_MAX: usize = 64;

impl TlaModel<'_> {
    /// The values of the parameters.
    pub(crate) fn arguments(
        &self,
        binding: &OpBinding,
        operation: &Operation,
    ) -> Result<BoundArguments, Box<BindProblem>> {
        let mut given = match &operation.args {
            Args::Named(record) => self.named(binding, operation, record)?,
            Args::Positional(tuple) => {
                self.positional(binding, operation, tuple.as_tuple().unwrap_or_default())?
            }
        };
        let open = given.arguments.iter().filter(|value| value.is_none()).count();
        for (param, argument) in binding.params.iter().zip(&mut given.arguments) {
            match argument {
                Some(value) if !param.codes.is_empty() => {
                    let code = param.codes.iter().find(|code| code.stands == *value);
                    let Some(means) = code.and_then(|code| code.means.value.clone()) else {
                        return Err(Box::new(BindProblem::UnknownCode {
                            op: binding.op.clone(),
                            field: param.field.clone(),
                            value: value.to_string(),
                        }));
                    };
                    *value = means;
                }
                Some(_) => {}
                None => match param.default.as_ref().and_then(|default| default.value.clone()) {
                    Some(default) => *argument = Some(default),
                    None if is_needless(param, operation) => *argument = Some(Value::null()),
                    None if may_be_open(binding, param, operation, open) => {}
                    None => return Err(self.missing(binding, param, operation)),
                },
            }
        }
        self.check_process(binding, &given.arguments)?;
        Ok(given)
    }

    /// What is given to `self` must be a process.
    fn check_process(
        &self,
        binding: &OpBinding,
        arguments: &[Option<Value>],
    ) -> Result<(), Box<BindProblem>> {
        let Some(processes) = &binding.processes else {
            return Ok(());
        };
        let members = processes.members.value.as_ref().and_then(Value::as_set);
        let mut values = binding.params.iter().zip(arguments);
        let value = values.find_map(|(param, value)| value.as_ref().filter(|_| param.name == SELF));
        match (members, value) {
            (Some(members), Some(value)) if !members.contains(value) => {
                Err(self.no_process(binding, processes, members, value))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn no_process(
        &self,
        binding: &OpBinding,
        processes: &Processes,
        members: &[Value],
        value: &Value,
    ) -> Box<BindProblem> {
        let action = &self.linked.actions[binding.action as usize];
        let shown: Vec<String> = members
            .iter()
            .take(PROCESSES_TOLD)
            .map(ToString::to_string)
            .collect();
        let more = if members.len() > PROCESSES_TOLD {
            ", …"
        } else {
            ""
        };
        Box::new(BindProblem::NoProcess {
            op: binding.op.clone(),
            value: value.to_string(),
            code: value.to_json(),
            action: action.signature(),
            at: action.at.clone(),
            processes: processes.written.clone(),
            members: format!("{{{}{more}}}", shown.join(", ")),
        })
    }

    fn named(
        &self,
        binding: &OpBinding,
        operation: &Operation,
        record: &Value,
    ) -> Result<BoundArguments, Box<BindProblem>> {
        let mut given = BoundArguments {
            arguments: Arguments::with_capacity(binding.params.len()),
            takes_thread: false,
        };
        let mut read = 0;
        let mut result = operation.ret.as_ref();
        for param in &binding.params {
            let column = param.fallback.column().and_then(|column| record.field(column));
            let value = match record.field(&param.field).or(column) {
                Some(value) => {
                    read += usize::from(!param.is_unread_result);
                    // A result may be recorded twice.
                    if param.fallback == Fallback::Result && result == Some(value) {
                        result = None;
                    }
                    Some(value)
                }
                None => match param.fallback {
                    Fallback::Result => {
                        if result.is_some_and(|result| param.is_unread_result && !result.is_null()) {
                            self.unread(binding, "ret", Some(param))?;
                        }
                        result.take()
                    }
                    Fallback::Thread => {
                        given.takes_thread = true;
                        Some(&operation.thread)
                    }
                    Fallback::Missing => None,
                },
            };
            given.arguments.push(value.cloned());
        }
        if read < operation.args.len() {
            self.check_fields(binding, operation)?;
        }
        self.check_result(binding, operation, result)?;
        Ok(given)
    }

    fn positional(
        &self,
        binding: &OpBinding,
        operation: &Operation,
        values: &[Value],
    ) -> Result<BoundArguments, Box<BindProblem>> {
        let mut given = BoundArguments {
            arguments: binding.params.iter().map(|_| None).collect(),
            takes_thread: false,
        };
        // The parameters that are still to be filled, in order.
        let mut open: SmallVec<[usize; 6]> = (0..binding.params.len()).collect();
        let position = |open: &[usize], wanted: Fallback| {
            open.iter().position(|at| binding.params[*at].fallback == wanted)
        };
        let mut result = operation.ret.as_ref();
        if open.len() > values.len()
            && let Some(at) = position(&open, Fallback::Result)
            && (result.is_some()
                || operation.timebox.is_pending()
                || is_needless(&binding.params[open[at]], operation))
        {
            given.arguments[open.remove(at)] = result.take().cloned();
        }
        while open.len() > values.len()
            && let Some(at) = position(&open, Fallback::Thread)
        {
            given.arguments[open.remove(at)] = Some(operation.thread.clone());
            given.takes_thread = true;
        }
        // What is left out at the end may have a default or be unknown.
        while open.len() > values.len()
            && let Some(last) = open.last().map(|at| &binding.params[*at])
            && (last.default.is_some()
                || last.may_be_unknown
                || (operation.timebox.is_pending() && open.len() == values.len() + 1))
        {
            open.pop();
        }
        if open.len() != values.len() {
            return Err(self.arity(binding, operation, values.len()));
        }
        for (at, value) in open.iter().zip(values) {
            given.arguments[*at] = Some(value.clone());
            let param = &binding.params[*at];
            if param.is_unread_result {
                self.unread(binding, &param.field, Some(param))?;
            }
        }
        // A result may be recorded twice.
        let given_again = (open.iter().zip(values))
            .find(|(at, _)| binding.params[**at].fallback == Fallback::Result)
            .map(|(_, value)| value);
        match (given_again, result) {
            (Some(value), Some(result)) if value == result => {}
            (Some(_), Some(result)) if !result.is_null() => {
                return Err(self.arity(binding, operation, values.len()));
            }
            _ => self.check_result(binding, operation, result)?,
        }
        Ok(given)
    }

    /// Every recorded field must be read by something.
    #[cold]
    fn check_fields(&self, binding: &OpBinding, operation: &Operation) -> Result<(), Box<BindProblem>> {
        let Some(record) = operation.args.as_value().as_record() else {
            return Ok(());
        };
        for (name, value) in record.iter() {
            let param = binding.params.iter().find(|param| param.takes(name));
            let repeats_thread = is_thread_name(name) && *value == operation.thread;
            if param.is_none_or(|param| param.is_unread_result)
                && !repeats_thread
                && !BOOKKEEPING.contains(&name)
            {
                // Without its parameter's value the operation has no meaning: that comes first.
                if let Some(param) = self.without_value(binding, operation) {
                    return Err(self.missing(binding, param, operation));
                }
                self.unread(binding, name, param)?;
            }
        }
        Ok(())
    }

    /// The first parameter that an operation has no value for.
    fn without_value<'p>(&self, binding: &'p OpBinding, operation: &Operation) -> Option<&'p ParamBinding> {
        binding.params.iter().find(|param| {
            operation.args.field(&param.field).is_none()
                && match param.fallback {
                    Fallback::Missing => true,
                    Fallback::Result => operation.ret.is_none(),
                    Fallback::Thread => false,
                }
                && param.default.is_none()
                && !is_needless(param, operation)
                && !may_be_open(binding, param, operation, 1)
        })
    }

    /// A recorded result must be read by something, unless it is `null`.
    fn check_result(
        &self,
        binding: &OpBinding,
        operation: &Operation,
        unread: Option<&Value>,
    ) -> Result<(), Box<BindProblem>> {
        match unread {
            Some(result) if !result.is_null() => {
                if let Some(param) = self.without_value(binding, operation) {
                    return Err(self.missing(binding, param, operation));
                }
                self.unread(binding, "ret", None)
            }
            _ => Ok(()),
        }
    }

    /// A recorded field that nothing reads. In a setup made for OmniLink, which has no link file, it is only noted.
    #[cold]
    fn unread(
        &self,
        binding: &OpBinding,
        field: &str,
        param: Option<&ParamBinding>,
    ) -> Result<(), Box<BindProblem>> {
        if binding.ignores(field) || self.linked.is_tagged(field) {
            return Ok(());
        }
        if self.linked.is_setup {
            let mut unread = self.unread.borrow_mut();
            if unread.len() < UNREAD_MAX {
                unread.insert((binding.op.clone(), field.to_owned()));
            }
            return Ok(());
        }
        let action = &self.linked.actions[binding.action as usize];
        Err(Box::new(BindProblem::Unread {
            op: binding.op.clone(),
            field: match field {
                "ret" => "result (`ret`)".to_owned(),
                field => format!("field \"{field}\""),
            },
            name: field.to_owned(),
            why: match (param, field) {
                (Some(param), _) => format!("does not use its parameter `{}`", param.name),
                (None, "ret") => "has no parameter called result, ret, res, return or ok".to_owned(),
                (None, _) => "has no such parameter".to_owned(),
            },
            action: action.signature(),
            at: action.at.clone(),
        }))
    }

    /// Makes the values of results unknown.
    pub(crate) fn forget_results(
        &self,
        binding: &OpBinding,
        arguments: &mut Arguments,
    ) -> Result<(), Box<BindProblem>> {
        for (param, argument) in binding.params.iter().zip(arguments) {
            if !param.is_result {
                continue;
            }
            if param.range.is_none() {
                return Err(self.unforgettable(binding, &param.field));
            }
            *argument = None;
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn unforgettable(&self, binding: &OpBinding, param: &str) -> Box<BindProblem> {
        let action = &self.linked.actions[binding.action as usize];
        Box::new(BindProblem::Unforgettable {
            op: binding.op.clone(),
            param: param.to_owned(),
            action: action.signature(),
            at: action.at.clone(),
        })
    }

    #[cold]
    fn arity(&self, binding: &OpBinding, operation: &Operation, found: usize) -> Box<BindProblem> {
        let action = &self.linked.actions[binding.action as usize];
        let has_place = binding
            .params
            .iter()
            .any(|param| param.fallback == Fallback::Result);
        let is_apart = operation.ret.is_some() && has_place;
        let advice = match binding.params.last() {
            _ if is_apart => " besides its result (`ret`)".to_owned(),
            Some(last) if operation.ret.is_some() => format!(
                "; its result (`ret`) goes only to a parameter called result, ret, res, return or ok, or to the one that the link \
                 file names:\n  [ops.{}]\n  fields = {{ {} = \"ret\" }}",
                toml_key(&binding.op),
                last.name
            ),
            _ => String::new(),
        };
        Box::new(BindProblem::Arity {
            op: binding.op.clone(),
            found,
            expected: binding.params.len() - usize::from(is_apart),
            action: action.signature(),
            at: action.at.clone(),
            advice,
        })
    }

    #[cold]
    fn missing(&self, binding: &OpBinding, param: &ParamBinding, operation: &Operation) -> Box<BindProblem> {
        let action = &self.linked.actions[binding.action as usize];
        let names = operation.args.as_value().as_record();
        let names: Vec<&str> = names
            .into_iter()
            .flat_map(|record| record.iter().map(|(name, _)| name))
            .collect();
        let near = nearest(&param.field, names.iter().copied())
            .filter(|near| !binding.params.iter().any(|p| p.field == *near));
        let fields = match (names.is_empty(), near) {
            (true, _) => "no fields".to_owned(),
            (false, Some(near)) => format!("{} (did you mean \"{near}\"?)", names.join(", ")),
            (false, None) => names.join(", "),
        };
        let (op, name) = (&binding.op, &param.name);
        let takes_result = binding.params.iter().any(|p| p.fallback == Fallback::Result);
        // A field that no parameter takes is likely to be this one under another name.
        let is_taken = |field: &str| binding.params.iter().any(|param| param.takes(field));
        let spare = names
            .iter()
            .copied()
            .find(|field| !is_taken(field) && !is_thread_name(field));
        let advice = match (near.or(spare), &operation.ret) {
            (Some(near), _) => format!("fields = {{ {name} = \"{near}\" }} if that is it"),
            (None, Some(ret)) if !takes_result && !ret.is_null() => format!(
                "fields = {{ {name} = \"ret\" }} if it is the result (only a parameter called result, ret, res, return or ok takes \
                 that by itself), fields = {{ {name} = \"thread\" }} if it is the thread"
            ),
            _ => format!(
                "fields = {{ {name} = \"…\" }} if the trace has another name for it (\"thread\": the thread), default = {{ {name} = \
                 \"…\" }} for what it is when it is left out, unknown = {{ {name} = \"…\" }} for the set that it is in"
            ),
        };
        Box::new(BindProblem::Missing {
            op: op.clone(),
            param: param.field.clone(),
            action: action.signature(),
            at: action.at.clone(),
            fields,
            advice,
        })
    }
}

/// Whether nothing reads a parameter of an aborted operation. Any value will do then.
fn is_needless(param: &ParamBinding, operation: &Operation) -> bool {
    operation.aborted && !param.is_of_aborted
}

/// Whether a parameter may be without a value, of `open` that are: the link file says what it may be, or the operation is
/// pending and this is its result. Where no parameter is known to be the result, it is the only one without a value.
fn may_be_open(binding: &OpBinding, param: &ParamBinding, operation: &Operation, open: usize) -> bool {
    if param.may_be_unknown {
        return true;
    }
    let has_result = binding.params.iter().any(|param| param.is_result);
    let is_result = param.is_result || (!has_result && open == 1);
    operation.timebox.is_pending() && param.range.is_some() && is_result
}
