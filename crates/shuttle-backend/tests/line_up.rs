//! Line-Up on a component that was ported to shuttle: no harness, no instrumentation, the same check.
#![cfg(target_os = "linux")]

use omnilink_lineup::{
    Alphabet, Diagnosis, Matrices, Options, Request, Scheduled, ScheduledOptions, Summary, run_campaign,
};
use omnilink_sched::harness::Component;
use omnilink_shuttle::ShuttleExecutor;
use shuttle::sync::Mutex;

struct Bag(Mutex<Vec<i64>>, Look);

/// What `take` does when somebody else holds the lock.
#[derive(Clone, Copy)]
enum Look {
    Waits,
    GivesUp,
}

impl Component for Bag {
    fn call(&self, _thread: u32, op: u32) -> String {
        match (op, self.1) {
            (0, _) => {
                self.0.lock().unwrap().push(1);
                "()".to_owned()
            }
            (_, Look::Waits) => format!("{:?}", self.0.lock().unwrap().pop()),
            (_, Look::GivesUp) => format!("{:?}", self.0.try_lock().ok().and_then(|mut bag| bag.pop())),
        }
    }
}

/// All matrices of two threads with two calls each.
fn lined_up(look: Look) -> (Alphabet, Summary) {
    let alphabet = Alphabet::of_calls(["add(1)", "take()"]).unwrap();
    let executor = ShuttleExecutor::new(2, move || Box::new(Bag(Mutex::new(Vec::new()), look)));
    let options = ScheduledOptions {
        reduction: false,
        ..ScheduledOptions::default()
    };
    let mut scheduled = Scheduled::over(vec![Box::new(executor)], options);
    let request = Request {
        alphabet: &alphabet,
        options: &Options::default(),
        specification: None,
    };
    let matrices = Matrices::Growing { largest: 2 };
    let summary = run_campaign(&mut scheduled, request, &matrices, &mut |_| {}, &mut || {}).unwrap();
    (alphabet, summary)
}

#[test]
fn a_take_that_gives_up_is_found_made_small_and_repeated() {
    let (alphabet, summary) = lined_up(Look::GivesUp);
    let failure = summary.failure.expect("a violation");
    assert_eq!(
        failure.smallest.matrix.len(),
        3,
        "{}",
        failure.smallest.matrix.display(&alphabet)
    );
    assert_eq!(Diagnosis::of(&failure.smallest), Some(Diagnosis::NotLinearizable));
    assert_eq!(failure.is_repeatable, Some(true));
}

#[test]
fn a_take_that_waits_passes() {
    let (_, summary) = lined_up(Look::Waits);
    assert!(summary.failure.is_none() && summary.is_complete);
    assert!(summary.matrices > 10, "{summary:?}");
}
