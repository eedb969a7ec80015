//! Logs of several kinds become events.

use std::sync::Arc;

use omnilink_log_extract::{DraftAction, ExtractionCounts, ExtractionRules, Extractor, draft};

/// The events of a log, a JSON object each, and what became of its lines.
fn extracted(rules: &str, log: &str) -> (Vec<String>, ExtractionCounts) {
    let rules = ExtractionRules::parse(rules, "rules.toml").unwrap();
    let mut extractor = Extractor::new(Arc::new(rules));
    let mut events = Vec::new();
    for (number, line) in (1..).zip(log.lines()) {
        events.extend(extractor.push(number, line).unwrap());
    }
    events.extend(extractor.finish().unwrap());
    let texts = events.iter().map(|event| {
        format!(
            "{} {}",
            event.line,
            serde_json::Value::Object(event.event.clone())
        )
    });
    (texts.collect(), extractor.counts())
}

fn refused(rules: &str) -> String {
    ExtractionRules::parse(rules, "rules.toml")
        .unwrap_err()
        .to_string()
}

#[test]
fn a_text_log_becomes_events_and_nothing_is_left_out_silently() {
    let rules = r#"
        format = "logback"
        node = "{thread}"
        clock = "{time}"
        [[event]]
        name = "Prepare"
        pattern = 'prepared (?<rm>\S+) in term (?<term>\d+)'
        args = { r = "{rm}" }
        fields = { term = "{term}", who = "rm {rm}" }
        [[event]]
        name = "Commit"
        where = { level = "INFO", logger = ["tm.Core", "tm.Other"] }
        pattern = '^commit'
        [[event]]
        pattern = 'heartbeat'
        skip = true
    "#;
    let log = "1970-01-01 00:00:01,500 [tm] INFO tm.Core - prepared rm-0 in term 3\n\
        1970-01-01 00:00:02,000 [tm] INFO tm.Core - heartbeat\n\
        1970-01-01 00:00:02,500 [tm] DEBUG tm.Core - commit\n\
        \tat nowhere\n\
        1970-01-01 00:00:03,000 [tm] INFO tm.Core - commit\n";
    let (events, counts) = extracted(rules, log);
    assert_eq!(
        events,
        [
            r#"1 {"args":{"r":"rm-0"},"clock":1500000000,"event":"Prepare","node":"tm","term":3,"who":"rm rm-0"}"#,
            r#"5 {"clock":3000000000,"event":"Commit","node":"tm"}"#,
        ]
    );
    let expected = ExtractionCounts {
        events: 2,
        skipped: 1,
        others: 1,
        unreadable: 1,
        nulls: 0,
        first_other: Some(3),
    };
    assert_eq!(counts, expected);
}

#[test]
fn json_and_pairs_inside_of_text_are_read() {
    let rules = r#"
        format = "env_logger"
        json = "message"
        pairs = "message"
        [[event]]
        name = "{action}"
        where = { logger = "raft" }
        node = "n{id}"
        args = ["{term}", "{peer}"]
        state = { log = "{entries}" }
    "#;
    let log = "[2024-05-01T12:00:01Z INFO  raft] step {\"action\":\"Vote\",\"id\":1,\"term\":3,\"entries\":[1,2]}\n\
        [2024-05-01T12:00:01Z INFO  raft] action=Elect id=2 term=4, peer=n3\n\
        [2024-05-01T12:00:01Z INFO  other] action=Elect\n";
    let (events, _) = extracted(rules, log);
    assert_eq!(
        events,
        [
            r#"1 {"args":[3,null],"event":"Vote","node":"n1","state":{"log":[1,2]}}"#,
            r#"2 {"args":[4,"n3"],"event":"Elect","node":"n2","state":{}}"#,
        ]
    );
}

#[test]
fn lines_that_go_on_belong_together() {
    let rules = r#"
        pattern = '^(?<time>\d+) (?<message>.*)$'
        multi_line = true
        texts = ["id"]
        [[event]]
        name = "Apply"
        pattern = '(?s)apply.*id: (?<id>\w+)'
        args = ["{id}"]
    "#;
    let (events, counts) = extracted(rules, "1 apply\n  id: 17\n2 other\n3 apply\n  more\n  id: 8\n");
    assert_eq!(
        events,
        [
            r#"1 {"args":["17"],"event":"Apply"}"#,
            r#"4 {"args":["8"],"event":"Apply"}"#
        ]
    );
    assert_eq!(counts.others, 1);
}

#[test]
fn a_table_has_its_names_in_the_first_line() {
    let rules =
        "format = \"csv\"\nseparator = \";\"\n[[event]]\nname = \"{op}\"\nargs = [\"{key}\", \"{value}\"]\n";
    let (events, counts) = extracted(rules, "op;key;value\nPut;\"a;b\";3\nshort\nGet;c;null\n");
    assert_eq!(
        events,
        [
            r#"2 {"args":["a;b",3],"event":"Put"}"#,
            r#"4 {"args":["c","null"],"event":"Get"}"#,
        ]
    );
    assert_eq!((counts.unreadable, counts.nulls), (1, 0));
}

#[test]
fn texts_that_look_like_nothing_are_data_unless_the_rules_say_otherwise() {
    let rules = |nulls: &str| {
        format!(
            "format = \"text\"\n{nulls}[[event]]\nname = \"See\"\npattern = '^see (?<l>\\S+) (?<m>\\S+)'\nargs = [\"{{l}}\", \"{{m}}\"]\n"
        )
    };
    let log = "see None nil\nsee null <nil>\n";
    let (events, counts) = extracted(&rules(""), log);
    assert_eq!(
        events,
        [
            r#"1 {"args":["None","nil"],"event":"See"}"#,
            r#"2 {"args":["null","<nil>"],"event":"See"}"#
        ]
    );
    assert_eq!(counts.nulls, 0);
    let (events, counts) = extracted(
        &rules("texts = [\"m\"]\nextract.null = [\"None\", \"nil\"]\n"),
        log,
    );
    assert_eq!(
        events,
        [
            r#"1 {"args":[null,"nil"],"event":"See"}"#,
            r#"2 {"args":["null","<nil>"],"event":"See"}"#
        ]
    );
    assert_eq!(counts.nulls, 1);
}

#[test]
fn names_that_no_line_can_have_are_refused_before_the_first_line() {
    let refused = |format: &str, more: &str| {
        let rules = format!("{format}\n[[event]]\nname = \"See\"\npattern = '^see (?<l>\\w+)'\n{more}\n");
        match ExtractionRules::parse(&rules, "rules.toml") {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let text = "format = \"text\"";
    let head = "pattern = '^(?<time>\\S+) (?<message>.*)$'";
    for (format, more, name) in [
        (text, "args = [\"{leader}\"]", "`leader`"),
        (text, "fields = { who = \"a-{who}\" }", "`who`"),
        (text, "state = { x = [{ y = \"{z}\" }] }", "`z`"),
        (text, "where = { levl = \"INFO\" }", "`levl`"),
        (text, "in = \"body\"", "`body`"),
        (text, "json = \"body\"", "`body`"),
        (head, "clock = \"{tme}\"", "`tme`"),
    ] {
        let message = refused(format, more);
        assert!(
            message.contains(name) && message.contains("there are"),
            "{more}: {message}"
        );
        assert!(message.contains("line 2"), "{more}: {message}");
    }
    // Here only the lines tell which fields there are.
    for (format, more) in [
        ("format = \"json\"", "args = [\"{leader}\"]"),
        ("format = \"logfmt\"", "where = { levl = \"INFO\" }"),
        (text, "pairs = \"message\"\nargs = [\"{leader}\"]"),
        (
            "format = \"text\"\njson = \"message\"",
            "where = { levl = \"INFO\" }\nin = \"body\"",
        ),
        (head, "clock = \"{time}\"\nargs = [\"{l.name}\"]"),
    ] {
        assert_eq!(refused(format, more), "", "{more}");
    }
}

#[test]
fn colours_of_a_terminal_are_no_text() {
    let rules = "format = \"tracing\"\npairs = \"message\"\n[[event]]\nname = \"Elect\"\npattern = 'elected'\nargs = [\"{term}\"]\n";
    let line = "\u{1b}[2m2024-05-01T12:00:01.1Z\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m \u{1b}[2mraft\u{1b}[0m\u{1b}[2m:\u{1b}[0m elected \u{1b}[3mterm\u{1b}[0m\u{1b}[2m=\u{1b}[0m3";
    assert_eq!(extracted(rules, line).0, [r#"1 {"args":[3],"event":"Elect"}"#]);
}

#[test]
fn rules_that_make_no_sense_are_refused_with_their_entry() {
    let event = "[[event]]\nname = \"A\"\n";
    for (rules, expected) in [
        (event.to_owned(), "format: how are lines taken apart?"),
        (
            format!("format = \"nonsense\"\n{event}"),
            "`nonsense` is no format; there are json",
        ),
        (format!("format = \"json\"\npattern = 'x'\n{event}"), "not both"),
        (format!("pattern = '('\n{event}"), "unclosed group"),
        ("format = \"json\"\n".to_owned(), "there is no rule"),
        (
            "format = \"json\"\n[[event]]\npattern = 'x'\n".to_owned(),
            "[[event]] number 1 (line 2), name",
        ),
        (
            format!("format = \"json\"\n{event}args = [\"{{x\"]\n"),
            "not closed",
        ),
        (
            format!("format = \"json\"\n{event}nonsense = 1\n"),
            "nothing is called nonsense in [event]",
        ),
        (
            format!("format = \"json\"\ntime_format = \"%Q\"\n{event}"),
            "`%Q` means nothing",
        ),
        (
            format!("format = \"json\"\nseparator = \";\"\n{event}"),
            "only the format csv",
        ),
        (
            format!("format = \"json\"\n{event}args = [1.5]\n"),
            "1.5 is neither a text nor a whole number",
        ),
        (
            format!("format = \"json\"\n{event}where = {{ x = 1.5 }}\n"),
            "`x` is compared with",
        ),
    ] {
        let message = refused(&rules);
        assert!(message.contains(expected), "{rules}: {message}");
        assert!(message.starts_with("rules.toml"), "{message}");
    }
}

#[test]
fn a_line_whose_name_or_time_is_not_there_is_an_error() {
    let rules = "format = \"json\"\nclock = \"{time}\"\n[[event]]\nname = \"{action}\"\n";
    let push = |line| {
        let rules = ExtractionRules::parse(rules, "rules.toml").unwrap();
        let mut extractor = Extractor::new(Arc::new(rules));
        extractor.push(7, line).unwrap_err()
    };
    let error = push(r#"{"time":1,"msg":"x"}"#);
    assert!(error.line == 7 && error.message.contains("`action`"), "{error}");
    let error = push(r#"{"time":"soon","action":"A"}"#);
    assert!(error.message.contains("\"soon\" is no time"), "{error}");
}

/// A draft for a log and the actions `BecomeLeader(n, term)`, `Vote(n)` and `Crash(n)`.
fn drafted(log: &str) -> String {
    let action = |name: &str, parameters: &[&str]| DraftAction {
        name: name.to_owned(),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
    };
    let actions = [
        action("BecomeLeader", &["n", "term"]),
        action("Vote", &["n"]),
        action("Crash", &["n"]),
    ];
    let lines: Vec<String> = log.lines().map(str::to_owned).collect();
    draft("server.log", "Raft.tla", &lines, 1, &actions)
}

#[test]
fn a_draft_for_a_structured_log_finds_events_arguments_and_nodes_and_can_be_used() {
    let log = "{\"ts\":1,\"node\":\"a\",\"msg\":\"become_leader\",\"term\":2}\n\
        {\"ts\":2,\"node\":\"b\",\"msg\":\"vote\",\"to\":\"a\"}\n{\"ts\":3,\"node\":\"b\",\"msg\":\"idle\"}\n";
    let rules = drafted(log);
    for expected in [
        "format = \"json\"",
        "node = \"{node}\"   # DECIDE",
        "name = \"BecomeLeader\"",
        "args = { term = \"{term}\" }",
        "nothing is called like n",
        "no line seems to be about Crash",
    ] {
        assert!(rules.contains(expected), "{expected}: {rules}");
    }
    let (events, counts) = extracted(&rules, log);
    assert_eq!(
        events,
        [
            r#"1 {"args":{"term":2},"event":"BecomeLeader","node":"a"}"#,
            r#"2 {"event":"Vote","node":"b"}"#
        ]
    );
    assert_eq!(counts.others, 1);
}

#[test]
fn a_draft_for_messages_has_patterns_and_says_what_needs_a_decision() {
    let log = "[2024-05-01T12:00:01Z INFO  raft] n1 becomes leader in term 3\n\
        [2024-05-01T12:00:02Z INFO  raft] n2 becomes leader in term 4\n\
        [2024-05-01T12:00:02Z INFO  raft] votes are counted: 3\n   stack\n";
    let rules = drafted(log);
    for expected in [
        "format = \"env_logger\"",
        "name = \"BecomeLeader\"   # DECIDE",
        "args = { term = \"{term}\" }",
        "multi_line = true",
        "DECIDE: which field says who wrote a line?",
    ] {
        assert!(rules.contains(expected), "{expected}: {rules}");
    }
    let (events, _) = extracted(&rules, log);
    assert_eq!(events[0], r#"1 {"args":{"term":3},"event":"BecomeLeader"}"#);
}

#[test]
fn a_record_of_a_journal_is_one_event() {
    let rules = "format = \"journal\"\npairs = \"message\"\nclock = \"{time}\"\n[[event]]\nname = \"Vote\"\npattern = '^vote'\nargs = [\"{n}\"]\n";
    let log = "__REALTIME_TIMESTAMP=1714564801123456\n_PID=12\nMESSAGE=vote n=3\n\n__REALTIME_TIMESTAMP=1714564802123456\nMESSAGE=vote n=4\n";
    let (events, counts) = extracted(rules, log);
    assert_eq!(
        events,
        [
            r#"1 {"args":[3],"clock":1714564801123456000,"event":"Vote"}"#,
            r#"5 {"args":[4],"clock":1714564802123456000,"event":"Vote"}"#
        ]
    );
    assert_eq!((counts.events, counts.unreadable), (2, 0));
}

/// A draft for logs as systems write them has an event for each line about a vote, with the argument.
#[test]
fn a_draft_for_a_log_of_a_known_system_finds_the_events() {
    for (format, log) in [
        (
            "postgres",
            "2024-05-01 12:00:01.001 UTC [47] a@b LOG:  vote n=3\n2024-05-01 12:00:01.002 UTC [48] a@b WARNING:  vote n=4\n",
        ),
        (
            "cockroach",
            "I240501 12:00:01.1 77 kv/l.go:12 ⋮ [T1,n1] 12  vote n=‹3›\nW240501 12:00:01.2 78 kv/l.go:12 ⋮ [T1,n1] 13  vote n=‹4›\n",
        ),
        (
            "logback",
            "INFO  [M-1] 2024-05-01 12:00:01,123 L.java:89 - vote n=3\nDEBUG [M-2] 2024-05-01 12:00:01,124 L.java:89 - vote n=4\n",
        ),
        (
            "glog",
            "I0501 12:00:01.1  1 l.go:20] \"Vote\" n=3 pod=\"x/y\"\nE0501 12:00:01.2  1 l.go:20] \"Vote\" n=4 pod=\"x/z\"\n",
        ),
        (
            "dotnet",
            "info: L.S[0]\n      vote n=3\nwarn: L.S[0]\n      vote n=4\n",
        ),
        (
            "json",
            "{\"log\":\"vote n=3\\n\",\"stream\":\"stdout\"}\n{\"log\":\"vote n=4\\n\",\"stream\":\"stderr\"}\n",
        ),
        (
            "journal",
            "_PID=1\nMESSAGE=vote n=3\n\n_PID=1\nMESSAGE=vote n=4\n\n",
        ),
    ] {
        let rules = drafted(log);
        assert!(rules.contains(&format!("format = {format:?}")), "{rules}");
        let (events, _) = extracted(&rules, log);
        let votes: Vec<&str> = events
            .iter()
            .filter_map(|event| Some(event.split_once("\"args\":")?.1.split_once('}')?.0))
            .collect();
        assert_eq!(votes, [r#"{"n":3"#, r#"{"n":4"#], "{format}: {events:?} {rules}");
    }
}

#[test]
fn a_draft_for_anything_can_be_used() {
    for log in [
        "",
        "\n\n",
        "x",
        "a,b,c\n1,2,3\n",
        "'quoted' it's 1\n",
        "{\"a.b\":1,\"c d\":\"vote\"}",
        "\u{1b}[1mvote\u{1b}[0m 'x' #1",
    ] {
        let rules = drafted(log);
        if log.trim().is_empty() {
            assert!(rules.contains("seems to be empty"), "{rules}");
            continue;
        }
        let parsed = ExtractionRules::parse(&rules, "draft");
        assert!(parsed.is_ok(), "{log}: {rules}: {parsed:?}");
    }
}
