//! What an action with known arguments may read and write, whatever the state.
//!
//! The action is walked without a state: what can be evaluated all the same is known, and decides IFs, CASEs and guards;
//! what cannot is followed on all branches. A conjunct such as `f[k] = 3` is a fact for everything joined to it, so that
//! `IF f[k] = 0 THEN … ELSE UNCHANGED f` beside it takes one branch only. The result is an over-approximation: a cell that is
//! not in it is neither read nor written in any state. Where the walk meets what it does not understand it gives up.
//!
//! A *cell* is `f[k]` for a known `k`, or a variable as a whole. `DOMAIN f` has a cell of its own, because EXCEPT never
//! changes it.

use omnilink_tla_ir::{Argument, Bounded, Call, Kind, Node, Operation, PathStep, Update};
use omnilink_value::Value;
use smallvec::SmallVec;

use super::exactness::Exactness;
use crate::evaluator::{Evaluator, State};
use crate::slot::Slot;

/// A part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which variable.
    pub variable: u32,
    /// Which part of it.
    pub part: CellPart,
}

/// Which part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellPart {
    /// All of it.
    Whole,
    /// Its domain.
    Domain,
    /// What it holds for an argument.
    At(Value),
}

/// A cell that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which.
    pub cell: Cell,
    /// What is written there, where it is always the same.
    pub value: Option<Value>,
}

/// Most actions look at one cell, or write one: with its place in the effects, a trace's thousands of instances need one
/// allocation each and not four.
pub type Few<T> = SmallVec<[T; 1]>;

/// What an action with known arguments may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Whether the rest says all there is. If not, everything may be read and written.
    pub is_complete: bool,
    /// Whether it says what happens: where all demands are met all writes are done, nothing else changes, and there is no other
    /// successor; where one is not met the action is impossible. Both only if the cells are there, and hold something that
    /// can be compared with what is demanded.
    pub is_exact: bool,
    /// What may be read.
    pub reads: Few<Cell>,
    /// What may be written.
    pub writes: Few<Write>,
    /// Cells of the form `f[k]` that must hold a value, or the action is impossible.
    pub demands: Few<(Cell, Value)>,
}

impl Effects {
    /// Whether no state is ever changed.
    pub fn is_pure(&self) -> bool {
        self.is_complete && self.writes.is_empty()
    }
}

/// Whether a conjunct only says that variables stay what they are: that never fails, wherever it stands.
fn is_unchanged(conjunct: &Node) -> bool {
    matches!(conjunct.bare().kind, Kind::Unchanged(_))
}

/// Whether an expression surely has no value without a state. To evaluate it would be to fail, and that at great expense: what
/// is not surely so is tried. (A filter of the empty set would have a value; hardly anybody writes one.)
fn needs_state(node: &Node) -> bool {
    let node = node.bare();
    node.uses.state
        && match &node.kind {
            Kind::Var(_) => true,
            Kind::Path(root, _) => needs_state(root),
            Kind::Filter(bounded) | Kind::Map(bounded) | Kind::Function(bounded) => {
                bounded.body.uses.state || bounded.sets.iter().any(needs_state)
            }
            Kind::Equal(operands) | Kind::NotEqual(operands) => {
                needs_state(&operands.0) || needs_state(&operands.1)
            }
            Kind::Native(native, arguments) if !native.is_lazy() => arguments
                .iter()
                .any(|argument| matches!(argument, Argument::Value(node) if needs_state(node))),
            _ => false,
        }
}

/// Sets with more elements are not gone through.
pub(super) const ELEMENTS_MAX: usize = 64;
/// Definitions nested deeper are not gone through.
const DEPTH_MAX: u32 = 48;
/// Nodes visited, at most: an analysis must not cost more than it saves.
const VISITS_MAX: u32 = 20_000;

/// The walk does not understand what it met.
struct GaveUp;

type Walked<T> = Result<T, GaveUp>;

#[derive(Default)]
struct Walk {
    effects: Effects,
    exactness: Exactness,
    /// Cells known to hold a value: path and value.
    facts: Vec<(u32, Vec<Value>, Value)>,
    /// How many branches are open around.
    branches: u32,
    depth: u32,
    visits: u32,
}

impl Walk {
    fn visit(&mut self) -> Walked<()> {
        self.visits += 1;
        if self.visits > VISITS_MAX {
            Err(GaveUp)
        } else {
            Ok(())
        }
    }

    fn read(&mut self, variable: u32, part: CellPart) {
        let cell = Cell { variable, part };
        if !self.effects.reads.contains(&cell) {
            self.effects.reads.push(cell);
        }
    }

    /// Some `f[k]`: who wants to know whether `f` is ever taken apart sees its domain touched.
    fn read_somewhere(&mut self, variable: u32) {
        self.exactness.lose();
        self.read(variable, CellPart::Whole);
        self.read(variable, CellPart::Domain);
    }

    fn write(&mut self, variable: u32, part: CellPart, value: Option<Value>) {
        if value.is_none() || !matches!(part, CellPart::At(_)) {
            self.exactness.lose();
        }
        let write = Write {
            cell: Cell { variable, part },
            value,
        };
        if !self.effects.writes.contains(&write) {
            self.effects.writes.push(write);
        }
    }

    /// What follows happens on one branch of several.
    fn branch(&mut self) {
        self.branches += 1;
        self.exactness.lose();
    }

    /// How much there is, to go back to if a branch turns out to be impossible.
    fn mark(&self) -> (usize, usize, usize) {
        let Effects {
            reads,
            writes,
            demands,
            ..
        } = &self.effects;
        (reads.len(), writes.len(), demands.len())
    }

    fn forget(&mut self, (reads, writes, demands): (usize, usize, usize)) {
        self.effects.reads.truncate(reads);
        self.effects.writes.truncate(writes);
        self.effects.demands.truncate(demands);
    }
}

impl<'p> Evaluator<'p> {
    /// What an action may read and write for given arguments; `None` stands for an argument that may be anything.
    pub fn effects(&mut self, action: Operation, arguments: &[Option<Value>]) -> Effects {
        self.unremembered(|this| this.effects_of(action, arguments))
    }

    fn effects_of(&mut self, action: Operation, arguments: &[Option<Value>]) -> Effects {
        self.set_state(&State::from([]));
        self.forget_state();
        self.clear_next();
        let mut walk = Walk::default();
        let walked = self.enter_with(action, &[], |this, body| {
            for (slot, argument) in (0..).zip(arguments) {
                if let Some(argument) = argument {
                    this.bind(slot, argument.clone());
                }
            }
            Ok(this.walk_action(body, &mut walk))
        });
        match walked {
            Ok(Ok(possible)) => Effects {
                is_complete: true,
                is_exact: possible && walk.exactness.holds(self.program.variables.len()),
                ..walk.effects
            },
            _ => Effects::default(),
        }
    }

    /// Follows an action. Returns whether it is possible at all; of an impossible one nothing is kept.
    fn walk_action(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<bool> {
        walk.visit()?;
        let mark = walk.mark();
        let possible = self.walk_parts(node, walk)?;
        if !possible {
            walk.forget(mark);
        }
        Ok(possible)
    }

    fn walk_parts(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<bool> {
        let node = node.bare();
        match &node.kind {
            Kind::And(conjuncts) => {
                let facts = walk.facts.len();
                let (mut open, mut unchanged): (Vec<&'p Node>, Vec<&'p Node>) = Default::default();
                for conjunct in conjuncts {
                    match self.fact(conjunct, walk) {
                        Some(false) => {
                            walk.facts.truncate(facts);
                            return Ok(false);
                        }
                        Some(true) if !open.is_empty() => walk.exactness.lose(),
                        Some(true) => {}
                        None if is_unchanged(conjunct) => unchanged.push(conjunct),
                        None => open.push(conjunct),
                    }
                }
                let mut possible = true;
                for conjunct in unchanged.into_iter().chain(open) {
                    possible = possible && self.walk_action(conjunct, walk)?;
                }
                walk.facts.truncate(facts);
                Ok(possible)
            }
            Kind::Or(disjuncts) => self.walk_branches(disjuncts.iter(), walk),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                match self.decide(condition, walk) {
                    Some(true) => self.walk_action(yes, walk),
                    Some(false) => self.walk_action(no, walk),
                    None => {
                        self.walk_read(condition, walk)?;
                        self.walk_branches([yes, no].into_iter(), walk)
                    }
                }
            }
            Kind::Case(arms, other) => {
                let mut open: Vec<&'p Node> = Vec::new();
                let mut is_settled = false;
                for (condition, value) in arms {
                    match self.decide(condition, walk) {
                        Some(false) => continue,
                        Some(true) => {
                            open.push(value);
                            is_settled = true;
                            break;
                        }
                        None => {
                            self.walk_read(condition, walk)?;
                            open.push(value);
                        }
                    }
                }
                open.extend(other.as_deref().filter(|_| !is_settled));
                match open.as_slice() {
                    [only] => self.walk_action(only, walk),
                    several => self.walk_branches(several.iter().copied(), walk),
                }
            }
            Kind::Implies(operands) => match self.decide(&operands.0, walk) {
                Some(true) => self.walk_action(&operands.1, walk),
                Some(false) => Ok(true),
                None => {
                    self.walk_read(&operands.0, walk)?;
                    walk.branch();
                    self.walk_action(&operands.1, walk)?;
                    walk.branches -= 1;
                    Ok(true)
                }
            },
            Kind::Exists(bounded) => {
                walk.branch();
                let mut possible = false;
                self.walk_bound(bounded, walk, &mut |this, walk| {
                    possible |= this.walk_action(&bounded.body, walk)?;
                    Ok(())
                })?;
                walk.branches -= 1;
                Ok(possible)
            }
            Kind::ForAll(bounded) if node.uses.next => {
                walk.branch();
                self.walk_bound(bounded, walk, &mut |this, walk| {
                    this.walk_action(&bounded.body, walk).map(|_| ())
                })?;
                walk.branches -= 1;
                Ok(true)
            }
            Kind::Equal(operands) => match self.target(&operands.0, false) {
                Some(variable) => {
                    walk.exactness.assign(variable);
                    self.walk_assignment(variable, &operands.1, walk)
                }
                None => self.walk_condition(node, walk),
            },
            Kind::In(operands) | Kind::SubsetEq(operands) if self.target(&operands.0, false).is_some() => {
                if let Some(variable) = self.target(&operands.0, false) {
                    walk.write(variable, CellPart::Whole, None);
                }
                self.walk_read(&operands.1, walk)?;
                Ok(true)
            }
            Kind::Unchanged(variables) => {
                variables
                    .iter()
                    .for_each(|variable| walk.exactness.assign(*variable));
                Ok(true)
            }
            Kind::Call(call) if node.uses.next || node.uses.opaque => {
                self.walk_call(call, walk, |this, body, walk| this.walk_action(body, walk))
            }
            Kind::Let(slots, body) => {
                self.walk_let(slots, walk);
                self.walk_action(body, walk)
            }
            Kind::Local(slot) => match self.slot(*slot).clone() {
                Slot::Thunk {
                    node: inner, base, ..
                } => self.walk_in(base as usize, |this| this.walk_action(inner, walk)),
                _ => self.walk_condition(node, walk),
            },
            Kind::Action(_, body) => self.walk_action(body, walk),
            Kind::UnchangedExpr(_)
            | Kind::Stuttering(_)
            | Kind::Changing(_)
            | Kind::Compose(_)
            | Kind::CallSlot(..)
            | Kind::Enabled(_) => Err(GaveUp),
            _ => self.walk_condition(node, walk),
        }
    }

    fn walk_branches(&mut self, branches: impl Iterator<Item = &'p Node>, walk: &mut Walk) -> Walked<bool> {
        walk.branch();
        let mut possible = false;
        for branch in branches {
            possible |= self.walk_action(branch, walk)?;
        }
        walk.branches -= 1;
        Ok(possible)
    }

    fn walk_condition(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<bool> {
        match self.decide(node, walk) {
            Some(decided) => Ok(decided),
            None => {
                self.walk_read(node, walk)?;
                Ok(true)
            }
        }
    }

    /// The variable that an expression is, under its names.
    fn variable_behind(&self, node: &'p Node) -> Option<u32> {
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => Some(*variable),
            Kind::Local(slot) => self.variable_in(self.slot(*slot)),
            _ => None,
        }
    }

    fn variable_in(&self, slot: &Slot<'p>) -> Option<u32> {
        let (node, base) = match slot {
            Slot::Thunk { node, base, .. } => (*node, *base as usize),
            Slot::Shared(shared) => (shared.node, shared.base as usize),
            _ => return None,
        };
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => Some(*variable),
            Kind::Local(slot) => self.variable_in(self.slots.get(base + *slot as usize)?),
            _ => None,
        }
    }

    fn walk_assignment(&mut self, variable: u32, value: &'p Node, walk: &mut Walk) -> Walked<bool> {
        walk.visit()?;
        let value = value.bare();
        match &value.kind {
            Kind::Var(same) if *same == variable => Ok(true),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                match self.decide(condition, walk) {
                    Some(true) => self.walk_assignment(variable, yes, walk),
                    Some(false) => self.walk_assignment(variable, no, walk),
                    None => {
                        self.walk_read(condition, walk)?;
                        self.walk_assignment(variable, yes, walk)?;
                        self.walk_assignment(variable, no, walk)
                    }
                }
            }
            Kind::Call(call) => self.walk_call(call, walk, |this, body, walk| {
                this.walk_assignment(variable, body, walk)
            }),
            Kind::Let(slots, body) => {
                self.walk_let(slots, walk);
                self.walk_assignment(variable, body, walk)
            }
            Kind::Except(function, updates) if self.variable_behind(function) == Some(variable) => {
                if updates.len() != 1 {
                    walk.exactness.lose();
                }
                for update in updates {
                    self.walk_update(variable, update, updates.len() == 1, walk)?;
                }
                Ok(true)
            }
            _ => {
                let known = self.known(value, walk);
                let holds = walk
                    .facts
                    .iter()
                    .find(|(v, path, _)| *v == variable && path.is_empty());
                if known.is_some() && holds.map(|(_, _, value)| value) == known.as_ref() {
                    return Ok(true);
                }
                walk.write(variable, CellPart::Whole, None);
                self.walk_read(value, walk)?;
                Ok(true)
            }
        }
    }

    fn walk_update(
        &mut self,
        variable: u32,
        update: &'p Update,
        is_only: bool,
        walk: &mut Walk,
    ) -> Walked<()> {
        let mut path = Vec::with_capacity(update.path.len());
        for step in &update.path {
            match step {
                PathStep::Field(field) => path.push(field.name.clone()),
                PathStep::Index(index) => match self.known(index, walk) {
                    Some(index) => path.push(index),
                    None => {
                        walk.write(variable, CellPart::Whole, None);
                        walk.read_somewhere(variable);
                        self.walk_read(index, walk)?;
                        self.set_slot(update.at_slot, Slot::Empty);
                        return self.walk_read(&update.value, walk);
                    }
                },
            }
        }
        let Some(first) = path.first().cloned() else {
            return Err(GaveUp);
        };
        self.set_slot(update.at_slot, Slot::Empty);
        if let Some((_, _, held)) = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path) {
            let held = held.clone();
            self.bind(update.at_slot, held);
        }
        let value = self.known(&update.value, walk);
        let holds = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path);
        if is_only && value.is_some() && holds.map(|(_, _, held)| held) == value.as_ref() {
            return Ok(());
        }
        if path.len() > 1 || update.uses_old {
            walk.read(variable, CellPart::At(first.clone()));
        }
        let is_plain = path.len() == 1;
        walk.write(variable, CellPart::At(first), value.clone().filter(|_| is_plain));
        if value.is_none() {
            self.set_slot(update.at_slot, Slot::Empty);
            self.walk_read(&update.value, walk)?;
        }
        Ok(())
    }

    /// Takes a conjunct `f[k] = c` for a fact. `None` if it is none; `Some(false)` if it contradicts another.
    fn fact(&mut self, node: &'p Node, walk: &mut Walk) -> Option<bool> {
        let Kind::Equal(operands) = &node.kind else {
            return None;
        };
        let (variable, path, value) = self
            .fact_of(&operands.0, &operands.1, walk)
            .or_else(|| self.fact_of(&operands.1, &operands.0, walk))?;
        if let Some((_, _, held)) = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path) {
            return Some(*held == value);
        }
        match path.as_slice() {
            [] => walk.read(variable, CellPart::Whole),
            [key, ..] => walk.read(variable, CellPart::At(key.clone())),
        }
        if let ([key], 0) = (path.as_slice(), walk.branches) {
            let cell = Cell {
                variable,
                part: CellPart::At(key.clone()),
            };
            walk.effects.demands.push((cell, value.clone()));
        } else {
            walk.exactness.lose();
        }
        walk.facts.push((variable, path, value));
        Some(true)
    }

    fn fact_of(
        &mut self,
        place: &'p Node,
        value: &'p Node,
        walk: &mut Walk,
    ) -> Option<(u32, Vec<Value>, Value)> {
        let (variable, path) = self.place(place, walk)?;
        Some((variable, path, self.known(value, walk)?))
    }

    /// The variable and the known path that an expression of the current state is.
    fn place(&mut self, node: &'p Node, walk: &mut Walk) -> Option<(u32, Vec<Value>)> {
        match &node.kind {
            Kind::Var(variable) => Some((*variable, Vec::new())),
            Kind::Local(slot) => match self.slot(*slot).clone() {
                Slot::Thunk {
                    node: inner, base, ..
                } => {
                    let saved = std::mem::replace(&mut self.base, base as usize);
                    let place = self.place(inner, walk);
                    self.base = saved;
                    place
                }
                _ => None,
            },
            Kind::Path(root, steps) => {
                let (variable, mut path) = self.place(root, walk)?;
                for step in steps {
                    path.push(match step {
                        PathStep::Field(field) => field.name.clone(),
                        PathStep::Index(index) => self.known(index, walk)?,
                    });
                }
                Some((variable, path))
            }
            _ => None,
        }
    }

    /// The value of an expression, if it is the same in every state that agrees with the facts.
    fn known(&mut self, node: &'p Node, walk: &mut Walk) -> Option<Value> {
        if node.uses.impure {
            return None;
        }
        if let Some((variable, path)) = self.place(node, walk) {
            let fact = walk.facts.iter().find(|(v, p, _)| *v == variable && *p == path)?;
            return Some(fact.2.clone());
        }
        if needs_state(node) {
            return None;
        }
        let datum = self.eval(node).ok()?;
        self.canonical(datum).ok()
    }

    /// Whether a condition is true, or false, in every state that agrees with the facts.
    fn decide(&mut self, node: &'p Node, walk: &mut Walk) -> Option<bool> {
        if node.uses.impure || walk.visit().is_err() {
            return None;
        }
        let node = node.bare();
        // What looks at the state can mostly be decided by facts or not at all: to evaluate it first would mostly be to fail.
        let by_facts = match &node.kind {
            Kind::Equal(operands) if node.uses.state => self.decide_equal(operands, walk),
            Kind::NotEqual(operands) if node.uses.state => {
                self.decide_equal(operands, walk).map(|is_equal| !is_equal)
            }
            _ => None,
        };
        let by_value = |this: &mut Self| match needs_state(node) {
            true => None,
            false => this.bool(node).ok(),
        };
        if let Some(decided) = by_facts.or_else(|| by_value(self)) {
            return Some(decided);
        }
        if let Kind::Not(inner) = &node.kind {
            return Some(!self.decide(inner, walk)?);
        }
        // Evaluating all of it in order might fail before it comes to what decides.
        walk.exactness.lose();
        match &node.kind {
            Kind::And(parts) => self.decide_all(parts, walk, false),
            Kind::Or(parts) => self.decide_all(parts, walk, true),
            Kind::In(operands) => self.decide_member(operands, walk),
            Kind::NotIn(operands) => Some(!self.decide_member(operands, walk)?),
            Kind::PerState(_, inner) => self.decide(inner, walk),
            Kind::Call(call) => {
                let decided = self.walk_call(call, walk, |this, body, walk| Ok(this.decide(body, walk)));
                decided.ok().flatten()
            }
            _ => None,
        }
    }

    fn decide_all(&mut self, parts: &'p [Node], walk: &mut Walk, deciding: bool) -> Option<bool> {
        let mut all = true;
        for part in parts {
            match self.decide(part, walk) {
                Some(decided) if decided == deciding => return Some(deciding),
                Some(_) => {}
                None => all = false,
            }
        }
        all.then_some(!deciding)
    }

    fn decide_equal(&mut self, operands: &'p (Node, Node), walk: &mut Walk) -> Option<bool> {
        let (left, right) = (self.known(&operands.0, walk)?, self.known(&operands.1, walk)?);
        crate::equality::equal_values(&left, &right).ok()
    }

    fn decide_member(&mut self, operands: &'p (Node, Node), walk: &mut Walk) -> Option<bool> {
        let element = self.known(&operands.0, walk)?;
        let set = self.known(&operands.1, walk)?;
        Some(set.as_set()?.binary_search(&element).is_ok())
    }

    /// Collects what evaluating an expression may read.
    fn walk_read(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<()> {
        walk.visit()?;
        walk.exactness.lose();
        if node.uses.impure || node.uses.opaque {
            return Err(GaveUp);
        }
        let node = node.bare();
        match &node.kind {
            Kind::Var(variable) | Kind::Next(variable) => {
                walk.read(*variable, CellPart::Whole);
                Ok(())
            }
            Kind::Local(slot) => match self.slot(*slot).clone() {
                Slot::Thunk {
                    node: inner, base, ..
                } => self.walk_in(base as usize, |this| this.walk_read(inner, walk)),
                Slot::Shared(_) | Slot::Operator(_) => Err(GaveUp),
                Slot::Datum(_) | Slot::Empty => Ok(()),
            },
            Kind::Domain(inner) => match self.variable_behind(inner) {
                Some(variable) => {
                    walk.read(variable, CellPart::Domain);
                    Ok(())
                }
                None => self.walk_read(inner, walk),
            },
            Kind::Path(root, steps) => {
                let mut steps = steps.iter();
                match (self.variable_behind(root), steps.next()) {
                    (Some(variable), Some(PathStep::Field(field))) => {
                        walk.read(variable, CellPart::At(field.name.clone()));
                    }
                    (Some(variable), Some(PathStep::Index(index))) => match self.known(index, walk) {
                        Some(key) => walk.read(variable, CellPart::At(key)),
                        None => {
                            walk.read_somewhere(variable);
                            self.walk_read(index, walk)?;
                        }
                    },
                    (_, first) => {
                        self.walk_read(root, walk)?;
                        if let Some(PathStep::Index(index)) = first {
                            self.walk_read(index, walk)?;
                        }
                    }
                }
                for step in steps {
                    if let PathStep::Index(index) = step {
                        self.walk_read(index, walk)?;
                    }
                }
                Ok(())
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                match self.decide(condition, walk) {
                    Some(true) => self.walk_read(yes, walk),
                    Some(false) => self.walk_read(no, walk),
                    None => {
                        self.walk_read(condition, walk)?;
                        self.walk_read(yes, walk)?;
                        self.walk_read(no, walk)
                    }
                }
            }
            Kind::Filter(bounded)
            | Kind::Map(bounded)
            | Kind::Function(bounded)
            | Kind::Choose(bounded)
            | Kind::ForAll(bounded)
            | Kind::Exists(bounded) => self.walk_bound(bounded, walk, &mut |this, walk| {
                this.walk_read(&bounded.body, walk)
            }),
            Kind::Except(function, updates) => {
                self.walk_read(function, walk)?;
                for update in updates {
                    for step in &update.path {
                        if let PathStep::Index(index) = step {
                            self.walk_read(index, walk)?;
                        }
                    }
                    self.set_slot(update.at_slot, Slot::Empty);
                    self.walk_read(&update.value, walk)?;
                }
                Ok(())
            }
            Kind::Let(slots, body) => {
                self.walk_let(slots, walk);
                self.walk_read(body, walk)
            }
            Kind::Call(call) => self.walk_call(call, walk, |this, body, walk| this.walk_read(body, walk)),
            Kind::Native(_, arguments) => {
                for argument in arguments {
                    self.walk_argument(argument, walk)?;
                }
                Ok(())
            }
            Kind::Recursive(_)
            | Kind::CallSlot(..)
            | Kind::Enabled(_)
            | Kind::Compose(_)
            | Kind::Stuttering(_)
            | Kind::Changing(_)
            | Kind::Unchanged(_)
            | Kind::UnchangedExpr(_) => Err(GaveUp),
            kind => {
                let mut walked = Ok(());
                kind.for_each_child(|child| {
                    if walked.is_ok() {
                        walked = self.walk_read(child, walk);
                    }
                });
                walked
            }
        }
    }

    fn walk_argument(&mut self, argument: &'p Argument, walk: &mut Walk) -> Walked<()> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                self.walk_read(node, walk)
            }
            Argument::Slot(slot) => match self.slot(*slot).clone() {
                Slot::Thunk { node, base, .. } => {
                    self.walk_in(base as usize, |this| this.walk_read(node, walk))
                }
                Slot::Datum(_) | Slot::Empty => Ok(()),
                Slot::Shared(_) | Slot::Operator(_) => Err(GaveUp),
            },
            Argument::Operator(operator, captures) => {
                let program = self.program;
                let target = &program.operators[*operator as usize];
                let contents: Vec<(u32, Slot<'p>)> = captures
                    .iter()
                    .map(|(slot, capture)| (*slot, self.walk_content(capture, walk)))
                    .collect();
                self.walk_frame(target.slots.len(), contents, walk, |this, walk| {
                    this.walk_read(&target.body, walk)
                })
            }
        }
    }

    /// What a slot gets on the walk: a value where it is known, else the expression itself.
    fn walk_content(&mut self, argument: &'p Argument, walk: &mut Walk) -> Slot<'p> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                let known = if node.uses.impure {
                    None
                } else {
                    self.eval(node).ok()
                };
                match known.and_then(|datum| self.canonical(datum).ok()) {
                    Some(value) => Slot::Datum(crate::datum::Datum::Value(value)),
                    None => {
                        walk.exactness.lose();
                        Slot::Thunk {
                            node,
                            base: self.base as u32,
                            keep: false,
                            value: None,
                        }
                    }
                }
            }
            Argument::Slot(slot) => self.slot(*slot).clone(),
            Argument::Operator(..) => self.argument(argument).unwrap_or_default(),
        }
    }

    fn walk_let(&mut self, slots: &'p [(u32, Argument)], walk: &mut Walk) {
        for (slot, argument) in slots {
            let content = self.walk_content(argument, walk);
            self.set_slot(*slot, content);
        }
    }

    fn walk_call<T>(
        &mut self,
        call: &'p Call,
        walk: &mut Walk,
        run: impl FnOnce(&mut Self, &'p Node, &mut Walk) -> Walked<T>,
    ) -> Walked<T> {
        let program = self.program;
        let target = &program.operators[call.operator as usize];
        let contents: Vec<(u32, Slot<'p>)> = call
            .arguments
            .iter()
            .map(|(slot, argument)| (*slot, self.walk_content(argument, walk)))
            .collect();
        self.walk_frame(target.slots.len(), contents, walk, |this, walk| {
            run(this, &target.body, walk)
        })
    }

    fn walk_frame<T>(
        &mut self,
        size: usize,
        contents: Vec<(u32, Slot<'p>)>,
        walk: &mut Walk,
        run: impl FnOnce(&mut Self, &mut Walk) -> Walked<T>,
    ) -> Walked<T> {
        if walk.depth >= DEPTH_MAX {
            return Err(GaveUp);
        }
        walk.depth += 1;
        let saved = self.push_frame(size);
        for (slot, content) in contents {
            self.set_slot(slot, content);
        }
        let walked = run(self, walk);
        self.pop_frame(saved);
        walk.depth -= 1;
        walked
    }

    fn walk_in<T>(&mut self, base: usize, run: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        let saved = std::mem::replace(&mut self.base, base);
        let walked = run(self);
        self.base = saved;
        walked
    }

    /// Runs for every binding where the set is known and small, else once for names that may be anything.
    fn walk_bound(
        &mut self,
        bounded: &'p Bounded,
        walk: &mut Walk,
        run: &mut dyn FnMut(&mut Self, &mut Walk) -> Walked<()>,
    ) -> Walked<()> {
        let mut only = None;
        for set in &bounded.sets {
            only = self.known(set, walk);
            if only.is_none() {
                self.walk_read(set, walk)?;
            }
        }
        if let ([_], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds)
            && let Some(known) = only
            && let Some(elements) = known.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX)
        {
            for element in elements {
                self.bind_pattern(pattern, element).map_err(|_| GaveUp)?;
                run(self, walk)?;
            }
            return Ok(());
        }
        for slot in bounded.slots() {
            self.set_slot(slot, Slot::Empty);
        }
        run(self, walk)
    }
}
