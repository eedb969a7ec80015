//! Definitions: each is lowered once per context, and applied by a call.

use omnilink_tla_semantics::entity::{EntityId, EntityKind};

use super::context::ContextId;
use super::frame::{Frame, NameSlot, Naming};
use super::operand::Operand;
use super::{At, Cell, Key, Lowered, Lowering};
use crate::{Application, ErrorClass, Kind, Loc, Node, Operator, Uses};

impl Lowering<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn apply_definition(
        &mut self,
        at: At,
        loc: Loc,
        entity: EntityId,
        context: ContextId,
        operands: &[Operand],
        given: &[(EntityId, Operand)],
        action: bool,
    ) -> Node {
        let spec = self.spec;
        if self.let_entities.contains(&entity) && spec.entity(entity).arity == 0 {
            let known = self.frames.iter().any(|frame| frame.name_slot(entity).is_some());
            if known {
                return self.local_name(at, loc, entity, operands);
            }
        }
        if let Some(node) = self.native(at, loc, entity, operands) {
            return node;
        }
        let is_let = self.let_entities.contains(&entity);
        let key = Key {
            entity,
            context,
            primed: at.primed,
            outer_primed: is_let && self.frame().primed,
            action,
            enabled_in: self.enabled_in,
        };
        let lowered = self.definition_of(key);
        let mut uses = Uses {
            slots: 0,
            ..lowered.uses
        };
        uses.unfinished |= !lowered.finished;
        uses.heavy = true;
        let params: &[EntityId] = match &spec.entity(entity).kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let mut arguments = Vec::with_capacity(operands.len() + lowered.captures.len());
        // An operator that is an argument may prime what it is applied to: `Do(Op(_), v) == Op(v)`, `Do(LAMBDA w : w' >= w, x)`.
        let may_prime = params.iter().any(|param| spec.entity(*param).arity > 0);
        for ((slot, param), operand) in (0..).zip(params).zip(operands) {
            let (argument, of_argument) = match may_prime {
                true => self.instance_argument(*operand, *param),
                false => self.argument(*operand, Some(*param)),
            };
            uses = uses.and(of_argument);
            arguments.push((slot, argument));
        }
        for (captured, slot) in &lowered.captures {
            let operand = given
                .iter()
                .find(|(name, _)| name == captured)
                .map(|(_, operand)| *operand);
            let (argument, of_argument) = match operand {
                Some(operand) => self.instance_argument(operand, *captured),
                None => match self.slot_of(*captured) {
                    Some(place) => self.argument(Operand::Slot(place.slot), None),
                    None => continue,
                },
            };
            uses = uses.and(of_argument);
            arguments.push((*slot, argument));
        }
        let is_closed = arguments.is_empty();
        let node = Node {
            kind: Kind::Call(Box::new(Application {
                operator: lowered.index,
                arguments: arguments.into(),
            })),
            at: loc,
            uses,
        };
        match lowered.cell {
            Some(Cell::Once(cell)) if is_closed => Node {
                kind: Kind::Once(cell, Box::new(node)),
                at: loc,
                uses: Uses::default(),
            },
            Some(Cell::PerState(cell)) if is_closed => Node {
                kind: Kind::PerState(cell, Box::new(node)),
                at: loc,
                uses,
            },
            _ => node,
        }
    }

    /// The lowered form of a definition.
    fn definition_of(&mut self, key: Key) -> Lowered {
        if let Some(lowered) = self.lowered.get_mut(&key) {
            if !lowered.finished {
                lowered.recursive = true;
            }
            return lowered.clone();
        }
        let index = self.reserve();
        let pending = Lowered {
            index,
            captures: Vec::new(),
            uses: Uses::default(),
            finished: false,
            recursive: false,
            cell: None,
        };
        self.lowered.insert(key, pending);
        let began = self.order.len();
        self.order.push(key);
        let spec = self.spec;
        let entity = spec.entity(key.entity);
        let params: &[EntityId] = match &entity.kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let at = At {
            tree: entity.tree,
            context: key.context,
            primed: key.primed,
        };
        let name = self.text_of(key.entity).to_owned();
        let mut known: Vec<(EntityId, NameSlot)> = Vec::new();
        self.defining.push(key.entity);
        loop {
            let mut frame = Frame::new(key.primed);
            self.frames.push(frame);
            for param in params {
                self.bind_entity(*param, Naming::Expression, key.primed);
            }
            for (captured, place) in &known {
                let slot = self.bind_entity(*captured, place.naming, place.primed);
                self.frame().captures.push((*captured, slot));
            }
            let mut body = self.definition_body(at, key, &name);
            frame = self.frames.pop().unwrap_or_else(|| Frame::new(key.primed));
            let captures = frame.captures.clone();
            let recursive = self.lowered.get(&key).is_some_and(|lowered| lowered.recursive);
            if recursive && captures.len() > known.len() {
                // It called itself without all of its captures: lower it again with the captures known from the start.
                known = captures
                    .iter()
                    .filter_map(|(entity, _)| Some((*entity, frame.name_slot(*entity)?)))
                    .collect();
                for stale in self.order.split_off(began + 1) {
                    self.lowered.remove(&stale);
                }
                if let Some(lowered) = self.lowered.get_mut(&key) {
                    lowered.captures = (params.len() as u32..)
                        .zip(&known)
                        .map(|(slot, (e, _))| (*e, slot))
                        .collect();
                }
                continue;
            }
            let mut uses = Uses {
                slots: 0,
                ..body.uses
            };
            // While a callee is being lowered, its uses are incomplete, so nothing is cached.
            uses.unfinished = uses.unfinished && self.is_inside_recursion(key);
            let cell = self.cell_for(params.is_empty() && captures.is_empty(), uses);
            self.frames.push(frame);
            self.hoist(&mut body, cell.is_none() && !params.is_empty());
            let frame = self.frames.pop().unwrap_or_else(|| Frame::new(key.primed));
            self.operators[index as usize] = Some(Operator {
                name: name.into(),
                is_definition: true,
                params: params.len() as u32,
                slots: frame.into_names(),
                body,
            });
            let lowered = Lowered {
                index,
                captures,
                uses,
                finished: true,
                recursive,
                cell,
            };
            self.lowered.insert(key, lowered.clone());
            self.defining.pop();
            return lowered;
        }
    }

    /// Whether another definition that is being lowered has been called meanwhile.
    fn is_inside_recursion(&self, key: Key) -> bool {
        let mut others = self.lowered.iter().filter(|(other, _)| **other != key);
        others.any(|(_, lowered)| !lowered.finished && lowered.recursive)
    }

    /// A cell for the value of a definition, if caching pays.
    fn cell_for(&mut self, is_closed: bool, uses: Uses) -> Option<Cell> {
        if !is_closed || uses.next || uses.unfinished {
            return None;
        }
        if !uses.state {
            self.once_cells += 1;
            return Some(Cell::Once(self.once_cells - 1));
        }
        if uses.impure || !uses.heavy {
            return None;
        }
        self.state_cells += 1;
        Some(Cell::PerState(self.state_cells - 1))
    }

    fn definition_body(&mut self, at: At, key: Key, name: &str) -> Node {
        let spec = self.spec;
        match &spec.entity(key.entity).kind {
            EntityKind::Operator { body, .. } if key.action => {
                let frame = self.frame();
                frame.around_action = (0..frame.size()).collect();
                self.action(at, *body, name)
            }
            EntityKind::Operator { body, .. } | EntityKind::Statement(Some(body)) => self.expr(at, *body),
            EntityKind::Function { .. } => self.function_definition(at, key.entity),
            _ => {
                let loc = self.entity_loc(key.entity);
                self.fail(loc, ErrorClass::Undefined, format!("`{name}` has no definition"))
            }
        }
    }
}
