//! The limits of a search.

use omnilink_engine::{Limit, LimitWatch, Limits};

/// Counts work, and checks the clock and memory at intervals.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    watch: LimitWatch,
    /// Configurations explored so far.
    pub configurations: u64,
    /// Visibilities tried so far.
    pub visibilities: u64,
    work: u64,
    exhausted: Option<Limit>,
}

impl Budget {
    /// A unit of work takes about a microsecond: the clock is read a thousand times a second.
    const INTERVAL: u64 = 1024;

    /// Nothing is spent yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            watch: LimitWatch::new(limits),
            configurations: 0,
            visibilities: 0,
            work: 0,
            exhausted: None,
        }
    }

    /// The remaining limits, for a search by the engine.
    pub fn limits_left(&self) -> Limits {
        Limits {
            configurations: self
                .limits
                .configurations
                .map(|limit| limit.saturating_sub(self.configurations)),
            ..self.watch.limits_left()
        }
    }

    /// Counts the configurations of a search by the engine.
    pub fn spend(&mut self, configurations: u64) {
        self.configurations += configurations;
    }

    /// Counts one configuration. `true` means: stop.
    pub fn configuration(&mut self) -> bool {
        self.configurations += 1;
        if self
            .limits
            .configurations
            .is_some_and(|limit| self.configurations > limit)
        {
            self.exhausted.get_or_insert(Limit::Configurations);
        }
        self.work()
    }

    /// Counts one candidate for the visibility of an operation. `true` means: stop.
    pub fn visibility(&mut self) -> bool {
        self.visibilities += 1;
        self.work()
    }

    /// Counts a unit of work. `true` means: stop.
    pub fn work(&mut self) -> bool {
        self.works(1)
    }

    /// Counts several units of work. `true` means: stop.
    pub fn works(&mut self, count: u64) -> bool {
        let looks = self.work / Self::INTERVAL;
        self.work += count;
        if self.work / Self::INTERVAL != looks && self.exhausted.is_none() {
            self.look();
        }
        self.exhausted.is_some()
    }

    #[cold]
    fn look(&mut self) {
        self.exhausted = self.watch.reached();
    }

    /// The limit that was reached, if any.
    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted
    }
}
