//! Counts: conditions of an action on the number of cells with some property.
//!
//! A conjunct that reads only one cell `f[k]` is a condition on the cell's value, however it is written: `found = (map[key] # NoValue)`. A
//! conjunct `n = Cardinality({k \in S : P})`, where `n` and `S` are known and `P` reads only `f[k]`, is a condition on the number of
//! cells that satisfy `P`: if too few do, some write must make another one satisfy it, and if too many do, some write must make one
//! violate it. The former is the latter with one cell, which must satisfy the conjunct. Knowing in which direction a cell must change
//! lets a search skip everything that only changes it in the other direction.

use omnilink_tla_ir::native::lookup;
use omnilink_tla_ir::{Argument, Bounded, Kind, Node, OperatorId, PathStep, Pattern, slot_bit};
use omnilink_value::Value;

use crate::datum::Datum;
use crate::error::{Outcome, type_error};
use crate::evaluator::{Evaluator, State};
use crate::slot::Slot;

/// The counts of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Its conjuncts that count.
    pub of: Vec<Count>,
    /// Whether everything else in the action is UNCHANGED of all variables.
    pub is_all: bool,
}

/// A conjunct of an action that counts cells of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Which variable.
    pub variable: u32,
    /// The arguments at which it is read, in ascending order.
    pub keys: Box<[Value]>,
    /// The required number of cells.
    pub wanted: i64,
    /// The other values that the condition depends on, if they are known.
    dependencies: Option<Box<[Value]>>,
    /// The index of the conjunct in the action.
    conjunct: u32,
}

impl Count {
    /// What decides, besides a cell's value, whether the cell is counted. Two counts of one action with equal conditions count the same
    /// cells. `None` if it is not known.
    pub fn condition(&self) -> Option<(u32, &[Value])> {
        Some((self.conjunct, self.dependencies.as_deref()?))
    }
}

/// The maximum number of cells of a count.
const KEYS_MAX: usize = 256;
/// Definitions nested deeper are not analysed.
const DEPTH_MAX: u32 = 32;

impl<'p> Evaluator<'p> {
    /// The conjuncts of an action with known arguments that count cells.
    pub fn counts(&mut self, action: OperatorId, arguments: &[Value]) -> Counts {
        self.set_state(&State::from([]));
        self.invalidate_state_caches();
        let counts = self.without_memo(|this| {
            this.enter_with(action, arguments, |this, body| {
                this.within(body, 0, &mut |this, body| Ok(this.counts_of(body)))
            })
        });
        counts.unwrap_or_default()
    }

    fn counts_of(&mut self, body: &'p Node) -> Counts {
        let mut of = Vec::new();
        let mut unchanged: Vec<u32> = Vec::new();
        let mut others = 0;
        for (number, conjunct) in conjuncts(body) {
            if let Kind::Unchanged(variables) = &conjunct.bare().kind {
                unchanged.extend(variables);
                continue;
            }
            others += 1;
            of.extend(self.count_of(conjunct, number));
        }
        unchanged.sort_unstable();
        unchanged.dedup();
        Counts {
            is_all: others > 0 && of.len() == others && unchanged.len() == self.program().variables.len(),
            of,
        }
    }

    fn count_of(&mut self, conjunct: &'p Node, number: u32) -> Option<Count> {
        if let Some(counting) = Counting::of(conjunct) {
            let wanted = self.eval(counting.wanted).ok()?;
            let keys = self.eval(counting.set).ok()?;
            let keys = self.canonical(keys).ok()?;
            return Some(Count {
                dependencies: self.dependencies(&counting.bounded.body, slot_bit(counting.key)),
                variable: counting.variable,
                keys: keys.as_set().filter(|keys| keys.len() <= KEYS_MAX)?.into(),
                wanted: self.canonical(wanted).ok()?.as_int()?,
                conjunct: number,
            });
        }
        let mut cell = None;
        let is_condition = reads_one_cell(conjunct, &mut |variable, index| {
            if index.uses.state || index.uses.next || index.uses.impure {
                return false;
            }
            let key = self.eval(index).and_then(|key| self.canonical(key));
            key.is_ok_and(|key| *cell.get_or_insert((variable, key.clone())) == (variable, key))
        });
        let (variable, key) = cell.filter(|_| is_condition)?;
        Some(Count {
            dependencies: self.dependencies(conjunct, 0),
            variable,
            keys: [key].into(),
            wanted: 1,
            conjunct: number,
        })
    }

    /// The values of the names in a condition on one cell, except those in `except` and those that only select the cell. With the cell's
    /// value, they are all that the condition depends on.
    fn dependencies(&self, condition: &Node, except: u64) -> Option<Box<[Value]>> {
        let used = condition.uses.slots & !except;
        // Several slots share the last bit.
        if used & slot_bit(u32::MAX) != 0 {
            return None;
        }
        let slots = (0..u32::MAX).take_while(|slot| used >> slot != 0);
        slots
            .filter(|slot| used & slot_bit(*slot) != 0 && !is_free_of(condition, slot_bit(*slot)))
            .map(|slot| match self.slot(slot) {
                Slot::Datum(Datum::Value(value)) => Some(value.clone()),
                _ => None,
            })
            .collect()
    }

    /// Whether a cell with the value `held` is counted.
    ///
    /// # Errors
    /// What goes wrong when the condition is evaluated.
    pub fn is_counted(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        count: &Count,
        held: &Value,
    ) -> Outcome<bool> {
        let nothing = || type_error("the action does not count anything here");
        // The condition reads one cell of one variable, so the state needs nothing else.
        let key = count.keys.first().ok_or_else(nothing)?;
        let cells = Value::function([(key.clone(), held.clone())]).map_err(|_| nothing())?;
        let state: State = (0..self.program().variables.len())
            .map(|variable| match variable == count.variable as usize {
                true => cells.clone(),
                false => Value::bool(false),
            })
            .collect();
        self.set_state(&state);
        let judge = &mut |this: &mut Self, body| {
            let conjunct = conjuncts(body).find(|(number, _)| *number == count.conjunct);
            let (_, conjunct) = conjunct.ok_or_else(nothing)?;
            match Counting::of(conjunct) {
                Some(counting) => {
                    this.bind(counting.key, key.clone());
                    this.bool(&counting.bounded.body)
                }
                None => this.bool(conjunct),
            }
        };
        let counted = self.without_memo(|this| {
            this.enter_with(action, arguments, |this, body| this.within(body, 0, judge))
        });
        self.set_state(&State::from([]));
        counted
    }

    /// Runs with the body of an action, unfolding definitions that only apply another one.
    fn within<T>(
        &mut self,
        body: &'p Node,
        depth: u32,
        run: &mut dyn FnMut(&mut Self, &'p Node) -> Outcome<T>,
    ) -> Outcome<T> {
        match &body.bare().kind {
            Kind::Action(_, inner) => self.within(inner, depth, run),
            Kind::Call(call) if depth < DEPTH_MAX => {
                let Some(operator) = self.program.operators.get(call.operator as usize) else {
                    return run(self, body);
                };
                let mut contents = Vec::with_capacity(call.arguments.len());
                for (slot, argument) in &call.arguments {
                    contents.push((*slot, self.argument(argument)?));
                }
                let saved = self.push_frame(operator.slots.len());
                for (slot, content) in contents {
                    self.set_slot(slot, content);
                }
                let result = self.within(&operator.body, depth + 1, run);
                self.pop_frame(saved);
                result
            }
            _ => run(self, body),
        }
    }
}

/// A conjunct `n = Cardinality({k \in S : P})`.
struct Counting<'p> {
    wanted: &'p Node,
    set: &'p Node,
    variable: u32,
    /// The slot of the bound name.
    key: u32,
    bounded: &'p Bounded,
}

impl<'p> Counting<'p> {
    fn of(conjunct: &'p Node) -> Option<Self> {
        let Kind::Equal(operands) = &conjunct.bare().kind else {
            return None;
        };
        let (wanted, bounded) = match (filter_counted(&operands.0), filter_counted(&operands.1)) {
            (None, Some(bounded)) => (&operands.0, bounded),
            (Some(bounded), None) => (&operands.1, bounded),
            _ => return None,
        };
        let ([set], [(_, Pattern::One(key))]) = (&*bounded.sets, &*bounded.binds) else {
            return None;
        };
        let key = *key;
        let mut variable = None;
        let is_condition = reads_one_cell(&bounded.body, &mut |of, index| {
            matches!(index.bare().kind, Kind::Local(slot) if slot == key) && *variable.get_or_insert(of) == of
        });
        let is_state_free = |node: &Node| !node.uses.state && !node.uses.next && !node.uses.impure;
        // Slots from 63 on share a bit, so a slot that may be the key is taken for it.
        let only_picks = is_free_of(&bounded.body, slot_bit(key));
        (is_condition && only_picks && is_state_free(set) && is_state_free(wanted)).then_some(Self {
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
fn filter_counted(node: &Node) -> Option<&Bounded> {
    let Kind::Native(native, arguments) = &node.bare().kind else {
        return None;
    };
    let [Argument::Value(set) | Argument::Lazy(set) | Argument::ByName(set)] = &**arguments else {
        return None;
    };
    match &set.bare().kind {
        Kind::Filter(bounded) if Some(*native) == lookup("FiniteSets", "Cardinality") => Some(bounded),
        _ => None,
    }
}

/// Whether a condition reads nothing of a state but cells `f[k]` that `is_it` accepts. `false` for unsupported expressions.
fn reads_one_cell<'n>(node: &'n Node, is_it: &mut dyn FnMut(u32, &'n Node) -> bool) -> bool {
    let node = node.bare();
    if node.uses.next || node.uses.impure || node.uses.opaque {
        return false;
    }
    if !node.uses.state {
        return true;
    }
    if let Kind::Path(root, steps) = &node.kind
        && let (Kind::Var(variable), Some((PathStep::Index(index), rest))) =
            (&root.bare().kind, steps.split_first())
    {
        let is_known = |step: &PathStep| match step {
            PathStep::Field(_) => true,
            PathStep::Index(index) => !index.uses.state && !index.uses.next && !index.uses.impure,
        };
        return rest.iter().all(is_known) && is_it(*variable, index);
    }
    if !is_plain(&node.kind) {
        return false;
    }
    let mut understood = true;
    node.kind
        .for_each_child(|child| understood = understood && reads_one_cell(child, is_it));
    understood
}

/// Whether a bound name is only used to select the cell.
fn is_free_of(node: &Node, bit: u64) -> bool {
    let node = node.bare();
    if node.uses.slots & bit == 0
        || matches!(&node.kind, Kind::Path(root, steps) if is_selection(root, steps, bit))
    {
        return true;
    }
    let mut is_free = is_plain(&node.kind);
    node.kind
        .for_each_child(|child| is_free = is_free && is_free_of(child, bit));
    is_free
}

fn is_selection(root: &Node, steps: &[PathStep], bit: u64) -> bool {
    let is_free = |step: &PathStep| match step {
        PathStep::Field(_) => true,
        PathStep::Index(index) => index.uses.slots & bit == 0,
    };
    matches!(root.bare().kind, Kind::Var(_)) && steps.iter().skip(1).all(is_free)
}

/// Whether an expression depends only on the values of its operands.
fn is_plain(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Not(_)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Implies(_)
            | Kind::Equiv(_)
            | Kind::Equal(_)
            | Kind::NotEqual(_)
            | Kind::In(_)
            | Kind::NotIn(_)
            | Kind::Comparison(..)
            | Kind::Arithmetic(..)
    )
}
