//! Binding: from an operation of a trace to an action with its arguments.

use std::cell::OnceCell;
use std::rc::Rc;

use omnilink_engine::Decoded;
use omnilink_tla::diagnostic::nearest;
use omnilink_tla::ir;
use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::arguments::{Arguments, BoundArguments};
use crate::audit_record::Audit;
use crate::binding::{Extra, Formulation};
use crate::enabling_reason::LastEnablingSet;
use crate::error::{BindError, BindProblem};
use crate::instance::{Instance, InstanceData, hash_of};
use crate::linked::Linked;
use crate::model::TlaModel;
use crate::setup_names::EVENT;
use crate::step_part::StepPart;

/// Whether the results of an operation are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Results {
    Known,
    Forgotten,
}

impl TlaModel<'_> {
    /// What an operation of a trace means.
    ///
    /// # Errors
    /// When the spec has no such action, or it takes other arguments.
    pub fn bind(&self, operation: &Operation) -> Result<Decoded<Instance>, BindError> {
        let is_plain = !operation.aborted && !operation.timebox.is_pending();
        if is_plain && let Some(instance) = self.bound.borrow().get(&operation.call) {
            return Ok(Decoded::Once(instance.clone()));
        }
        let (bound, takes_thread) = self.bind_with(operation, Results::Known)?;
        if is_plain
            && !takes_thread
            && let Decoded::Once(instance) = &bound
            && self.is_bound_by_arguments(instance)
        {
            self.bound.borrow_mut().put(&operation.call, instance.clone());
        }
        Ok(bound)
    }

    /// Whether operations of this name are runs of a PlusCal process.
    pub fn is_run(&self, op: &str) -> bool {
        let number = self.linked.by_name.get(op).copied().flatten();
        number.is_some_and(|number| self.linked.bindings[number as usize].is_run)
    }

    /// Whether name, arguments and result alone say what a whole operation means: nothing else of it goes into the instance.
    fn is_bound_by_arguments(&self, instance: &Instance) -> bool {
        self.binding(instance).happened.extras.is_empty()
    }

    /// What an operation of a trace means whatever it returned: its results may be anything in their ranges.
    ///
    /// Results are parameters that take a field called like one (`result`, `ret`, `res`, `return`) and those for which the
    /// link file says what an unknown value may be.
    ///
    /// # Errors
    /// As [`TlaModel::bind`], and when a result has no range.
    pub fn bind_effect(&self, operation: &Operation) -> Result<Decoded<Instance>, BindError> {
        Ok(self.bind_with(operation, Results::Forgotten)?.0)
    }

    /// What an operation means, and whether its thread is one of the arguments.
    fn bind_with(
        &self,
        operation: &Operation,
        results: Results,
    ) -> Result<(Decoded<Instance>, bool), BindError> {
        let linked = self.linked;
        let error = |problem: Box<BindProblem>| BindError {
            place: operation.location.clone(),
            problem,
        };
        let Some(binding) = linked.by_name.get(operation.name.as_str()) else {
            return Err(error(Box::new(unknown_op(linked, operation))));
        };
        let Some(number) = *binding else {
            return Ok((Decoded::LeftOut, false));
        };
        let binding = &linked.bindings[number as usize];
        if operation.aborted && binding.aborted.is_none() {
            return Ok((Decoded::DidNotHappen, false));
        }
        let BoundArguments {
            mut arguments,
            takes_thread,
        } = self.arguments(binding, operation).map_err(error)?;
        if results == Results::Forgotten {
            self.forget_results(binding, &mut arguments).map_err(error)?;
        }
        let step = binding.steps.as_ref().filter(|_| !operation.aborted);
        let Some(steps) = step else {
            let formulation = match &binding.aborted {
                Some(aborted) if operation.aborted => aborted,
                _ => &binding.happened,
            };
            if results == Results::Forgotten && formulation.extras.contains(&Extra::Event) {
                return Err(error(self.unforgettable(binding, EVENT)));
            }
            add_extras(formulation, operation, &mut arguments);
            let instance = self.instance(number, formulation.operation, &arguments, None, operation);
            return Ok((Decoded::Once(instance), takes_thread));
        };
        let part = StepPart {
            lane: self
                .step_lanes
                .borrow_mut()
                .next(operation.thread.hash64(), operation.timebox),
            number: self.next_number(),
            is_last: false,
        };
        let times = steps.bound.unwrap_or_else(|| longest(&arguments));
        let mut of_step = arguments.clone();
        add_extras(&steps.step, operation, &mut of_step);
        let step = self.instance(number, steps.step.operation, &of_step, Some(part), operation);
        add_extras(&binding.happened, operation, &mut arguments);
        let last = StepPart {
            is_last: true,
            ..part
        };
        let done = self.instance(
            number,
            binding.happened.operation,
            &arguments,
            Some(last),
            operation,
        );
        Ok((Decoded::InSteps { step, times, done }, takes_thread))
    }

    /// The one instance for these arguments.
    fn instance(
        &self,
        binding: u32,
        operation: ir::OperatorId,
        arguments: &[Option<Value>],
        part: Option<StepPart>,
        read: &Operation,
    ) -> Instance {
        let hash = hash_of(operation, arguments, part);
        let new = || {
            Instance(Rc::new(InstanceData {
                binding,
                operation,
                arguments: arguments.into(),
                place: read.location.clone(),
                hash,
                effects: OnceCell::new(),
                cache: OnceCell::new(),
                enabling: LastEnablingSet::default(),
                audit: Audit::default(),
                touched: OnceCell::new(),
                part,
            }))
        };
        // Steps belong to one operation: no other operation shares them.
        if part.is_some() {
            return new();
        }
        let mut instances = self.instances.borrow_mut();
        let is_it = |known: &Instance| {
            known.0.hash == hash
                && known.0.binding == binding
                && known.0.operation == operation
                && known.0.part == part
                && *known.0.arguments == *arguments
        };
        if let Some(known) = instances.find(hash, is_it) {
            return known;
        }
        let instance = new();
        instances.add(instance.clone());
        instance
    }
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
    let mut known: Vec<&str> = linked
        .bindings
        .iter()
        .map(|binding| binding.op.as_str())
        .collect();
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
