//! The machine and the moment.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The machine's name.
pub(crate) fn host_name() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/hostname");
    read.map(|name| name.trim().to_owned()).unwrap_or_default()
}

/// An identifier that no other campaign has, on any machine.
pub(crate) fn unique_id() -> String {
    format!("{:016x}{:08x}", now_ns() as u64, fastrand::u32(..))
}
