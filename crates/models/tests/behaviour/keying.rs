//! When the values of a history are pairs of a key and a value, and when they are not.

use omnilink_models::{KeyDetector, Keying, NativeModel, Visitor, with_model};
use omnilink_trace::{OpenOptions, Operation, Trace};

struct DetectKeying(Vec<Operation>);

impl Visitor for DetectKeying {
    type Output = Keying;

    fn visit<M: NativeModel>(self, model: M) -> Keying {
        let mut detector = KeyDetector::new(M::ENTRY);
        for operation in &self.0 {
            if !detector.observe(operation, |operation| model.decode(operation).is_ok()) {
                break;
            }
        }
        detector.keying()
    }
}

/// The keying of a history of events such as `write [7 1] [7 1]`: an operation, what it was called with, what it returned.
fn keying(model: &str, operations: &[(&str, &str, &str)]) -> Keying {
    let mut history = String::new();
    for (f, called, returned) in operations {
        history += &format!("{{:process 0 :type :invoke :f :{f} :value {called}}}");
        history += &format!("{{:process 0 :type :ok :f :{f} :value {returned}}}");
    }
    let trace = Trace::from_bytes("text", history.into_bytes(), &OpenOptions::default()).unwrap();
    let operations = trace.collect::<Result<Vec<_>, _>>().unwrap();
    with_model(model, DetectKeying(operations)).unwrap()
}

#[test]
fn a_read_that_is_called_with_a_key_proves_keys() {
    let write = ("write", "[7 1]", "[7 1]");
    for (model, operations) in [
        ("register", vec![write, ("read", "[7 nil]", "[7 1]")]),
        (
            "cas-register",
            vec![
                write,
                ("cas", "[7 [1 2]]", "[7 [1 2]]"),
                ("read", "[8 nil]", "[8 nil]"),
            ],
        ),
        (
            "cas-register",
            vec![write, ("read", "#clojure.lang.MapEntry [7 nil]", "[7 1]")],
        ),
        (
            "set",
            vec![("add", "[0 5]", "[0 5]"), ("read", "[0 nil]", "[0 #{5}]")],
        ),
        (
            "queue",
            vec![("enqueue", "[:a 5]", "[:a 5]"), ("dequeue", "[:a nil]", "[:a 5]")],
        ),
        ("mutex", vec![("acquire", "[3 nil]", "[3 nil]")]),
        ("counter", vec![("add", "[3 5]", "[3 5]")]),
        (
            "bank",
            vec![(
                "transfer",
                "[3 {:from 1 :to 2 :amount 5}]",
                "[3 {:from 1 :to 2 :amount 5}]",
            )],
        ),
        ("kv", vec![write, ("read", "[7 nil]", "[7 1]")]),
        (
            "map",
            vec![("insert", "[7 1]", "[7 nil]"), ("get", "[7 nil]", "[7 1]")],
        ),
    ] {
        assert_eq!(
            keying(model, &operations),
            Keying::Keyed,
            "{model} {operations:?}"
        );
    }
}

#[test]
fn a_pair_that_means_something_is_no_key() {
    for (model, operations) in [
        // Old and new.
        ("cas-register", vec![("cas", "[1 2]", "[1 2]")]),
        // Values that are pairs: the read would have been called with a key.
        (
            "register",
            vec![("write", "[7 1]", "[7 1]"), ("read", "nil", "[7 1]")],
        ),
        (
            "cas-register",
            vec![
                ("write", "1", "1"),
                ("cas", "[1 2]", "[1 2]"),
                ("read", "nil", "2"),
            ],
        ),
        (
            "queue",
            vec![("enqueue", "[1 5]", "[1 5]"), ("dequeue", "nil", "[1 5]")],
        ),
        // Two accesses.
        (
            "multi-register",
            vec![("txn", "[[:w :x 1] [:r :y nil]]", "[[:w :x 1] [:r :y 2]]")],
        ),
        // The first part does not come back.
        (
            "register",
            vec![("write", "[7 1]", "[7 1]"), ("read", "[7 nil]", "[8 1]")],
        ),
        ("set", vec![]),
    ] {
        let found = keying(model, &operations);
        assert!(
            matches!(found, Keying::Plain | Keying::PlainPairs),
            "{model} {operations:?}: {found:?}"
        );
    }
}

#[test]
fn ambiguous_pairs_are_unclear() {
    for (model, operations) in [
        (
            "register",
            vec![("write", "[7 1]", "[7 1]"), ("write", "[7 2]", "[7 2]")],
        ),
        ("set", vec![("add", "[1 2]", "[1 2]")]),
        (
            "cas-register",
            vec![("write", "[7 1]", "[7 1]"), ("cas", "[7 [1 2]]", "[7 [1 2]]")],
        ),
        // One operation speaks for keys, another against.
        (
            "cas-register",
            vec![("cas", "[1 2]", "[1 2]"), ("read", "[7 nil]", "[7 1]")],
        ),
    ] {
        assert_eq!(
            keying(model, &operations),
            Keying::Unclear,
            "{model} {operations:?}"
        );
    }
}
