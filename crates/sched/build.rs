//! Compiles the runtime that is linked with components.
//!
//! It is an object of its own and not a part of the crate, because it defines functions under the names of the
//! C library and of ThreadSanitizer, and needs two features that only the compiler's own library may use.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=runtime");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(omnilink_instrumented)");
    let environment = |name| std::env::var(name).unwrap_or_default();
    let object = Path::new(&environment("OUT_DIR")).join("omnilink_runtime.o");
    let supported = environment("CARGO_CFG_TARGET_OS") == "linux"
        && environment("CARGO_CFG_TARGET_ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&environment("CARGO_CFG_TARGET_ARCH").as_str());
    if !supported {
        // An empty object: asking for executions is then a typed error.
        std::fs::write(&object, []).unwrap_or_else(|error| panic!("{}: {error}", object.display()));
        return;
    }
    let compiled = Command::new(environment("RUSTC"))
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--crate-name=omnilink_runtime",
            "--emit=obj",
        ])
        .args([
            "-Copt-level=3",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
            "-Crelocation-model=pic",
            "-Cdebuginfo=0",
        ])
        .args([
            "-Cforce-unwind-tables=no",
            "-Ztls-model=initial-exec",
            "--cap-lints=allow",
        ])
        .arg(format!("--target={}", environment("TARGET")))
        .arg("runtime/lib.rs")
        .arg("-o")
        .arg(&object)
        .status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("the compiler of the scheduler's runtime ended with {status}"),
        Err(error) => panic!("the compiler for the scheduler's runtime cannot be started: {error}"),
    }
}
