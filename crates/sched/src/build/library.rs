//! Rust's prebuilt standard library made visible at its edges.
//!
//! What is neither generic nor inlined in the standard library is not instrumented, so that `Condvar::wait` reads its
//! counter and gives up the mutex without the scheduler being asked. For each such function the linker is told to call a
//! stub of ours instead (`--wrap`), which asks the scheduler first and then goes on to the function itself. Within the
//! functions every wait and every wake is a futex call, which is seen.
//!
//! Functions that only follow an access that was seen are left alone (`lock_contended`, `wake`): a step before them would
//! show nothing, because until their own futex call they read and change only what the access before has read.

use super::{BuildError, rust};
use object::read::archive::ArchiveFile;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the runtime has to know about a function. The numbers are those in `runtime/library.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It reads and changes what its first two arguments point to.
    Plain = 0,
    /// It calls a closure, and then changes what its first argument points to.
    Closure = 1,
    /// It reads something that no argument points to.
    Anything = 2,
    /// It reads and changes some part of what its first argument points to.
    Part = 3,
}

/// The ends of mangled names, in both manglings the same up to a hash.
const FUNCTIONS: [(&str, Kind); 17] = [
    ("7Condvar4wait", Kind::Plain),
    ("7Condvar12wait_timeout", Kind::Plain),
    ("7Condvar10notify_one", Kind::Plain),
    ("7Condvar10notify_all", Kind::Plain),
    ("4Once4call", Kind::Closure),
    ("4Once4wait", Kind::Plain),
    ("4Once10wait_force", Kind::Plain),
    ("7Barrier4wait", Kind::Plain),
    ("9ScopeData29decrement_num_running_threads", Kind::Part),
    ("9ScopeData29increment_num_running_threads", Kind::Part),
    ("6Thread4park", Kind::Anything),
    ("6Thread12park_timeout", Kind::Anything),
    ("6thread4park", Kind::Anything),
    ("6thread12park_timeout", Kind::Anything),
    ("9functions4park", Kind::Anything),
    ("9functions12park_timeout", Kind::Anything),
    ("6Parker4park", Kind::Anything),
];

/// The symbol by which a program is known whose standard library is instrumented too.
pub const INSTRUMENTS_LIBRARY: &str = "omnilink_instruments_library";

/// The linker's argument that defines it.
pub(super) fn instrumented_argument() -> String {
    format!("-Clink-arg=-Wl,--defsym={INSTRUMENTS_LIBRARY}=1")
}

/// The linker's arguments that put a stub before each function of the standard library that needs one.
pub(super) fn link_arguments() -> Result<Vec<String>, BuildError> {
    let functions = functions_in(&prebuilt()?)?;
    if functions.is_empty() {
        return Ok(Vec::new());
    }
    let stubs = compiled(&stubs(&functions))?;
    let wraps = functions
        .iter()
        .map(|(name, _)| format!("-Clink-arg=-Wl,--wrap={name}"));
    Ok(std::iter::once(format!("-Clink-arg={}", stubs.display()))
        .chain(wraps)
        .collect())
}

/// The archive of the standard library that comes with the compiler.
fn prebuilt() -> Result<PathBuf, BuildError> {
    let mut command = Command::new(rust::compiler());
    command.args(["--print", "target-libdir"]);
    let output = command.output().map_err(rust::no_compiler("rustc"))?;
    let directory = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let is_library = |path: &PathBuf| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    };
    let entries = std::fs::read_dir(&directory).map_err(|source| BuildError::Library {
        path: directory.clone(),
        problem: source.to_string(),
    })?;
    let found = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(is_library);
    found.ok_or_else(|| BuildError::Library {
        path: directory,
        problem: "there is no libstd-*.rlib; is the target installed (`rustup target list --installed`)?"
            .to_owned(),
    })
}

fn functions_in(archive: &Path) -> Result<Vec<(String, Kind)>, BuildError> {
    let unreadable = |problem: String| BuildError::Library {
        path: archive.to_owned(),
        problem,
    };
    let data = std::fs::read(archive).map_err(|error| unreadable(error.to_string()))?;
    let parsed = ArchiveFile::parse(&*data).map_err(|error| unreadable(error.to_string()))?;
    let symbols = parsed.symbols().map_err(|error| unreadable(error.to_string()))?;
    let mut functions: Vec<(String, Kind)> = symbols
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|symbol| {
            let name = std::str::from_utf8(symbol.name()).ok()?;
            Some((name.to_owned(), kind_of(name)?))
        })
        .collect();
    functions.sort_by(|a, b| a.0.cmp(&b.0));
    functions.dedup_by(|a, b| a.0 == b.0);
    Ok(functions)
}

fn kind_of(symbol: &str) -> Option<Kind> {
    if !symbol.contains("3std") {
        return None;
    }
    // The older mangling ends in a hash: `17h` and sixteen digits, then `E`.
    const HASH: usize = "17h0123456789abcdefE".len();
    let path = match symbol.starts_with("_ZN") {
        true => symbol.get(..symbol.len().checked_sub(HASH)?)?,
        false => symbol,
    };
    let found = FUNCTIONS.iter().find(|(end, _)| path.ends_with(end));
    found.map(|(_, kind)| *kind)
}

/// The stubs as a Rust source: each keeps all arguments, asks the scheduler, and goes on as if it had not been there.
fn stubs(functions: &[(String, Kind)]) -> String {
    let mut assembly = String::new();
    for (name, kind) in functions {
        let kind = *kind as u32;
        let body = match cfg!(target_arch = "aarch64") {
            false => format!(
                "push rdi\npush rsi\npush rdx\npush rcx\npush r8\npush r9\npush rax\nmov edx, {kind}\n\
                 mov rcx, [rsp + 56]\ncall omnilink_library@PLT\npop rax\npop r9\npop r8\npop rcx\npop rdx\npop rsi\n\
                 pop rdi\njmp __real_{name}@PLT\n"
            ),
            true => format!(
                "stp x0, x1, [sp, #-96]!\nstp x2, x3, [sp, #16]\nstp x4, x5, [sp, #32]\nstp x6, x7, [sp, #48]\n\
                 stp x8, x30, [sp, #64]\nmov w2, #{kind}\nmov x3, x30\nbl omnilink_library\nldp x8, x30, [sp, #64]\n\
                 ldp x6, x7, [sp, #48]\nldp x4, x5, [sp, #32]\nldp x2, x3, [sp, #16]\nldp x0, x1, [sp], #96\n\
                 b __real_{name}\n"
            ),
        };
        // Writing into a string does not fail.
        let _ = write!(
            assembly,
            ".section .text.__wrap_{name},\"ax\",%progbits\n.globl __wrap_{name}\n.type __wrap_{name},%function\n\
             __wrap_{name}:\n{body}.size __wrap_{name}, . - __wrap_{name}\n"
        );
    }
    // Stubs are told from the code around them by nothing but the section: leave the section as it was.
    assembly.push_str(".text\n");
    format!("#![no_std]\ncore::arch::global_asm!({assembly:?});\n")
}

/// Compiles a source into an object in the cache, unless it is there.
fn compiled(source: &str) -> Result<PathBuf, BuildError> {
    let text = super::store("library", "rs", source.as_bytes())?;
    let object = text.with_extension("o");
    if object.exists() {
        return Ok(object);
    }
    let partial = text.with_extension(format!("{}.partial", std::process::id()));
    let mut command = Command::new(rust::compiler());
    command
        .args([
            "--edition=2024",
            "--crate-name=omnilink_library",
            "--crate-type=lib",
            "--emit=obj",
        ])
        .args(["-Cpanic=abort", "-Crelocation-model=pic", "-o"])
        .arg(&partial)
        .arg(&text);
    let output = command.output().map_err(rust::no_compiler("rustc"))?;
    if !output.status.success() {
        return Err(BuildError::Failed {
            command: format!("{command:?}"),
            output: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    std::fs::rename(&partial, &object).map_err(|source| BuildError::Store {
        path: object.clone(),
        source,
    })?;
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_in_both_manglings() {
        let new = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar4wait";
        let old = "_ZN3std4sync7condvar7Condvar10notify_one17h0123456789abcdefE";
        let debug =
            "_RNvXs_NtNtNtCsjrHSEGnQ3l9_3std4sync6poison7condvarNtB4_7CondvarNtNtC_4core3fmt5Debug3fmt";
        assert_eq!(kind_of(new), Some(Kind::Plain));
        assert_eq!(kind_of(old), Some(Kind::Plain));
        assert_eq!(kind_of(debug), None);
        assert_eq!(
            kind_of("_RNvMs0_NtCs_7my_sync4Once4call"),
            None,
            "of another crate"
        );
        let lock = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";
        assert_eq!(kind_of(lock), None);
    }

    /// If this fails with a new compiler, its library has other names, and the table above has to learn them.
    #[test]
    fn the_installed_library_has_what_components_wait_with() {
        let functions = functions_in(&prebuilt().unwrap()).unwrap();
        let has = |end: &str| functions.iter().any(|(name, _)| name.contains(end));
        for end in [
            "7Condvar4wait",
            "7Condvar10notify_one",
            "4Once4call",
            "7Barrier4wait",
            "4park",
        ] {
            assert!(has(end), "{end} is not among {functions:?}");
        }
    }
}
