//! The time-stamp counter: whether it is a reliable clock, and its rate.
//!
//! It is reliable if the processor guarantees a constant rate through all power states, the kernel, which monitors it
//! continuously on all packages, still uses it itself, no core is observed to lag behind another, and its rate relative to
//! the raw monotonic clock is constant.

use std::{
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
    thread,
    time::Duration,
};

use super::{fence, monotonic_raw_ns};

/// Reads the counter. Needs fences around it.
#[inline(always)]
pub(super) fn read() -> i64 {
    // SAFETY: every x86-64 processor has `rdtsc`; where the kernel forbids it to user programs, it does not
    // use the counter as its clock source either, and `check` has failed.
    unsafe { std::arch::x86_64::_rdtsc() as i64 }
}

/// The counter's ticks per second, or the reason why it is not reliable.
pub(super) fn check() -> Result<i64, String> {
    if !is_invariant() {
        return Err("the processor does not promise a constant rate".to_owned());
    }
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match std::fs::read_to_string(SOURCE) {
        Ok(source) if source.trim() == "tsc" => {}
        Ok(source) => return Err(format!("the kernel itself uses {} ({SOURCE})", source.trim())),
        Err(error) => return Err(format!("{SOURCE} does not say what the kernel uses: {error}")),
    }
    if some_core_lags() {
        return Err("its readings differ between cores".to_owned());
    }
    rate()
}

fn is_invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    const POWER_MANAGEMENT: u32 = 0x8000_0007;
    const INVARIANT_TSC: u32 = 1 << 8;
    // `__cpuid` is a safe function only on newer toolchains than the oldest one supported.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 processor has `cpuid`.
    unsafe {
        __cpuid(0x8000_0000).eax >= POWER_MANAGEMENT && __cpuid(POWER_MANAGEMENT).edx & INVARIANT_TSC != 0
    }
}

/// Runs one thread on each core; each compares its reading with the latest that another published.
fn some_core_lags() -> bool {
    let cores = cores();
    // All threads contend for one word: fewer rounds on more cores keep the check within a few milliseconds.
    let rounds = (20_000 / cores.len().max(1)).max(200);
    let (latest, lagged, go) = (AtomicI64::new(0), AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        for &core in &cores {
            let (latest, lagged, go) = (&latest, &lagged, &go);
            let check = move || {
                run_on(core);
                while !go.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                for _ in 0..rounds {
                    let published = latest.load(Ordering::SeqCst);
                    fence::complete_loads();
                    let now = read();
                    if now < published {
                        lagged.store(true, Ordering::Relaxed);
                    }
                    latest.fetch_max(now, Ordering::SeqCst);
                }
            };
            // If the system is out of threads, fewer cores are checked: the kernel's own check covers the rest.
            let _ = thread::Builder::new().spawn_scoped(scope, check);
        }
        go.store(true, Ordering::Release);
    });
    lagged.into_inner()
}

fn cores() -> Vec<usize> {
    // SAFETY: an all-zero `cpu_set_t` is the empty set, and the call fills at most the given size.
    let allowed = unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut allowed);
        allowed
    };
    // SAFETY: every index is below the size of the set.
    (0..libc::CPU_SETSIZE as usize)
        .filter(|&core| unsafe { libc::CPU_ISSET(core, &allowed) })
        .collect()
}

/// Moves this thread to a core. If that fails, the thread checks its current core.
fn run_on(core: usize) {
    // SAFETY: the set is plain data, `core` came out of a set of the same size, and 0 means this thread.
    unsafe {
        let mut only: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut only);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &only);
    }
}

/// Ticks per second, measured over two spans. If these differ, the measurement is repeated, up to three times.
fn rate() -> Result<i64, String> {
    const SPAN: Duration = Duration::from_millis(10);
    const STEADY_PPM: f64 = 1_000.0;
    let mut worst_ppm = 0.0;
    for _ in 0..3 {
        let first = moment();
        thread::sleep(SPAN);
        let second = moment();
        thread::sleep(SPAN);
        let third = moment();
        let (early, late, whole) = (slope(first, second), slope(second, third), slope(first, third));
        let difference_ppm = ((early - late) / whole).abs() * 1e6;
        if difference_ppm <= STEADY_PPM && whole > 1e6 {
            return Ok(whole.round() as i64);
        }
        worst_ppm = difference_ppm;
    }
    Err(format!(
        "its rate against the system's clock varies by {worst_ppm:.0} parts per million"
    ))
}

fn slope((ticks_a, ns_a): (i64, i64), (ticks_b, ns_b): (i64, i64)) -> f64 {
    (ticks_b - ticks_a) as f64 / (ns_b - ns_a) as f64 * 1e9
}

/// One moment on both clocks. Of several attempts, the shortest: it was not interrupted.
fn moment() -> (i64, i64) {
    let attempt = || {
        fence::complete_loads();
        let before = read();
        let ns = monotonic_raw_ns();
        fence::complete_loads();
        let after = read();
        (after - before, before + (after - before) / 2, ns)
    };
    let (_, ticks, ns) = (0..32).map(|_| attempt()).min().unwrap_or_else(attempt);
    (ticks, ns)
}
