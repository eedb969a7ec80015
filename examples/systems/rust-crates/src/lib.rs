//! What the harnesses of this package share: settings, threads, random numbers.

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::sync::Barrier;

use omnilink_record::{RecordError, RecordOptions, ThreadLog};

/// Random numbers that the seed of the run decides (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, range: RangeInclusive<i64>) -> i64 {
        range.start() + (self.next() % (range.end() - range.start() + 1) as u64) as i64
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Calls `operation` again and again from several threads, with their logs, random numbers, and a number that is never the same.
pub fn run(operation: impl Fn(&mut ThreadLog, &mut Random, i64) + Sync) -> ExitCode {
    match record(&operation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn record(operation: &(impl Fn(&mut ThreadLog, &mut Random, i64) + Sync)) -> Result<(), RecordError> {
    let (seed, threads, ops) = (setting("OMNILINK_SEED", 1), setting("OMNILINK_THREADS", 3), setting("OMNILINK_OPS", 300));
    let folder = std::env::var_os("OMNILINK_TRACE").unwrap_or_else(|| "trace".into());
    let mut options = RecordOptions::new().header("seed", seed)?.header("threads", threads)?.header("ops", ops)?;
    for (name, value) in std::env::vars().filter(|(name, _)| name.starts_with("OMNILINK_") && name != "OMNILINK_TRACE") {
        options = options.header(&name, value)?;
    }
    let recorder = options.create(folder)?;
    let logs: Vec<ThreadLog> = (0..threads).map(|thread| recorder.thread(thread as i64)).collect::<Result<_, _>>()?;
    let together = Barrier::new(logs.len());
    std::thread::scope(|scope| {
        for (mut log, thread) in logs.into_iter().zip(0_u64..) {
            let together = &together;
            scope.spawn(move || {
                let mut random = Random(seed ^ thread.wrapping_mul(0xd1b5_4a32_d192_ed03));
                together.wait();
                for i in 0..ops {
                    operation(&mut log, &mut random, (thread * ops + i) as i64);
                }
            });
        }
    });
    recorder.finish()?;
    Ok(())
}
