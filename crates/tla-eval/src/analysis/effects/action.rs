//! Actions: conjuncts, branches and assignments.

use omnilink_tla_ir::{Kind, Node, PathStep, Update};

use super::{CellPart, Unsupported, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Analyses an action. Returns whether it is possible; the effects of an impossible one are dropped.
    pub(super) fn walk_action(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<bool> {
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
            | Kind::Enabled(_) => Err(Unsupported),
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
            return Err(Unsupported);
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
}

/// Whether a conjunct is UNCHANGED of variables, which never fails wherever it stands.
fn is_unchanged(conjunct: &Node) -> bool {
    matches!(conjunct.bare().kind, Kind::Unchanged(_))
}
