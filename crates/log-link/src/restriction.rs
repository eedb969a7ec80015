//! The part of the next-state relation that an event names, as an operation of its own.
//!
//! Evaluating all of `Next` and dropping what does not fit a line would enumerate every quantifier. Instead, a copy of `Next` is made in
//! which
//!
//! - disjuncts that do not contain an application of `A` are left out;
//! - `\E x \in S : … A(x) …`, where the argument for `x` is given, does not enumerate `S`: `x` is the argument, which must be in `S`;
//! - any other argument is compared: `A(x + 1)` becomes `x + 1 = argument /\ A(x + 1)`.
//!
//! **Why this is right.** A step of the copy is a step of `Next`: leaving out disjuncts and adding conjuncts only removes steps, and
//! `x = v /\ v \in S` is one of the cases of `\E x \in S`. No step of `Next` through `A` with these arguments is lost: it takes, at every
//! disjunction above the application, the disjunct that contains it, and binds `x` to the argument.
//!
//! **What is left out is proved to have no step through `A`**: either no application of `A` can be reached from it at all
//! ([`EventReach`]), or it is an expression that the evaluator never takes for an action (an operand of a comparison, a negation, ENABLED, a
//! guard). Of everything else nothing is claimed: an action that is an argument, a LET or an operator that is a parameter, a recursive
//! operator, `\A`, `=>` and `\cdot` make the restriction [unsupported](StepsThrough::Unsupported), and all of `Next` is evaluated for this event.
//!
//! Arguments that are not given stay quantified. There are two copies for each event: one for all arguments given, and one in which a
//! flag says of each argument whether it is given.

use omnilink_tla::ir::{Application, Argument, Kind, Node, Operator, OperatorId, Program, Uses, slot_bit};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::event_reach::{EventReach, is_event};
use crate::mutant::{Mutant, mutated};
use crate::steps_through::{StepsThrough, restricted_or_return};

/// A copy of an operator that has only the steps through an event.
pub(crate) fn restricted(
    program: &mut Program,
    next: u32,
    event: &str,
    params: usize,
    is_partial: bool,
) -> StepsThrough<OperatorId> {
    let reach = EventReach::of(program, event, params);
    let mut restriction = Restriction {
        program,
        event,
        params,
        is_partial,
        reach,
        copies: FxHashMap::default(),
        open: Vec::new(),
    };
    let copy = restricted_or_return!(restriction.operator(next));
    let given = restriction.given();
    let at = program.operators[copy.operator as usize].body.at;
    let uses = program.operators[copy.operator as usize].body.uses;
    let body = Node {
        kind: Kind::Call(Box::new(Application {
            operator: copy.operator,
            arguments: (0..given)
                .map(|slot| (copy.first_given + slot, Argument::Slot(slot)))
                .collect(),
        })),
        at,
        uses: Uses {
            slots: (0..given).fold(0, |bits, slot| bits | slot_bit(slot)),
            heavy: true,
            ..uses
        },
    };
    StepsThrough::Restricted(
        program.add_operator(Operator {
            name: event.into(),
            is_definition: false,
            params: given,
            slots: (0..given)
                .map(|slot| format!("argument {}", slot + 1).into())
                .collect(),
            body,
        }),
    )
}

/// A parameter of the event that a slot must be equal to.
pub(crate) type Demand = (u32, usize);

/// A restricted copy of an operator.
#[derive(Clone, Debug)]
struct Copy {
    operator: u32,
    /// The slot of the first given argument in the copy's frame.
    first_given: u32,
    /// Which of its own parameters must be equal to arguments.
    demands: Vec<Demand>,
}

/// A branch of IF or CASE, and its steps: none at first.
struct Branch<'n> {
    original: &'n Node,
    steps: Node,
}

impl<'n> Branch<'n> {
    fn of(original: &'n Node) -> Self {
        Self {
            original,
            steps: with_kind(original, Kind::Const(Value::bool(false))),
        }
    }
}

pub(crate) struct Restriction<'a> {
    program: &'a mut Program,
    event: &'a str,
    pub params: usize,
    pub is_partial: bool,
    reach: EventReach,
    /// The copy of each operator. It is a function of the operator alone: the event, its parameters and the form of the copy are those of the
    /// whole restriction, and a call that gives the operator an action as an argument is not looked up here.
    copies: FxHashMap<u32, StepsThrough<Copy>>,
    /// The operators that are being copied.
    open: Vec<u32>,
}

impl Restriction<'_> {
    /// How many values are given: those of the arguments, after flags if they may be absent.
    pub fn given(&self) -> u32 {
        (self.params * if self.is_partial { 2 } else { 1 }) as u32
    }

    fn operator(&mut self, operator: u32) -> StepsThrough<Copy> {
        if let Some(copy) = self.copies.get(&operator) {
            return copy.clone();
        }
        if !self.reach.in_operator(operator) {
            return StepsThrough::NoStep;
        }
        // A recursive operator has no finite copy of this kind.
        if self.open.contains(&operator) {
            return StepsThrough::Unsupported;
        }
        self.open.push(operator);
        let original = self.program.operators[operator as usize].clone();
        let first_given = original.slots.len() as u32;
        let copy = self.node(&original.body, first_given).map(|(body, demands)| {
            let (own, other): (Vec<Demand>, Vec<Demand>) =
                demands.into_iter().partition(|(slot, _)| *slot < original.params);
            let body = self.demanded(body, &other, first_given);
            let given = (0..self.given()).map(|slot| format!("given {slot}").into());
            let operation = Operator {
                slots: original.slots.iter().cloned().chain(given).collect(),
                body,
                ..original
            };
            Copy {
                operator: self.program.add_operator(operation).formula().0,
                first_given,
                demands: own,
            }
        });
        self.open.pop();
        self.copies.insert(operator, copy.clone());
        copy
    }

    /// The steps of a node that go through the event, and what slots must be equal to.
    ///
    /// The kinds of nodes are those of the evaluator's `step`: what it evaluates as a formula is no step, whatever is applied in it.
    pub fn node(&mut self, node: &Node, first_given: u32) -> StepsThrough<(Node, Vec<Demand>)> {
        if !self.reach.in_node(node) {
            return StepsThrough::NoStep;
        }
        match &node.kind {
            Kind::Or(parts) => {
                let mut kept = Vec::new();
                for part in parts {
                    match self.node(part, first_given) {
                        StepsThrough::NoStep => {}
                        StepsThrough::Restricted(part) => kept.push(part),
                        StepsThrough::Unsupported => return StepsThrough::Unsupported,
                    }
                }
                self.either(kept, node, first_given)
            }
            Kind::And(parts) => self.conjunction(parts, node, first_given),
            Kind::Exists(bounded) => self.exists(bounded, node, first_given),
            Kind::Call(call) => self.call(call, node, first_given),
            Kind::If(parts) => {
                let mut branches = [Branch::of(&parts.1), Branch::of(&parts.2)];
                restricted_or_return!(self.branches(&mut branches, first_given));
                let [yes, no] = branches.map(|branch| branch.steps);
                let kind = Kind::If(Box::new((parts.0.clone(), yes, no)));
                StepsThrough::Restricted((with_kind(node, kind), Vec::new()))
            }
            Kind::Case(arms, other) => {
                let values = arms.iter().map(|(_, value)| value).chain(other.as_deref());
                let mut branches: Vec<Branch<'_>> = values.map(Branch::of).collect();
                restricted_or_return!(self.branches(&mut branches, first_given));
                let mut steps = branches.into_iter().map(|branch| branch.steps);
                let arms = arms
                    .iter()
                    .map(|(guard, _)| guard.clone())
                    .zip(&mut steps)
                    .collect();
                let other = steps.next().map(Box::new);
                StepsThrough::Restricted((with_kind(node, Kind::Case(arms, other)), Vec::new()))
            }
            // A slot that holds an action may be a step wherever it is named.
            Kind::Let(slots, _) if self.carries(slots.iter().map(|(_, argument)| argument)) => {
                StepsThrough::Unsupported
            }
            Kind::Let(slots, body) => {
                let (body, demands) = restricted_or_return!(self.node(body, first_given));
                let is_own = |slot: &u32| slots.iter().any(|(own, _)| own == slot);
                let (own, outer): (Vec<Demand>, Vec<Demand>) =
                    demands.into_iter().partition(|(slot, _)| is_own(slot));
                let body = self.demanded(body, &own, first_given);
                StepsThrough::Restricted((with_kind(node, Kind::Let(slots.clone(), Box::new(body))), outer))
            }
            Kind::Action(action, body) => {
                let (body, demands) = restricted_or_return!(self.node(body, first_given));
                StepsThrough::Restricted((with_kind(node, Kind::Action(*action, Box::new(body))), demands))
            }
            // Its results depend on the given arguments now, so the memo point of the original is not the copy's.
            Kind::Memo(_, body) => self.node(body, first_given),
            // A step that changes nothing goes through no action.
            Kind::Stuttering(operands) => self.node(&operands.0, first_given),
            Kind::Changing(operands) => {
                let (action, demands) = restricted_or_return!(self.node(&operands.0, first_given));
                let kind = Kind::Changing(Box::new((action, operands.1.clone())));
                StepsThrough::Restricted((with_kind(node, kind), demands))
            }
            Kind::ForAll(_) | Kind::Implies(_) | Kind::Compose(_) | Kind::CallSlot(..) | Kind::Local(_) => {
                StepsThrough::Unsupported
            }
            // All others are formulas or values for the evaluator: it never takes a part of them for an action.
            _ => StepsThrough::NoStep,
        }
    }

    /// Whether one of some arguments is an action through which steps of the event may go.
    fn carries<'n>(&self, mut arguments: impl Iterator<Item = &'n Argument>) -> bool {
        !mutated(Mutant::DropCarriedActions) && arguments.any(|argument| self.reach.in_argument(argument))
    }

    /// Branches of which a condition takes one: those without a step become FALSE.
    fn branches(&mut self, branches: &mut [Branch<'_>], first_given: u32) -> StepsThrough<()> {
        let mut found = StepsThrough::NoStep;
        for branch in branches {
            match self.node(branch.original, first_given) {
                StepsThrough::NoStep => {}
                StepsThrough::Restricted((part, demands)) => {
                    branch.steps = self.demanded(part, &demands, first_given);
                    found = StepsThrough::Restricted(());
                }
                StepsThrough::Unsupported => return StepsThrough::Unsupported,
            }
        }
        found
    }

    /// A disjunction. A demand of all disjuncts is one of the whole; the others are conjuncts of their disjuncts.
    fn either(
        &mut self,
        mut kept: Vec<(Node, Vec<Demand>)>,
        node: &Node,
        first_given: u32,
    ) -> StepsThrough<(Node, Vec<Demand>)> {
        if kept.len() <= 1 {
            return kept.pop().map_or(StepsThrough::NoStep, StepsThrough::Restricted);
        }
        let shared: Vec<Demand> = kept[0]
            .1
            .iter()
            .filter(|demand| kept.iter().all(|(_, demands)| demands.contains(demand)))
            .copied()
            .collect();
        let parts = kept
            .into_iter()
            .map(|(part, demands)| {
                let own: Vec<Demand> = demands
                    .into_iter()
                    .filter(|demand| !shared.contains(demand))
                    .collect();
                self.demanded(part, &own, first_given)
            })
            .collect();
        StepsThrough::Restricted((with_kind(node, Kind::Or(parts)), shared))
    }

    /// A conjunction: the event is in one of the conjuncts, and the others stay as they are.
    fn conjunction(
        &mut self,
        parts: &[Node],
        node: &Node,
        first_given: u32,
    ) -> StepsThrough<(Node, Vec<Demand>)> {
        let mut kept = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match self.node(part, first_given) {
                StepsThrough::NoStep => {}
                StepsThrough::Restricted((part, demands)) => {
                    let mut parts = parts.to_vec();
                    parts[at] = part;
                    kept.push((with_kind(node, Kind::And(parts.into())), demands));
                }
                StepsThrough::Unsupported => return StepsThrough::Unsupported,
            }
        }
        self.either(kept, node, first_given)
    }

    fn call(
        &mut self,
        call: &Application,
        node: &Node,
        first_given: u32,
    ) -> StepsThrough<(Node, Vec<Demand>)> {
        // An action that is an argument may be a step wherever the operator names its parameter.
        if self.carries(call.arguments.iter().map(|(_, argument)| argument)) {
            return StepsThrough::Unsupported;
        }
        let operator = &self.program.operators[call.operator as usize];
        if is_event(operator, self.event, self.params) {
            let demands = (0..self.params as u32)
                .map(|slot| (slot, slot as usize))
                .collect::<Vec<_>>();
            return self.applied(call.clone(), &demands, node, first_given);
        }
        let copy = restricted_or_return!(self.operator(call.operator));
        let given =
            (0..self.given()).map(|slot| (copy.first_given + slot, Argument::Slot(first_given + slot)));
        let copied = Application {
            operator: copy.operator,
            arguments: call.arguments.iter().cloned().chain(given).collect(),
        };
        self.applied(copied, &copy.demands, node, first_given)
    }

    /// A call of which some arguments must be equal to given ones.
    fn applied(
        &mut self,
        call: Application,
        demands: &[Demand],
        node: &Node,
        first_given: u32,
    ) -> StepsThrough<(Node, Vec<Demand>)> {
        let mut outer = Vec::new();
        let mut conjuncts = Vec::new();
        for (slot, param) in demands {
            let argument = call.arguments.iter().find(|(own, _)| own == slot);
            match argument.map(|(_, argument)| argument) {
                Some(Argument::Slot(own)) => outer.push((*own, *param)),
                // An operator is no value that could be compared.
                Some(Argument::Operator(..)) | None => return StepsThrough::Unsupported,
                Some(Argument::Value(value) | Argument::Lazy(value) | Argument::ByName(value)) => {
                    match value.kind {
                        Kind::Local(own) => outer.push((own, *param)),
                        _ => conjuncts.push(self.equals(value.clone(), *param, first_given)),
                    }
                }
            }
        }
        let call = with_kind(node, Kind::Call(Box::new(call)));
        if conjuncts.is_empty() {
            return StepsThrough::Restricted((call, outer));
        }
        conjuncts.push(call);
        StepsThrough::Restricted((with_kind(node, Kind::And(conjuncts.into())), outer))
    }

    /// `value = argument`, if the argument is given.
    fn equals(&self, value: Node, param: usize, first_given: u32) -> Node {
        let at = value.at;
        let values = if self.is_partial { self.params } else { 0 };
        let argument = local(first_given + (values + param) as u32, &value);
        let uses = value.uses.and(argument.uses);
        let equal = Node {
            kind: Kind::Equal(Box::new((argument, value))),
            at,
            uses,
        };
        if !self.is_partial {
            return equal;
        }
        let flag = local(first_given + param as u32, &equal);
        let uses = equal.uses.and(flag.uses);
        let always = Node {
            kind: Kind::Const(Value::bool(true)),
            at,
            uses: Uses::default(),
        };
        Node {
            kind: Kind::If(Box::new((flag, equal, always))),
            at,
            uses,
        }
    }

    /// The node, where demands hold: they are compared first.
    pub fn demanded(&self, node: Node, demands: &[Demand], first_given: u32) -> Node {
        if demands.is_empty() || mutated(Mutant::IgnoreArguments) {
            return node;
        }
        let mut conjuncts: Vec<Node> = demands
            .iter()
            .map(|(slot, param)| self.equals(local(*slot, &node), *param, first_given))
            .collect();
        let outline = with_kind(&node, Kind::Const(Value::bool(true)));
        conjuncts.push(node);
        with_kind(&outline, Kind::And(conjuncts.into()))
    }
}

pub(crate) fn local(slot: u32, near: &Node) -> Node {
    Node {
        kind: Kind::Local(slot),
        at: near.at,
        uses: Uses {
            slots: slot_bit(slot),
            ..Uses::default()
        },
    }
}

pub(crate) fn with_kind(node: &Node, kind: Kind) -> Node {
    Node {
        kind,
        at: node.at,
        uses: node.uses,
    }
}
