//! Makes a disagreement small: fewer calls, fewer conjuncts, fewer definitions.

use crate::oracle::action::Act;
use crate::oracle::spec::Spec;
use crate::oracle::timed_call::TimedCall;

/// A specification and a trace of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub spec: Spec,
    pub calls: Vec<TimedCall>,
    pub is_async: bool,
}

/// The smallest case found that still disagrees.
pub fn shrunk(mut case: Case, disagrees: &mut dyn FnMut(&Case) -> bool) -> Case {
    loop {
        let smaller = candidates(&case).into_iter().find(|smaller| disagrees(smaller));
        match smaller {
            Some(smaller) => case = smaller,
            None => return case,
        }
    }
}

/// Cases that are a little smaller.
fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let count = case.calls.len();
    // First halves, then single calls.
    let mut size = count / 2;
    while size > 0 {
        for from in (0..count).step_by(size) {
            let mut smaller = case.clone();
            smaller.calls.drain(from..(from + size).min(count));
            all.push(smaller);
        }
        size /= 2;
    }
    let spec = |change: &dyn Fn(&mut Spec)| {
        let mut smaller = case.clone();
        change(&mut smaller.spec);
        smaller
    };
    if case.spec.view.is_some() {
        all.push(spec(&|spec| spec.view = None));
    }
    for number in 0..case.spec.invariants.len() {
        all.push(spec(&|spec| drop(spec.invariants.remove(number))));
    }
    for number in 0..case.spec.hidden.len() {
        all.push(spec(&|spec| drop(spec.hidden.remove(number))));
    }
    for (number, values) in case.spec.initial.iter().enumerate() {
        if values.len() > 1 {
            all.push(spec(&|spec| spec.initial[number].truncate(1)));
        }
    }
    for number in 0..case.spec.operations.len() {
        let is_used = case.calls.iter().any(|call| call.operation == number);
        if !is_used && case.spec.operations.len() > 1 {
            let mut smaller = case.clone();
            smaller.spec.operations.remove(number);
            for call in &mut smaller.calls {
                call.operation -= usize::from(call.operation > number);
            }
            all.push(smaller);
            continue;
        }
        if case.spec.operations[number].step.is_some() {
            all.push(spec(&|spec| spec.operations[number].step = None));
        }
        for act in smaller_acts(&case.spec.operations[number].done) {
            all.push(spec(&|spec| spec.operations[number].done = act.clone()));
        }
        if let Some((step, times)) = &case.spec.operations[number].step {
            for act in smaller_acts(step) {
                all.push(spec(&|spec| {
                    spec.operations[number].step = Some((act.clone(), *times))
                }));
            }
        }
    }
    for (number, hidden) in case.spec.hidden.iter().enumerate() {
        for act in smaller_acts(&hidden.act) {
            all.push(spec(&|spec| spec.hidden[number].act = act.clone()));
        }
    }
    all
}

/// Actions that are a little smaller.
fn smaller_acts(act: &Act) -> Vec<Act> {
    let inside = |inner: &Act, outer: &dyn Fn(Act) -> Act| {
        let mut all = vec![inner.clone()];
        all.extend(smaller_acts(inner).into_iter().map(outer));
        all
    };
    match act {
        Act::Holds(_) => Vec::new(),
        Act::Becomes(number, _) | Act::BecomesOneOf(number, _) => vec![Act::Unchanged(vec![*number])],
        Act::Unchanged(_) => Vec::new(),
        Act::All(acts) | Act::Any(acts) => {
            let rebuilt = |acts: Vec<Act>| match act {
                Act::All(_) => Act::All(acts),
                _ => Act::Any(acts),
            };
            let mut all = Vec::new();
            for at in 0..acts.len() {
                let is_all = matches!(act, Act::All(_));
                if is_all && matches!(acts[at], Act::Holds(_)) || !is_all && acts.len() > 1 {
                    let mut fewer = acts.clone();
                    fewer.remove(at);
                    all.push(rebuilt(fewer));
                }
                for smaller in smaller_acts(&acts[at]) {
                    let mut acts = acts.clone();
                    acts[at] = smaller;
                    all.push(rebuilt(acts));
                }
            }
            if let [only] = acts.as_slice() {
                all.push(only.clone());
            }
            all
        }
        Act::If(condition, sides) => {
            let mut all = sides.to_vec();
            for at in 0..2 {
                for smaller in smaller_acts(&sides[at]) {
                    let mut sides = sides.clone();
                    sides[at] = smaller;
                    all.push(Act::If(condition.clone(), sides));
                }
            }
            all
        }
        Act::Bind(binder, name, set, inner) => inside(inner, &|inner| {
            Act::Bind(*binder, name.clone(), set.clone(), Box::new(inner))
        }),
        Act::Let(name, term, inner) => inside(inner, &|inner| {
            Act::Let(name.clone(), term.clone(), Box::new(inner))
        }),
        Act::Wrapped(wrapping, inner) => inside(inner, &|inner| Act::Wrapped(*wrapping, Box::new(inner))),
    }
}
