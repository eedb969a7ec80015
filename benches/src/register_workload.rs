//! A simulated register whose clients crash now and then: easy histories with operations that never return.

use std::io::Write;

use crate::map_workload::Dice;

/// What to simulate.
#[derive(Clone, Copy, Debug)]
pub struct RegisterLoad {
    /// Clients that are alive at any time; a crashed one is replaced.
    pub clients: u32,
    /// Operations altogether.
    pub ops: u64,
    /// One write in so many never returns.
    pub crash_one_in: u64,
    /// Whether the last read answers a value that was never written.
    pub violation: bool,
    /// Where randomness comes from.
    pub seed: u64,
}

impl RegisterLoad {
    /// Writes the history as trace format 1, in order of start.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut dice = Dice::new(self.seed);
        let mut lines: Vec<(i64, String)> = Vec::new();
        let mut free_at: Vec<(i64, u32)> = (0..self.clients).map(|client| (0, client)).collect();
        let mut names = self.clients;
        let (mut value, mut written) = (0, 0);
        for done in 0..self.ops {
            let next = (0..free_at.len())
                .min_by_key(|client| free_at[*client])
                .unwrap_or(0);
            let (now, thread) = free_at[next];
            let start = now + 1 + dice.below(20) as i64;
            let end = start + 1 + dice.below(60) as i64;
            free_at[next] = (end, thread);
            let line = if dice.below(2) == 0 {
                let seen = if self.violation && done + 1 >= self.ops - 1 {
                    -1
                } else {
                    value
                };
                format!(r#"{{"thread":{thread},"op":"read","ret":{seen},"start":{start},"end":{end}}}"#)
            } else {
                written += 1;
                let crashes = dice.below(self.crash_one_in) == 0;
                if !crashes || dice.below(2) == 0 {
                    value = written;
                }
                let end = if crashes {
                    // A crashed client never comes back under its name.
                    free_at[next].1 = names;
                    names += 1;
                    "null".to_owned()
                } else {
                    end.to_string()
                };
                format!(
                    r#"{{"thread":{thread},"op":"write","args":{{"value":{written}}},"start":{start},"end":{end}}}"#
                )
            };
            lines.push((start, line));
        }
        if self.violation {
            let (now, thread) = free_at.iter().copied().max().unwrap_or_default();
            let (start, end) = (now + 1, now + 2);
            let line = format!(r#"{{"thread":{thread},"op":"read","ret":-1,"start":{start},"end":{end}}}"#);
            lines.push((start, line));
        }
        lines.sort();
        lines.iter().try_for_each(|(_, line)| writeln!(out, "{line}"))
    }
}
