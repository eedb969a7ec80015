//! Shared by the tests: traces as text, and what becomes of them.

use std::path::PathBuf;

use omnilink_engine::{Checker, Conclusion, Options, Partitioning, Progress, TimedOp, check};
use omnilink_link::{
    BindError, CollectedConstants, Instance, LinkError, LinkFile, LinkOptions, Linked, TlaModel,
};
use omnilink_trace::{OpenOptions, Trace};

/// A register, the smallest spec that can refuse something.
pub const REGISTER: &str = r"---- MODULE Register ----
VARIABLE x
Init == x = 0
Write(value) == x' = value
Read(result) == result = x /\ UNCHANGED x
Next == \E v \in {0, 1, 2} : Write(v) \/ Read(v)
====";

pub fn example(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/validate")
        .join(path)
}

pub fn linked(text: &str, toml: &str) -> Linked {
    try_linked(text, toml).unwrap()
}

pub fn try_linked(text: &str, toml: &str) -> Result<Linked, LinkError> {
    let module = text.split_whitespace().nth(2).unwrap();
    let options = LinkOptions {
        file: LinkFile::parse(toml).unwrap(),
        ..LinkOptions::default()
    };
    Linked::from_text(module, text, &options)
}

/// `thread op {args} start end` a line; `end` is `-` for a pending operation.
pub fn ndjson(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, rest) = line.split_once(" {").unwrap();
        let (args, times) = rest.rsplit_once('}').unwrap();
        let (thread, op) = head.split_once(' ').unwrap();
        let mut times = times.split_whitespace();
        let (start, end) = (times.next().unwrap(), times.next().unwrap());
        let end = if end == "-" { "null" } else { end };
        let aborted = times.next().is_some_and(|word| word == "aborted");
        text.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end},\"aborted\":{aborted}}}\n"
        ));
    }
    text
}

pub fn trace(ndjson: String) -> Trace {
    Trace::from_reader(
        "trace",
        std::io::Cursor::new(ndjson.into_bytes()),
        &OpenOptions::default(),
    )
    .unwrap()
}

/// The operations of a trace for the engine.
pub fn bound(model: &TlaModel<'_>, trace: Trace) -> Result<Vec<TimedOp<Instance>>, BindError> {
    let mut operations = Vec::new();
    for operation in trace {
        let operation = operation.unwrap();
        let thread = operation.thread.as_int().unwrap_or(0) as u32;
        let bound = model.bind(&operation)?;
        operations.extend(bound.timed(thread, operation.timebox));
    }
    Ok(operations)
}

pub fn verdict_of(linked: &Linked, ndjson: String) -> Conclusion {
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson)).unwrap();
            check(model, operations, Options::default()).unwrap().conclusion
        })
        .unwrap()
}

/// The tags of a violation, for the operation on the last line.
pub fn tags_of(linked: &Linked, ndjson: String) -> omnilink_link::Tagged {
    linked
        .run(|model| {
            let operations = bound(model, trace(ndjson.clone())).unwrap();
            assert!(
                check(model, operations, Options::default())
                    .unwrap()
                    .conclusion
                    .is_violation()
            );
            let last = trace(ndjson).map(Result::unwrap).last().unwrap();
            model.tagged(&last)
        })
        .unwrap()
}

pub fn is_valid(linked: &Linked, lines: &str) -> bool {
    verdict_of(linked, ndjson(lines)).is_valid()
}

/// The verdict on a file, by a spec of the examples, read as the command reads it.
pub fn verdict_on(
    spec: &str,
    file: &std::path::Path,
    collect: &[&str],
    constants: &[(&str, &str)],
) -> Conclusion {
    let mut collection = CollectedConstants::default();
    collect.iter().for_each(|text| collection.add(text).unwrap());
    for operation in Trace::open(file, &OpenOptions::default()).unwrap() {
        collection.observe(&operation.unwrap());
    }
    let options = LinkOptions {
        constants: constants
            .iter()
            .map(|(n, e)| ((*n).to_owned(), (*e).to_owned()))
            .collect(),
        collected: collection.finish().0,
        file: LinkFile::beside(&example(spec)).unwrap(),
        ..LinkOptions::default()
    };
    let linked = Linked::load(&example(spec), &options).unwrap();
    let file = file.to_owned();
    linked
        .run(|model| {
            let trace = Trace::open(&file, &OpenOptions::default()).unwrap();
            let mut checker = Checker::with_partitioning(model, Options::default(), Partitioning::Whole);
            for operation in bound(model, trace).unwrap() {
                if checker.push(operation).unwrap() == Progress::Decided {
                    break;
                }
            }
            checker.finish().unwrap().conclusion
        })
        .unwrap()
}
