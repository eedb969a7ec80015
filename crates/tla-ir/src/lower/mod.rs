//! Lowering: from resolved syntax trees to the intermediate representation.
//!
//! A definition becomes an [`Operator`] when it is first used: once as it stands, once more if it is used under a prime (its
//! variables are then those of the next state), and once per instance through which it is used, with the substitutions in place
//! of the module's constants and variables. Replacements by the configuration are made here.
//!
//! **Frames.** Each operator has a frame of numbered slots: parameters first, then bound names, LETs and captured names in order of
//! occurrence. No slot is used twice in a frame, so a lazy argument finds its frame unchanged. A LET operator, a LAMBDA or a
//! definition of a parametrised instance captures the names it uses from outside: they become extra slots, filled at every call.
//! Captures are found while lowering. A recursive operator that turns out to capture more than its own calls passed is lowered
//! again.

mod action;
mod binding;
mod built_in;
mod conjunct;
mod context;
mod definition;
mod enabled;
mod expression;
mod frame;
mod guessed_set;
mod hoist;
mod memo_points;
mod node;
mod operand;
mod operator;
mod reference;
mod replacement;
mod scoped;
mod temporal;
mod unfold;

use context::{Context, ContextId};
use frame::Frame;
use omnilink_tla_semantics::entity::{Binding, EntityId, EntityKind, InstanceId, TreeId};
use omnilink_tla_semantics::spec::Spec;
use omnilink_tla_syntax::ast::ExprId;
use operand::Operand;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Formula, Node, Operator, OperatorId, Program, Uses};
pub use conjunct::Conjunct;
pub use replacement::{Replacement, Replacements};
pub use scoped::ScopedExpr;

/// The tree and context of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct At {
    tree: TreeId,
    context: ContextId,
    /// Whether variables mean those of the next state.
    primed: bool,
}

/// The definition and context of a lowered operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    entity: EntityId,
    context: ContextId,
    primed: bool,
    /// Whether the enclosing frame of a LET operator is primed, which decides what a prime means for captured names.
    outer_primed: bool,
    /// Whether the operator is a part of the next-state relation, whose actions are marked.
    action: bool,
    /// The context of the ENABLED around it, see [`Lowering::enabled_in`].
    enabled_in: Option<ContextId>,
}

/// What callers need to know about a lowered operator.
#[derive(Clone, Debug)]
struct Lowered {
    index: u32,
    /// The captured names and their slots.
    captures: Vec<(EntityId, u32)>,
    uses: Uses,
    finished: bool,
    /// Whether it was called while it was being lowered.
    recursive: bool,
    /// The cell of its value, if it is cached.
    cell: Option<Cell>,
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    Once(u32),
    PerState(u32),
}

/// Lowers the definitions of a spec on demand.
#[derive(Debug)]
pub struct Lowering<'s> {
    spec: &'s Spec,
    replacements: Replacements,
    variables: FxHashMap<EntityId, u32>,
    let_entities: FxHashSet<EntityId>,
    /// The definitions of modules, as opposed to those of LETs.
    of_modules: FxHashSet<EntityId>,
    contexts: Vec<Context>,
    context_numbers: FxHashMap<(ContextId, InstanceId), ContextId>,
    operators: Vec<Option<Operator>>,
    lowered: FxHashMap<Key, Lowered>,
    /// Keys in the order in which their lowering began, to discard stale ones when an operator is lowered again.
    order: Vec<Key>,
    frames: Vec<Frame>,
    /// The definitions that are being lowered, innermost last.
    defining: Vec<EntityId>,
    actions: Vec<crate::ActionInfo>,
    once_cells: u32,
    state_cells: u32,
    depth: u32,
    is_32_bit: bool,
    /// The context of the ENABLED whose operand is being lowered, if that is an instance.
    enabled_in: Option<ContextId>,
    /// The numbers of hidden variables: the variables of a module that ENABLED quantifies, by the instance that substitutes for them.
    hidden: FxHashMap<(EntityId, ContextId), u32>,
}

impl<'s> Lowering<'s> {
    /// The lowering of a spec with replacements.
    pub fn new(spec: &'s Spec, replacements: Replacements) -> Self {
        let variables = spec
            .root()
            .map(|root| root.variables.iter().copied().zip(0..).collect())
            .unwrap_or_default();
        Self {
            spec,
            replacements,
            variables,
            let_entities: spec.let_entities.values().copied().collect(),
            of_modules: spec
                .modules
                .iter()
                .flat_map(|module| &module.definitions)
                .copied()
                .collect(),
            contexts: vec![Context::root()],
            context_numbers: FxHashMap::default(),
            operators: Vec::new(),
            lowered: FxHashMap::default(),
            order: Vec::new(),
            frames: Vec::new(),
            defining: Vec::new(),
            actions: Vec::new(),
            once_cells: 0,
            state_cells: 0,
            depth: 0,
            is_32_bit: false,
            enabled_in: None,
            hidden: FxHashMap::default(),
        }
    }

    /// With TLC's limit on integers.
    #[must_use]
    pub fn with_32_bits(mut self, is_32_bit: bool) -> Self {
        self.is_32_bit = is_32_bit;
        self
    }

    /// A formula given by an expression of the root module.
    pub fn formula(&mut self, tree: TreeId, expr: ExprId, name: &str) -> Formula {
        self.formula_in(tree, expr, ContextId::ROOT, name, Mode::Plain)
    }

    /// A formula given by a definition of the root module.
    pub fn definition(&mut self, binding: Binding, mode: Mode) -> Formula {
        let name = self
            .spec
            .names
            .text(self.spec.entity(binding.entity).name)
            .to_owned();
        let context = self.context_through(ContextId::ROOT, self.spec.via(binding.via));
        self.standalone(&name, mode, |this, primed| {
            let at = At {
                tree: this.spec.entity(binding.entity).tree,
                context: ContextId::ROOT,
                primed,
            };
            this.reference_by_name(at, binding.entity, context, mode == Mode::Next)
        })
    }

    /// A definition of the root module whose arguments are values given by the caller. `None` if it is not an operator or takes
    /// operators.
    pub fn operation(&mut self, binding: Binding) -> Option<OperatorId> {
        let spec = self.spec;
        let EntityKind::Operator { params, .. } = &spec.entity(binding.entity).kind else {
            return None;
        };
        if params.iter().any(|param| spec.entity(*param).arity > 0) {
            return None;
        }
        let name = |entity: EntityId| spec.names.text(spec.entity(entity).name);
        let context = self.context_through(ContextId::ROOT, spec.via(binding.via));
        let index = self.reserve();
        let mut frame = Frame::new(false);
        params.iter().for_each(|param| {
            frame.slot(name(*param));
        });
        self.frames.push(frame);
        let at = At {
            tree: spec.entity(binding.entity).tree,
            context: ContextId::ROOT,
            primed: false,
        };
        let loc = self.entity_loc(binding.entity);
        let operands: Vec<Operand> = (0..params.len() as u32).map(Operand::Slot).collect();
        let mut body = self.apply_entity(at, loc, binding.entity, context, &operands, &[], false);
        self.hoist(&mut body, true);
        let frame = self.frames.pop()?;
        self.operators[index as usize] = Some(Operator {
            name: name(binding.entity).into(),
            is_definition: false,
            params: params.len() as u32,
            slots: frame.into_names(),
            body,
        });
        Some(OperatorId {
            operator: index,
            params: params.len() as u32,
        })
    }

    /// A formula given by an expression somewhere in the spec.
    fn formula_in(
        &mut self,
        tree: TreeId,
        expr: ExprId,
        context: ContextId,
        name: &str,
        mode: Mode,
    ) -> Formula {
        self.standalone(name, mode, |this, primed| {
            let at = At {
                tree,
                context,
                primed,
            };
            if mode == Mode::Next {
                this.action(at, expr, name)
            } else {
                this.expr(at, expr)
            }
        })
    }

    fn standalone(&mut self, name: &str, mode: Mode, lower: impl FnOnce(&mut Self, bool) -> Node) -> Formula {
        let primed = mode == Mode::Init;
        let index = self.reserve();
        self.frames.push(Frame::new(primed));
        let mut body = lower(self, primed);
        self.hoist(&mut body, false);
        if let Some(frame) = self.frames.pop() {
            self.operators[index as usize] = Some(Operator {
                name: name.into(),
                is_definition: false,
                params: 0,
                slots: frame.into_names(),
                body,
            });
        }
        Formula(index)
    }

    fn reserve(&mut self) -> u32 {
        self.operators.push(None);
        self.operators.len() as u32 - 1
    }

    /// The program of all formulas and operations.
    pub fn finish(self) -> Program {
        let spec = self.spec;
        let mut variables: Vec<(u32, Box<str>)> = self
            .variables
            .iter()
            .map(|(entity, slot)| (*slot, spec.names.text(spec.entity(*entity).name).into()))
            .collect();
        variables.sort_unstable();
        let mut operators: Vec<Operator> = self.operators.into_iter().flatten().collect();
        let memo_points = memo_points::insert(&mut operators);
        Program {
            variables: variables.into_iter().map(|(_, name)| name).collect(),
            operators,
            actions: self.actions,
            once_cells: self.once_cells,
            state_cells: self.state_cells,
            hidden_variables: self.hidden.len() as u32,
            memo_points,
            model_values: Vec::new(),
            sources: std::sync::Arc::default(),
        }
    }
}

/// The purpose of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To be evaluated.
    Plain,
    /// To find initial states: it assigns values to variables.
    Init,
    /// To find next states: its actions are marked.
    Next,
}
