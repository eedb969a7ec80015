//! What an answer covers, and which commands cover more.

use omnilink_evidence::{LineupScope, PlainAccesses, RunMemory};

use crate::figures::count;
use crate::look::Look;
use crate::paragraph::wrapped;

const RUST_LIBRARY: &str = "Rust's standard library, but for what is generic or inlined and where it waits";

pub(super) fn text(scope: &LineupScope, look: &Look) -> String {
    let mut lines = vec![format!(
        "Covered: {}. Threads are switched {}.{} {}",
        scope.matrices,
        switched(scope),
        spins(scope),
        memory(scope),
    )];
    let rust_library = scope.rust_library_prebuilt.then_some(RUST_LIBRARY);
    let libraries = scope
        .not_instrumented
        .iter()
        .map(|library| library_text(library, scope));
    let libraries: Vec<String> = libraries.chain(rust_library.map(ToOwned::to_owned)).collect();
    if !libraries.is_empty() {
        lines.push(format!("Not seen into: {}.", libraries.join("; ")));
    }
    if !scope.calls_without_steps.is_empty() {
        lines.push(format!(
            "Warning: no step was seen in {}: nothing in it is atomic, a lock or a wait. If it has inline assembly, its accesses are not seen \
             either.",
            scope.calls_without_steps.join(", ")
        ));
    }
    if let Some(race) = &scope.suspected_race {
        lines.push(format!(
            "A data race is suspected: {}. It may be none, if what is not seen into orders the two.",
            race.join("; ")
        ));
    }
    let mut page = String::new();
    for line in lines {
        page.push_str(&wrapped("  ", &look.clean(&line), look));
    }
    if !scope.next.is_empty() {
        page.push_str("  To look further:\n");
        for command in &scope.next {
            page.push_str(&format!("    {command}\n"));
        }
    }
    page
}

/// A library, and how often the component called it.
fn library_text(library: &str, scope: &LineupScope) -> String {
    match scope.calls_not_seen.get(library) {
        Some(1) => format!("{library} (1 call)"),
        Some(calls) => format!("{library} ({} calls)", count(*calls)),
        None => library.to_owned(),
    }
}

fn memory(scope: &LineupScope) -> String {
    match scope.memory_model {
        RunMemory::SequentiallyConsistent => {
            "Memory is sequentially consistent in all runs: what weaker orders allow on top of that is not looked at."
                .to_owned()
        }
        RunMemory::Cpp20 => format!(
            "Atomic accesses read what the memory orders of C++20 allow; at most {} of a run not the newest store. {}",
            count(scope.stale_reads.unwrap_or(0).into()),
            if scope.load_buffering_possible {
"Load buffering was not explored, and is possible: a relaxed load comes before a relaxed store."
} else {
"Load buffering is not possible in these runs: no relaxed load comes before a relaxed store."
}
        ),
        RunMemory::Processor => "Memory is what the processor makes of it.".to_owned(),
    }
}

/// How far a thread is followed that waits by reading.
fn spins(scope: &LineupScope) -> String {
    let more = match scope.spins {
        None => return String::new(),
        Some(0) => String::new(),
        Some(1) => ", and once in a run without that".to_owned(),
        Some(many) => format!(", and {many} times in a run without that"),
    };
    format!(" A thread that waits by reading goes on when something has changed{more}.")
}

fn switched(scope: &LineupScope) -> String {
    match scope.plain_accesses {
        PlainAccesses::All => "at every access".to_owned(),
        PlainAccesses::Racing => format!(
            "at atomic accesses, locks and waits, and at plain accesses that race ({})",
            match scope.racing_places {
                0 => "none was seen".to_owned(),
                1 => "1 place".to_owned(),
                many => format!("{} places", count(many as u64)),
            }
        ),
        PlainAccesses::None => "at atomic accesses, locks and waits, and not at plain accesses".to_owned(),
    }
}
