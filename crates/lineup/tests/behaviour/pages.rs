//! What people read.

use omnilink_evidence::Evidence;
use omnilink_lineup::{CampaignSubject, LineupOptions, Matrices, Matrix};
use omnilink_report::{Look, TextOptions, text};

use crate::campaigns::campaign;
use crate::machines::Machine;
use crate::machines::components::{BlockingQueue, CrashingCell, ManualResetEvent, MoodyBag, RacyCounter};

/// The report up to the figures, which depend on the clock.
fn page<M: Machine>(make: impl Fn(u64) -> M, calls: &[&str], matrix: &str) -> String {
    let alphabet = omnilink_lineup::Alphabet::of_calls(calls.iter().copied()).unwrap();
    let matrices = Matrices::Given(vec![Matrix::parse(matrix, &alphabet).unwrap()]);
    let (summary, alphabet) = campaign(make, calls, &matrices, &LineupOptions::default());
    let subject = CampaignSubject {
        name: "component",
        alphabet: &alphabet,
        specification: None,
        command: "omnilink lineup component",
        matrices: "",
    };
    let evidence = subject.evidence(&summary);
    let options = TextOptions::from(Look::plain());
    let read_back = Evidence::from_json(&evidence.to_json()).unwrap();
    let text = text(&evidence, &options);
    assert_eq!(omnilink_report::text(&read_back, &options), text);
    text.lines()
        .take_while(|line| !line.contains("per second"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_report_of_a_lost_increment_has_table_drawing_reason_and_interleaving() {
    let text = page(
        |_| RacyCounter::default(),
        &["inc()", "get()"],
        "inc(), get() | inc()",
    );
    insta::assert_snapshot!(text, @r#"
        component: not linearizable, whatever its specification

          thread 0     thread 1
          inc() = ok   inc() = ok
          get() = 1

        0  |--inc() = ok--||-✗ get() = 1-|
        1   |-inc() = ok-|

        No serial run explains get() = 1. What came back before can be explained, but then:
          after 0: inc() = ok → 1: inc() = ok
            0: get() = 1: here a serial run has get() = 2
          after 1: inc() = ok → 0: inc() = ok
            0: get() = 1: here a serial run has get() = 2

        The interleaving, with 1 preemption:
          thread 0 calls inc()
            thread 0 is interrupted, thread 1 goes on
          thread 1 calls inc()
          thread 1 gets ok from inc()
            thread 1 stops, thread 0 goes on
          thread 0 gets ok from inc()
          thread 0 calls get()
          thread 0 gets 1 from get()

        To see it again:
          omnilink lineup component --matrix 'inc(), get() | inc()' \
            --schedule '0 1x2 0x2'
        Repeated: the same history again.
        To keep it from coming back, add this line to the component; it is then checked first:
          .regression("inc(), get() | inc()")
        "#);
}

#[test]
fn the_report_of_a_stuck_call_shows_what_serial_runs_do_instead() {
    let calls = &["set()", "reset()", "wait()"];
    let text = page(
        |_| ManualResetEvent::default(),
        calls,
        "wait() | set(), reset(), set()",
    );
    insta::assert_snapshot!(text, @r#"
        component: stuck: a lost wake-up, whatever its specification

          thread 0          thread 1
          wait() is stuck   set() = ok

        0  |-✗ wait() … ··
        1   |-set() = ok-|

        wait() of thread 0 is stuck for ever, and no serial run is stuck in it here:
          after 1: set() = ok
            0: wait() is stuck: here a serial run has wait() = ok

        The interleaving, with 1 preemption:
          thread 0 calls wait()
            thread 0 is interrupted, thread 1 goes on
          thread 1 calls set()
          thread 1 gets ok from set()
            thread 1 stops, thread 0 goes on

        To see it again:
          omnilink lineup component --matrix 'wait() | set()' \
            --schedule '0 1 0x2'
        Repeated: the same history again.
        Found in wait() | set(), reset(), set(); no call can be left out of what is left of it.
        To keep it from coming back, add this line to the component; it is then checked first:
          .regression("wait() | set()")
        "#);
}

#[test]
fn a_crash_is_reported_as_the_result_of_its_call() {
    let text = page(|_| CrashingCell::default(), &["take()"], "take() | take()");
    insta::assert_snapshot!(text, @r#"
        component: crashes, whatever its specification

          thread 0                  thread 1
          take() crashes: SIGSEGV   take() = full

        0  |-✗ take() … ·····
        1   |-take() = full-|

        No serial run crashes in take():
          after 1: take() = full
            0: take() crashes (SIGSEGV): here a serial run has take() = empty

        The interleaving, with 1 preemption:
          thread 0 calls take()
            thread 0 is interrupted, thread 1 goes on
          thread 1 calls take()
          thread 1 gets full from take()
            thread 1 stops, thread 0 goes on

        To see it again:
          omnilink lineup component --matrix 'take() | take()' \
            --schedule '0 1x2 0'
        Repeated: the same history again.
        To keep it from coming back, add this line to the component; it is then checked first:
          .regression("take() | take()")
        "#);
}

#[test]
fn nondeterminism_is_reported_with_two_histories() {
    let text = page(
        MoodyBag::new,
        &["add(1)", "add(2)", "take()"],
        "add(1), add(2), take()",
    );
    insta::assert_snapshot!(text, @r"
        component: nondeterministic, even in serial runs
          Two serial runs of add(1), add(2), take() are alike up to take(), and then are not. So there is no
          deterministic specification that the component could be checked against.
            0: add(1) = ok → 0: add(2) = ok → 0: take() = 1
            0: add(1) = ok → 0: add(2) = ok → 0: take() = 2
        ");
}

#[test]
fn the_report_of_a_correct_component_shows_the_coverage() {
    let text = page(
        |_| BlockingQueue::default(),
        &["push(1)", "pop()"],
        "pop() | push(1) | pop()",
    );
    insta::assert_snapshot!(text, @r"
        component: no violation, 1 matrix
          Each of 14 concurrent histories is explained by a serial run. These are all runs with at most 2
          preemptions.
          4 serial histories end in a call that is stuck: blocking is taken to be meant. If no call may ever
          block, say so (--no-blocking).
        ");
}
