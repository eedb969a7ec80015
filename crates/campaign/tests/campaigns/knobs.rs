//! What a campaign decides about its runs reaches the harness and is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use omnilink_campaign::CampaignOptions;

use crate::toy::Toy;

#[test]
fn pinning_priorities_and_thread_counts() {
    let toy = Toy::new(
        "echo ok > $OMNILINK_TRACE\n\
         echo \"$OMNILINK_THREADS $OMNILINK_PRIORITIES $OMNILINK_CHAOS_NICE $OMNILINK_CHAOS_STALL_US $(nproc)\" >> said",
    );
    let given = [("OMNILINK_PIN", "1"), ("OMNILINK_PRIORITIES", "7")];
    let options = CampaignOptions {
        runs: Some(12),
        threads: Some("2..4".parse().unwrap()),
        environment: given
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..toy.options()
    };
    let runs = toy.run(options);
    let said = fs::read_to_string(toy.path("said")).unwrap();
    let lines: BTreeSet<&str> = said.lines().collect();
    // Threads, priorities, the niceness of threads, no stalls, one processor.
    assert_eq!(lines, BTreeSet::from(["2 7 7 0 1", "3 7 7 0 1", "4 7 7 0 1"]));
    let stored: BTreeMap<String, String> = runs[0].record.choices.clone();
    assert_eq!(stored.get("OMNILINK_PIN").map(String::as_str), Some("1"));
    assert!(stored.contains_key("OMNILINK_THREADS"));
}
