//! Where a thread stands, in the source.

use omnilink_sched::ThreadPlace;
use omnilink_source_lines::SourceLines;

/// The line of a place, if its thread has begun: in the innermost function that is not one of the standard library, and if that is in a
/// dependency, the innermost one of the project too.
pub(crate) fn line_of(place: &ThreadPlace, source: &mut SourceLines) -> Option<String> {
    if place.code == 0 && place.frames.is_empty() {
        return None;
    }
    let codes = std::iter::once(place.code).chain(place.frames.iter().copied());
    let own: Vec<u64> = codes.filter(|code| source.find_own(*code).is_some()).collect();
    let mut lines = own.iter().filter_map(|code| source.find_named(*code));
    Some(match lines.next() {
        None => named(place.code, source),
        Some(innermost) if !is_in_dependency(&innermost) => innermost,
        Some(innermost) => match lines.find(|line| !is_in_dependency(line)) {
            Some(outer) => format!("{innermost}, called at {outer}"),
            None => innermost,
        },
    })
}

/// The lines of the project that a thread is in, the innermost first.
pub(crate) fn project_lines(place: &ThreadPlace, source: &mut SourceLines) -> Vec<String> {
    let codes = std::iter::once(place.code).chain(place.frames.iter().copied());
    let mut lines: Vec<String> = codes.filter_map(|code| source.find_own(code)).collect();
    lines.retain(|line| !is_in_dependency(line));
    lines.dedup();
    lines
}

/// The line of a code address with what is accessed there, or the address.
pub(crate) fn named(code: u64, source: &mut SourceLines) -> String {
    match source.find_named(code) {
        Some(line) => line,
        None => format!("address {code:#x}"),
    }
}

/// Whether a source line, as it is shown, is in a crate of the registry: `crossbeam-epoch-0.9.18/src/internal.rs:33`.
pub(crate) fn is_in_dependency(line: &str) -> bool {
    let first = line.split('/').next().unwrap_or_default();
    let version = first.rsplit('-').next().unwrap_or_default();
    version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_a_dependency_is_recognised() {
        assert!(is_in_dependency("tokio-1.54.1/src/runtime/park.rs:90"));
        assert!(!is_in_dependency("src/lib.rs:90"));
        assert!(!is_in_dependency("my-crate/src/lib.rs:90"));
    }
}
