//! Binding a process to some of the machine's processors.

/// Which processors a process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PinnedProcessors {
    /// How many.
    pub(crate) count: usize,
    /// The first one, counted round the processors that there are: runs that are made at the same time get different ones.
    pub(crate) first: u64,
}

#[cfg(target_os = "linux")]
impl PinnedProcessors {
    /// The set for the system. All processors that this process may use if more are wanted than there are.
    pub(crate) fn set(self) -> std::io::Result<libc::cpu_set_t> {
        // SAFETY: a set of processors is an array of integers, for which 0 is a value: the empty set.
        let mut available: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::cpu_set_t>();
        // SAFETY: the set is ours and as large as is said.
        if unsafe { libc::sched_getaffinity(0, size, &raw mut available) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: the numbers are below the size of the set.
        let is_available = |&cpu: &usize| unsafe { libc::CPU_ISSET(cpu, &available) };
        let cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(is_available).collect();
        // SAFETY: as above.
        let mut chosen: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        let first = usize::try_from(self.first % cpus.len().max(1) as u64).unwrap_or(0);
        for cpu in cpus
            .iter()
            .cycle()
            .skip(first)
            .take(self.count.clamp(1, cpus.len()))
        {
            // SAFETY: the number is below the size of the set.
            unsafe { libc::CPU_SET(*cpu, &mut chosen) };
        }
        Ok(chosen)
    }
}

/// Binds the calling process to a set; for a new process before it becomes the harness.
#[cfg(target_os = "linux")]
pub(crate) fn bind(set: &libc::cpu_set_t) -> std::io::Result<()> {
    // SAFETY: the set is valid and as large as is said.
    match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
