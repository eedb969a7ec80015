//! Construction of tuples, records, sets and updated functions.

use omnilink_tla_ir::{Node, PathStep, Update};
use omnilink_value::{Shape, Value};
use smallvec::SmallVec;

use super::datum::{Datum, Lazy};
use super::error::Outcome;
use super::evaluator::Evaluator;
use super::slot::Slot;

impl<'p> Evaluator<'p> {
    #[inline(never)]
    pub(crate) fn except(
        &mut self,
        function: &'p Node,
        updates: &'p [Update],
        node: &'p Node,
    ) -> Outcome<Datum<'p>> {
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
            let mut is_replaced = false;
            result = self
                .replace(result, &path, &mut |this, old| {
                    is_replaced = true;
                    this.set_slot(update.at_slot, Slot::Datum(old));
                    this.eval(&update.value)
                })
                .map_err(|failure| failure.at(node.at))?;
            if !is_replaced {
                let result = &result;
                self.warn(node.at, |this| {
                    let path: Vec<String> = path.iter().map(|key| format!("[{key}]")).collect();
                    format!(
                        "EXCEPT changes nothing, because {} has nothing at {}",
                        this.short(result),
                        path.concat()
                    )
                });
            }
        }
        Ok(result)
    }

    /// The common case: one key of a function that is available by reference. `None` in all other cases.
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
    pub(crate) fn tuple(&mut self, parts: &'p [Node]) -> Outcome<Datum<'p>> {
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

    /// The canonical form of a finite value; an infinite one stays lazy.
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
    pub(crate) fn record(&mut self, shape: &'p Shape, fields: &'p [Node]) -> Outcome<Datum<'p>> {
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
    pub(crate) fn set_enum(&mut self, elements: &'p [Node], node: &'p Node) -> Outcome<Datum<'p>> {
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
}
