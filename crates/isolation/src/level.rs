//! Levels of isolation: what is forbidden, and by which order beyond the data.
//!
//! A level is a *family*, which says which dependencies may not form a cycle, in a *scope*, which says which order the
//! commits have to keep besides: none (as Adya defines the levels), session order (`strong-session-…`), or real time
//! (`strong-…`). Biswas and Enea define their levels with session order, Elle and Adya without.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What a level forbids. `dep` are reads-from (`wr`) and version order (`ww`), `rw` anti-dependencies, `so` the order of the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IsolationFamily {
    /// PL-1: `ww ∪ so` has no cycle.
    ReadUncommitted,
    /// PL-2: only final values of committed transactions are read, and `dep ∪ so` has no cycle.
    ReadCommitted,
    /// PL-CS: no update of a key that was read through a cursor is lost.
    CursorStability,
    /// Once a transaction is seen, later reads do not miss its other writes.
    MonotonicAtomicView,
    /// A transaction that is seen is seen as a whole.
    ReadAtomic,
    /// A session sees its own writes.
    ReadYourWrites,
    /// A session does not miss what it has read.
    MonotonicReads,
    /// Who sees a transaction sees what its session wrote before.
    MonotonicWrites,
    /// Who sees a transaction sees what it and its session had read before.
    WritesFollowReads,
    /// The transactions of each session are seen in their order.
    Pram,
    /// Each transaction orders its causal past in a way of its own.
    WeakCausal,
    /// A transaction sees its causal past, and all agree on the order.
    Causal,
    /// PL-2+, and with sessions parallel snapshot isolation: no cycle of `dep ∪ so` with at most one `rw`.
    ConsistentView,
    /// A transaction sees a prefix of the order of commits.
    Prefix,
    /// PL-SI: a snapshot, and no two concurrent transactions write the same key.
    Snapshot,
    /// PL-3U: the transactions that write are serializable, together with each one that only reads.
    UpdateSerializable,
    /// PL-2.99: serializable, up to predicates.
    RepeatableRead,
    /// PL-3: there is a serial order.
    Serializable,
}

/// The order that commits keep, besides what reads and writes demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IsolationScope {
    /// None.
    Plain,
    /// The order of each session.
    Session,
    /// The order of each session, and real time: what ended before another began comes first.
    RealTime,
}

/// A level of isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Isolation {
    family: IsolationFamily,
    scope: IsolationScope,
}

use IsolationFamily::*;
use IsolationScope::{Plain, RealTime, Session};

impl IsolationFamily {
    /// All families, none stronger than one after it.
    const ALL: [Self; 18] = [
        ReadUncommitted,
        ReadCommitted,
        CursorStability,
        MonotonicAtomicView,
        ReadYourWrites,
        MonotonicReads,
        MonotonicWrites,
        WritesFollowReads,
        ReadAtomic,
        Pram,
        WeakCausal,
        Causal,
        ConsistentView,
        Prefix,
        Snapshot,
        UpdateSerializable,
        RepeatableRead,
        Serializable,
    ];

    /// The weakest scope in which the family means something: guarantees of sessions need sessions.
    fn least_scope(self) -> IsolationScope {
        match self {
            ReadYourWrites | MonotonicReads | MonotonicWrites | WritesFollowReads | Pram | WeakCausal
            | Causal | Prefix => Session,
            _ => Plain,
        }
    }

    /// The strongest scope: guarantees of single sessions have no other, and a session leads from one transaction that only
    /// reads to the next, which update serializability leaves apart.
    fn greatest_scope(self) -> IsolationScope {
        match self {
            UpdateSerializable => Plain,
            ReadYourWrites | MonotonicReads | MonotonicWrites | WritesFollowReads | Pram => Session,
            _ => RealTime,
        }
    }

    /// The families that are directly implied, in the same scope.
    fn implies_directly(self) -> &'static [Self] {
        match self {
            ReadUncommitted => &[],
            ReadCommitted => &[ReadUncommitted],
            CursorStability | MonotonicAtomicView => &[ReadCommitted],
            ReadAtomic => &[MonotonicAtomicView, ReadYourWrites],
            ReadYourWrites | MonotonicReads | MonotonicWrites | WritesFollowReads => &[ReadCommitted],
            Pram => &[ReadYourWrites, MonotonicReads, MonotonicWrites],
            // Not even read uncommitted: transactions need not agree on the order of versions that lists show.
            WeakCausal => &[],
            Causal => &[WeakCausal, ReadAtomic, Pram, WritesFollowReads],
            ConsistentView => &[ReadAtomic, Causal, CursorStability],
            Prefix => &[Causal],
            Snapshot => &[ConsistentView, Prefix],
            UpdateSerializable => &[ConsistentView],
            // Of ranges, it promises nothing about keys that they did not show.
            RepeatableRead => &[CursorStability],
            Serializable => &[RepeatableRead, UpdateSerializable, Snapshot],
        }
    }

    fn implies(self, weaker: Self) -> bool {
        self == weaker || self.implies_directly().iter().any(|next| next.implies(weaker))
    }

    /// Its name without a scope.
    fn name(self) -> &'static str {
        match self {
            ReadUncommitted => "read-uncommitted",
            ReadCommitted => "read-committed",
            CursorStability => "cursor-stability",
            MonotonicAtomicView => "monotonic-atomic-view",
            ReadAtomic => "read-atomic",
            ReadYourWrites => "read-your-writes",
            MonotonicReads => "monotonic-reads",
            MonotonicWrites => "monotonic-writes",
            WritesFollowReads => "writes-follow-reads",
            Pram => "pram",
            WeakCausal => "weak-causal",
            Causal => "causal",
            ConsistentView => "consistent-view",
            Prefix => "prefix",
            Snapshot => "snapshot-isolation",
            UpdateSerializable => "update-serializable",
            RepeatableRead => "repeatable-read",
            Serializable => "serializable",
        }
    }

    /// Its other names without a scope.
    fn aliases(self) -> &'static [&'static str] {
        match self {
            ReadUncommitted => &["pl-1", "ru"],
            ReadCommitted => &["pl-2", "rc"],
            CursorStability => &["pl-cs", "cs"],
            MonotonicAtomicView => &["mav"],
            ReadAtomic => &["ra", "atomic-read"],
            ReadYourWrites => &["ryw", "read-my-writes"],
            MonotonicReads => &["mr"],
            MonotonicWrites => &["mw"],
            WritesFollowReads => &["wfr"],
            Pram => &["fifo"],
            WeakCausal => &["causal-consistency-without-convergence", "causal-memory"],
            Causal => &[
                "causal-consistency",
                "causal+",
                "causal-convergence",
                "tcc",
                "cc",
                "ccv",
            ],
            ConsistentView => &["pl-2+"],
            Prefix => &["prefix-consistency", "consistent-prefix", "pc"],
            Snapshot => &["pl-si", "si", "snapshot", "generalized-snapshot-isolation", "gsi"],
            UpdateSerializable => &["pl-3u", "update-serializability"],
            RepeatableRead => &["pl-2.99", "rr"],
            Serializable => &["pl-3", "ser", "serializability"],
        }
    }
}

impl Isolation {
    /// Adya's PL-1: no dirty writes.
    pub const READ_UNCOMMITTED: Self = Self::plain(ReadUncommitted);
    /// Adya's PL-2.
    pub const READ_COMMITTED: Self = Self::plain(ReadCommitted);
    /// Read committed as Biswas and Enea define it: with sessions, and with reads that are monotonic within a transaction.
    pub const MONOTONIC_READ_COMMITTED: Self = Self {
        family: MonotonicAtomicView,
        scope: Session,
    };
    /// The writes of a transaction are visible together or not at all.
    pub const READ_ATOMIC: Self = Self::plain(ReadAtomic);
    /// Adya's PL-SI.
    pub const SNAPSHOT: Self = Self::plain(Snapshot);
    /// There is a serial order.
    pub const SERIALIZABLE: Self = Self::plain(Serializable);
    /// There is a serial order that keeps the order of sessions.
    pub const STRONG_SESSION_SERIALIZABLE: Self = Self {
        family: Serializable,
        scope: Session,
    };
    /// There is a serial order that keeps real time.
    pub const STRICT_SERIALIZABLE: Self = Self {
        family: Serializable,
        scope: RealTime,
    };

    /// Levels with sessions, each stronger than the one before, as Biswas and Enea define them; then real time.
    pub const LADDER: [Self; 5] = [
        Self::MONOTONIC_READ_COMMITTED,
        Self {
            family: ReadAtomic,
            scope: Session,
        },
        Self {
            family: Snapshot,
            scope: Session,
        },
        Self::STRONG_SESSION_SERIALIZABLE,
        Self::STRICT_SERIALIZABLE,
    ];

    const fn plain(family: IsolationFamily) -> Self {
        Self { family, scope: Plain }
    }

    /// A family in a scope, or in the nearest scope in which the family means something.
    pub fn new(family: IsolationFamily, scope: IsolationScope) -> Self {
        let scope = scope.max(family.least_scope()).min(family.greatest_scope());
        Self { family, scope }
    }

    /// All levels, none stronger than one after it.
    pub fn all() -> Vec<Self> {
        let scopes = |family: IsolationFamily| {
            let scopes = [Plain, Session, RealTime].into_iter();
            scopes.filter(move |scope| Self::new(family, *scope).scope == *scope)
        };
        let families = IsolationFamily::ALL.into_iter();
        families
            .flat_map(|family| scopes(family).map(move |scope| Self { family, scope }))
            .collect()
    }

    /// What it forbids.
    pub fn family(self) -> IsolationFamily {
        self.family
    }

    /// The order that it keeps.
    pub fn scope(self) -> IsolationScope {
        self.scope
    }

    /// Whether every history at this level is at the weaker one.
    pub fn implies(self, weaker: Self) -> bool {
        // What means something only with sessions does not follow from what is defined without.
        self.scope >= weaker.scope && self.family.implies(weaker.family)
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        let family = self.family.name();
        match (self.family, self.scope) {
            (Serializable, RealTime) => "strict-serializable".to_owned(),
            (ConsistentView, Session) => "parallel-snapshot-isolation".to_owned(),
            (ConsistentView, RealTime) => "strong-parallel-snapshot-isolation".to_owned(),
            (_, RealTime) => format!("strong-{family}"),
            (_, scope) if scope == self.family.least_scope() => family.to_owned(),
            (_, _) => format!("strong-session-{family}"),
        }
    }

    /// What others call it.
    pub fn known_as(self) -> &'static [&'static str] {
        match (self.family, self.scope) {
            (ReadUncommitted, Plain) => &["PL-1"],
            (ReadCommitted, Plain) => &["PL-2"],
            (CursorStability, Plain) => &["PL-CS"],
            (MonotonicAtomicView, Plain) => &["MAV"],
            (MonotonicAtomicView, Session) => &["read committed of Biswas/Enea, Plume, AWDIT"],
            (ReadAtomic, Session) => &["read atomic of Biswas/Enea, Plume, AWDIT"],
            (WeakCausal, Session) => &["CC of Bouajjani et al."],
            (Causal, Session) => &["CC of Biswas/Enea", "CCv", "TCC of Plume", "causal+"],
            (ConsistentView, Plain) => &["PL-2+"],
            (ConsistentView, Session) => &["PSI"],
            (Prefix, Session) => &["PC of Biswas/Enea"],
            (Snapshot, Plain) => &["PL-SI", "generalized SI"],
            (Snapshot, Session) => &["SI of Biswas/Enea, PolySI"],
            (UpdateSerializable, Plain) => &["PL-3U"],
            (RepeatableRead, Plain) => &["PL-2.99"],
            (Serializable, Plain) => &["PL-3"],
            (Serializable, Session) => &["SER of Biswas/Enea, Cobra"],
            (Serializable, RealTime) => &["PL-SS"],
            _ => &[],
        }
    }

    /// Whether reads alone decide it, without a version order.
    pub(crate) fn is_decided_by_visibility(self) -> bool {
        !matches!(
            self.family(),
            CursorStability
                | ConsistentView
                | Prefix
                | Snapshot
                | UpdateSerializable
                | RepeatableRead
                | Serializable
        )
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// There is no level of transactions of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no isolation level \"{name}\"; there are {}",
    Isolation::all().into_iter().map(Isolation::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownIsolation {
    /// The unknown name.
    pub name: String,
}

/// Some names, such as `causal`, are also those of levels of single operations.
impl FromStr for Isolation {
    type Err = UnknownIsolation;

    fn from_str(text: &str) -> Result<Self, UnknownIsolation> {
        let unknown = || UnknownIsolation {
            name: text.trim().to_owned(),
        };
        let name = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let name = name.strip_prefix("transactional-").unwrap_or(&name);
        let whole = match name {
            "strict" | "strict-serializability" | "strict-serializable" | "pl-ss" => {
                Some((Serializable, RealTime))
            }
            "psi" | "parallel-si" | "parallel-snapshot-isolation" => Some((ConsistentView, Session)),
            "strong-psi" | "strong-parallel-snapshot-isolation" => Some((ConsistentView, RealTime)),
            "monotonic-read-committed" => Some((MonotonicAtomicView, Session)),
            "one-copy-serializable" | "1sr" => Some((Serializable, Plain)),
            _ => None,
        };
        if let Some((family, scope)) = whole {
            return Ok(Self { family, scope });
        }
        let (scope, rest) = match (name.strip_prefix("strong-session-"), name.strip_prefix("strong-")) {
            (Some(rest), _) => (Session, rest),
            (None, Some(rest)) => (RealTime, rest),
            (None, None) => match name.strip_prefix("session-") {
                Some(rest) => (Session, rest),
                None => (Plain, name),
            },
        };
        let mut families = IsolationFamily::ALL.into_iter();
        let family = families.find(|family| family.name() == rest || family.aliases().contains(&rest));
        let family = family.filter(|family| scope <= family.greatest_scope());
        family.map(|family| Self::new(family, scope)).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_goes_by_its_name_and_no_name_is_taken_twice() {
        let all = Isolation::all();
        for level in &all {
            assert_eq!(Isolation::from_str(&level.name()), Ok(*level), "{level}");
            assert_eq!(all.iter().filter(|other| other.name() == level.name()).count(), 1);
        }
    }

    #[test]
    fn names_of_other_tools_are_understood() {
        let level = |name: &str| Isolation::from_str(name).unwrap();
        assert_eq!(level("PL-2"), Isolation::READ_COMMITTED);
        assert_eq!(level("PL-2.99").name(), "repeatable-read");
        assert_eq!(
            level("strong-session-PL-SI").name(),
            "strong-session-snapshot-isolation"
        );
        assert_eq!(level("Strict Serializability"), Isolation::STRICT_SERIALIZABLE);
        assert_eq!(level("TCC"), level("transactional-causal"));
        assert_eq!(level("transactional-causal"), level("causal"));
        assert!(Isolation::from_str("strongest").is_err());
    }

    #[test]
    fn the_list_of_all_levels_goes_up() {
        let all = Isolation::all();
        for (at, level) in all.iter().enumerate() {
            assert!(
                all[at + 1..].iter().all(|later| !level.implies(*later)),
                "{level}"
            );
            assert!(Isolation::STRICT_SERIALIZABLE.implies(*level));
        }
    }
}
