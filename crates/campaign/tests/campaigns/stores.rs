//! What is stored comes back, merges, and survives.

use std::fs;

use omnilink_campaign::{CampaignOptions, Imported, KeptFile, RunFilter, Store, StoreError};
use omnilink_evidence::Verdict;

use crate::toy::{Toy, check};

#[test]
fn traces_evidence_and_output_come_back_as_they_were() {
    let toy =
        Toy::new("mkdir $OMNILINK_TRACE.d; printf 'a\\nb\\n' > $OMNILINK_TRACE; echo out; echo err >&2");
    let runs = toy.run(CampaignOptions {
        runs: Some(1),
        ..toy.options()
    });
    let store = toy.store();
    let run = store.run(runs[0].record.id).unwrap();
    assert_eq!(run, runs[0].record);
    let file = |kind: &str| -> Vec<KeptFile> { store.files(run.id, Some(kind)).unwrap() };
    assert_eq!(file("trace")[0].bytes, b"a\nb\n");
    assert_eq!(file("evidence")[0].bytes, b"{\"lines\":2}");
    assert_eq!(file("output").len(), 2);
    let folder = toy.path("exported");
    // A trace that was one file is one file again, and `validate` can read it where the export says it is.
    let trace = store.export(run.id, &folder).unwrap();
    assert_eq!(trace, folder.join("trace"));
    assert_eq!(fs::read(trace).unwrap(), b"a\nb\n");
    assert_eq!(fs::read(folder.join("stdout.txt")).unwrap(), b"out\n");
    assert!(
        fs::read_to_string(folder.join("run.json"))
            .unwrap()
            .contains("\"verdict\": \"valid\"")
    );
}

#[test]
fn stores_of_several_machines_merge_and_twice_is_as_once() {
    let (here, there) = (
        Toy::new("echo ok > $OMNILINK_TRACE"),
        Toy::new("echo 'bad y' > $OMNILINK_TRACE"),
    );
    here.run(here.options());
    there.run(there.options());
    let (mut store, other) = (here.store(), there.store());
    assert_eq!(store.import(&other).unwrap(), Imported { added: 10, known: 0 });
    assert_eq!(store.import(&other).unwrap(), Imported { added: 0, known: 10 });
    let totals = store.totals(None).unwrap();
    assert_eq!((totals.runs, totals.ops), (20, 20));
    assert_eq!(
        totals.verdicts.into_iter().collect::<Vec<_>>(),
        [(Verdict::Valid, 10), (Verdict::Violation, 10)]
    );
    let mut filter = RunFilter::default();
    filter.finding = Some("violation".to_owned());
    filter.limit = Some(3);
    let last: Vec<u64> = store
        .runs(&filter)
        .unwrap()
        .iter()
        .map(|run| run.number)
        .collect();
    assert_eq!(last, [7, 8, 9]);
}

#[test]
fn traces_of_valid_runs_can_be_forgotten_and_a_verdict_be_revised() {
    let toy =
        Toy::new("[ $OMNILINK_RUN = 3 ] && echo 'bad z' > $OMNILINK_TRACE || echo ok > $OMNILINK_TRACE");
    toy.run(toy.options());
    let mut store = toy.store();
    assert_eq!(store.forget_valid(None, false).unwrap(), 9);
    let runs = store.runs(&RunFilter::default()).unwrap();
    let kept: Vec<u64> = runs
        .iter()
        .filter(|run| !store.files(run.id, None).unwrap().is_empty())
        .map(|run| run.number)
        .collect();
    assert_eq!(kept, [3]);
    let mut bad = runs[3].clone();
    (bad.verdict, bad.finding, bad.signature) = (Verdict::Valid, None, None);
    let evidence = KeptFile {
        kind: "evidence".to_owned(),
        name: "evidence.json".to_owned(),
        bytes: b"{}".to_vec(),
    };
    store.revise(&bad, &evidence).unwrap();
    assert_eq!(store.run(bad.id).unwrap().verdict, Verdict::Valid);
    assert_eq!(store.files(bad.id, Some("evidence")).unwrap()[0].bytes, b"{}");
    assert_eq!(store.forget_valid(None, true).unwrap(), 10);
    assert_eq!(store.totals(None).unwrap().runs, 0);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let toy = Toy::new("true");
    let path = toy.path("notes.txt");
    fs::write(&path, "x".repeat(5000)).unwrap();
    assert!(matches!(Store::create(&path), Err(StoreError::Foreign(_))));
    assert_eq!(fs::read_to_string(&path).unwrap().len(), 5000);
    assert!(matches!(
        Store::open(&toy.path("none.db")),
        Err(StoreError::Missing(_))
    ));
    assert!(!toy.path("none.db").exists());
    assert!(Store::create(&toy.path("no/such/folder/runs.db")).is_err());
    let error = toy.store().run(7).unwrap_err();
    assert!(error.to_string().contains("there is no run 7"));
}

/// A process that stores runs is killed at random moments; what it had stored is there, and the store can be used.
#[test]
fn a_kill_at_any_moment_leaves_a_consistent_store() {
    let toy = Toy::new("echo ok > $OMNILINK_TRACE");
    if let Some(folder) = std::env::var_os("OMNILINK_TEST_STORE") {
        let store = Store::create(&std::path::Path::new(&folder).join("runs.db")).unwrap();
        let options = CampaignOptions {
            runs: None,
            name: Some("soak".to_owned()),
            ..toy.options()
        };
        let campaign = omnilink_campaign::Campaign::start(options, store).unwrap();
        campaign
            .run(&check, &|| false, &|run| println!("stored {}", run.record.number))
            .unwrap();
        return;
    }
    for attempt in 0..6 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "stores::a_kill_at_any_moment_leaves_a_consistent_store",
                "--nocapture",
            ])
            .env("OMNILINK_TEST_STORE", toy.path(""))
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let stored: Vec<u64> = lines
            .by_ref()
            .filter_map(|line| line.unwrap().strip_prefix("stored ")?.parse().ok())
            .take(1 + attempt * 3)
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let numbers = toy.store().numbers("soak").unwrap();
        assert!(
            stored.iter().all(|number| numbers.contains(number)),
            "{stored:?} {numbers:?}"
        );
        let totals = toy.store().totals(Some("soak")).unwrap();
        assert_eq!(totals.runs, numbers.len() as u64);
    }
}

#[test]
fn what_belongs_to_the_subject_is_kept_and_a_store_without_it_is_read() {
    let toy = Toy::new("echo ok > $OMNILINK_TRACE");
    let subject_options = vec!["--const=N=3".to_owned(), "--strict".to_owned()];
    toy.run(CampaignOptions {
        runs: Some(1),
        subject_options: subject_options.clone(),
        ..toy.options()
    });
    assert_eq!(
        toy.store().campaigns().unwrap()[0].subject_options,
        subject_options
    );
    // As earlier versions made it.
    let connection = rusqlite::Connection::open(toy.path("runs.db")).unwrap();
    connection
        .execute_batch("ALTER TABLE campaigns DROP COLUMN subject_options")
        .unwrap();
    drop(connection);
    let campaigns = toy.store().campaigns().unwrap();
    assert_eq!(campaigns[0].subject_options, Vec::<String>::new());
    toy.run(CampaignOptions {
        runs: Some(1),
        subject_options: subject_options.clone(),
        ..toy.options()
    });
    let campaigns = toy.store().campaigns().unwrap();
    assert_eq!(campaigns[1].subject_options, subject_options);
}
