//! Where something is in the specification.

use omnilink_tla::ir::{Loc, Program};

/// File and line of a location.
pub(crate) fn file_and_line(program: &Program, at: Loc) -> String {
    let source = program.sources.get(at.source);
    format!(
        "{}:{}",
        source.path().display(),
        source.line_column(at.span.start).line
    )
}
