//! Specs that are declared to be a collection, so that a near-linear monitor can decide their histories.
//!
//! `acts-as = "queue"` in the link file says what the spec is, and `acts-as = "remove"` of an operation what that operation does to
//! it. Which results mean "empty" is found out: those that the initial state accepts. The engine tries the declaration on
//! short sequences of operations of the trace before it trusts it, replays every order through the spec, and lets the search
//! confirm every violation.

use omnilink_engine::{CollectionKind, Model, Observation, successors};
use serde::Deserialize;

use crate::binding::OpBinding;
use crate::error::LinkError;
use crate::instance::Instance;
use crate::link_file::LinkFile;
use crate::model::TlaModel;
use crate::param::{Fallback, ParamBinding};

/// What a spec is declared to be.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ActsAs {
    /// A register: a read returns what was written last.
    Register,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// The greatest element leaves first.
    PriorityQueue,
    /// The least element leaves first.
    PriorityQueueLeastFirst,
    /// A set.
    Set,
    /// A multiset.
    Bag,
}

impl ActsAs {
    fn kind(self) -> CollectionKind {
        match self {
            Self::Register => CollectionKind::Register,
            Self::Queue => CollectionKind::Queue,
            Self::Stack => CollectionKind::Stack,
            Self::PriorityQueue => CollectionKind::GreatestFirst,
            Self::PriorityQueueLeastFirst => CollectionKind::LeastFirst,
            Self::Set => CollectionKind::Set,
            Self::Bag => CollectionKind::Bag,
        }
    }
}

/// What an operation does to the collection that its spec is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum OpActsAs {
    /// It adds its argument; to a register, it writes it. If it has a result, that says whether it did.
    Add,
    /// It removes its argument, and its result says whether it did; or it removes its result.
    Remove,
    /// Its result is what would leave next; of a register, what it holds.
    Peek,
    /// Its result says whether its argument is inside.
    Contains,
}

/// The declaration, worked out for each binding.
#[derive(Debug)]
pub(crate) struct Declaration {
    kind: CollectionKind,
    /// By binding.
    effects: Vec<OpEffect>,
    /// The file and line of it.
    declared_at: Option<String>,
}

/// The beginning of a message about this place.
fn place(declared_at: Option<&str>) -> String {
    declared_at.map(|place| format!("{place}: ")).unwrap_or_default()
}

/// What the operations of a binding do: positions among its parameters.
#[derive(Clone, Copy, Debug)]
struct OpEffect {
    does: OpActsAs,
    /// Whether the link file says so.
    is_declared: bool,
    argument: Option<usize>,
    result: Option<usize>,
}

impl Declaration {
    /// What a link file declares.
    ///
    /// # Errors
    /// If it does not say what an operation does.
    pub(crate) fn of(file: &LinkFile, bindings: &[OpBinding]) -> Result<Option<Self>, LinkError> {
        let Some(acts_as) = file.acts_as else {
            return match file.ops.iter().find(|(_, op)| op.acts_as.is_some()) {
                None => Ok(None),
                Some((name, _)) => Err(LinkError::Usage(format!(
                    "{}the link file says what {name} acts as, but not what the spec does: add `acts-as = \"queue\"` (or stack, \
                     priority-queue, set, bag, register) at its top",
                    place(file.declared_at.as_deref())
                ))),
            };
        };
        let kind = acts_as.kind();
        let effect = |binding: &OpBinding| {
            let link = file.ops.get(&binding.op);
            let declared = link.and_then(|link| link.acts_as);
            OpEffect::of(kind, binding, declared, file.declared_at.as_deref())
        };
        let effects: Result<Vec<OpEffect>, LinkError> = bindings.iter().map(effect).collect();
        Ok(Some(Self {
            kind,
            effects: effects?,
            declared_at: file.declared_at.clone(),
        }))
    }
}

impl OpEffect {
    /// Without a declaration, an operation with an argument adds it, and one with a result only removes it or, of a register,
    /// reads it.
    fn of(
        kind: CollectionKind,
        binding: &OpBinding,
        declared: Option<OpActsAs>,
        declared_at: Option<&str>,
    ) -> Result<Self, LinkError> {
        let only = |is_kind: &dyn Fn(&ParamBinding) -> bool| {
            let mut found = (0..binding.params.len()).filter(|at| is_kind(&binding.params[*at]));
            (found.next(), found.next())
        };
        let is_result = |param: &ParamBinding| param.is_result || param.fallback == Fallback::Result;
        let (argument, second) = only(&|param| !is_result(param) && param.fallback != Fallback::Thread);
        let (result, _) = only(&is_result);
        let is_register = kind == CollectionKind::Register;
        let does = match (declared, argument, result) {
            (Some(does), ..) => Some(does),
            (None, Some(_), None) => Some(OpActsAs::Add),
            (None, None, Some(_)) if is_register => Some(OpActsAs::Peek),
            (None, None, Some(_)) => Some(OpActsAs::Remove),
            _ => None,
        };
        let problem = |what: &str| {
            LinkError::Usage(format!(
                "{}the link file says that the spec acts as a {kind}, but not what {} does to it: {what}",
                place(declared_at),
                binding.op
            ))
        };
        let choices = "write `acts-as = \"add\"` (or remove, peek, contains) into its entry, [ops.…]";
        let does = does.ok_or_else(|| problem(choices))?;
        let is_complete = match does {
            OpActsAs::Add => argument.is_some(),
            OpActsAs::Remove => argument.is_some() || result.is_some(),
            OpActsAs::Peek => result.is_some(),
            OpActsAs::Contains => argument.is_some() && result.is_some(),
        };
        if !is_complete {
            return Err(problem("it has no parameter for the value"));
        }
        // A second argument is a key; which of the two is the value is not known.
        if second.is_some() {
            return Err(problem(
                "it has several arguments; only collections of single values are known",
            ));
        }
        Ok(Self {
            does,
            is_declared: declared.is_some(),
            argument,
            result,
        })
    }
}

impl TlaModel<'_> {
    pub(crate) fn declared_kind(&self) -> Option<CollectionKind> {
        let declaration = self.linked.acts_as.as_ref()?;
        Some(declaration.kind)
    }

    pub(crate) fn declaration_place(&self) -> Option<String> {
        self.linked.acts_as.as_ref()?.declared_at.clone()
    }

    /// What an operation does to the collection that the spec is declared to be.
    pub(crate) fn observed<'i>(&self, op: &'i Instance) -> Observation<'i> {
        let Some(declaration) = &self.linked.acts_as else {
            return Observation::Other;
        };
        if op.0.part.is_some() {
            return Observation::Other;
        }
        let kind = declaration.kind;
        let effect = declaration.effects[op.0.binding as usize];
        let value = |at: Option<usize>| op.0.arguments.get(at?)?.as_ref();
        let (argument, result) = (value(effect.argument), value(effect.result));
        let answer = result.and_then(|result| result.as_bool());
        let has_flag = effect.result.is_some();
        // What never changes the state removes nothing: a length, a question. What it says of the collection is not declared.
        if !effect.is_declared && effect.does == OpActsAs::Remove && self.only_reads(op) {
            return Observation::Look;
        }
        match (effect.does, argument) {
            // A write of the initial value cannot be told from none.
            (OpActsAs::Add, Some(_)) if kind == CollectionKind::Register && self.stays_initial(op) => {
                Observation::Other
            }
            (OpActsAs::Add, Some(value)) => match (answer, has_flag) {
                (Some(true), _) => Observation::Add(value),
                (Some(false), _) if kind == CollectionKind::Set => Observation::Peek(value),
                (Some(false), _) => Observation::Look,
                (None, true) => Observation::Other,
                (None, false) if kind == CollectionKind::Set => Observation::MayAdd(value),
                (None, false) => Observation::Add(value),
            },
            (OpActsAs::Remove, Some(value)) => match answer {
                Some(true) => Observation::Remove(value),
                Some(false) => Observation::Miss(value),
                None => Observation::MayRemove(value),
            },
            (OpActsAs::Contains, Some(value)) => match answer {
                Some(true) => Observation::Peek(value),
                Some(false) => Observation::Miss(value),
                None => Observation::Look,
            },
            (OpActsAs::Remove, None) if result.is_none() => Observation::RemoveAny,
            (OpActsAs::Remove | OpActsAs::Peek, _) => match result {
                None => Observation::Look,
                Some(_) if self.is_accepted_initially(op) => Observation::FindEmpty,
                Some(value) if effect.does == OpActsAs::Peek => Observation::Peek(value),
                Some(value) => Observation::Remove(value),
            },
            (OpActsAs::Add | OpActsAs::Contains, None) => Observation::Other,
        }
    }

    fn is_accepted_initially(&self, op: &Instance) -> bool {
        let initial = self.initial();
        initial
            .iter()
            .any(|state| !successors(self, state, op).is_empty())
    }

    fn stays_initial(&self, op: &Instance) -> bool {
        let initial = self.initial();
        initial
            .iter()
            .any(|state| successors(self, state, op).contains(state))
    }
}
