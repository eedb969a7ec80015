//! Full disks, and folders that cannot be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use omnilink_campaign::{Campaign, CampaignError, CampaignOptions, CheckedTrace, Store};

use crate::toy::{Toy, check};

const DISK: &str = "OMNILINK_TEST_DISK";

/// The folder of a disk of 300 kB, if this is the process that has it. Otherwise the test is run again in such a process; that needs a name
/// space of its own, and where a container forbids it the test says nothing.
fn small_disk(test: &str, has_traces: bool) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(DISK) {
        return Some(folder.into());
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=300k none \"$1\" || exit 77; exec \"$0\" --exact \"$2\" --nocapture";
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(folder.path())
        .arg(test)
        .env(DISK, folder.path());
    if has_traces {
        command.env("TMPDIR", folder.path());
    }
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_forbidden = output.status.code() == Some(77) || said.contains("unshare failed");
    assert!(is_forbidden || output.status.success(), "{output:?}");
    None
}

/// Makes runs until it goes no further: how many were stored, and the error.
fn run_until_error(options: CampaignOptions, store: Store) -> (u64, CampaignError) {
    let campaign = Campaign::start(options, store).unwrap();
    let stored = AtomicU64::new(0);
    let count = |_: &_| _ = stored.fetch_add(1, Ordering::Relaxed);
    let error = campaign.run(&check_not_empty, &|| false, &count).unwrap_err();
    (stored.into_inner(), error)
}

fn check_not_empty(trace: &Path) -> CheckedTrace {
    if fs::metadata(trace).is_ok_and(|file| file.len() > 0) {
        check(trace)
    } else {
        CheckedTrace::error("nothing was recorded")
    }
}

#[test]
fn a_full_disk_ends_a_campaign_and_leaves_a_store_that_is_whole() {
    let Some(disk) = small_disk(
        "disks::a_full_disk_ends_a_campaign_and_leaves_a_store_that_is_whole",
        false,
    ) else {
        return;
    };
    let toy = Toy::new("echo ok > $OMNILINK_TRACE; head -c 20000 /dev/urandom");
    let path = disk.join("runs.db");
    let options = CampaignOptions {
        runs: None,
        name: Some("c".to_owned()),
        ..toy.options()
    };
    let (stored, error) = run_until_error(options, Store::create(&path).unwrap());
    assert!(error.to_string().contains("full; make room"), "{error}");
    assert!(stored > 0);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.totals(Some("c")).unwrap().runs, stored);
    let numbers = store.numbers("c").unwrap();
    assert_eq!(numbers, (0..stored).collect::<Vec<u64>>());
}

#[test]
fn a_campaign_ends_when_there_is_no_room_for_traces() {
    let Some(disk) = small_disk("disks::a_campaign_ends_when_there_is_no_room_for_traces", true) else {
        return;
    };
    let toy = Toy::in_folder(
        tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
        "echo ok > $OMNILINK_TRACE",
    );
    // As much as there is room for.
    let _ = fs::write(disk.join("filler"), vec![1; 1 << 20]);
    let (stored, error) = run_until_error(toy.options(), toy.store());
    assert!(matches!(error, CampaignError::Full(_)), "{error}");
    assert!(error.to_string().contains("TMPDIR"), "{error}");
    assert_eq!((stored, toy.store().totals(None).unwrap().runs), (0, 0));
}

#[test]
fn a_store_in_a_folder_that_cannot_be_written_is_refused() {
    let error = Store::create(Path::new("/proc/runs.db")).unwrap_err().to_string();
    assert!(
        error.contains("/proc/runs.db") && error.contains("can be written"),
        "{error}"
    );
}
