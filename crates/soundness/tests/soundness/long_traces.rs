//! Long traces: the product gives the verdict that is known, whatever it is checked with.

use std::time::Instant;

use fastrand::Rng;
use omnilink_engine::Options;

use crate::long::collections::{BoundedQueue, Cache, Log, PriorityQueue, Semaphore};
use crate::long::keyed::{Bank, Leases, Map, Transactions, Votes};
use crate::long::object::{Object, Record, ndjson};
use crate::long::simulate::{Load, forget_pending, simulated, with_impossible_reply, with_other_reply};
use crate::long::stepped::{Disk, Fill, Mode};
use crate::long::subject::Subject;
use crate::long::sweep::is_explained;
use crate::product::{Answer, WAYS, Way};
use crate::rounds::{rounds, seed};

/// Searches that take longer are given up where a reduction is switched off, and not compared.
const CONFIGURATIONS_MAX: u64 = 3_000_000;

fn load<O: Object>(rng: &mut Rng, operations: usize) -> Load {
    let threads = [3, 4, 5, 6, 6, 10, 16][rng.usize(..7)].min(O::THREADS_MAX);
    Load {
        operations,
        threads,
        size: rng.i64(3..13),
        // Many threads rest more, so that a search without reductions comes to an end.
        rest: [0, 0, 1, 4][rng.usize(..4)].max(i64::from(threads) - 6),
        grain: [1, 1, 30][rng.usize(..3)],
        pending: [0, 0, 1, 2][rng.usize(..4)],
        seed: rng.u64(..),
    }
}

/// A trace with its verdict.
struct Known {
    records: Vec<Record>,
    expected: Answer,
    about: String,
}

/// A valid trace, one with an impossible answer, and some with another answer that the exact sweep decides about.
fn known<O: Object>(rng: &mut Rng, load: Load, changed: usize, is_model: bool) -> Vec<Known> {
    let mut records = simulated::<O>(load);
    // To a native model, the result of a call that did not return is unknown, whatever it carries. To a specification it is an argument.
    if is_model {
        forget_pending(&mut records);
    }
    let mut all = Vec::new();
    let mut impossible = records.clone();
    if let Some(at) = with_impossible_reply(rng, &mut impossible) {
        all.push(Known {
            records: impossible,
            expected: Answer::Violation,
            about: format!("{load:?}, impossible answer at {at}"),
        });
    }
    for _ in 0..if O::IS_PLAIN { changed } else { 0 } {
        let mut other = records.clone();
        if let Some(at) = with_other_reply(rng, &mut other)
            && let Some(is_explained) = is_explained::<O>(&other, load.size)
        {
            all.push(Known {
                records: other,
                expected: if is_explained {
                    Answer::Valid
                } else {
                    Answer::Violation
                },
                about: format!("{load:?}, another answer at {at}"),
            });
        }
    }
    all.push(Known {
        records,
        expected: Answer::Valid,
        about: format!("{load:?}"),
    });
    all
}

/// Compares the answers about traces of an object.
pub fn compare<O: Object>(name: &str, subjects: &[Subject], operations: usize, other_ways: bool, times: u64) {
    let started = Instant::now();
    let mut rng = Rng::with_seed(seed(name.bytes().map(u64::from).sum::<u64>()));
    let (mut traces, mut operations_of_all, mut compared, mut wrong) = (0, 0, 0u64, Vec::new());
    for round in 0..rounds(times) {
        // Where there is time, some traces are longer.
        let longer = if round < times {
            1
        } else {
            [1, 1, 2, 5][rng.usize(..4)]
        };
        let load = load::<O>(&mut rng, operations * longer);
        let is_model = subjects
            .iter()
            .any(|subject| matches!(subject, Subject::Model(_)));
        let known = known::<O>(&mut rng, load, 3, is_model);
        if O::IS_PLAIN && load.operations <= 5_000 {
            let valid = &known[known.len() - 1].records;
            assert_ne!(
                is_explained::<O>(valid, load.size),
                Some(false),
                "the generator is wrong: {load:?}"
            );
        }
        traces += known.len();
        operations_of_all += known.iter().map(|known| known.records.len()).sum::<usize>();
        let texts: Vec<String> = known.iter().map(|known| ndjson(&known.records)).collect();
        for subject in subjects {
            let ready = subject.ready(load.size);
            let mut questions: Vec<(usize, Way, Options)> = Vec::new();
            for at in 0..known.len() {
                let ways: &[Way] = if other_ways { &WAYS } else { &WAYS[..1] };
                for way in ways {
                    let mut options = way.options();
                    if *way != Way::Usual {
                        options.limits.configurations = Some(CONFIGURATIONS_MAX);
                    }
                    questions.push((at, *way, options));
                }
            }
            for (at, way, options) in questions {
                // Each trace by itself: a new model.
                let answers = ready.answers(&[(texts[at].as_str(), options)]);
                let expected = &known[at].expected;
                for answer in answers {
                    compared += 1;
                    let is_unknown = answer == Answer::Unknown && way != Way::Usual;
                    if answer != *expected && !is_unknown {
                        let about = &known[at].about;
                        wrong.push(format!(
                            "{subject:?}, {way:?}: {answer:?} instead of {expected:?}; {about}"
                        ));
                    }
                }
            }
        }
    }
    println!(
        "long {name}: {traces} traces, {operations_of_all} operations, {compared} answers, {} wrong, {:.1} s",
        wrong.len(),
        started.elapsed().as_secs_f64()
    );
    assert!(
        wrong.is_empty(),
        "{} of {compared} answers are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Long traces in the usual way, shorter ones in every way.
fn attack<O: Object>(name: &str, subjects: &[Subject]) {
    compare::<O>(name, subjects, 20_000, false, 1);
    compare::<O>(name, subjects, 2_000, true, 1);
}

const STYLES: [&str; 27] = [
    "examples/validate/map/Map",
    "benches/validate-styles/A0_except",
    "benches/validate-styles/A1_rebuild",
    "benches/validate-styles/A2_atat_fixed",
    "benches/validate-styles/A3_filter_all_keys",
    "benches/validate-styles/A4_domain_map",
    "benches/validate-styles/A5_let",
    "benches/validate-styles/A6_functional",
    "benches/validate-styles/A7_recordcell",
    "benches/validate-styles/A8_onerecordvar",
    "benches/validate-styles/A9_nested",
    "benches/validate-styles/B0_twovars",
    "benches/validate-styles/B1_size_counter",
    "benches/validate-styles/C0_setofpairs_exists",
    "benches/validate-styles/C1_setofrecords_choose",
    "benches/validate-styles/C2_seq_assoc",
    "benches/validate-styles/C3_seq_sorted",
    "benches/validate-styles/D0_recursive_count",
    "benches/validate-styles/D1_higherorder",
    "benches/validate-styles/D2_forall_next",
    "benches/validate-styles/D3_instance",
    "benches/validate-styles/DynamicDomain",
    "benches/validate-styles/E0_dyn_domain_except",
    "benches/validate-styles/F0_inv",
    "benches/validate-styles/F1_view",
    "benches/validate-styles/F2_nondetinit",
    "benches/validate-styles/F3_setmember",
];

#[test]
fn long_traces_of_the_map_in_every_style() {
    let subjects: Vec<Subject> = STYLES.iter().map(|name| Subject::Style(name)).collect();
    compare::<Map>("map", &subjects, 10_000, false, 1);
    compare::<Map>("map", &subjects, 2_000, false, 2);
}

#[test]
fn long_traces_of_the_map() {
    let subjects = [Subject::Style(STYLES[0]), Subject::Style(STYLES[17])];
    attack::<Map>("the shipped map", &subjects);
}

#[test]
fn long_traces_of_a_bank() {
    attack::<Bank>(
        "bank",
        &[
            Subject::Spec("Bank", ""),
            Subject::Spec("BankFolds", "invariants = ['NoDebts']"),
        ],
    );
}

#[test]
fn long_traces_of_leases() {
    attack::<Leases>(
        "leases",
        &[Subject::Spec("Leases", ""), Subject::Spec("LeaseSet", "")],
    );
}

#[test]
fn long_traces_of_votes() {
    attack::<Votes>(
        "votes",
        &[Subject::Spec("Votes", ""), Subject::Spec("VoteMap", "")],
    );
}

#[test]
fn long_traces_of_transactions() {
    attack::<Transactions>("transactions", &[Subject::Spec("Transactions", "")]);
}

#[test]
fn long_traces_of_bounded_queues() {
    attack::<BoundedQueue>(
        "queues",
        &[Subject::Spec("BoundedQueue", ""), Subject::Spec("RingQueue", "")],
    );
}

#[test]
fn long_traces_of_priority_queues() {
    attack::<PriorityQueue>("priority queues", &[Subject::Spec("PriorityQueue", "")]);
}

#[test]
fn long_traces_of_a_cache() {
    attack_slowly::<Cache>("cache", &[Subject::Spec("Cache", "")]);
}

#[test]
fn long_traces_of_a_log() {
    attack::<Log>("log", &[Subject::Spec("Log", "")]);
}

#[test]
fn long_traces_of_a_semaphore() {
    attack::<Semaphore>("semaphore", &[Subject::Spec("Semaphore", "")]);
}

#[test]
fn long_traces_with_a_view() {
    attack::<Mode>("mode", &[Subject::Spec("Mode", "view = 'View'")]);
}

/// The same where every operation costs more: nothing is pure beside hidden steps, and a sequence is one cell.
fn attack_slowly<O: Object>(name: &str, subjects: &[Subject]) {
    compare::<O>(name, subjects, 4_000, false, 1);
    compare::<O>(name, subjects, 1_000, true, 1);
}

#[test]
fn long_traces_with_operations_in_steps() {
    attack_slowly::<Fill>("fill", &[Subject::Spec("Fill", "")]);
}

#[test]
fn long_traces_with_hidden_steps() {
    attack_slowly::<Disk>("disk", &[Subject::Spec("Disk", "[[hidden]]\naction = 'Flush'")]);
}
