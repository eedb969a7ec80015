//! Objects that are simulated: what threads ask of them, and what they answer.

use std::fmt::Write as _;
use std::hash::Hash;

use fastrand::Rng;

use crate::oracle::value::Val;

/// What a thread asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub op: &'static str,
    pub args: Vec<(&'static str, Val)>,
}

impl Request {
    pub fn new(op: &'static str, args: &[(&'static str, i64)]) -> Self {
        Self {
            op,
            args: args
                .iter()
                .map(|(name, value)| (*name, Val::Int(*value)))
                .collect(),
        }
    }

    /// A number among the arguments.
    pub fn int(&self, name: &str) -> i64 {
        let found = self.args.iter().find(|(other, _)| *other == name);
        found
            .and_then(|(_, value)| value.as_int())
            .unwrap_or_else(|| panic!("{self:?} has no {name}"))
    }

    /// A sequence of numbers among the arguments.
    pub fn ints(&self, name: &str) -> Vec<i64> {
        let found = self.args.iter().find(|(other, _)| *other == name);
        let values = found.and_then(|(_, value)| value.as_seq()).unwrap_or_default();
        values.iter().filter_map(Val::as_int).collect()
    }
}

/// What an object answers: the name of the field, and the result; nothing for operations without a result.
pub type Reply = Option<(&'static str, Val)>;

/// An object with a sequential meaning.
pub trait Object: Clone + Eq + Hash {
    /// The object as it is at first, for so many keys or values.
    fn new(size: i64) -> Self;

    /// Something that a thread asks.
    fn request(rng: &mut Rng, size: i64, thread: u32) -> Request;

    /// Does it. `None` if it is not possible now: the thread waits.
    fn perform(&mut self, request: &Request) -> Option<Reply>;

    /// Something that happens by itself before an operation; whether it did.
    fn happen(&mut self, _rng: &mut Rng) -> bool {
        false
    }

    /// Whether `perform` is all that there is: nothing happens by itself, and operations take effect in one step.
    const IS_PLAIN: bool = true;

    /// The number of threads that can be checked in reasonable time.
    const THREADS_MAX: u32 = 16;
}

/// One operation of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub thread: u32,
    pub request: Request,
    pub reply: Reply,
    pub start: i64,
    pub end: Option<i64>,
}

/// As NDJSON.
pub fn ndjson(records: &[Record]) -> String {
    let mut text = String::with_capacity(records.len() * 96);
    for record in records {
        let ret = match &record.reply {
            // Who has a result has returned.
            Some(("ret", value)) if record.end.is_some() => format!(",\"ret\":{}", value.json()),
            _ => String::new(),
        };
        let reply = record.reply.iter().filter(|(name, _)| *name != "ret");
        let fields = record.request.args.iter().chain(reply);
        let fields: Vec<String> = fields
            .map(|(name, value)| format!("\"{name}\":{}", value.json()))
            .collect();
        let end = record.end.map_or("null".to_owned(), |end| end.to_string());
        let _ = writeln!(
            text,
            "{{\"thread\":{},\"op\":\"{}\",\"args\":{{{}}}{ret},\"start\":{},\"end\":{end}}}",
            record.thread,
            record.request.op,
            fields.join(","),
            record.start
        );
    }
    text
}
