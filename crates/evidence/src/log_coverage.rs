//! What several logs exercised of a specification together.

use serde::Serialize;

use crate::log_findings::LogFindings;

/// How often each action was taken, over several logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LogCoverage {
    /// The number of logs.
    pub logs: u64,
    /// Every action of the next-state relation.
    pub actions: Vec<LogActionCoverage>,
}

/// How often an action was taken, over several logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogActionCoverage {
    /// Its name.
    pub action: String,
    /// File, line and column.
    pub at: String,
    /// How many steps took it.
    pub taken: u64,
    /// How many logs have such a step.
    pub logs: u64,
}

impl LogCoverage {
    /// As JSON.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists all have a JSON form, so this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds what one log exercised.
    pub fn add(&mut self, findings: &LogFindings) {
        self.logs += 1;
        for action in &findings.actions {
            let known = self.actions.iter_mut().find(|own| own.at == action.at);
            let is_taken = u64::from(action.taken > 0);
            match known {
                Some(own) => {
                    own.taken += action.taken;
                    own.logs += is_taken;
                }
                None => self.actions.push(LogActionCoverage {
                    action: action.action.clone(),
                    at: action.at.clone(),
                    taken: action.taken,
                    logs: is_taken,
                }),
            }
        }
    }
}
