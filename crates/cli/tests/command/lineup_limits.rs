//! Limits and Ctrl-C end `omnilink lineup` wherever the time goes, with a partial report and exit code 3.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::path::Path;

use super::ran::{Ran, folder, interrupted_in, omnilink_in};

/// A component that is correct, with calls that keep a check busy in different ways.
const BUSY: &str = r#"
    use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
    use omnilink_harness::Component;
    fn main() -> std::process::ExitCode {
        Component::new("busy", || AtomicI64::new(0))
            .op("add()", |n| n.fetch_add(1, SeqCst))
            .op("compute()", |_| loop { std::hint::black_box(1 + 1); })
            .op("allocate()", |_| {
                let mut blocks = Vec::new();
                for _ in 0..64 {
                    blocks.push(std::hint::black_box(vec![1_u8; 16 << 20]));
                    let start = std::time::Instant::now();
                    (0..20_000).for_each(|_| { std::hint::black_box(start.elapsed()); });
                }
                blocks.len()
            })
            .main()
    }
"#;

fn package() -> tempfile::TempDir {
    let harness = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness");
    let manifest = format!(
        "[package]\nname = \"busy\"\nedition = \"2024\"\n[[bin]]\nname = \"busy\"\npath = \"busy.rs\"\n[workspace]\n\
         [dependencies]\nomnilink-harness = {{ path = {harness:?} }}\n"
    );
    folder(&[("Cargo.toml", &manifest), ("busy.rs", BUSY)])
}

/// More runs than a test has time for.
const MANY: &str = "add(), add(), add(), add() | add(), add(), add(), add() | add(), add(), add(), add()";

fn arguments<'a>(matrix: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let common = [
        "lineup",
        "--bin",
        "busy",
        "--matrix",
        matrix,
        "--preemptions",
        "20",
        "--json",
    ];
    [&common[..], more].concat()
}

/// Checks that a limit ended the run, with a report, and that no process is left.
fn ended(package: &Path, ran: &Ran, limit: &str) {
    assert_eq!(ran.code, 3, "{limit}: {ran:?}");
    let reports = ran.json();
    let report = reports.last().unwrap_or_else(|| panic!("{limit}: {ran:?}"));
    assert_eq!(report["verdict"], "unknown", "{report}");
    assert_eq!(report["unknown"]["limit"], limit, "{report}");
    let processes = std::fs::read_dir("/proc").unwrap();
    let programs = processes.filter_map(|process| std::fs::read_link(process.ok()?.path().join("exe")).ok());
    let left: Vec<_> = programs.filter(|program| program.starts_with(package)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn time_memory_and_an_interrupt_each_end_a_campaign() {
    let package = package();
    for (limit, amount, word) in [
        ("--time-limit", "300ms", "time"),
        ("--memory-limit", "1MB", "memory"),
    ] {
        let ran = omnilink_in(package.path(), &arguments(MANY, &[limit, amount]));
        ended(package.path(), &ran, word);
    }
    let ran = interrupted_in(package.path(), &arguments(MANY, &[]));
    ended(package.path(), &ran, "interrupt");
}

#[test]
fn a_limit_ends_a_call_that_computes() {
    let package = package();
    let ran = omnilink_in(
        package.path(),
        &arguments("compute()", &["--time-limit", "300ms"]),
    );
    ended(package.path(), &ran, "time");
    let ran = interrupted_in(package.path(), &arguments("compute()", &[]));
    ended(package.path(), &ran, "interrupt");
}

#[test]
fn native_threads_end_at_every_limit() {
    let package = package();
    let native = [
        "--engine",
        "native",
        "--executions",
        "1_000_000_000",
        "--time-limit",
        "2s",
    ];
    let ran = omnilink_in(package.path(), &arguments("add() | add()", &native));
    ended(package.path(), &ran, "time");
    let ran = interrupted_in(package.path(), &arguments("add() | add()", &native[..4]));
    ended(package.path(), &ran, "interrupt");
}

/// The harness takes a gigabyte, the command itself a few megabytes.
#[test]
fn the_memory_of_the_component_counts() {
    let package = package();
    let ran = omnilink_in(
        package.path(),
        &arguments("allocate()", &["--memory-limit", "300MB"]),
    );
    ended(package.path(), &ran, "memory");
}
