//! Equality and membership of subexpressions, without copying values.

use omnilink_tla_ir::{Kind, Node, Two};
use omnilink_value::Value;

use super::datum::Datum;
use super::equality::equal_values;
use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::Evaluator;
use super::membership::is_listed;

impl<'p> Evaluator<'p> {
    /// `S \cup {x}` where `S` is available by reference and `x` is comparable with its elements.
    #[inline(never)]
    pub(crate) fn inserted(
        &mut self,
        set: &'p Node,
        one: &'p Node,
        node: &'p Node,
    ) -> Outcome<Option<Datum<'p>>> {
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

    pub(crate) fn equal_nodes(&mut self, operands: &'p Two, node: &'p Node) -> Outcome<bool> {
        let (left, right) = &**operands;
        if let (Some(left), Some(right)) = (self.peek(left), self.peek(right)) {
            return equal_values(left, right).map_err(|failure| failure.at(node.at));
        }
        if self.are_equal_parts(left, right) {
            return Ok(true);
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
        if self.is_logging
            && let Datum::Value(element) = &element
            && let Some(place) = self.as_read(&operands.1)?
            && let Some(is_listed) = self.read_contains(place, element.clone())
        {
            return Ok(is_listed);
        }
        // `1 \in {1, "a"}` is TRUE although the set itself cannot be evaluated.
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
        let set = match self.eval(&operands.1) {
            Ok(set) => set,
            Err(failure) => return self.member_of_parts(&element, &operands.1, failure),
        };
        self.is_member(&element, &set)
            .map_err(|failure| failure.at(node.at))
    }

    /// Membership in a set that cannot be evaluated as a whole; the failure, if that is needed.
    ///
    /// Like TLC, an enumerated set is compared element by element, from the left; a union, an intersection or a difference asks its operands; and of a
    /// set `{x \in S : P}` whose `S` is not enumerated, only the element in question is tested.
    #[cold]
    #[inline(never)]
    fn member_of_parts(
        &mut self,
        element: &Datum<'p>,
        set: &'p Node,
        failure: Box<Failure>,
    ) -> Outcome<bool> {
        // What took too long takes too long.
        if failure.class == ErrorClass::Resource {
            return Err(failure);
        }
        match &set.kind {
            Kind::Once(_, inner) | Kind::PerState(_, inner) | Kind::Memo(_, inner) => {
                self.member_of_parts(element, inner, failure)
            }
            Kind::Call(call) => {
                let program = self.program;
                let body = &program.operators[call.operator as usize].body;
                self.check_stack()?;
                let new = self.fill_frame(call)?;
                let own = std::mem::replace(&mut self.base, new);
                let is_in = self.member_of_parts(element, body, failure);
                self.slots.truncate(new);
                self.base = own;
                is_in
            }
            Kind::Local(slot) => match self.unevaluated(*slot) {
                Some((inner, base)) => {
                    let own = std::mem::replace(&mut self.base, base);
                    let is_in = self.member_of_parts(element, inner, failure);
                    self.base = own;
                    is_in
                }
                None => Err(failure),
            },
            Kind::SetEnum(listed) => {
                for candidate in listed {
                    let candidate = self.eval(candidate)?;
                    if self
                        .equal(element, &candidate)
                        .map_err(|failure| failure.at(set.at))?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Union(operands) => {
                let is_in = self.member_of_operand(element, &operands.0)?;
                // The other operand must have a value, too.
                Ok(match is_in {
                    true => self.has_parts(&operands.1)?,
                    false => self.member_of_operand(element, &operands.1)?,
                })
            }
            Kind::Intersection(operands) => Ok(self.member_of_operand(element, &operands.0)?
                && self.member_of_operand(element, &operands.1)?),
            Kind::Difference(operands) => Ok(self.member_of_operand(element, &operands.0)?
                && !self.member_of_operand(element, &operands.1)?),
            Kind::Filter(bounded) => {
                let ([base], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds) else {
                    return Err(failure);
                };
                let is_enumerated = !matches!(
                    base.kind,
                    Kind::BigUnion(_)
                        | Kind::FunctionSet(_)
                        | Kind::Powerset(_)
                        | Kind::RecordSet(_)
                        | Kind::Product(_)
                        | Kind::Union(_)
                        | Kind::Intersection(_)
                        | Kind::Difference(_)
                );
                if is_enumerated {
                    return Err(failure);
                }
                if !self.member_of_operand(element, base)? {
                    return Ok(false);
                }
                let element = self.canonical(element.clone())?;
                let saved: Vec<_> = bounded
                    .slots()
                    .map(|slot| {
                        let at = self.base + slot as usize;
                        (at, self.slots[at].clone())
                    })
                    .collect();
                let holds = self
                    .bind_pattern(pattern, &element)
                    .and_then(|()| self.bool(&bounded.body));
                self.restore(saved);
                holds
            }
            _ => Err(failure),
        }
    }

    /// Membership in a set that may not have a value as a whole.
    fn member_of_operand(&mut self, element: &Datum<'p>, set: &'p Node) -> Outcome<bool> {
        match self.eval(set) {
            Ok(value) => self
                .is_member(element, &value)
                .map_err(|failure| failure.at(set.at)),
            Err(failure) => self.member_of_parts(element, set, failure),
        }
    }

    /// That the parts of a set have values, whether the set has one or not.
    fn has_parts(&mut self, set: &'p Node) -> Outcome<bool> {
        match (self.eval(set), &set.kind) {
            (Ok(_), _) => {}
            (Err(_), Kind::SetEnum(listed)) => {
                for part in listed {
                    self.eval(part)?;
                }
            }
            (Err(_), Kind::Union(operands) | Kind::Intersection(operands) | Kind::Difference(operands)) => {
                self.has_parts(&operands.0)?;
                self.has_parts(&operands.1)?;
            }
            (Err(failure), _) => return Err(failure),
        }
        Ok(true)
    }
}
