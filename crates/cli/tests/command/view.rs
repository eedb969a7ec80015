//! Evidence as a page and as reports.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

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

/// The status of a GET request.
fn status(url: &str, path: &str) -> String {
    let rest = url.strip_prefix("http://").expect("an address");
    let (host, token) = rest.split_once('/').expect("a token");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET /{token}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn more_than_the_evidence_has_is_computed_on_demand() {
    let folder = folder(&[]);
    let trace = example("register-stale-read.ndjson");
    let check = ["check", &trace, "--model", "register", "--evidence", "why.json"];
    assert_eq!(omnilink_in(folder.path(), &check).code, 1);
    let mut served = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args(["view", "why.json", "--no-open"])
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(served.stderr.take().expect("a pipe")).lines();
    let url = said.find_map(|line| {
        let line = line.ok()?;
        let at = line.find("http://")?;
        line[at..].split_whitespace().next().map(str::to_owned)
    });
    let url = url.expect("it says where");
    assert_eq!(status(&url, "upto/0/3"), "HTTP/1.1 200 OK");
    for elsewhere in ["upto/0/99", "upto/9/0", "upto/0", "upto/x/y", "up"] {
        assert_eq!(status(&url, elsewhere), "HTTP/1.1 404 Not Found", "{elsewhere}");
    }
    // It was started here, and nobody waits for it any more.
    let _ = served.kill();
    let _ = served.wait();
}
