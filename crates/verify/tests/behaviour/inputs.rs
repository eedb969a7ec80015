//! Where histories come from.

use omnilink_evidence::Verdict;
use omnilink_trace::OpenOptions;
use omnilink_verify::{CheckRequest, Input, Keyed, ModelCheck, ProgressCounter, holds_histories};

#[test]
fn a_trace_in_memory_is_checked_like_a_file() {
    // Out of order, so that it is read more than once.
    let lines = "{\"thread\":1,\"op\":\"read\",\"ret\":0,\"start\":20,\"end\":30}\n\
                 {\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":10}\n";
    let input = Input::of_bytes("history", lines.as_bytes(), OpenOptions::new());
    assert_eq!(input.bytes(), Some(lines.len() as u64));
    assert!(!holds_histories(&input));
    let model = "register:initial=0";
    let check = ModelCheck::new(model, Keyed::ByContent, CheckRequest::new(model)).expect("a shipped model");
    let evidence = check.check(&input, &ProgressCounter::default());
    assert_eq!((evidence.verdict, evidence.figures.ops), (Verdict::Violation, 2));
    let report = omnilink_report::text(&evidence, &Default::default());
    assert!(report.contains("history:1"), "{report}");
}
