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
//! Arguments that are not given stay quantified. There are two copies for each event: one for all arguments given, and one in which a
//! flag says of each argument whether it is given.

use omnilink_tla::ir::{
    Application, Argument, Bounded, Kind, Node, Operator, OperatorId, Pattern, Program, Uses, slot_bit,
};
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::event_action::may_step;

/// A copy of an operator that has only the steps through an event.
pub(crate) fn restricted(
    program: &mut Program,
    next: u32,
    event: &str,
    params: usize,
    is_partial: bool,
) -> Option<OperatorId> {
    let mut restriction = Restriction {
        program,
        event,
        params,
        is_partial,
        copies: FxHashMap::default(),
        open: Vec::new(),
    };
    let copy = restriction.operator(next)?;
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
    Some(
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
type Demand = (u32, usize);

/// A restricted copy of an operator.
#[derive(Clone, Debug)]
struct Copy {
    operator: u32,
    /// The slot of the first given argument in the copy's frame.
    first_given: u32,
    /// Which of its own parameters must be equal to arguments.
    demands: Vec<Demand>,
}

struct Restriction<'a> {
    program: &'a mut Program,
    event: &'a str,
    params: usize,
    is_partial: bool,
    copies: FxHashMap<u32, Option<Copy>>,
    open: Vec<u32>,
}

impl Restriction<'_> {
    /// How many values are given: those of the arguments, after flags if they may be absent.
    fn given(&self) -> u32 {
        (self.params * if self.is_partial { 2 } else { 1 }) as u32
    }

    fn operator(&mut self, operator: u32) -> Option<Copy> {
        if let Some(copy) = self.copies.get(&operator) {
            return copy.clone();
        }
        if self.open.contains(&operator) {
            return None;
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

    /// The steps of a node that go through the event, and what slots must be equal to; `None` if there are none.
    fn node(&mut self, node: &Node, first_given: u32) -> Option<(Node, Vec<Demand>)> {
        if !may_step(node) {
            return None;
        }
        match &node.kind {
            Kind::Or(parts) => {
                let kept: Vec<_> = parts
                    .iter()
                    .filter_map(|part| self.node(part, first_given))
                    .collect();
                self.either(kept, node, first_given)
            }
            Kind::And(parts) => self.conjunction(parts, node, first_given),
            Kind::Exists(bounded) => self.exists(bounded, node, first_given),
            Kind::Call(call) => self.call(call, node, first_given),
            Kind::If(parts) => {
                let nothing = || with_kind(node, Kind::Const(Value::bool(false)));
                let yes = self.node(&parts.1, first_given);
                let no = self.node(&parts.2, first_given);
                if yes.is_none() && no.is_none() {
                    return None;
                }
                let branch = |found: Option<(Node, Vec<Demand>)>| match found {
                    Some((part, demands)) => self.demanded(part, &demands, first_given),
                    None => nothing(),
                };
                let (yes, no) = (branch(yes), branch(no));
                Some((
                    with_kind(node, Kind::If(Box::new((parts.0.clone(), yes, no)))),
                    Vec::new(),
                ))
            }
            Kind::Case(arms, other) => {
                let mut is_found = false;
                let mut restrict = |this: &mut Self, part: &Node| match this.node(part, first_given) {
                    Some((part, demands)) => {
                        is_found = true;
                        this.demanded(part, &demands, first_given)
                    }
                    None => with_kind(part, Kind::Const(Value::bool(false))),
                };
                let arms = arms
                    .iter()
                    .map(|(guard, value)| (guard.clone(), restrict(self, value)))
                    .collect();
                let other = other.as_ref().map(|other| Box::new(restrict(self, other)));
                is_found.then(|| (with_kind(node, Kind::Case(arms, other)), Vec::new()))
            }
            Kind::Let(slots, body) => {
                let (body, demands) = self.node(body, first_given)?;
                let is_own = |slot: &u32| slots.iter().any(|(own, _)| own == slot);
                let (own, outer): (Vec<Demand>, Vec<Demand>) =
                    demands.into_iter().partition(|(slot, _)| is_own(slot));
                let body = self.demanded(body, &own, first_given);
                Some((with_kind(node, Kind::Let(slots.clone(), Box::new(body))), outer))
            }
            Kind::Action(action, body) => {
                let (body, demands) = self.node(body, first_given)?;
                Some((with_kind(node, Kind::Action(*action, Box::new(body))), demands))
            }
            // Its results depend on the given arguments now, so the memo point of the original is not the copy's.
            Kind::Memo(_, body) => self.node(body, first_given),
            // A step that changes nothing goes through no action.
            Kind::Stuttering(operands) => self.node(&operands.0, first_given),
            Kind::Changing(operands) => {
                let (action, demands) = self.node(&operands.0, first_given)?;
                let kind = Kind::Changing(Box::new((action, operands.1.clone())));
                Some((with_kind(node, kind), demands))
            }
            _ => None,
        }
    }

    /// A disjunction. A demand of all disjuncts is one of the whole; the others are conjuncts of their disjuncts.
    fn either(
        &mut self,
        mut kept: Vec<(Node, Vec<Demand>)>,
        node: &Node,
        first_given: u32,
    ) -> Option<(Node, Vec<Demand>)> {
        if kept.len() <= 1 {
            return kept.pop();
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
        Some((with_kind(node, Kind::Or(parts)), shared))
    }

    /// A conjunction: the event is in one of the conjuncts, and the others stay as they are.
    fn conjunction(&mut self, parts: &[Node], node: &Node, first_given: u32) -> Option<(Node, Vec<Demand>)> {
        let mut kept = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if let Some((part, demands)) = self.node(part, first_given) {
                let mut parts = parts.to_vec();
                parts[at] = part;
                kept.push((with_kind(node, Kind::And(parts.into())), demands));
            }
        }
        self.either(kept, node, first_given)
    }

    fn exists(&mut self, bounded: &Bounded, node: &Node, first_given: u32) -> Option<(Node, Vec<Demand>)> {
        let (body, demands) = self.node(&bounded.body, first_given)?;
        let is_bound = |slot: u32| bounded.slots().any(|own| own == slot);
        let (own, outer): (Vec<Demand>, Vec<Demand>) =
            demands.into_iter().partition(|(slot, _)| is_bound(*slot));
        // A name that is bound as a whole is the argument. Several demands on one name, and parts of patterns, are compared.
        let mut bound: Vec<Demand> = Vec::new();
        let mut compared = Vec::new();
        for demand in own {
            let is_whole = bounded
                .binds
                .iter()
                .any(|(_, pattern)| matches!(pattern, Pattern::One(slot) if *slot == demand.0));
            match is_whole && bound.iter().all(|(slot, _)| *slot != demand.0) {
                true => bound.push(demand),
                false => compared.push(demand),
            }
        }
        let body = self.demanded(body, &compared, first_given);
        let frame = bounded.frame.max(first_given + self.given());
        if bound.is_empty() {
            let bounded = Bounded {
                body,
                frame,
                ..bounded.clone()
            };
            return Some((with_kind(node, Kind::Exists(Box::new(bounded))), outer));
        }
        let demand_of = |pattern: &Pattern| match pattern {
            Pattern::One(slot) => bound.iter().find(|(own, _)| own == slot),
            Pattern::Tuple(_) => None,
        };
        if self.is_partial {
            return Some((self.flagged(bounded, &bound, body, node, first_given), outer));
        }
        let mut slots = Vec::new();
        let mut conjuncts = Vec::new();
        let mut left = Vec::new();
        for (set, pattern) in &bounded.binds {
            match demand_of(pattern) {
                Some((slot, param)) => {
                    slots.push((*slot, Argument::Slot(first_given + *param as u32)));
                    conjuncts.push(self.member(*slot, &bounded.sets[*set as usize]));
                }
                None => left.push((*set, pattern.clone())),
            }
        }
        let body = match left.is_empty() {
            true => body,
            false => {
                let left_slots: Vec<u32> = left
                    .iter()
                    .flat_map(|(_, pattern)| pattern.slots().to_vec())
                    .collect();
                let names = bounded.slots().zip(&bounded.names);
                let names = names.filter(|(slot, _)| left_slots.contains(slot));
                let bounded = Bounded {
                    binds: left.into(),
                    names: names.map(|(_, name)| name.clone()).collect(),
                    body,
                    frame,
                    ..bounded.clone()
                };
                with_kind(node, Kind::Exists(Box::new(bounded)))
            }
        };
        conjuncts.push(body);
        let body = with_kind(node, Kind::And(conjuncts.into()));
        Some((with_kind(node, Kind::Let(slots.into(), Box::new(body))), outer))
    }

    /// A quantifier whose names are arguments that may be given: `\E x \in IF flag THEN {argument} ELSE S : x \in S /\ …`.
    fn flagged(
        &mut self,
        bounded: &Bounded,
        bound: &[Demand],
        body: Node,
        node: &Node,
        first_given: u32,
    ) -> Node {
        let mut sets = bounded.sets.to_vec();
        let mut binds = bounded.binds.to_vec();
        let mut conjuncts = Vec::new();
        for (set, pattern) in &mut binds {
            let Pattern::One(slot) = pattern else { continue };
            let Some((_, param)) = bound.iter().find(|(own, _)| own == slot) else {
                continue;
            };
            let original = bounded.sets[*set as usize].clone();
            conjuncts.push(self.member(*slot, &original));
            let flag = local(first_given + *param as u32, &original);
            let argument = local(first_given + (self.params + *param) as u32, &original);
            let one = with_kind(&original, Kind::SetEnum([argument].into()));
            let uses = original.uses.and(flag.uses).and(one.uses);
            // Several names may range over one set: each gets its own.
            *set = sets.len() as u32;
            sets.push(Node {
                kind: Kind::If(Box::new((flag, one, original.clone()))),
                at: original.at,
                uses,
            });
        }
        conjuncts.push(body);
        let bounded = Bounded {
            sets: sets.into(),
            binds: binds.into(),
            body: with_kind(&bounded.body, Kind::And(conjuncts.into())),
            frame: bounded.frame.max(first_given + self.given()),
            ..bounded.clone()
        };
        with_kind(node, Kind::Exists(Box::new(bounded)))
    }

    fn member(&self, slot: u32, set: &Node) -> Node {
        let name = local(slot, set);
        Node {
            uses: set.uses.and(name.uses),
            at: set.at,
            kind: Kind::In(Box::new((name, set.clone()))),
        }
    }

    fn call(&mut self, call: &Application, node: &Node, first_given: u32) -> Option<(Node, Vec<Demand>)> {
        let operator = &self.program.operators[call.operator as usize];
        let is_event = operator.is_definition
            && &*operator.name == self.event
            && operator.params as usize == self.params;
        if is_event {
            let demands = (0..self.params as u32)
                .map(|slot| (slot, slot as usize))
                .collect::<Vec<_>>();
            return Some(self.applied(call.clone(), &demands, node, first_given));
        }
        let copy = self.operator(call.operator)?;
        let given =
            (0..self.given()).map(|slot| (copy.first_given + slot, Argument::Slot(first_given + slot)));
        let copied = Application {
            operator: copy.operator,
            arguments: call.arguments.iter().cloned().chain(given).collect(),
        };
        Some(self.applied(copied, &copy.demands, node, first_given))
    }

    /// A call of which some arguments must be equal to given ones.
    fn applied(
        &mut self,
        call: Application,
        demands: &[Demand],
        node: &Node,
        first_given: u32,
    ) -> (Node, Vec<Demand>) {
        let mut outer = Vec::new();
        let mut conjuncts = Vec::new();
        for (slot, param) in demands {
            let Some((_, argument)) = call.arguments.iter().find(|(own, _)| own == slot) else {
                continue;
            };
            match argument {
                Argument::Slot(own) => outer.push((*own, *param)),
                Argument::Operator(..) => {}
                Argument::Value(value) | Argument::Lazy(value) | Argument::ByName(value) => {
                    match value.kind {
                        Kind::Local(own) => outer.push((own, *param)),
                        _ => conjuncts.push(self.equals(value.clone(), *param, first_given)),
                    }
                }
            }
        }
        let call = with_kind(node, Kind::Call(Box::new(call)));
        if conjuncts.is_empty() {
            return (call, outer);
        }
        conjuncts.push(call);
        (with_kind(node, Kind::And(conjuncts.into())), outer)
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
    fn demanded(&self, node: Node, demands: &[Demand], first_given: u32) -> Node {
        if demands.is_empty() {
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

fn local(slot: u32, near: &Node) -> Node {
    Node {
        kind: Kind::Local(slot),
        at: near.at,
        uses: Uses {
            slots: slot_bit(slot),
            ..Uses::default()
        },
    }
}

fn with_kind(node: &Node, kind: Kind) -> Node {
    Node {
        kind,
        at: node.at,
        uses: node.uses,
    }
}
