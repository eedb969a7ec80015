//! Actions: conjuncts, branches and quantifiers.

use omnilink_tla_ir::{Bounded, Kind, Node, Pattern};

use super::cell::Cell;
use super::condition::BODY;
use super::form::Form;
use super::{ELEMENTS_MAX, Unsupported, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Analyses an action. Returns whether it is possible; the effects of an impossible one are dropped.
    pub(super) fn walk_action(&mut self, node: &'p Node, walk: &mut Walk<'_>) -> Walked<bool> {
        walk.visit()?;
        let mark = walk.mark();
        let possible = self.walk_parts(node, walk)?;
        if !possible {
            walk.forget(mark);
        }
        Ok(possible)
    }

    fn walk_parts(&mut self, node: &'p Node, walk: &mut Walk<'_>) -> Walked<bool> {
        let node = node.bare();
        match &node.kind {
            Kind::And(conjuncts) => {
                let facts = walk.facts.len();
                let possible = self.walk_conjuncts(conjuncts, walk);
                walk.facts.truncate(facts);
                possible
            }
            Kind::Or(disjuncts) => self.walk_branches(disjuncts.len(), walk, &mut |this, at, walk| {
                this.walk_action(&disjuncts[at], walk)
            }),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let condition = self.form(condition, walk)?.into_condition();
                match walk.decided(&condition) {
                    Some(truth) => {
                        walk.trail.push(if truth { 1 } else { 2 });
                        let possible = self.walk_action(if truth { yes } else { no }, walk);
                        walk.trail.pop();
                        possible
                    }
                    None => {
                        walk.read_form(&condition);
                        let conditions = [condition.clone(), condition.negated()];
                        self.walk_branches(2, walk, &mut |this, at, walk| {
                            let facts = walk.facts.len();
                            let possible = walk.assume(&conditions[at])
                                && this.walk_action(if at == 0 { yes } else { no }, walk)?;
                            walk.facts.truncate(facts);
                            Ok(possible)
                        })
                    }
                }
            }
            Kind::Case(arms, other) => {
                let mut open: Vec<&'p Node> = Vec::new();
                let mut is_settled = false;
                for (condition, value) in arms {
                    let condition = self.form(condition, walk)?;
                    match walk.decided(&condition) {
                        Some(false) => continue,
                        Some(true) => {
                            open.push(value);
                            is_settled = true;
                            break;
                        }
                        None => {
                            walk.read_form(&condition);
                            open.push(value);
                        }
                    }
                }
                open.extend(other.as_deref().filter(|_| !is_settled));
                walk.untracked += 1;
                let possible = match open.as_slice() {
                    // Evaluating it fails: there is no step.
                    [] => Ok(false),
                    [only] => self.walk_action(only, walk),
                    several => self.walk_branches(several.len(), walk, &mut |this, at, walk| {
                        this.walk_action(several[at], walk)
                    }),
                };
                walk.untracked -= 1;
                possible
            }
            // A path has one outcome for all elements, and one that may be none.
            Kind::Implies(_) | Kind::ForAll(_) if node.uses.next && walk.is_path() => Err(Unsupported),
            Kind::Implies(operands) if node.uses.next => {
                let condition = self.form(&operands.0, walk)?;
                match condition.as_truth() {
                    Some(true) => self.walk_action(&operands.1, walk),
                    Some(false) => Ok(true),
                    None => {
                        walk.read_form(&condition);
                        walk.branch();
                        walk.untracked += 1;
                        let facts = walk.facts.len();
                        self.walk_action(&operands.1, walk)?;
                        walk.facts.truncate(facts);
                        walk.untracked -= 1;
                        walk.branches -= 1;
                        Ok(true)
                    }
                }
            }
            Kind::Exists(bounded) if node.uses.next || node.uses.opaque => {
                // `\E x \in {e} : A(x)` is `A(e)`.
                if let Some((slot, only)) = self.only_element(bounded, walk)? {
                    walk.evaluate(&only);
                    self.name(slot, only, walk);
                    walk.trail.push(BODY);
                    let possible = self.walk_action(&bounded.body, walk);
                    walk.trail.pop();
                    return possible;
                }
                walk.untracked += 1;
                let possible = self.walk_exists(bounded, walk);
                walk.untracked -= 1;
                possible
            }
            Kind::ForAll(bounded) if node.uses.next || node.uses.opaque => {
                walk.branch();
                walk.untracked += 1;
                let before = walk.touched.len();
                self.walk_bound(bounded, walk, &mut |this, walk| {
                    this.walk_action(&bounded.body, walk).map(|_| ())
                })?;
                // What the second element assigns is compared with what the first did.
                for at in before..walk.touched.len() {
                    walk.read(Cell::whole(walk.touched[at]));
                }
                walk.untracked -= 1;
                walk.branches -= 1;
                Ok(true)
            }
            Kind::Equal(operands) => match self.target(&operands.0, false) {
                Some(variable) => {
                    walk.touch(variable);
                    if !walk.is_unobserved(variable) {
                        let form = self.form(&operands.1, walk)?;
                        walk.assign(variable, form);
                    }
                    Ok(true)
                }
                None => self.walk_condition(node, walk),
            },
            Kind::In(operands) => match self.target(&operands.0, false) {
                Some(variable) => {
                    walk.touch(variable);
                    walk.choose(variable);
                    let set = self.form(&operands.1, walk)?;
                    walk.assign_member(variable, set);
                    Ok(true)
                }
                None => self.walk_condition(node, walk),
            },
            Kind::SubsetEq(operands) if self.target(&operands.0, false).is_some() => {
                if let Some(variable) = self.target(&operands.0, false) {
                    walk.touch(variable);
                    walk.choose(variable);
                    let set = self.form(&operands.1, walk)?;
                    walk.assign(variable, Form::computed([&set]));
                }
                Ok(true)
            }
            Kind::Unchanged(variables) => {
                for variable in variables {
                    walk.touch(*variable);
                    walk.assigned
                        .push((*variable, Form::Place(super::Place::whole(*variable))));
                }
                Ok(true)
            }
            Kind::Call(call) if node.uses.next || node.uses.opaque => {
                self.in_call(call, walk, |this, body, walk| this.walk_action(body, walk))
            }
            Kind::CallSlot(slot, arguments) => {
                walk.untracked += 1;
                let possible = self.in_closure(*slot, arguments, walk, |this, body, walk| {
                    this.walk_action(body, walk)
                });
                walk.untracked -= 1;
                possible
            }
            Kind::Let(slots, body) => {
                self.fill_let(slots, walk);
                self.walk_action(body, walk)
            }
            Kind::Local(slot) => match self.slot(*slot).clone() {
                Slot::Thunk {
                    node: inner, base, ..
                } if inner.uses.next || inner.uses.opaque => {
                    walk.untracked += 1;
                    let possible = self.in_base(base as usize, |this| this.walk_action(inner, walk));
                    walk.untracked -= 1;
                    possible
                }
                _ => self.walk_condition(node, walk),
            },
            Kind::Action(_, body) => self.walk_action(body, walk),
            Kind::UnchangedExpr(_)
            | Kind::Stuttering(_)
            | Kind::Changing(_)
            | Kind::Compose(_)
            | Kind::Enabled(_) => Err(Unsupported),
            _ => self.walk_condition(node, walk),
        }
    }

    /// Conditions first, because what follows from them holds for the others, wherever they stand.
    fn walk_conjuncts(&mut self, conjuncts: &'p [Node], walk: &mut Walk<'_>) -> Walked<bool> {
        let mut open: Vec<(u16, &'p Node)> = Vec::new();
        for (at, conjunct) in (0..).zip(conjuncts) {
            if !self.is_condition(conjunct) {
                open.push((at, conjunct));
                continue;
            }
            let form = self.form(conjunct, walk)?.into_condition();
            // Everything else is evaluated under the facts, but it may fail where they do not hold.
            if open.iter().any(|(_, earlier)| !is_unchanged(earlier)) && form.as_truth() != Some(true) {
                walk.exactness.lose();
            }
            walk.trail.push(at);
            let possible = self.require(conjunct, form, walk);
            walk.trail.pop();
            if !possible? {
                return Ok(false);
            }
        }
        // UNCHANGED of variables never fails, wherever it stands.
        open.sort_by_key(|(_, conjunct)| !is_unchanged(conjunct));
        for (at, conjunct) in open {
            walk.trail.push(at);
            let possible = self.walk_action(conjunct, walk);
            walk.trail.pop();
            if !possible? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a conjunct is a condition on the current state.
    fn is_condition(&self, node: &'p Node) -> bool {
        let node = node.bare();
        match &node.kind {
            Kind::Unchanged(_) | Kind::UnchangedExpr(_) => false,
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Thunk { node, .. } => !node.uses.next && !node.uses.opaque,
                _ => true,
            },
            _ => !node.uses.next && !node.uses.opaque,
        }
    }

    /// Runs all branches. If only one is possible, it counts as none.
    fn walk_branches(
        &mut self,
        branches: usize,
        walk: &mut Walk<'_>,
        run: &mut dyn FnMut(&mut Self, usize, &mut Walk<'_>) -> Walked<bool>,
    ) -> Walked<bool> {
        if let Some(at) = walk.choice(branches) {
            return run(self, at, walk);
        }
        let (mark, assigned) = (walk.mark(), walk.assigned.len());
        let (before, mut touched) = (walk.touched.clone(), walk.touched.clone());
        walk.branch();
        walk.untracked += 1;
        let mut possible = Vec::new();
        let mut failed = None;
        let facts = walk.facts.len();
        for at in 0..branches {
            match run(self, at, walk) {
                Ok(true) => possible.push(at),
                Ok(false) => {}
                Err(unsupported) => failed = Some(unsupported),
            }
            // What holds in one branch need not hold in another, nor after them.
            walk.facts.truncate(facts);
            walk.assigned.truncate(assigned);
            touched.extend(std::mem::replace(&mut walk.touched, before.clone()));
            if failed.is_some() {
                break;
            }
        }
        walk.branches -= 1;
        if failed.is_none()
            && let [only] = possible[..]
            && branches > 1
        {
            walk.forget(mark);
            run(self, only, walk)?;
        }
        walk.touched.extend(touched);
        walk.untracked -= 1;
        match failed {
            Some(unsupported) => Err(unsupported),
            None => Ok(!possible.is_empty()),
        }
    }

    fn walk_condition(&mut self, node: &'p Node, walk: &mut Walk<'_>) -> Walked<bool> {
        let form = self.form(node, walk)?.into_condition();
        self.require(node, form, walk)
    }

    /// The name that a quantifier binds, and the one element of its set.
    fn only_element(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<Option<(u32, Form)>> {
        let ([set], [(_, Pattern::One(slot))]) = (&*bounded.sets, &*bounded.binds) else {
            return Ok(None);
        };
        Ok(match self.form(set, walk)? {
            Form::Listed(forms) => match <[Form; 1]>::try_from(forms) {
                Ok([only]) => Some((*slot, only)),
                Err(_) => None,
            },
            _ => None,
        })
    }

    /// `\E x \in S : A`. Where `A` says that `x` is some expression, it is `A` with the expression for `x`, if that is in `S`.
    fn walk_exists(&mut self, bounded: &'p Bounded, walk: &mut Walk<'_>) -> Walked<bool> {
        if let ([set], [(_, Pattern::One(slot))]) = (&*bounded.sets, &*bounded.binds)
            && let Some(only) = defined_as(&bounded.body, *slot)
        {
            let set = self.form(set, walk)?;
            let only = self.form(only, walk)?;
            let is_member = match (&only, &set) {
                (Form::Value(only), Form::Value(set)) => {
                    set.as_set().map(|set| set.binary_search(only).is_ok())
                }
                _ => None,
            };
            match is_member {
                Some(false) => return Ok(false),
                Some(true) => {}
                None => {
                    walk.read_form(&only);
                    walk.read_form(&set);
                }
            }
            walk.exactness.lose();
            self.name(*slot, only, walk);
            return self.walk_action(&bounded.body, walk);
        }
        if walk.is_path() {
            for (_, pattern) in &bounded.binds {
                self.bind_symbols(pattern, walk);
            }
            return self.walk_action(&bounded.body, walk);
        }
        walk.branch();
        let mut possible = false;
        let (before, mut touched) = (walk.touched.clone(), walk.touched.clone());
        self.walk_bound(bounded, walk, &mut |this, walk| {
            let assigned = walk.assigned.len();
            possible |= this.walk_action(&bounded.body, walk)?;
            walk.assigned.truncate(assigned);
            touched.extend(std::mem::replace(&mut walk.touched, before.clone()));
            Ok(())
        })?;
        walk.touched.extend(touched);
        walk.branches -= 1;
        Ok(possible)
    }

    /// Runs for every binding if the set is known and small, else once with unknown names.
    fn walk_bound(
        &mut self,
        bounded: &'p Bounded,
        walk: &mut Walk<'_>,
        run: &mut dyn FnMut(&mut Self, &mut Walk<'_>) -> Walked<()>,
    ) -> Walked<()> {
        let mut sets = Vec::with_capacity(bounded.sets.len());
        for set in &bounded.sets {
            sets.push(self.form(set, walk)?);
        }
        // What holds for one element need not hold for another, nor after them.
        let facts = walk.facts.len();
        if let ([Form::Value(set)], [(_, pattern)]) = (sets.as_slice(), &*bounded.binds)
            && let Some(elements) = set.as_set().filter(|elements| elements.len() <= ELEMENTS_MAX)
        {
            for element in elements {
                self.bind_pattern(pattern, element).map_err(|_| Unsupported)?;
                run(self, walk)?;
                walk.facts.truncate(facts);
            }
            return Ok(());
        }
        sets.iter().for_each(|set| walk.read_form(set));
        for slot in bounded.slots() {
            self.name(slot, Form::unknown(), walk);
        }
        run(self, walk)?;
        walk.facts.truncate(facts);
        Ok(())
    }
}

/// The expression `e` of a conjunct `x = e` for a bound name.
fn defined_as(body: &Node, slot: u32) -> Option<&Node> {
    let body = body.bare();
    let conjuncts: &[Node] = match &body.kind {
        Kind::And(conjuncts) => conjuncts,
        _ => std::slice::from_ref(body),
    };
    let is_name = |node: &Node| matches!(node.bare().kind, Kind::Local(of) if of == slot);
    let is_free = |node: &Node| !node.uses.next && node.uses.slots & omnilink_tla_ir::slot_bit(slot) == 0;
    conjuncts.iter().find_map(|conjunct| match &conjunct.bare().kind {
        Kind::Equal(operands) if is_name(&operands.0) && is_free(&operands.1) => Some(&operands.1),
        Kind::Equal(operands) if is_name(&operands.1) && is_free(&operands.0) => Some(&operands.0),
        _ => None,
    })
}

/// Whether a conjunct is UNCHANGED of variables.
fn is_unchanged(conjunct: &Node) -> bool {
    matches!(conjunct.bare().kind, Kind::Unchanged(_))
}
