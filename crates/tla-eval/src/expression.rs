//! Expressions: one match over the kinds of nodes.

use omnilink_tla_ir::{
    Argument, Arithmetic, Bounded, Call, Comparison, Kind, Node, PathStep, Pattern, Two, Update,
};
use omnilink_value::{Kind as ValueKind, Shape, Value};
use smallvec::SmallVec;

use super::datum::{Datum, Lazy, Rule, Suspended};
use super::equality::{equal_values, kind_words};
use super::error::{ErrorClass, Failure, Outcome, domain_error, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::function::{apply_value, tuple_parts};
use super::membership::is_listed;
use super::slot::Slot;

/// Everything recurses through [`Evaluator::eval`], so its own frame must stay small: what needs room for buffers is a
/// function of its own that is never inlined.
impl<'p> Evaluator<'p> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, node: &'p Node) -> Outcome<Datum<'p>> {
        match &node.kind {
            Kind::Const(value) => Ok(Datum::Value(value.clone())),
            Kind::Var(slot) => self.variable(*slot).map_err(|failure| failure.at(node.at)),
            Kind::Next(slot) => self.next_variable(*slot).map_err(|failure| failure.at(node.at)),
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Datum(datum) if !self.logging => Ok(datum.clone()),
                _ => self.local(*slot),
            },
            Kind::Path(root, steps) => self.path(node, root, steps),
            Kind::Memo(site, inner) => self.recall_value(*site, inner),
            Kind::And(_)
            | Kind::Or(_)
            | Kind::Not(_)
            | Kind::Implies(_)
            | Kind::Equiv(_)
            | Kind::Equal(_)
            | Kind::NotEqual(_)
            | Kind::In(_)
            | Kind::NotIn(_)
            | Kind::SubsetEq(_)
            | Kind::Comparison(..)
            | Kind::ForAll(_)
            | Kind::Exists(_)
            | Kind::Unchanged(_)
            | Kind::UnchangedExpr(_)
            | Kind::Stuttering(_)
            | Kind::Changing(_)
            | Kind::Enabled(_)
            | Kind::Compose(_) => self.truth_of(node).map(Datum::bool),
            Kind::Arithmetic(arithmetic, operands) => {
                let (left, right) = &**operands;
                let left = self.int(left, node)?;
                let right = self.int(right, node)?;
                self.calculate(*arithmetic, left, right)
                    .map(Datum::int)
                    .map_err(|failure| failure.at(node.at))
            }
            Kind::Negative(operand) => {
                let operand = self.int(operand, node)?;
                let negative = operand.checked_neg().and_then(|n| self.in_range(n));
                negative
                    .map(Datum::int)
                    .ok_or_else(|| overflow(format!("-{operand}")).at(node.at))
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                if self.bool(condition)? {
                    self.eval(yes)
                } else {
                    self.eval(no)
                }
            }
            Kind::Case(arms, other) => match self.case(arms, other.as_deref())? {
                Some(value) => self.eval(value),
                None => Err(no_arm().at(node.at)),
            },
            Kind::Call(call) => self.call(call, node),
            Kind::CallSlot(slot, arguments) => self.call_slot(*slot, arguments, node),
            Kind::Native(native, arguments) => super::native::apply(self, *native, arguments, node),
            Kind::Once(cell, inner) => {
                if let Some(known) = &self.once[*cell as usize] {
                    return Ok(known.clone());
                }
                self.evaluate_once(*cell, inner)
            }
            Kind::PerState(cell, inner) => {
                if self.primed || self.logging {
                    return self.eval(inner);
                }
                if let (generation, Some(known)) = &self.per_state[*cell as usize]
                    && *generation == self.generation
                {
                    return Ok(known.clone());
                }
                let datum = self.eval(inner)?;
                self.per_state[*cell as usize] = (self.generation, Some(datum.clone()));
                Ok(datum)
            }
            Kind::Let(slots, body) => {
                for (slot, argument) in slots {
                    let content = self.argument(argument)?;
                    self.set_slot(*slot, content);
                }
                self.eval(body)
            }
            Kind::Except(function, updates) => self.except(function, updates, node),
            Kind::Tuple(parts) => self.tuple(parts),
            Kind::Record(shape, fields) => self.record(shape, fields),
            Kind::SetEnum(elements) => self.set_enum(elements, node),
            Kind::Interval(operands) => {
                let low = self.int(&operands.0, node)?;
                let high = self.int(&operands.1, node)?;
                Ok(Datum::lazy(Lazy::Interval(low, high)))
            }
            Kind::Filter(bounded) => self.filter(bounded, node),
            Kind::Map(bounded) => self.map(bounded, node),
            Kind::Function(bounded) => self.function(bounded, node),
            Kind::Recursive(bounded) => self.rule(bounded),
            Kind::FunctionSet(operands) => {
                let (domain, range) = self.both(operands)?;
                self.check_set(&domain, "the domain in a set of functions", node)?;
                self.check_set(&range, "the range in a set of functions", node)?;
                Ok(Datum::lazy(Lazy::FunctionSet(domain, range)))
            }
            Kind::RecordSet(fields) => {
                let mut sets = Vec::with_capacity(fields.len());
                for (name, set) in fields {
                    let set = self.eval(set)?;
                    self.check_set(&set, "the values of a field in a set of records", node)?;
                    sets.push((name.clone(), set));
                }
                Ok(Datum::lazy(Lazy::RecordSet(sets)))
            }
            Kind::Product(factors) => {
                let mut sets = Vec::with_capacity(factors.len());
                for factor in factors {
                    let set = self.eval(factor)?;
                    self.check_set(&set, "a factor of \\X", node)?;
                    sets.push(set);
                }
                Ok(Datum::lazy(Lazy::Product(sets)))
            }
            Kind::Powerset(base) => {
                let base = self.eval(base)?;
                self.check_set(&base, "the operand of SUBSET", node)?;
                Ok(Datum::lazy(Lazy::Powerset(base)))
            }
            Kind::BigUnion(sets) => {
                let sets = self.eval(sets)?;
                self.big_union(sets).map_err(|failure| failure.at(node.at))
            }
            Kind::Domain(function) => {
                if let Some(value) = self.peek(function)
                    && let Some(parts) = value.as_tuple()
                {
                    return Ok(Datum::lazy(Lazy::Interval(1, parts.len() as i64)));
                }
                let function = self.eval(function)?;
                self.domain(&function).map_err(|failure| failure.at(node.at))
            }
            Kind::Union(operands) => {
                if let Kind::SetEnum(elements) = &operands.1.kind
                    && let [one] = &**elements
                    && let Some(grown) = self.inserted(&operands.0, one, node)?
                {
                    return Ok(grown);
                }
                let (left, right) = self.both(operands)?;
                self.union(left, right).map_err(|failure| failure.at(node.at))
            }
            Kind::Intersection(operands) => {
                let (left, right) = self.both(operands)?;
                self.intersection(left, right)
                    .map_err(|failure| failure.at(node.at))
            }
            Kind::Difference(operands) => {
                let (left, right) = self.both(operands)?;
                self.difference(left, right)
                    .map_err(|failure| failure.at(node.at))
            }
            Kind::Choose(bounded) => self.choose(bounded, node),
            Kind::Infinite(infinite) => Ok(Datum::lazy(Lazy::Infinite(*infinite))),
            Kind::Prime(operand) => self
                .in_next(|this| this.eval(operand))
                .map_err(|failure| failure.at(node.at)),
            Kind::Action(_, body) => self.eval(body),
            Kind::Fail(class, message) => Err(Failure::new(*class, &**message).at(node.at)),
        }
    }

    #[inline(never)]
    fn call(&mut self, call: &'p Call, node: &'p Node) -> Outcome<Datum<'p>> {
        let program = self.program;
        let operator = &program.operators[call.operator as usize];
        self.check_stack().map_err(|failure| failure.at(node.at))?;
        self.count(call.operator);
        let new = self.fill_frame(call)?;
        let saved = std::mem::replace(&mut self.base, new);
        let result = self.eval(&operator.body);
        let result = result.map_err(|failure| self.in_operator(failure, call.operator, node.at));
        self.slots.truncate(new);
        self.base = saved;
        result
    }

    #[inline(never)]
    fn call_slot(&mut self, slot: u32, arguments: &'p [Argument], node: &'p Node) -> Outcome<Datum<'p>> {
        if self.logging {
            self.note_slot(slot);
        }
        let Slot::Operator(closure) = self.slot(slot).clone() else {
            return Err(type_error("a value is applied as if it were an operator").at(node.at));
        };
        let mut contents: SmallVec<[(u32, Slot<'p>); 4]> = SmallVec::new();
        for (at, argument) in (0..).zip(arguments) {
            contents.push((at, self.argument(argument)?));
        }
        contents.extend(closure.captures.iter().cloned());
        self.apply_operator(closure.operator, contents, node.at)
    }

    /// Whether a formula holds.
    #[inline]
    pub(crate) fn bool(&mut self, node: &'p Node) -> Outcome<bool> {
        if node.kind.is_formula() {
            return self.truth_of(node);
        }
        let datum = self.eval(node)?;
        match datum.as_value().and_then(Value::as_bool) {
            Some(truth) => Ok(truth),
            None => Err(self.not_bool(&datum, "a formula").at(node.at)),
        }
    }

    /// A node that is a formula whatever its operands.
    fn truth_of(&mut self, node: &'p Node) -> Outcome<bool> {
        match &node.kind {
            Kind::And(conjuncts) => {
                for conjunct in conjuncts {
                    if !self.bool(conjunct)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Or(disjuncts) => {
                for disjunct in disjuncts {
                    if self.bool(disjunct)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Not(operand) => Ok(!self.bool(operand)?),
            Kind::Implies(operands) => Ok(!self.bool(&operands.0)? || self.bool(&operands.1)?),
            Kind::Equiv(operands) => Ok(self.bool(&operands.0)? == self.bool(&operands.1)?),
            Kind::Equal(operands) => self.equal_nodes(operands, node),
            Kind::NotEqual(operands) => Ok(!self.equal_nodes(operands, node)?),
            Kind::In(operands) => self.member_nodes(operands, node),
            Kind::NotIn(operands) => Ok(!self.member_nodes(operands, node)?),
            Kind::SubsetEq(operands) => {
                let (left, right) = self.both(operands)?;
                self.is_subset(&left, &right)
                    .map_err(|failure| failure.at(node.at))
            }
            Kind::Comparison(comparison, operands) => {
                let left = self.int(&operands.0, node)?;
                let right = self.int(&operands.1, node)?;
                Ok(match comparison {
                    Comparison::Less => left < right,
                    Comparison::LessEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterEqual => left >= right,
                })
            }
            Kind::ForAll(bounded) => Ok(!self.finds(bounded, node, false)?),
            Kind::Exists(bounded) => self.finds(bounded, node, true),
            Kind::Unchanged(slots) => {
                for slot in slots {
                    let next = self.next_variable(*slot).map_err(|failure| failure.at(node.at))?;
                    let now = self.variable(*slot).map_err(|failure| failure.at(node.at))?;
                    if !self.equal(&next, &now).map_err(|failure| failure.at(node.at))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::UnchangedExpr(operands) => self.equal_nodes(operands, node),
            Kind::Stuttering(operands) => Ok(self.bool(&operands.0)? || self.bool(&operands.1)?),
            Kind::Changing(operands) => Ok(self.bool(&operands.0)? && !self.bool(&operands.1)?),
            Kind::Enabled(action) => self.enabled(action),
            Kind::Compose(operands) => self.composed(operands).map_err(|failure| failure.at(node.at)),
            _ => self.bool(node),
        }
    }

    #[inline]
    pub(crate) fn variable(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.primed {
            return self.next_value(slot);
        }
        if self.logging {
            self.note_variable(slot);
        }
        match self.state.get(slot as usize) {
            Some(value) => Ok(Datum::Value(value.clone())),
            None => Err(self.unassigned(slot, "")),
        }
    }

    #[inline]
    pub(crate) fn next_variable(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.primed {
            return Err(type_error("a prime inside a prime has no meaning"));
        }
        self.next_value(slot)
    }

    #[inline]
    fn next_value(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        if self.logging {
            self.note_next(slot);
        }
        match self.known_next(slot) {
            Some(value) => Ok(Datum::Value(value.clone())),
            None => Err(self.unassigned(slot, "'")),
        }
    }

    /// The next value of a variable, if it has one.
    #[inline]
    pub(crate) fn known_next(&self, slot: u32) -> Option<&Value> {
        match self.known.get(slot as usize) {
            Some(true) => self.next.get(slot as usize),
            _ => None,
        }
    }

    fn unassigned(&self, slot: u32, prime: &str) -> Box<Failure> {
        let name = self.program.variables.get(slot as usize).map_or("", |name| name);
        // While initial states are looked for, variables carry no prime although it is the next state that is made.
        let prime = if self.state.is_empty() { "" } else { prime };
        Failure::new(
            ErrorClass::Unassigned,
            format!("{name}{prime} is used before it has a value"),
        )
    }

    /// What a node stands for, if it can be had without evaluating anything. Paths through functions and records are
    /// followed by reference; where one leads nowhere, evaluation says why.
    #[inline]
    pub(crate) fn peek(&self, node: &'p Node) -> Option<&Value> {
        if self.logging {
            return None;
        }
        match &node.kind {
            Kind::Path(root, steps) => {
                let mut value = self.peek(root)?;
                for step in steps {
                    value = match step {
                        PathStep::Field(field) => field.of(value)?,
                        PathStep::Index(index) => value.apply(self.peek(index)?)?,
                    };
                }
                Some(value)
            }
            Kind::Const(value) => Some(value),
            Kind::Var(slot) if !self.primed => self.state.get(*slot as usize),
            Kind::Next(slot) if !self.primed => self.known_next(*slot),
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Datum(Datum::Value(value)) => Some(value),
                Slot::Thunk {
                    value: Some(Datum::Value(value)),
                    ..
                } if !self.primed => Some(value),
                _ => None,
            },
            Kind::Once(cell, _) => self.once[*cell as usize].as_ref()?.as_value(),
            Kind::PerState(cell, _) if !self.primed => match &self.per_state[*cell as usize] {
                (generation, Some(Datum::Value(value))) if *generation == self.generation => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// `S \cup {x}` where S is at hand and x comparable with what is in it.
    #[inline(never)]
    fn inserted(&mut self, set: &'p Node, one: &'p Node, node: &'p Node) -> Outcome<Option<Datum<'p>>> {
        if self.peek(set).and_then(Value::as_set).is_none() {
            return Ok(None);
        }
        let Datum::Value(one) = self.eval(one)? else {
            return Ok(None);
        };
        let Some(whole) = self.peek(set) else {
            return Ok(None);
        };
        let elements = whole.as_set().unwrap_or_default();
        if is_listed(&one, elements).map_err(|failure| failure.at(node.at))? {
            return Ok(Some(Datum::Value(whole.clone())));
        }
        Ok(Some(Datum::Value(Value::union_of(
            elements,
            std::slice::from_ref(&one),
        ))))
    }

    fn both(&mut self, operands: &'p Two) -> Outcome<(Datum<'p>, Datum<'p>)> {
        Ok((self.eval(&operands.0)?, self.eval(&operands.1)?))
    }

    pub(crate) fn equal_nodes(&mut self, operands: &'p Two, node: &'p Node) -> Outcome<bool> {
        let (left, right) = &**operands;
        if let (Some(left), Some(right)) = (self.peek(left), self.peek(right)) {
            return equal_values(left, right).map_err(|failure| failure.at(node.at));
        }
        let left = self.eval(left)?;
        if let (Datum::Value(left), Some(right)) = (&left, self.peek(right)) {
            return equal_values(left, right).map_err(|failure| failure.at(node.at));
        }
        let right = self.eval(right)?;
        self.equal(&left, &right).map_err(|failure| failure.at(node.at))
    }

    #[inline(never)]
    pub(crate) fn member_nodes(&mut self, operands: &'p Two, node: &'p Node) -> Outcome<bool> {
        if let (Some(element), Some(set)) = (self.peek(&operands.0), self.peek(&operands.1))
            && let Some(elements) = set.as_set()
        {
            return is_listed(element, elements).map_err(|failure| failure.at(node.at));
        }
        let element = self.eval(&operands.0)?;
        if self.logging
            && let Datum::Value(element) = &element
            && let Some(place) = self.named_place(&operands.1)?
            && let Some(is_listed) = self.look_for(place, element.clone())
        {
            return Ok(is_listed);
        }
        // `1 \in {1, "a"}` is TRUE although there is no such set.
        if let Kind::SetEnum(listed) = &operands.1.kind {
            let mut found = false;
            for candidate in listed {
                let candidate = self.eval(candidate)?;
                found = found
                    || self
                        .equal(&element, &candidate)
                        .map_err(|failure| failure.at(node.at))?;
            }
            return Ok(found);
        }
        if let Kind::Interval(bounds) = &operands.1.kind
            && let Some(int) = element.as_value().and_then(Value::as_int)
        {
            return Ok(self.int(&bounds.0, node)? <= int && int <= self.int(&bounds.1, node)?);
        }
        if let Kind::Domain(function) = &operands.1.kind
            && let (Datum::Value(element), Some(function)) = (&element, self.peek(function))
        {
            if let Some(parts) = function.as_tuple()
                && let Some(int) = element.as_int()
            {
                return Ok(int >= 1 && int <= parts.len() as i64);
            }
            if function.as_entries().is_some() && function.index_of(element).is_some() {
                return Ok(true);
            }
        }
        if let (Datum::Value(element), Some(set)) = (&element, self.peek(&operands.1))
            && let Some(elements) = set.as_set()
        {
            return is_listed(element, elements).map_err(|failure| failure.at(node.at));
        }
        let set = self.eval(&operands.1)?;
        self.is_member(&element, &set)
            .map_err(|failure| failure.at(node.at))
    }

    /// An integer operand.
    #[inline]
    pub(crate) fn int(&mut self, operand: &'p Node, whole: &'p Node) -> Outcome<i64> {
        if let Some(value) = self.peek(operand)
            && let Some(int) = value.as_int()
        {
            return Ok(int);
        }
        let datum = self.eval(operand)?;
        match datum.as_value().and_then(Value::as_int) {
            Some(int) => Ok(int),
            None => Err(
                type_error(format!("{} is needed to be an integer here", self.short(&datum))).at(whole.at),
            ),
        }
    }

    #[inline(never)]
    pub(crate) fn not_bool(&self, datum: &Datum<'p>, what: &str) -> Box<Failure> {
        type_error(format!(
            "{what} must be TRUE or FALSE, but this is {}",
            self.short(datum)
        ))
    }

    pub(crate) fn expect_bool(&self, datum: &Datum<'p>, what: &str) -> Outcome<bool> {
        datum
            .as_value()
            .and_then(Value::as_bool)
            .ok_or_else(|| self.not_bool(datum, what))
    }

    fn check_set(&self, set: &Datum<'p>, what: &str, node: &'p Node) -> Outcome<()> {
        if set.is_set() {
            return Ok(());
        }
        Err(type_error(format!("{what} must be a set, but is {}", self.short(set))).at(node.at))
    }

    fn in_range(&self, int: i64) -> Option<i64> {
        (!self.session.is_32_bit() || i32::try_from(int).is_ok()).then_some(int)
    }

    /// Arithmetic: divisions round down, remainders are of positive divisors.
    #[inline(never)]
    pub(crate) fn calculate(&self, arithmetic: Arithmetic, left: i64, right: i64) -> Outcome<i64> {
        let (symbol, result) = match arithmetic {
            Arithmetic::Plus => ("+", left.checked_add(right)),
            Arithmetic::Minus => ("-", left.checked_sub(right)),
            Arithmetic::Times => ("*", left.checked_mul(right)),
            Arithmetic::Divide => {
                if right == 0 {
                    return Err(domain_error(format!("{left} \\div 0")));
                }
                let quotient = left.checked_div(right).map(|quotient| {
                    if left % right != 0 && (left < 0) != (right < 0) {
                        quotient - 1
                    } else {
                        quotient
                    }
                });
                ("\\div", quotient)
            }
            Arithmetic::Modulo => {
                if right <= 0 {
                    return Err(domain_error(format!(
                        "{left} % {right}: the right operand of % must be positive"
                    )));
                }
                ("%", Some(left.rem_euclid(right)))
            }
            Arithmetic::Power => {
                if right < 0 {
                    return Err(domain_error(format!(
                        "{left} ^ {right}: the exponent must not be negative"
                    )));
                }
                if left == 0 && right == 0 {
                    return Err(domain_error("0 ^ 0 is not defined"));
                }
                let exponent = u32::try_from(right).unwrap_or(u32::MAX);
                let power = match left {
                    0 | 1 => Some(left),
                    -1 => Some(if right % 2 == 0 { 1 } else { -1 }),
                    _ => left.checked_pow(exponent),
                };
                ("^", power)
            }
        };
        result
            .and_then(|result| self.in_range(result))
            .ok_or_else(|| overflow(format!("{left} {symbol} {right}")))
    }

    #[inline(never)]
    pub(crate) fn case(
        &mut self,
        arms: &'p [(Node, Node)],
        other: Option<&'p Node>,
    ) -> Outcome<Option<&'p Node>> {
        for (condition, value) in arms {
            if self.bool(condition)? {
                return Ok(Some(value));
            }
        }
        Ok(other)
    }

    /// The arguments of a path; `None` if one of them is not canonical.
    #[inline(never)]
    fn keys(&mut self, steps: &'p [PathStep]) -> Outcome<Option<SmallVec<[Value; 2]>>> {
        let mut keys = SmallVec::new();
        for step in steps {
            if let PathStep::Index(index) = step {
                match self.eval(index)? {
                    Datum::Value(key) => keys.push(key),
                    Datum::Lazy(_) => return Ok(None),
                }
            }
        }
        Ok(Some(keys))
    }

    /// `f[x].a[y]`: arguments first, then a walk by reference that copies only what it ends at.
    #[inline(never)]
    fn path(&mut self, node: &'p Node, root: &'p Node, steps: &'p [PathStep]) -> Outcome<Datum<'p>> {
        if let Some(value) = self.peek(node) {
            return Ok(Datum::Value(value.clone()));
        }
        if self.logging
            && let Some(place) = self.named_place(node)?
            && let Some(value) = self.look(place)
        {
            return Ok(Datum::Value(value));
        }
        if let Some(keys) = self.keys(steps)? {
            let found = match self.peek(root) {
                Some(start) => walk(start, steps, &keys).cloned(),
                None => match self.eval(root)? {
                    Datum::Value(start) => walk(&start, steps, &keys).cloned(),
                    lazy => {
                        return self
                            .path_of_lazy(lazy, steps)
                            .map_err(|failure| failure.at(node.at));
                    }
                },
            };
            return found.map(Datum::Value).map_err(|failure| failure.at(node.at));
        }
        let start = self.eval(root)?;
        self.path_of_lazy(start, steps)
            .map_err(|failure| failure.at(node.at))
    }

    #[inline(never)]
    fn path_of_lazy(&mut self, start: Datum<'p>, steps: &'p [PathStep]) -> Outcome<Datum<'p>> {
        let mut datum = start;
        for step in steps {
            let key = match step {
                PathStep::Field(field) => Datum::Value(field.name.clone()),
                PathStep::Index(index) => self.eval(index)?,
            };
            datum = self.apply(&datum, &key)?;
        }
        Ok(datum)
    }

    #[inline(never)]
    fn except(&mut self, function: &'p Node, updates: &'p [Update], node: &'p Node) -> Outcome<Datum<'p>> {
        if let [update] = updates
            && let [step] = &*update.path
            && let Some(result) = self.except_one(function, update, step)?
        {
            return Ok(result);
        }
        let mut result = self.eval(function)?;
        for update in updates {
            let mut path: SmallVec<[Value; 2]> = SmallVec::new();
            for step in &update.path {
                path.push(match step {
                    PathStep::Field(field) => field.name.clone(),
                    PathStep::Index(index) => {
                        let index = self.eval(index)?;
                        self.canonical(index)?
                    }
                });
            }
            result = self
                .replace(result, &path, &mut |this, old| {
                    this.set_slot(update.at_slot, Slot::Datum(old));
                    this.eval(&update.value)
                })
                .map_err(|failure| failure.at(node.at))?;
        }
        Ok(result)
    }

    /// The common case: one key of a function that is at hand. `None` where the general way must decide.
    #[inline(never)]
    fn except_one(
        &mut self,
        function: &'p Node,
        update: &'p Update,
        step: &'p PathStep,
    ) -> Outcome<Option<Datum<'p>>> {
        let index = {
            let Some(old) = self.peek(function) else {
                return Ok(None);
            };
            let key = match step {
                PathStep::Field(field) => Some(&field.name),
                PathStep::Index(index) => self.peek(index),
            };
            let Some(index) = key.and_then(|key| old.index_of(key)) else {
                return Ok(None);
            };
            if update.uses_old
                && let Some(part) = old.part(index)
            {
                let part = part.clone();
                self.set_slot(update.at_slot, Slot::Datum(Datum::Value(part)));
            }
            index
        };
        let Datum::Value(new) = self.eval(&update.value)? else {
            return Ok(None);
        };
        let changed = self.peek(function).and_then(|old| old.with_entry(index, new));
        Ok(changed.map(Datum::Value))
    }

    #[inline(never)]
    fn tuple(&mut self, parts: &'p [Node]) -> Outcome<Datum<'p>> {
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        for (at, part) in parts.iter().enumerate() {
            let datum = self.eval(part)?;
            match self.finite(datum)? {
                Datum::Value(value) => values.push(value),
                infinite => {
                    let mut data: Vec<Datum<'p>> = values.into_iter().map(Datum::Value).collect();
                    data.push(infinite);
                    for part in &parts[at + 1..] {
                        let datum = self.eval(part)?;
                        data.push(self.finite(datum)?);
                    }
                    return Ok(Datum::lazy(Lazy::Tuple(data)));
                }
            }
        }
        Ok(Datum::Value(Value::tuple_of(&mut values)))
    }

    /// The canonical form of what is finite; a description of the rest.
    pub(crate) fn finite(&mut self, datum: Datum<'p>) -> Outcome<Datum<'p>> {
        match &datum {
            Datum::Value(_) => Ok(datum),
            Datum::Lazy(lazy) => match &**lazy {
                Lazy::Function(_) | Lazy::Tuple(_) | Lazy::Mapping(_) => {
                    let domain = self.domain(&datum)?;
                    if self.is_enumerable(&domain) && matches!(**lazy, Lazy::Function(_)) {
                        return Ok(Datum::Value(self.canonical(datum)?));
                    }
                    Ok(datum)
                }
                _ if self.is_enumerable(&datum) && self.check_size(&datum).is_ok() => {
                    Ok(Datum::Value(self.canonical(datum)?))
                }
                _ => Ok(datum),
            },
        }
    }

    #[inline(never)]
    fn record(&mut self, shape: &'p Shape, fields: &'p [Node]) -> Outcome<Datum<'p>> {
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        for (at, field) in fields.iter().enumerate() {
            let datum = self.eval(field)?;
            match self.finite(datum)? {
                Datum::Value(value) => values.push(value),
                infinite => {
                    let mut data: Vec<Datum<'p>> = values.into_iter().map(Datum::Value).collect();
                    data.push(infinite);
                    for field in &fields[at + 1..] {
                        let datum = self.eval(field)?;
                        data.push(self.finite(datum)?);
                    }
                    let entries = shape.names().iter().cloned().zip(data).collect();
                    return Ok(Datum::lazy(Lazy::Mapping(entries)));
                }
            }
        }
        Ok(Datum::Value(shape.record(&mut values)))
    }

    #[inline(never)]
    fn set_enum(&mut self, elements: &'p [Node], node: &'p Node) -> Outcome<Datum<'p>> {
        let mut values = Vec::with_capacity(elements.len());
        let mut infinite = Vec::new();
        for element in elements {
            let datum = self.eval(element)?;
            match self.finite(datum)? {
                Datum::Value(value) => values.push(value),
                lazy => infinite.push(lazy),
            }
        }
        if infinite.is_empty() {
            return self
                .set_of(values)
                .map(Datum::Value)
                .map_err(|failure| failure.at(node.at));
        }
        let mut all: Vec<Datum<'p>> = values.into_iter().map(Datum::Value).collect();
        for lazy in infinite {
            let mut is_new = true;
            for known in &all {
                is_new &= !self.equal(known, &lazy).map_err(|failure| failure.at(node.at))?;
            }
            if is_new {
                all.push(lazy);
            }
        }
        Ok(Datum::lazy(Lazy::Set(all)))
    }

    /// Whether a set is kept as a list: only then do comprehensions over it make a list at once.
    fn is_listed(&self, set: &Datum<'p>) -> bool {
        match set {
            Datum::Value(_) => true,
            Datum::Lazy(lazy) => matches!(**lazy, Lazy::Interval(..) | Lazy::Set(_)),
        }
    }

    #[inline(never)]
    fn filter(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
        let [set_node] = &*bounded.sets else {
            return Err(type_error("a set is filtered by names over several sets").at(node.at));
        };
        let set = self.eval(set_node)?;
        self.check_set(&set, "what is filtered", node)?;
        if !self.is_listed(&set) {
            let body = self.suspend(bounded)?;
            return Ok(Datum::lazy(Lazy::Filter(set, body)));
        }
        if let (Datum::Value(value), [(_, Pattern::One(slot))]) = (&set, &*bounded.binds)
            && let Some(elements) = value.as_set()
        {
            let mut kept: SmallVec<[&Value; 16]> = SmallVec::new();
            for element in elements {
                self.bind(*slot, element.clone());
                match self.bool(&bounded.body) {
                    Ok(true) => kept.push(element),
                    Ok(false) => {}
                    Err(failure) => return Err(self.in_binding(failure, bounded).at(node.at)),
                }
            }
            if kept.len() == elements.len() {
                return Ok(set.clone());
            }
            return Ok(Datum::Value(Value::set_of_sorted(kept.into_iter().cloned())));
        }
        let mut kept = Vec::new();
        self.for_each_element(&set, &mut |this, element| {
            this.bind_pattern(&bounded.binds[0].1, &element)?;
            if this.bool(&bounded.body)? {
                kept.push(element);
            }
            Ok(Flow::Go)
        })
        .map_err(|failure| self.in_binding(failure, bounded).at(node.at))?;
        // A part of a sorted list is sorted.
        Ok(Datum::Value(Value::set_of_sorted(kept)))
    }

    #[inline(never)]
    fn map(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
        let mut values = Vec::new();
        let mut infinite = Vec::new();
        self.each_binding(bounded, node, &mut |this| {
            let datum = this.eval(&bounded.body)?;
            match this.finite(datum)? {
                Datum::Value(value) => values.push(value),
                lazy => infinite.push(lazy),
            }
            Ok(Flow::Go)
        })?;
        if infinite.is_empty() {
            return self
                .set_of(values)
                .map(Datum::Value)
                .map_err(|failure| failure.at(node.at));
        }
        infinite.extend(values.into_iter().map(Datum::Value));
        Ok(Datum::lazy(Lazy::Set(infinite)))
    }

    #[inline(never)]
    fn function(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
        let sets = self.sets(bounded)?;
        if sets.iter().any(|set| !self.is_enumerable(set)) {
            return self.rule(bounded);
        }
        for set in &sets {
            self.check_size(set).map_err(|failure| failure.at(node.at))?;
        }
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut lazy: Vec<(Value, Datum<'p>)> = Vec::new();
        let mut chosen = Vec::with_capacity(bounded.binds.len());
        self.each_element_of(bounded, &sets, &mut chosen, &mut |this, chosen| {
            let key = match chosen {
                [key] => key.clone(),
                keys => Value::tuple(keys.iter().cloned()),
            };
            let datum = this.eval(&bounded.body)?;
            match this.finite(datum)? {
                Datum::Value(value) => entries.push((key, value)),
                datum => lazy.push((key, datum)),
            }
            Ok(Flow::Go)
        })
        .map_err(|failure| self.in_binding(failure, bounded).at(node.at))?;
        if lazy.is_empty() {
            return Ok(Datum::Value(Value::function_of_sorted(entries)));
        }
        lazy.extend(entries.into_iter().map(|(key, value)| (key, Datum::Value(value))));
        lazy.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(Datum::lazy(Lazy::Mapping(lazy)))
    }

    /// A function that is evaluated where it is applied.
    #[inline(never)]
    fn rule(&mut self, bounded: &'p Bounded) -> Outcome<Datum<'p>> {
        let domains = self.sets(bounded)?;
        let body = self.suspend(bounded)?;
        Ok(Datum::lazy(Lazy::Function(Rule {
            domains,
            body,
            known: Default::default(),
            changed: Vec::new(),
        })))
    }

    /// A body with what it needs of the frame, evaluated now.
    #[inline(never)]
    fn suspend(&mut self, bounded: &'p Bounded) -> Outcome<Suspended<'p>> {
        let captures = bounded
            .captures
            .iter()
            .map(|slot| Ok((*slot, self.settle(*slot)?)))
            .collect::<Outcome<_>>()?;
        Ok(Suspended { bounded, captures })
    }

    #[inline(never)]
    fn choose(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
        let mut chosen = None;
        let set = match &*bounded.sets {
            [set] => self.eval(set)?,
            _ => {
                return Err(Failure::new(
                    ErrorClass::Infinite,
                    "CHOOSE without a set to choose from cannot be evaluated",
                )
                .at(node.at));
            }
        };
        self.for_each_element(&set, &mut |this, element| {
            this.bind_pattern(&bounded.binds[0].1, &element)?;
            if this.bool(&bounded.body)? {
                chosen = Some(element);
                return Ok(Flow::Stop);
            }
            Ok(Flow::Go)
        })
        .map_err(|failure| self.in_binding(failure, bounded).at(node.at))?;
        match chosen {
            Some(value) => Ok(Datum::Value(value)),
            None => Err(Failure::new(
                ErrorClass::Choose,
                format!(
                    "no element of {} satisfies what CHOOSE asks for",
                    self.short(&set)
                ),
            )
            .at(node.at)),
        }
    }

    pub(crate) fn bind_pattern(&mut self, pattern: &'p Pattern, element: &Value) -> Outcome<()> {
        match pattern {
            Pattern::One(slot) => self.bind(*slot, element.clone()),
            Pattern::Tuple(slots) => {
                let parts = tuple_parts(element, slots.len())?;
                for (slot, part) in slots.iter().zip(parts) {
                    self.bind(*slot, part.clone());
                }
            }
        }
        Ok(())
    }

    fn sets(&mut self, bounded: &'p Bounded) -> Outcome<Vec<Datum<'p>>> {
        bounded.sets.iter().map(|set| self.eval(set)).collect()
    }

    /// Whether some binding of the names gives the body the wanted truth value.
    #[inline(never)]
    fn finds(&mut self, bounded: &'p Bounded, node: &'p Node, wanted: bool) -> Outcome<bool> {
        let mut found = false;
        self.each_binding(bounded, node, &mut |this| {
            found = this.bool(&bounded.body)? == wanted;
            Ok(if found { Flow::Stop } else { Flow::Go })
        })?;
        Ok(found)
    }

    /// Runs for every binding of the names, until asked to stop.
    pub(crate) fn each_binding(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        run: &mut dyn FnMut(&mut Self) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        let flow = if let ([set], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds) {
            let set = self.eval(set)?;
            self.each_of_set(&set, pattern, run)
        } else {
            let sets = self.sets(bounded)?;
            self.each_name(bounded, &sets, 0, run)
        };
        flow.map_err(|failure| self.in_binding(failure, bounded).at(node.at))
    }

    fn each_of_set(
        &mut self,
        set: &Datum<'p>,
        pattern: &'p Pattern,
        run: &mut dyn FnMut(&mut Self) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        if let (Datum::Value(value), Pattern::One(slot)) = (set, pattern)
            && let Some(elements) = value.as_set()
        {
            for element in elements {
                self.tick()?;
                self.bind(*slot, element.clone());
                if run(self)?.is_stop() {
                    return Ok(Flow::Stop);
                }
            }
            return Ok(Flow::Go);
        }
        if let (Some(Lazy::Interval(low, high)), Pattern::One(slot)) = (set.as_lazy(), pattern) {
            for element in *low..=*high {
                self.tick()?;
                self.bind(*slot, Value::int(element));
                if run(self)?.is_stop() {
                    return Ok(Flow::Stop);
                }
            }
            return Ok(Flow::Go);
        }
        self.for_each_element(set, &mut |this, element| {
            this.bind_pattern(pattern, &element)?;
            run(this)
        })
    }

    fn each_name(
        &mut self,
        bounded: &'p Bounded,
        sets: &[Datum<'p>],
        index: usize,
        run: &mut dyn FnMut(&mut Self) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        let Some((set, pattern)) = bounded.binds.get(index) else {
            return run(self);
        };
        self.each_of_set(&sets[*set as usize], pattern, &mut |this| {
            this.each_name(bounded, sets, index + 1, run)
        })
    }

    /// Runs for every choice of one element for each name, the last name moving fastest.
    pub(crate) fn each_element_of(
        &mut self,
        bounded: &'p Bounded,
        sets: &[Datum<'p>],
        chosen: &mut Vec<Value>,
        run: &mut dyn FnMut(&mut Self, &[Value]) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        let Some((set, pattern)) = bounded.binds.get(chosen.len()) else {
            return run(self, chosen);
        };
        self.for_each_element(&sets[*set as usize], &mut |this, element| {
            this.bind_pattern(pattern, &element)?;
            chosen.push(element);
            let flow = this.each_element_of(bounded, sets, chosen, run);
            chosen.pop();
            flow
        })
    }

    /// Adds the bound names to an error that leaves their scope.
    #[inline(never)]
    pub(crate) fn in_binding(&self, mut failure: Box<Failure>, bounded: &'p Bounded) -> Box<Failure> {
        for (slot, name) in bounded.slots().zip(&bounded.names) {
            if let Slot::Datum(datum) = self.slot(slot) {
                failure.bind(name, || self.short(datum));
            }
        }
        failure
    }
}

/// Follows a path from a value.
#[inline]
fn walk<'v>(value: &'v Value, steps: &[PathStep], keys: &[Value]) -> Outcome<&'v Value> {
    let mut keys = keys.iter();
    let mut value = value;
    for step in steps {
        value = match step {
            PathStep::Field(field) => match field.of(value) {
                Some(found) => found,
                None => return Err(no_field(value, &field.name)),
            },
            PathStep::Index(_) => match keys.next() {
                Some(key) => apply_value(value, key)?,
                None => return Err(type_error("a set is used as an argument of a function")),
            },
        };
    }
    Ok(value)
}

fn no_field(value: &Value, name: &Value) -> Box<Failure> {
    let text = name.as_str().unwrap_or_default();
    match value.kind() {
        ValueKind::Record => domain_error(format!("{value} has no field {text}")),
        ValueKind::Tuple | ValueKind::Function => match apply_value(value, name) {
            Err(failure) => failure,
            Ok(_) => domain_error(format!("\"{text}\" is not in the domain of {value}")),
        },
        _ => type_error(format!(
            "{value} is {}, so it has no field {text}",
            kind_words(value)
        )),
    }
}

fn overflow(what: String) -> Box<Failure> {
    Failure::new(ErrorClass::Overflow, format!("{what} is too large an integer"))
}

fn no_arm() -> Box<Failure> {
    domain_error("no arm of the CASE holds, and there is no OTHER")
}
