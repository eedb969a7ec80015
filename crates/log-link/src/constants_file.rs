//! Constants from a file of JSON objects, one a line: `{"RM":["rm-0","rm-1"]}`.

use std::path::Path;

use omnilink_value::Value;

use crate::error::LogError;
use crate::read::LineReader;

/// The constants that a file gives values. An array is a set; a sequence is written as `{"$seq":[…]}`.
///
/// # Errors
/// If the file cannot be read.
pub fn constants_of_file(path: &Path) -> Result<Vec<(String, Value)>, LogError> {
    let mut constants = Vec::new();
    let mut reader = LineReader::open(path)?;
    while let Some(line) = reader.next_line()? {
        for (name, value) in line.record.as_record().into_iter().flat_map(|record| {
            record
                .iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect::<Vec<_>>()
        }) {
            constants.push((name, as_constant(&value)));
        }
    }
    Ok(constants)
}

fn as_constant(value: &Value) -> Value {
    match (value.as_tuple(), value.field("$seq")) {
        (_, Some(sequence)) => sequence.clone(),
        (Some(elements), None) => Value::set(elements.iter().cloned()),
        (None, None) => value.clone(),
    }
}
