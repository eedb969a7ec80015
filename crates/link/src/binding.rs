//! Bindings: how operations of each name become an action with arguments, worked out before any trace is read.

use omnilink_tla::ir::OperatorId;

use crate::param::{Constant, ParamBinding};
use crate::setup_names::EVENT;

/// What an operation of some name means.
#[derive(Debug)]
pub(crate) struct OpBinding {
    /// The operation.
    pub(crate) op: String,
    /// The action: index into the actions of the spec.
    pub(crate) action: u32,
    /// The formula to evaluate, and what it takes besides the parameters.
    pub(crate) happened: Formulation,
    /// What it means if it was aborted; `None`: nothing happened.
    pub(crate) aborted: Option<Formulation>,
    /// How each parameter gets its value.
    pub(crate) params: Vec<ParamBinding>,
    /// For an operation in steps: the formula of a step, and how often it may happen.
    pub(crate) steps: Option<StepBinding>,
    /// Whether it is a run of a PlusCal process.
    pub(crate) is_run: bool,
    /// The processes of a PlusCal algorithm that the parameter `self` may be.
    pub(crate) processes: Option<Processes>,
    /// Fields that nothing has to read.
    pub(crate) ignored_fields: Vec<String>,
}

/// A formula over the parameters of an action and perhaps more.
#[derive(Clone, Debug)]
pub(crate) struct Formulation {
    pub(crate) operation: OperatorId,
    pub(crate) extras: Vec<Extra>,
}

/// What a formula of the link file may take besides the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    Thread,
    Meta,
    /// The operation itself, in one record: see [`crate::omnilink_setup`].
    Event,
}

impl Extra {
    pub(crate) const ALL: [(Self, &'static str); 3] = [
        (Self::Thread, "thread"),
        (Self::Meta, "meta"),
        (Self::Event, EVENT),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Meta => "meta",
            Self::Event => EVENT,
        }
    }
}

/// A set of processes.
#[derive(Debug)]
pub(crate) struct Processes {
    /// As the algorithm has it.
    pub(crate) written: String,
    /// Its members, unless they depend on the state.
    pub(crate) members: Constant,
}

#[derive(Debug)]
pub(crate) struct StepBinding {
    pub(crate) step: Formulation,
    /// `None`: as often as the longest argument is long.
    pub(crate) bound: Option<u32>,
}

impl OpBinding {
    /// The constant expressions that the link file gives for its parameters.
    pub(crate) fn constants_mut(&mut self) -> impl Iterator<Item = &mut Constant> {
        self.params.iter_mut().flat_map(|param| {
            let codes = param.codes.iter_mut().map(|code| &mut code.means);
            codes.chain(&mut param.default)
        })
    }

    /// Whether the link file says that nothing has to read a field.
    pub(crate) fn ignores(&self, field: &str) -> bool {
        self.ignored_fields.iter().any(|ignored| ignored == field)
    }

    /// All formulas that an operation may be.
    pub(crate) fn formulations(&self) -> impl Iterator<Item = &Formulation> {
        let steps = self.steps.iter().map(|steps| &steps.step);
        steps.chain(&self.aborted).chain([&self.happened])
    }
}
