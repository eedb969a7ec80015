//! Random specifications: the product gives the verdict of the oracle, in every way in which it can be asked.

use std::collections::BTreeMap;
use std::time::Instant;

use fastrand::Rng;
use omnilink_engine::Options;

use crate::oracle::explain::{Explained, explain};
use crate::oracle::timed_call::ndjson;
use crate::product::{Answer, Product, Steps, WAYS, Way};
use crate::random::history::{Profile, random_history};
use crate::random::maker::{FLAVOURS, Flavour};
use crate::random::spec::random_spec;
use crate::reproducer::written;
use crate::rounds::{from_environment, rounds, seed};
use crate::shrink::{Case, shrunk};

/// Searches that take longer are given up, and not compared.
const CONFIGURATIONS_MAX: u64 = 100_000;

/// The traces of one specification.
const TRACES: usize = 30;

#[derive(Debug, Default)]
struct Tally {
    specs: u64,
    valid: u64,
    violations: u64,
    not_compared: u64,
    /// Seconds for random traces and the oracle, for reading specifications, and for answers.
    seconds: [f64; 3],
    /// Specifications that the product does not read, by its first words.
    refused: BTreeMap<String, u64>,
}

/// The options of a way to ask about a case.
fn options(way: Way, is_async: bool) -> Options {
    let mut options = Options {
        async_threads: is_async,
        ..way.options()
    };
    options.limits.configurations = Some(CONFIGURATIONS_MAX);
    options
}

/// Whether the product disagrees with the oracle about a case, asked in one way by itself, and as it did before: by a verdict or by an error.
fn disagrees(case: &Case, way: Way, steps: Steps, like: &Answer) -> bool {
    let expected = match explain(&case.spec, &case.calls, case.is_async) {
        Explained::Valid => Answer::Valid,
        Explained::Violation => Answer::Violation,
        Explained::NotCompared => return false,
    };
    let Ok(product) = Product::new("Random", &case.spec.text(), &case.spec.link(), steps) else {
        return false;
    };
    let trace = ndjson(&case.spec, &case.calls);
    let answers = product.answers(&[(&trace, options(way, case.is_async))]);
    answers
        .first()
        .is_some_and(|answer| is_wrong(answer, &expected) && is_verdict(answer) == is_verdict(like))
}

fn is_verdict(answer: &Answer) -> bool {
    matches!(answer, Answer::Valid | Answer::Violation)
}

/// A wrong verdict, or an error where there is a verdict.
fn is_wrong(answer: &Answer, expected: &Answer) -> bool {
    answer != expected && *answer != Answer::Unknown
}

/// The answers about a case in every way to ask.
fn in_every_way(case: &Case) -> String {
    let trace = ndjson(&case.spec, &case.calls);
    let ask = |way: Way, steps: Steps| {
        let product = Product::new("Random", &case.spec.text(), &case.spec.link(), steps);
        let answers =
            product.map(|product| product.answers(&[(trace.as_str(), options(way, case.is_async))]));
        format!(
            "{way:?}{}: {answers:?}",
            match steps {
                Steps::Usual => "",
                Steps::Evaluated => ", every step evaluated",
                Steps::Audited => ", every step audited",
            }
        )
    };
    let ways = WAYS
        .into_iter()
        .flat_map(|way| [Steps::Usual, Steps::Evaluated, Steps::Audited].map(|steps| ask(way, steps)));
    ways.collect::<Vec<_>>().join("\n")
}

/// Compares the product with the oracle on random specifications of a flavour. Returns what was wrong.
fn compare(flavour: Flavour, specs: u64, from: u64, tally: &mut Tally) -> Vec<String> {
    let mut wrong = Vec::new();
    let started = Instant::now();
    for number in 0..specs {
        let mut rng = Rng::with_seed(from.wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let spec = random_spec(&mut rng, flavour);
        let steps = match (rng.u32(..8), number % 2) {
            (0, _) => Steps::Evaluated,
            (_, 0) => Steps::Audited,
            // What the analysis says of a branch shows in a verdict only if the right operations meet.
            _ if matches!(flavour, Flavour::Branching | Flavour::Doubled) => Steps::Audited,
            _ => Steps::Usual,
        };
        let mut cases: Vec<(Case, Explained)> = Vec::new();
        let mut clock = Instant::now();
        let mut lap = move || {
            std::mem::replace(&mut clock, Instant::now())
                .elapsed()
                .as_secs_f64()
        };
        for _ in 0..TRACES {
            let profile = Profile::random(&mut rng);
            let Ok(calls) = random_history(&mut rng, &spec, profile) else {
                tally.not_compared += 1;
                continue;
            };
            if calls.is_empty() {
                continue;
            }
            let explained = explain(&spec, &calls, profile.is_async);
            let case = Case {
                spec: spec.clone(),
                calls,
                is_async: profile.is_async,
            };
            match explained {
                Explained::NotCompared => tally.not_compared += 1,
                _ => cases.push((case, explained)),
            }
        }
        tally.seconds[0] += lap();
        let product = match Product::new("Random", &spec.text(), &spec.link(), steps) {
            Ok(product) => product,
            Err(error) => {
                *tally
                    .refused
                    .entry(error.chars().take(300).collect())
                    .or_default() += 1;
                continue;
            }
        };
        tally.specs += 1;
        tally.seconds[1] += lap();
        let traces: Vec<String> = cases
            .iter()
            .map(|(case, _)| ndjson(&case.spec, &case.calls))
            .collect();
        let mut questions = Vec::new();
        for (at, (case, _)) in cases.iter().enumerate() {
            let other = WAYS[rng.usize(1..WAYS.len())];
            for way in [Way::Usual, other] {
                questions.push((at, way, options(way, case.is_async)));
            }
        }
        let asked: Vec<(&str, Options)> = questions
            .iter()
            .map(|(at, _, options)| (traces[*at].as_str(), *options))
            .collect();
        let answers = product.answers(&asked);
        tally.seconds[2] += lap();
        for (position, ((at, way, _), answer)) in questions.iter().zip(&answers).enumerate() {
            let (case, explained) = &cases[*at];
            let expected = match explained {
                Explained::Valid => Answer::Valid,
                _ => Answer::Violation,
            };
            if *way == Way::Usual {
                match expected {
                    Answer::Valid => tally.valid += 1,
                    _ => tally.violations += 1,
                }
            }
            if !is_wrong(answer, &expected) {
                continue;
            }
            let name = format!("{flavour:?}-{}", from + number);
            let about = format!(
                "Seed {from} + {number}, trace {at}, {way:?}, steps: {steps:?}, {:.1} s.\n\nProduct: {answer:?}\nOracle: {expected:?}",
                started.elapsed().as_secs_f64()
            );
            // Alone it may be right, if what was remembered of another trace is what is wrong.
            let (case, note) = if disagrees(case, *way, steps, answer) {
                (
                    shrunk(case.clone(), &mut |case| disagrees(case, *way, steps, answer)),
                    "alone",
                )
            } else {
                (case.clone(), "only after other traces of the same model")
            };
            let before = match note {
                "alone" => String::new(),
                _ => {
                    let asks = |asked: &[(&str, Options)]| {
                        let product = Product::new("Random", &spec.text(), &spec.link(), steps);
                        product.ok().and_then(|product| product.answers(asked).pop())
                    };
                    let needed =
                        needed_before(&asked[..=position], |asked| asks(asked).as_ref() == Some(answer));
                    needed.join("\n---\n")
                }
            };
            let folder = written(
                &name,
                &case,
                &format!("{about}\n\nWrong {note}.\n{before}\n\n{}", in_every_way(&case)),
            );
            wrong.push(format!(
                "{}\n{about}\nWrong {note}.\n{}{}{}",
                folder.display(),
                case.spec.link(),
                case.spec
                    .text()
                    .split("Through(Op(_), z) == Op(z)")
                    .last()
                    .unwrap_or_default(),
                ndjson(&case.spec, &case.calls)
            ));
            break;
        }
        if wrong.len() >= from_environment("OMNILINK_WRONG_MAX").unwrap_or(3) as usize {
            break;
        }
    }
    wrong
}

/// The traces that must be asked about before the last one for its answer to be wrong.
fn needed_before<'t>(
    asked: &[(&'t str, Options)],
    is_wrong: impl Fn(&[(&'t str, Options)]) -> bool,
) -> Vec<&'t str> {
    let mut needed = asked.to_vec();
    let mut at = 0;
    while at + 1 < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(at);
        if is_wrong(&fewer) { needed = fewer } else { at += 1 }
    }
    needed.pop();
    needed.into_iter().map(|(trace, _)| trace).collect()
}

fn attack(flavour: Flavour) {
    let mut tally = Tally::default();
    let started = Instant::now();
    let from = seed(FLAVOURS.iter().position(|one| *one == flavour).unwrap_or(0) as u64 * 1_000_000_000);
    // To see one disagreement again: the number after the seed in its report.
    let skipped = from_environment("OMNILINK_SKIP").unwrap_or(0);
    let specs = match flavour {
        Flavour::Branching => 250,
        Flavour::Doubled => 500,
        _ => 100,
    };
    let wrong = compare(flavour, rounds(specs), from + skipped, &mut tally);
    println!(
        "{flavour:?}: {tally:?} in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    assert!(
        wrong.is_empty(),
        "{} disagreements:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    let compared = tally.valid + tally.violations;
    assert!(
        tally.valid * 10 > compared && tally.violations * 10 > compared && compared > tally.not_compared,
        "the traces are too easy or too hard: {tally:?}"
    );
    assert!(
        tally.refused.is_empty(),
        "the product does not read {:?}",
        tally.refused
    );
}

#[test]
fn specifications_of_every_kind_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Mixed);
}

#[test]
fn quantifiers_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Quantified);
}

#[test]
fn parts_of_records_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Parts);
}

#[test]
fn counts_and_sums_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Counted);
}

#[test]
fn several_conditions_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Guarded);
}

#[test]
fn views_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Viewed);
}

#[test]
fn invariants_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Invariant);
}

#[test]
fn sequences_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Ordered);
}

#[test]
fn branches_and_quantifiers_around_actions_have_the_verdicts_of_the_oracle() {
    attack(Flavour::Branching);
}

#[test]
fn what_is_said_twice_has_the_verdicts_of_the_oracle() {
    attack(Flavour::Doubled);
}
