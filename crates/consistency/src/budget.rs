//! Keeps a search within its limits.

use omnilink_engine::{Limit, LimitWatch, Limits};

/// Counts work and looks at the clock and at memory now and then.
#[derive(Debug)]
pub(crate) struct Budget {
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
    /// A bit of work takes about a microsecond: the clock is read a thousand times a second.
    const INTERVAL: u64 = 1024;

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

    /// What is left for a search of the engine.
    pub fn limits_left(&self) -> Limits {
        Limits {
            configurations: self
                .limits
                .configurations
                .map(|limit| limit.saturating_sub(self.configurations)),
            ..self.watch.limits_left()
        }
    }

    /// Counts what a search of the engine took.
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

    /// Counts one set of operations tried as what an operation sees. `true` means: stop.
    pub fn visibility(&mut self) -> bool {
        self.visibilities += 1;
        self.work()
    }

    /// Counts a bit of work. `true` means: stop.
    pub fn work(&mut self) -> bool {
        self.works(1)
    }

    /// Counts several bits of work. `true` means: stop.
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

    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted
    }
}
