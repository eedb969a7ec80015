//! A consistency criterion: axioms that an explanation, a linearization with a visibility, has to satisfy.
//!
//! Every criterion contains `Ret` (returns follow from what is visible) and `lin >= vis` (only the past is visible),
//! and `lin >= hb` unless it drops it. All other axioms are of the form `lin >= rel` or `vis >= rel`.
//!
//! The search places operations one by one, and decides what an operation sees when it places it. That is sound only
//! if an axiom's demands on an operation depend on operations before it, so relations may only lead forward: `lin`
//! and `vis` always do, `hb` and `po` do where the criterion keeps them in the linearization. Other criteria are
//! refused.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::relation::{Filter, Relation};

/// One axiom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axiom {
    /// What it says.
    pub claim: Claim,
    /// The operations to which it applies: those that see, or that come later; `None` for all.
    pub scope: Option<Filter>,
}

/// The content of an axiom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The linearization respects the relation.
    LinContains(Relation),
    /// What the relation relates is visible.
    VisContains(Relation),
}

impl Claim {
    pub(crate) fn relation(&self) -> &Relation {
        match self {
            Self::LinContains(relation) | Self::VisContains(relation) => relation,
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinContains(relation) => write!(f, "lin >= {relation}"),
            Self::VisContains(Relation::Lin) => f.write_str("vis = lin"),
            Self::VisContains(relation) => write!(f, "vis >= {relation}"),
        }
    }
}

/// How the returns of visible operations are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ret {
    /// An operation's own return must follow from the operations that it sees; what those returned to their own callers
    /// does not matter.
    #[default]
    Own,
    /// Every visible operation must have returned, in what the operation sees, what it returned to its own caller.
    All,
}

/// `own` or `all`.
impl FromStr for Ret {
    type Err = UnknownRet;

    fn from_str(text: &str) -> Result<Self, UnknownRet> {
        match text.trim() {
            "own" => Ok(Self::Own),
            "all" => Ok(Self::All),
            other => Err(UnknownRet {
                name: other.to_owned(),
            }),
        }
    }
}

/// There is no such reading of returns.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no reading \"{name}\" of returns; there are own (the operation's own return) and all (the returns of all that it sees)"
)]
pub struct UnknownRet {
    /// The unknown name.
    pub name: String,
}

/// A consistency criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    name: String,
    axioms: Vec<Axiom>,
    keeps_hb: bool,
}

/// Why a set of axioms cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CriterionError {
    /// A relation may lead from an operation to one that is linearized earlier.
    #[error(
        "`{axiom}` uses {relation}, but nothing keeps {relation} in the linearization, so what it demands of an operation may depend on later ones: add `lin >= {relation}`, or use another relation"
    )]
    NotForward {
        /// The axiom.
        axiom: String,
        /// The relation, `po` or `hb`.
        relation: &'static str,
    },
}

impl Criterion {
    /// A criterion with these axioms besides `Ret`, `lin >= vis` and, if `keeps_hb`, `lin >= hb`.
    ///
    /// # Errors
    /// If an axiom cannot be checked one operation at a time.
    pub fn new(name: impl Into<String>, axioms: Vec<Axiom>, keeps_hb: bool) -> Result<Self, CriterionError> {
        let criterion = Self {
            name: name.into(),
            axioms,
            keeps_hb,
        };
        for axiom in &criterion.axioms {
            let relation = axiom.claim.relation();
            let bases = [(Relation::Po, "po"), (Relation::Hb, "hb")];
            for (base, name) in bases {
                if !relation.is_static() && relation.mentions(&base) && !criterion.keeps(&base) {
                    return Err(CriterionError::NotForward {
                        axiom: axiom.claim.to_string(),
                        relation: name,
                    });
                }
            }
        }
        Ok(criterion)
    }

    /// Whether every linearization contains `base`. Program order is part of happens-before.
    fn keeps(&self, base: &Relation) -> bool {
        self.keeps_hb
            || self.axioms.iter().any(|axiom| {
                let relation = axiom.claim.relation();
                axiom.scope.is_none()
                    && (relation.surely_contains(base) || relation.surely_contains(&Relation::Hb))
            })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its axioms, without those that every criterion has.
    pub fn axioms(&self) -> &[Axiom] {
        &self.axioms
    }

    /// Whether linearizations keep happens-before.
    pub fn keeps_hb(&self) -> bool {
        self.keeps_hb
    }

    /// The methods that it names.
    pub fn methods(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for axiom in &self.axioms {
            axiom.claim.relation().methods(&mut found);
            if let Some(Filter::Methods(names) | Filter::OtherThan(names)) = &axiom.scope {
                found.extend(names.iter().map(String::as_str));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// All axioms in the axiom language, one a line.
impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ret\nlin >= vis\n")?;
        f.write_str(if self.keeps_hb {
            "lin >= hb\n"
        } else {
            "drop lin >= hb\n"
        })?;
        for Axiom { claim, scope } in &self.axioms {
            if let Some(filter) = scope {
                write!(f, "{filter}: ")?;
            }
            writeln!(f, "{claim}")?;
        }
        Ok(())
    }
}
