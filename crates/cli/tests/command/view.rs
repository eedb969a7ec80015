//! Evidence as a page and as reports.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use serde_json::Value;

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

/// A server, until the test is over.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server of a page, and returns its address.
fn serve(folder: &Path, what: &str) -> (Served, String) {
    let mut served = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args(["view", what, "--no-open"])
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(served.stderr.take().expect("a pipe")).lines();
    let url = said.find_map(|line| {
        let line = line.ok()?;
        let at = line.find("http://")?;
        line[at..].split_whitespace().next().map(str::to_owned)
    });
    (Served(served), url.expect("it says where"))
}

/// The status of a GET request.
fn status(url: &str, path: &str) -> String {
    get(url, path).lines().next().unwrap_or_default().to_owned()
}

/// The scene of a page that a server has.
fn scene(page: &str) -> Value {
    let at = page.find("id=\"scene\">").expect("the data") + "id=\"scene\">".len();
    let text = page[at..].split('<').next().unwrap_or_default().trim();
    let deflated = base64::engine::general_purpose::STANDARD
        .decode(text)
        .expect("base64");
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(deflated.as_slice())
        .read_to_end(&mut bytes)
        .expect("it is whole");
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[4..4 + length]).expect("JSON")
}

/// The answer to a GET request.
fn get(url: &str, path: &str) -> String {
    let rest = url.strip_prefix("http://").expect("an address");
    let (host, token) = rest.split_once('/').expect("a token");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET /{token}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn more_than_the_evidence_has_is_computed_on_demand() {
    let folder = folder(&[]);
    let trace = example("register-stale-read.ndjson");
    let check = ["check", &trace, "--model", "register", "--evidence", "why.json"];
    assert_eq!(omnilink_in(folder.path(), &check).code, 1);
    let (_served, url) = serve(folder.path(), "why.json");
    assert_eq!(status(&url, "upto/0/3"), "HTTP/1.1 200 OK");
    for elsewhere in ["upto/0/99", "upto/9/0", "upto/0", "upto/x/y", "up"] {
        assert_eq!(status(&url, elsewhere), "HTTP/1.1 404 Not Found", "{elsewhere}");
    }
}

/// A register that serves a stale read in its second run.
const HARNESS: &str = r#"
read=2
[ $OMNILINK_RUN = 1 ] && read=1
{
  echo '{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}'
  echo '{"thread":0,"op":"write","args":{"value":2},"start":2,"end":3}'
  echo "{\"thread\":1,\"op\":\"read\",\"args\":{},\"ret\":$read,\"start\":4,\"end\":5}"
} > $OMNILINK_TRACE
"#;

const REGISTER: &str = "---- MODULE Register ----
VARIABLE cell
Init == cell = 0
write(value) == cell' = value
read(result) == result = cell /\\ UNCHANGED cell
====
";

#[test]
fn the_runs_of_a_campaign_are_explained_as_evidence_of_validate_is() {
    let folder = folder(&[("harness.sh", HARNESS), ("Register.tla", REGISTER)]);
    let path = folder.path();
    let fuzz = [
        "fuzz",
        "--spec",
        "Register.tla",
        "--chaos",
        "none",
        "--runs",
        "2",
        "--",
        "sh",
        "harness.sh",
    ];
    assert_eq!(omnilink_in(path, &fuzz).code, 1);
    // The store moves: what it names is found where the campaign was made.
    let elsewhere = path.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(path.join("omnilink-runs.db"), elsewhere.join("runs.db")).unwrap();
    let (_served, url) = serve(&elsewhere, "runs.db");
    let overview = scene(&get(&url, ""));
    assert_eq!(overview["campaign"]["runs"].as_array().map(Vec::len), Some(2));
    let story = |run: &str| scene(&get(&url, run))["stories"][0].clone();
    let valid = story("run/1");
    let witness = &valid["evidence"]["witness"];
    assert_eq!(witness["order"].as_array().map(Vec::len), Some(3), "{valid}");
    assert_eq!(witness["states"][2], "cell = 2", "{valid}");
    let violation = story("run/2");
    let found = &violation["evidence"]["violation"];
    assert_eq!(
        found["agreed"]["recent"].as_array().map(Vec::len),
        Some(2),
        "{violation}"
    );
    assert!(
        found["alternatives"][0]["candidates"][0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("result = cell")),
        "{violation}"
    );
    assert_eq!(
        violation["evidence"]["context"]["ops"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(
        violation["evidence"]["last_writers"][0]["cell"], "cell",
        "{violation}"
    );
    // More of it is computed on demand, as of evidence.
    assert_eq!(violation["explained_as"], "run-2");
    let up_to = scene(&get(&url, "upto/run-2/1"));
    assert_eq!(up_to["stories"][0]["evidence"]["verdict"], "valid", "{up_to}");
    assert_eq!(status(&url, "upto/run-1/99"), "HTTP/1.1 404 Not Found");
    // Without the specification the verdict stands, and why there is no more is said.
    fs::remove_file(path.join("Register.tla")).unwrap();
    let left = story("run/1");
    assert_eq!(left["evidence"]["verdict"], "valid");
    assert!(
        left["evidence"]["notes"]
            .to_string()
            .contains("how it is explained cannot be shown"),
        "{left}"
    );
    assert_eq!(story("run/2")["evidence"]["violation"], *found);
}
