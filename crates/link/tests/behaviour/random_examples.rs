//! Random small traces of the shipped examples: the engine, with all it knows about a spec, against trying every order with an
//! evaluator that remembers nothing and looks nothing up.
//!
//! Most random traces are wrong somewhere, so the ranges are small, and some operations are pending or aborted: enough of
//! them are valid.

use omnilink_engine::{Consistency, Options, check, naive};
use omnilink_link::{LinkFile, LinkOptions, Linked};
use omnilink_value::Value;
use proptest::prelude::*;

use crate::world::{bound, example, trace};

/// One random operation: which, with what, and when.
#[derive(Clone, Debug)]
struct Random {
    op: usize,
    picks: [i64; 3],
    start: i64,
    length: i64,
    is_pending: bool,
    is_aborted: bool,
}

fn random(ops: usize) -> impl Strategy<Value = Random> {
    let fate = (prop::bool::weighted(0.1), prop::bool::weighted(0.15));
    (0..ops, [0..6i64, 0..6, 0..6], 0..12i64, 0..9i64, fate).prop_map(
        |(op, picks, start, length, (is_pending, is_aborted))| Random {
            op,
            picks,
            start,
            length,
            is_pending,
            is_aborted,
        },
    )
}

struct Example {
    spec: &'static str,
    toml: &'static str,
    /// Constants: the integers up to and including the number.
    upto: &'static [(&'static str, i64)],
    /// The name and the fields of an operation.
    call: fn(&Random) -> (&'static str, String),
}

const QUEUE: Example = Example {
    spec: "queue/Queue.tla",
    toml: "[constants]\nNothing = '0'\n[ops.Put]\naborted = '''UNCHANGED queue \\/ queue' = Append(queue, item)'''\n",
    upto: &[],
    call: |random| match random.op {
        0 => ("Put", format!(r#""item":{}"#, random.picks[0] % 2 + 1)),
        _ => ("Take", format!(r#""result":{}"#, random.picks[0] % 3)),
    },
};

/// The same, with a hidden step that takes items away.
const LEAKING_QUEUE: Example = Example {
    toml: "[constants]\nNothing = '0'\n[[hidden]]\naction = '''queue # <<>> /\\ queue' = Tail(queue)'''\nbound = 2\n",
    ..QUEUE
};

const MAP: Example = Example {
    spec: "map/Map.tla",
    toml: "[constants]\nNoValue = '0'\n",
    upto: &[("Keys", 3)],
    call: |random| {
        let [a, b, c] = random.picks.map(|pick| pick % 3);
        match random.op {
            0 => ("KVContains", format!(r#""key":{},"result":{}"#, a + 1, b == 1)),
            1 => (
                "KVInsert",
                format!(r#""key":{},"value":{},"result":{c}"#, a + 1, b + 1),
            ),
            2 => (
                "KVInsertIfAbsent",
                format!(r#""key":{},"value":{},"result":{c}"#, a + 1, b + 1),
            ),
            3 => ("KVErase", format!(r#""key":{},"result":{c}"#, a + 1)),
            _ => (
                "KVRangeQuery",
                format!(r#""lo":{},"hi":{},"count":{c}"#, a.min(b) + 1, a.max(b) + 1),
            ),
        }
    },
};

const STORE: Example = Example {
    spec: "store/Store.tla",
    toml: "[constants]\nNoValue = '0'\n[ops.Commit]\naborted = '''Commit(tid) \\/ UNCHANGED vars'''\n",
    upto: &[("Keys", 2), ("Txns", 2)],
    call: |random| {
        let [tid, key, value] = random.picks.map(|pick| pick % 2 + 1);
        match random.op {
            0 | 1 => ("Begin", format!(r#""tid":{tid}"#)),
            2 => (
                "Read",
                format!(r#""tid":{tid},"key":{key},"result":{}"#, value - 1),
            ),
            3 => (
                "Write",
                format!(r#""tid":{tid},"key":{key},"value":1,"ok":{}"#, value == 1),
            ),
            4 => (
                "Remove",
                format!(r#""tid":{tid},"key":{key},"ok":{}"#, value == 1),
            ),
            5 => ("Commit", format!(r#""tid":{tid}"#)),
            _ => ("Abort", format!(r#""tid":{tid}"#)),
        }
    },
};

const PRODUCERS: Example = Example {
    spec: "producers/Producers.tla",
    toml: "",
    upto: &[("Producers", 2), ("Consumers", 2)],
    call: |random| {
        let [who, first, second] = random.picks;
        let items = match second {
            0 => String::new(),
            1..4 => format!("{}", first % 2),
            _ => format!("{},{}", first % 2, (first + 1) % 2),
        };
        match random.op {
            0 => ("Put", format!(r#""producer":{},"items":[{items}]"#, who % 2 + 1)),
            _ => ("Take", format!(r#""consumer":{},"items":[{items}]"#, who % 2 + 1)),
        }
    },
};

impl Example {
    fn linked(&self, is_plain: bool) -> Linked {
        let upto = |(name, last): &(&str, i64)| {
            (
                (*name).to_owned(),
                Value::set_of_sorted((1..=*last).map(Value::int)),
            )
        };
        let options = LinkOptions {
            file: LinkFile::parse(self.toml).unwrap(),
            collected: self.upto.iter().map(upto).collect(),
            evaluates_steps: is_plain,
            ..LinkOptions::default()
        };
        Linked::load(&example(self.spec), &options).unwrap()
    }

    fn lines(&self, history: &[Random]) -> String {
        let line = |(thread, random): (usize, &Random)| {
            let (op, args) = (self.call)(random);
            let start = random.start;
            let end = if random.is_pending {
                "null".to_owned()
            } else {
                (start + random.length).to_string()
            };
            format!(
                "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end},\"aborted\":{}}}\n",
                random.is_aborted
            )
        };
        history.iter().enumerate().map(line).collect()
    }

    /// Fails unless both agree.
    fn compare(&self, mut history: Vec<Random>) -> Result<(), TestCaseError> {
        history.sort_by_key(|random| random.start);
        let lines = self.lines(&history);
        let found = self.linked(false).run(|model| {
            let operations = bound(model, trace(lines.clone())).unwrap();
            check(model, operations, Options::default())
                .unwrap()
                .conclusion
                .is_valid()
        });
        let expected = self.linked(true).run(|model| {
            let operations = bound(model, trace(lines.clone())).unwrap();
            naive::explain(model, &operations, Consistency::Linearizable).is_some()
        });
        prop_assert_eq!(found.unwrap(), expected.unwrap(), "{}", lines);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn queues_agree(history in prop::collection::vec(random(2), 1..8)) {
        QUEUE.compare(history)?;
    }

    #[test]
    fn queues_with_unseen_steps_agree(history in prop::collection::vec(random(2), 1..6)) {
        LEAKING_QUEUE.compare(history)?;
    }

    #[test]
    fn maps_agree(history in prop::collection::vec(random(5), 1..8)) {
        MAP.compare(history)?;
    }

    #[test]
    fn stores_agree(history in prop::collection::vec(random(7), 1..8)) {
        STORE.compare(history)?;
    }

    #[test]
    fn queues_in_steps_agree(history in prop::collection::vec(random(2), 1..5)) {
        PRODUCERS.compare(history)?;
    }
}
