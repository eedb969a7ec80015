//! What is done with an input, and what is wrong with an answer.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use omnilink_memory::guard::{self, WorkLimits};
use omnilink_memory::peak_bytes;
use omnilink_tla::SpecOptions;
use omnilink_trace::{OpenOptions, Trace};

use crate::{MEMORY_MAX, TIME_MAX};

/// What reads an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Trace,
    Spec,
    /// A configuration, which belongs to the specification of the same name.
    Config,
}

impl Kind {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Spec => "tla",
            Self::Config => "cfg",
        }
    }
}

/// What was done to a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing that is known.
    Any,
    /// Its end is missing.
    Cut,
    /// Something stands behind its end.
    Tail,
}

/// An input, or what one is made of.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) change: Change,
    /// The whole of what was changed.
    whole: Arc<[u8]>,
}

impl Seed {
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let kind = match path.extension().and_then(|extension| extension.to_str()) {
            Some("tla") => Kind::Spec,
            Some("cfg") => Kind::Config,
            _ => Kind::Trace,
        };
        Ok(Self {
            kind,
            whole: bytes.as_slice().into(),
            bytes,
            change: Change::Any,
        })
    }
}

/// The seeds of a folder.
pub(crate) fn seeds(folder: &Path) -> io::Result<Vec<Seed>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    paths.iter().map(|path| Seed::read(path)).collect()
}

/// What must not be.
#[derive(Debug)]
pub(crate) enum Wrong {
    Panic(String),
    Slow(f64),
    Memory(u64),
    /// Fewer operations, and nothing says so.
    Silent(usize, usize),
}

impl Wrong {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Panic(_) => "panic",
            Self::Slow(_) => "slow",
            Self::Memory(_) => "memory",
            Self::Silent(..) => "silent",
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => write!(f, "panic: {message}"),
            Self::Slow(seconds) => write!(f, "took {seconds:.1} s"),
            Self::Memory(bytes) => write!(f, "held {} MB", bytes / 1_000_000),
            Self::Silent(whole, found) => {
                write!(f, "read {found} of {whole} operations, and nothing says so")
            }
        }
    }
}

/// Reads an input.
pub(crate) fn try_input(input: &Seed) -> Result<(), Wrong> {
    let before = peak_bytes().unwrap_or(0);
    let started = Instant::now();
    let _limits = guard::begin(WorkLimits {
        time: Some(2 * TIME_MAX),
        memory_bytes: Some(2 * MEMORY_MAX),
        interrupt: None,
    });
    let answer = catch_unwind(AssertUnwindSafe(|| match input.kind {
        Kind::Trace => trace(input),
        Kind::Spec | Kind::Config => specification(input),
    }));
    let seconds = started.elapsed();
    match answer {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            return Err(Wrong::Panic(text.unwrap_or_default()));
        }
        Ok(answer) => answer?,
    }
    if seconds > TIME_MAX {
        return Err(Wrong::Slow(seconds.as_secs_f64()));
    }
    match peak_bytes() {
        Some(peak) if peak > MEMORY_MAX && before <= MEMORY_MAX => Err(Wrong::Memory(peak)),
        _ => Ok(()),
    }
}

/// The operations of a trace, drawn, and whether anything was said about how it was read; `None` if it was refused.
fn read(bytes: &[u8]) -> Option<(Vec<String>, usize)> {
    let options = OpenOptions::new()
        .with_async_threads(true)
        .with_max_input(64 << 20);
    let mut trace = Trace::from_bytes("input", bytes, &options).ok()?;
    let mut operations = Vec::new();
    for operation in &mut trace {
        operations.push(operation.ok()?.to_string());
    }
    operations.sort_unstable();
    Some((operations, trace.notes().len()))
}

fn trace(input: &Seed) -> Result<(), Wrong> {
    let found = read(&input.bytes);
    let Some((found, notes)) = found.filter(|_| input.change != Change::Any) else {
        return Ok(());
    };
    let Some((whole, usual)) = read(&input.whole) else {
        return Ok(());
    };
    // The beginning of a sequence of records is a sequence of records; where it ends between two of them, nobody can tell.
    let is_shorter = {
        let rest = &input.whole[input.bytes.len().min(input.whole.len())..];
        let before = input.bytes.last() == Some(&b'\n');
        input.change == Change::Cut && (before || rest.first() == Some(&b'\n') || !is_text(&input.whole))
    };
    if found.len() < whole.len() && notes <= usual && !is_shorter && !input.bytes.is_empty() {
        return Err(Wrong::Silent(whole.len(), found.len()));
    }
    Ok(())
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0)
}

/// Checks a specification, which does not evaluate it.
fn specification(input: &Seed) -> Result<(), Wrong> {
    let Ok(folder) = tempfile::tempdir() else {
        return Ok(());
    };
    let path = folder.path().join("Input.tla");
    let config = folder.path().join("Input.cfg");
    let spec: &[u8] = match input.kind {
        Kind::Config => b"---- MODULE Input ----\nEXTENDS Integers\nCONSTANTS N, S\nVARIABLE x\nInit == x = N\nNext == x' = x + 1 /\\ x \\in S\n====\n",
        _ => &input.bytes,
    };
    let written = std::fs::write(&path, spec).and_then(|()| match input.kind {
        Kind::Config => std::fs::write(&config, &input.bytes),
        _ => Ok(()),
    });
    if written.is_ok() {
        let options = SpecOptions {
            config: Some(config).filter(|_| input.kind == Kind::Config),
            ..SpecOptions::default()
        };
        let _ = omnilink_tla::check(&path, &options);
    }
    Ok(())
}
