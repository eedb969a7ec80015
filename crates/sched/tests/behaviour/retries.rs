//! A thread that waits by reading goes on although nothing has changed, as often as the search is allowed to let it.

use crate::support::{pool, program};
use omnilink_sched::{
    Ending, Execution, ExplorationStrategy, ExploreOptions, HarnessEventKind, StopReason, explore,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The results of the calls of all columns in one execution.
type Results = Vec<String>;

fn results(
    columns: &str,
    preemptions_max: Option<u32>,
    spins_max: u32,
    reduction: bool,
) -> BTreeSet<Results> {
    let mut found = BTreeSet::new();
    let options = ExploreOptions {
        spins_max,
        ..Default::default()
    };
    let strategy = ExplorationStrategy::Bounded {
        preemptions_max,
        reduction,
    };
    let mut visit = |execution: &Execution| {
        assert_eq!(execution.ending, Ending::Finished);
        assert!(execution.spins() <= spins_max);
        let mut returned: Vec<_> = execution
            .events
            .iter()
            .filter_map(|event| match &event.kind {
                HarnessEventKind::Return(result) => Some((event.thread, event.position, result.clone())),
                HarnessEventKind::Call => None,
            })
            .collect();
        returned.sort();
        found.insert(returned.into_iter().map(|(_, _, result)| result).collect());
        ControlFlow::Continue(())
    };
    let explored = explore(
        &mut pool("retry", 1),
        &program(columns),
        strategy,
        &options,
        &mut visit,
    )
    .expect("the harness answers");
    assert_eq!((explored.stopped, explored.diverged), (StopReason::Exhausted, 0));
    found
}

/// A thread of the model: its call, and what it has read so far.
#[derive(Clone)]
struct Thread {
    op: char,
    step: usize,
    read: Vec<i64>,
    result: Option<String>,
}

/// Takes the next step of a thread as the component `retry` would: without spinning, yields or any rule about them.
fn step(thread: &mut Thread, memory: &mut [i64; 2]) {
    let at = thread.step;
    thread.step += 1;
    let done = match thread.op {
        '0' if at < 5 && memory[0] != 0 => Some((at == 0).to_string()),
        '0' if at < 5 => None,
        '0' => {
            memory[1] += 1;
            Some("\"late\"".to_owned())
        }
        '1' => Some(std::mem::replace(&mut memory[0], 1).to_string()),
        '2' => {
            thread.read.push(memory[[1, 0, 1][at]]);
            let read = &thread.read;
            (at == 2).then(|| format!("({}, {}, {})", read[0], read[1], read[2]))
        }
        _ => unreachable!("the model has no such call"),
    };
    thread.result = done.map(|text| text.trim_matches('"').to_owned());
}

fn naive(threads: &[Thread], memory: [i64; 2], found: &mut BTreeSet<Results>) {
    let mut is_done = true;
    for index in 0..threads.len() {
        if threads[index].result.is_none() {
            is_done = false;
            let (mut threads, mut memory) = (threads.to_vec(), memory);
            step(&mut threads[index], &mut memory);
            naive(&threads, memory, found);
        }
    }
    if is_done {
        found.insert(
            threads
                .iter()
                .filter_map(|thread| thread.result.clone())
                .collect(),
        );
    }
}

/// Without a bound on preemptions, and with one spin for each call that can wait, nothing is missing that any schedule shows.
#[test]
fn the_results_of_all_schedules_are_those_of_a_model_without_any_rule_about_waiting() {
    for columns in ["0 1", "0 2", "0 0", "0 1 2", "0 0 2"] {
        let threads: Vec<Thread> = columns
            .split(' ')
            .map(|op| Thread {
                op: op.chars().next().unwrap(),
                step: 0,
                read: Vec::new(),
                result: None,
            })
            .collect();
        let mut expected = BTreeSet::new();
        naive(&threads, [0; 2], &mut expected);
        let waits = columns.matches('0').count() as u32;
        assert_eq!(results(columns, None, waits, true), expected, "{columns}");
    }
}

#[test]
fn a_spin_is_needed_for_what_comes_after_the_loop_while_others_run() {
    let torn = vec!["late".to_owned(), "(0, 0, 1)".to_owned()];
    assert!(!results("0 2", Some(2), 0, true).contains(&torn));
    assert!(results("0 2", Some(2), 1, true).contains(&torn));
    let torn = vec!["late".to_owned(), "(0, 0, 7)".to_owned()];
    assert!(!results("3 2", Some(2), 0, true).contains(&torn));
    assert!(results("3 2", Some(2), 1, true).contains(&torn));
}
