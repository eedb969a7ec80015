//! The public verdicts on recorded histories of Java's ConcurrentSkipListMap, reproduced.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use omnilink_consistency::{
    ConsistencyLevel, History, OrderSource, RecordedHistory, Ret, WeakChecker, WeakOptions, read_histories,
};
use omnilink_models::{Decode, Decoded, JavaMap, JavaMapOp};
use omnilink_value::Value;

const SETS: [&str; 3] = ["directed_3t_6ops", "schemas", "small_3t_6ops"];

fn open(name: &str) -> BufReader<File> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/skiplistmap")
        .join(name);
    BufReader::new(File::open(path).unwrap())
}

fn decoded(recorded: &RecordedHistory) -> History<JavaMapOp> {
    let decode = |operation: &_| JavaMap.decode(operation).map(Decoded::into_last);
    History::of_recorded(recorded, &decode).unwrap()
}

fn histories(set: &str) -> Vec<RecordedHistory> {
    read_histories(set, open(&format!("{set}.jsonl")))
        .map(Result::unwrap)
        .collect()
}

fn labels(set: &str, kind: &str) -> Vec<Value> {
    let lines = open(&format!("labels/{set}.{kind}.jsonl")).lines();
    lines
        .map(|line| Value::from_json(line.unwrap().as_bytes()).unwrap())
        .collect()
}

fn label(labels: &Value, name: &str) -> bool {
    labels.field(name).and_then(Value::as_bool).unwrap()
}

/// A checker for many levels.
struct LevelChecker<'m> {
    checker: WeakChecker<'m, JavaMap>,
}

impl LevelChecker<'_> {
    fn satisfies(&mut self, history: &History<JavaMapOp>, level: ConsistencyLevel, ret: Ret) -> bool {
        let options = WeakOptions {
            ret,
            minimise: false,
            ..WeakOptions::default()
        };
        self.checker
            .check(history, &level.criterion(), &options)
            .unwrap()
            .conclusion
            .is_valid()
    }
}

#[test]
fn golden_verdicts_are_reproduced_in_both_readings() {
    let mut levels = LevelChecker {
        checker: WeakChecker::new(&JavaMap),
    };
    for set in SETS {
        for (recorded, golden) in histories(set).iter().zip(labels(set, "golden")) {
            let history = decoded(recorded);
            let found = [
                levels.satisfies(&history, ConsistencyLevel::Linearizable, Ret::Own),
                levels.satisfies(&history, ConsistencyLevel::Weak, Ret::Own),
                levels.satisfies(&history, ConsistencyLevel::Weak, Ret::All),
            ];
            let expected = ["lin", "weak", "weak_all"].map(|name| label(&golden, name));
            assert_eq!(found, expected, "{set} {}", recorded.id);
        }
    }
}

#[test]
fn golden_levels_are_reproduced() {
    let mut wrong = Vec::new();
    let mut levels = LevelChecker {
        checker: WeakChecker::new(&JavaMap),
    };
    for set in SETS {
        for (recorded, golden) in histories(set).iter().zip(labels(set, "levels")) {
            let history = decoded(recorded);
            for (name, level) in [
                ("weak", ConsistencyLevel::Weak),
                ("mono", ConsistencyLevel::Monotonic),
                ("peer", ConsistencyLevel::Peer),
                ("causal", ConsistencyLevel::Causal),
                ("complete", ConsistencyLevel::Linearizable),
            ] {
                let found = levels.satisfies(&history, level, Ret::Own);
                if found != label(&golden, name) {
                    wrong.push(format!("{set} {} {level}: {found}", recorded.id));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_known_inclusions_between_levels_hold_on_all_data_in_both_readings() {
    let mut levels = LevelChecker {
        checker: WeakChecker::new(&JavaMap),
    };
    for set in SETS {
        for recorded in &histories(set) {
            let history = decoded(recorded);
            for ret in [Ret::Own, Ret::All] {
                let satisfied = ConsistencyLevel::ALL.map(|level| levels.satisfies(&history, level, ret));
                for (strong, is_strong) in ConsistencyLevel::ALL.into_iter().zip(satisfied) {
                    for (weak, is_weak) in ConsistencyLevel::ALL.into_iter().zip(satisfied) {
                        assert!(
                            !strong.implies(weak) || !is_strong || is_weak,
                            "{set} {}: {strong} but not {weak} with {ret:?}",
                            recorded.id
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_recorded_counters_tell_the_same_order_as_the_pairs() {
    for set in SETS {
        for (recorded, text) in histories(set).iter().zip(open(&format!("{set}.jsonl")).lines()) {
            let without_pairs = text.unwrap().replace("\"hb\":", "\"not_hb\":");
            let again = read_histories(set, without_pairs.as_bytes())
                .next()
                .unwrap()
                .unwrap();
            assert!(matches!(again.order, OrderSource::Counters(_)));
            assert_eq!(
                decoded(recorded).happens_before(),
                decoded(&again).happens_before(),
                "{set} {}",
                recorded.id
            );
        }
    }
}
