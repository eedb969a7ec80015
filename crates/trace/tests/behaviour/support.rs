//! Helpers that read a trace and draw its operations.

use omnilink_trace::{OpenOptions, Operation, Trace, TraceError};

pub fn open(bytes: impl AsRef<[u8]>) -> Result<Trace, TraceError> {
    Trace::from_bytes("test", bytes.as_ref(), &OpenOptions::default())
}

pub fn read_all(bytes: impl AsRef<[u8]>) -> Result<Vec<Operation>, TraceError> {
    open(bytes)?.collect()
}

pub fn read(bytes: impl AsRef<[u8]>) -> Vec<Operation> {
    read_all(bytes).expect("a readable trace")
}

pub fn refusal(bytes: impl AsRef<[u8]>) -> String {
    read_all(bytes).expect_err("a trace that is refused").to_string()
}

/// Reads to the end and returns the notes.
pub fn notes(bytes: impl AsRef<[u8]>) -> Vec<String> {
    let mut trace = open(bytes).expect("a readable trace");
    for operation in &mut trace {
        operation.expect("a readable operation");
    }
    trace.notes().iter().map(ToString::to_string).collect()
}

/// One operation a line: `0 [12,40] KVInsert(key: 3) = 4`.
pub fn draw(operations: &[Operation]) -> String {
    let mut picture = String::new();
    for operation in operations {
        let end = operation
            .timebox
            .end
            .map_or("…".to_owned(), |end| end.to_string());
        picture += &format!(
            "{} [{},{end}] {operation}\n",
            operation.thread, operation.timebox.start
        );
    }
    picture
}

/// Operations without their locations, which differ between encodings.
pub fn without_locations(mut operations: Vec<Operation>) -> Vec<Operation> {
    for operation in &mut operations {
        operation.location = omnilink_trace::Location::whole("anywhere");
    }
    operations
}
