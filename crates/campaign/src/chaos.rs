//! How rare interleavings are made to happen.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use thiserror::Error;

use crate::planned_run::PRIORITIES;

/// How rare interleavings are made to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chaos {
    /// Not at all.
    None,
    /// Native threads are stalled at random instructions by a preload library. Not repeatable.
    Signals,
    /// An instrumented harness runs under schedules that a seed decides. Repeatable.
    Schedule,
    /// rr records the run under its chaos scheduler. The recording repeats.
    Rr,
}

/// Why a kind of chaos cannot be had here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChaosError {
    /// No such kind.
    #[error("\"{0}\" is no kind of chaos; there are auto, schedule, signals, rr and none")]
    Unknown(String),
    /// The harness is not instrumented.
    #[error(
        "{}: --chaos schedule needs a harness that was built with our instrumentation (docs/sched.md, Whole programs); \
         --chaos signals works with any program",
        .0.display()
    )]
    NotInstrumented(PathBuf),
    /// The preload library cannot be had.
    #[error("--chaos signals: {0}")]
    NoPreload(String),
    /// rr does not work.
    #[error("--chaos rr does not work here: {0}")]
    NoRr(String),
}

impl fmt::Display for Chaos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Signals => "signals",
            Self::Schedule => "schedule",
            Self::Rr => "rr",
        })
    }
}

impl FromStr for Chaos {
    type Err = ChaosError;

    fn from_str(name: &str) -> Result<Self, ChaosError> {
        match name {
            "none" => Ok(Self::None),
            "signals" => Ok(Self::Signals),
            "schedule" => Ok(Self::Schedule),
            "rr" => Ok(Self::Rr),
            name => Err(ChaosError::Unknown(name.to_owned())),
        }
    }
}

/// A name that only a program linked with our scheduler's runtime contains.
const RUNTIME_MARK: &[u8] = b"OMNILINK_CHANGES";

impl Chaos {
    /// The best kind for a harness: schedules if it is instrumented, else signals where they can be had.
    pub fn auto(program: &Path) -> Self {
        if is_instrumented(program) {
            return Self::Schedule;
        }
        match omnilink_sched::chaos_library() {
            Ok(_) => Self::Signals,
            Err(_) => Self::None,
        }
    }

    /// Finds out whether this kind works for a harness, before a campaign starts.
    ///
    /// # Errors
    /// If it does not, with the probe that failed.
    pub fn probe(self, program: &Path) -> Result<(), ChaosError> {
        match self {
            Self::None => Ok(()),
            Self::Signals => omnilink_sched::chaos_library()
                .map(drop)
                .map_err(|error| ChaosError::NoPreload(error.to_string())),
            Self::Schedule if is_instrumented(program) => Ok(()),
            Self::Schedule => Err(ChaosError::NotInstrumented(program.to_owned())),
            Self::Rr => probe_rr().map_err(ChaosError::NoRr),
        }
    }

    /// Whether the same seed gives the same run.
    pub fn is_repeatable(self) -> bool {
        matches!(self, Self::Schedule)
    }

    /// Adds what a run's process needs in its environment.
    ///
    /// # Errors
    /// If the preload library cannot be written.
    pub(crate) fn prepare(
        self,
        seed: u64,
        environment: &mut BTreeMap<OsString, OsString>,
    ) -> Result<(), ChaosError> {
        let priorities: Option<u64> = environment
            .get(OsStr::new(PRIORITIES))
            .and_then(|given| given.to_str()?.parse().ok());
        let nice_max = u8::try_from(priorities.unwrap_or(0)).unwrap_or(u8::MAX);
        match self {
            // rr's chaos has priorities of its own.
            Self::Rr => {}
            Self::None if nice_max == 0 => {}
            Self::None | Self::Signals => {
                let stalls = omnilink_sched::ThreadStalls {
                    seed,
                    nice_max,
                    is_stalling: self == Self::Signals,
                    ..omnilink_sched::ThreadStalls::default()
                };
                let variables = stalls
                    .environment()
                    .map_err(|error| ChaosError::NoPreload(error.to_string()))?;
                environment.extend(variables);
            }
            Self::Schedule => {
                // A third of the runs changes priorities of threads (PCT), a third has priorities of steps (POS), the others decide at
                // random: each finds what the others miss.
                let kind = seed % 3;
                let changes = priorities.unwrap_or(u64::from(kind == 0) * (1 + (seed >> 1) % 4));
                let mut choose = |name: &str, value: String| {
                    environment.entry(name.into()).or_insert_with(|| value.into());
                };
                if changes > 0 {
                    choose("OMNILINK_CHANGES", changes.to_string());
                    choose("OMNILINK_STEPS", "20000".to_owned());
                } else if kind == 1 {
                    choose("OMNILINK_STEP_PRIORITIES", "1".to_owned());
                }
                // Fast steps leave sleeping threads asleep, slow ones make time-outs expire: both happen.
                choose(
                    "OMNILINK_STEP_NS",
                    (100 * 10_u64.pow((seed >> 8) as u32 % 4)).to_string(),
                );
            }
        }
        Ok(())
    }

    /// The command that runs a harness, with what has to stand in front of it.
    pub(crate) fn wrap(
        self,
        program: &OsStr,
        arguments: &[OsString],
        recording: &Path,
    ) -> (OsString, Vec<OsString>) {
        match self {
            Self::Rr => {
                // rr makes the folder of a recording, not those around it; if this fails, rr says so.
                let _ = recording.parent().map(std::fs::create_dir_all);
                let mut all: Vec<OsString> = ["record", "--chaos", "-o"].map(Into::into).to_vec();
                all.push(recording.into());
                all.push(program.to_owned());
                all.extend_from_slice(arguments);
                ("rr".into(), all)
            }
            _ => (program.to_owned(), arguments.to_vec()),
        }
    }
}

/// Whether a program was linked with our scheduler's runtime.
fn is_instrumented(program: &Path) -> bool {
    let Ok(mut file) = File::open(program) else {
        return false;
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).is_ok()
        && bytes
            .windows(RUNTIME_MARK.len())
            .any(|window| window == RUNTIME_MARK)
}

/// rr needs hardware counters and a processor that it knows; only trying tells.
fn probe_rr() -> Result<(), String> {
    let version = Command::new("rr").arg("--version").stdin(Stdio::null()).output();
    if version.is_err() {
        return Err("rr is not installed (on Debian: apt install rr)".to_owned());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let trial = Command::new("rr")
        .args(["record", "-o"])
        .arg(folder.path().join("trial"))
        .arg("/bin/true")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if trial.status.success() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&trial.stderr).into_owned();
        let reason = said
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("it says nothing");
        Err(format!("`rr record /bin/true` fails: {}", reason.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_and_others_are_refused() {
        for chaos in [Chaos::None, Chaos::Signals, Chaos::Schedule, Chaos::Rr] {
            assert_eq!(chaos.to_string().parse::<Chaos>().ok(), Some(chaos));
        }
        assert!(
            "loud"
                .parse::<Chaos>()
                .is_err_and(|error| error.to_string().contains("signals"))
        );
    }

    #[test]
    fn a_program_without_instrumentation_is_refused() {
        let error = Chaos::Schedule.probe(Path::new("/bin/true"));
        assert!(matches!(error, Err(ChaosError::NotInstrumented(_))));
        assert!(Chaos::None.probe(Path::new("/bin/true")).is_ok());
    }
}
