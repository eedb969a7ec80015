//! Files of serial observations: JSON, one matrix per line.
//!
//! `{"matrix":"push(1) | pop()","histories":[[["0","push(1)","ok"],["1","pop()","1"]], …]}`. A call that is stuck has no
//! third part; one that crashed has `{"crash":"SIGSEGV"}` there.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};
use thiserror::Error;

use super::{ObservedSerial, SerialObservation, SerialOutcome};

/// Why an observation file cannot be read.
#[derive(Debug, Error)]
pub enum ObservationError {
    /// The file cannot be read.
    #[error("{file}, line {line}: {error}")]
    Io {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What the system says.
        error: io::Error,
    },
    /// A line is no observation.
    #[error(
        "{file}, line {line}: {problem}; expected {{\"matrix\": …, \"histories\": [[[thread, call, result], …], …]}}, \
         as `--observations` writes it"
    )]
    Format {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// Writes observations.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_observations(out: &mut dyn Write, observations: &[SerialObservation]) -> io::Result<()> {
    for observation in observations {
        let histories: Vec<Vec<Value>> = observation
            .histories
            .iter()
            .map(|history| history.iter().map(step_json).collect())
            .collect();
        let line = json!({ "matrix": observation.matrix, "histories": histories });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn step_json(step: &ObservedSerial) -> Value {
    match &step.outcome {
        SerialOutcome::Returned(result) => json!([step.thread, step.call, result]),
        SerialOutcome::Stuck => json!([step.thread, step.call]),
        SerialOutcome::Crashed(reason) => json!([step.thread, step.call, { "crash": reason }]),
    }
}

/// Reads what [`write_observations`] writes. `file` is for messages.
///
/// # Errors
/// When it cannot be read or is something else; the message names the line.
pub fn read_observations(
    file: &str,
    input: impl BufRead,
) -> Result<Vec<SerialObservation>, ObservationError> {
    let mut observations = Vec::new();
    for (index, text) in input.lines().enumerate() {
        let line = index + 1;
        let text = text.map_err(|error| ObservationError::Io {
            file: file.to_owned(),
            line,
            error,
        })?;
        if text.trim().is_empty() {
            continue;
        }
        let read = read_line(&text).map_err(|problem| ObservationError::Format {
            file: file.to_owned(),
            line,
            problem,
        })?;
        observations.push(read);
    }
    Ok(observations)
}

fn read_line(text: &str) -> Result<SerialObservation, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let matrix = value
        .get("matrix")
        .and_then(Value::as_str)
        .ok_or("there is no \"matrix\"")?;
    let histories = value
        .get("histories")
        .and_then(Value::as_array)
        .ok_or("there are no \"histories\"")?;
    let mut read = Vec::with_capacity(histories.len());
    for (index, history) in histories.iter().enumerate() {
        let steps = history
            .as_array()
            .ok_or_else(|| format!("history {} is no list", index + 1))?;
        let steps = steps.iter().map(read_step).collect::<Option<Vec<_>>>();
        read.push(steps.ok_or_else(|| format!("a call of history {} cannot be understood", index + 1))?);
    }
    read.sort_unstable();
    Ok(SerialObservation {
        matrix: matrix.to_owned(),
        histories: read,
    })
}

fn read_step(step: &Value) -> Option<ObservedSerial> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (thread, call, outcome) = match step.as_array()?.as_slice() {
        [thread, call] => (thread, call, SerialOutcome::Stuck),
        [thread, call, Value::String(result)] => (thread, call, SerialOutcome::Returned(result.clone())),
        [thread, call, crash] => (thread, call, SerialOutcome::Crashed(text(crash.get("crash")?)?)),
        _ => return None,
    };
    Some(ObservedSerial {
        thread: text(thread)?,
        call: text(call)?,
        outcome,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: &str, call: &str, outcome: SerialOutcome) -> ObservedSerial {
        ObservedSerial {
            thread: thread.to_owned(),
            call: call.to_owned(),
            outcome,
        }
    }

    #[test]
    fn observations_are_read_as_they_are_written() {
        let returned = |text: &str| SerialOutcome::Returned(text.to_owned());
        let mut histories = vec![
            vec![
                step("initially", "push(\"a\")", returned("()")),
                step("1", "pop()", SerialOutcome::Stuck),
            ],
            vec![step("0", "pop()", SerialOutcome::Crashed("SIGSEGV".to_owned()))],
            vec![],
        ];
        histories.sort_unstable();
        let observation = SerialObservation {
            matrix: "{push(\"a\")} pop() | pop()".to_owned(),
            histories,
        };
        let mut bytes = Vec::new();
        write_observations(&mut bytes, std::slice::from_ref(&observation)).unwrap();
        assert_eq!(read_observations("o", bytes.as_slice()).unwrap(), [observation]);
    }

    #[test]
    fn what_is_no_observation_is_named_with_its_line() {
        let error = |text: &str| {
            read_observations("o.json", text.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert!(error("\n{}").starts_with("o.json, line 2: there is no \"matrix\""));
        assert!(error("{\"matrix\":\"a\"}").contains("no \"histories\""));
        assert!(error("{\"matrix\":\"a\",\"histories\":[[[1]]]}").contains("history 1"));
        assert!(error("[").contains("line 1"));
    }
}
