//! Resident memory of this process: now, and at most.

/// The resident memory of this process; `None` where the system does not report it. Pages of files do not count: the system can take them
/// back.
pub fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = pages.split_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, of_files) = (pages.next()?.ok()?, pages.next()?.ok()?);
    Some(resident.saturating_sub(of_files) * page_bytes()?)
}

#[cfg(unix)]
fn page_bytes() -> Option<u64> {
    // SAFETY: it returns a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).ok()
}

#[cfg(not(unix))]
fn page_bytes() -> Option<u64> {
    None
}

/// The most resident memory that this process had, in bytes; `None` where the system does not report it.
pub fn peak_bytes() -> Option<u64> {
    high_water_mark().or_else(maximum_resident)
}

/// Linux keeps the mark itself, without counting what a parent held before it started this process.
fn high_water_mark() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(unix)]
fn maximum_resident() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a `rusage` of our own, which the call fills in.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    // macOS counts bytes, everyone else kibibytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    u64::try_from(usage.ru_maxrss).ok().map(|maximum| maximum * unit)
}

#[cfg(not(unix))]
fn maximum_resident() -> Option<u64> {
    None
}
