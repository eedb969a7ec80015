//! Quantifiers in the [restriction](crate::restriction) to an event: names that are arguments are bound to what is given.

use omnilink_tla::ir::{Argument, Bounded, Kind, Node, Pattern};

use crate::mutant::{Mutant, mutated};
use crate::restriction::{Demand, Restriction, local, with_kind};
use crate::steps_through::{StepsThrough, restricted_or_return};

impl Restriction<'_> {
    pub fn exists(
        &mut self,
        bounded: &Bounded,
        node: &Node,
        first_given: u32,
    ) -> StepsThrough<(Node, Vec<Demand>)> {
        let (body, demands) = restricted_or_return!(self.node(&bounded.body, first_given));
        let is_bound = |slot: u32| bounded.slots().any(|own| own == slot);
        let (mut own, outer): (Vec<Demand>, Vec<Demand>) =
            demands.into_iter().partition(|(slot, _)| is_bound(*slot));
        if mutated(Mutant::IgnoreArguments) {
            own.clear();
        }
        // A name that is bound as a whole is the argument. Several demands on one name, and parts of patterns, are compared.
        let mut bound: Vec<Demand> = Vec::new();
        let mut compared = Vec::new();
        for demand in own {
            let is_whole = bounded
                .binds
                .iter()
                .any(|(_, pattern)| matches!(pattern, Pattern::One(slot) if *slot == demand.0));
            if is_whole && bound.iter().all(|(slot, _)| *slot != demand.0) {
                bound.push(demand)
            } else {
                compared.push(demand)
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
            return StepsThrough::Restricted((with_kind(node, Kind::Exists(Box::new(bounded))), outer));
        }
        let demand_of = |pattern: &Pattern| match pattern {
            Pattern::One(slot) => bound.iter().find(|(own, _)| own == slot),
            Pattern::Tuple(_) => None,
        };
        if self.is_partial {
            let quantified = self.flagged(bounded, &bound, body, node, first_given);
            return StepsThrough::Restricted((quantified, outer));
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
        let body = if left.is_empty() {
            body
        } else {
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
        };
        conjuncts.push(body);
        let body = with_kind(node, Kind::And(conjuncts.into()));
        StepsThrough::Restricted((with_kind(node, Kind::Let(slots.into(), Box::new(body))), outer))
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
}
