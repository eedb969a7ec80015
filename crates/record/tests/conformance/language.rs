//! The programs: one in each language, built where there is a compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The part that this binary plays as the program in Rust, and its folder.
pub const PART: &str = "OMNILINK_CONFORMANCE_PART";
pub const FOLDER: &str = "OMNILINK_CONFORMANCE_FOLDER";

/// A language that has a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rust,
    C,
    Cpp,
    Python,
    Java,
    Go,
}

impl Language {
    pub const ALL: [Self; 6] = [Self::Rust, Self::C, Self::Cpp, Self::Python, Self::Java, Self::Go];

    /// Those whose toolchain is there; a note names the others.
    pub fn available() -> Vec<Self> {
        static AVAILABLE: OnceLock<Vec<Language>> = OnceLock::new();
        AVAILABLE
            .get_or_init(|| {
                Self::ALL
                    .into_iter()
                    .filter(|language| language.build())
                    .collect()
            })
            .clone()
    }

    /// Whether it has integers beyond 64 bits.
    pub fn has_huge_integers(self) -> bool {
        matches!(self, Self::Python | Self::Java | Self::Go)
    }

    /// Whether a value of any type can be passed, so that wrong ones are refused at run time.
    pub fn is_dynamic(self) -> bool {
        self.has_huge_integers()
    }

    fn build(self) -> bool {
        let out = out();
        let is_built = match self {
            Self::Rust => true,
            Self::C | Self::Cpp => {
                let (compiler, standard, source, to) = match self {
                    Self::C => ("cc", "-std=c11", "conformance.c", "c"),
                    _ => ("c++", "-std=c++17", "conformance.cpp", "cpp"),
                };
                let mut command = Command::new(compiler);
                command.args([
                    standard,
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Wpedantic",
                    "-Werror",
                    "-pthread",
                    "-I",
                ]);
                command.arg(recorders().join("cpp")).arg(programs().join(source));
                compiled(command.arg("-o").arg(out.join(to)))
            }
            Self::Python => compiled(Command::new("python3").arg("--version")),
            Self::Java => {
                compiled(Command::new("javac").arg("--version"))
                    && compiled(Command::new(recorders().join("java/build")).arg(out.join("java")))
                    && compiled(
                        Command::new("javac")
                            .args(["--release", "17", "-Xlint:all", "-Werror", "-cp"])
                            .arg(out.join("java/omnilink.jar"))
                            .arg("-d")
                            .arg(out.join("java/program"))
                            .arg(programs().join("Conformance.java")),
                    )
            }
            Self::Go => {
                compiled(Command::new("go").arg("version"))
                    && compiled(
                        Command::new("go")
                            .arg("build")
                            .arg("-o")
                            .arg(out.join("go"))
                            .arg(".")
                            .current_dir(programs().join("go")),
                    )
            }
        };
        if !is_built {
            eprintln!("note: there is no toolchain for {self:?}, so its recorder is not tested");
        }
        is_built
    }

    /// The command that runs a part of the program.
    pub fn program(self, part: &str, folder: &Path) -> Command {
        let out = out();
        let mut command = match self {
            Self::Rust => {
                let mut command = Command::new(std::env::current_exe().expect("a test knows its path"));
                command
                    .args([
                        "--exact",
                        "the_program_in_rust",
                        "--nocapture",
                        "--test-threads=1",
                    ])
                    .env(PART, part)
                    .env(FOLDER, folder);
                command
            }
            Self::C => Command::new(out.join("c")),
            Self::Cpp => Command::new(out.join("cpp")),
            Self::Python => {
                let mut command = Command::new("python3");
                command
                    .arg("-B")
                    .arg(programs().join("conformance.py"))
                    .env("PYTHONPATH", recorders().join("python"));
                command
            }
            Self::Java => {
                let mut command = Command::new("java");
                let classes = [out.join("java/omnilink.jar"), out.join("java/program")];
                let classes = std::env::join_paths(classes).expect("paths without a colon");
                command.arg("-cp").arg(classes).arg("Conformance");
                command
            }
            Self::Go => Command::new(out.join("go")),
        };
        if self != Self::Rust {
            command.arg(part).arg(folder);
        }
        command.stdin(Stdio::null());
        command
    }
}

fn recorders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recorders")
}

fn programs() -> PathBuf {
    recorders().join("conformance")
}

fn out() -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    std::fs::create_dir_all(&out).expect("a folder for the programs");
    out
}

/// Runs a compiler. False if there is none; what it says if it fails is a failure of the test.
fn compiled(command: &mut Command) -> bool {
    let Ok(output) = command.output() else {
        return false;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    true
}
