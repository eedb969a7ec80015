//! Refutation of `\E x \in S : P /\ Q` by a conjunct that does not depend on `x`.
//!
//! `\E b, e \in 1..Len(log[i]) : Send(i, b, e)` tries thousands of ranges for a server that may not send at all, because
//! `state[i] = Leader` is a conjunct inside `Send`. After a few elements for which the body is false, its conjuncts are
//! evaluated again to find one that does not mention the bound names. If such a conjunct is false, no element satisfies the body.
//!
//! # Soundness
//!
//! The quantifier must have the value that it has without this, errors included. The body is a tree of conjunctions, seen through
//! the definitions that it applies. Let `C` be a conjunct without bound names that is false, and let every conjunct before it
//! either have no bound names and a value now, or have a value for every element ([`Shape`]). Then, for every element, the evaluation
//! of the body meets a conjunct that is false, at the latest `C`, and no error before it. The elements that remain can be bound,
//! because no pattern takes them apart, and listed, because their sets are materialised or intervals. What has effects is never
//! evaluated again.
//!
//! In a formula about a complete step, such as `[Next]_vars` as a property, conjuncts before `C` need not have a value: `\E` is false,
//! where TLC might report an error for an element that is not tried here. A conjunction with a false conjunct is false, whatever the
//! others are. `\E m \in DOMAIN messages : messages' = f(m) /\ UNCHANGED log` ends early if the step changes `log`.
//! An equation is taken apart for this (`unequal.rs`).

use omnilink_tla_ir::{Application, Argument, Bounded, Kind, Node, PathStep, Pattern, slot_bit};
use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::{Datum, Lazy};
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::mutant::{Mutant, mutated};
use super::slot::Slot;

/// The elements after which a refutation is attempted are this one and its powers, so attempts cost a fraction of the evaluations.
const FIRST_ATTEMPT: u32 = 8;

/// The kind of value that an expression has for every element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Int,
    Bool,
    Str,
    Tuple(Vec<Shape>),
    /// The expression may have no value.
    Unknown,
}

/// What the conjuncts of a body say about all elements.
#[derive(Clone, Copy, PartialEq)]
enum Finding {
    /// The body is false for every element.
    Refuted,
    /// The conjunct has a value for every element.
    Defined,
    /// It may have no value for some element.
    Undefined,
    /// Nothing is known, not even whether it has effects.
    Unknown,
}

/// The slots that depend on the bound names, by their place on the stack, with the shape of their content.
pub(crate) type DependentSlots = SmallVec<[(usize, Shape); 8]>;

impl<'p> Evaluator<'p> {
    /// Runs for every binding of a `\E`, until told to stop or until it is known that the body is false for all that remain.
    pub(crate) fn each_witness(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        run: &mut dyn FnMut(&mut Self) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        let sets = bounded
            .sets
            .iter()
            .map(|set| self.eval(set))
            .collect::<Outcome<SmallVec<[_; 1]>>>()?;
        let mut tried = 0u32;
        let mut attempt = FIRST_ATTEMPT;
        let mut is_refuted = false;
        let flow = self.each_name(bounded, &sets, 0, &mut |this| {
            if run(this)?.is_stop() {
                return Ok(Flow::Stop);
            }
            tried += 1;
            if tried == attempt {
                attempt = attempt.saturating_mul(FIRST_ATTEMPT);
                is_refuted = this.is_refuted(bounded, &sets);
            }
            Ok(if is_refuted { Flow::Stop } else { Flow::Go })
        });
        match flow {
            Ok(_) if is_refuted => Ok(Flow::Go),
            Ok(flow) => Ok(flow),
            Err(failure) => Err(self.in_binding(failure, bounded).at(node.at)),
        }
    }

    #[cold]
    fn is_refuted(&mut self, bounded: &'p Bounded, sets: &[Datum<'p>]) -> bool {
        if self.primed || self.refusals.is_some() {
            return false;
        }
        let mut dependent = DependentSlots::new();
        for (set, pattern) in &bounded.binds {
            let (Pattern::One(slot), Some(shape)) = (pattern, element_shape(&sets[*set as usize])) else {
                return false;
            };
            dependent.push((self.base + *slot as usize, shape));
        }
        self.find(&bounded.body, &mut dependent) == Finding::Refuted
    }

    /// What a conjunct says about all elements.
    fn find(&mut self, node: &'p Node, dependent: &mut DependentSlots) -> Finding {
        let uses = node.uses;
        if uses.impure || uses.opaque || uses.unfinished {
            return Finding::Unknown;
        }
        if !self.depends(node, dependent) || mutated(Mutant::RefuteByOneElement) {
            // While next values are being assigned, `x' = e` is not yet a formula.
            if uses.next && self.unassigned > 0 {
                return Finding::Unknown;
            }
            return match self.bool(node) {
                Ok(true) => Finding::Defined,
                Ok(false) => Finding::Refuted,
                Err(_) => Finding::Unknown,
            };
        }
        match &node.kind {
            Kind::And(conjuncts) => {
                let mut finding = Finding::Defined;
                for conjunct in conjuncts {
                    match self.find(conjunct, dependent) {
                        Finding::Defined => {}
                        Finding::Undefined if self.is_step_formula || mutated(Mutant::RefuteBeforeErrors) => {
                            finding = Finding::Undefined
                        }
                        other => return other,
                    }
                }
                finding
            }
            Kind::Let(slots, body) => self.find_in_let(slots, body, dependent),
            Kind::If(parts) if !self.depends(&parts.0, dependent) => match self.bool(&parts.0) {
                Ok(true) => self.find(&parts.1, dependent),
                Ok(false) => self.find(&parts.2, dependent),
                Err(_) => Finding::Unknown,
            },
            Kind::Call(call) => self.find_in_call(call, dependent),
            Kind::Action(_, body) | Kind::Memo(_, body) => self.find(body, dependent),
            Kind::Equal(parts) if self.is_step_formula && self.is_false_for_all(parts, dependent) => {
                Finding::Refuted
            }
            _ if self.shape(node, dependent) == Shape::Bool => Finding::Defined,
            _ => Finding::Undefined,
        }
    }

    fn find_in_let(
        &mut self,
        slots: &'p [(u32, Argument)],
        body: &'p Node,
        dependent: &mut DependentSlots,
    ) -> Finding {
        let before = dependent.len();
        let mut saved: SmallVec<[(usize, Slot<'p>); 4]> = SmallVec::new();
        let mut finding = None;
        for (slot, argument) in slots {
            let at = self.base + *slot as usize;
            let shape = self.argument_shape(argument, dependent);
            let Ok(content) = self.argument(argument) else {
                finding = Some(Finding::Unknown);
                break;
            };
            saved.push((at, std::mem::replace(&mut self.slots[at], content)));
            dependent.extend(shape.map(|shape| (at, shape)));
        }
        let finding = finding.unwrap_or_else(|| self.find(body, dependent));
        self.restore(saved.into_iter().rev());
        dependent.truncate(before);
        finding
    }

    fn find_in_call(&mut self, call: &'p Application, dependent: &mut DependentSlots) -> Finding {
        self.in_body(call, dependent, |this, body, dependent| {
            this.find(body, dependent)
        })
        .unwrap_or(Finding::Unknown)
    }

    /// Runs in the frame of a call, with the body of the operator; nothing if an argument has no value.
    pub(crate) fn in_body<T>(
        &mut self,
        call: &'p Application,
        dependent: &mut DependentSlots,
        run: impl FnOnce(&mut Self, &'p Node, &mut DependentSlots) -> T,
    ) -> Option<T> {
        if self.check_stack().is_err() {
            return None;
        }
        let before = dependent.len();
        let own = self.base;
        let shapes: SmallVec<[(u32, Option<Shape>); 8]> = call
            .arguments
            .iter()
            .map(|(slot, argument)| (*slot, self.argument_shape(argument, dependent)))
            .collect();
        let new = self.fill_frame(call).ok()?;
        for (slot, shape) in shapes {
            dependent.extend(shape.map(|shape| (new + slot as usize, shape)));
        }
        self.base = new;
        let program = self.program;
        let result = run(self, &program.operators[call.operator as usize].body, dependent);
        self.slots.truncate(new);
        self.base = own;
        dependent.truncate(before);
        Some(result)
    }

    /// The shape of an argument, if it depends on the bound names.
    fn argument_shape(&mut self, argument: &'p Argument, dependent: &DependentSlots) -> Option<Shape> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                let depends = self.depends(node, dependent);
                depends.then(|| self.shape(node, dependent))
            }
            Argument::Slot(slot) => shape_of_slot(self.base + *slot as usize, dependent),
            Argument::Operator(_, captures) => captures
                .iter()
                .any(|(_, capture)| self.argument_shape(capture, dependent).is_some())
                .then_some(Shape::Unknown),
        }
    }

    /// Whether an expression mentions the bound names, directly or through arguments.
    pub(crate) fn depends(&self, node: &Node, dependent: &DependentSlots) -> bool {
        let in_frame = dependent.iter().filter(|(at, _)| *at >= self.base);
        let bits = in_frame.fold(0, |bits, (at, _)| bits | slot_bit((at - self.base) as u32));
        node.uses.slots & bits != 0
    }

    fn shape(&mut self, node: &'p Node, dependent: &DependentSlots) -> Shape {
        let uses = node.uses;
        if uses.impure || uses.opaque || uses.unfinished || (uses.next && self.unassigned > 0) {
            return Shape::Unknown;
        }
        if !self.depends(node, dependent) {
            return match self.eval(node) {
                Ok(Datum::Value(value)) => value_shape(&value),
                _ => Shape::Unknown,
            };
        }
        let mut is_bool = |part: &'p Node| self.shape(part, dependent) == Shape::Bool;
        let is_truth = match &node.kind {
            Kind::Local(slot) => {
                return shape_of_slot(self.base + *slot as usize, dependent).unwrap_or(Shape::Unknown);
            }
            Kind::Tuple(parts) => {
                return Shape::Tuple(parts.iter().map(|part| self.shape(part, dependent)).collect());
            }
            Kind::Path(root, steps) => return self.part_shape(root, steps, dependent),
            Kind::And(parts) | Kind::Or(parts) => parts.iter().all(is_bool),
            Kind::Not(part) => is_bool(part),
            Kind::Implies(parts) => is_bool(&parts.0) && is_bool(&parts.1),
            Kind::Comparison(_, parts) => {
                let (left, right) = (self.shape(&parts.0, dependent), self.shape(&parts.1, dependent));
                left == Shape::Int && right == Shape::Int
            }
            Kind::Equal(parts) | Kind::NotEqual(parts) => {
                let (left, right) = (self.shape(&parts.0, dependent), self.shape(&parts.1, dependent));
                left == right && matches!(left, Shape::Int | Shape::Bool | Shape::Str)
            }
            _ => false,
        };
        if is_truth { Shape::Bool } else { Shape::Unknown }
    }

    /// The shape of a part of a tuple: `<<a, b>>[1]`.
    fn part_shape(&mut self, root: &'p Node, steps: &'p [PathStep], dependent: &DependentSlots) -> Shape {
        let (Shape::Tuple(parts), [PathStep::Index(index)]) = (self.shape(root, dependent), steps) else {
            return Shape::Unknown;
        };
        let Kind::Const(index) = &index.kind else {
            return Shape::Unknown;
        };
        let at = index.as_int().and_then(|index| usize::try_from(index - 1).ok());
        at.and_then(|at| parts.into_iter().nth(at))
            .unwrap_or(Shape::Unknown)
    }
}

/// The shape of a dependent slot.
fn shape_of_slot(at: usize, dependent: &DependentSlots) -> Option<Shape> {
    let found = dependent.iter().rev().find(|(slot, _)| *slot == at);
    found.map(|(_, shape)| shape.clone())
}

fn value_shape(value: &Value) -> Shape {
    if value.as_int().is_some() {
        Shape::Int
    } else if value.as_bool().is_some() {
        Shape::Bool
    } else if value.as_str().is_some() {
        Shape::Str
    } else {
        Shape::Unknown
    }
}

/// The shape of all elements of a set; `None` if they may fail to be listed.
fn element_shape(set: &Datum<'_>) -> Option<Shape> {
    match set {
        Datum::Value(value) => {
            let elements = value.as_set()?;
            let first = elements.first().map_or(Shape::Unknown, value_shape);
            let all_alike = elements.iter().all(|element| value_shape(element) == first);
            Some(if all_alike { first } else { Shape::Unknown })
        }
        Datum::Lazy(lazy) => matches!(**lazy, Lazy::Interval(..)).then_some(Shape::Int),
    }
}
