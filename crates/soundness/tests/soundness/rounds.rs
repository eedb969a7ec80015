//! How much is tried: `OMNILINK_ROUNDS=100 OMNILINK_SEED=7 ./test soundness` tries a hundred times as much, with other numbers.

/// As many as in a usual run, or a multiple of it.
pub fn rounds(usual: u64) -> u64 {
    usual * from_environment("OMNILINK_ROUNDS").unwrap_or(1)
}

/// The seed of a run, which is the same in every usual run.
pub fn seed(usual: u64) -> u64 {
    usual.wrapping_add(
        from_environment("OMNILINK_SEED")
            .unwrap_or(0)
            .wrapping_mul(1_000_003),
    )
}

pub fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
