//! Effect templates: the effects of an action with placeholders for its arguments.
//!
//! A trace contains thousands of instances of one action, and the effects of most differ only in the arguments: the effects of
//! `Insert(7, 3, 5)` are those of `Insert(8, 2, 9)` with other values. So the action is analysed once with *placeholders*, and the
//! result is instantiated with the arguments.
//!
//! That is correct for actions that only copy and compare their arguments. Such an action consists of conjunctions, disjunctions,
//! negations, IFs, calls, LETs, UNCHANGED, equalities and inequalities between arguments, constants, variables, and variables at an
//! index that is an argument or a constant; and of EXCEPTs that put an argument or a constant at such an index. Any other action has
//! no template.
//!
//! *Claim.* Let arguments be integers, strings and Booleans. Replace those that are neither Booleans nor equal to a constant of the
//! action by placeholders: equal ones by equal ones, different ones by different ones, integers by integers and strings by
//! strings, and none equal to a constant of the action. The effects for the arguments are those for the placeholders, with each
//! placeholder that stems from an argument replaced by it.
//!
//! The constants of an action include those inside of its records, tuples, functions and sets: `x[k] = [a |-> 0] /\ x[k].a = r` compares `r` with 0.
//!
//! *Proof.* The analysis of such an action only copies an argument (to a fact, a cell, a demand, a write) and compares it with another
//! argument, a constant of the action, a part of one, or a copy of these. Two integers, or two strings, are equal or not, and comparing them never
//! fails; whether comparing values of two kinds fails depends on the kinds alone. So every comparison has the same result as for the
//! arguments, and the analysis takes the same branches and makes the same copies. ∎
//!
//! A value that equals a placeholder by chance does not stem from an argument. Therefore two disjoint sets of placeholders are tried: a
//! value that equals one of the first set by chance also occurs in the second result, where one of the second set is expected. Then
//! there is no template, and every instance is analysed.

use omnilink_tla_ir::{Argument, Kind, Node, OperatorId, PathStep, Program};
use omnilink_value::{Value, ValueKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::implication::Implication;
use super::{Cell, CellStep, Content, Effects, Layout, Left, Write};
use crate::evaluator::Evaluator;

/// The effects of actions, instantiated from templates where possible.
#[derive(Debug, Default)]
pub struct EffectTemplates {
    of: FxHashMap<OperatorId, Option<ActionTemplates>>,
}

/// The templates of one action, by argument pattern.
#[derive(Debug)]
struct ActionTemplates {
    /// The integers and strings that arguments are compared with.
    constants: Box<[Value]>,
    by_pattern: FxHashMap<Pattern, Template>,
}

/// What the analysis depends on, for each argument.
type Pattern = SmallVec<[Item; 6]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// This value.
    Exactly(Value),
    /// A value of this kind that differs from all before and from all constants.
    Another(ValueKind),
    /// Equal to the argument with this index.
    Same(usize),
}

#[derive(Debug)]
enum Template {
    /// Needed once so far: a template takes two analyses, which do not pay for one use.
    UsedOnce,
    /// The effects for placeholders, and the placeholders.
    Made(Box<Effects>, Placeholders),
    /// There is no template; every instance is analysed.
    Impossible,
}

/// Actions with more constants have no template.
const CONSTANTS_MAX: usize = 64;
/// The maximum number of patterns of one action.
const PATTERNS_MAX: usize = 1 << 10;
/// Definitions nested deeper have no template.
pub(super) const DEPTH_MAX: u32 = 16;

impl EffectTemplates {
    /// The result of [`Evaluator::effects`], from a template if there is one.
    pub fn effects(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        action: OperatorId,
        arguments: &[Option<Value>],
        layout: &Layout,
    ) -> Effects {
        self.instantiated(evaluator, action, arguments, layout)
            .unwrap_or_else(|| evaluator.effects(action, arguments, layout))
    }

    fn instantiated(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        action: OperatorId,
        arguments: &[Option<Value>],
        layout: &Layout,
    ) -> Option<Effects> {
        let templates = self
            .of
            .entry(action)
            .or_insert_with(|| ActionTemplates::of(evaluator, action, layout))
            .as_mut()?;
        let pattern = pattern_of(arguments, &templates.constants)?;
        let has_room = templates.by_pattern.len() < PATTERNS_MAX;
        match templates.by_pattern.get_mut(&pattern) {
            Some(Template::Made(effects, placeholders)) => Some(placeholders.replaced(effects, arguments)),
            Some(Template::Impossible) => None,
            Some(template @ Template::UsedOnce) => {
                *template = Template::of(evaluator, action, &pattern, &templates.constants, layout);
                self.instantiated(evaluator, action, arguments, layout)
            }
            None if has_room => {
                templates.by_pattern.insert(pattern, Template::UsedOnce);
                None
            }
            None => None,
        }
    }
}

impl ActionTemplates {
    /// No templates yet; `None` if the action can have none.
    pub(super) fn of(evaluator: &mut Evaluator<'_>, action: OperatorId, layout: &Layout) -> Option<Self> {
        let program = evaluator.program;
        let operator = program.operator(action.formula());
        let mut holders = vec![false; operator.slots.len()];
        holders.get_mut(..action.params())?.fill(true);
        let mut scan = Scan {
            program,
            constants: Vec::new(),
            depth: 0,
        };
        scan.formula(&operator.body, &mut holders)?;
        // Implications between cells compare what these hold.
        let mut constants: Vec<Value> = Vec::new();
        for value in layout.implications().iter().flat_map(Implication::constants) {
            add_constants(value, &mut constants)?;
        }
        for constant in scan.constants {
            let value = match constant {
                Mentioned::Name(name) => name.clone(),
                Mentioned::Expression(node, slots) => {
                    let saved = evaluator.push_frame(slots);
                    let value = evaluator.eval(node).and_then(|datum| evaluator.canonical(datum));
                    evaluator.pop_frame(saved);
                    value.ok()?
                }
            };
            add_constants(&value, &mut constants)?;
        }
        Some(Self {
            constants: constants.into(),
            by_pattern: FxHashMap::default(),
        })
    }
}

/// Adds the integers and strings that a value is or contains; `None` if there are too many.
fn add_constants(value: &Value, constants: &mut Vec<Value>) -> Option<()> {
    if matches!(value.kind(), ValueKind::Int | ValueKind::Str) {
        if !constants.contains(value) {
            constants.push(value.clone());
        }
        return (constants.len() <= CONSTANTS_MAX).then_some(());
    }
    let elements = value.as_set().or_else(|| value.as_tuple()).unwrap_or_default();
    elements
        .iter()
        .try_for_each(|element| add_constants(element, constants))?;
    // The arguments of a tuple are the numbers of its elements.
    let numbers = (1..)
        .map(Value::int)
        .take(value.as_tuple().map_or(0, <[Value]>::len));
    { numbers }.try_for_each(|number| add_constants(&number, constants))?;
    let entries = value.as_entries().unwrap_or_default().iter();
    { entries }.try_for_each(|(key, held)| {
        add_constants(key, constants)?;
        add_constants(held, constants)
    })
}

/// The pattern of arguments; `None` if some are not of the kinds that the claim is about.
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

impl Template {
    pub(super) fn of(
        evaluator: &mut Evaluator<'_>,
        action: OperatorId,
        pattern: &Pattern,
        constants: &[Value],
        layout: &Layout,
    ) -> Self {
        let (first, second) = (Placeholders::first(pattern), Placeholders::second(pattern));
        // A placeholder that is a constant would have another pattern.
        if [&first, &second]
            .into_iter()
            .any(|placeholders| pattern_of(&placeholders.0, constants).as_ref() != Some(pattern))
        {
            return Self::Impossible;
        }
        let effects = evaluator.effects(action, &first.0, layout);
        let same = evaluator.effects(action, &second.0, layout);
        match first.replaced(&effects, &second.0) == same {
            true => Self::Made(Box::new(effects), first),
            false => Self::Impossible,
        }
    }
}

/// Artificial arguments of a pattern.
#[derive(Debug)]
struct Placeholders(SmallVec<[Option<Value>; 6]>);

impl Placeholders {
    pub(super) fn first(pattern: &Pattern) -> Self {
        Self::new(pattern, -0x6f6d_6e69_6c69_6e6b, "\u{fdd0}")
    }

    fn second(pattern: &Pattern) -> Self {
        Self::new(pattern, -0x5f69_6e5f_7275_7374, "\u{fdd1}")
    }

    pub(super) fn new(pattern: &Pattern, number: i64, text: &str) -> Self {
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

    /// Effects with these arguments replaced by others, all of them known.
    fn replaced(&self, effects: &Effects, others: &[Option<Value>]) -> Effects {
        let value = |value: &Value| {
            let mut known = self.0.iter().zip(others);
            let other =
                known.find_map(|(known, other)| other.as_ref().filter(|_| known.as_ref() == Some(value)));
            other.unwrap_or(value).clone()
        };
        let cell = |cell: &Cell| Cell {
            variable: cell.variable,
            path: cell
                .path
                .iter()
                .map(|step| match step {
                    CellStep::At(key) => CellStep::At(value(key)),
                    // Actions with sets have no template.
                    step => step.clone(),
                })
                .collect(),
        };
        Effects {
            reads: effects.reads.iter().map(cell).collect(),
            writes: effects
                .writes
                .iter()
                .map(|write| Write {
                    cell: cell(&write.cell),
                    left: match &write.left {
                        Left::Replaced(left) => Left::Replaced(value(left)),
                        Left::Put(left) => Left::Put(value(left)),
                        left => left.clone(),
                    },
                })
                .collect(),
            demands: effects
                .demands
                .iter()
                .map(|(demanded, content)| {
                    let content = match content {
                        Content::Is(held) => Content::Is(value(held)),
                        content => content.clone(),
                    };
                    (cell(demanded), content)
                })
                .collect(),
            tallies: effects
                .tallies
                .iter()
                .map(|tally| tally.with(cell, value))
                .collect(),
            conditions: effects
                .conditions
                .iter()
                .map(|condition| condition.with_cells(cell))
                .collect(),
            ..effects.clone()
        }
    }
}

/// A constant with which arguments may be compared.
enum Mentioned<'p> {
    /// The name of a field.
    Name(&'p Value),
    /// An expression, and the number of slots in its frame: it may bind names.
    Expression(&'p Node, usize),
}

/// A check that an action only copies and compares its arguments. `None` means that it does more.
struct Scan<'p> {
    program: &'p Program,
    constants: Vec<Mentioned<'p>>,
    depth: u32,
}

impl<'p> Scan<'p> {
    /// A formula; `holders` are the slots of its frame that contain an argument or a constant.
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

    /// An argument of a definition: an argument of the action or a constant.
    pub(super) fn argument(&mut self, argument: &'p Argument, holders: &[bool]) -> Option<()> {
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
                self.constants.push(Mentioned::Expression(node, holders.len()));
                Some(())
            }
            _ => None,
        }
    }
}
