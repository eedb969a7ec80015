//! A lock service whose messages are in one set, with vector clocks: most orders of its lines are the same, and most losses of messages do not matter.

use omnilink_engine::Limits;
use omnilink_evidence::{Evidence, Verdict, Violation};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

use super::data;

fn checked(log: &str, link: &str, tokens: &str) -> Evidence {
    let read = |name: &str| {
        let file = data(&format!("lease/{name}"));
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{error}"))
    };
    let options = LinkOptions {
        file: LinkFile::parse(&read(link)).unwrap_or_else(|error| panic!("{error}")),
        config: Some(data("lease/Lease.cfg")),
        constants: vec![("MaxTok".to_owned(), tokens.to_owned())],
        ..LinkOptions::default()
    };
    let check = LogCheck::new(&data("lease/Lease.tla"), options, Limits::default());
    check_log(&check, None, "log", &[data(&format!("lease/{log}"))], &mut |_| {})
}

#[test]
fn a_correct_run_takes_a_state_for_each_line() {
    for link in ["keeps.toml", "loses.toml"] {
        let found = checked("ok.ndjson", link, "30");
        assert_eq!((found.verdict, found.error), (Verdict::Valid, None), "{link}");
        assert_eq!(found.figures.configurations, Some(201), "{link}");
        assert_eq!(found.figures.replayed, Some(200), "{link}");
    }
}

#[test]
fn a_wrong_token_is_found_whether_messages_may_be_lost_or_not() {
    for link in ["keeps.toml", "loses.toml"] {
        let found = checked("wrong-token.ndjson", link, "15");
        assert_eq!(found.error, None);
        let Some(Violation::Operation(violation)) = &found.violation else {
            panic!("{link}: {:?}", found.verdict);
        };
        let place = violation.op.place.clone().unwrap_or_default();
        assert!(place.ends_with("wrong-token.ndjson:41"), "{link}: {place}");
        // Without independence and with losses there would be hundreds of thousands.
        assert!(
            found.figures.configurations < Some(10_000),
            "{link}: {:?}",
            found.figures
        );
    }
}
