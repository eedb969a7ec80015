//! The forms of expressions.

use omnilink_tla_ir::native::lookup;
use omnilink_tla_ir::{Argument, Arithmetic, Call, Kind, Node, PathStep, Update};
use omnilink_value::Value;

use super::cell::{CellStep, Content};
use super::form::{Form, Place, Reads, Test, at, inside};
use super::key_set::KeySet;
use super::{DEPTH_MAX, Unsupported, Walk, Walked};
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
            Kind::Once(_, inner) | Kind::PerState(_, inner) | Kind::Action(_, inner) => self.form(inner, walk),
            Kind::And(parts) => self.all_of(parts, true, walk),
            Kind::Or(parts) => self.all_of(parts, false, walk),
            Kind::Not(inner) => Ok(self.form(inner, walk)?.negated()),
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
            Kind::Arithmetic(Arithmetic::Plus | Arithmetic::Minus, operands) => {
                let (left, right) = (self.form(&operands.0, walk)?, self.form(&operands.1, walk)?);
                Ok(Form::Other(Reads::nothing().plus(&left).plus(&right)))
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                let condition = self.form(condition, walk)?;
                self.either(condition, walk, |this, walk| this.form(yes, walk), |this, walk| this.form(no, walk))
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
            Kind::Exists(bounded) => self.quantified(bounded, true, walk),
            Kind::ForAll(bounded) => self.quantified(bounded, false, walk),
            Kind::Choose(bounded) => {
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

    /// Gives a name a form.
    pub(super) fn name(&mut self, slot: u32, form: Form, walk: &mut Walk<'_>) {
        match form {
            Form::Value(value) => self.bind(slot, value),
            form => {
                self.set_slot(slot, Slot::Empty);
                walk.names.insert(self.base + slot as usize, form);
            }
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
        let condition = self.form(condition, walk)?;
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

    /// The content of a slot: the value if it is known, else the expression.
    pub(super) fn content(&mut self, argument: &'p Argument, walk: &mut Walk<'_>) -> Slot<'p> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                if self.is_known(node.bare()) {
                    match self.eval(node) {
                        Ok(datum) => return Slot::Datum(datum),
                        Err(_) => walk.exactness.lose(),
                    }
                }
                Slot::Thunk {
                    node,
                    base: self.base as u32,
                    keep: false,
                    value: None,
                }
            }
            Argument::Slot(slot) => match self.slot(*slot) {
                // What it stands for is known for this frame only.
                Slot::Empty => Slot::Empty,
                content => content.clone(),
            },
            Argument::Operator(operator, captures) => {
                let captures = captures
                    .iter()
                    .map(|(slot, capture)| (*slot, self.content(capture, walk)))
                    .collect();
                Slot::Operator(std::rc::Rc::new(crate::slot::Closure {
                    operator: *operator,
                    captures,
                }))
            }
        }
    }

    pub(super) fn fill_let(&mut self, slots: &'p [(u32, Argument)], walk: &mut Walk<'_>) {
        for (slot, argument) in slots {
            let content = self.content(argument, walk);
            walk.names.remove(&(self.base + *slot as usize));
            self.set_slot(*slot, content);
        }
    }

    fn call_form(&mut self, call: &'p Call, walk: &mut Walk<'_>) -> Walked<Form> {
        self.in_call(call, walk, |this, body, walk| this.form(body, walk))
    }

    /// Runs in the frame of a call.
    pub(super) fn in_call<T>(
        &mut self,
        call: &'p Call,
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &'p Node, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        let program = self.program;
        let target = &program.operators[call.operator as usize];
        let mut contents = Vec::with_capacity(call.arguments.len());
        for (slot, argument) in &call.arguments {
            contents.push((*slot, self.content(argument, walk)));
        }
        let names: Vec<(u32, Form)> = call
            .arguments
            .iter()
            .filter_map(|(slot, argument)| match argument {
                Argument::Slot(from) => {
                    let form = walk.names.get(&(self.base + *from as usize))?;
                    matches!(self.slot(*from), Slot::Empty).then(|| (*slot, form.clone()))
                }
                _ => None,
            })
            .collect();
        self.in_new_frame(target.slots.len(), contents, walk, |this, walk| {
            for (slot, form) in names {
                walk.names.insert(this.base + slot as usize, form);
            }
            run(this, &target.body, walk)
        })
    }

    /// Runs in the frame of an operator that is a parameter.
    pub(super) fn in_closure<T>(
        &mut self,
        slot: u32,
        arguments: &'p [Argument],
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &'p Node, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        let Slot::Operator(closure) = self.slot(slot).clone() else {
            return Err(Unsupported);
        };
        let mut contents: Vec<(u32, Slot<'p>)> = closure.captures.clone();
        for (parameter, argument) in (0..).zip(arguments) {
            contents.push((parameter, self.content(argument, walk)));
        }
        let program = self.program;
        let target = &program.operators[closure.operator as usize];
        self.in_new_frame(target.slots.len(), contents, walk, |this, walk| run(this, &target.body, walk))
    }

    fn in_new_frame<T>(
        &mut self,
        size: usize,
        contents: Vec<(u32, Slot<'p>)>,
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        if walk.depth >= DEPTH_MAX {
            return Err(Unsupported);
        }
        walk.depth += 1;
        let saved = self.push_frame(size);
        for slot in 0..size {
            walk.names.remove(&(self.base + slot));
        }
        for (slot, content) in contents {
            self.set_slot(slot, content);
        }
        let walked = run(self, walk);
        self.pop_frame(saved);
        walk.depth -= 1;
        walked
    }

    pub(super) fn in_base<T>(&mut self, base: usize, run: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        let saved = std::mem::replace(&mut self.base, base);
        let walked = run(self);
        self.base = saved;
        walked
    }

    fn native_form(
        &mut self,
        native: omnilink_tla_ir::native::Native,
        arguments: &'p [Argument],
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        let is = |module: &str, name: &str| lookup(module, name) == Some(native);
        let mut forms = Vec::with_capacity(arguments.len());
        for argument in arguments {
            forms.push(match argument {
                Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => self.form(node, walk)?,
                Argument::Slot(slot) => match self.slot(*slot).clone() {
                    Slot::Operator(closure) => self.operator_form(closure.operator, closure.captures.clone(), walk)?,
                    _ => self.local_form(*slot, walk)?,
                },
                Argument::Operator(operator, captures) => {
                    let captures = captures.iter().map(|(slot, capture)| (*slot, self.content(capture, walk)));
                    let captures = captures.collect::<Vec<_>>();
                    self.operator_form(*operator, captures, walk)?
                }
            });
        }
        let mut operands = forms.into_iter();
        Ok(match (operands.next(), operands.next(), operands.next()) {
            (Some(set), None, None) if is("FiniteSets", "Cardinality") => Form::Other(set.reads()),
            (Some(Form::Value(key)), Some(value), None) if is("TLC", ":>") => Form::Built(vec![(key, value)]),
            (Some(left), Some(right), None) if is("TLC", "@@") => self.override_form(left, right, walk),
            (Some(value), None, None) if is("TLC", "TLCEval") => value,
            (first, second, third) => {
                let forms: Vec<Form> = [first, second, third].into_iter().flatten().chain(operands).collect();
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
        walk: &mut Walk<'_>,
    ) -> Walked<Form> {
        let program = self.program;
        let target = &program.operators[operator as usize];
        self.in_new_frame(target.slots.len(), captures, walk, |this, walk| {
            for parameter in 0..target.params {
                this.name(parameter, Form::unknown(), walk);
            }
            let body = this.form(&target.body, walk)?;
            Ok(Form::computed([&body]))
        })
    }

    /// The form of an equality.
    pub(super) fn equal_forms(&mut self, left: Form, right: Form, walk: &mut Walk<'_>) -> Form {
        match (left, right) {
            (Form::Value(left), Form::Value(right)) => match crate::equality::equal_values(&left, &right) {
                Ok(truth) => Form::truth(truth),
                Err(_) => {
                    walk.exactness.lose();
                    Form::unknown()
                }
            },
            (Form::Place(place), Form::Value(value)) | (Form::Value(value), Form::Place(place)) => {
                Form::Is(place, value, true)
            }
            (Form::Either(parts), Form::Value(value)) | (Form::Value(value), Form::Either(parts)) => {
                let (condition, yes, no) = *parts;
                let yes = self.equal_forms(yes, Form::Value(value.clone()), walk);
                let no = self.equal_forms(no, Form::Value(value), walk);
                match (yes.as_truth(), no.as_truth()) {
                    (Some(yes), Some(no)) if yes == no => Form::truth(yes),
                    (Some(true), Some(false)) => condition,
                    (Some(false), Some(true)) => condition.negated(),
                    _ => Form::Either(Box::new((condition, yes, no))),
                }
            }
            // `result = (map[key] # NoValue)`
            (condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_)), Form::Value(value))
            | (Form::Value(value), condition @ (Form::Is(..) | Form::Present(..) | Form::Test(_))) => {
                match value.as_bool() {
                    Some(true) => condition,
                    Some(false) => condition.negated(),
                    None => Form::computed([&condition]),
                }
            }
            (Form::Element(binder, path), other) | (other, Form::Element(binder, path)) => {
                let keys = match &other {
                    Form::Value(value) => Some(KeySet::In(vec![value.clone()])),
                    Form::Other(reads) if reads.cells.is_empty() => Some(KeySet::Some),
                    _ => None,
                };
                match keys {
                    Some(keys) => Form::Test(Test {
                        binder,
                        path,
                        keys,
                        is_exact: true,
                        reads: Reads::nothing(),
                    }),
                    None => Form::computed([&other]),
                }
            }
            (Form::Place(left), Form::Place(right)) if left == right && left.is_known() => {
                walk.exactness.lose();
                Form::truth(true)
            }
            (left, right) => Form::computed([&left, &right]),
        }
    }
}

fn compared(comparison: omnilink_tla_ir::Comparison, left: Form, right: Form) -> Form {
    use omnilink_tla_ir::Comparison::{Greater, GreaterEqual, Less, LessEqual};
    let (element, bound, comparison) = match (&left, &right) {
        (Form::Element(..), bound) => (&left, bound, comparison),
        (bound, Form::Element(..)) => {
            let turned = match comparison {
                Less => Greater,
                LessEqual => GreaterEqual,
                Greater => Less,
                GreaterEqual => LessEqual,
            };
            (&right, bound, turned)
        }
        _ => return Form::computed([&left, &right]),
    };
    let keys = match bound {
        Form::Value(bound) => bound.as_int().map(|bound| KeySet::compared(comparison, bound)),
        Form::Other(reads) if reads.cells.is_empty() => Some(KeySet::Some),
        _ => None,
    };
    match (element, keys) {
        (Form::Element(binder, path), Some(keys)) => Form::Test(Test {
            binder: *binder,
            path: path.clone(),
            keys,
            is_exact: true,
            reads: Reads::nothing(),
        }),
        _ => Form::computed([&left, &right]),
    }
}

impl Walk<'_> {
    /// The form of the value at a place: the value itself if a fact tells it.
    pub(super) fn resolved(&self, place: Place) -> Form {
        for (cell, content) in &self.facts {
            if let Content::Is(value) = content
                && cell.variable == place.variable
                && place.path.starts_with(&cell.path)
            {
                let rest = Place {
                    variable: 0,
                    path: place.path[cell.path.len()..].iter().cloned().collect(),
                };
                if let Some(held) = rest.held(std::slice::from_ref(value)) {
                    return Form::Value(held);
                }
            }
        }
        Form::Place(place)
    }

    /// Whether a cell is there, if the facts tell. Only these are asked where an argument is merely copied: see
    /// [`EffectTemplates`](super::EffectTemplates).
    pub(super) fn is_present_by_facts(&self, cell: &Place) -> Option<bool> {
        for (known, content) in &self.facts {
            if known == cell {
                return Some(*content != Content::Missing);
            }
            if known.variable == cell.variable && known.path.starts_with(&cell.path) && *content != Content::Missing {
                return Some(true);
            }
        }
        None
    }

    /// Whether a cell is there, if the facts or the layout tell.
    pub(super) fn is_present(&self, cell: &Place) -> Option<bool> {
        if let Some(is_present) = self.is_present_by_facts(cell) {
            return Some(is_present);
        }
        let (last, path) = cell.path.split_last()?;
        let place = Place {
            variable: cell.variable,
            path: path.iter().cloned().collect(),
        };
        match (last, self.layout.domain(&place)) {
            (CellStep::At(key), Some(domain)) => Some(domain.as_set()?.binary_search(key).is_ok()),
            _ => None,
        }
    }

    /// Whether a cell is there, as a condition.
    pub(super) fn presence(&self, cell: Place) -> Form {
        match self.is_present(&cell) {
            Some(truth) => Form::truth(truth),
            None if cell.is_known() => Form::Present(cell, true),
            None => Form::Other(Reads::one(cell)),
        }
    }

    /// Whether a condition is true, or false. For a name that stands for all arguments of a function but a few, the arguments for
    /// which it is otherwise are noted as exceptions.
    pub(super) fn decided(&mut self, condition: &Form) -> Option<bool> {
        match condition {
            Form::Value(value) => value.as_bool(),
            Form::Test(test) if test.is_exact && test.path.is_empty() => {
                let exceptions = self.binders.get_mut(test.binder)?.as_mut()?;
                match &test.keys {
                    KeySet::In(keys) => {
                        exceptions.extend(keys.iter().cloned().map(Some));
                        Some(false)
                    }
                    KeySet::NotIn(keys) => {
                        exceptions.extend(keys.iter().cloned().map(Some));
                        Some(true)
                    }
                    KeySet::Some => {
                        exceptions.push(None);
                        Some(false)
                    }
                    KeySet::NotSome => {
                        exceptions.push(None);
                        Some(true)
                    }
                    KeySet::Between(..) => None,
                }
            }
            _ => None,
        }
    }

    /// Adds the facts that follow from a condition. Returns whether it can be true.
    pub(super) fn assume(&mut self, condition: &Form) -> bool {
        match condition {
            Form::Value(value) => value.as_bool() != Some(false),
            Form::Is(place, value, true) if place.is_known() => match self.resolved(place.clone()) {
                Form::Value(held) => held == *value,
                _ if self.is_present_by_facts(place) == Some(false) => false,
                _ => {
                    self.facts.push((place.clone(), Content::Is(value.clone())));
                    true
                }
            },
            Form::Is(place, value, false) => self.resolved(place.clone()) != Form::Value(value.clone()),
            Form::Present(cell, truth) => match self.is_present(cell) {
                Some(held) => held == *truth,
                None => {
                    let content = if *truth { Content::Present } else { Content::Missing };
                    self.facts.push((cell.clone(), content));
                    true
                }
            },
            Form::All(parts) => parts.iter().all(|part| self.assume(part)),
            Form::Either(parts) => {
                let (condition, yes, no) = &**parts;
                if yes.as_truth() == Some(false) {
                    return self.assume(&condition.clone().negated()) && self.assume(no);
                }
                if no.as_truth() == Some(false) {
                    return self.assume(condition) && self.assume(yes);
                }
                true
            }
            _ => true,
        }
    }

    /// A part of the value at a place, for an argument of this form; `None` if the argument depends on the state.
    pub(super) fn part(&self, place: &Place, key: &Form) -> Option<Form> {
        match key {
            Form::Value(key) => Some(self.resolved(inside(place, at(key)))),
            Form::Other(reads) if reads.cells.is_empty() => Some(Form::Place(inside(place, CellStep::Any))),
            Form::Element(binder, path) if path.is_empty() => Some(Form::AtElement(place.clone(), *binder)),
            _ => None,
        }
    }
}
