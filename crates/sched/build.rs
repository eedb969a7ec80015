//! Compiles the two crates that become parts of other programs, so that `include_bytes!` can embed them: the runtime that is
//! linked with components, and the library that is preloaded to stall their threads.
//!
//! Cargo has no stable way to depend on an object file or a shared library of another crate. A build dependency on the crate
//! is enough to find its sources, in a workspace as well as in a published package; one `rustc` command compiles them.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for source in [omnilink_sched_runtime::SOURCE, omnilink_chaos_preload::SOURCE] {
        let directory = Path::new(source).parent().unwrap_or(Path::new("."));
        println!("cargo::rerun-if-changed={}", directory.display());
    }
    let is_supported = environment("CARGO_CFG_TARGET_OS") == "linux"
        && environment("CARGO_CFG_TARGET_ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&environment("CARGO_CFG_TARGET_ARCH").as_str());
    let (runtime, chaos) = (output("omnilink_runtime.o"), output("libomnilink_chaos.so"));
    if !is_supported {
        // Using them is then a typed error.
        write_empty(&runtime);
        write_empty(&chaos);
        return;
    }
    let object = [
        "--crate-name=omnilink_sched_runtime",
        "--crate-type=lib",
        "--emit=obj",
    ];
    compile(omnilink_sched_runtime::SOURCE, &runtime, &object).unwrap_or_else(|problem| panic!("{problem}"));
    let contents = std::fs::read(&runtime).unwrap_or_else(|error| panic!("{}: {error}", runtime.display()));
    if let Some(function) = library_function(&contents) {
        panic!(
            "{}: the object refers to `{function}` of Rust's library, with which it is not linked: something may panic, such as an index \
             out of range",
            omnilink_sched_runtime::SOURCE
        );
    }
    let library = [
        "--crate-name=omnilink_chaos_preload",
        "--crate-type=cdylib",
        "-Cstrip=symbols",
    ];
    if let Err(problem) = compile(omnilink_chaos_preload::SOURCE, &chaos, &library) {
        // `cargo check` for another machine needs no linker for it, so there may be none.
        println!("cargo::warning=this build cannot stall threads: {problem}");
        write_empty(&chaos);
    }
}

/// The first name in an object file that is one of Rust's `core`: its functions that are no templates are those that panic.
fn library_function(object: &[u8]) -> Option<String> {
    const OF_CORE: [&[u8]; 2] = [b"_ZN4core", b"_RNv"];
    let mut names = object.split(|byte| *byte == 0);
    let is_of_core = |name: &&[u8]| {
        let is_mangled = OF_CORE.iter().any(|prefix| name.starts_with(prefix));
        is_mangled && name.windows(5).any(|part| part == b"4core")
    };
    names
        .find(is_of_core)
        .map(|name| String::from_utf8_lossy(name).into_owned())
}

fn write_empty(path: &Path) {
    std::fs::write(path, []).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn environment(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn output(name: &str) -> PathBuf {
    Path::new(&environment("OUT_DIR")).join(name)
}

/// Compiles a crate without dependencies, never instrumented and always optimised.
fn compile(source: &str, output: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(environment("RUSTC"));
    command
        .args(["--edition=2024", "--cfg=omnilink_link", "--cap-lints=allow"])
        .args([
            "-Copt-level=3",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
            "-Crelocation-model=pic",
        ])
        // With tables the stack of a crash can be unwound through the runtime.
        .args(["-Cdebuginfo=0", "-Cforce-unwind-tables=yes"])
        .args(arguments)
        .arg(format!("--target={}", environment("TARGET")))
        .arg(source)
        .arg("-o")
        .arg(output);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        command.arg(format!("-Clinker={linker}"));
    }
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
            Err(format!(
                "{source}: the compiler ended with {}: {errors}",
                output.status
            ))
        }
        Err(error) => Err(format!("{source}: the compiler cannot be started: {error}")),
    }
}
