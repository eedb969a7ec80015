//! A driver: a program that does what it is told, and says what it sees.
//!
//! The two speak JSON, one object per line, over the driver's standard input and output. `docs/drive.md` describes the lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use omnilink_mc::report::ActionTaken;
use omnilink_mc::{RecordedValue, State, plain_json};
use serde_json::{Map, Value as Json, json};
use thiserror::Error;

use crate::follower::SeenValues;

/// What a driver says after a step.
#[derive(Clone, Debug, PartialEq)]
pub enum DriverAnswer {
    /// It was done.
    Done {
        /// What is seen of the state.
        state: SeenValues,
        /// Parameters that the system chose by itself.
        parameters: SeenValues,
    },
    /// The system did not do it.
    Refused(String),
    /// Nobody has said yet how to do it.
    Unimplemented(String),
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum DriverError {
    /// It cannot be started.
    #[error("{program} cannot be started: {error}; give the program that drives your system after --")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It has ended.
    #[error("the driver ended ({0}) without an answer")]
    Ended(String),
    /// It takes too long.
    #[error("the driver gave no answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// Someone pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// What it says makes no sense.
    #[error("the driver said {line}: {message}; what it prints for people has to go to standard error")]
    Nonsense {
        /// What it said, shortened.
        line: String,
        /// What is wrong with it.
        message: String,
    },
}

/// How often a driver that has not answered is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// A longer answer is refused.
const LINE_MAX: u64 = 64 << 20;
/// Longer lines are shortened in messages.
const SHOWN_MAX: usize = 200;
/// A driver that is told to stop may take this long.
const GRACE: Duration = Duration::from_millis(500);

/// A driver that runs.
#[derive(Debug)]
pub struct DriverProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    timeout: Duration,
    is_interrupted: fn() -> bool,
}

impl DriverProcess {
    /// Starts a driver that has to answer within a time.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        command: &[String],
        timeout: Duration,
        is_interrupted: fn() -> bool,
    ) -> Result<Self, DriverError> {
        let program = command.first().map_or("", String::as_str);
        let failed = |error| DriverError::Start {
            program: program.to_owned(),
            error,
        };
        let mut child = Command::new(program)
            .args(command.get(1..).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (sender, lines) = channel();
        let output = child.stdout.take();
        std::thread::spawn(move || {
            let Some(output) = output else { return };
            let mut reader = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = reader.by_ref().take(LINE_MAX).read_line(&mut line);
                // A line without its end is what a driver that died left behind.
                let is_end = matches!(read, Ok(0)) || (read.is_ok() && !line.ends_with('\n'));
                if is_end || sender.send(read.map(|_| line)).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            input: child.stdin.take(),
            child,
            lines,
            timeout,
            is_interrupted,
        })
    }

    /// Tells the driver to begin a behaviour in an initial state.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn begin(
        &mut self,
        behaviour: &str,
        variables: &[String],
        state: &State,
    ) -> Result<DriverAnswer, DriverError> {
        let named = variables.iter().zip(state.iter());
        let state: Map<String, Json> = named
            .map(|(name, value)| (name.clone(), plain_json(value)))
            .collect();
        self.ask(&json!({"do": "start", "behaviour": behaviour, "state": state}))
    }

    /// Tells the driver to do a step.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn step(&mut self, number: usize, action: &ActionTaken) -> Result<DriverAnswer, DriverError> {
        let parameters = action.bindings.iter();
        let parameters: Map<String, Json> = parameters
            .map(|(name, value)| (name.clone(), plain_json(value)))
            .collect();
        self.ask(&json!({"do": "step", "number": number, "action": action.name, "parameters": parameters}))
    }

    fn ask(&mut self, told: &Json) -> Result<DriverAnswer, DriverError> {
        let line = format!("{told}\n");
        let written = match &mut self.input {
            Some(input) => input.write_all(line.as_bytes()).and_then(|()| input.flush()),
            None => Ok(()),
        };
        // A driver that has ended does not listen; what it said before counts no more.
        if written.is_err() {
            return Err(self.ended());
        }
        let end = Instant::now() + self.timeout;
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(Ok(line)) => return answer(line.trim_end()),
                Ok(Err(error)) => {
                    return Err(DriverError::Nonsense {
                        line: "something".to_owned(),
                        message: error.to_string(),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if (self.is_interrupted)() => {
                    return Err(DriverError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= end => {
                    return Err(DriverError::Timeout(self.timeout));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn ended(&mut self) -> DriverError {
        self.input = None;
        let status = self.wait(GRACE);
        // Ctrl-C ends the driver, too, and that is no crash of the system.
        if (self.is_interrupted)() {
            return DriverError::Interrupted;
        }
        DriverError::Ended(status.unwrap_or_else(|| "it closed its output".to_owned()))
    }

    /// How the driver ended, if it does within a time.
    fn wait(&mut self, time: Duration) -> Option<String> {
        let end = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

impl Drop for DriverProcess {
    /// A driver ends when its input does. One that does not is killed.
    fn drop(&mut self) {
        self.input = None;
        if self.wait(GRACE).is_none() {
            // It may have ended in the meantime.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn answer(line: &str) -> Result<DriverAnswer, DriverError> {
    let nonsense = |message: String| DriverError::Nonsense {
        line: line.chars().take(SHOWN_MAX).collect(),
        message,
    };
    let read: Json = serde_json::from_str(line).map_err(|error| nonsense(format!("no JSON: {error}")))?;
    let Json::Object(said) = &read else {
        return Err(nonsense("an answer is an object".to_owned()));
    };
    let text = |name: &str| match said.get(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(nonsense(format!("\"{name}\" is a text"))),
    };
    if let Some(text) = text("unimplemented")? {
        return Ok(DriverAnswer::Unimplemented(text));
    }
    if let Some(text) = text("error")? {
        return Ok(DriverAnswer::Refused(text));
    }
    let values = |name: &str| match said.get(name) {
        None => Ok(None),
        Some(Json::Object(values)) => {
            let values = values.iter();
            let values = values.map(|(name, value)| (name.clone(), RecordedValue::Json(value.clone())));
            Ok(Some(values.collect::<SeenValues>()))
        }
        Some(_) => Err(nonsense(format!("\"{name}\" is an object of names and values"))),
    };
    let parameters = values("parameters")?.unwrap_or_default();
    match values("state")? {
        Some(state) => Ok(DriverAnswer::Done { state, parameters }),
        None => Err(nonsense(
            "an answer has \"state\", \"error\" or \"unimplemented\"".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(line: &str) -> String {
        answer(line).expect_err("it makes no sense").to_string()
    }

    #[test]
    fn an_answer_is_a_state_or_says_why_there_is_none() {
        let done = answer(r#"{"state": {"x": [1, null]}}"#).expect("an answer");
        let DriverAnswer::Done { state, parameters } = done else {
            panic!("{done:?}");
        };
        assert_eq!((state.len(), parameters.len()), (1, 0));
        assert_eq!(
            answer(r#"{"error": "full"}"#).expect("an answer"),
            DriverAnswer::Refused("full".to_owned())
        );
        assert!(wrong("hello").contains("no JSON"));
        assert!(wrong("[1]").contains("an object"));
        assert!(wrong("{}").contains("\"state\""));
        assert!(wrong(r#"{"state": 3}"#).contains("names and values"));
        assert!(wrong(r#"{"error": 3}"#).contains("a text"));
    }
}
