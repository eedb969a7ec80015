//! Budgets are honoured where the time goes.

use super::ran::{folder, omnilink_in};

/// All at once, and the read that nobody explains at the end.
fn hard() -> tempfile::TempDir {
    let mut history = String::new();
    for thread in 0..24 {
        history.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"push\",\"args\":{{\"value\":{thread}}},\"start\":{thread},\"end\":{}}}\n",
            1_000 + thread
        ));
    }
    history.push_str(r#"{"thread":99,"op":"pop","args":{},"ret":12345,"start":2000,"end":2001}"#);
    folder(&[("hard.ndjson", &history)])
}

#[test]
fn time_memory_and_configurations_each_end_a_search() {
    let folder = hard();
    for (limit, amount, word) in [
        ("--time-limit", "300ms", "time"),
        ("--config-limit", "5_000", "configurations"),
        ("--memory-limit", "40MB", "memory"),
    ] {
        let arguments = [
            "check",
            "hard.ndjson",
            "--model",
            "stack",
            limit,
            amount,
            "--json",
            "--no-minimal-frontier",
            "--no-symmetry",
            "--no-footprints",
            "--no-dominance",
            "--strategy",
            "sweep",
        ];
        let ran = omnilink_in(folder.path(), &arguments);
        assert_eq!(ran.code, 3, "{limit}: {ran:?}");
        let report = &ran.json()[0];
        assert_eq!(report["verdict"], "unknown");
        assert_eq!(report["unknown"]["limit"], word, "{report}");
    }
}
