//! Places of a project at which a thread may wait, and those at which none ever did.
//!
//! A lock that was always free says little about what happens when it is not: the schedules have not tried it. A *waiting point* is a
//! line of the project from which something is called that may wait: a function of the C library or of the system, which the runtime
//! sees, or a lock, channel or barrier of Rust, which is known by its name, since it waits in a system call only.

use std::collections::BTreeMap;

use omnilink_sched::{ThreadPlace, WaitingPlace};
use omnilink_source_lines::{Function, SourceLines};
use rustc_hash::FxHashMap;

use crate::place::is_in_dependency;

/// The waiting points of a test.
#[derive(Debug, Clone, Default)]
pub struct WaitingPoints {
    /// Lines of the project with what is called there: whether a thread has waited.
    points: BTreeMap<String, bool>,
}

impl WaitingPoints {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Those at which no thread has waited.
    pub fn never_waited(&self) -> impl Iterator<Item = &str> {
        self.points
            .iter()
            .filter(|(_, has_waited)| !**has_waited)
            .map(|(line, _)| line.as_str())
    }

    /// Adds those of another test of the same project: a point is reached if a thread waited there in one of them.
    pub fn merge(&mut self, other: &Self) {
        let others = other.points.iter();
        others.for_each(|(line, has_waited)| self.add(line.clone(), *has_waited));
    }

    fn add(&mut self, line: String, has_waited: bool) {
        *self.points.entry(line).or_default() |= has_waited;
    }
}

/// Waiting points as runs tell them, by code addresses.
#[derive(Debug, Default)]
pub(crate) struct SeenWaits {
    /// By the address of the call, that of the library function, and the call sites.
    seen: FxHashMap<(u64, u64, Vec<u64>), WaitingPlace>,
}

impl SeenWaits {
    pub(crate) fn add(&mut self, places: Vec<WaitingPlace>) {
        for place in places {
            let key = (place.place.code, place.library_call, place.place.frames.clone());
            let has_waited = place.has_waited;
            self.seen.entry(key).or_insert(place).has_waited |= has_waited;
        }
    }

    /// In the source. `steps` are the places of the steps of a run.
    pub(crate) fn points(&self, steps: &[ThreadPlace], source: &mut SourceLines) -> WaitingPoints {
        let mut chains = CallChains {
            source,
            known: FxHashMap::default(),
        };
        let mut points = WaitingPoints::default();
        for step in steps {
            let codes = std::iter::once(step.code).chain(step.frames.iter().copied());
            if let Some(line) = chains.point(codes, may_wait) {
                points.add(line, false);
            }
        }
        for seen in self.seen.values() {
            let code = match chains.is_own(seen.place.code) {
                // Code of a library that is not linked into the program: where it was called is not known.
                None => continue,
                Some(false) if seen.library_call != 0 => seen.library_call,
                Some(_) => seen.place.code,
            };
            let codes = std::iter::once(code).chain(seen.place.frames.iter().copied());
            if let Some(line) = chains.point(codes, |_| true) {
                points.add(line, seen.has_waited);
            }
        }
        points
    }
}

/// The functions at code addresses, each looked up once.
struct CallChains<'a> {
    source: &'a mut SourceLines,
    known: FxHashMap<u64, Vec<Function>>,
}

impl CallChains<'_> {
    fn functions(&mut self, code: u64) -> &[Function] {
        self.known
            .entry(code)
            .or_insert_with(|| self.source.functions(code))
    }

    /// Whether code is that of the project or of a dependency; none if nothing is known about it.
    fn is_own(&mut self, code: u64) -> Option<bool> {
        self.functions(code).first().map(|function| function.is_own)
    }

    /// The innermost line of the project with what is called there, if something that was called from there is is one of those.
    fn point(
        &mut self,
        codes: impl Iterator<Item = u64>,
        is_one: impl Fn(&Function) -> bool,
    ) -> Option<String> {
        let mut called: Option<String> = None;
        let (mut is_called, mut is_found) = (false, false);
        for code in codes {
            for function in self.functions(code) {
                if function.is_own && !is_in_dependency(&function.line) {
                    // What waits in the line itself is a call of the C library.
                    let is_found = is_found || !is_called && is_one(function);
                    let name = called.as_deref().map(last_segment);
                    return is_found.then(|| match name {
                        Some(name) => format!("{} ({name})", function.line),
                        None => function.line.clone(),
                    });
                }
                is_found |= is_one(function);
                is_called = true;
                called.clone_from(&function.name);
            }
        }
        None
    }
}

/// Files of libraries, and those of their functions in which a thread may wait for another one. Debug information often has the names of
/// functions without those of their types.
const WAITING: [(&str, &[&str]); 9] = [
    ("mutex", &["lock"]),
    ("remutex", &["lock"]),
    ("reentrant_lock", &["lock"]),
    ("rwlock", &["read", "write", "upgradable_read"]),
    (
        "condvar",
        &[
            "wait",
            "wait_while",
            "wait_timeout",
            "wait_timeout_while",
            "wait_for",
            "wait_until",
        ],
    ),
    ("mpsc", &["recv", "recv_timeout"]),
    ("channel", &["recv", "recv_timeout", "recv_deadline"]),
    ("barrier", &["wait"]),
    ("wait_group", &["wait"]),
];

/// Whether a function of a library of Rust may wait.
fn may_wait(function: &Function) -> bool {
    let file = function.line.rsplit('/').next().unwrap_or_default();
    let Some((file, _)) = file.split_once(".rs:") else {
        return false;
    };
    let name = function.name.as_deref().map(last_segment);
    let is_it = |(known, methods): &(&str, &[&str])| {
        *known == file && name.as_deref().is_some_and(|name| methods.contains(&name))
    };
    WAITING.iter().any(is_it)
}

/// The name of a function without its type, type arguments, and the number behind it: `lock` of `<std::sync::Mutex<T>>::lock`.
fn last_segment(function: &str) -> String {
    const HASH_DIGITS: usize = 16;
    let mut depth = 0_u32;
    let is_outside = |letter: &char| match letter {
        '<' => {
            depth += 1;
            false
        }
        '>' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    };
    let plain: String = function.chars().filter(is_outside).collect();
    let is_hash = |segment: &&str| {
        let digits = segment.strip_prefix('h').unwrap_or_default();
        digits.len() == HASH_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let parts = plain
        .split("::")
        .filter(|part| !part.is_empty() && !is_hash(part));
    parts.last().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_wait_is_known_by_its_file_and_its_name() {
        let may_wait = |name: &str, line: &str| {
            may_wait(&Function {
                name: Some(name.to_owned()),
                line: line.to_owned(),
                is_own: false,
            })
        };
        let mutex = "std/src/sync/poison/mutex.rs:492";
        for name in [
            "lock<i32>",
            "std::sync::poison::mutex::Mutex<T>::lock",
            "std::sync::poison::mutex::Mutex<T>::lock::h0123456789abcdef",
            "<std::sync::poison::mutex::Mutex<alloc::vec::Vec<u8>>>::lock",
        ] {
            assert!(may_wait(name, mutex), "{name}");
        }
        assert!(may_wait("write<R, T>", "lock_api-0.4.12/src/rwlock.rs:9"));
        assert!(may_wait("recv<T>", "std/src/sync/mpsc.rs:901"));
        assert!(!may_wait("try_lock<i32>", mutex));
        assert!(!may_wait("read<u8>", "core/src/ptr/mod.rs:1732"));
        assert!(!may_wait("send<T>", "std/src/sync/mpsc.rs:700"));
    }

    #[test]
    fn a_point_at_which_one_run_waited_is_reached() {
        let mut points = WaitingPoints::default();
        points.add("src/lib.rs:3".to_owned(), false);
        points.add("src/lib.rs:3".to_owned(), true);
        points.add("src/lib.rs:3".to_owned(), false);
        points.add("src/lib.rs:9".to_owned(), false);
        assert_eq!(points.never_waited().collect::<Vec<_>>(), ["src/lib.rs:9"]);
        assert_eq!(points.len(), 2);
    }
}
