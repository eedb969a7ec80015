//! Comparison of the serial behaviour of two versions.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{ObservedSerial, SerialObservation, SerialOutcome};

/// The first difference of each sequence of calls, as text; empty if both behave alike on the matrices they share.
///
/// Histories are compared by their sequence of calls. After a difference the states differ, so only the first difference of a
/// sequence counts, and each prefix is reported once.
pub fn behavioural_diff(old: &[SerialObservation], new: &[SerialObservation]) -> String {
    let mut page = String::new();
    let news: BTreeMap<&str, &SerialObservation> = new.iter().map(|one| (one.matrix.as_str(), one)).collect();
    for old in old {
        match news.get(old.matrix.as_str()) {
            Some(new) => compare(&mut page, old, new),
            None => {
                let _ = writeln!(page, "{}: only in the old version", old.matrix);
            }
        }
    }
    for new in new
        .iter()
        .filter(|new| !old.iter().any(|old| old.matrix == new.matrix))
    {
        let _ = writeln!(page, "{}: only in the new version", new.matrix);
    }
    page
}

/// Calls so far, by thread and name, to what became of the last one.
type Outcomes<'a> = BTreeMap<Vec<(&'a str, &'a str)>, &'a [ObservedSerial]>;

fn outcomes(observation: &SerialObservation) -> Outcomes<'_> {
    let mut outcomes = Outcomes::new();
    for history in &observation.histories {
        for end in 1..=history.len() {
            let (Some(beginning), calls) = (history.get(..end), called(history, end)) else {
                continue;
            };
            outcomes.entry(calls).or_insert(beginning);
        }
    }
    outcomes
}

fn called(history: &[ObservedSerial], end: usize) -> Vec<(&str, &str)> {
    let calls = history.iter().take(end);
    calls
        .map(|step| (step.thread.as_str(), step.call.as_str()))
        .collect()
}

fn compare(page: &mut String, old: &SerialObservation, new: &SerialObservation) {
    let (old_outcomes, new_outcomes) = (outcomes(old), outcomes(new));
    let mut is_headed = false;
    for (calls, before) in &old_outcomes {
        let Some(after) = new_outcomes.get(calls) else {
            continue;
        };
        let (Some((last, past)), Some((new_last, new_past))) = (before.split_last(), after.split_last())
        else {
            continue;
        };
        if last.outcome == new_last.outcome || past != new_past {
            continue;
        }
        if !std::mem::replace(&mut is_headed, true) {
            let _ = writeln!(page, "{}:", old.matrix);
        }
        let past: Vec<String> = past.iter().map(ToString::to_string).collect();
        let after = if past.is_empty() {
            "at the beginning".to_owned()
        } else {
            format!("after {}", past.join(" → "))
        };
        let _ = writeln!(
            page,
            "  {after}\n    {}: {} before, {} now",
            last.call,
            outcome_text(&last.outcome),
            outcome_text(&new_last.outcome)
        );
    }
}

fn outcome_text(outcome: &SerialOutcome) -> String {
    match outcome {
        SerialOutcome::Returned(result) if result.is_empty() || result == "()" => "no result".to_owned(),
        SerialOutcome::Returned(result) => result.clone(),
        SerialOutcome::Stuck => "stuck".to_owned(),
        SerialOutcome::Crashed(reason) => format!("a crash ({reason})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(pop: &str) -> SerialObservation {
        let step = |thread: &str, call: &str, result: &str| ObservedSerial {
            thread: thread.to_owned(),
            call: call.to_owned(),
            outcome: SerialOutcome::Returned(result.to_owned()),
        };
        SerialObservation {
            matrix: "push(1), push(2) | pop(), pop()".to_owned(),
            histories: vec![vec![
                step("0", "push(1)", "()"),
                step("0", "push(2)", "()"),
                step("1", "pop()", pop),
                step("1", "pop()", "3"),
            ]],
        }
    }

    #[test]
    fn the_first_difference_is_told_and_what_follows_from_it_is_not() {
        assert_eq!(behavioural_diff(&[version("1")], &[version("1")]), "");
        insta::assert_snapshot!(behavioural_diff(&[version("1")], &[version("2")]), @r"
        push(1), push(2) | pop(), pop():
          after push(1) → push(2)
            pop(): 1 before, 2 now
        ");
    }

    #[test]
    fn matrices_of_one_version_only_are_named() {
        assert_eq!(
            behavioural_diff(&[version("1")], &[]),
            "push(1), push(2) | pop(), pop(): only in the old version\n"
        );
    }
}
