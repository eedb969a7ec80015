//! What `omnilink validate` does as a whole: files, partitions, replay, confirmation. Its verdict is that of the oracle, and of the simulation.

use fastrand::Rng;
use omnilink_engine::Options;
use omnilink_link::{CollectedConstants, LinkOptions};

use crate::long::keyed::Map;
use crate::long::object::ndjson as long_ndjson;
use crate::long::simulate::{Load, simulated, with_impossible_reply};
use crate::oracle::explain::{Explained, explain};
use crate::oracle::timed_call::ndjson;
use crate::product::{Answer, Steps, link_options, validated};
use crate::random::history::{Profile, random_history};
use crate::random::maker::FLAVOURS;
use crate::random::spec::random_spec;
use crate::reproducer::written;
use crate::rounds::{rounds, seed};
use crate::shrink::Case;

/// The traces of one specification.
const TRACES: usize = 6;

#[test]
fn files_have_the_verdicts_of_the_oracle() {
    let from = seed(99);
    let (mut compared, mut wrong) = (0u64, Vec::new());
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let (spec_file, trace_file) = (
        folder.path().join("Random.tla"),
        folder.path().join("trace.ndjson"),
    );
    for number in 0..rounds(80) {
        let mut rng = Rng::with_seed(from.wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let spec = random_spec(&mut rng, FLAVOURS[number as usize % FLAVOURS.len()]);
        std::fs::write(&spec_file, spec.text()).unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..TRACES {
            let profile = Profile::random(&mut rng);
            let Ok(calls) = random_history(&mut rng, &spec, profile) else {
                continue;
            };
            let explained = match explain(&spec, &calls, profile.is_async) {
                Explained::Valid => Answer::Valid,
                Explained::Violation => Answer::Violation,
                Explained::NotCompared => continue,
            };
            if calls.is_empty() {
                continue;
            }
            // A check of a run of which nothing returned is unknown, as nothing was explained.
            let has_returned = calls.iter().any(|call| call.end.is_some());
            let expected = if has_returned { explained } else { Answer::Unknown };
            std::fs::write(&trace_file, ndjson(&spec, &calls)).unwrap_or_else(|error| panic!("{error}"));
            let options = Options {
                async_threads: profile.is_async,
                ..Options::default()
            };
            let link = link_options(&spec.link(), Steps::Usual);
            let answer = validated(
                &spec_file,
                &trace_file,
                link,
                CollectedConstants::default(),
                options,
            );
            compared += 1;
            if answer != expected {
                let case = Case {
                    spec: spec.clone(),
                    calls,
                    is_async: profile.is_async,
                };
                let about = format!("Seed {from} + {number}: {answer:?} instead of {expected:?}");
                let folder = written(&format!("Files-{}", from + number), &case, &about);
                wrong.push(format!("{about}: {}", folder.display()));
                break;
            }
        }
    }
    println!("long files: {compared} compared, {} wrong", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} disagreements:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_long_file_with_collected_constants_has_its_verdict() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let trace = folder.path().join("trace.ndjson");
    let spec = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/validate/map/Map.tla");
    let mut rng = Rng::with_seed(seed(3));
    for _ in 0..rounds(1) {
        let load = Load {
            operations: 20_000,
            threads: 5,
            size: 6,
            rest: 0,
            grain: 1,
            pending: 1,
            seed: rng.u64(..),
        };
        let mut records = simulated::<Map>(load);
        let verdict = |text: String| {
            std::fs::write(&trace, text).unwrap_or_else(|error| panic!("{error}"));
            let mut collection = CollectedConstants::default();
            collection
                .add("Keys=key,lo,hi")
                .unwrap_or_else(|error| panic!("{error}"));
            let link = LinkOptions {
                constants: vec![("NoValue".to_owned(), "0".to_owned())],
                ..LinkOptions::default()
            };
            validated(&spec, &trace, link, collection, Options::default())
        };
        assert_eq!(verdict(long_ndjson(&records)), Answer::Valid, "{load:?}");
        let at = with_impossible_reply(&mut rng, &mut records);
        assert_eq!(
            verdict(long_ndjson(&records)),
            Answer::Violation,
            "{load:?}, {at:?}"
        );
    }
}
