//! Counters, banks and sets as transactions.

use fastrand::Rng;
use omnilink_engine::Limits;
use omnilink_evidence::Verdict;
use omnilink_isolation::{
    Isolation, IsolationScope, RecordedHistory, check_recorded_transactions, check_transactions,
    infer_recorded_transactions,
};
use omnilink_trace::{Args, OpenOptions, Operation, Timebox, Trace};
use omnilink_value::Value;

fn jepsen(events: &str) -> RecordedHistory {
    let reader = std::io::Cursor::new(events.to_owned().into_bytes());
    let trace = Trace::from_reader("history.edn", reader, &OpenOptions::default()).unwrap();
    RecordedHistory::from_operations("history.edn", trace.collect::<Result<_, _>>().unwrap()).unwrap()
}

fn verdict(recorded: &RecordedHistory, level: &str) -> Verdict {
    let level = level.parse::<Isolation>().unwrap();
    let evidence = check_recorded_transactions(recorded, level, Limits::default()).unwrap();
    evidence.verdict
}

fn anomalies(recorded: &RecordedHistory) -> Vec<String> {
    let evidence = infer_recorded_transactions(recorded, Limits::default()).unwrap();
    let found = evidence.isolation.unwrap().anomalies;
    found.into_iter().map(|anomaly| anomaly.name).collect()
}

/// A made-up transaction on one or two counters: amounts that it adds, sums that it read.
#[derive(Clone, Debug)]
struct Made {
    session: i64,
    span: (i64, i64),
    is_aborted: bool,
    is_cut_off: bool,
    /// Counter, amount, whether it is a read.
    steps: Vec<(usize, i64, bool)>,
}

fn operation(made: &Made) -> Operation {
    let access = |(counter, amount, is_read): &(usize, i64, bool)| {
        let name = if *is_read { "r" } else { "inc" };
        let shown = if *is_read && made.is_cut_off {
            Value::null()
        } else {
            Value::int(*amount)
        };
        Value::tuple([Value::from(name), Value::int(*counter as i64), shown])
    };
    let accesses = Value::tuple(made.steps.iter().map(access));
    let timebox = Timebox {
        start: made.span.0,
        end: (!made.is_cut_off).then_some(made.span.1),
    };
    let args = Args::named([("value", accesses.clone())]);
    let mut op = Operation::new(made.session, "txn", args, timebox);
    let call = std::sync::Arc::make_mut(&mut op.call);
    call.ret = (!made.is_cut_off).then_some(accesses);
    call.aborted = made.is_aborted;
    op
}

/// Whether some serial order explains every read, by trying all of them.
fn is_serial(made: &[Made], scope: IsolationScope, order: &mut Vec<usize>) -> bool {
    let is_left = |one: &usize| !order.contains(one) && !made[*one].is_aborted;
    let left: Vec<usize> = (0..made.len()).filter(is_left).collect();
    if left.iter().all(|one| made[*one].is_cut_off) {
        return true;
    }
    left.iter().any(|one| {
        let comes_first = |other: &usize| {
            let (other, own) = (&made[*other], &made[*one]);
            let in_session = other.session == own.session && other.span.0 < own.span.0;
            let in_time = other.span.1 < own.span.0;
            !other.is_cut_off
                && (scope >= IsolationScope::Session && in_session
                    || scope >= IsolationScope::RealTime && in_time)
        };
        if left.iter().any(|other| other != one && comes_first(other)) {
            return false;
        }
        let mut held = [0; 2];
        for (counter, amount, _) in order
            .iter()
            .flat_map(|one| &made[*one].steps)
            .filter(|step| !step.2)
        {
            held[*counter] += amount;
        }
        for (counter, amount, is_read) in &made[*one].steps {
            match is_read {
                true if held[*counter] != *amount && !made[*one].is_cut_off => return false,
                true => {}
                false => held[*counter] += amount,
            }
        }
        order.push(*one);
        let is_found = is_serial(made, scope, order);
        order.pop();
        is_found
    })
}

fn run(rng: &mut Rng) -> Vec<Made> {
    let counters = 1 + rng.usize(..2);
    let mut free = [0; 3];
    let mut states = vec![[0_i64; 2]];
    let mut made = Vec::new();
    for at in 0..2 + rng.i64(0..4) {
        let session = rng.i64(0..3);
        let start = free[session as usize].max(3 * at - rng.i64(0..5)).max(0);
        let end = start + rng.i64(0..6);
        free[session as usize] = end + 1;
        let mut held = states[states.len() - 1 - rng.usize(..states.len().min(2))];
        let mut change = [0; 2];
        let mut steps = Vec::new();
        for _ in 0..1 + rng.usize(..2) {
            let counter = rng.usize(..counters);
            if rng.bool() {
                steps.push((counter, held[counter] + i64::from(rng.usize(..12) == 0), true))
            } else {
                let amount = [1, 1, 2, -1][rng.usize(..4)];
                held[counter] += amount;
                change[counter] += amount;
                steps.push((counter, amount, false));
            }
        }
        let is_aborted = rng.usize(..10) == 0;
        if !is_aborted {
            let last = states[states.len() - 1];
            states.push([last[0] + change[0], last[1] + change[1]]);
        }
        made.push(Made {
            session,
            span: (start, end),
            is_aborted,
            is_cut_off: !is_aborted && rng.usize(..10) == 0,
            steps,
        });
    }
    made
}

#[test]
fn counters_agree_with_all_serial_orders() {
    let more = std::env::var("OMNILINK_ROUNDS")
        .ok()
        .and_then(|more| more.parse().ok());
    let mut rng = Rng::with_seed(38);
    let mut found = [0; 2];
    let mut unknown = 0;
    for _ in 0..1_500 * more.unwrap_or(1) {
        let made = run(&mut rng);
        if made
            .iter()
            .flat_map(|one| &one.steps)
            .all(|(_, _, is_read)| *is_read)
        {
            // Nothing says that these are counters.
            continue;
        }
        let steps = || made.iter().flat_map(|one| &one.steps);
        let is_changed = |counter: usize| steps().any(|(other, _, is_read)| *other == counter && !is_read);
        if steps().any(|(counter, _, _)| !is_changed(*counter)) {
            // What nobody changes holds what is read first.
            continue;
        }
        let ops = made.iter().map(operation).collect();
        let recorded = RecordedHistory::from_operations("made", ops).unwrap();
        for level in [
            "serializable",
            "strong-session-serializable",
            "strict-serializable",
        ] {
            let level = level.parse::<Isolation>().unwrap();
            let checked = check_transactions(&recorded, level, Limits::default()).unwrap();
            let expected = is_serial(&made, level.scope(), &mut Vec::new());
            if checked.verdict() == Verdict::Unknown {
                // More than 256 choices.
                unknown += 1;
                continue;
            }
            assert_eq!(checked.is_valid(), expected, "{level}: {checked:?} {made:#?}");
            found[usize::from(expected)] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 300), "{found:?}");
    assert!(100 * unknown < found[0] + found[1], "{unknown} of {found:?}");
}

#[test]
fn a_read_of_a_counter_that_misses_what_was_over_is_found_in_real_time() {
    let history = jepsen(
        "{:type :invoke, :f :add, :value 1, :process 0}\n{:type :ok, :f :add, :value 1, :process 0}
         {:type :invoke, :f :add, :value 1, :process 1}\n{:type :ok, :f :add, :value 1, :process 1}
         {:type :invoke, :f :read, :value nil, :process 2}\n{:type :ok, :f :read, :value 1, :process 2}",
    );
    assert_eq!(verdict(&history, "serializable"), Verdict::Valid);
    assert_eq!(verdict(&history, "strict-serializable"), Verdict::Violation);
}

#[test]
fn a_sum_that_no_increments_have_is_read_from_nobody() {
    let history = jepsen(
        "{:type :invoke, :f :txn, :value [[:inc :x 2]], :process 0}\n{:type :ok, :f :txn, :value [[:inc :x 2]], :process 0}
         {:type :invoke, :f :txn, :value [[:r :x nil]], :process 1}\n{:type :ok, :f :txn, :value [[:r :x 3]], :process 1}",
    );
    assert_eq!(verdict(&history, "read-committed"), Verdict::Violation);
    assert_eq!(anomalies(&history), ["garbage-read"]);
}

#[test]
fn a_counter_that_is_also_written_is_refused() {
    for (accesses, words) in [
        ("[[:inc :x 2] [:w :x 1]]", "written as well as added to"),
        ("[[:inc :x 2] [:r :x [1]]]", "is no number"),
        ("[[:inc :x :y]]", "expected a list of"),
    ] {
        let history = jepsen(&format!(
            "{{:type :invoke, :f :txn, :value {accesses}, :process 0}}\n{{:type :ok, :f :txn, :value {accesses}, :process 0}}"
        ));
        let checked = check_transactions(&history, Isolation::SERIALIZABLE, Limits::default());
        let error = checked.unwrap_err().to_string();
        assert!(
            error.contains(words) && error.starts_with("history.edn:1"),
            "{error}"
        );
    }
}

#[test]
fn powers_of_two_tell_which_increments_were_seen() {
    let history = jepsen(
        "{:type :invoke, :f :txn, :value [[:inc :x 1] [:inc :y 1]], :process 0}\n{:type :ok, :f :txn, :value [[:inc :x 1] [:inc :y 1]], :process 0}
         {:type :invoke, :f :txn, :value [[:inc :x 2] [:inc :y 2]], :process 1}\n{:type :ok, :f :txn, :value [[:inc :x 2] [:inc :y 2]], :process 1}
         {:type :invoke, :f :txn, :value [[:r :x nil] [:r :y nil]], :process 2}\n{:type :ok, :f :txn, :value [[:r :x 1] [:r :y 2]], :process 2}",
    );
    assert!(
        anomalies(&history).contains(&"fractured-read".to_owned()),
        "{:?}",
        anomalies(&history)
    );
    assert_eq!(verdict(&history, "read-committed"), Verdict::Valid);
    assert_eq!(verdict(&history, "read-atomic"), Verdict::Violation);
}

const BANK: &str =
    "{:type :invoke, :f :read, :process 0}\n{:type :ok, :f :read, :value {0 10, 1 10}, :process 0}
    {:type :invoke, :f :transfer, :value {:from 0, :to 1, :amount 3}, :process 1}
    {:type :info, :f :start-partition, :process :nemesis}
    {:type :invoke, :f :transfer, :value {:from 1, :to 0, :amount 3}, :process 2}
    {:type :ok, :f :transfer, :value {:from 1, :to 0, :amount 3}, :process 2}
    {:type :ok, :f :transfer, :value {:from 0, :to 1, :amount 3}, :process 1}
    {:type :invoke, :f :transfer, :value {:from 1, :to 0, :amount 5}, :process 2}
    {:type :fail, :f :transfer, :value {:from 1, :to 0, :amount 5}, :process 2}
    {:type :invoke, :f :read, :process 0}\n";

#[test]
fn balances_are_what_transfers_left() {
    let with = |shown: &str| {
        jepsen(&format!(
            "{BANK}{{:type :ok, :f :read, :value {{{shown}}}, :process 0}}"
        ))
    };
    let valid = with("0 10, 1 10");
    assert_eq!(verdict(&valid, "strict-serializable"), Verdict::Valid);
    let stale = with("0 7, 1 13");
    assert_eq!(verdict(&stale, "snapshot-isolation"), Verdict::Valid);
    assert_eq!(verdict(&stale, "strict-serializable"), Verdict::Violation);
    let torn = with("0 7, 1 10");
    assert_eq!(verdict(&torn, "read-committed"), Verdict::Valid);
    assert_eq!(verdict(&torn, "read-atomic"), Verdict::Violation);
    assert_eq!(verdict(&torn, "snapshot-isolation"), Verdict::Violation);
    assert!(anomalies(&torn).contains(&"fractured-read".to_owned()));
    let aborted = with("0 15, 1 5");
    assert_eq!(
        verdict(&aborted, "read-committed"),
        Verdict::Violation,
        "nothing adds up to that"
    );
}

#[test]
fn a_total_that_changes_is_no_snapshot_however_many_transfers_there_are() {
    let mut events = String::from(
        "{:type :invoke, :f :read, :process 0}\n{:type :ok, :f :read, :value {0 100, 1 100}, :process 0}\n",
    );
    for at in 0..60 {
        let (from, to) = (at % 2, 1 - at % 2);
        let transfer = format!(
            ":f :transfer, :value {{:from {from}, :to {to}, :amount 1}}, :process {}",
            at % 5
        );
        events += &format!("{{:type :invoke, {transfer}}}\n{{:type :ok, {transfer}}}\n");
    }
    events += "{:type :invoke, :f :read, :process 0}\n";
    let torn = jepsen(&format!(
        "{events}{{:type :ok, :f :read, :value {{0 100, 1 99}}, :process 0}}"
    ));
    assert_eq!(verdict(&torn, "snapshot-isolation"), Verdict::Violation);
    assert_ne!(verdict(&torn, "read-committed"), Verdict::Violation);
    let valid = jepsen(&format!(
        "{events}{{:type :ok, :f :read, :value {{0 100, 1 100}}, :process 0}}"
    ));
    assert_eq!(verdict(&valid, "strict-serializable"), Verdict::Valid);
}

#[test]
fn many_increments_by_one_are_explained_by_a_serial_order() {
    let mut events = String::new();
    for at in 0..300 {
        let process = at % 7;
        events += &format!(
            "{{:type :invoke, :f :add, :value 1, :process {process}}}\n{{:type :ok, :f :add, :value 1, :process {process}}}\n"
        );
        if at % 3 == 0 {
            events += &format!(
                "{{:type :invoke, :f :read, :process 8}}\n{{:type :ok, :f :read, :value {}, :process 8}}\n",
                at + 1
            );
        }
    }
    assert_eq!(verdict(&jepsen(&events), "strict-serializable"), Verdict::Valid);
    let behind = format!(
        "{events}{{:type :invoke, :f :read, :process 8}}\n{{:type :ok, :f :read, :value 7, :process 8}}\n"
    );
    assert_eq!(
        verdict(&jepsen(&behind), "strict-serializable"),
        Verdict::Unknown,
        "one guess is no proof"
    );
}

#[test]
fn a_set_without_keys_is_one_set() {
    let with = |shown: &str| {
        jepsen(&format!(
            "{{:type :invoke, :f :add, :value 0, :process 0}}\n{{:type :ok, :f :add, :value 0, :process 0}}
             {{:type :invoke, :f :add, :value 1, :process 0}}\n{{:type :ok, :f :add, :value 1, :process 0}}
             {{:type :invoke, :f :read, :value nil, :process 1}}\n{{:type :ok, :f :read, :value {shown}, :process 1}}"
        ))
    };
    assert_eq!(verdict(&with("[0 1]"), "strict-serializable"), Verdict::Valid);
    assert_eq!(
        verdict(&with("#{0}"), "strong-session-serializable"),
        Verdict::Valid
    );
    assert_eq!(verdict(&with("#{0}"), "strict-serializable"), Verdict::Violation);
    assert_eq!(verdict(&with("#{1}"), "serializable"), Verdict::Valid);
    assert_eq!(verdict(&with("#{1}"), "causal"), Verdict::Violation);
    assert_eq!(verdict(&with("#{1 7}"), "read-committed"), Verdict::Violation);
}
