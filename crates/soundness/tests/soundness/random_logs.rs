//! Random logs of random specifications: the product gives the verdict of the oracle, with and without its reductions.

use std::time::Instant;

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_log_link::{LogCheck, LogSpec, check_log};

use crate::oracle::explain::Explained;
use crate::oracle::log::{LogLine, Route, explain_log, ndjson, text};
use crate::oracle::spec::Spec;
use crate::product::{Answer, Steps, answer_of, link_options};
use crate::random::log::{random_log, random_log_spec};
use crate::random::maker::FLAVOURS;
use crate::rounds::{rounds, seed};

/// The logs of one specification.
const LOGS: usize = 20;

/// A specification in a folder, and the product that has read it.
struct Reader {
    folder: tempfile::TempDir,
    check: LogCheck,
    spec: Option<LogSpec>,
}

impl Reader {
    fn new(spec: &Spec, routes: &[Route]) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("Random.tla");
        std::fs::write(&path, text(spec, routes)).unwrap_or_else(|error| panic!("{error}"));
        let link: String = spec
            .link()
            .lines()
            .filter(|line| line.starts_with("invariants"))
            .collect();
        let check = LogCheck::new(&path, link_options(&link, Steps::Usual), Limits::default());
        let spec = check
            .shared_spec()
            .unwrap_or_else(|error| panic!("{error}\n{}", text(spec, routes)));
        Self { folder, check, spec }
    }

    fn answer(&mut self, log: &str, is_reduced: bool) -> Answer {
        let file = self.folder.path().join("log.ndjson");
        std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
        self.check.uses_interchange = is_reduced;
        self.check.uses_independence = is_reduced;
        answer_of(&check_log(
            &self.check,
            self.spec.as_ref(),
            "log",
            &[file],
            &mut |_| {},
        ))
    }
}

/// The log with as few lines as still disagree.
fn shrunk(
    spec: &Spec,
    routes: &[Route],
    lines: &[LogLine],
    has_clock: bool,
    is_reduced: bool,
) -> Vec<LogLine> {
    let mut lines = lines.to_vec();
    let mut reader = Reader::new(spec, routes);
    let mut disagrees = |lines: &[LogLine]| {
        let expected = match explain_log(spec, routes, lines, has_clock) {
            Explained::Valid => Answer::Valid,
            Explained::Violation => Answer::Violation,
            Explained::NotCompared => return false,
        };
        !lines.is_empty() && reader.answer(&ndjson(spec, lines, has_clock), is_reduced) != expected
    };
    while let Some(fewer) = (0..lines.len())
        .map(|at| without(&lines, at))
        .find(|fewer| disagrees(fewer))
    {
        lines = fewer;
    }
    lines
}

fn without(lines: &[LogLine], at: usize) -> Vec<LogLine> {
    let mut fewer = lines.to_vec();
    fewer.remove(at);
    fewer
}

#[test]
fn logs_have_the_verdicts_of_the_oracle() {
    let started = Instant::now();
    let from = seed(77);
    let (mut compared, mut valid, mut wrong) = (0u64, 0u64, Vec::new());
    for number in 0..rounds(150) {
        let mut rng = Rng::with_seed(from.wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let flavour = FLAVOURS[number as usize % FLAVOURS.len()];
        let (spec, routes) = random_log_spec(&mut rng, flavour);
        let mut reader = Reader::new(&spec, &routes);
        for _ in 0..LOGS {
            let has_clock = rng.bool();
            let Ok(lines) = random_log(&mut rng, &spec, &routes, has_clock) else {
                continue;
            };
            let expected = match explain_log(&spec, &routes, &lines, has_clock) {
                Explained::Valid => Answer::Valid,
                Explained::Violation => Answer::Violation,
                Explained::NotCompared => continue,
            };
            if lines.is_empty() {
                continue;
            }
            compared += 1;
            valid += u64::from(expected == Answer::Valid);
            let log = ndjson(&spec, &lines, has_clock);
            let Some(is_reduced) = [true, false]
                .into_iter()
                .find(|is_reduced| reader.answer(&log, *is_reduced) != expected)
            else {
                continue;
            };
            let lines = shrunk(&spec, &routes, &lines, has_clock, is_reduced);
            let log = ndjson(&spec, &lines, has_clock);
            wrong.push(format!(
                "seed {from} + {number}, reduced: {is_reduced}: {:?} instead of {expected:?}\n{}{}{log}",
                reader.answer(&log, is_reduced),
                spec.link(),
                text(&spec, &routes)
                    .split("Through(Op(_), z) == Op(z)")
                    .last()
                    .unwrap_or_default(),
            ));
            break;
        }
    }
    println!(
        "logs: {compared} compared, {valid} valid, {} wrong, {:.1} s",
        wrong.len(),
        started.elapsed().as_secs_f64()
    );
    assert!(
        wrong.is_empty(),
        "{} disagreements:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert!(
        valid * 10 > compared && valid * 10 < compared * 9,
        "too easy or too hard: {valid} of {compared}"
    );
}
