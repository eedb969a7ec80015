//! Reasons: why an operation cannot happen in a state, and what kind of violation that is.

use omnilink_engine::{Decoded, Model as _, RefusalReason};
use omnilink_tla::eval::error::Outcome;
use omnilink_tla::eval::{Evaluator, FalseSubformula, Flow, State};
use omnilink_trace::Operation;
use omnilink_value::Value;

use crate::assignments::each_assignment;
use crate::bind::event_of;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::state::SpecState;
use crate::tag::{Tag, TagField};

/// More refusals than this are not kept for tags.
const REFUSED_MAX: usize = 1024;

/// The tags that fit an operation that cannot be explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tagged {
    /// Those that fit, in one of the states that refused it.
    pub tags: Vec<String>,
    /// Those that could not be evaluated, and why.
    pub failures: Vec<String>,
}

impl<'l> TlaModel<'l> {
    /// Why a state refuses an instance.
    pub(crate) fn reason(&self, state: &SpecState, instance: &Instance) -> RefusalReason {
        let mut refused = self.refused.borrow_mut();
        if refused.len() < REFUSED_MAX {
            refused.push((instance.clone(), state.clone()));
        }
        drop(refused);
        let mut evaluator = self.evaluator.borrow_mut();
        let mut parts: Vec<(String, String)> = Vec::new();
        // A failure was reported when the step was tried; here only reasons are collected.
        let _ = each_assignment(
            &mut evaluator,
            self.binding(instance),
            &instance.0.arguments,
            state.values(),
            &mut |evaluator, arguments| {
                let refusals = evaluator.refusals(instance.0.operation, arguments, state.values());
                let mut found: Vec<(String, String)> = refusals
                    .iter()
                    .map(|part| (refusal(part), self.place(part)))
                    .collect();
                let broken = self.broken_invariants(evaluator, instance, arguments, state.values())?;
                found.extend(broken.into_iter().map(|text| (text, String::new())));
                for (text, place) in found {
                    if !parts.iter().any(|(known, _)| *known == text) {
                        parts.push((text, place));
                    }
                }
                Ok(())
            },
        );
        if parts.is_empty() {
            return RefusalReason::from("no branch of the action is possible".to_owned());
        }
        let (texts, mut places): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        if places.iter().all(String::is_empty) {
            places.clear();
        }
        RefusalReason {
            reason: texts.join("; or "),
            places,
        }
    }

    /// Where a part stands: file, line and column of its first and its last character. Empty where that is in what the link file
    /// says, which has no place in the specification.
    fn place(&self, part: &FalseSubformula) -> String {
        let source = self.linked.program.sources.get(part.at.source);
        if source.made_from(part.at.span.start).is_some() {
            return String::new();
        }
        let (start, end) = (part.at.span.start, part.at.span.end.saturating_sub(1));
        let [from, to] = [start, end.max(start)].map(|offset| source.line_column(offset));
        format!(
            "{}:{}:{}-{}:{}",
            source.path().display(),
            from.line,
            from.column,
            to.line,
            to.column
        )
    }

    /// The invariants that the states after a step break.
    fn broken_invariants(
        &self,
        evaluator: &mut Evaluator<'l>,
        instance: &Instance,
        arguments: &[Value],
        from: &State,
    ) -> Outcome<Vec<String>> {
        if self.linked.invariants.is_empty() {
            return Ok(Vec::new());
        }
        let mut reached: Vec<State> = Vec::new();
        evaluator.successors_of(instance.0.operation, arguments, from, &mut |_, next, _| {
            reached.push(next.into());
            Ok(Flow::Go)
        })?;
        let mut broken = Vec::new();
        for next in reached {
            for invariant in &self.linked.invariants {
                if !evaluator.holds(invariant.formula, &next)? {
                    broken.push(format!(
                        "the invariant `{}` is false after it",
                        one_line(&invariant.name)
                    ));
                }
            }
        }
        Ok(broken)
    }

    /// The tags that fit an operation that was refused while the violation was explained.
    pub fn tagged(&self, operation: &Operation) -> Tagged {
        let mut tagged = Tagged::default();
        // The operation was bound before, or there would be no violation.
        let Some(instance) = self.bind(operation).ok().and_then(Decoded::into_last) else {
            return tagged;
        };
        let mut evaluator = self.evaluator.borrow_mut();
        let refused = self.refused.borrow();
        let states = refused
            .iter()
            .filter(|(refused, _)| is_same_call(refused, &instance));
        for (_, state) in states {
            for tag in &self.linked.tags {
                if tagged.tags.contains(&tag.name) {
                    continue;
                }
                let arguments: Vec<Value> = tag
                    .takes
                    .iter()
                    .map(|field| self.tag_argument(*field, operation, &instance))
                    .collect();
                match fits(&mut evaluator, tag, &arguments, state.values()) {
                    Ok(false) => {}
                    Ok(true) => tagged.tags.push(tag.name.clone()),
                    Err(failure) => {
                        let text = failure.render(&self.linked.program.sources);
                        let text = format!(
                            "the tag {} cannot be evaluated for {}: {text}",
                            tag.name,
                            self.describe_op(&instance)
                        );
                        if !tagged.failures.contains(&text) {
                            tagged.failures.push(text);
                        }
                    }
                }
            }
        }
        tagged.tags.sort_unstable();
        tagged
    }

    fn tag_argument(&self, field: TagField, operation: &Operation, instance: &Instance) -> Value {
        match field {
            TagField::Thread => operation.thread.clone(),
            TagField::Op => operation.name.as_value().clone(),
            TagField::Meta => operation.meta.clone().unwrap_or_else(|| Value::tuple([])),
            TagField::Event => event_of(operation),
            TagField::Args => {
                // What the action takes is as the action sees it; the rest is as it was recorded.
                let params = self.binding(instance).params.iter().zip(&instance.0.arguments);
                let known: Vec<(&str, Value)> = params
                    .filter_map(|(param, value)| Some((param.field.as_str(), value.clone()?)))
                    .collect();
                let recorded = operation.args.as_value().as_record();
                let recorded = recorded.into_iter().flat_map(|record| record.iter());
                let recorded = recorded.filter(|(name, _)| !known.iter().any(|(param, _)| param == name));
                let recorded: Vec<(&str, Value)> =
                    recorded.map(|(name, value)| (name, value.clone())).collect();
                Value::record(known.into_iter().chain(recorded))
            }
        }
    }
}

/// Whether two instances are the same operation: of an operation in steps each call has steps of its own.
fn is_same_call(refused: &Instance, instance: &Instance) -> bool {
    refused.0.operation == instance.0.operation && refused.0.arguments == instance.0.arguments
}

fn fits(evaluator: &mut Evaluator<'_>, tag: &Tag, arguments: &[Value], state: &State) -> Outcome<bool> {
    // A tag may ask whether an action that changes nothing is possible.
    evaluator.set_state(state);
    evaluator.set_next(state);
    evaluator.holds_with(tag.predicate, arguments)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A false conjunct with the values in it, on one line.
fn refusal(part: &FalseSubformula) -> String {
    let mut line = format!("`{}` is false", one_line(&part.text));
    push_values(&mut line, part.values.iter().chain(&part.bindings));
    if let Some(condition) = &part.condition {
        line.push_str(&format!(
            ", given that `{}` is {}",
            one_line(&condition.text),
            condition.holds
        ));
        push_values(&mut line, condition.values.iter());
    }
    line
}

fn push_values<'v>(line: &mut String, values: impl Iterator<Item = &'v (String, String)>) {
    let values: Vec<String> = values
        .filter(|(text, value)| text != value)
        .map(|(text, value)| format!("{} = {value}", one_line(text)))
        .collect();
    if !values.is_empty() {
        line.push_str(&format!(": {}", values.join(", ")));
    }
}
