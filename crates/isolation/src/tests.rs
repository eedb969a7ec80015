//! Two ways to decide the same history agree, known version orders are kept, and real-time order is exact.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::{Conclusion, Confirmation};
use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode, OrderEdge, Wiring};
use omnilink_history::{Budget, read_histories};

use crate::edge_check::{EdgeCheck, Proof};
use crate::level_outcome::Blame;
use crate::reads_from::reads_from;
use crate::transaction::Succession;
use crate::version_order::OrderOutcome;
use crate::writers_of::WritersOf;
use crate::*;

fn transactions(ops: &[String]) -> Transactions {
    let line = format!(r#"{{"ops":[{}]}}"#, ops.join(","));
    let recorded = read_histories("test", line.as_bytes()).next().unwrap().unwrap();
    Transactions::from_recorded(&recorded).unwrap()
}

/// A run of a store in which reads lag behind now and then; more transactions than can be enumerated.
fn lagging(rng: &mut Rng, count: u64, lag: u64) -> Transactions {
    let keys = 2 + rng.u64(..4);
    let mut states = vec![vec![0; keys as usize]];
    let mut next = 0;
    let mut ops = Vec::new();
    for txn in 0..count {
        let (start, end) = (10 * txn, 10 * txn + 10 * rng.u64(..5));
        let now = states.len() - 1;
        let is_behind = rng.u64(..count) < lag;
        let shown = now.saturating_sub(if is_behind { 1 + rng.u64(..2) as usize } else { 0 });
        let mut state = states[now].clone();
        let mut is_written = vec![false; keys as usize];
        for _ in 0..1 + rng.u64(..3) {
            let key = rng.u64(..keys) as usize;
            let head = format!(
                r#"{{"txn":{txn},"thread":{},"start":{start},"end":{end}"#,
                txn % 5
            );
            if rng.u64(..2) == 0 && !is_written[key] {
                let held = states[shown][key];
                let held = if held == 0 {
                    "null".to_owned()
                } else {
                    held.to_string()
                };
                ops.push(format!(r#"{head},"op":"read","args":[{key}],"ret":{held}}}"#));
            } else {
                next += 1;
                is_written[key] = true;
                state[key] = next;
                ops.push(format!(r#"{head},"op":"write","args":[{key},{next}]}}"#));
            }
        }
        states.push(state);
    }
    transactions(&ops)
}

#[test]
fn chains_of_versions_and_a_variable_for_every_choice_decide_the_same() {
    let mut rng = Rng::with_seed(11);
    let mut found = [0, 0];
    for round in 0..400 {
        let count = 10 + rng.u64(..25);
        let transactions = lagging(&mut rng, count, round % 12);
        for isolation in [
            Isolation::new(IsolationFamily::Prefix, IsolationScope::Session),
            Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session),
            Isolation::STRONG_SESSION_SERIALIZABLE,
            Isolation::STRICT_SERIALIZABLE,
        ] {
            let budget = &mut Budget::new(Limits::default());
            let reads = match reads_from(&transactions, &|_, _, _| true, budget) {
                Ok(reads) => reads,
                Err(error) => panic!("{error:?}"),
            };
            assert!(reads.is_determined());
            let mut graph = transactions.empty_graph(isolation);
            base_order::scope(&mut graph, &transactions, &reads, isolation.scope());
            base_order::known_reads(&mut graph, &reads);
            let choices = encoding::decide(&transactions, &reads, &graph, isolation, u64::MAX, budget);
            let chains = match version_chains::add(&mut graph, &transactions, &reads, isolation.family()) {
                Err(cycle) => OrderOutcome::Cycle(cycle),
                Ok(open) => version_order::decide(graph, open, &transactions, u64::MAX, budget).1,
            };
            let is_valid = |decided: &OrderOutcome| matches!(decided, OrderOutcome::Order(_));
            assert_eq!(
                is_valid(&choices.decided),
                is_valid(&chains),
                "{isolation}, round {round}"
            );
            let verdict = transactions.check(isolation, Limits::default()).unwrap();
            assert_eq!(
                verdict.is_valid(),
                is_valid(&chains),
                "{isolation}, round {round}: {verdict:?}"
            );
            found[usize::from(is_valid(&chains))] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 100), "{found:?}");
}

#[test]
fn versions_that_are_known_to_follow_each_other_do() {
    let write =
        |txn: u32, value: u32| format!(r#"{{"txn":{txn},"thread":{txn},"op":"write","args":["x",{value}]}}"#);
    let read = |txn: u32, value: u32| {
        format!(r#"{{"txn":{txn},"thread":"reader","op":"read","args":["x"],"ret":{value}}}"#)
    };
    let mut known = transactions(&[write(1, 1), write(2, 2), read(3, 1), read(4, 2)]);
    let is_valid = |transactions: &Transactions, isolation| {
        transactions
            .check(isolation, Limits::default())
            .unwrap()
            .is_valid()
    };
    assert!(is_valid(&known, Isolation::STRONG_SESSION_SERIALIZABLE));
    let id = |transactions: &Transactions, one: usize| transactions.all[one].writes[0];
    let ((key, one), (_, two)) = (id(&known, 0), id(&known, 1));
    known.successions = vec![Succession {
        key,
        previous: one,
        value: two,
    }];
    assert!(
        is_valid(&known, Isolation::STRONG_SESSION_SERIALIZABLE)
            && is_valid(
                &known,
                Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session)
            )
    );
    // In the other order, the reader would have read an older version after a newer one.
    known.successions = vec![Succession {
        key,
        previous: two,
        value: one,
    }];
    assert!(
        !is_valid(&known, Isolation::STRONG_SESSION_SERIALIZABLE)
            && !is_valid(
                &known,
                Isolation::new(IsolationFamily::Snapshot, IsolationScope::Session)
            )
    );
}

#[test]
fn real_time_edges_order_exactly_the_transactions_that_did_not_overlap() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..300 {
        let ops: Vec<String> = (0..2 + rng.u64(..7))
            .map(|txn| {
                let start = rng.u64(..8);
                let end = match rng.u64(..5) {
                    0 => String::new(),
                    _ => format!(r#","end":{}"#, start + rng.u64(..4)),
                };
                format!(
                    r#"{{"txn":{txn},"thread":{txn},"op":"write","args":["x",{txn}],"start":{start}{end}}}"#
                )
            })
            .collect();
        let transactions = transactions(&ops);
        let count = transactions.all.len();
        let mut graph = Graph::new(count, Wiring::Serial);
        real_time::add(&mut graph, &transactions, &(0..count).collect::<Vec<_>>());
        assert!(graph.nodes() <= 2 * count);
        let order = graph.topological(&[]).unwrap();
        let mut position = vec![0; graph.nodes()];
        order
            .iter()
            .enumerate()
            .for_each(|(place, node)| position[*node as usize] = place as u32);
        let pairs: Vec<(GraphNode, GraphNode)> = (0..count as GraphNode)
            .flat_map(|a| {
                (0..count as GraphNode)
                    .filter(move |b| *b != a)
                    .map(move |b| (a, b))
            })
            .collect();
        let answers = reachability::answer(
            &graph,
            &order,
            &position,
            &pairs,
            &mut Budget::new(Limits::default()),
        );
        for ((a, b), is_before) in pairs.into_iter().zip(answers) {
            let timebox = |one: GraphNode| transactions.all[one as usize].timebox.unwrap();
            assert_eq!(is_before, timebox(a).precedes(&timebox(b)), "{a} {b} {ops:?}");
        }
    }
}

#[test]
fn violations_are_confirmed_by_the_transactions_that_they_name() {
    let mut rng = Rng::with_seed(5);
    let (mut confirmed, mut open) = (0, 0);
    for round in 0..300 {
        let count = 3 + rng.u64(..30);
        let transactions = lagging(&mut rng, count, 1 + round % 12);
        for isolation in Isolation::all() {
            let budget = &mut Budget::new(Limits::default());
            let (conclusion, blame) = transactions.check_within(isolation, budget).unwrap();
            if !matches!(conclusion, Conclusion::Violation(_)) {
                continue;
            }
            match transactions.confirm(isolation, &blame).unwrap() {
                Confirmation::Confirmed { .. } => confirmed += 1,
                Confirmation::NotConfirmed { .. } => open += 1,
            }
        }
    }
    assert!(
        confirmed > 100 && 4 * open < confirmed,
        "{confirmed} confirmed, {open} open"
    );
}

#[test]
fn a_violation_of_what_is_isolated_is_contradicted() {
    let mut rng = Rng::with_seed(6);
    let mut contradicted = 0;
    for _ in 0..50 {
        let transactions = lagging(&mut rng, 20, 0);
        let isolation = Isolation::STRONG_SESSION_SERIALIZABLE;
        let conclusion = transactions.check(isolation, Limits::default()).unwrap();
        assert!(conclusion.is_valid());
        let blame = Blame::of(vec![rng.usize(..20), rng.usize(..20)]);
        match transactions.confirm(isolation, &blame) {
            Err(_) => contradicted += 1,
            Ok(Confirmation::NotConfirmed { .. }) => {}
            Ok(confirmed) => panic!("{confirmed:?}"),
        }
    }
    assert!(contradicted > 0);
}

fn proof(transactions: &Transactions, isolation: Isolation, cycle: &[OrderEdge]) -> Proof {
    EdgeCheck::new(transactions, &WritersOf::new(transactions), isolation).cycle(cycle)
}

#[test]
fn cycles_are_proved_edge_by_edge_or_left_open() {
    let mut rng = Rng::with_seed(8);
    let mut found = [0, 0];
    for round in 0..300 {
        let count = 10 + rng.u64(..40);
        let transactions = lagging(&mut rng, count, 1 + round % 12);
        for isolation in Isolation::all() {
            let budget = &mut Budget::new(Limits::default());
            let (conclusion, blame) = transactions.check_within(isolation, budget).unwrap();
            if matches!(conclusion, Conclusion::Violation(_)) && !blame.cycle.is_empty() {
                let proof = proof(&transactions, isolation, &blame.cycle);
                let is_deduced = |edge: &OrderEdge| {
                    matches!(edge.reason, EdgeReason::OnlyOrder(_) | EdgeReason::Forced { .. })
                };
                if blame.cycle.iter().any(is_deduced) {
                    assert_eq!(proof, Proof::Open, "{:?}", blame.cycle)
                } else {
                    found[usize::from(proof == Proof::Proved)] += 1
                }
            }
        }
    }
    assert!(found[1] > 50 && found[0] < 2 * found[1], "{found:?}");
}

#[test]
fn no_cycle_is_proved_in_an_isolated_history() {
    let mut rng = Rng::with_seed(9);
    for _ in 0..300 {
        let count = 3 + rng.u64(..6);
        let transactions = lagging(&mut rng, count, 0);
        let count = count as usize;
        for isolation in Isolation::all() {
            for _ in 0..400 {
                let length = 2 + rng.usize(..2);
                let nodes: Vec<usize> = (0..length).map(|_| rng.usize(..count)).collect();
                let key = rng.u32(..transactions.key_count() as u32);
                let edge = |at: usize, rng: &mut Rng| OrderEdge {
                    from: Some(nodes[at]),
                    to: Some(nodes[(at + 1) % length]),
                    reason: match rng.u32(..6) {
                        0 => EdgeReason::Session,
                        1 => EdgeReason::RealTime,
                        2 => EdgeReason::ReadFrom(key),
                        3 => EdgeReason::ReadBefore(key),
                        4 => EdgeReason::WroteOver(key),
                        _ => EdgeReason::SeenBy {
                            reader: rng.u32(..count as u32),
                            key,
                        },
                    },
                };
                let cycle: Vec<OrderEdge> = (0..length).map(|at| edge(at, &mut rng)).collect();
                assert_ne!(
                    proof(&transactions, isolation, &cycle),
                    Proof::Proved,
                    "{cycle:?}"
                );
            }
        }
    }
}

#[test]
fn a_minimal_part_is_isolated_without_any_one_of_its_transactions() {
    let mut rng = Rng::with_seed(21);
    let (mut asked, mut found) = (0, 0);
    for round in 0..300 {
        let count = 4 + rng.u64(..20);
        let transactions = lagging(&mut rng, count, 2 + round % 12);
        for isolation in Isolation::all() {
            let budget = &mut Budget::new(Limits::default());
            let (conclusion, blame) = transactions.check_within(isolation, budget).unwrap();
            let Conclusion::Violation(anomaly) = conclusion else {
                continue;
            };
            if matches!(*anomaly, Anomaly::Read(_)) {
                continue;
            }
            asked += 1;
            let Some(part) = transactions.minimal(isolation, &blame, budget).unwrap() else {
                continue;
            };
            let part = part.transactions;
            // As many as can be tried in every order, and in orders within orders.
            if part.all.len() > 5 {
                continue;
            }
            found += 1;
            assert!(!naive::is_isolated(&part, isolation), "{isolation}: {part:?}");
            for left_out in 0..part.all.len() {
                let rest = (0..part.all.len()).filter(|one| *one != left_out);
                let (rest, _) = part.restricted(&rest.map(|one| (one, true)).collect());
                assert!(
                    naive::is_isolated(&rest, isolation),
                    "{isolation}, without {left_out}: {part:?}"
                );
            }
        }
    }
    assert!(asked > 500 && 5 * found > 4 * asked, "{found} of {asked}");
}
