//! A small Raft, for the driver of RaftDriven.tla: three nodes and a network that keeps every message.
//!
//! BUG in the environment switches a mistake on: votes-twice, no-check or stale-leader.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Json;
use crate::{Chosen, Fault};

fn has_bug(name: &str) -> bool {
    std::env::var("BUG").is_ok_and(|bug| bug == name)
}

#[derive(Clone, PartialEq)]
struct Entry {
    term: i64,
    value: i64,
}

struct Node {
    term: i64,
    role: &'static str,
    voted_for: Option<String>,
    log: Vec<Entry>,
    committed: usize,
    votes: BTreeSet<String>,
    matched: BTreeMap<String, usize>,
    sent: Vec<Json>,
}

/// A field of a message.
fn int(message: &Json, name: &str) -> i64 {
    message.get(name).and_then(Json::as_int).unwrap_or_default()
}

fn length(message: &Json, name: &str) -> usize {
    usize::try_from(int(message, name)).unwrap_or_default()
}

fn text(message: &Json, name: &str) -> String {
    message.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn entry_json(entry: &Entry) -> Json {
    Json::object([("term", entry.term), ("value", entry.value)])
}

impl Node {
    fn new(names: &[String]) -> Self {
        Self {
            term: 0,
            role: "follower",
            voted_for: None,
            log: Vec::new(),
            committed: 0,
            votes: BTreeSet::new(),
            matched: names.iter().map(|name| (name.clone(), 0)).collect(),
            sent: Vec::new(),
        }
    }

    fn send(&mut self, message: Json) {
        if !self.sent.contains(&message) {
            self.sent.push(message);
        }
    }

    fn last_term(&self, length: usize) -> i64 {
        length.checked_sub(1).and_then(|at| self.log.get(at)).map_or(0, |entry| entry.term)
    }

    fn stand(&mut self, own: &str, others: &[String]) {
        self.term += 1;
        self.role = "candidate";
        self.voted_for = Some(own.to_owned());
        self.votes = BTreeSet::from([own.to_owned()]);
        for other in others.iter().filter(|other| *other != own) {
            self.send(Json::object([
                ("type", Json::from("ask")),
                ("from", own.into()),
                ("to", other.as_str().into()),
                ("term", self.term.into()),
                ("length", self.log.len().into()),
                ("last", self.last_term(self.log.len()).into()),
            ]));
        }
    }

    fn update_term(&mut self, term: i64) {
        self.term = term;
        self.voted_for = None;
        if !has_bug("stale-leader") || self.role != "leader" {
            self.role = "follower";
        }
    }

    /// Answers a candidate of this node's term, unless it votes for another or its own log is better.
    fn vote(&mut self, own: &str, ask: &Json) {
        let from = text(ask, "from");
        let is_free = has_bug("votes-twice") || self.voted_for.as_ref().is_none_or(|voted| *voted == from);
        let theirs = (int(ask, "last"), length(ask, "length"));
        let is_up_to_date = theirs >= (self.last_term(self.log.len()), self.log.len());
        if int(ask, "term") == self.term && is_free && is_up_to_date {
            self.voted_for = Some(from.clone());
            self.send(Json::object([
                ("type", Json::from("vote")),
                ("from", own.into()),
                ("to", from.into()),
                ("term", self.term.into()),
            ]));
        }
    }

    fn lead(&mut self, own: &str, nodes: usize) -> Result<(), Fault> {
        if 2 * self.votes.len() <= nodes {
            return Err("there is no majority".into());
        }
        self.role = "leader";
        for (name, matched) in &mut self.matched {
            *matched = if name == own { self.log.len() } else { 0 };
        }
        Ok(())
    }

    fn propose(&mut self, own: &str, value: i64) {
        self.log.push(Entry { term: self.term, value });
        self.matched.insert(own.to_owned(), self.log.len());
    }

    fn replicate(&mut self, own: &str, to: &str, prev: usize) {
        self.send(Json::object([
            ("type", Json::from("append")),
            ("from", own.into()),
            ("to", to.into()),
            ("term", self.term.into()),
            ("prev", prev.into()),
            ("prevTerm", self.last_term(prev).into()),
            ("entries", Json::list(self.log[prev..].iter().map(entry_json))),
            ("commit", self.committed.into()),
        ]));
    }

    /// Stores the entries of a leader, or refuses them.
    fn append(&mut self, own: &str, message: &Json) {
        let prev = length(message, "prev");
        let is_current = int(message, "term") == self.term;
        if is_current {
            self.role = "follower";
        }
        let is_consistent = has_bug("no-check")
            || (prev <= self.log.len() && int(message, "prevTerm") == self.last_term(prev));
        if !is_current || !is_consistent {
            let refused = [
                ("type", Json::from("refused")),
                ("from", own.into()),
                ("to", text(message, "from").into()),
                ("term", self.term.into()),
                ("length", self.log.len().into()),
            ];
            return self.send(Json::object(refused));
        }
        let entries = message.get("entries").map(Json::elements).unwrap_or_default();
        let entries: Vec<Entry> = entries
            .iter()
            .map(|entry| Entry { term: int(entry, "term"), value: int(entry, "value") })
            .collect();
        let prev = prev.min(self.log.len());
        let own_part = self.log[prev..].iter().zip(&entries);
        let agrees = self.log.len() >= prev + entries.len() && own_part.clone().all(|(own, new)| own.term == new.term);
        if !agrees {
            self.log.truncate(prev);
            self.log.extend(entries.iter().cloned());
        }
        let stored = prev + entries.len();
        self.committed = self.committed.max(length(message, "commit").min(stored));
        self.send(Json::object([
            ("type", Json::from("stored")),
            ("from", own.into()),
            ("to", text(message, "from").into()),
            ("term", self.term.into()),
            ("length", stored.into()),
        ]));
    }

    fn acknowledge(&mut self, message: &Json) {
        let matched = self.matched.entry(text(message, "from")).or_default();
        *matched = (*matched).max(length(message, "length"));
    }

    fn advance(&mut self, length: usize) -> Result<(), Fault> {
        let stored = self.matched.values().filter(|matched| **matched >= length).count();
        if 2 * stored <= self.matched.len() || self.last_term(length) != self.term {
            return Err("not stored by a majority in this term".into());
        }
        self.committed = length;
        Ok(())
    }
}

// omnilink: begin system
pub struct System {
    names: Vec<String>,
    nodes: BTreeMap<String, Node>,
}

impl System {
    pub fn start(state: &Json) -> Result<Self, Fault> {
        let terms = state.get("term").ok_or("there is no term")?;
        let names: Vec<String> = terms.fields().iter().map(|(name, _)| name.clone()).collect();
        let nodes = names.iter().map(|name| (name.clone(), Node::new(&names)));
        Ok(Self { nodes: nodes.collect(), names })
    }

    pub fn observe(&mut self) -> Json {
        let each = |value: &dyn Fn(&Node) -> Json| {
            Json::object(self.nodes.iter().map(|(name, node)| (name.clone(), value(node))))
        };
        Json::object([
            ("term", each(&|node| node.term.into())),
            ("role", each(&|node| node.role.into())),
            ("votedFor", each(&|node| node.voted_for.clone().unwrap_or_else(|| "none".to_owned()).into())),
            ("log", each(&|node| Json::list(node.log.iter().map(entry_json)))),
            ("committed", each(&|node| node.committed.into())),
            ("sent", each(&|node| Json::List(node.sent.clone()))),
        ])
    }

    fn node(&mut self, name: &str) -> Result<&mut Node, Fault> {
        self.nodes.get_mut(name).ok_or_else(|| format!("there is no node {name}").into())
    }

    /// The node that a message is for.
    fn receiver(&mut self, message: &Json) -> Result<(String, &mut Node), Fault> {
        let to = text(message, "to");
        Ok((to.clone(), self.node(&to)?))
    }
}
// omnilink: end system

// omnilink: begin action Timeout(n: String)
pub fn timeout(system: &mut System, n: String) -> Result<Chosen, Fault> {
    let names = system.names.clone();
    system.node(&n)?.stand(&n, &names);
    Ok(vec![])
}
// omnilink: end action Timeout

// omnilink: begin action Lead(n: String)
pub fn lead(system: &mut System, n: String) -> Result<Chosen, Fault> {
    let nodes = system.names.len();
    system.node(&n)?.lead(&n, nodes)?;
    Ok(vec![])
}
// omnilink: end action Lead

// omnilink: begin action Propose(n: String, v: i64)
pub fn propose(system: &mut System, n: String, v: i64) -> Result<Chosen, Fault> {
    system.node(&n)?.propose(&n, v);
    Ok(vec![])
}
// omnilink: end action Propose

// omnilink: begin action Replicate(n: String, to: String, prev: i64)
pub fn replicate(system: &mut System, n: String, to: String, prev: i64) -> Result<Chosen, Fault> {
    system.node(&n)?.replicate(&n, &to, prev as usize);
    Ok(vec![])
}
// omnilink: end action Replicate

// omnilink: begin action Advance(n: String, length: i64)
pub fn advance(system: &mut System, n: String, length: i64) -> Result<Chosen, Fault> {
    system.node(&n)?.advance(length as usize)?;
    Ok(vec![])
}
// omnilink: end action Advance

// omnilink: begin action UpdateTerm(m: Json)
pub fn update_term(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    system.receiver(&m)?.1.update_term(int(&m, "term"));
    Ok(vec![])
}
// omnilink: end action UpdateTerm

// omnilink: begin action Grant(m: Json)
pub fn grant(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    let (own, node) = system.receiver(&m)?;
    node.vote(&own, &m);
    Ok(vec![])
}
// omnilink: end action Grant

// omnilink: begin action Deny(m: Json)
pub fn deny(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    grant(system, m)
}
// omnilink: end action Deny

// omnilink: begin action Count(m: Json)
pub fn count(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    system.receiver(&m)?.1.votes.insert(text(&m, "from"));
    Ok(vec![])
}
// omnilink: end action Count

// omnilink: begin action Store(m: Json)
pub fn store(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    let (own, node) = system.receiver(&m)?;
    node.append(&own, &m);
    Ok(vec![])
}
// omnilink: end action Store

// omnilink: begin action Refuse(m: Json)
pub fn refuse(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    store(system, m)
}
// omnilink: end action Refuse

// omnilink: begin action Acknowledge(m: Json)
pub fn acknowledge(system: &mut System, m: Json) -> Result<Chosen, Fault> {
    system.receiver(&m)?.1.acknowledge(&m);
    Ok(vec![])
}
// omnilink: end action Acknowledge

// omnilink: new sections are inserted above this line
