//! A system that was driven through a behaviour: how far it got, and the first difference.

use omnilink_evidence::{Bindings, DrivenRun, Evidence, SystemDifference, Verdict, Violation};
use omnilink_value::Value;

use super::TextOptions;
use super::behaviour::{action_text, push_behaviour};
use crate::figures::{counted, seconds};
use crate::look::{Look, Tone};

/// The report of a driven system as text.
pub(super) fn text(evidence: &Evidence, options: &TextOptions) -> String {
    let look = &options.look;
    let run = evidence.driven.clone().unwrap_or_default();
    let difference = match &evidence.violation {
        Some(Violation::Behaviour(behaviour)) => behaviour.difference.as_deref(),
        _ => None,
    };
    let sentence = match (evidence.verdict, difference) {
        (_, Some(difference)) => sentence(difference),
        (Verdict::Unknown, None) => {
            let unknown = evidence.unknown.as_deref();
            let reason = unknown.and_then(|unknown| unknown.reason.clone());
            reason.unwrap_or_else(|| "a limit was reached".to_owned())
        }
        (_, None) => done(&run),
    };
    let tone = match evidence.verdict {
        Verdict::Valid => Tone::Good,
        Verdict::Unknown => Tone::Unsure,
        Verdict::Violation | Verdict::Error => Tone::Bad,
    };
    let mut page = super::headline(
        &evidence.input,
        look,
        tone,
        evidence.verdict.word(),
        &look.clean(&sentence),
    );
    let Some(difference) = difference else {
        return page;
    };
    if let Some(Violation::Behaviour(behaviour)) = &evidence.violation {
        let mut told = String::new();
        push_behaviour(&mut told, behaviour, options.full_states);
        page.push_str(&clean(look, &told));
    }
    let mut part = String::new();
    push_difference(&mut part, difference);
    page.push_str(&clean(look, &part));
    page.push_str(&format!(
        "{} ({})\n",
        done(&run),
        seconds(evidence.figures.seconds)
    ));
    page
}

/// What a system sends may hold anything; its lines stay.
fn clean(look: &Look, text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", look.clean(line)))
        .collect()
}

/// `3 of 7 steps done; then the system chose otherwise, as the specification allows`
fn done(run: &DrivenRun) -> String {
    let mut text = if run.done == run.steps {
        counted(run.steps as u64, "step", "steps")
    } else {
        format!("{} of {}", run.done, counted(run.steps as u64, "step", "steps"))
    };
    if let Some(at) = run.left_at {
        text.push_str(&format!(
            "; in step {at} the system chose otherwise, as the specification allows"
        ));
    }
    if !run.unobserved.is_empty() {
        text.push_str(&format!("; never observed: {}", run.unobserved.join(", ")));
    }
    text
}

/// The first difference in one sentence.
pub(crate) fn sentence(difference: &SystemDifference) -> String {
    let what = match &difference.action {
        None => "the initial state".to_owned(),
        Some(action) => format!("step {}, {}", difference.step, action.name),
    };
    match (&difference.answer, &difference.differs[..]) {
        (Some(answer), _) => format!("{what}: the system did not do it: {answer}"),
        (None, []) => format!("{what}: the specification does not allow what was observed"),
        (None, names) => format!(
            "{what}: {} is not what the specification allows",
            names.join(", ")
        ),
    }
}

fn push_difference(page: &mut String, difference: &SystemDifference) {
    match &difference.action {
        None => page.push_str("\nat the beginning\n"),
        Some(action) => page.push_str(&format!("\nstep {}: {}\n", difference.step, action_text(action))),
    }
    let is_shown = |name: &String| difference.differs.is_empty() || difference.differs.contains(name);
    let lines = |page: &mut String, title: &str, values: &Bindings<Value>| {
        for (name, value) in values.iter().filter(|(name, _)| is_shown(name)) {
            page.push_str(&format!("  {title:>8}  {name} = {value}\n"));
        }
    };
    lines(page, "expected", &difference.expected);
    for allowed in &difference.allowed {
        lines(page, "or", allowed);
    }
    lines(page, "got", &difference.got);
    let others = difference.got.iter().map(|(name, _)| name);
    let others: Vec<&str> = others
        .filter(|name| !is_shown(name))
        .map(String::as_str)
        .collect();
    if !others.is_empty() {
        page.push_str(&format!("  as expected: {}\n", others.join(", ")));
    }
    if let Some(answer) = &difference.answer {
        page.push_str(&format!("  {:>8}  {answer}\n", "said"));
    }
    if let Some(formula) = &difference.formula {
        page.push_str("  the action is\n");
        for line in dedented(formula) {
            page.push_str(&format!("    {line}\n"));
        }
    }
}

/// The lines of a formula. Its first line begins where the formula does, so the others lose what they are indented by in common.
fn dedented(formula: &str) -> Vec<&str> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = formula.lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = common.map(|line| indent(&line)).min().unwrap_or(0);
    let rest = formula
        .lines()
        .skip(1)
        .map(|line| line.get(common..).unwrap_or_default().trim_end());
    formula.lines().take(1).chain(rest).collect()
}
