//! Messages between nodes.

use omnilink_record::{LogValue, Stamp};

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub term: u32,
    pub value: u32,
}

impl Entry {
    pub fn logged(&self) -> LogValue {
        LogValue::record([("term", self.term), ("value", self.value)])
    }
}

/// What a message says.
#[derive(Clone, Debug)]
pub enum Content {
    Ask {
        length: u32,
        last: u32,
    },
    Vote,
    Append {
        prev: u32,
        prev_term: u32,
        entries: Vec<Entry>,
        commit: u32,
    },
    Stored {
        length: u32,
    },
    Refused {
        length: u32,
    },
}

/// A message, and the clock reading that makes its receiver's lines come later.
#[derive(Clone, Debug)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub term: u32,
    pub content: Content,
    pub stamp: Stamp,
}

pub fn name(node: usize) -> String {
    format!("n{node}")
}

impl Message {
    /// The message as the specification knows it.
    pub fn logged(&self) -> LogValue {
        let (kind, more): (&str, Vec<(&str, LogValue)>) = match &self.content {
            Content::Ask { length, last } => (
                "ask",
                vec![("length", (*length).into()), ("last", (*last).into())],
            ),
            Content::Vote => ("vote", Vec::new()),
            Content::Append {
                prev,
                prev_term,
                entries,
                commit,
            } => {
                let entries: Vec<LogValue> = entries.iter().map(Entry::logged).collect();
                let fields = vec![
                    ("prev", (*prev).into()),
                    ("prevTerm", (*prev_term).into()),
                    ("entries", LogValue::List(entries)),
                    ("commit", (*commit).into()),
                ];
                ("append", fields)
            }
            Content::Stored { length } => ("stored", vec![("length", (*length).into())]),
            Content::Refused { length } => ("refused", vec![("length", (*length).into())]),
        };
        let common: [(&str, LogValue); 4] = [
            ("type", kind.into()),
            ("from", name(self.from).into()),
            ("to", name(self.to).into()),
            ("term", self.term.into()),
        ];
        LogValue::record(common.into_iter().chain(more))
    }
}
