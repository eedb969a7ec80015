//! Vacuous verdicts: recorded values that any other value could replace.

use crate::probe::{PartProbe, Probe};

/// A reason why `valid` means less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vacuity {
    /// What kind of reason: a word for programs.
    pub kind: VacuityKind,
    /// The operation, if it is about one.
    pub op: Option<String>,
    /// The field, if it is about one.
    pub field: Option<String>,
    /// The reason in a sentence.
    pub message: String,
}

/// Kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VacuityKind {
    /// No operation of the trace is an action of the spec.
    NothingPlaced,
    /// All operations were aborted.
    AllAborted,
    /// No operation returned.
    AllPending,
    /// Nothing could have been refused.
    Unconstrained,
    /// A result, or all that was recorded of an operation, makes no difference.
    AnyValue,
    /// None of the mutated results was refused.
    NothingNoticed,
    /// An argument makes no difference, although the operation is checked in other ways: the trace may not exercise it.
    IdleArgument,
}

impl VacuityKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NothingPlaced => "nothing_placed",
            Self::AllAborted => "all_aborted",
            Self::AllPending => "all_pending",
            Self::Unconstrained => "unconstrained",
            Self::AnyValue => "any_value",
            Self::NothingNoticed => "nothing_noticed",
            Self::IdleArgument => "idle_argument",
        }
    }

    /// Whether `--strict` takes it for an error.
    pub fn is_serious(self) -> bool {
        self != Self::IdleArgument
    }
}

impl Vacuity {
    /// A reason about the whole trace.
    pub fn of_trace(kind: VacuityKind, message: &str) -> Self {
        Self {
            kind,
            op: None,
            field: None,
            message: message.to_owned(),
        }
    }
}

/// The vacuities of a valid trace. Steps that the search found `refused` count as checks, too.
pub(crate) fn vacuities(probes: &[Probe], refused: u64) -> Vec<Vacuity> {
    let mut found = Vec::new();
    let tried = |probe: &Probe| probe.parts.iter().any(|part| part.tried > 0);
    let is_pinned = probes.iter().any(Probe::is_pinned) || refused > 0;
    let has_parts = probes.iter().any(|probe| !probe.parts.is_empty());
    if !probes.is_empty() && !is_pinned && (probes.iter().any(tried) || !has_parts) {
        found.push(Vacuity::of_trace(
            VacuityKind::Unconstrained,
            "every operation is possible in every state reached: whatever was recorded would have been explained",
        ));
    }
    for probe in probes {
        found.extend(of_operation(probe));
    }
    found
}

fn of_operation(probe: &Probe) -> Vec<Vacuity> {
    let idle: Vec<&PartProbe> = probe
        .parts
        .iter()
        .filter(|part| part.makes_no_difference())
        .collect();
    let described = |part: &PartProbe, kind: VacuityKind| {
        let example = match &part.example {
            Some((recorded, other)) => {
                format!(": {other} in the place of {recorded} is explained just as well")
            }
            None => String::new(),
        };
        Vacuity {
            kind,
            op: Some(probe.op.clone()),
            field: Some(part.field.clone()),
            message: format!(
                "\"{}\" of {} makes no difference in any state reached{example}; look at {} ({})",
                part.field, probe.op, probe.action, probe.at
            ),
        }
    };
    let is_checked = probe.is_pinned();
    idle.iter()
        .map(|part| {
            let is_serious = part.is_result || part.is_inner || !is_checked;
            let kind = if is_serious {
                VacuityKind::AnyValue
            } else {
                VacuityKind::IdleArgument
            };
            described(part, kind)
        })
        .collect()
}
