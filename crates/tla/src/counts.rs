//! What a count that an action asks for says about the cells that are counted.
//!
//! A conjunct `n = Cardinality({k \in S : P})`, where `n` and `S` are known and `P` looks at nothing but `f[k]`, is more than a
//! condition on the cells `f[k]`: if fewer are counted than asked for, one that is not counted must come to be, and if more,
//! one that is counted must cease to be. Knowing the direction lets a search leave aside everything that only goes the
//! other way.

use omnilink_value::Value;

use crate::eval::error::{Outcome, type_error};
use crate::eval::native::{Native, lookup};
use crate::eval::{Evaluator, State};
use crate::ir::{Argument, Bounded, Kind, Node, Operation, Step};

/// The counts that an action asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Its conjuncts that count.
    pub of: Vec<Count>,
    /// Whether all that the action says besides is that nothing changes.
    pub is_all: bool,
}

/// A conjunct of an action that counts cells of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Which variable.
    pub variable: u32,
    /// The arguments at which it is looked at, in ascending order.
    pub keys: Box<[Value]>,
    /// How many must be counted.
    pub wanted: i64,
    /// Which conjunct of the action it is.
    conjunct: u32,
}

/// More cells than this are not counted one by one.
const KEYS_MAX: usize = 256;

impl<'p> Evaluator<'p> {
    /// The conjuncts of an action with known arguments that count cells.
    pub fn counts(&mut self, action: Operation, arguments: &[Value]) -> Counts {
        let Some(cardinality) = lookup("FiniteSets", "Cardinality") else {
            return Counts::default();
        };
        self.set_state(&State::from([]));
        self.forget_state();
        let variables = self.program().variables.len();
        let counts = self.enter_with(action, arguments, |this, body| {
            let mut unchanged: Vec<u32> = Vec::new();
            let mut others = 0;
            for (_, conjunct) in conjuncts(body) {
                match &conjunct.bare().kind {
                    Kind::Unchanged(variables) => unchanged.extend(variables),
                    _ => others += 1,
                }
            }
            unchanged.sort_unstable();
            unchanged.dedup();
            let counts = conjuncts(body).filter_map(|(number, conjunct)| {
                let counting = Counting::of(conjunct, cardinality)?;
                let wanted = this.eval(counting.wanted).ok()?;
                let wanted = this.canonical(wanted).ok()?.as_int()?;
                let keys = this.eval(counting.set).ok()?;
                let keys = this.canonical(keys).ok()?;
                let keys = keys.as_set().filter(|keys| keys.len() <= KEYS_MAX)?;
                Some(Count {
                    variable: counting.variable,
                    keys: keys.into(),
                    wanted,
                    conjunct: number,
                })
            });
            let of: Vec<Count> = counts.collect();
            Ok(Counts {
                is_all: !of.is_empty() && of.len() == others && unchanged.len() == variables,
                of,
            })
        });
        counts.unwrap_or_default()
    }

    /// Whether a cell that holds `held` is counted.
    ///
    /// # Errors
    /// What goes wrong when the condition is evaluated.
    pub fn is_counted(
        &mut self,
        action: Operation,
        arguments: &[Value],
        count: &Count,
        held: &Value,
    ) -> Outcome<bool> {
        let nothing = || type_error("the action does not count anything here");
        let cardinality = lookup("FiniteSets", "Cardinality").ok_or_else(nothing)?;
        // The condition looks at one cell of one variable: that is all the state there needs to be.
        let key = Value::int(1);
        let cells = Value::function([(key.clone(), held.clone())]).map_err(|_| nothing())?;
        let state: State = (0..self.program().variables.len())
            .map(|variable| match variable == count.variable as usize {
                true => cells.clone(),
                false => Value::bool(false),
            })
            .collect();
        self.set_state(&state);
        let counted = self.enter_with(action, arguments, |this, body| {
            let conjunct = conjuncts(body).find(|(number, _)| *number == count.conjunct);
            let counting = conjunct.and_then(|(_, conjunct)| Counting::of(conjunct, cardinality));
            let counting = counting.ok_or_else(nothing)?;
            this.bind(counting.key, key);
            this.bool(&counting.bounded.body)
        });
        self.set_state(&State::from([]));
        counted
    }
}

/// A conjunct that counts, taken apart.
struct Counting<'p> {
    wanted: &'p Node,
    set: &'p Node,
    variable: u32,
    /// The slot of the bound name.
    key: u32,
    bounded: &'p Bounded,
}

impl<'p> Counting<'p> {
    fn of(conjunct: &'p Node, cardinality: Native) -> Option<Self> {
        let Kind::Equal(operands) = &conjunct.bare().kind else {
            return None;
        };
        let counted = |node| filter_counted(node, cardinality);
        let (wanted, bounded) = match (counted(&operands.0), counted(&operands.1)) {
            (None, Some(bounded)) => (&operands.0, bounded),
            (Some(bounded), None) => (&operands.1, bounded),
            _ => return None,
        };
        let ([set], &[key]) = (&*bounded.sets, bounded.slots().collect::<Vec<_>>().as_slice()) else {
            return None;
        };
        if bounded.binds.len() != 1 || !matches!(bounded.binds[0].1, crate::ir::Pattern::One(_)) {
            return None;
        }
        let mut variable = None;
        let is_state_free = |node: &Node| !node.uses.state && !node.uses.next && !node.uses.world;
        let looks_at_cell = looks_only_at(&bounded.body, key, &mut variable);
        (looks_at_cell && is_state_free(set) && is_state_free(wanted)).then_some(Self {
            wanted,
            set,
            variable: variable?,
            key,
            bounded,
        })
    }
}

/// The conjuncts of an action, numbered.
fn conjuncts(body: &Node) -> impl Iterator<Item = (u32, &Node)> {
    let parts: &[Node] = match &body.bare().kind {
        Kind::And(parts) => parts,
        _ => std::slice::from_ref(body),
    };
    (0..).zip(parts)
}

/// The filter of `Cardinality({k \in S : P})`.
fn filter_counted(node: &Node, cardinality: Native) -> Option<&Bounded> {
    let Kind::Native(native, arguments) = &node.bare().kind else {
        return None;
    };
    let [Argument::Value(set) | Argument::Lazy(set) | Argument::ByName(set)] = &**arguments else {
        return None;
    };
    match &set.bare().kind {
        Kind::Filter(bounded) if *native == cardinality => Some(bounded),
        _ => None,
    }
}

/// Whether a condition depends on nothing but `f[k]`, for one variable `f` and the bound name `k`, and on what is known
/// without a state. What is not understood depends on more.
fn looks_only_at(node: &Node, key: u32, variable: &mut Option<u32>) -> bool {
    let node = node.bare();
    if node.uses.next || node.uses.world || node.uses.opaque {
        return false;
    }
    if let Kind::Path(root, steps) = &node.kind
        && let (Kind::Var(root), Some(Step::Index(index))) = (&root.bare().kind, steps.first())
        && matches!(index.bare().kind, Kind::Local(slot) if slot == key)
    {
        let rest = steps.iter().skip(1).all(|step| match step {
            Step::Field(_) => true,
            Step::Index(index) => looks_only_at(index, key, variable),
        });
        return rest && *variable.get_or_insert(*root) == *root;
    }
    if !node.uses.state {
        // Slots from 63 on share a bit: what may be the key is taken for it.
        return node.uses.slots & crate::ir::slot_bit(key) == 0;
    }
    let mut understood = match &node.kind {
        Kind::Not(_)
        | Kind::And(_)
        | Kind::Or(_)
        | Kind::Implies(_)
        | Kind::Equal(_)
        | Kind::NotEqual(_)
        | Kind::In(_)
        | Kind::NotIn(_)
        | Kind::Comparison(..)
        | Kind::Arithmetic(..) => true,
        _ => return false,
    };
    node.kind
        .for_each_child(|child| understood = understood && looks_only_at(child, key, variable));
    understood
}
