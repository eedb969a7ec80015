//! Every level of a history: which hold, which do not, and the borders between them.

use omnilink_evidence::{Conclusion, IsolationFindings, LevelVerdict, NamedAnomaly, Verdict};
use omnilink_history::Budget;

use crate::level::{Isolation, IsolationFamily};
use crate::transaction::Transactions;
use crate::transaction_error::TransactionError;

/// The verdict of each level.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub verdicts: Vec<(Isolation, Verdict)>,
    /// The order of commits of the strongest level that holds.
    pub commits: Vec<usize>,
    /// Whether ranges were read.
    has_predicates: bool,
}

impl Survey {
    /// The verdict of a level, if it was decided.
    pub fn verdict(&self, level: Isolation) -> Option<Verdict> {
        let known = self.verdicts.iter().find(|(known, _)| *known == level);
        known.map(|(_, verdict)| *verdict)
    }
}

impl Transactions {
    /// Decides every level. What follows from other levels is not decided again: all levels above one that is violated are, and all
    /// below one that holds do.
    pub(crate) fn survey(&self, budget: &mut Budget) -> Result<Survey, TransactionError> {
        let is_timed = self.all.iter().any(|one| one.timebox.is_some());
        let all = Isolation::all();
        let mut found: Vec<(Isolation, Verdict)> = Vec::new();
        let mut commits: Vec<(usize, Vec<usize>)> = Vec::new();
        // If the strongest holds, that is all.
        let strongest = [Isolation::STRICT_SERIALIZABLE, Isolation::SERIALIZABLE];
        let first = strongest
            .into_iter()
            .filter(|level| is_timed || *level != Isolation::STRICT_SERIALIZABLE);
        for level in first.chain(all.iter().copied()) {
            let implied = found.iter().find_map(|(known, verdict)| match verdict {
                Verdict::Valid if known.implies(level) => Some(Verdict::Valid),
                Verdict::Violation if level.implies(*known) => Some(Verdict::Violation),
                _ => None,
            });
            if implied.is_some() || found.iter().any(|(known, _)| *known == level) {
                found.extend(implied.map(|verdict| (level, verdict)));
                continue;
            }
            let (conclusion, blame) = self.check_within(level, budget)?;
            let verdict = match conclusion {
                Conclusion::Valid(_) => {
                    let rank = all.iter().position(|other| *other == level).unwrap_or(0);
                    commits.push((rank, blame.commits));
                    Verdict::Valid
                }
                Conclusion::Violation(_) => Verdict::Violation,
                Conclusion::Unknown(_) => Verdict::Unknown,
            };
            found.push((level, verdict));
        }
        let verdict_of = |level: &Isolation| {
            let known = found.iter().find(|(known, _)| known == level);
            known.map_or(Verdict::Unknown, |(_, verdict)| *verdict)
        };
        Ok(Survey {
            has_predicates: self.has_absences(),
            verdicts: all.iter().map(|level| (*level, verdict_of(level))).collect(),
            commits: commits
                .into_iter()
                .max_by_key(|(rank, _)| *rank)
                .map(|(_, commits)| commits)
                .unwrap_or_default(),
        })
    }
}

impl Survey {
    /// The findings, with a verdict of each level if asked for.
    pub fn findings(&self, anomalies: Vec<NamedAnomaly>, with_levels: bool) -> IsolationFindings {
        let with = |verdict: Verdict| {
            let levels = self.verdicts.iter().filter(move |(_, found)| *found == verdict);
            levels.map(|(level, _)| *level).collect::<Vec<_>>()
        };
        let (holding, violated) = (with(Verdict::Valid), with(Verdict::Violation));
        let is_strongest = |level: &&Isolation| {
            !holding
                .iter()
                .any(|other| other != *level && other.implies(**level))
        };
        // Without predicates, it is the same as serializability.
        let is_same_as_serializable =
            |level: &Isolation| level.family() == IsolationFamily::RepeatableRead && !self.has_predicates;
        let implies = |level: &Isolation, weaker: Isolation| {
            let same = Isolation::new(IsolationFamily::Serializable, level.scope());
            level.implies(weaker) || is_same_as_serializable(level) && same.implies(weaker)
        };
        let is_weakest = |level: &&Isolation| {
            // Of two that are the same, the one with the plain name.
            let is_below = |other: &&Isolation| {
                implies(level, **other) && !(implies(other, **level) && is_same_as_serializable(other))
            };
            !violated.iter().any(|other| other != *level && is_below(&other))
        };
        let is_shown = |level: &&Isolation| with_levels || !is_same_as_serializable(level);
        let named = |level: &Isolation| level.name();
        IsolationFindings {
            anomalies,
            strongest: holding
                .iter()
                .filter(is_strongest)
                .filter(is_shown)
                .map(named)
                .collect(),
            weakest_violated: violated.iter().filter(is_weakest).map(named).collect(),
            levels: if with_levels {
                self.verdicts.iter().map(level_verdict).collect()
            } else {
                Vec::new()
            },
            transactions: Vec::new(),
        }
    }
}

fn level_verdict((level, verdict): &(Isolation, Verdict)) -> LevelVerdict {
    LevelVerdict {
        level: level.name(),
        known_as: level.known_as().iter().map(|name| (*name).to_owned()).collect(),
        verdict: *verdict,
    }
}
