//! The state graph, for other programs.

use std::io;

use omnilink_value::Value;

use crate::fingerprint::Fingerprint;

/// Takes the state graph as it is found: each state before any step from it.
pub trait GraphSink: Send {
    /// A new state of this level.
    fn state(&mut self, fingerprint: Fingerprint, values: &[Value], level: u32) -> io::Result<()>;

    /// A step by an action, to a state that may be found later.
    fn step(&mut self, from: Fingerprint, to: Fingerprint, action: usize) -> io::Result<()>;
}
