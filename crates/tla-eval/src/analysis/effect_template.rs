//! The effects of an action for whole families of arguments.
//!
//! A trace asks for the effects of thousands of instances of one action, and most of them differ in nothing but names: the
//! effects of `Insert(7, 3, 5)` are those of `Insert(8, 2, 9)` with other values in the same places. So the action is walked
//! for *placeholders*, and what comes out is filled in with the arguments.
//!
//! That is right for actions that only move their arguments and compare them. Such an action is made of conjunctions,
//! disjunctions, negations, IFs, calls, LETs, UNCHANGED, equalities and inequalities, between arguments, constants, variables,
//! and variables at a place that is an argument or a constant; and of EXCEPTs that put an argument or a constant at such a
//! place. Anything else, and the action has no family.
//!
//! *Claim.* Let arguments be integers, strings and booleans. Replace those that are neither booleans nor equal to a constant
//! that is mentioned in the action by placeholders: equal ones by equal ones, others by others, integers by integers and
//! strings by strings, and none of them a constant mentioned. The effects for the arguments are those for the placeholders,
//! with each placeholder that stems from an argument replaced by it.
//!
//! *Proof.* All that a walk of such an action does with the value of an argument is to put it somewhere (a fact, a cell, a
//! demand, a write) and to compare it with another argument, a constant mentioned, or what one of these was put into. Two
//! integers, or two strings, are equal or not, and comparing them never fails; whether comparing values of two kinds fails
//! depends on the kinds alone. So every comparison comes out as it would for the arguments, the walk takes the same turns,
//! and puts things in the same places. ∎
//!
//! A value that happens to equal a placeholder might not stem from an argument. Therefore two sets of placeholders are
//! tried, that have none in common: where one of the first stands by chance, the same value stands in the second result
//! too, where one of the second set would have to stand. Then nothing is filled in, and every instance is walked.

use omnilink_tla_ir::{Argument, Kind, Node, Operation, PathStep, Program};
use omnilink_value::{Kind as ValueKind, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::effects::{Cell, CellPart, Effects, Write};
use crate::evaluator::Evaluator;

/// Effects of actions, found out for families of arguments where there are some.
#[derive(Debug, Default)]
pub struct EffectTemplates {
    of: FxHashMap<Operation, Option<Family>>,
}

/// What instances of one action have in common.
#[derive(Debug)]
struct Family {
    /// The integers and strings that arguments are compared with.
    constants: Box<[Value]>,
    members: FxHashMap<Pattern, Member>,
}

/// What decides how a walk goes, of all arguments.
type Pattern = SmallVec<[Item; 6]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Item {
    /// This value.
    Exactly(Value),
    /// Some value of this kind, other than all before and all constants.
    Another(ValueKind),
    /// The same as this argument.
    Same(usize),
}

#[derive(Debug)]
enum Member {
    /// Once is not worth walking twice for.
    MetOnce,
    /// The effects for placeholders, and which.
    Filled(Box<Effects>, Placeholders),
    /// To be walked each time.
    Walked,
}

/// Patterns remembered for one action, at most.
const MEMBERS_MAX: usize = 1 << 10;
/// Definitions nested deeper have no family.
const DEPTH_MAX: u32 = 16;

impl EffectTemplates {
    /// What [`Evaluator::effects`] says, sooner.
    pub fn effects(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        action: Operation,
        arguments: &[Option<Value>],
    ) -> Effects {
        self.filled(evaluator, action, arguments)
            .unwrap_or_else(|| evaluator.effects(action, arguments))
    }

    fn filled(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        action: Operation,
        arguments: &[Option<Value>],
    ) -> Option<Effects> {
        let family = self
            .of
            .entry(action)
            .or_insert_with(|| Family::of(evaluator, action))
            .as_mut()?;
        let pattern = pattern_of(arguments, &family.constants)?;
        let has_room = family.members.len() < MEMBERS_MAX;
        match family.members.get_mut(&pattern) {
            Some(Member::Filled(effects, placeholders)) => Some(placeholders.exchanged(effects, arguments)),
            Some(Member::Walked) => None,
            Some(member @ Member::MetOnce) => {
                *member = Member::of(evaluator, action, &pattern, &family.constants);
                self.filled(evaluator, action, arguments)
            }
            None if has_room => {
                family.members.insert(pattern, Member::MetOnce);
                None
            }
            None => None,
        }
    }
}

impl Family {
    /// The family of an action, if it has one.
    fn of(evaluator: &mut Evaluator<'_>, action: Operation) -> Option<Self> {
        let program = evaluator.program;
        let operator = program.operator(action.formula());
        let mut holders = vec![false; operator.slots.len()];
        holders.get_mut(..action.params())?.fill(true);
        let mut reading = Reading {
            program,
            constants: Vec::new(),
            depth: 0,
        };
        reading.formula(&operator.body, &mut holders)?;
        let mut constants = Vec::new();
        for constant in reading.constants {
            let value = match constant {
                Mentioned::Name(name) => name.clone(),
                Mentioned::Expression(node) => {
                    let datum = evaluator.eval(node).ok()?;
                    evaluator.canonical(datum).ok()?
                }
            };
            if matches!(value.kind(), ValueKind::Int | ValueKind::Str) && !constants.contains(&value) {
                constants.push(value);
            }
        }
        Some(Self {
            constants: constants.into(),
            members: FxHashMap::default(),
        })
    }
}

/// What decides how a walk goes for these arguments; `None` if they are not all of the kinds that the claim is about.
fn pattern_of(arguments: &[Option<Value>], constants: &[Value]) -> Option<Pattern> {
    let mut pattern = Pattern::new();
    for (at, argument) in arguments.iter().enumerate() {
        let argument = argument.as_ref()?;
        let is_same = |known: &Option<Value>| known.as_ref() == Some(argument);
        let same = arguments.iter().take(at).position(is_same);
        pattern.push(match (argument.kind(), same) {
            (ValueKind::Bool, _) => Item::Exactly(argument.clone()),
            (ValueKind::Int | ValueKind::Str, _) if constants.contains(argument) => {
                Item::Exactly(argument.clone())
            }
            (ValueKind::Int | ValueKind::Str, Some(same)) => Item::Same(same),
            (kind @ (ValueKind::Int | ValueKind::Str), None) => Item::Another(kind),
            _ => return None,
        });
    }
    Some(pattern)
}

impl Member {
    fn of(evaluator: &mut Evaluator<'_>, action: Operation, pattern: &Pattern, constants: &[Value]) -> Self {
        let (first, second) = (Placeholders::first(pattern), Placeholders::second(pattern));
        // A placeholder that is a constant would have another pattern.
        if [&first, &second]
            .into_iter()
            .any(|made_up| pattern_of(&made_up.0, constants).as_ref() != Some(pattern))
        {
            return Self::Walked;
        }
        let effects = evaluator.effects(action, &first.0);
        let same = evaluator.effects(action, &second.0);
        match first.exchanged(&effects, &second.0) == same {
            true => Self::Filled(Box::new(effects), first),
            false => Self::Walked,
        }
    }
}

/// Arguments of a pattern, made up.
#[derive(Debug)]
struct Placeholders(SmallVec<[Option<Value>; 6]>);

impl Placeholders {
    fn first(pattern: &Pattern) -> Self {
        Self::new(pattern, -0x6f6d_6e69_6c69_6e6b, "\u{fdd0}")
    }

    fn second(pattern: &Pattern) -> Self {
        Self::new(pattern, -0x5f69_6e5f_7275_7374, "\u{fdd1}")
    }

    fn new(pattern: &Pattern, number: i64, text: &str) -> Self {
        let mut values: SmallVec<[Option<Value>; 6]> = SmallVec::new();
        for (at, item) in pattern.iter().enumerate() {
            let value = match item {
                Item::Exactly(value) => Some(value.clone()),
                Item::Another(ValueKind::Int) => Some(Value::int(number + at as i64)),
                Item::Another(_) => Some(Value::str(&format!("{text}{at}"))),
                Item::Same(at) => values.get(*at).cloned().flatten(),
            };
            values.push(value);
        }
        Self(values)
    }

    /// Effects with other arguments, all of them known, in place of these.
    fn exchanged(&self, effects: &Effects, others: &[Option<Value>]) -> Effects {
        let value = |value: &Value| {
            let mut known = self.0.iter().zip(others);
            let other =
                known.find_map(|(known, other)| other.as_ref().filter(|_| known.as_ref() == Some(value)));
            other.unwrap_or(value).clone()
        };
        let cell = |cell: &Cell| Cell {
            variable: cell.variable,
            part: match &cell.part {
                CellPart::At(key) => CellPart::At(value(key)),
                part => part.clone(),
            },
        };
        Effects {
            is_complete: effects.is_complete,
            is_exact: effects.is_exact,
            reads: effects.reads.iter().map(cell).collect(),
            writes: effects
                .writes
                .iter()
                .map(|write| Write {
                    cell: cell(&write.cell),
                    value: write.value.as_ref().map(value),
                })
                .collect(),
            demands: effects
                .demands
                .iter()
                .map(|(demanded, held)| (cell(demanded), value(held)))
                .collect(),
        }
    }
}

/// Something that arguments may be compared with.
enum Mentioned<'p> {
    /// The name of a field.
    Name(&'p Value),
    Expression(&'p Node),
}

/// Reads an action, to see whether it does nothing with its arguments but to move and compare them. `None` says that it does.
struct Reading<'p> {
    program: &'p Program,
    constants: Vec<Mentioned<'p>>,
    depth: u32,
}

impl<'p> Reading<'p> {
    /// A formula; `holders` are the slots of its frame that hold an argument or a constant.
    fn formula(&mut self, node: &'p Node, holders: &mut Vec<bool>) -> Option<()> {
        let node = node.bare();
        match &node.kind {
            Kind::And(parts) | Kind::Or(parts) => {
                parts.iter().try_for_each(|part| self.formula(part, holders))
            }
            Kind::Not(part) | Kind::Action(_, part) => self.formula(part, holders),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                self.formula(condition, holders)?;
                self.formula(yes, holders)?;
                self.formula(no, holders)
            }
            Kind::Equal(operands) | Kind::NotEqual(operands) => {
                self.operand(&operands.0, holders)?;
                self.operand(&operands.1, holders)
            }
            Kind::Unchanged(_) => Some(()),
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    self.argument(argument, holders)?;
                    *holders.get_mut(*slot as usize)? = true;
                }
                self.formula(body, holders)
            }
            Kind::Call(call) => {
                if self.depth >= DEPTH_MAX {
                    return None;
                }
                let operator = self.program.operators.get(call.operator as usize)?;
                let mut inside = vec![false; operator.slots.len()];
                for (slot, argument) in &call.arguments {
                    self.argument(argument, holders)?;
                    *inside.get_mut(*slot as usize)? = true;
                }
                self.depth += 1;
                self.formula(&operator.body, &mut inside)?;
                self.depth -= 1;
                Some(())
            }
            _ => None,
        }
    }

    /// What is handed to a definition: an argument or a constant.
    fn argument(&mut self, argument: &'p Argument, holders: &[bool]) -> Option<()> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                self.moved(node, holders)
            }
            Argument::Slot(slot) => holders
                .get(*slot as usize)
                .filter(|is_holder| **is_holder)
                .map(|_| ()),
            Argument::Operator(..) => None,
        }
    }

    /// One side of an equality.
    fn operand(&mut self, node: &'p Node, holders: &mut Vec<bool>) -> Option<()> {
        let node = node.bare();
        match &node.kind {
            Kind::Var(_) | Kind::Next(_) => Some(()),
            Kind::Path(root, steps) if matches!(root.bare().kind, Kind::Var(_) | Kind::Next(_)) => {
                self.place(steps, holders)
            }
            Kind::Except(function, updates) if matches!(function.bare().kind, Kind::Var(_)) => {
                for update in updates {
                    self.place(&update.path, holders)?;
                    self.moved(&update.value, holders)?;
                }
                Some(())
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                self.formula(condition, holders)?;
                self.operand(yes, holders)?;
                self.operand(no, holders)
            }
            Kind::Equal(_) | Kind::NotEqual(_) => self.formula(node, holders),
            _ => self.moved(node, holders),
        }
    }

    fn place(&mut self, steps: &'p [PathStep], holders: &[bool]) -> Option<()> {
        for step in steps {
            match step {
                PathStep::Field(field) => self.constants.push(Mentioned::Name(&field.name)),
                PathStep::Index(index) => self.moved(index, holders)?,
            }
        }
        Some(())
    }

    /// An argument or a constant.
    fn moved(&mut self, node: &'p Node, holders: &[bool]) -> Option<()> {
        let node = node.bare();
        match &node.kind {
            Kind::Local(slot) => holders
                .get(*slot as usize)
                .filter(|is_holder| **is_holder)
                .map(|_| ()),
            _ if node.uses.is_constant() && !node.uses.opaque => {
                self.constants.push(Mentioned::Expression(node));
                Some(())
            }
            _ => None,
        }
    }
}
