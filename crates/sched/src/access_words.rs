//! What the atomic access of a step did, in words.

use crate::{AccessOrder, SchedulerStep, StepValues};

impl SchedulerStep {
    /// What its access read and stored: `reads 0 and stores 1 (seq_cst)`; `None` if it was not atomic.
    pub fn access_words(&self) -> Option<String> {
        let StepValues {
            read,
            written,
            read_step,
            newest,
            fails_spuriously,
            order,
        } = self.values;
        let order = order
            .map(|order| format!(" ({})", order_word(order)))
            .unwrap_or_default();
        if let (true, Some(read)) = (fails_spuriously, read) {
            return Some(format!(
                "reads {}{order} and fails although that is expected, as a weak compare-and-swap may",
                value(read)
            ));
        }
        let made = |step: Option<u32>| match step {
            Some(step) => format!("from step {step}"),
            None => "from before".to_owned(),
        };
        let done = match (read, written) {
            (Some(read), Some(written)) => {
                format!("reads {} and stores {}{order}", value(read), value(written))
            }
            (Some(read), None) => format!("reads {}{order}", value(read)),
            (None, Some(written)) => format!("stores {}{order}", value(written)),
            (None, None) => return None,
        };
        let Some((newest, newest_step)) = newest else {
            return Some(done);
        };
        let stored = match newest_step {
            Some(step) => format!("{} was stored at step {step}", value(newest)),
            None => format!("{} was stored since", value(newest)),
        };
        Some(match read {
            Some(_) => format!("{done}, {}, although {stored}", made(read_step)),
            None => format!("{done}, which comes before a store that was made: {stored}"),
        })
    }
}

/// A memory order, as C++ calls it.
fn order_word(order: AccessOrder) -> &'static str {
    match order {
        AccessOrder::Relaxed => "relaxed",
        AccessOrder::Acquire => "acquire",
        AccessOrder::Release => "release",
        AccessOrder::AcquireRelease => "acq_rel",
        AccessOrder::SeqCst => "seq_cst",
    }
}

/// A value as a number; large ones, which are mostly addresses, in hexadecimal.
fn value(value: u64) -> String {
    const SMALL: u64 = 1_000_000;
    match value {
        0..SMALL => value.to_string(),
        _ if value.wrapping_neg() < SMALL => format!("-{}", value.wrapping_neg()),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hexadecimal_and_numbers_are_not() {
        assert_eq!(value(0), "0");
        assert_eq!(value(u64::MAX), "-1");
        assert_eq!(value(0x7fff_0000_1000), "0x7fff00001000");
    }
}
