//! One node: its state, and what it does when a message arrives or time has passed.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use omnilink_record::{LogValue, LogWriter};

use crate::message::{Content, Entry, Message, name};
use crate::{Bug, Random};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Follower,
    Candidate,
    Leader,
}

impl Role {
    fn text(self) -> &'static str {
        match self {
            Self::Follower => "follower",
            Self::Candidate => "candidate",
            Self::Leader => "leader",
        }
    }
}

pub struct Node {
    id: usize,
    term: u32,
    role: Role,
    voted_for: Option<usize>,
    log: Vec<Entry>,
    committed: u32,
    votes: BTreeSet<usize>,
    matched: Vec<u32>,
    /// How many entries each other node is thought to have.
    prev: Vec<u32>,
    others: Vec<Sender<Message>>,
    inbox: Receiver<Message>,
    writer: LogWriter,
    random: Random,
    bug: Option<Bug>,
    next_value: u32,
}

impl Node {
    pub fn new(
        id: usize,
        others: Vec<Sender<Message>>,
        inbox: Receiver<Message>,
        writer: LogWriter,
        random: Random,
        bug: Option<Bug>,
    ) -> Self {
        let nodes = others.len();
        Self {
            id,
            term: 0,
            role: Role::Follower,
            voted_for: None,
            log: Vec::new(),
            committed: 0,
            votes: BTreeSet::new(),
            matched: vec![0; nodes],
            prev: vec![0; nodes],
            others,
            inbox,
            writer,
            random,
            bug,
            next_value: id as u32 * 100,
        }
    }

    /// Takes part until the time is over.
    pub fn run(mut self, until: Instant) -> io::Result<()> {
        let mut wait = self.election_timeout();
        while Instant::now() < until {
            match self.inbox.recv_timeout(wait) {
                Ok(message) => {
                    self.writer.received(&message.stamp);
                    let resets_timeout = self.receive(&message)?;
                    if resets_timeout && self.role == Role::Follower {
                        wait = self.election_timeout();
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.role == Role::Leader => {
                    self.lead_on()?;
                    wait = Duration::from_millis(3);
                    // Now and then a leader is slow, and the others elect a new one.
                    if self.random.below(8) == 0 {
                        std::thread::sleep(Duration::from_millis(25));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.stand()?;
                    wait = self.election_timeout();
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.role == Role::Leader {
                wait = wait.min(Duration::from_millis(3));
            }
        }
        Ok(())
    }

    fn election_timeout(&mut self) -> Duration {
        Duration::from_millis(7 + self.random.below(6) as u64)
    }

    fn length(&self) -> u32 {
        self.log.len() as u32
    }

    fn term_at(&self, length: u32) -> u32 {
        let last = (length as usize).checked_sub(1).and_then(|at| self.log.get(at));
        last.map_or(0, |entry| entry.term)
    }

    /// Sends after the step is logged. One message of six is lost.
    fn send(&mut self, to: usize, content: Content) {
        let message = Message {
            from: self.id,
            to,
            term: self.term,
            content,
            stamp: self.writer.stamp(),
        };
        if self.random.below(6) != 0 {
            // A node that has ended hears nothing.
            let _ = self.others[to].send(message);
        }
    }

    fn observe_term(&mut self) {
        let me = name(self.id);
        let voted_for = self.voted_for.map_or("none".to_owned(), name);
        self.writer.observe("term").at(&me).set(self.term);
        self.writer.observe("role").at(&me).set(self.role.text());
        self.writer.observe("votedFor").at(&me).set(voted_for);
    }

    fn log_step<V: Into<LogValue>>(
        &mut self,
        event: &str,
        args: impl IntoIterator<Item = V>,
    ) -> io::Result<()> {
        self.writer.log(event, args)
    }

    /// Stands for election.
    fn stand(&mut self) -> io::Result<()> {
        self.term += 1;
        self.role = Role::Candidate;
        self.voted_for = Some(self.id);
        self.votes = BTreeSet::from([self.id]);
        self.observe_term();
        self.log_step("Timeout", [name(self.id)])?;
        let (length, last) = (self.length(), self.term_at(self.length()));
        for to in self.peers() {
            self.send(to, Content::Ask { length, last });
        }
        Ok(())
    }

    fn peers(&self) -> Vec<usize> {
        (0..self.others.len()).filter(|other| *other != self.id).collect()
    }

    fn is_majority(&self, nodes: usize) -> bool {
        2 * nodes > self.others.len()
    }

    /// What a leader does now and then: it proposes, and sends what others lack.
    fn lead_on(&mut self) -> io::Result<()> {
        if self.log.len() < 8 && self.random.below(2) == 0 {
            self.next_value += 1;
            let entry = Entry {
                term: self.term,
                value: self.next_value,
            };
            self.log.push(entry.clone());
            self.matched[self.id] = self.length();
            self.writer
                .observe("log")
                .at(name(self.id))
                .append(entry.logged());
            self.log_step("Propose", [LogValue::from(name(self.id)), entry.value.into()])?;
            if self.bug == Some(Bug::EarlyCommit) {
                self.advance(self.length())?;
            }
        }
        for to in self.peers() {
            let prev = self.prev[to];
            let args: [LogValue; 3] = [name(self.id).into(), name(to).into(), prev.into()];
            self.log_step("Replicate", args)?;
            let content = Content::Append {
                prev,
                prev_term: self.term_at(prev),
                entries: self.log[prev as usize..].to_vec(),
                commit: self.committed,
            };
            self.send(to, content);
        }
        Ok(())
    }

    fn advance(&mut self, length: u32) -> io::Result<()> {
        self.committed = length;
        self.writer.observe("committed").at(name(self.id)).set(length);
        self.log_step("Advance", [LogValue::from(name(self.id)), length.into()])
    }

    /// Handles a message. Returns whether it resets the election timeout.
    fn receive(&mut self, message: &Message) -> io::Result<bool> {
        let is_new_term = message.term > self.term;
        if is_new_term {
            self.term = message.term;
            self.role = Role::Follower;
            self.voted_for = None;
            self.observe_term();
        }
        let is_current = message.term == self.term;
        match &message.content {
            Content::Ask { length, last } => self.asked(message, *length, *last),
            Content::Vote if is_current && self.role == Role::Candidate => {
                self.votes.insert(message.from);
                self.log_step("Count", [message.logged()])?;
                if self.is_majority(self.votes.len()) {
                    self.role = Role::Leader;
                    self.matched = vec![0; self.others.len()];
                    self.matched[self.id] = self.length();
                    self.prev = vec![self.length(); self.others.len()];
                    self.writer.observe("role").at(name(self.id)).set("leader");
                    self.log_step("Lead", [name(self.id)])?;
                }
                Ok(true)
            }
            Content::Append { .. } => self.appended(message),
            Content::Stored { length } if is_current && self.role == Role::Leader => {
                let own = &mut self.matched[message.from];
                *own = (*own).max(*length);
                self.prev[message.from] = *own;
                self.log_step("Acknowledge", [message.logged()])?;
                self.advance_if_possible()?;
                Ok(true)
            }
            Content::Refused { length } if is_current && self.role == Role::Leader => {
                let own = &mut self.prev[message.from];
                *own = own.saturating_sub(1).min(*length);
                Ok(true)
            }
            // Nothing but the term was news.
            _ if is_new_term => {
                self.log_step("UpdateTerm", [message.logged()])?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn asked(&mut self, message: &Message, length: u32, last: u32) -> io::Result<bool> {
        let own = (self.term_at(self.length()), self.length());
        let may_vote = self.voted_for.is_none_or(|voted| voted == message.from)
            || (self.bug == Some(Bug::VoteTwice) && self.role != Role::Leader);
        if message.term == self.term && may_vote && (last, length) >= own {
            self.voted_for = Some(message.from);
            let voted_for = name(message.from);
            self.writer.observe("votedFor").at(name(self.id)).set(voted_for);
            self.log_step("Grant", [message.logged()])?;
            self.send(message.from, Content::Vote);
            return Ok(true);
        }
        self.log_step("Deny", [message.logged()])?;
        Ok(false)
    }

    fn appended(&mut self, message: &Message) -> io::Result<bool> {
        let Content::Append {
            prev,
            prev_term,
            entries,
            commit,
        } = &message.content
        else {
            return Ok(false);
        };
        let me = name(self.id);
        let is_current = message.term == self.term;
        if is_current && self.role == Role::Candidate {
            self.role = Role::Follower;
            self.writer.observe("role").at(&me).set("follower");
        }
        let is_consistent = *prev <= self.length() && self.term_at(*prev) == *prev_term;
        if !is_current || !(is_consistent || self.bug == Some(Bug::NoCheck)) {
            self.log_step("Refuse", [message.logged()])?;
            let length = self.length();
            self.send(message.from, Content::Refused { length });
            return Ok(is_current);
        }
        let prev_at = (*prev as usize).min(self.log.len());
        let own = self.log.get(prev_at..prev_at + entries.len());
        let agrees = own.is_some_and(|own| own.iter().zip(entries).all(|(own, new)| own.term == new.term));
        if !agrees {
            self.log.truncate(prev_at);
            self.log.extend(entries.iter().cloned());
            let entries: Vec<LogValue> = self.log.iter().map(Entry::logged).collect();
            self.writer.observe("log").at(&me).set(LogValue::List(entries));
        }
        let length = *prev + entries.len() as u32;
        let commit = (*commit).min(length);
        if commit > self.committed {
            self.committed = commit;
            self.writer.observe("committed").at(&me).set(commit);
        }
        self.log_step("Store", [message.logged()])?;
        self.send(message.from, Content::Stored { length });
        Ok(true)
    }

    /// Commits what a majority has.
    fn advance_if_possible(&mut self) -> io::Result<()> {
        for length in (self.committed + 1..=self.length()).rev() {
            let have = self.matched.iter().filter(|matched| **matched >= length).count();
            if self.term_at(length) == self.term && self.is_majority(have) {
                return self.advance(length);
            }
        }
        Ok(())
    }
}
