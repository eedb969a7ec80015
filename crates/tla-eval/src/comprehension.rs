//! Bound variables: quantifiers, comprehensions, functions and CHOOSE.

use omnilink_tla_ir::{Bounded, Node, Pattern};
use omnilink_value::Value;
use smallvec::SmallVec;

use super::datum::{Datum, Lazy, LazyFunction, Suspended};
use super::error::{ErrorClass, Failure, Outcome, type_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::function::tuple_parts;
use super::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Whether a set is materialised. Only then are comprehensions over it materialised at once.
    pub(crate) fn is_listed(&self, set: &Datum<'p>) -> bool {
        match set {
            Datum::Value(_) => true,
            Datum::Lazy(lazy) => matches!(**lazy, Lazy::Interval(..) | Lazy::Set(_)),
        }
    }

    #[inline(never)]
    pub(crate) fn filter(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
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
        // A subsequence of a sorted list is sorted.
        Ok(Datum::Value(Value::set_of_sorted(kept)))
    }

    #[inline(never)]
    pub(crate) fn map(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
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
    pub(crate) fn function(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
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

    /// A lazy function, evaluated where it is applied.
    #[inline(never)]
    pub(crate) fn rule(&mut self, bounded: &'p Bounded) -> Outcome<Datum<'p>> {
        let domains = self.sets(bounded)?;
        let body = self.suspend(bounded)?;
        Ok(Datum::lazy(Lazy::Function(LazyFunction {
            domains,
            body,
            known: Default::default(),
            changed: Vec::new(),
        })))
    }

    /// A body with the slots that it captures, evaluated now.
    #[inline(never)]
    fn suspend(&mut self, bounded: &'p Bounded) -> Outcome<Suspended<'p>> {
        let captures = bounded
            .captures
            .iter()
            .map(|slot| Ok((*slot, self.force_slot(*slot)?)))
            .collect::<Outcome<_>>()?;
        Ok(Suspended {
            bounded,
            captures,
            primed: self.primed,
        })
    }

    #[inline(never)]
    pub(crate) fn choose(&mut self, bounded: &'p Bounded, node: &'p Node) -> Outcome<Datum<'p>> {
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

    pub(crate) fn sets(&mut self, bounded: &'p Bounded) -> Outcome<Vec<Datum<'p>>> {
        bounded.sets.iter().map(|set| self.eval(set)).collect()
    }

    /// Whether the body has the wanted truth value for some binding.
    #[inline(never)]
    pub(crate) fn finds(&mut self, bounded: &'p Bounded, node: &'p Node, wanted: bool) -> Outcome<bool> {
        let mut found = false;
        let mut run = |this: &mut Self| {
            found = this.bool(&bounded.body)? == wanted;
            Ok(if found { Flow::Stop } else { Flow::Go })
        };
        if wanted {
            self.each_witness(bounded, node, &mut run)?;
        } else {
            self.each_binding(bounded, node, &mut run)?;
        }
        Ok(found)
    }

    /// Runs for every binding, until told to stop.
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

    pub(crate) fn each_name(
        &mut self,
        bounded: &'p Bounded,
        sets: &[Datum<'p>],
        index: usize,
        run: &mut dyn FnMut(&mut Self) -> Outcome<Flow>,
    ) -> Outcome<Flow> {
        let Some((set, pattern)) = bounded.binds.get(index) else {
            return run(self);
        };
        if index + 1 == bounded.binds.len() {
            return self.each_of_set(&sets[*set as usize], pattern, run);
        }
        self.each_of_set(&sets[*set as usize], pattern, &mut |this| {
            this.each_name(bounded, sets, index + 1, run)
        })
    }

    /// Runs for every combination of elements; the last name varies fastest.
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
