//! C++ harnesses.

use super::{BuildError, runtime_object};
use std::path::PathBuf;
use std::process::Command;

/// A harness in C++.
#[derive(Debug, Clone, Default)]
pub struct CppBuild {
    /// The files to compile.
    pub sources: Vec<PathBuf>,
    /// Directories with headers.
    pub includes: Vec<PathBuf>,
    /// Further flags of the compiler, such as `-std=c++20`.
    pub flags: Vec<String>,
    /// Further flags of the linker, such as `-ltbb`.
    pub libraries: Vec<String>,
    /// The compiler, if not `$CXX` or else `g++`.
    pub compiler: Option<String>,
    /// Compile without instrumentation, to run the component with native threads.
    pub native: bool,
}

/// Included before everything else: g++ does not instrument fences, and without them correct code would have false races.
const FENCES: &[u8] = b"#pragma once\n\
#ifdef __cplusplus\n\
extern \"C\"\n\
#endif\n\
void __tsan_atomic_thread_fence(int order);\n\
#define __atomic_thread_fence(order) __tsan_atomic_thread_fence(order)\n\
#define __sync_synchronize() __tsan_atomic_thread_fence(5)\n";

/// The header that is included before everything else in an instrumented build.
pub fn fences_header() -> &'static [u8] {
    FENCES
}

impl CppBuild {
    /// Compiles and links everything into `program`.
    ///
    /// Compiling and linking are two commands, because linking with `-fsanitize=thread` would add ThreadSanitizer's own runtime.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn build(&self, program: &std::path::Path) -> Result<(), BuildError> {
        let runtime = runtime_object()?;
        let mut objects = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            let object = program.with_extension(format!("{index}.o"));
            let mut command = self.command();
            command.args(["-O1", "-g", "-std=c++17"]);
            if !self.native {
                command
                    .arg("-fsanitize=thread")
                    .arg("-include")
                    .arg(super::store("fences", "h", FENCES)?);
            }
            command
                .args(&self.flags)
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(&object);
            for directory in &self.includes {
                command.arg("-I").arg(directory);
            }
            self.run(command)?;
            objects.push(object);
        }
        let mut command = self.command();
        command
            .args(&objects)
            .arg(runtime)
            .args(&self.libraries)
            .args(["-pthread", "-ldl", "-o"])
            .arg(program);
        let linked = self.run(command);
        for object in objects {
            // An object file that is left over does no harm.
            let _ = std::fs::remove_file(object);
        }
        linked
    }

    fn command(&self) -> Command {
        Command::new(self.program())
    }

    fn program(&self) -> String {
        let from_environment = || std::env::var("CXX").ok().filter(|name| !name.is_empty());
        self.compiler
            .clone()
            .or_else(from_environment)
            .unwrap_or_else(|| "g++".to_owned())
    }

    fn run(&self, mut command: Command) -> Result<(), BuildError> {
        let output = command.output().map_err(|source| BuildError::Compiler {
            program: self.program(),
            source,
            advice: "install g++ or clang++, or name a compiler in the environment variable CXX",
        })?;
        match output.status.success() {
            true => Ok(()),
            false => Err(BuildError::Failed {
                command: format!("{command:?}"),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
    }
}
