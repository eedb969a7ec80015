//! Every way in which a run can end is a result, and the campaign goes on.

use std::time::Duration;

use omnilink_campaign::{Campaign, CampaignError, CampaignOptions, Store};

use crate::toy::Toy;

fn findings(toy: &Toy, options: CampaignOptions) -> Vec<(String, String)> {
    let runs = toy.run(options);
    let finding = |word: &Option<String>| word.clone().unwrap_or_else(|| "-".to_owned());
    runs.iter()
        .map(|run| (run.record.verdict.to_string(), finding(&run.record.finding)))
        .collect()
}

#[test]
fn a_violation_a_crash_a_wrong_exit_code_and_a_missing_trace() {
    let toy = Toy::new(
        r#"case $OMNILINK_RUN in
             0) echo ok > $OMNILINK_TRACE;;
             1) echo "bad lost update of key 7" > $OMNILINK_TRACE;;
             2) echo ok > $OMNILINK_TRACE; echo "assertion failed" >&2; kill -SEGV $$;;
             3) echo ok > $OMNILINK_TRACE; echo "cannot bind" >&2; exit 5;;
             4) true;;
             5) echo "bad lost update of key 8" > $OMNILINK_TRACE; exit 1;;
             6) echo ok > $OMNILINK_TRACE; echo "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1" >&2; exit 1;;
             7) echo ok > $OMNILINK_TRACE; echo "omnilink: deadlock" >&2; exit 86;;
           esac"#,
    );
    let options = CampaignOptions {
        runs: Some(8),
        ..toy.options()
    };
    let expected = [
        ("valid", "-"),
        ("violation", "violation"),
        ("valid", "crash"),
        ("valid", "error"),
        ("error", "error"),
        ("violation", "violation"),
        ("valid", "sanitizer"),
        ("valid", "hang"),
    ];
    assert_eq!(
        findings(&toy, options),
        expected.map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    let groups = toy.store().findings(None).unwrap();
    let lost: Vec<_> = groups
        .iter()
        .filter(|group| group.signature.contains("lost update"))
        .collect();
    assert_eq!(lost.len(), 1, "one cause: {groups:?}");
    assert_eq!(
        (lost[0].runs, lost[0].headline.as_str()),
        (2, "a line is bad: lost update of key 7")
    );
}

#[test]
fn a_hung_run_is_ended_with_everything_that_it_has_started() {
    let toy = Toy::new("echo started > $OMNILINK_TRACE; sleep 1000 & echo $! > pid; wait");
    let options = CampaignOptions {
        runs: Some(1),
        run_time_limit: Duration::from_millis(300),
        ..toy.options()
    };
    let runs = toy.run(options);
    assert_eq!(runs[0].record.finding.as_deref(), Some("hang"));
    assert_eq!(runs[0].record.ending, "hung after 0.3 s");
    assert_eq!(runs[0].record.ops, 1, "what was recorded is checked");
    let stacks = toy.store().files(runs[0].record.id, Some("stacks")).unwrap();
    assert!(!stacks[0].bytes.is_empty());
    let sleeper = std::fs::read_to_string(toy.path("pid")).unwrap();
    let is_gone = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", sleeper.trim()));
        status.map_or(true, |status| status.contains(") Z "))
    };
    for _ in 0..500 {
        if is_gone() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the child of the harness is still there");
}

#[test]
fn output_without_end_is_cut_and_garbage_does_no_harm() {
    let toy =
        Toy::new("echo ok > $OMNILINK_TRACE; head -c 3000000 /dev/urandom; head -c 3000000 /dev/urandom >&2");
    let options = CampaignOptions {
        runs: Some(2),
        ..toy.options()
    };
    let runs = toy.run(options);
    assert!(runs.iter().all(|run| run.record.finding.is_none()));
    let kept = toy.store().files(runs[0].record.id, Some("output")).unwrap();
    assert!(kept.iter().all(|file| file.bytes.len() < 100_000));
    assert_eq!(kept.len(), 2);
}

#[test]
fn a_harness_that_cannot_be_started_is_an_error_and_nothing_is_stored() {
    let toy = Toy::new("true");
    let options = CampaignOptions {
        command: vec!["./no-such-harness".into()],
        ..toy.options()
    };
    let campaign = Campaign::start(options, toy.store()).unwrap();
    let error = campaign.run(&crate::toy::check, &|| false, &|_| ()).unwrap_err();
    assert!(matches!(error, CampaignError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no-such-harness"));
    let store = Store::open(&toy.path("runs.db")).unwrap();
    assert_eq!(store.totals(None).unwrap().runs, 0);
}

#[test]
fn a_pipe_for_a_trace_is_an_error_and_nobody_waits_for_it() {
    for (body, name) in [
        ("mkfifo $OMNILINK_TRACE", "trace"),
        (
            "mkdir -p $OMNILINK_TRACE/object-0; mkfifo $OMNILINK_TRACE/object-0/0.ndjson",
            "trace/object-0/0.ndjson",
        ),
        (
            "mkdir $OMNILINK_TRACE; ln -s /dev/zero $OMNILINK_TRACE/0.ndjson",
            "trace/0.ndjson",
        ),
    ] {
        let toy = Toy::new(body);
        let runs = toy.run(CampaignOptions {
            runs: Some(1),
            ..toy.options()
        });
        let record = &runs[0].record;
        assert_eq!(
            (record.verdict.word(), record.finding.as_deref()),
            ("error", Some("error"))
        );
        let headline = record.headline.as_deref().unwrap_or_default();
        assert!(
            headline.starts_with(&format!("{name} is neither a file nor a folder")),
            "{headline}"
        );
    }
}
