//! What a link file declares a spec to be, worked out for each binding: see [`ActsAs`](crate::ActsAs).

use omnilink_engine::CollectionKind;

use crate::acts_as::OpActsAs;
use crate::binding::OpBinding;
use crate::error::LinkError;
use crate::link_file::LinkFile;
use crate::param::{Fallback, ParamBinding};

/// The declaration, worked out for each binding.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) kind: CollectionKind,
    /// By binding.
    pub(crate) effects: Vec<OpEffect>,
    /// The file and line of it.
    pub(crate) declared_at: Option<String>,
}

/// The beginning of a message about this place.
fn place(declared_at: Option<&str>) -> String {
    declared_at.map(|place| format!("{place}: ")).unwrap_or_default()
}

/// What the operations of a binding do: positions among its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpEffect {
    pub(crate) does: OpActsAs,
    /// Whether the link file says so.
    pub(crate) is_declared: bool,
    pub(crate) argument: Option<usize>,
    pub(crate) result: Option<usize>,
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
