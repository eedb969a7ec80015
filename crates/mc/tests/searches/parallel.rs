//! Several workers against one, and one against a search in ten lines.

use std::collections::{BTreeMap, VecDeque};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use omnilink_mc::{End, Exploration, Fingerprint, Limit, Live, breadth_first, path_to};
use omnilink_value::Value;

use crate::toy::{Web, search};

fn explore(web: &Web, workers: usize) -> Exploration<String> {
    match breadth_first(web, 1, &search(workers), &Live::default(), None) {
        Ok(explored) => explored,
        Err(error) => panic!("{workers} workers on {web:?}: {error}"),
    }
}

/// The level and the parent of every state, by first principles.
fn naive(web: &Web) -> BTreeMap<i64, (u32, Option<i64>)> {
    let mut reached = BTreeMap::from([(0, (1, None))]);
    let mut waiting = VecDeque::from([0]);
    while let Some(from) = waiting.pop_front() {
        let level = reached[&from].0;
        for way in 0..web.ways {
            let to = web.successor(from, way);
            reached.entry(to).or_insert_with(|| {
                waiting.push_back(to);
                (level + 1, Some(from))
            });
        }
    }
    reached
}

fn fingerprint(node: i64) -> Fingerprint {
    Fingerprint::of_state(&[Value::int(node)])
}

/// Everything that an answer consists of.
fn answer(web: &Web, explored: &Exploration<String>) -> impl PartialEq + std::fmt::Debug + use<> {
    let path = match &explored.end {
        End::Broken(breach) => {
            let from = breach.from.expect("no initial state is forbidden");
            let path = path_to(web, &mut (), &explored.seen, from, breach.level).expect("a path");
            let path: Vec<Vec<Value>> = path.into_iter().map(|state| state.values.to_vec()).collect();
            Some((path, breach.state.clone()))
        }
        end => {
            assert!(matches!(end, End::Complete), "{end:?}");
            None
        }
    };
    let parents: Vec<_> = (0..web.nodes)
        .map(|node| explored.seen.parent(fingerprint(node)))
        .collect();
    (path, explored.figures, explored.taken.clone(), parents)
}

/// A web in which nothing is wrong.
const fn web(nodes: i64, ways: i64) -> Web {
    Web {
        nodes,
        ways,
        forbidden: None,
        rests_every: None,
        may_repeat: true,
        expansions: None,
        panics_at: None,
    }
}

const WEBS: [Web; 3] = [web(30_000, 5), web(9_000, 23), web(4_000, 2)];

#[test]
fn one_worker_gives_the_answer_of_first_principles() {
    for web in WEBS {
        let (explored, expected) = (explore(&web, 1), naive(&web));
        assert_eq!(explored.figures.distinct, expected.len() as u64);
        let deepest = expected.values().map(|(level, _)| *level).max();
        assert_eq!(Some(explored.figures.depth), deepest);
        for (node, (_, parent)) in expected {
            let tag = parent.map_or(0, |parent| fingerprint(parent).tag());
            assert_eq!(
                explored.seen.parent(fingerprint(node)),
                Some(tag),
                "{node} of {web:?}"
            );
        }
    }
}

#[test]
fn several_workers_give_the_answer_of_one_whatever_is_on_the_way() {
    for web in WEBS {
        for forbidden in [None, Some(web.nodes / 3), Some(web.nodes - 1)] {
            let web = Web { forbidden, ..web };
            let expected = answer(&web, &explore(&web, 1));
            for workers in [2, 3, 8] {
                let together = answer(&web, &explore(&web, workers));
                assert_eq!(together, expected, "{workers} workers on {web:?}");
            }
        }
    }
}

/// Whoever rests for longer than segments take is overtaken: others begin its segments again, and its results come too late.
#[test]
fn a_worker_that_loses_its_processor_changes_nothing() {
    for web in WEBS {
        for forbidden in [None, Some(web.nodes - 1)] {
            let steady = Web { forbidden, ..web };
            let expected = answer(&steady, &explore(&steady, 1));
            for (workers, every, may_repeat) in
                [(2, 700, true), (2, 130, true), (3, 400, true), (3, 400, false)]
            {
                let resting = Web {
                    rests_every: Some(every),
                    may_repeat,
                    ..steady
                };
                let together = answer(&resting, &explore(&resting, workers));
                assert_eq!(together, expected, "{workers} workers on {resting:?}");
            }
        }
    }
}

#[test]
fn a_state_is_expanded_once_where_twice_would_be_noticed() {
    static EXPANSIONS: AtomicU64 = AtomicU64::new(0);
    let web = Web {
        rests_every: Some(200),
        may_repeat: false,
        expansions: Some(&EXPANSIONS),
        ..WEBS[1]
    };
    let explored = explore(&web, 3);
    assert_eq!(EXPANSIONS.load(Ordering::Relaxed), explored.figures.distinct);
}

#[test]
fn a_panic_of_one_worker_is_that_of_the_search() {
    for workers in [1, 2, 4] {
        let web = Web {
            panics_at: Some(5_000),
            ..WEBS[0]
        };
        let panicked = catch_unwind(|| explore(&web, workers));
        let message = panicked.expect_err("as planned");
        let message = message.downcast_ref::<String>().expect("a text");
        assert!(message.contains("as planned"), "{message}");
    }
}

/// Who comes too late with a segment that others have entered has nothing to say, not even that the time is over.
#[test]
fn a_search_whose_time_is_over_ends_whoever_comes_too_late() {
    let web = Web {
        rests_every: Some(60),
        ..WEBS[0]
    };
    for milliseconds in 0..60 {
        let mut search = search(2 + milliseconds % 2);
        search.limits.time = Some(Duration::from_millis(milliseconds as u64));
        let explored = breadth_first(&web, 1, &search, &Live::default(), None);
        let end = explored.expect("no error").end;
        assert!(
            matches!(end, End::Limit(Limit::Time)),
            "{milliseconds} ms: {end:?}"
        );
    }
}
