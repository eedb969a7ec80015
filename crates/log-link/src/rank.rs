//! Which successors are followed first.

use omnilink_value::Value;

use crate::prepared_line::PreparedLine;

/// How unlikely a successor is: how many variables change that other lines of the log mention and this one does not, and whether nothing
/// changes at all.
pub(crate) fn rank(from: &[Value], to: &[Value], line: &PreparedLine, logged: &[bool]) -> u32 {
    let mut changed = 0;
    let mut unmentioned = 0;
    for (slot, (from, to)) in (0u32..).zip(from.iter().zip(to)) {
        if from != to {
            changed += 1;
            let is_mentioned = line.updates.iter().any(|(own, _)| *own == slot);
            unmentioned += u32::from(logged[slot as usize] && !is_mentioned);
        }
    }
    2 * unmentioned + u32::from(changed == 0)
}
