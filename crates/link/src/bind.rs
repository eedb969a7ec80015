//! Binding: from an operation of a trace to an action with its arguments.

use std::cell::OnceCell;
use std::rc::Rc;

use omnilink_tla::diagnostic::nearest;
use omnilink_tla::ir;
use omnilink_trace::{Args, Operation};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::error::{BindError, BindProblem};
use crate::instance::{Content, Instance, Part, hash_of};
use crate::linked::Linked;
use crate::model::TlaModel;
use crate::omnilink_setup::EVENT;
use crate::plan::{Extra, Formulation, ParamPlan, Plan};

/// What an operation of a trace means to the spec.
#[derive(Clone, Debug)]
pub enum Bound {
    /// The link file says to leave it out.
    LeftOut,
    /// It was aborted, and had no effect.
    DidNotHappen,
    /// This action.
    Once(Instance),
    /// Any number of steps up to a bound, and then the last.
    InSteps {
        /// A step.
        step: Instance,
        /// How often it may happen.
        times: u32,
        /// The end.
        done: Instance,
    },
}

/// Whether the results of an operation count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Results {
    Known,
    Forgotten,
}

/// Arguments in the order of the parameters; `None` for what a pending operation does not know.
type Arguments = SmallVec<[Option<Value>; 6]>;

/// Names that results go by.
const RESULT_NAMES: [&str; 4] = ["result", "ret", "res", "return"];

impl TlaModel<'_> {
    /// What an operation of a trace means.
    ///
    /// # Errors
    /// When the spec has no such action, or it takes other arguments.
    pub fn bind(&self, operation: &Operation) -> Result<Bound, BindError> {
        let is_plain = !operation.aborted && !operation.timebox.is_pending();
        if is_plain && let Some(instance) = self.bound.borrow().get(&operation.call) {
            return Ok(Bound::Once(instance.clone()));
        }
        let bound = self.bind_with(operation, Results::Known)?;
        if is_plain
            && let Bound::Once(instance) = &bound
            && self.is_bound_by_arguments(instance)
        {
            self.bound.borrow_mut().put(&operation.call, instance.clone());
        }
        Ok(bound)
    }

    /// Whether name, arguments and result alone say what a whole operation means: nothing else of it goes into the instance.
    fn is_bound_by_arguments(&self, instance: &Instance) -> bool {
        self.plan(instance).happened.extras.is_empty()
    }

    /// What an operation of a trace means whatever it returned: its results may be anything in their ranges.
    ///
    /// Results are what stands in `ret`, parameters that are called like one (`result`, `ret`, `res`, `return`) and those
    /// for which the link file says what an unknown value may be.
    ///
    /// # Errors
    /// As [`TlaModel::bind`], and when a result has no range.
    pub fn bind_effect(&self, operation: &Operation) -> Result<Bound, BindError> {
        self.bind_with(operation, Results::Forgotten)
    }

    fn bind_with(&self, operation: &Operation, results: Results) -> Result<Bound, BindError> {
        let linked = self.linked;
        let error = |problem: BindProblem| BindError {
            place: operation.place.clone(),
            problem: Box::new(problem),
        };
        let Some(plan) = linked.by_name.get(operation.name.as_str()) else {
            return Err(error(unknown_op(linked, operation)));
        };
        let Some(number) = *plan else {
            return Ok(Bound::LeftOut);
        };
        let plan = &linked.plans[number as usize];
        if operation.aborted && plan.aborted.is_none() {
            return Ok(Bound::DidNotHappen);
        }
        let mut arguments = self.arguments(plan, operation).map_err(error)?;
        if results == Results::Forgotten {
            self.forget_results(plan, operation, &mut arguments)
                .map_err(error)?;
        }
        let step = plan.steps.as_ref().filter(|_| !operation.aborted);
        let Some(steps) = step else {
            let formulation = match &plan.aborted {
                Some(aborted) if operation.aborted => aborted,
                _ => &plan.happened,
            };
            if results == Results::Forgotten && formulation.extras.contains(&Extra::Event) {
                return Err(error(self.unforgettable(plan, EVENT)));
            }
            add_extras(formulation, operation, &mut arguments);
            let instance = self.instance(number, formulation.operation, &arguments, None, operation);
            return Ok(Bound::Once(instance));
        };
        let part = Part {
            thread: operation.thread.hash64(),
            number: self.next_number(),
            is_last: false,
        };
        let times = steps.bound.unwrap_or_else(|| longest(&arguments));
        let mut of_step = arguments.clone();
        add_extras(&steps.step, operation, &mut of_step);
        let step = self.instance(number, steps.step.operation, &of_step, Some(part), operation);
        add_extras(&plan.happened, operation, &mut arguments);
        let last = Part {
            is_last: true,
            ..part
        };
        let done = self.instance(number, plan.happened.operation, &arguments, Some(last), operation);
        Ok(Bound::InSteps { step, times, done })
    }

    /// The values of the parameters.
    fn arguments(&self, plan: &Plan, operation: &Operation) -> Result<Arguments, BindProblem> {
        let mut arguments = Arguments::with_capacity(plan.params.len());
        match &operation.args {
            Args::Named(record) => {
                let mut used = 0;
                for param in &plan.params {
                    let value = record.field(&param.field);
                    used += usize::from(value.is_some());
                    arguments.push(value.cloned());
                }
                // What a call without a result is said to return, `null`, nobody has to read.
                if let Some(result) = &operation.ret
                    && !place_result(plan, result, &mut arguments)
                    && !result.is_null()
                {
                    self.note_unread_field(plan, "ret");
                }
                if used < operation.args.len() {
                    self.note_unread(plan, operation);
                }
            }
            Args::Positional(tuple) => {
                let values = tuple.as_tuple().unwrap_or_default();
                arguments.extend(values.iter().chain(&operation.ret).cloned().map(Some));
                let (found, expected) = (arguments.len(), plan.params.len());
                let is_result_open = operation.timebox.is_pending() && found + 1 == expected;
                if is_result_open {
                    arguments.push(None);
                } else if found != expected {
                    let action = &self.linked.actions[plan.action as usize];
                    return Err(BindProblem::Arity {
                        op: plan.op.clone(),
                        found,
                        expected,
                        action: action.signature(),
                        at: action.at.clone(),
                    });
                }
            }
        }
        for (param, argument) in plan.params.iter().zip(&mut arguments) {
            match argument {
                Some(value) if !param.codes.is_empty() => {
                    let code = param.codes.iter().find(|code| code.stands == *value);
                    let Some(means) = code.and_then(|code| code.means.clone()) else {
                        return Err(BindProblem::UnknownCode {
                            op: plan.op.clone(),
                            field: param.field.clone(),
                            value: value.to_string(),
                        });
                    };
                    *value = means;
                }
                Some(_) => {}
                None if operation.timebox.is_pending() && param.range.is_some() => {}
                None => return Err(self.missing(plan, &param.field, operation)),
            }
        }
        Ok(arguments)
    }

    /// Takes the values of results away again.
    fn forget_results(
        &self,
        plan: &Plan,
        operation: &Operation,
        arguments: &mut Arguments,
    ) -> Result<(), BindProblem> {
        let returned = operation.ret.as_ref().and_then(|_| match &operation.args {
            Args::Named(record) => {
                let is_open = |(_, param): &(usize, &ParamPlan)| record.field(&param.field).is_none();
                let open = plan.params.iter().enumerate().filter(is_open);
                result_among(open.map(|(at, param)| (at, param.field.as_str())))
            }
            Args::Positional(_) => plan.params.len().checked_sub(1),
        });
        for (at, (param, argument)) in plan.params.iter().zip(arguments).enumerate() {
            if !param.is_result && returned != Some(at) {
                continue;
            }
            if param.range.is_none() {
                return Err(self.unforgettable(plan, &param.field));
            }
            *argument = None;
        }
        Ok(())
    }

    #[cold]
    fn unforgettable(&self, plan: &Plan, param: &str) -> BindProblem {
        let action = &self.linked.actions[plan.action as usize];
        BindProblem::Unforgettable {
            op: plan.op.clone(),
            param: param.to_owned(),
            action: action.signature(),
            at: action.at.clone(),
        }
    }

    #[cold]
    fn missing(&self, plan: &Plan, param: &str, operation: &Operation) -> BindProblem {
        let action = &self.linked.actions[plan.action as usize];
        let names = operation.args.as_value().as_record();
        let names: Vec<&str> = names
            .into_iter()
            .flat_map(|record| record.iter().map(|(name, _)| name))
            .collect();
        let near = nearest(param, names.iter().copied())
            .filter(|near| !plan.params.iter().any(|p| p.field == *near));
        let fields = match (names.is_empty(), near) {
            (true, _) => "no fields".to_owned(),
            (false, Some(near)) => format!("{} (did you mean \"{near}\"?)", names.join(", ")),
            (false, None) => names.join(", "),
        };
        BindProblem::Missing {
            op: plan.op.clone(),
            param: param.to_owned(),
            action: action.signature(),
            at: action.at.clone(),
            fields,
        }
    }

    /// The one instance for these arguments.
    fn instance(
        &self,
        plan: u32,
        operation: ir::Operation,
        arguments: &[Option<Value>],
        part: Option<Part>,
        read: &Operation,
    ) -> Instance {
        let hash = hash_of(operation, arguments, part);
        let mut instances = self.instances.borrow_mut();
        let is_it = |known: &Instance| {
            known.0.hash == hash
                && known.0.operation == operation
                && known.0.part == part
                && *known.0.arguments == *arguments
        };
        if let Some(known) = instances.find(hash, is_it) {
            return known.clone();
        }
        // What the engine still uses it holds on to itself.
        if instances.len() >= INSTANCES_MAX {
            instances.clear();
        }
        let instance = Instance(Rc::new(Content {
            plan,
            operation,
            arguments: arguments.into(),
            place: read.place.clone(),
            hash,
            effects: OnceCell::new(),
            lookup: OnceCell::new(),
            counts: OnceCell::new(),
            part,
        }));
        instances.insert_unique(hash, instance.clone(), |known| known.0.hash);
        instance
    }

    #[cold]
    fn note_unread(&self, plan: &Plan, operation: &Operation) {
        let Some(record) = operation.args.as_value().as_record() else {
            return;
        };
        for (name, _) in record.iter() {
            let is_result = operation.ret.is_some() && RESULT_NAMES.contains(&name);
            if !is_result && !plan.params.iter().any(|param| param.field == name) {
                self.note_unread_field(plan, name);
            }
        }
    }

    #[cold]
    fn note_unread_field(&self, plan: &Plan, name: &str) {
        let mut unread = self.unread.borrow_mut();
        if unread.len() < UNREAD_MAX {
            unread.insert((plan.op.clone(), name.to_owned()));
        }
    }
}

/// Instances remembered, at most.
const INSTANCES_MAX: usize = 1 << 16;
/// Fields that nothing reads, remembered at most.
const UNREAD_MAX: usize = 64;

/// A result that stands beside the arguments belongs to the parameter that is called like one, or else to the last that
/// has no value yet. Says whether there is one.
fn place_result(plan: &Plan, result: &Value, arguments: &mut Arguments) -> bool {
    let params = plan.params.iter().zip(arguments.iter()).enumerate();
    let open = params.filter(|(_, (_, argument))| argument.is_none());
    let at = result_among(open.map(|(at, (param, _))| (at, param.field.as_str())));
    if let Some(at) = at {
        arguments[at] = Some(result.clone());
    }
    at.is_some()
}

/// Which of these parameters, by position and name, a result belongs to.
fn result_among<'a>(params: impl Iterator<Item = (usize, &'a str)>) -> Option<usize> {
    let (mut named, mut last) = (None, None);
    for (at, name) in params {
        if is_result_name(name) {
            named = named.or(Some(at));
        }
        last = Some(at);
    }
    named.or(last)
}

/// Whether a parameter of this name is a result.
pub(crate) fn is_result_name(name: &str) -> bool {
    RESULT_NAMES.contains(&name)
}

fn add_extras(formulation: &Formulation, operation: &Operation, arguments: &mut Arguments) {
    for extra in &formulation.extras {
        arguments.push(Some(match extra {
            Extra::Thread => operation.thread.clone(),
            Extra::Meta => operation.meta.clone().unwrap_or_else(|| Value::tuple([])),
            Extra::Event => event_of(operation),
        }));
    }
}

/// The fields of an operation as setups made for OmniLink know them.
fn fields_of(operation: &Operation) -> Vec<(String, Value)> {
    let record = operation.args.as_value().as_record();
    let fields = record.into_iter().flat_map(|record| record.iter());
    let mut fields: Vec<(String, Value)> = fields
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    let has = |fields: &[(String, Value)], name: &str| fields.iter().any(|(field, _)| field == name);
    if let Some(meta) = operation.meta.clone().filter(|_| !has(&fields, "_meta")) {
        fields.push(("_meta".to_owned(), meta));
    }
    if !has(&fields, "_did_abort") {
        fields.push(("_did_abort".to_owned(), Value::bool(operation.aborted)));
    }
    fields
}

/// An operation of a trace in one record.
pub(crate) fn event_of(operation: &Operation) -> Value {
    event(operation.name.as_value().clone(), fields_of(operation))
}

/// An operation in one record. When it was is left out: operations that differ in nothing else are alike.
pub(crate) fn event(name: Value, fields: Vec<(String, Value)>) -> Value {
    Value::record([("operation_name", name), ("operation", Value::record(fields))])
}

/// How long the longest argument is.
fn longest(arguments: &Arguments) -> u32 {
    let lengths = arguments.iter().flatten().filter_map(|value| {
        let elements = value.as_tuple().or_else(|| value.as_set());
        elements.map(<[Value]>::len)
    });
    lengths.max().unwrap_or(1) as u32
}

#[cold]
fn unknown_op(linked: &Linked, operation: &Operation) -> BindProblem {
    let mut known: Vec<&str> = linked.plans.iter().map(|plan| plan.op.as_str()).collect();
    known.sort_unstable();
    BindProblem::UnknownOp {
        spec: linked.name.clone(),
        op: operation.name.to_string(),
        suggestion: nearest(&operation.name, known.iter().copied()).map(str::to_owned),
        known: if known.is_empty() {
            "none at all".to_owned()
        } else {
            known.join(", ")
        },
    }
}
