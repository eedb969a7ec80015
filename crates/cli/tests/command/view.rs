//! Evidence as a page and as reports.

use std::fs;

use super::ran::{example, folder, omnilink_in};

#[test]
fn a_violation_becomes_one_file_and_a_report_in_every_form() {
    let folder = folder(&[
        ("foreign.json", "{\"a\":1}"),
        ("cut.json", "{\"evidence\":1,\"comm"),
    ]);
    let path = folder.path();
    let trace = example("queue-taken-twice.ndjson");
    let check = ["check", &trace, "--model", "queue", "--evidence", "why.json"];
    assert_eq!(omnilink_in(path, &check).code, 1);
    let page = omnilink_in(path, &["view", "why.json", "--html", "why.html"]);
    assert_eq!(page.code, 0, "{page:?}");
    let html = fs::read_to_string(path.join("why.html")).unwrap();
    assert!(
        html.contains("default-src 'none'") && !html.contains("src=\"http"),
        "{html}"
    );
    for (form, words) in [
        ("--markdown", &["### ", "dequeue() = 21", "```"][..]),
        ("--junit", &["<testsuite", "failure"]),
        ("--sarif", &["\"2.1.0\"", "queue-taken-twice.ndjson"]),
        ("--github", &["::error", "line=8"]),
    ] {
        let report = omnilink_in(path, &["report", "why.json", form]);
        assert_eq!(report.code, 1, "{report:?}");
        for word in words {
            assert!(report.stdout.contains(word), "{form} {word}: {report:?}");
        }
    }
    assert!(omnilink_in(path, &["report", "why.json"]).stdout.lines().count() <= 60);
    let perfetto = ["trace", "convert", &trace, "--to", "perfetto", "-o", "p.json"];
    assert_eq!(omnilink_in(path, &perfetto).code, 0);
    assert!(
        fs::read_to_string(path.join("p.json"))
            .unwrap()
            .contains("traceEvents")
    );
    for file in ["foreign.json", "cut.json"] {
        omnilink_in(path, &["report", file]).refused(&[file]);
        omnilink_in(path, &["view", file, "--html", "x.html"]).refused(&[file]);
        assert!(!path.join("x.html").exists());
    }
}
