//! What happened to a system while it was observed: faults of a nemesis, lines of a log.

use omnilink_trace::Time;
use serde::{Deserialize, Serialize};

/// Something that happened to the system: a moment, or a time from `start` to `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// When it began, in the unit of the trace.
    #[serde(alias = "at")]
    pub start: Time,
    /// When it ended. Absent in a side file: it was a moment. `null` on the page: it never ended.
    #[serde(default)]
    pub end: Option<Time>,
    /// What it was.
    pub text: String,
}

impl Fault {
    pub(crate) fn relative_to(&self, base: Time) -> Self {
        Self {
            start: self.start.saturating_sub(base),
            end: self.end.map(|end| end.saturating_sub(base)),
            text: self.text.clone(),
        }
    }
}

/// The faults and lines of a side file: one JSON object a line, `{"start":1200,"end":3400,"text":"partition"}` or
/// `{"at":1200,"text":"leader elected"}`.
///
/// # Errors
/// The number of the first line that is none, and what is wrong with it.
pub fn faults_of_log(text: &str) -> Result<Vec<Fault>, (usize, serde_json::Error)> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let mut fault: Fault = serde_json::from_str(line).map_err(|error| (at + 1, error))?;
            fault.end.get_or_insert(fault.start);
            Ok(fault)
        })
        .collect()
}

/// The faults of the nemesis in a Jepsen history or log.
///
/// A line of the nemesis has its place among the lines of the clients, whose times the trace tells: `time_of_line` gives the time of
/// the first operation that was called on a line or after it. A fault lasts from `:start…` to the next `:stop…`; Jepsen writes
/// each twice, before and after it is done.
pub fn nemesis_faults(text: &str, time_of_line: impl Fn(u64) -> Option<Time>) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(name) = nemesis_operation(line) else {
            continue;
        };
        let Some(time) = time_of_line(number as u64 + 1) else {
            continue;
        };
        if ENDING.iter().any(|word| name.starts_with(word)) {
            for at in open.drain(..) {
                faults[at].end = Some(time);
            }
            continue;
        }
        let is_repeated = faults
            .last()
            .is_some_and(|last| last.text == name && (last.end.is_none() || last.start == time));
        if is_repeated {
            continue;
        }
        let lasts = BEGINNING.iter().any(|word| name.contains(word));
        if lasts {
            open.push(faults.len());
        }
        faults.push(Fault {
            start: time,
            end: (!lasts).then_some(time),
            text: name.to_owned(),
        });
    }
    faults
}

const BEGINNING: [&str; 5] = ["start", "partition", "kill", "pause", "isolate"];
const ENDING: [&str; 6] = ["stop", "heal", "resume", "recover", "restart", "start-all"];

/// The operation of a line of the nemesis, in any of Jepsen's forms: `:process :nemesis … :f :start`, `"process":"nemesis" …
/// "f":"start"`, `:nemesis :info :start`.
fn nemesis_operation(line: &str) -> Option<&str> {
    let at = line.find("nemesis")?;
    let before = line[..at].trim_end_matches([':', '"', ' ', '\t']);
    let is_map = before.ends_with("process");
    let named = if is_map {
        line.split_once(":f ")
            .or_else(|| line.split_once("\"f\":"))
            .map(|(_, rest)| rest)?
    } else {
        // A line of a log: the process, the type, then the operation.

        let rest = line[at + "nemesis".len()..].trim_start();
        rest.strip_prefix(":info")
            .or_else(|| rest.strip_prefix(":invoke"))?
    };
    let named = named.trim_start_matches([' ', '\t', ':', '"']);
    let end = named
        .find(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_')
        .unwrap_or(named.len());
    (end > 0).then(|| &named[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(start: Time, end: Option<Time>, text: &str) -> Fault {
        let text = text.to_owned();
        Fault { start, end, text }
    }

    #[test]
    fn a_partition_lasts_until_it_is_healed() {
        let history = "\
{:process 0, :type :invoke, :f :read, :value nil}
{:process :nemesis, :type :info, :f :start-partition, :value nil}
{:process :nemesis, :type :info, :f :start-partition, :value [:isolated n1]}
{:process 0, :type :ok, :f :read, :value 3}
{:process :nemesis, :type :info, :f :stop-partition, :value nil}
{:process 1, :type :invoke, :f :read, :value nil}
";
        let faults = nemesis_faults(history, |line| Some(line as Time * 10));
        assert_eq!(faults, [fault(20, Some(50), "start-partition")]);
    }

    #[test]
    fn lines_of_a_log_and_of_json_are_recognised() {
        let log = "INFO  jepsen.util - :nemesis :info :start nil\nINFO  jepsen.util - 0 :invoke :read nil\n";
        assert_eq!(nemesis_faults(log, |_| Some(7)), [fault(7, None, "start")]);
        let json = r#"{"process":"nemesis","type":"info","f":"kill","value":null}"#;
        assert_eq!(nemesis_faults(json, |_| Some(7)), [fault(7, None, "kill")]);
        assert_eq!(nemesis_faults("nothing about the nemesis here", |_| Some(7)), []);
    }

    #[test]
    fn a_side_file_has_moments_and_times() {
        let text =
            "{\"start\":1,\"end\":5,\"text\":\"slow disk\"}\n\n{\"at\":3,\"text\":\"leader elected\"}\n";
        let faults = faults_of_log(text).expect("it is well-formed");
        assert_eq!(
            faults,
            [
                fault(1, Some(5), "slow disk"),
                fault(3, Some(3), "leader elected")
            ]
        );
        assert_eq!(
            faults_of_log("{\"at\":1,\"text\":\"a\"}\n3\n").map_err(|(line, _)| line),
            Err(2)
        );
    }
}
