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
//! - what reads registers, chance or the world is no site, nor anything around it (`Uses::world`);
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

mod edit;
mod log;
mod place;
mod tree;

use std::rc::Rc;

use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::Datum;
use super::error::{Outcome, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::slot::Slot;
use super::step::{Found, Rest, Taken};
use crate::ir::{Kind, Node, Step, Two, Update};
pub(crate) use edit::Edit;
use log::Log;
pub(crate) use place::{Place, Root};
use tree::{Tree, Walked, Weigh};

/// What is remembered, and what is being logged.
pub(crate) struct Memory {
    sites: Vec<Site>,
    log: Log,
    /// How the next value of each variable was made, as far as that was logged.
    edits: Vec<Edit>,
    /// The variables that had a next value when the innermost action that is being logged began.
    given: u128,
    /// Bytes that may still be used for trees, about.
    room: usize,
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

/// What a site gave.
enum Answer {
    Value(Value),
    Next(Box<[Successor]>),
}

/// One way in which an action goes on.
struct Successor {
    action: Option<u32>,
    edits: Box<[(u32, Edit)]>,
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

/// A remembered next state before it is reported.
enum Prepared {
    Hashes(Hashes),
    Values(NextValues),
}

type Hashes = SmallVec<[u64; 6]>;
type NextValues = Vec<(u32, Value)>;

/// What is known at a site.
enum Asked {
    /// The leaf with the answer.
    Known(u32),
    /// Nothing yet: to be logged.
    Unknown,
    /// Not here.
    Never,
}

/// After this many questions, a site must have known a quarter of the answers.
const TRIAL: u32 = 4096;
/// Bytes for all trees, about. A worker has them for itself.
const ROOM: usize = 48 << 20;
/// Next states in one answer.
const SUCCESSORS_MAX: usize = 256;
/// Variables that fit the set of given ones.
const VARIABLES_MAX: usize = 128;

impl<'p> Evaluator<'p> {
    /// Remembers from now on. What is found this way says which action a step is, but not its bindings.
    pub fn remember(&mut self) {
        let variables = self.program.variables.len();
        if variables > VARIABLES_MAX {
            return;
        }
        self.memory = Some(Box::new(Memory {
            sites: (0..self.program.recall_sites).map(|_| Site::default()).collect(),
            log: Log::default(),
            edits: vec![Edit::Same; variables],
            given: 0,
            room: ROOM,
        }));
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
        loop {
            let Some(memory) = &mut self.memory else {
                return Asked::Never;
            };
            let here = &mut memory.sites[site as usize];
            if here.is_off {
                return Asked::Never;
            }
            here.asked += 1;
            if here.asked == TRIAL {
                here.is_off = here.known < TRIAL / 4;
                (here.asked, here.known) = (0, 0);
                if here.is_off {
                    memory.room += here.tree.forget();
                    return Asked::Never;
                }
            }
            let log = self.logging.then_some(&mut memory.log);
            match here.tree.walk(&self.state, &self.slots, self.base, log) {
                Walked::Leaf(leaf) => {
                    here.known += 1;
                    return Asked::Known(leaf);
                }
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

    /// Goes on with the next states that are remembered. `None` if they do not fit the state.
    fn replay(
        &mut self,
        site: u32,
        leaf: u32,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Option<Outcome<Flow>> {
        let Some(Answer::Next(successors)) = self.answer(site, leaf) else {
            return None;
        };
        if successors.is_empty() {
            return Some(Ok(Flow::Go));
        }
        let expected = self.memory.as_ref()?.sites.get(site as usize)?.given;
        if expected != Some(self.given()) {
            return None;
        }
        // Where nothing is left to do, the hashes of a next state say whether it has to be made at all.
        let may_be_known = rest.is_done() && !self.logging;
        // All of them before the first is reported: should one not fit, evaluation reports them all.
        let mut prepared: SmallVec<[Prepared; 1]> = SmallVec::new();
        for successor in successors {
            let hashes = if may_be_known {
                self.hashes(successor)
            } else {
                None
            };
            prepared.push(match hashes {
                Some(hashes) => Prepared::Hashes(hashes),
                None => Prepared::Values(self.made(successor)?),
            });
        }
        for (which, prepared) in prepared.iter_mut().enumerate() {
            if let Prepared::Hashes(hashes) = prepared {
                let taken = self.taken_by(site, leaf, which);
                if found.is_known(hashes, taken) {
                    continue;
                }
                match self
                    .successor_at(site, leaf, which)
                    .and_then(|successor| self.made(successor))
                {
                    Some(values) => *prepared = Prepared::Values(values),
                    None => return Some(Err(type_error("a remembered step does not fit its state"))),
                }
            }
            if let Prepared::Values(values) = prepared {
                let flow = self.replay_one(site, leaf, which, values, rest, found);
                if !matches!(flow, Ok(Flow::Go)) {
                    return Some(flow);
                }
            }
        }
        Some(Ok(Flow::Go))
    }

    fn successor_at(&self, site: u32, leaf: u32, which: usize) -> Option<&Successor> {
        match self.answer(site, leaf)? {
            Answer::Next(successors) => successors.get(which),
            Answer::Value(_) => None,
        }
    }

    fn taken_by(&self, site: u32, leaf: u32, which: usize) -> Option<Taken> {
        let action = self
            .successor_at(site, leaf, which)
            .and_then(|successor| successor.action);
        match action {
            Some(action) => Some(Taken { action, base: None }),
            None => self.taken,
        }
    }

    /// The values that a remembered step gives; `None` if it does not fit the state.
    fn made(&self, successor: &Successor) -> Option<NextValues> {
        let values = successor.edits.iter();
        values
            .map(|(variable, edit)| Some((*variable, edit.apply(*variable, &self.state)?)))
            .collect()
    }

    /// The hashes of all values of the next state, if they can be had without making it.
    #[inline]
    fn hashes(&self, successor: &Successor) -> Option<Hashes> {
        if successor.edits.len() != self.next.len() {
            return None;
        }
        // The edits are in the order of the variables.
        let mut hashes = Hashes::new();
        for (variable, edit) in &successor.edits {
            hashes.push(edit.hash(*variable, &self.state)?);
        }
        Some(hashes)
    }

    fn replay_one(
        &mut self,
        site: u32,
        leaf: u32,
        which: usize,
        values: &mut [(u32, Value)],
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        let outer = self.taken;
        self.taken = self.taken_by(site, leaf, which);
        if self.logging
            && let Some(successor) = self.successor_at(site, leaf, which)
        {
            for (variable, edit) in successor.edits.to_vec() {
                self.note_edit(variable, edit);
            }
        }
        for (variable, value) in values.iter_mut() {
            std::mem::swap(&mut self.next[*variable as usize], value);
            self.known[*variable as usize] = true;
        }
        self.unassigned -= values.len();
        let flow = self.resume_rest(rest, found);
        for (variable, _) in values.iter() {
            self.known[*variable as usize] = false;
        }
        self.unassigned += values.len();
        self.taken = outer;
        flow
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
        let here = &mut memory.sites[site as usize];
        let made = here
            .tree
            .insert(&places, &self.state, &self.slots, self.base, answer);
        memory.room = memory.room.saturating_sub(made);
    }
}

/// A log that is being kept.
pub(super) struct Logging {
    /// Where it starts.
    start: usize,
    /// The first slot that is not there yet.
    top: usize,
    /// Whether one was kept around it.
    was: bool,
    was_spoilt: bool,
}

/// What is written to the log.
impl<'p> Evaluator<'p> {
    fn begin_log(&mut self) -> Logging {
        let top = self.slots.len();
        let was = std::mem::replace(&mut self.logging, true);
        let (start, was_spoilt) = match &mut self.memory {
            Some(memory) => (memory.log.len(), memory.log.begin()),
            None => (0, false),
        };
        Logging {
            start,
            top,
            was,
            was_spoilt,
        }
    }

    fn end_log(&mut self, logging: Logging) {
        self.logging = logging.was;
        if let Some(memory) = &mut self.memory {
            memory.log.end(logging.start, logging.was, logging.was_spoilt);
        }
    }

    /// Nothing that is being logged can be remembered.
    pub(super) fn spoil_log(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.log.spoil();
        }
    }

    /// A look at a slot. Gives where it is in the log, for what is looked at on its account.
    #[inline(never)]
    pub(super) fn note_slot(&mut self, slot: u32) -> Option<usize> {
        let base = self.base;
        self.note(Place::whole(Root::Slot(slot)), base)
    }

    /// A look at which expression a slot holds.
    #[inline(never)]
    pub(super) fn note_which(&mut self, slot: u32) {
        let base = self.base;
        self.note(Place::which(slot), base);
    }

    /// A look at a variable of the current state.
    #[inline(never)]
    pub(super) fn note_variable(&mut self, variable: u32) {
        self.note(Place::whole(Root::Variable(variable)), 0);
    }

    /// A look at a variable of the next state.
    #[inline(never)]
    pub(super) fn note_next(&mut self, variable: u32) {
        let Some(memory) = &mut self.memory else { return };
        if memory.given >> variable & 1 == 1 {
            memory.log.spoil();
            return;
        }
        if let Some(source) = memory.edits[variable as usize].source(variable) {
            self.note_variable(source);
        }
    }

    fn note(&mut self, place: Place, base: usize) -> Option<usize> {
        let memory = self.memory.as_mut()?;
        Some(memory.log.push(Rc::new(place), base))
    }

    /// Evaluates what a slot holds, on account of the look that is in the log.
    pub(super) fn on_account_of<T>(&mut self, look: Option<usize>, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.memory.as_mut().map(|memory| memory.log.set_account(look));
        let result = run(self);
        if let (Some(memory), Some(outer)) = (&mut self.memory, outer) {
            memory.log.set_account(outer);
        }
        result
    }

    /// How a variable got its next value.
    pub(super) fn note_edit(&mut self, variable: u32, edit: Edit) {
        if let Some(memory) = &mut self.memory {
            memory.edits[variable as usize] = edit;
        }
    }

    /// The edits so far, put aside while another next state is made.
    pub(super) fn take_edits(&mut self) -> Vec<Edit> {
        match &mut self.memory {
            Some(memory) => {
                let size = memory.edits.len();
                std::mem::replace(&mut memory.edits, vec![Edit::Same; size])
            }
            None => Vec::new(),
        }
    }

    pub(super) fn put_edits(&mut self, edits: Vec<Edit>) {
        if let Some(memory) = &mut self.memory {
            memory.edits = edits;
        }
    }

    /// The place that an expression names, while logging: a variable or a name, and a path whose arguments are evaluated.
    pub(super) fn named_place(&mut self, node: &'p Node) -> Outcome<Option<Place>> {
        let (root, steps) = match &node.kind {
            Kind::Path(root, steps) => (&**root, &**steps),
            _ => (node, &[][..]),
        };
        let root = match root.kind {
            Kind::Var(variable) if !self.primed && !self.state.is_empty() => Root::Variable(variable),
            Kind::Local(slot) if matches!(self.slot(slot), Slot::Datum(Datum::Value(_))) => Root::Slot(slot),
            _ => return Ok(None),
        };
        let mut keys = Vec::with_capacity(steps.len());
        for step in steps {
            keys.push(match step {
                Step::Field(field) => field.name.clone(),
                Step::Index(index) => match self.eval(index)? {
                    Datum::Value(key) => key,
                    Datum::Lazy(_) => return Ok(None),
                },
            });
        }
        Ok(Some(Place::new(root, keys)))
    }

    /// What is at a place, noted; `None` if nothing is there.
    pub(super) fn look(&mut self, place: Place) -> Option<Value> {
        let seen = place.value(&self.state, &self.slots, self.base)?.clone();
        let base = self.base;
        self.note(place, base);
        Some(seen)
    }

    /// Whether a value is listed in the set at a place, noted; `None` if there is no set or the two do not compare.
    pub(super) fn look_for(&mut self, place: Place, element: Value) -> Option<bool> {
        let place = place.lists(element);
        let seen = place.look(&self.state, &self.slots, self.base)?.truth()?;
        let base = self.base;
        self.note(place, base);
        Some(seen)
    }
}

/// How a next value is made, while logging.
impl<'p> Evaluator<'p> {
    /// The value of an expression that a variable gets, and the edit that makes it.
    pub(super) fn edited(&mut self, variable: u32, node: &'p Node) -> Outcome<(Value, Edit)> {
        let edit = match &node.kind {
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.bool(condition)? { yes } else { no };
                return self.edited(variable, branch);
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument)?;
                    self.set_slot(*slot, content);
                }
                return self.edited(variable, body);
            }
            Kind::Recall(_, inner) => return self.edited(variable, inner),
            Kind::Var(source) if *source == variable && !self.primed => Some(Edit::Same),
            Kind::Var(source) if !self.primed => Some(Edit::Copy(*source)),
            Kind::Except(function, updates) => self.exception(function, updates)?,
            Kind::Union(operands) => self.set_edit(operands, Edit::Union)?,
            Kind::Difference(operands) => self.set_edit(operands, Edit::Difference)?,
            _ => None,
        };
        if let Some(edit) = edit
            && let Some(value) = edit.apply(variable, &self.state)
        {
            return Ok((value, edit));
        }
        let datum = self.eval(node)?;
        let value = self.canonical(datum)?;
        Ok((value.clone(), Edit::Is(value)))
    }

    /// `S \cup T` or `S \ T` where S is a variable.
    fn set_edit(
        &mut self,
        operands: &'p Two,
        make: impl FnOnce(u32, Value) -> Edit,
    ) -> Outcome<Option<Edit>> {
        let (Kind::Var(source), false) = (&operands.0.kind, self.primed) else {
            return Ok(None);
        };
        let datum = self.eval(&operands.1)?;
        Ok(match self.finite(datum)? {
            Datum::Value(value) => Some(make(*source, value)),
            Datum::Lazy(_) => None,
        })
    }

    /// `[f EXCEPT …]` where `f` is a variable.
    fn exception(&mut self, function: &'p Node, updates: &'p [Update]) -> Outcome<Option<Edit>> {
        let (Kind::Var(source), false) = (&function.kind, self.primed) else {
            return Ok(None);
        };
        let mut changes = Vec::with_capacity(updates.len());
        for (at, update) in updates.iter().enumerate() {
            let mut path = Vec::with_capacity(update.path.len());
            for step in &update.path {
                path.push(match step {
                    Step::Field(field) => field.name.clone(),
                    Step::Index(index) => {
                        let index = self.eval(index)?;
                        self.canonical(index)?
                    }
                });
            }
            if update.uses_old {
                // What `@` stands for is changed by the updates before.
                if at > 0 {
                    return Ok(None);
                }
                match self.look(Place::new(Root::Variable(*source), path.clone())) {
                    Some(old) => self.bind(update.at_slot, old),
                    None => return Ok(None),
                }
            }
            let datum = self.eval(&update.value)?;
            match self.finite(datum)? {
                Datum::Value(value) => changes.push((path, value)),
                Datum::Lazy(_) => return Ok(None),
            }
        }
        Ok(Some(Edit::Except(*source, changes.into())))
    }
}
