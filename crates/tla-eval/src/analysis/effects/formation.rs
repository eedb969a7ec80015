//! The forms of expressions.

use omnilink_tla_ir::native::lookup;
use omnilink_tla_ir::{Argument, Arithmetic, Kind, Node, PathStep, Update};
use omnilink_value::Value;

use super::comparison::compared;
use super::form::{Form, Place, Reads};
use super::tally::Count;
use super::{Unsupported, Walk, Walked};
use crate::datum::{Datum, Lazy};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

/// Bigger intervals are not listed.
const INTERVAL_MAX: i64 = 1 << 12;

impl<'p> Evaluator<'p> {
    /// The form of an expression.
    pub(super) fn form(&mut self, node: &'p Node, walk: &mut Walk<'_>) -> Walked<Form> {
        walk.visit()?;
        let node = node.bare();
        if node.uses.impure {
            return Err(Unsupported);
        }
        if self.is_known(node) {
            return Ok(self.known_form(node, walk));
        }
        match &node.kind {
            Kind::Var(variable) => Ok(walk.resolved(Place::whole(*variable))),
            Kind::Next(variable) => Ok(walk.next(*variable)),
            Kind::Local(slot) => self.local_form(*slot, walk),
            Kind::Once(_, inner) | Kind::PerState(_, inner) | Kind::Action(_, inner) => {
                self.form(inner, walk)
            }
            Kind::And(parts) => self.all_of(parts, true, walk),
            Kind::Or(parts) => self.all_of(parts, false, walk),
            Kind::Not(inner) => Ok(self.form(inner, walk)?.into_condition().negated()),
            Kind::Implies(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                match (left.as_truth(), right.as_truth()) {
                    (Some(false), _) | (_, Some(true)) => {
                        walk.exactness.lose();
                        Ok(Form::truth(true))
                    }
                    (Some(true), _) => Ok(right),
                    (None, Some(false)) => Ok(left.negated()),
                    (None, None) => Ok(Form::computed([&left, &right])),
                }
            }
            Kind::Equiv(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.equal_forms(left, right, walk))
            }
            Kind::Equal(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.equal_forms(left, right, walk))
            }
            Kind::NotEqual(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.equal_forms(left, right, walk).negated())
            }
            Kind::In(operands) => self.member(operands, walk),
            Kind::NotIn(operands) => Ok(self.member(operands, walk)?.negated()),
            Kind::Comparison(comparison, operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(compared(*comparison, left, right))
            }
            Kind::Arithmetic(operator @ (Arithmetic::Plus | Arithmetic::Minus), operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                let weight = if *operator == Arithmetic::Plus { 1 } else { -1 };
                Ok(match (Count::of(left), Count::of(right)) {
                    (Ok(left), Ok(right)) => left.plus(right, weight),
                    (left, right) => {
                        let form = |count: Result<Count, Form>| {
                            count.map_or_else(|form| form, |count| Form::Count(Box::new(count)))
                        };
                        Form::Other(Reads::nothing().plus(&form(left)).plus(&form(right)))
                    }
                })
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let condition = self.form(condition, walk)?.into_condition();
                self.either(
                    condition,
                    walk,
                    |this, walk| this.form(yes, walk),
                    |this, walk| this.form(no, walk),
                )
            }
            Kind::Case(arms, other) => self.case_form(arms, other.as_deref(), walk),
            Kind::Tuple(parts) => {
                let mut entries = Vec::with_capacity(parts.len());
                for (index, part) in (1..).zip(parts) {
                    entries.push((Value::int(index), self.form(part, walk)?));
                }
                Ok(Form::Built(entries))
            }
            Kind::Record(shape, parts) => {
                let mut entries = Vec::with_capacity(parts.len());
                for (name, part) in shape.names().iter().zip(parts) {
                    entries.push((name.clone(), self.form(part, walk)?));
                }
                Ok(Form::Built(entries))
            }
            Kind::SetEnum(parts) => {
                let forms: Walked<Vec<Form>> = parts.iter().map(|part| self.form(part, walk)).collect();
                Ok(Form::Listed(forms?))
            }
            Kind::Union(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.union_form(left, right, walk))
            }
            Kind::Intersection(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.intersection_form(left, right, walk))
            }
            Kind::Difference(operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(self.difference_form(left, right, walk))
            }
            Kind::Domain(inner) => {
                let function = self.form(inner, walk)?;
                Ok(self.domain_form(function, walk))
            }
            Kind::Path(root, steps) => {
                let mut form = self.form(root, walk)?;
                for step in steps {
                    let step = self.step_form(step, walk)?;
                    form = self.applied(form, step, walk);
                }
                Ok(form)
            }
            Kind::Except(function, updates) => {
                let mut form = self.form(function, walk)?;
                for update in updates {
                    form = self.except_form(form, update, walk)?;
                }
                Ok(form)
            }
            Kind::Filter(bounded) => self.filter_form(bounded, walk),
            Kind::Function(bounded) => self.function_form(bounded, walk),
            Kind::Exists(bounded) => self.exists_form(bounded, walk),
            Kind::ForAll(bounded) => self.for_all_form(bounded, walk),
            Kind::Interval(operands) => match self.interval_form(operands, walk)? {
                Some(form) => Ok(form),
                None => {
                    let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                    Ok(Form::computed([&left, &right]))
                }
            },
            Kind::Choose(bounded) => {
                if let Some(form) = self.chosen_position(bounded, walk)? {
                    return Ok(form);
                }
                let chosen = self.filter_form(bounded, walk)?;
                Ok(Form::computed([&chosen]))
            }
            Kind::Map(bounded) => self.image_form(bounded, walk),
            Kind::Let(slots, body) => {
                self.fill_let(slots, walk);
                self.form(body, walk)
            }
            Kind::Call(call) => self.call_form(call, walk),
            Kind::CallSlot(slot, arguments) => {
                self.in_closure(*slot, arguments, walk, |this, body, walk| this.form(body, walk))
            }
            Kind::Native(native, arguments) => self.native_form(*native, arguments, walk),
            Kind::Recursive(_)
            | Kind::Prime(_)
            | Kind::Enabled(_)
            | Kind::Compose(_)
            | Kind::Stuttering(_)
            | Kind::Changing(_)
            | Kind::Unchanged(_)
            | Kind::UnchangedExpr(_) => Err(Unsupported),
            kind => {
                let mut forms = Ok(Vec::new());
                kind.for_each_child(|child| {
                    if let Ok(found) = &mut forms {
                        match self.form(child, walk) {
                            Ok(form) => found.push(form),
                            Err(unsupported) => forms = Err(unsupported),
                        }
                    }
                });
                Ok(Form::computed(&forms?))
            }
        }
    }

    /// Whether an expression depends on nothing but names with known values.
    pub(super) fn is_known(&self, node: &Node) -> bool {
        let uses = node.uses;
        if uses.state || uses.next || uses.impure || uses.opaque || uses.unfinished || uses.slots >> 63 != 0 {
            return false;
        }
        let mut slots = uses.slots;
        while slots != 0 {
            if !matches!(self.slot(slots.trailing_zeros()), Slot::Datum(_)) {
                return false;
            }
            slots &= slots - 1;
        }
        true
    }

    fn known_form(&mut self, node: &'p Node, walk: &mut Walk<'_>) -> Form {
        if let Kind::Const(value) = &node.kind {
            return Form::Value(value.clone());
        }
        match self.eval(node) {
            Ok(datum) => self.datum_form(datum),
            Err(_) => {
                walk.exactness.lose();
                Form::unknown()
            }
        }
    }

    fn datum_form(&mut self, datum: Datum<'p>) -> Form {
        let is_small = match &datum {
            Datum::Value(_) => true,
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Interval(from, to) => to.checked_sub(*from).is_some_and(|width| width < INTERVAL_MAX),
                Lazy::Powerset(_) | Lazy::FunctionSet(..) | Lazy::Sequences(_) | Lazy::Infinite(_) => false,
                _ => true,
            },
        };
        match is_small.then(|| self.canonical(datum)) {
            Some(Ok(value)) => Form::Value(value),
            // A big or infinite set that is the same in every state.
            _ => Form::unknown(),
        }
    }

    fn local_form(&mut self, slot: u32, walk: &mut Walk<'_>) -> Walked<Form> {
        match self.slot(slot).clone() {
            Slot::Datum(datum) => Ok(self.datum_form(datum)),
            Slot::Thunk { node, base, .. } => self.in_base(base as usize, |this| this.form(node, walk)),
            Slot::Shared(shared) => self.in_base(shared.base as usize, |this| this.form(shared.node, walk)),
            Slot::Operator(_) => Err(Unsupported),
            Slot::Empty => walk
                .names
                .get(&(self.base + slot as usize))
                .cloned()
                .ok_or(Unsupported),
        }
    }

    fn all_of(&mut self, parts: &'p [Node], neutral: bool, walk: &mut Walk<'_>) -> Walked<Form> {
        let mut open = Vec::new();
        for part in parts {
            let form = self.form(part, walk)?;
            match form.as_truth() {
                Some(truth) if truth == neutral => {}
                Some(truth) => {
                    // Evaluation in order might fail before the deciding part.
                    if !open.is_empty() {
                        walk.exactness.lose();
                    }
                    return Ok(Form::truth(truth));
                }
                None => open.push(form),
            }
        }
        Ok(match (open.is_empty(), neutral) {
            (true, neutral) => Form::truth(neutral),
            (_, true) => Form::all(open),
            (_, false) => Form::any(open),
        })
    }

    /// The form of a choice between two. Each is formed under the facts that follow from the condition.
    pub(super) fn either(
        &mut self,
        condition: Form,
        walk: &mut Walk<'_>,
        yes: impl FnOnce(&mut Self, &mut Walk<'_>) -> Walked<Form>,
        no: impl FnOnce(&mut Self, &mut Walk<'_>) -> Walked<Form>,
    ) -> Walked<Form> {
        match walk.decided(&condition) {
            Some(true) => return yes(self, walk),
            Some(false) => return no(self, walk),
            None => {}
        }
        if let Some(at) = walk.choice(2) {
            // Facts of a path hold until its end.
            return match at {
                0 if walk.assume(&condition) => yes(self, walk),
                1 if walk.assume(&condition.negated()) => no(self, walk),
                _ => Ok(Form::unknown()),
            };
        }
        let facts = walk.facts.len();
        let is_possible = walk.assume(&condition);
        let yes = if is_possible { Some(yes(self, walk)?) } else { None };
        walk.facts.truncate(facts);
        let is_possible = walk.assume(&condition.clone().negated());
        let no = if is_possible { Some(no(self, walk)?) } else { None };
        walk.facts.truncate(facts);
        Ok(match (yes, no) {
            (Some(yes), Some(no)) if yes == no && matches!(yes, Form::Value(_)) => {
                walk.exactness.lose();
                yes
            }
            (Some(yes), Some(no)) => Form::Either(Box::new((condition, yes, no))),
            (Some(form), None) | (None, Some(form)) => {
                walk.exactness.lose();
                form
            }
            (None, None) => Form::unknown(),
        })
    }

    fn case_form(
        &mut self,
        arms: &'p [(Node, Node)],
        other: Option<&'p Node>,
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        let Some(((condition, value), rest)) = arms.split_first() else {
            return match other {
                Some(other) => self.form(other, walk),
                None => Ok(Form::unknown()),
            };
        };
        let condition = self.form(condition, walk)?.into_condition();
        self.either(
            condition,
            walk,
            |this, walk| this.form(value, walk),
            |this, walk| this.case_form(rest, other, walk),
        )
    }

    pub(super) fn step_form(&mut self, step: &'p PathStep, walk: &mut Walk<'_>) -> Walked<Form> {
        match step {
            PathStep::Field(field) => Ok(Form::Value(field.name.clone())),
            PathStep::Index(index) => self.form(index, walk),
        }
    }

    fn except_form(&mut self, form: Form, update: &'p Update, walk: &mut Walk<'_>) -> Walked<Form> {
        let mut steps = Vec::with_capacity(update.path.len());
        for step in &update.path {
            steps.push(self.step_form(step, walk)?);
        }
        self.replaced_form(form, &steps, walk, &mut |this, old, walk| {
            this.name(update.at_slot, old, walk);
            this.form(&update.value, walk)
        })
    }

    fn native_form(
        &mut self,
        native: omnilink_tla_ir::native::Native,
        arguments: &'p [Argument],
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        let is = |module: &str, name: &str| lookup(module, name) == Some(native);
        if let Some(form) = self.sequence_form(native, arguments, walk)? {
            return Ok(form);
        }
        let mut forms = Vec::with_capacity(arguments.len());
        for argument in arguments {
            forms.push(match argument {
                Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                    self.form(node, walk)?
                }
                Argument::Slot(slot) => match self.slot(*slot).clone() {
                    Slot::Operator(closure) => {
                        self.operator_form(closure.operator, closure.captures.clone(), Vec::new(), walk)?
                    }
                    _ => self.local_form(*slot, walk)?,
                },
                Argument::Operator(operator, captures) => {
                    let names = self.passed_names(captures, walk);
                    let captures = captures
                        .iter()
                        .map(|(slot, capture)| (*slot, self.content(capture, walk)));
                    let captures = captures.collect::<Vec<_>>();
                    self.operator_form(*operator, captures, names, walk)?
                }
            });
        }
        let mut operands = forms.into_iter();
        Ok(match (operands.next(), operands.next(), operands.next()) {
            (Some(Form::Positions(place, Some(groups))), None, None) if is("FiniteSets", "Cardinality") => {
                let mut reads = Reads::nothing();
                groups
                    .into_iter()
                    .for_each(|group| reads.add(super::form::inside(&place, group)));
                Form::Other(reads)
            }
            (Some(Form::Subset(set)), None, None) if is("FiniteSets", "Cardinality") => {
                match Count::of_elements(&set) {
                    Some(count) => Form::Count(Box::new(count)),
                    None => Form::Other(Form::Subset(set).reads()),
                }
            }
            (Some(set), None, None) if is("FiniteSets", "Cardinality") => Form::Other(set.reads()),
            (Some(Form::Value(key)), Some(value), None) if is("TLC", ":>") => Form::Built(vec![(key, value)]),
            (Some(left), Some(right), None) if is("TLC", "@@") => self.override_form(left, right, walk),
            (Some(value), None, None) if is("TLC", "TLCEval") => value,
            (first, second, third) => {
                let forms: Vec<Form> = [first, second, third]
                    .into_iter()
                    .flatten()
                    .chain(operands)
                    .collect();
                Form::computed(&forms)
            }
        })
    }

    /// What an operator that is an argument depends on, whatever it is applied to. What it is applied to comes from the other
    /// arguments.
    fn operator_form(
        &mut self,
        operator: u32,
        captures: Vec<(u32, Slot<'p>)>,
        names: Vec<(u32, Form)>,
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        let program = self.program;
        let target = &program.operators[operator as usize];
        self.in_new_frame(target.slots.len(), captures, walk, |this, walk| {
            for (slot, form) in names {
                this.name(slot, form, walk);
            }
            for parameter in 0..target.params {
                this.name(parameter, Form::unknown(), walk);
            }
            let body = this.form(&target.body, walk)?;
            Ok(Form::computed([&body]))
        })
    }
}
