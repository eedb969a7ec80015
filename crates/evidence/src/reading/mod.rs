//! Evidence read back from its JSON form.
//!
//! Derived readers of sixty types were four fifths of this crate's machine code, most of it for fields of one object that belong to
//! several types. Here a text is taken apart once, and [`records`] says by which names the fields of each type go.

mod json;
mod records;

use json::{Fields, Json};

use crate::evidence::{Evidence, EvidenceError, VERSION};

impl Evidence {
    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// If the text is not JSON, is not evidence, or is of a later version.
    pub fn from_json(text: &str) -> Result<Self, EvidenceError> {
        let malformed = |problem: json::Problem| problem.in_text(text);
        let object = Json::whole(text)
            .and_then(|whole| whole.object())
            .map_err(malformed)?;
        // First of all: evidence of a later version may have other fields.
        match object.field::<u32>("evidence").map_err(malformed)? {
            VERSION => Self::from_fields(&object).map_err(malformed),
            version => Err(EvidenceError::Version(version)),
        }
    }

    /// Reads the evidence of a text: one object, or one a line.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json), with the number of the line.
    pub fn all_from_json(text: &str) -> Result<Vec<Self>, (usize, EvidenceError)> {
        if let Ok(evidence) = Self::from_json(text) {
            return Ok(vec![evidence]);
        }
        let lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| Self::from_json(line).map_err(|error| (at, error)))
            .collect()
    }
}
