//! A spec that is declared to be a collection, as the engine's monitors see it.

use omnilink_engine::{CollectionKind, Model, Observation, successors};

use crate::acts_as::OpActsAs;
use crate::instance::Instance;
use crate::model::TlaModel;

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
