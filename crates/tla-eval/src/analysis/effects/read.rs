//! Reads: the cells that evaluating an expression may read.

use omnilink_tla_ir::{Argument, Bounded, Call, Kind, Node, PathStep};

use super::{CellPart, DEPTH_MAX, ELEMENTS_MAX, Unsupported, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Collects the cells that evaluating an expression may read.
    pub(super) fn walk_read(&mut self, node: &'p Node, walk: &mut Walk) -> Walked<()> {
        walk.visit()?;
        walk.exactness.lose();
        if node.uses.impure || node.uses.opaque {
            return Err(Unsupported);
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
                Slot::Shared(_) | Slot::Operator(_) => Err(Unsupported),
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
            | Kind::UnchangedExpr(_) => Err(Unsupported),
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
                Slot::Shared(_) | Slot::Operator(_) => Err(Unsupported),
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

    /// The content of a slot: the value if it is known, else the expression.
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

    pub(super) fn walk_let(&mut self, slots: &'p [(u32, Argument)], walk: &mut Walk) {
        for (slot, argument) in slots {
            let content = self.walk_content(argument, walk);
            self.set_slot(*slot, content);
        }
    }

    pub(super) fn walk_call<T>(
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
            return Err(Unsupported);
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

    pub(super) fn walk_in<T>(&mut self, base: usize, run: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        let saved = std::mem::replace(&mut self.base, base);
        let walked = run(self);
        self.base = saved;
        walked
    }

    /// Runs for every binding if the set is known and small, else once with unknown names.
    pub(super) fn walk_bound(
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
                self.bind_pattern(pattern, element).map_err(|_| Unsupported)?;
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
