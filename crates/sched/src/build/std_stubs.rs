//! Stubs that make functions of Rust's prebuilt standard library scheduling points.
//!
//! Functions of the standard library that are neither generic nor inlined are not instrumented: `Condvar::wait` reads its counter
//! and releases the mutex without a scheduling point. For each such function the linker calls a stub instead (`--wrap`), which
//! calls the scheduler first and then jumps to the function. Inside the functions every wait and every wake is a futex call,
//! which the runtime sees.
//!
//! Functions that only follow an instrumented access (`lock_contended`) are no steps of their own: until their own futex call they
//! access only what that access has read. They have a stub because they synchronise.

use super::{BuildError, rust};
use object::read::archive::ArchiveFile;
use omnilink_sched_runtime::layout::std_function::{
    ACCESSES_ARGUMENTS, ACCESSES_PART, CALLS_CLOSURE, CONDITION, CONTINUES_ACCESS, READS_ANYTHING,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions, by the ends of their mangled names (the same in both manglings, up to a hash), and what they do.
const FUNCTIONS: [(&str, u32); 22] = [
    ("7Condvar4wait", CONDITION),
    ("7Condvar12wait_timeout", CONDITION),
    ("7Condvar10notify_one", CONDITION),
    ("7Condvar10notify_all", ACCESSES_ARGUMENTS),
    ("4Once4call", CALLS_CLOSURE),
    ("4Once4wait", ACCESSES_ARGUMENTS),
    ("4Once10wait_force", ACCESSES_ARGUMENTS),
    ("7Barrier4wait", ACCESSES_ARGUMENTS),
    ("9ScopeData29decrement_num_running_threads", ACCESSES_PART),
    ("9ScopeData29increment_num_running_threads", ACCESSES_PART),
    ("6Thread4park", READS_ANYTHING),
    ("6Thread12park_timeout", READS_ANYTHING),
    ("6thread4park", READS_ANYTHING),
    ("6thread12park_timeout", READS_ANYTHING),
    ("9functions4park", READS_ANYTHING),
    ("9functions12park_timeout", READS_ANYTHING),
    ("6Parker4park", READS_ANYTHING),
    ("6Parker12park_timeout", READS_ANYTHING),
    ("5Mutex14lock_contended", CONTINUES_ACCESS),
    ("6RwLock14read_contended", CONTINUES_ACCESS),
    ("6RwLock15write_contended", CONTINUES_ACCESS),
    ("6RwLock22wake_writer_or_readers", CONTINUES_ACCESS),
];

/// Defined in a program whose standard library is instrumented too.
pub const INSTRUMENTS_LIBRARY: &str = "omnilink_instruments_library";

/// The linker argument that defines [`INSTRUMENTS_LIBRARY`].
pub(super) fn instrumented_argument() -> String {
    format!("-Clink-arg=-Wl,--defsym={INSTRUMENTS_LIBRARY}=1")
}

/// The linker arguments that put a stub before each function that needs one.
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

fn functions_in(archive: &Path) -> Result<Vec<(String, u32)>, BuildError> {
    let unreadable = |problem: String| BuildError::Library {
        path: archive.to_owned(),
        problem,
    };
    let data = std::fs::read(archive).map_err(|error| unreadable(error.to_string()))?;
    let parsed = ArchiveFile::parse(&*data).map_err(|error| unreadable(error.to_string()))?;
    let symbols = parsed.symbols().map_err(|error| unreadable(error.to_string()))?;
    let mut functions: Vec<(String, u32)> = symbols
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

fn kind_of(symbol: &str) -> Option<u32> {
    if !symbol.contains("3std") {
        return None;
    }
    // The older mangling ends in a hash: `17h` and sixteen digits, then `E`.
    const HASH: usize = "17h0123456789abcdefE".len();
    let path = if symbol.starts_with("_ZN") {
        symbol.get(..symbol.len().checked_sub(HASH)?)?
    } else {
        symbol
    };
    let found = FUNCTIONS.iter().find(|(end, _)| path.ends_with(end));
    found.map(|(_, kind)| *kind)
}

/// The stubs as Rust source: each saves all arguments, calls the scheduler, restores them and jumps to the function.
fn stubs(functions: &[(String, u32)]) -> String {
    let mut assembly = String::new();
    for (name, kind) in functions {
        let body = if cfg!(target_arch = "aarch64") {
            format!(
                "stp x0, x1, [sp, #-96]!\nstp x2, x3, [sp, #16]\nstp x4, x5, [sp, #32]\nstp x6, x7, [sp, #48]\n\
                 stp x8, x30, [sp, #64]\nmov w2, #{kind}\nmov x3, x30\nbl omnilink_library\nldp x8, x30, [sp, #64]\n\
                 ldp x6, x7, [sp, #48]\nldp x4, x5, [sp, #32]\nldp x2, x3, [sp, #16]\nldp x0, x1, [sp], #96\n\
                 b __real_{name}\n"
            )
        } else {
            format!(
                "push rdi\npush rsi\npush rdx\npush rcx\npush r8\npush r9\npush rax\nmov edx, {kind}\n\
                 mov rcx, [rsp + 56]\ncall omnilink_library@PLT\npop rax\npop r9\npop r8\npop rcx\npop rdx\npop rsi\n\
                 pop rdi\njmp __real_{name}@PLT\n"
            )
        };
        // Writing into a string does not fail.
        let _ = write!(
            assembly,
            ".section .text.__wrap_{name},\"ax\",%progbits\n.globl __wrap_{name}\n.type __wrap_{name},%function\n\
             __wrap_{name}:\n{body}.size __wrap_{name}, . - __wrap_{name}\n"
        );
    }
    // Inline assembly must end in the section in which it began.
    assembly.push_str(".text\n");
    format!("#![no_std]\ncore::arch::global_asm!({assembly:?});\n")
}

/// Compiles a source into an object file in the cache, unless it is there.
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
            command: super::command_line(&command),
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
        assert_eq!(kind_of(new), Some(CONDITION));
        assert_eq!(kind_of(old), Some(CONDITION));
        assert_eq!(kind_of(debug), None);
        assert_eq!(
            kind_of("_RNvMs0_NtCs_7my_sync4Once4call"),
            None,
            "of another crate"
        );
        let lock = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";
        assert_eq!(kind_of(lock), Some(CONTINUES_ACCESS));
    }

    /// If this fails with a new compiler, its library uses other names: add them to the table above.
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
            "5Mutex14lock_contended",
            "6RwLock14read_contended",
            "6RwLock15write_contended",
            "6RwLock22wake_writer_or_readers",
        ] {
            assert!(has(end), "{end} is not among {functions:?}");
        }
    }
}
