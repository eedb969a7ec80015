//! Compiles the two parts that live in other programs: the runtime that is linked with components, and the
//! library that is preloaded to stall their threads.
//!
//! They are files of their own and not parts of the crate, because they define functions under the names of the
//! C library and of ThreadSanitizer, and need features that only the compiler's own library may use.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=runtime");
    println!("cargo::rerun-if-changed=preload");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(omnilink_instrumented)");
    let supported = environment("CARGO_CFG_TARGET_OS") == "linux"
        && environment("CARGO_CFG_TARGET_ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&environment("CARGO_CFG_TARGET_ARCH").as_str());
    let (runtime, chaos) = (output("omnilink_runtime.o"), output("libomnilink_chaos.so"));
    if !supported {
        // Asking for executions is then a typed error.
        write_empty(&runtime);
        write_empty(&chaos);
        return;
    }
    let object = ["--crate-type=lib", "--emit=obj", "-Ztls-model=initial-exec"];
    compile("runtime/lib.rs", &runtime, &object).unwrap_or_else(|problem| panic!("{problem}"));
    if let Err(problem) = compile(
        "preload/chaos.rs",
        &chaos,
        &["--crate-type=cdylib", "-Cstrip=symbols"],
    ) {
        // Checking for another machine needs no linker for it, so that there may be none.
        println!("cargo::warning=threads cannot be stalled by this build: {problem}");
        write_empty(&chaos);
    }
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

fn compile(source: &str, output: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(environment("RUSTC"));
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--edition=2024",
            "--crate-name=omnilink_part",
            "--cap-lints=allow",
        ])
        .args([
            "-Copt-level=3",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
            "-Crelocation-model=pic",
            "-Cdebuginfo=0",
        ])
        .args(["-Cforce-unwind-tables=no"])
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
            let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
            Err(format!(
                "{source}: the compiler ended with {}: {said}",
                output.status
            ))
        }
        Err(error) => Err(format!("{source}: the compiler cannot be started: {error}")),
    }
}
