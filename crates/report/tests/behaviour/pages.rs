//! Whole pages, as a reader sees them. Each history is a picture: `thread op start..end`.

use omnilink_engine::{
    Conclusion, Footprint, Limits, Model, Options, Outcomes, Strategy, TimedOp, check, minimize,
};
use omnilink_evidence::{Command, Confirmation, Evidence, Figures, Subject, ThreadNames, Verdict, Violation};
use omnilink_report::{Look, TextOptions, text};
use omnilink_trace::Timebox;

struct Register;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Op {
    Write(i64),
    Read(i64),
}

impl Model for Register {
    type State = i64;
    type Op = Op;

    fn initial(&self) -> Vec<i64> {
        vec![0]
    }

    fn step(&self, state: &i64, op: &Op, outcomes: &mut Outcomes<i64>) {
        match op {
            Op::Write(value) => outcomes.accept(*value),
            Op::Read(value) if value == state => outcomes.accept(*state),
            Op::Read(value) => outcomes.refuse(|| format!("read {value}, but the register holds {state}")),
        }
    }

    fn is_pure(&self, op: &Op) -> bool {
        matches!(op, Op::Read(_))
    }

    fn footprint(&self, _: &Op) -> Footprint {
        Footprint::everything()
    }

    fn describe_op(&self, op: &Op) -> String {
        match op {
            Op::Write(value) => format!("write({value})"),
            Op::Read(value) => format!("read() = {value}"),
        }
    }
}

fn history(picture: &str) -> Vec<TimedOp<Op>> {
    let line = |line: &str| {
        let [thread, name, value, times] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("`thread name value start..end`, not {line:?}")
        };
        let (start, end) = times.split_once("..").unwrap();
        let start = start.parse().unwrap();
        let timebox = end
            .parse()
            .map_or(Timebox::pending(start), |end| Timebox::new(start, end));
        let value = value.parse().unwrap();
        let op = if name == "write" {
            Op::Write(value)
        } else {
            Op::Read(value)
        };
        TimedOp::new(thread.parse().unwrap(), op, timebox)
    };
    picture
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(line)
        .collect()
}

fn report(picture: &str, options: Options) -> Evidence {
    let mut outcome = check(&Register, history(picture), options).unwrap();
    // What the search cost is the engine's affair: these pages stay as they are when it gets better.
    outcome.figures.configurations = 1_234;
    outcome.figures.model_steps = 567;
    outcome.figures.frontier_max = 8;
    outcome.figures.frontier_sum = 3;
    outcome.figures.returns = 2;
    let mut evidence = empty();
    evidence.figures = Figures {
        seconds: 0.0123,
        peak_bytes: Some(5_600_000),
        threads: Some(5),
        ..Figures::from(&outcome)
    };
    match outcome.conclusion {
        Conclusion::Valid(_) => {}
        Conclusion::Violation(counterexample) => evidence.violate(Violation::Operation(counterexample)),
        Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
    }
    located(evidence)
}

fn empty() -> Evidence {
    let mut evidence = Evidence::new(Command::Check, Subject::Operations, "register.ndjson");
    evidence.model = Some("register".to_owned());
    evidence.consistency = Some("linearizable".to_owned());
    evidence
}

fn located(mut evidence: Evidence) -> Evidence {
    evidence.visit_operations(&mut |op| op.place = Some(format!("register.ndjson:{}", op.id + 1)));
    ThreadNames::from(["0", "1", "2", "3", "4"]).apply_to(&mut evidence);
    evidence
}

fn page(evidence: &Evidence, look: Look) -> String {
    let page = text(evidence, &TextOptions::from(look));
    let read_back = Evidence::from_json(&evidence.to_json()).unwrap();
    assert_eq!(&read_back, evidence);
    assert_eq!(
        text(&read_back, &TextOptions::from(look)),
        page,
        "evidence that was read back gives the same page"
    );
    page
}

const STALE_READ: &str = "
    0 write 1 0..10
    1 write 2 5..15
    2 write 3 12..?
    0 read 2 20..30
    1 read 1 32..40
    2 write 9 41..50";

#[test]
fn a_violation_says_what_happened_draws_it_and_tells_why() {
    let report = report(STALE_READ, Options::default());
    assert_eq!(report.verdict, Verdict::Violation);
    insta::assert_snapshot!(page(&report, Look::plain()));
}

#[test]
fn the_same_page_in_ascii_on_a_narrow_terminal() {
    let look = Look {
        width: 60,
        ascii: true,
        color: false,
    };
    let page = page(&report(STALE_READ, Options::default()), look);
    assert!(
        page.is_ascii() && page.lines().all(|line| line.len() <= 60),
        "{page}"
    );
    insta::assert_snapshot!(page);
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let report = report(STALE_READ, Options::default());
    let look = Look {
        color: true,
        ..Look::plain()
    };
    let colored = page(&report, look);
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some((text, tail)) = rest.split_once('\u{1b}') {
        plain.push_str(text);
        rest = tail.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_ne!(plain, colored);
    assert_eq!(plain, page(&report, Look::plain()));
}

#[test]
fn a_long_history_is_drawn_around_the_violation() {
    let mut picture = String::new();
    for i in 0..1_000 {
        picture.push_str(&format!("{} write {i} {}..{}\n", i % 3, i * 10, i * 10 + 8));
    }
    picture.push_str("3 read 5 9991..9995\n4 write 7 9992..10020");
    let page = page(&report(&picture, Options::default()), Look::plain());
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    insta::assert_snapshot!(page);
}

#[test]
fn many_alternatives_are_grouped_and_capped() {
    let mut picture = String::new();
    for thread in 0..8 {
        picture.push_str(&format!("{thread} write {thread} 0..{}\n", 10 + thread));
    }
    picture.push_str("9 read 77 20..30");
    insta::assert_snapshot!(page(&report(&picture, Options::default()), Look::plain()));
}

#[test]
fn a_minimal_history_takes_the_place_of_the_window() {
    let mut picture = String::new();
    for i in 0..100 {
        picture.push_str(&format!("{} write {i} {}..{}\n", i % 3, i * 10, i * 10 + 8));
    }
    picture.push_str(
        "3 write 500 1000..1010\n4 write 501 1020..1030\n2 read 500 1040..1050\n1 read 501 1041..1090",
    );
    let mut report = report(&picture, Options::default());
    let minimal = minimize(&Register, history(&picture), Options::default())
        .unwrap()
        .unwrap();
    let minimal = minimal.shown(|op| Register.describe_op(op));
    assert!(minimal.operations.len() < 5 && minimal.confirmed == Some(true));
    report.minimal = Some(Box::new(minimal));
    let report = located(report);
    insta::assert_snapshot!(page(&report, Look::plain()));
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    let last = &json["minimal"]["ops"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], json["minimal"]["violation"]["op"]["id"]);
    assert_eq!(last["place"], "register.ndjson:103");
}

#[test]
fn a_valid_history_takes_one_line() {
    let valid = page(
        &report("0 write 1 0..10\n1 read 1 5..15", Options::default()),
        Look::plain(),
    );
    insta::assert_snapshot!(valid);
    let empty = page(&report("", Options::default()), Look::plain());
    insta::assert_snapshot!(empty);
}

#[test]
fn an_unknown_answer_says_how_far_it_got_and_what_to_try() {
    let mut picture = String::from("9 write 99 0..?\n");
    for thread in 0..8 {
        picture.push_str(&format!("{thread} write {thread} {thread}..{}\n", 100 + thread));
    }
    picture.push_str("8 read 3 200..210");
    let limits = Limits {
        configurations: Some(10),
        ..Limits::default()
    };
    let options = Options {
        limits,
        strategy: Strategy::Sweep,
        ..Options::default()
    };
    let report = report(&picture, options);
    assert_eq!(report.verdict, Verdict::Unknown);
    insta::assert_snapshot!(page(&report, Look::plain()));
    insta::assert_snapshot!(report.to_json());
}

#[test]
fn an_input_that_cannot_be_checked_says_why() {
    let mut report = empty();
    report.figures.ops = 2;
    report.fail("register.ndjson:3: the field \"start\" is missing; expected an integer".to_owned());
    assert_eq!(report.verdict, Verdict::Error);
    insta::assert_snapshot!(page(&report, Look::plain()));
    insta::assert_snapshot!(report.to_json());
}

#[test]
fn json_carries_the_verdict_the_figures_and_the_evidence() {
    let json = report(STALE_READ, Options::default()).to_json();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["verdict"], "violation");
    assert_eq!(value["violation"]["op"]["place"], "register.ndjson:5");
    assert_eq!(value["violation"]["op"]["thread"], "1");
    insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn a_violation_says_whether_a_second_search_agrees() {
    let mut evidence = report(STALE_READ, Options::default());
    let last_line = |evidence: &Evidence| page(evidence, Look::plain()).lines().last().unwrap().to_owned();
    evidence.confirmation = Some(Confirmation::Confirmed {
        search: "a search without reductions".to_owned(),
        configurations: 1_234,
    });
    assert_eq!(
        last_line(&evidence),
        "confirmed by a search without reductions (1,234 configurations)"
    );
    evidence.confirmation = Some(Confirmation::NotConfirmed {
        reason: "the time limit was reached".to_owned(),
    });
    assert_eq!(last_line(&evidence), "not confirmed: the time limit was reached");
}
