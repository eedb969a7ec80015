//! A simulated register whose clients crash occasionally: easy histories with operations that never return.

use std::io::Write;

use crate::map_workload::SplitMix64;

/// What to simulate.
#[derive(Clone, Copy, Debug)]
pub struct RegisterLoad {
    /// Clients that are alive at any time; a crashed one is replaced.
    pub clients: u32,
    /// Operations altogether.
    pub ops: u64,
    /// One write in N never returns.
    pub crash_one_in: u64,
    /// Whether the last read answers a value that was never written.
    pub violation: bool,
    /// Where randomness comes from.
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    /// A write whose client crashes; it may take effect all the same.
    CrashingWrite,
}

struct Planned {
    thread: u32,
    start: i64,
    effect: i64,
    end: i64,
    kind: Kind,
}

impl RegisterLoad {
    /// Writes the history as trace format 1, in order of start.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut rng = SplitMix64::new(self.seed);
        let mut planned = self.plan(&mut rng);
        planned.sort_by_key(|op| op.effect);
        let last_read = planned.iter().rposition(|op| op.kind == Kind::Read);
        let (mut value, mut written) = (0, 0);
        let mut lines: Vec<(i64, String)> = Vec::new();
        for (
            position,
            Planned {
                thread,
                start,
                end,
                kind,
                ..
            },
        ) in planned.into_iter().enumerate()
        {
            let end = if kind == Kind::CrashingWrite {
                "null".to_owned()
            } else {
                end.to_string()
            };
            let line = if kind == Kind::Read {
                let seen = if self.violation && Some(position) == last_read {
                    -1
                } else {
                    value
                };
                format!(r#"{{"thread":{thread},"op":"read","ret":{seen},"start":{start},"end":{end}}}"#)
            } else {
                written += 1;
                if kind == Kind::Write || rng.below(2) == 0 {
                    value = written;
                }
                let args = format!(r#"{{"value":{written}}}"#);
                format!(r#"{{"thread":{thread},"op":"write","args":{args},"start":{start},"end":{end}}}"#)
            };
            lines.push((start, line));
        }
        lines.sort();
        lines.iter().try_for_each(|(_, line)| writeln!(out, "{line}"))
    }

    fn plan(&self, rng: &mut SplitMix64) -> Vec<Planned> {
        let mut free: Vec<(i64, u32)> = (0..self.clients).map(|client| (0, client)).collect();
        let mut names = self.clients;
        let mut planned = Vec::new();
        for _ in 0..self.ops {
            let client = (0..free.len()).min_by_key(|client| free[*client]).unwrap_or(0);
            let (now, thread) = free[client];
            let start = now + 1 + rng.below(20) as i64;
            let effect = start + rng.below(30) as i64;
            let end = effect + rng.below(30) as i64;
            let kind = match (rng.below(2), rng.below(self.crash_one_in)) {
                (0, _) => Kind::Read,
                (_, 0) => Kind::CrashingWrite,
                _ => Kind::Write,
            };
            free[client] = (end, thread);
            if kind == Kind::CrashingWrite {
                // A crashed client never comes back under its name.
                free[client].1 = names;
                names += 1;
            }
            planned.push(Planned {
                thread,
                start,
                effect,
                end,
                kind,
            });
        }
        planned
    }
}
