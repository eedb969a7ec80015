//! Remembering what evaluation gave, by what it looked at.
//!
//! Neighbouring states differ little, and an action looks at little of a state: `pc[i]` decides whether process `i` can
//! move at all. So the answers of actions and of costly formulas are kept in a [tree](tree) per *site* (a node of the
//! program): each inner node names a [place](place) — a variable or a slot, and a path into it — and branches on what is
//! seen there; a leaf is the answer. An action's answer is the list of its next states, each as [edits](edit) of the
//! current one, so that `[pc EXCEPT ![i] = "done"]` is the same answer whatever the rest of `pc` is.
//!
//! **Why this is sound.** Evaluation is deterministic, and its only inputs are the state, the slots that are free in the
//! node, and which next values are already given when it starts. While an answer is found for the first time, every look at
//! an input is logged in order. By induction over the log: as long as another evaluation sees the same at the places
//! logged so far, it has taken the same path, so it looks at the same place next. At the end of the log it has therefore the same
//! answer. Inputs that are looked at without being logged would break this, so:
//!
//! - what reads registers, chance or the world is no site, nor anything around it (`Uses::impure`);
//! - while logging, nothing is taken from caches that hide looks (`PerState`), and [`Evaluator::peek`] gives nothing;
//! - a slot that is not bound inside the site is an input, and so is the unevaluated argument in it; whatever was looked
//!   at to evaluate that argument follows from it;
//! - an edit's source (`pc` above) is not looked at, because the answer is an edit of whatever is there; as soon as the next
//!   value is itself looked at, its source is logged as a whole. An edit that does not fit the value it meets (no such key,
//!   not a set) is not applied: evaluation runs instead, and says what is wrong;
//! - which next values are given at the start must be the same always, else the site is passed by; looking at one of them,
//!   or evaluating `ENABLED` and `\cdot`, which change states midway, spoils the log: nothing is kept.
//!
//! Errors are never kept: they are found anew, with everything that there is to say about them.
//!
//! **When it does not pay.** A site that rarely knows the answer is switched off, and its parts, which are sites of their
//! own, go on: the invariant over all processes may never meet the same state twice while the sum over one of them does.

mod common;
mod edit;
mod editing;
mod exchange;
mod lesson;
mod log;
mod naming;
mod noting;
mod place;
mod replay;
mod tree;

use std::rc::Rc;
use std::sync::Arc;

use common::Common;
use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::Datum;
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::step::{Found, Rest};
pub(crate) use edit::Edit;
pub use exchange::Exchange;
use lesson::Together;
use log::Log;
use noting::Logging;
use omnilink_tla_ir::Node;
use place::{Place, Seen};
use tree::{Looked, Tree, Walked, Weigh};

/// What is remembered, and what is being logged.
pub(crate) struct Memory {
    sites: Vec<Site>,
    /// What the trees share.
    common: Common,
    log: Log,
    /// How the next value of each variable was made, as far as that was logged.
    edits: Vec<Edit>,
    /// The variables that had a next value when the innermost action that is being logged began.
    given: u128,
    /// Bytes that may still be used for trees, about.
    room: usize,
    /// The others who learn, if there are any.
    together: Option<Together>,
}

/// One node of the program that is remembered.
#[derive(Default)]
struct Site {
    tree: Tree<Answer>,
    asked: u32,
    known: u32,
    is_off: bool,
    /// The variables that have a next value whenever an action begins here.
    given: Option<u128>,
}

impl Site {
    /// Switches the site off if it has not been worth it.
    #[cold]
    fn judge(&mut self) {
        self.is_off = self.known < GLANCE_KNOWN_MIN;
        if self.asked == TRIAL {
            self.is_off |= self.known < TRIAL_KNOWN_MIN;
            (self.asked, self.known) = (0, 0);
        }
    }

    /// Whether answers have been coming back, or it is too early to tell: others should hear of them. A site that has known less
    /// than half of them will be switched off.
    fn is_promising(&self) -> bool {
        self.asked < GLANCE || self.known >= self.asked / 2
    }
}

/// What a site gave.
#[derive(Clone, Debug)]
enum Answer {
    Value(Value),
    Next(Arc<[Successor]>),
}

/// One way in which an action goes on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Successor {
    action: Option<u32>,
    edits: Box<[(u32, Edit)]>,
}

impl Answer {
    /// The same answer in memory that all trees share.
    fn shared(self, common: &mut Common) -> Self {
        match self {
            Answer::Value(value) => Answer::Value(common.value(&value, || value.clone())),
            Answer::Next(successors) => {
                Answer::Next(common.steps.shared(&*successors, || successors.clone()))
            }
        }
    }
}

impl Weigh for Answer {
    fn bytes(&self) -> usize {
        match self {
            Answer::Value(value) => value.bytes(),
            Answer::Next(successors) => {
                let edits = successors.iter().flat_map(|successor| &successor.edits);
                successors.len() * size_of::<Successor>() + edits.map(|(_, edit)| edit.bytes()).sum::<usize>()
            }
        }
    }
}
/// What is known at a site.
enum Asked {
    /// The leaf with the answer.
    Known(u32),
    /// Nothing yet: to be logged.
    Unknown,
    /// Not here.
    Never,
}

/// After this many questions, a site must have known some answers: what looks at the whole state knows none, and is what
/// costs most to write down. Measured on the benchmark specs, sites that are worth it have known more than a tenth by then.
const GLANCE: u32 = 256;
const GLANCE_KNOWN_MIN: u32 = 4;
/// After this many questions, a site must have known five eighths of the answers: finding one out, writing it down and telling
/// it takes as long as a few that are known save. Measured: AltBit takes a fifth less time than with one quarter.
const TRIAL: u32 = 16 * GLANCE;
const TRIAL_KNOWN_MIN: u32 = TRIAL / 8 * 5;
/// Bytes for all trees, about, unless it is said otherwise. An evaluator has them for itself.
const ROOM: usize = 48 << 20;
/// Next states in one answer.
const SUCCESSORS_MAX: usize = 256;
/// Variables that fit the set of given ones.
const VARIABLES_MAX: usize = 128;

impl<'p> Evaluator<'p> {
    /// Remembers from now on. What is found this way says which action a step is, but not its bindings.
    pub fn remember(&mut self) {
        self.remember_within(ROOM);
    }

    /// The same, within so many bytes, about.
    pub fn remember_within(&mut self, bytes: usize) {
        let variables = self.program.variables.len();
        if variables > VARIABLES_MAX {
            return;
        }
        self.memory = Some(Box::new(Memory {
            sites: (0..self.program.memo_points).map(|_| Site::default()).collect(),
            common: Common::default(),
            log: Log::default(),
            edits: vec![Edit::Same; variables],
            given: 0,
            room: bytes,
            together: None,
        }));
    }

    /// Works without remembering: what is asked for once costs more to write down than to find out.
    pub fn unremembered<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let memory = self.memory.take();
        let result = work(self);
        self.memory = memory;
        result
    }

    /// Whether this evaluation can be remembered at all: what is counted or explained must really happen.
    fn may_recall(&self) -> bool {
        self.memory.is_some() && !self.primed && self.refusals.is_none() && self.coverage.is_none()
    }

    /// The value at a site.
    #[inline(never)]
    pub(super) fn recall_value(&mut self, site: u32, inner: &'p Node) -> Outcome<Datum<'p>> {
        if inner.uses.next || !self.may_recall() {
            return self.eval(inner);
        }
        match self.ask(site) {
            Asked::Never => self.eval(inner),
            Asked::Known(leaf) => match self.answer(site, leaf) {
                Some(Answer::Value(value)) => Ok(Datum::Value(value.clone())),
                _ => self.eval(inner),
            },
            Asked::Unknown => {
                let logging = self.begin_log();
                let result = self.eval(inner);
                if let Ok(Datum::Value(value)) = &result {
                    let value = value.clone();
                    self.learn(site, inner, &logging, Answer::Value(value));
                }
                self.end_log(logging);
                result
            }
        }
    }

    /// The next states that a site allows.
    #[inline(never)]
    pub(super) fn recall_step(
        &mut self,
        site: u32,
        inner: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        if !self.may_recall() {
            return self.step(inner, rest, found);
        }
        match self.ask(site) {
            Asked::Never => self.step(inner, rest, found),
            Asked::Known(leaf) => match self.replay(site, leaf, rest, found) {
                Some(flow) => flow,
                None => self.step(inner, rest, found),
            },
            Asked::Unknown => self.step_and_learn(site, inner, rest, found),
        }
    }

    fn step_and_learn(
        &mut self,
        site: u32,
        inner: &'p Node,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let given = self.given();
        let Some(memory) = &mut self.memory else {
            return self.step(inner, rest, found);
        };
        let here = &mut memory.sites[site as usize];
        if *here.given.get_or_insert(given) != given {
            return self.step(inner, rest, found);
        }
        let outer_given = std::mem::replace(&mut memory.given, given);
        let logging = self.begin_log();
        let mut successors = Vec::new();
        let mut later = Vec::new();
        let flow = self.step(inner, &Rest::Done, &mut |this: &mut Self| {
            if successors.len() < SUCCESSORS_MAX {
                successors.push(this.successor(given));
            } else {
                this.spoil_log();
            }
            // What follows the site is not its own: neither what it looks at nor what it gives. It is looked at by the
            // site around this one, if there is one: after this one.
            let mark = this.memory.as_mut().map_or(0, |memory| {
                memory.given = outer_given;
                memory.log.len()
            });
            this.logging = logging.was;
            let flow = this.resume_rest(rest, found);
            this.logging = true;
            if let Some(memory) = &mut this.memory {
                memory.given = given;
                memory.log.split_off(mark, &mut later);
            }
            flow
        });
        if matches!(flow, Ok(Flow::Go)) {
            self.learn(site, inner, &logging, Answer::Next(successors.into()));
        }
        let is_inside = logging.was;
        self.end_log(logging);
        if let Some(memory) = &mut self.memory {
            memory.given = outer_given;
            if is_inside {
                memory.log.append(later);
            }
        }
        flow
    }

    /// The variables that have a next value, one bit each.
    fn given(&self) -> u128 {
        let bits = self.known.iter().zip(0u32..);
        bits.fold(0, |given, (known, at)| given | u128::from(*known) << at)
    }

    fn successor(&self, given: u128) -> Successor {
        let edits = self.memory.as_ref().map_or(&[][..], |memory| &memory.edits);
        let mine = (0u32..)
            .zip(edits)
            .filter(|(at, _)| self.known[*at as usize] && given >> at & 1 == 0);
        Successor {
            action: self.taken.map(|taken| taken.action),
            edits: mine.map(|(at, edit)| (at, edit.clone())).collect(),
        }
    }

    fn answer(&self, site: u32, leaf: u32) -> Option<&Answer> {
        self.memory.as_ref()?.sites.get(site as usize)?.tree.leaf(leaf)
    }

    /// What is known at a site about what is to be seen now.
    fn ask(&mut self, site: u32) -> Asked {
        let Some(memory) = &mut self.memory else {
            return Asked::Never;
        };
        let here = &mut memory.sites[site as usize];
        if here.is_off {
            return Asked::Never;
        }
        here.asked += 1;
        if here.asked.is_multiple_of(GLANCE) {
            here.judge();
            if here.is_off {
                memory.room += here.tree.forget();
                memory.common.forget();
                return Asked::Never;
            }
        }
        loop {
            let Some(memory) = &mut self.memory else {
                return Asked::Never;
            };
            let here = &mut memory.sites[site as usize];
            let log = self.logging.then_some(&mut memory.log);
            match here.tree.walk(&self.state, &self.slots, self.base, log) {
                Walked::Leaf(leaf) => {
                    here.known += 1;
                    return Asked::Known(leaf);
                }
                Walked::Unseen if memory.hear() => {}
                Walked::Unseen if memory.room == 0 => return Asked::Never,
                Walked::Unseen => return Asked::Unknown,
                // Evaluation would look at this argument now, so it may as well be evaluated now; if that fails, it will
                // fail again where the error belongs.
                Walked::Unevaluated(slot) => match self.local(slot) {
                    Ok(Datum::Value(_)) => {}
                    _ => return Asked::Never,
                },
            }
        }
    }
    /// Keeps an answer under what was looked at to find it.
    fn learn(&mut self, site: u32, node: &Node, logging: &Logging, answer: Answer) {
        let Some(memory) = &mut self.memory else { return };
        let Some(places) = memory
            .log
            .inputs(logging.start, self.base, logging.top, node.uses.slots)
        else {
            return;
        };
        // Only what can be seen can be found again; nothing is added unless all of it can.
        let looks: Option<SmallVec<[_; 8]>> = places
            .iter()
            .map(|place| {
                let seen = place.look(&self.state, &self.slots, self.base)?;
                Some(OwnLook { place, seen })
            })
            .collect();
        let Some(looks) = looks else { return };
        let answer = answer.shared(&mut memory.common);
        memory.tell(site, &looks, &answer);
        let tree = &mut memory.sites[site as usize].tree;
        let made = tree.insert(looks, &mut memory.common, || answer);
        memory.room = memory.room.saturating_sub(made);
    }
}

/// What this evaluator has seen.
struct OwnLook<'l> {
    place: &'l Rc<Place>,
    seen: Seen<'l>,
}

impl Looked for OwnLook<'_> {
    fn place(&self) -> &Place {
        self.place
    }

    fn seen(&self) -> Seen<'_> {
        self.seen
    }

    fn kept_place(&self, common: &mut Common) -> Rc<Place> {
        common.places.shared(&**self.place, || self.place.clone())
    }

    fn kept_value(&self, common: &mut Common) -> Value {
        match self.seen {
            Seen::Value(value) => common.value(value, || value.clone()),
            Seen::Truth(truth) => Value::bool(truth),
        }
    }
}
