//! C++ and C harnesses.

use super::{BuildError, libc_functions, runtime_object};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A harness in C++, perhaps with parts in C.
#[derive(Debug, Clone, Default)]
pub struct CppBuild {
    /// The files to compile; those that end in `.c` are C.
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
#define __sync_synchronize() __tsan_atomic_thread_fence(5)\n\
#if defined __cplusplus && !defined _GLIBCXX_TSAN\n\
#define _GLIBCXX_TSAN 1\n\
#endif\n";

/// Stands before the header of GCC's library with `std::atomic<std::shared_ptr>`. That has a lock of its own, which it unlocks with a relaxed
/// access where it has only read: the C++ memory model has no order then, the processors have. It is the library's, not the program's.
const SHARED_POINTERS: &[u8] = b"#pragma GCC system_header\n\
#include <bits/atomic_base.h>\n\
#include <bits/shared_ptr.h>\n\
#define memory_order_relaxed memory_order_seq_cst\n\
#include_next <bits/shared_ptr_atomic.h>\n\
#undef memory_order_relaxed\n";

/// A directory with headers that come before those of the library.
fn headers() -> Result<PathBuf, BuildError> {
    runtime_object::store_header("bits/shared_ptr_atomic.h", SHARED_POINTERS)
}

/// The header that is included before everything else in an instrumented build.
pub fn fences_header() -> &'static [u8] {
    FENCES
}

/// The language of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cpp,
}

impl Language {
    fn of(source: &Path) -> Self {
        if source.extension() == Some(OsStr::new("c")) {
            Self::C
        } else {
            Self::Cpp
        }
    }

    /// The standard, unless the user gives another one later.
    fn standard(self) -> &'static str {
        match self {
            Self::C => "-std=gnu17",
            Self::Cpp => "-std=c++17",
        }
    }

    /// The extension of a source without directives.
    fn preprocessed(self) -> &'static str {
        match self {
            Self::C => "i",
            Self::Cpp => "ii",
        }
    }
}

/// The flags with which g++ compiles and links a whole program that is not built by [`CppBuild`]: of a test, for instance.
///
/// Less is seen than in a harness: the C library's copying of memory, and the precompiled parts of the C++ library.
///
/// # Errors
/// When this system is not supported, or the runtime cannot be stored.
pub fn whole_program_flags() -> Result<Vec<String>, BuildError> {
    Ok(vec![
        "-g".to_owned(),
        "-fsanitize=thread".to_owned(),
        // Code that looks whether it is instrumented must not be another one.
        "-U__SANITIZE_THREAD__".to_owned(),
        format!("-include{}", super::store("fences", "h", FENCES)?.display()),
        format!("-isystem{}", headers()?.display()),
        format!("-L{}", runtime_object::library_directory()?.display()),
    ])
}

impl CppBuild {
    /// Compiles and links everything into `program`.
    ///
    /// A source is compiled by two commands. The first resolves its directives without instrumentation: the component must not see
    /// that it is instrumented, because some then have other code, or other layouts than their prebuilt parts. The second
    /// compiles and instruments. Linking is a command of its own, because linking with `-fsanitize=thread` would add ThreadSanitizer's
    /// own runtime.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn build(&self, program: &Path) -> Result<(), BuildError> {
        let runtime = runtime_object()?;
        let mut objects = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            let object = program.with_extension(format!("{index}.o"));
            if self.native {
                self.compile(source, Language::of(source), &object, &[])?
            } else {
                self.compile_instrumented(source, &object)?
            }
            objects.push(object);
        }
        let mut command = Command::new(self.compiler(Language::Cpp));
        command
            .args(&objects)
            .arg(runtime)
            .args(&self.libraries)
            .args(["-pthread", "-ldl", "-o"])
            .arg(program);
        let linked = self.run(command);
        remove(&objects);
        linked
    }

    fn compile_instrumented(&self, source: &Path, object: &Path) -> Result<(), BuildError> {
        let language = Language::of(source);
        let text = object.with_extension(language.preprocessed());
        let mut command = Command::new(self.compiler(language));
        command
            .args(["-E", "-O1", language.standard(), "-include"])
            .arg(super::store("fences", "h", FENCES)?)
            .arg("-isystem")
            .arg(headers()?)
            .args(self.flags_for(language))
            .args(self.include_flags())
            .arg(source)
            .arg("-o")
            .arg(&text);
        self.run(command)?;
        instantiate_templates(&text)?;
        let mut flags = vec!["-fsanitize=thread".to_owned()];
        flags.extend(libc_functions::kept_as_calls());
        let compiled = self.compile(&text, language, object, &flags);
        remove(&[text]);
        compiled?;
        libc_functions::redirect(object)
    }

    fn compile(
        &self,
        source: &Path,
        language: Language,
        object: &Path,
        more: &[String],
    ) -> Result<(), BuildError> {
        let mut command = Command::new(self.compiler(language));
        command
            .args(["-O1", "-g", language.standard()])
            .args(more)
            .args(self.flags_for(language))
            .args(self.include_flags())
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(object);
        self.run(command)
    }

    /// The user's flags. A standard of C++ is none of C.
    fn flags_for(&self, language: Language) -> impl Iterator<Item = &String> {
        let is_meant = move |flag: &&String| language == Language::Cpp || !flag.contains("++");
        self.flags.iter().filter(is_meant)
    }

    fn include_flags(&self) -> impl Iterator<Item = &OsStr> {
        self.includes
            .iter()
            .flat_map(|directory| [OsStr::new("-I"), directory.as_os_str()])
    }

    /// The compiler of a language: that for C comes with that for C++.
    fn compiler(&self, language: Language) -> String {
        let from_environment = || std::env::var("CXX").ok().filter(|name| !name.is_empty());
        let given = self.compiler.clone().or_else(from_environment);
        let name = given.unwrap_or_else(|| "g++".to_owned());
        match language {
            Language::Cpp => name,
            Language::C => name
                .replace("clang++", "clang")
                .replace("g++", "gcc")
                .replace("c++", "cc"),
        }
    }

    fn run(&self, mut command: Command) -> Result<(), BuildError> {
        let output = command.output().map_err(|source| BuildError::Compiler {
            program: command.get_program().to_string_lossy().into_owned(),
            source,
            advice: "install g++ or clang++, or name a compiler in the environment variable CXX",
        })?;
        if output.status.success() {
            Ok(())
        } else {
            Err(BuildError::Failed {
                command: super::command_line(&command),
                output: with_advice(String::from_utf8_lossy(&output.stderr).into_owned()),
            })
        }
    }
}

/// What a linker says, and what to do if all that is missing is a component.
fn with_advice(mut output: String) -> String {
    if output.contains("undefined reference to `main'") || output.contains("undefined symbol: main") {
        output.push_str(
            "there is no main function; write one that offers a component: \
             int main() { return lineup::component<Queue>(\"queue\").op(\"pop()\", …).run(); } (docs/lineup.md)\n",
        );
    }
    output
}

/// Makes the compiler compile the templates of the standard library into the program. Its headers declare that `std::string`, streams
/// and others are found in the shared library (`extern template`), where nothing is instrumented; without these declarations they are
/// templates like any other. Lines keep their numbers.
fn instantiate_templates(preprocessed: &Path) -> Result<(), BuildError> {
    let failed = |source| BuildError::Store {
        path: preprocessed.to_owned(),
        source,
    };
    let text = std::fs::read(preprocessed).map_err(failed)?;
    std::fs::write(preprocessed, without_extern_templates(&text)).map_err(failed)
}

fn without_extern_templates(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let (mut is_system_header, mut is_declaration) = (false, false);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let content = line.trim_ascii();
        if let Some(marker) = content.strip_prefix(b"# ") {
            // `# 12 "file" 1 3 4`: a 3 among the numbers after the file says that it is a header of the system.
            let numbers = marker.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
            is_system_header = numbers.split(|byte| *byte == b' ').any(|number| number == b"3");
        }
        is_declaration |= is_system_header && content.starts_with(b"extern template");
        if is_declaration {
            kept.push(b'\n')
        } else {
            kept.extend_from_slice(line)
        }
        is_declaration &= !content.contains(&b';');
    }
    kept
}

/// Removes files of a build. One that is left over does no harm.
fn remove(files: &[PathBuf]) {
    for file in files {
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::without_extern_templates;

    #[test]
    fn declarations_of_system_headers_are_removed_and_lines_keep_their_numbers() {
        let text = b"# 1 \"/usr/include/string\" 1 3 4\nint a;\n  extern template class A<char>;\n  extern template\n    B\n    f();\n\
                     int b;\n# 9 \"mine 3.cpp\" 2\nextern template class C<int>;\nint c;\n";
        let kept = String::from_utf8(without_extern_templates(text)).unwrap();
        assert_eq!(
            kept,
            "# 1 \"/usr/include/string\" 1 3 4\nint a;\n\n\n\n\nint b;\n# 9 \"mine 3.cpp\" 2\nextern template class C<int>;\nint c;\n"
        );
    }
}
