//! Functions whose values are actions: `N[i]`, where `N[n \in S] == x' = x + n`.

use omnilink_tla_ir::{Bounded, Kind, Node, PathStep};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{Outcome, domain_error};
use super::evaluator::Evaluator;
use super::flow::Flow;
use super::step::Continuation;
use super::successors::OnNextState;

/// The rule of a function whose values are actions.
fn rule(node: &Node) -> Option<&Bounded> {
    match &node.bare().kind {
        Kind::Function(bounded) if bounded.body.uses.next => Some(bounded),
        _ => None,
    }
}

impl<'p> Evaluator<'p> {
    /// The steps of `f[e]`, if `f` is a function whose values are actions; `None` if it is not.
    #[inline(never)]
    pub(crate) fn step_function(
        &mut self,
        function: &'p Node,
        path: &'p [PathStep],
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Option<Flow>> {
        let [PathStep::Index(argument)] = path else {
            return Ok(None);
        };
        let own = self.base;
        match &function.bare().kind {
            Kind::Call(call) => {
                let program = self.program;
                let Some(bounded) = rule(&program.operators[call.operator as usize].body) else {
                    return Ok(None);
                };
                self.check_stack().map_err(|failure| failure.at(node.at))?;
                self.count(call.operator);
                let argument = self.argument_value(argument)?;
                let new = self.fill_frame(call)?;
                self.base = new;
                let flow = self.step_value(bounded, &argument, own, node, rest, on_next);
                let flow = flow.map_err(|failure| self.in_operator(failure, call.operator, node.at));
                self.slots.truncate(new);
                self.base = own;
                flow.map(Some)
            }
            Kind::Local(slot) => {
                let Some((defined, base)) = self.unevaluated(*slot) else {
                    return Ok(None);
                };
                let Some(bounded) = rule(defined) else {
                    return Ok(None);
                };
                if self.is_logging {
                    self.log_slot_expression(*slot);
                }
                let argument = self.argument_value(argument)?;
                self.base = base;
                let flow = self.step_value(bounded, &argument, own, node, rest, on_next);
                self.base = own;
                flow.map(Some)
            }
            _ => match rule(function) {
                Some(bounded) => {
                    let argument = self.argument_value(argument)?;
                    let flow = self.step_value(bounded, &argument, own, node, rest, on_next);
                    flow.map(Some)
                }
                None => Ok(None),
            },
        }
    }

    fn argument_value(&mut self, argument: &'p Node) -> Outcome<Value> {
        let argument = self.eval(argument)?;
        self.canonical(argument)
    }

    /// The steps of the value for an argument. The current frame is that of the function; `own` is the one in which it is applied.
    fn step_value(
        &mut self,
        bounded: &'p Bounded,
        argument: &Value,
        own: usize,
        node: &'p Node,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let outside = || {
            domain_error(format!(
                "the function is applied to {argument}, which is not in its domain"
            ))
            .at(node.at)
        };
        let count = bounded.binds.len();
        let elements: Vec<Value> = match (count, argument.as_tuple()) {
            (1, _) => vec![argument.clone()],
            (_, Some(parts)) if parts.len() == count => parts.to_vec(),
            _ => return Err(outside()),
        };
        let sets = self.sets(bounded)?;
        for ((set, _), element) in bounded.binds.iter().zip(&elements) {
            let element = Datum::Value(element.clone());
            let is_in = self
                .is_member(&element, &sets[*set as usize])
                .map_err(|failure| failure.at(node.at))?;
            if !is_in {
                return Err(outside());
            }
        }
        let saved = self.saved_slots(bounded);
        let back = Continuation::Nodes {
            nodes: &[],
            base: own,
            rest,
        };
        let flow = self
            .bind_all(bounded, &elements)
            .and_then(|()| self.step(&bounded.body, &back, on_next));
        let flow = flow.map_err(|failure| self.in_binding(failure, bounded));
        self.restore(saved);
        flow
    }
}
