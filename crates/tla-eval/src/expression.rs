//! Evaluation of expressions: one match over the kinds of nodes.

use omnilink_tla_ir::{Application, Argument, Comparison, Kind, Node, Two};
use omnilink_value::Value;
use smallvec::SmallVec;

use super::arithmetic::overflow;
use super::datum::{Datum, Lazy};
use super::error::{Failure, Outcome, domain_error, type_error};
use super::evaluator::Evaluator;
use super::slot::Slot;

/// Everything recurses through [`Evaluator::eval`], so its stack frame must stay small: code that needs buffers is in functions
/// that are never inlined.
impl<'p> Evaluator<'p> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, node: &'p Node) -> Outcome<Datum<'p>> {
        match &node.kind {
            Kind::Const(value) => Ok(Datum::Value(value.clone())),
            Kind::Var(slot) => self.variable(*slot).map_err(|failure| failure.at(node.at)),
            Kind::Next(slot) => self.next_variable(*slot).map_err(|failure| failure.at(node.at)),
            Kind::Local(slot) => match self.slot(*slot) {
                Slot::Datum(datum) if !self.is_logging => Ok(datum.clone()),
                _ => self.local(*slot),
            },
            Kind::Path(root, steps) => self.path(node, root, steps),
            Kind::Memo(site, inner) => self.memo_value(*site, inner),
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
            | Kind::Compose(_) => self.eval_formula(node).map(Datum::bool),
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
                if self.primed || self.is_logging {
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
    fn call(&mut self, call: &'p Application, node: &'p Node) -> Outcome<Datum<'p>> {
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
        if self.is_logging {
            self.log_slot(slot);
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

    /// The truth value of a formula.
    #[inline]
    pub(crate) fn bool(&mut self, node: &'p Node) -> Outcome<bool> {
        if node.kind.is_formula() {
            return self.eval_formula(node);
        }
        let datum = self.eval(node)?;
        match datum.as_value().and_then(Value::as_bool) {
            Some(truth) => Ok(truth),
            None => Err(self.not_bool(&datum, "a formula").at(node.at)),
        }
    }

    /// The truth value of a node that is a formula by its kind.
    fn eval_formula(&mut self, node: &'p Node) -> Outcome<bool> {
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

    pub(crate) fn both(&mut self, operands: &'p Two) -> Outcome<(Datum<'p>, Datum<'p>)> {
        Ok((self.eval(&operands.0)?, self.eval(&operands.1)?))
    }

    #[inline(never)]
    fn not_bool(&self, datum: &Datum<'p>, what: &str) -> Box<Failure> {
        let shown = self.short(datum);
        let is_model = datum.as_value().is_some_and(|value| value.as_model().is_some());
        type_error(match is_model {
            true => format!(
                "{what} must be TRUE or FALSE, but this is the model value {shown}; a configuration makes one of every name but TRUE and FALSE"
            ),
            false => format!("{what} must be TRUE or FALSE, but this is {shown}"),
        })
    }

    pub(crate) fn expect_bool(&self, datum: &Datum<'p>, what: &str) -> Outcome<bool> {
        datum
            .as_value()
            .and_then(Value::as_bool)
            .ok_or_else(|| self.not_bool(datum, what))
    }

    pub(crate) fn check_set(&self, set: &Datum<'p>, what: &str, node: &'p Node) -> Outcome<()> {
        if set.is_set() {
            return Ok(());
        }
        Err(type_error(format!("{what} must be a set, but is {}", self.short(set))).at(node.at))
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
}

fn no_arm() -> Box<Failure> {
    domain_error("no arm of the CASE holds, and there is no OTHER")
}
