//! Functions of the C library that access memory on behalf of a component.
//!
//! `memcpy` and the like are prebuilt: what they read and write would not be seen. clang turns some of their calls into calls of
//! ThreadSanitizer's functions, g++ none. So the calls in each object file are redirected to functions of the runtime, which record
//! the accesses and then do what the function does. Only the component's own object files are changed: what a prebuilt library does
//! may be ordered by means that are not seen.

use super::BuildError;
use std::path::Path;
use std::process::Command;

/// The functions of the runtime that are there anyway, for compilers that call them.
const OF_THE_INSTRUMENTATION: [(&str, &str); 3] = [
    ("memcpy", "__tsan_memcpy"),
    ("memmove", "__tsan_memmove"),
    ("memset", "__tsan_memset"),
];

/// The others; each has a function of the runtime with the prefix `omnilink_libc_`.
const OTHERS: [&str; 26] = [
    "memcmp", "bcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "stpcpy", "strncpy",
    "strcat", "strncat", "strchr", "strrchr", "strstr", "strdup", "read", "write", "pread", "pwrite", "recv",
    "send", "fread", "fwrite", "qsort", "bzero",
];

/// Flags that keep a compiler from replacing calls by code of its own, which g++ would not instrument.
pub(super) fn kept_as_calls() -> impl Iterator<Item = String> {
    let expanded = OF_THE_INSTRUMENTATION.iter().map(|(name, _)| *name);
    let compared = [
        "memcmp", "bcmp", "strcmp", "strncmp", "strcpy", "strncpy", "stpcpy", "strcat", "bzero",
    ];
    expanded
        .chain(compared)
        .map(|name| format!("-fno-builtin-{name}"))
}

/// Redirects the calls in an object file.
pub(super) fn redirect(object: &Path) -> Result<(), BuildError> {
    let renamed = OF_THE_INSTRUMENTATION
        .iter()
        .map(|(from, to)| format!("{from}={to}"));
    let others = OTHERS.iter().map(|name| format!("{name}=omnilink_libc_{name}"));
    let mut command = Command::new("objcopy");
    for symbol in renamed.chain(others) {
        command.arg(format!("--redefine-sym={symbol}"));
    }
    command.arg(object);
    let output = command.output().map_err(|source| BuildError::Compiler {
        program: "objcopy".to_owned(),
        source,
        advice: "install the package binutils",
    })?;
    if output.status.success() {
        Ok(())
    } else {
        Err(BuildError::Failed {
            command: super::command_line(&command),
            output: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}
