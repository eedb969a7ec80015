//! Conditions: what must hold for an action to be enabled, besides cells that must hold certain values.
//!
//! A condition that reads one cell is a condition on its content, however it is written: `found = (map[key] # NoValue)`. A comparison of a
//! number with a sum, such as `n = Cardinality({k \in S : map[k] # NoValue})`, each part of which reads one cell, is a condition
//! on the total: if that is too low, some write must raise the part of some cell.

use omnilink_tla_ir::{Comparison, Formula, Kind, Node, OperatorId};
use omnilink_value::Value;

use super::cell::{Cell, CellStep};
use super::form::Form;
use super::tally::Tally;
use super::{ELEMENTS_MAX, Few, Layout, Unsupported, Walk, Walked};
use crate::error::{Outcome, type_error};
use crate::evaluator::{Evaluator, State};

/// A conjunct of an action that must be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The cells that it reads.
    pub cells: Few<Cell>,
    /// The sum that it compares; `None` if it reads one cell.
    pub sum: Option<Sum>,
    /// The way to it: which conjunct of each conjunction, which branch of each IF, and [`BODY`] for a quantifier. Definitions and LETs on the
    /// way do not count.
    trail: Box<[u16]>,
    /// The elements that names bound by `\A` on the way stand for.
    elements: Box<[Value]>,
}

/// The step of a trail into the body of a quantifier: of `\E` for the only element of its set, of `\A` for the next of the
/// condition's elements. Without it, the quantifier itself is the condition.
pub(super) const BODY: u16 = u16::MAX;

impl Condition {
    /// The same condition, of an instance that reads other cells.
    pub(super) fn with_cells(&self, cell: impl FnMut(&Cell) -> Cell) -> Self {
        Self {
            cells: self.cells.iter().map(cell).collect(),
            ..self.clone()
        }
    }
}

/// A sum that is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// How it must compare; `None` if they must be equal.
    comparison: Option<Comparison>,
    /// The number on the other side.
    bound: i64,
    /// Whether the sum is the left operand.
    is_left: bool,
}

/// In which direction a sum must change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It must rise.
    Up,
    /// It must fall.
    Down,
}

impl Sum {
    /// In which direction the sum must change for the comparison to be true; `None` if it is true.
    pub fn direction(&self, sum: i64) -> Option<Direction> {
        use Comparison::{Greater, GreaterEqual, Less, LessEqual};
        let bound = self.bound;
        let (is_true, up) = match self.comparison {
            None => (sum == bound, sum < bound),
            Some(Less) => (sum < bound, false),
            Some(LessEqual) => (sum <= bound, false),
            Some(Greater) => (sum > bound, true),
            Some(GreaterEqual) => (sum >= bound, true),
        };
        match (is_true, up) {
            (true, _) => None,
            (false, true) => Some(Direction::Up),
            (false, false) => Some(Direction::Down),
        }
    }
}

impl<'p> Evaluator<'p> {
    /// Takes a condition of this form into account. Returns whether it can be true.
    pub(super) fn require(&mut self, node: &'p Node, form: Form, walk: &mut Walk<'_>) -> Walked<bool> {
        if let Some(truth) = form.as_truth() {
            return Ok(truth);
        }
        walk.read_form(&form);
        if !is_fact(&form) {
            match Tally::of(&form) {
                Some(tally) => walk.effects.tallies.extend((walk.branches == 0).then_some(tally)),
                None => walk.exactness.lose(),
            }
            if walk.branches == 0 && walk.untracked == 0 {
                // Without implications between cells, the form is the same.
                let known = walk.layout.implications().is_empty().then_some(&form);
                walk.ignores_implications = true;
                let noted = self.note_conditions(node, known, walk);
                walk.ignores_implications = false;
                noted?;
            }
        }
        let facts = walk.facts.len();
        let possible = walk.assume(&form);
        if walk.branches == 0 {
            let demands = walk.facts.get(facts..).unwrap_or_default().iter().cloned();
            walk.effects.demands.extend(demands);
        }
        Ok(possible)
    }

    /// Notes the parts of a condition that read one cell or compare a sum.
    ///
    /// Such a part is evaluated with another content in its cell and everything else as it is. That may be a state that cannot be reached,
    /// so what holds in reachable states only, implications between cells, does not count.
    fn note_conditions(&mut self, node: &'p Node, known: Option<&Form>, walk: &mut Walk<'_>) -> Walked<()> {
        walk.visit()?;
        let node = node.bare();
        match &node.kind {
            Kind::And(parts) => {
                for (at, part) in (0..).zip(parts) {
                    walk.trail.push(at);
                    let noted = self.note_conditions(part, None, walk);
                    walk.trail.pop();
                    noted?;
                }
                Ok(())
            }
            Kind::Call(call) => self.in_call(call, walk, |this, body, walk| {
                this.note_conditions(body, known, walk)
            }),
            Kind::Let(slots, body) => {
                self.fill_let(slots, walk);
                self.note_conditions(body, known, walk)
            }
            kind => {
                let formed;
                let form = match known {
                    Some(form) => form,
                    None => {
                        formed = self.form(node, walk)?;
                        &formed
                    }
                };
                let cells = form.reads().cells;
                if form.as_truth().is_some() || !cells.iter().all(Cell::is_known) {
                    return Ok(());
                }
                let sum = match (cells.len(), kind) {
                    (0, _) => return Ok(()),
                    (1, _) => None,
                    (_, Kind::Equal(operands)) => self.sum_of(None, operands, form, walk)?,
                    (_, Kind::Comparison(comparison, operands)) => {
                        self.sum_of(Some(*comparison), operands, form, walk)?
                    }
                    _ => None,
                };
                if cells.len() == 1 || sum.is_some() {
                    walk.effects.conditions.push(Condition {
                        cells: cells.into(),
                        sum,
                        trail: walk.trail.as_slice().into(),
                        elements: Box::default(),
                    });
                }
                Ok(())
            }
        }
    }

    /// The parts of an invariant, all of which must hold; `None` if it is not understood.
    pub fn invariant_parts(&mut self, invariant: Formula, layout: &Layout) -> Option<Vec<Condition>> {
        self.set_state(&State::from([]));
        self.invalidate_state_caches();
        let mut walk = Walk::new(layout);
        let mut parts = Vec::new();
        let walked = self.without_memo(|this| {
            this.enter(invariant, |this, body| {
                Ok(this.collect_parts(body, &mut Vec::new(), &mut parts, &mut walk))
            })
        });
        matches!(walked, Ok(Ok(()))).then_some(parts)
    }

    fn collect_parts(
        &mut self,
        node: &'p Node,
        elements: &mut Vec<Value>,
        parts: &mut Vec<Condition>,
        walk: &mut Walk<'_>,
    ) -> Walked<()> {
        let node = node.bare();
        match &node.kind {
            Kind::And(conjuncts) => {
                for (at, conjunct) in (0..).zip(conjuncts) {
                    walk.trail.push(at);
                    let collected = self.collect_parts(conjunct, elements, parts, walk);
                    walk.trail.pop();
                    collected?;
                }
                return Ok(());
            }
            Kind::Call(call) => {
                return self.in_call(call, walk, |this, body, walk| {
                    this.collect_parts(body, elements, parts, walk)
                });
            }
            Kind::Let(slots, body) => {
                self.fill_let(slots, walk);
                return self.collect_parts(body, elements, parts, walk);
            }
            Kind::PerState(_, inner) => return self.collect_parts(inner, elements, parts, walk),
            Kind::ForAll(bounded) => {
                if let ([set], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds)
                    && let Form::Value(set) = self.form(set, walk)?
                    && let Some(all) = set.as_set().filter(|all| all.len() <= ELEMENTS_MAX)
                {
                    for element in all {
                        self.bind_pattern(pattern, element).map_err(|_| Unsupported)?;
                        elements.push(element.clone());
                        walk.trail.push(BODY);
                        let collected = self.collect_parts(&bounded.body, elements, parts, walk);
                        walk.trail.pop();
                        elements.pop();
                        collected?;
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        let form = self.form(node, walk)?;
        if form.as_truth() != Some(true) {
            parts.push(Condition {
                cells: form.reads().cells.into(),
                sum: None,
                trail: walk.trail.as_slice().into(),
                elements: elements.as_slice().into(),
            });
        }
        Ok(())
    }

    fn sum_of(
        &mut self,
        comparison: Option<Comparison>,
        operands: &'p (Node, Node),
        form: &Form,
        walk: &mut Walk<'_>,
    ) -> Walked<Option<Sum>> {
        let (left, right) = operands;
        // The sum is the operand that is formed only if it has to be. A name stands for a state without reading it.
        let of_left = if left.uses.state {
            None
        } else {
            Some(self.form(left, walk)?)
        };
        let (sum, bound, is_left) = match of_left {
            Some(Form::Value(bound)) => (right, bound, false),
            _ => match self.form(right, walk)? {
                Form::Value(bound) => (left, bound, true),
                _ => return Ok(None),
            },
        };
        // A comparison of a number of cells is that of a sum.
        let is_sum = matches!(form, Form::Tally(_)) || self.form(sum, walk)?.reads().is_sum;
        let turned = comparison.map(|comparison| match (is_left, comparison) {
            (false, Comparison::Less) => Comparison::Greater,
            (false, Comparison::LessEqual) => Comparison::GreaterEqual,
            (false, Comparison::Greater) => Comparison::Less,
            (false, Comparison::GreaterEqual) => Comparison::LessEqual,
            (true, comparison) => comparison,
        });
        Ok(match (bound.as_int(), is_sum) {
            (Some(bound), true) => Some(Sum {
                comparison: turned,
                bound,
                is_left,
            }),
            _ => None,
        })
    }

    /// Whether a condition of an action on one cell holds in a state.
    ///
    /// # Errors
    /// What goes wrong when it is evaluated.
    pub fn condition_holds(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        condition: &Condition,
        state: &State,
    ) -> Outcome<bool> {
        self.at_condition(action, arguments, condition, state, &mut |this, node| {
            this.bool(node)
        })
    }

    /// The sum that a condition of an action compares, in a state.
    ///
    /// # Errors
    /// What goes wrong when it is evaluated.
    pub fn condition_sum(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        condition: &Condition,
        state: &State,
    ) -> Outcome<i64> {
        let nothing = || type_error("the action compares no sum here");
        let is_left = condition.sum.ok_or_else(nothing)?.is_left;
        self.at_condition(action, arguments, condition, state, &mut |this, node| {
            let (Kind::Equal(operands) | Kind::Comparison(_, operands)) = &node.bare().kind else {
                return Err(nothing());
            };
            let sum = this.eval(if is_left { &operands.0 } else { &operands.1 })?;
            sum.as_value().and_then(Value::as_int).ok_or_else(nothing)
        })
    }

    fn at_condition<T>(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        condition: &Condition,
        state: &State,
        run: &mut dyn FnMut(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        self.set_state(state);
        self.without_memo(|this| {
            this.enter_with(action, arguments, |this, body| {
                this.along(body, (&condition.trail, &condition.elements), run)
            })
        })
    }

    fn along<T>(
        &mut self,
        node: &'p Node,
        (trail, elements): (&[u16], &[Value]),
        run: &mut dyn FnMut(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        let node = node.bare();
        let nothing = || type_error("the action has no such conjunct");
        match (&node.kind, trail.split_first()) {
            (Kind::Action(_, inner) | Kind::PerState(_, inner), _) => {
                self.along(inner, (trail, elements), run)
            }
            (Kind::Call(call), _) => {
                let operator = &self.program.operators[call.operator as usize];
                let base = self.fill_frame(call)?;
                let saved = std::mem::replace(&mut self.base, base);
                let result = self.along(&operator.body, (trail, elements), run);
                self.pop_frame(saved);
                result
            }
            (Kind::Let(slots, body), _) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument)?;
                    self.set_slot(*slot, content);
                }
                self.along(body, (trail, elements), run)
            }
            (Kind::And(parts), Some((at, rest))) => {
                let part = parts.get(*at as usize).ok_or_else(nothing)?;
                self.along(part, (rest, elements), run)
            }
            (Kind::If(parts), Some((at @ (1 | 2), rest))) => {
                let branch = if *at == 1 { &parts.1 } else { &parts.2 };
                self.along(branch, (rest, elements), run)
            }
            (Kind::Exists(bounded), Some((&BODY, rest))) => {
                let ([set], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds) else {
                    return Err(nothing());
                };
                let set = self.eval(set)?;
                let set = self.canonical(set)?;
                let Some([only]) = set.as_set() else {
                    return Err(nothing());
                };
                self.bind_pattern(pattern, only)?;
                self.along(&bounded.body, (rest, elements), run)
            }
            (Kind::ForAll(bounded), Some((&BODY, rest))) => {
                let (Some((first, others)), [(_, pattern)]) = (elements.split_first(), &*bounded.binds)
                else {
                    return Err(nothing());
                };
                self.bind_pattern(pattern, first)?;
                self.along(&bounded.body, (rest, others), run)
            }
            (_, None) => run(self, node),
            _ => Err(nothing()),
        }
    }
}

/// Whether the facts that follow from a condition are equivalent to it.
fn is_fact(form: &Form) -> bool {
    match form {
        Form::Is(place, _, true) => place.is_known(),
        // That an element has the part by which a set is taken apart is only known from evaluating the condition.
        Form::Present(cell, _) => {
            !matches!(cell.path.last(), None | Some(CellStep::Any | CellStep::Group(..)))
        }
        Form::All(parts) => parts.iter().all(is_fact),
        Form::Either(parts) => {
            let (condition, yes, no) = &**parts;
            match (yes.as_truth(), no.as_truth()) {
                (Some(false), _) => is_fact(&condition.clone().negated()) && is_fact(no),
                (_, Some(false)) => is_fact(condition) && is_fact(yes),
                _ => false,
            }
        }
        _ => false,
    }
}
