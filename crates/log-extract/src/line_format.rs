//! How a line is taken apart into fields.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Map, Value};

use crate::field_text::value_of;
use crate::fields::Fields;
use crate::known_formats::{KNOWN, MESSAGES, TIMES};
use crate::pairs::pairs;
use crate::separated;

/// How lines are taken apart.
#[derive(Debug, Clone)]
pub(crate) enum LineFormat {
    /// A JSON object in each line: slog, zap, logrus, tracing's JSON, bunyan, pino, `journalctl -o json`.
    Json,
    /// `key=value` pairs.
    Pairs,
    /// Values with a separator between them; the first line has their names.
    Separated(char),
    /// `KEY=value` in each line, and an empty line after each record: `journalctl -o export`.
    Journal,
    /// Patterns with named groups. The first that matches counts.
    Patterns(Vec<Regex>),
}

impl LineFormat {
    /// The names of the known formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["json", "journal", "logfmt", "csv"]
            .into_iter()
            .chain(KNOWN.iter().map(|(name, _)| *name))
    }

    /// The format with a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "json" => Self::Json,
            "journal" => Self::Journal,
            "logfmt" => Self::Pairs,
            "csv" => Self::Separated(','),
            name => {
                let (_, patterns) = KNOWN.iter().find(|(known, _)| *known == name)?;
                let patterns = patterns.iter().map(|pattern| Regex::new(pattern).ok());
                Self::Patterns(patterns.collect::<Option<_>>()?)
            }
        })
    }

    /// Whether a record has a line for each of its fields.
    pub fn has_records(&self) -> bool {
        matches!(self, Self::Journal)
    }

    /// The fields that lines may have, if the format alone tells.
    pub fn names_of_fields(&self) -> Option<BTreeSet<String>> {
        let Self::Patterns(patterns) = self else {
            return None;
        };
        let names = patterns
            .iter()
            .flat_map(|pattern| pattern.capture_names().flatten());
        Some(names.map(str::to_owned).collect())
    }

    /// The fields of a line; `names` are those of the values of a CSV file. `None` if it has not this format.
    pub fn fields(&self, line: &str, names: &[String]) -> Option<Fields> {
        match self {
            Self::Json => {
                let Ok(Value::Object(object)) = serde_json::from_str(line) else {
                    return None;
                };
                let mut fields = Fields::of(object);
                add_usual_names(&mut fields);
                Some(fields)
            }
            Self::Pairs => {
                let (found, others) = pairs(line);
                // A sentence with some pairs in it is a message.
                if found.len() <= others.split_whitespace().count() {
                    return None;
                }
                let mut found = Fields::of(found);
                add_usual_names(&mut found);
                Some(found)
            }
            Self::Journal => {
                let (name, value) = line.split_once('=').filter(|(name, _)| is_journal_name(name))?;
                let mut fields = Fields::default();
                fields.set(
                    name,
                    if name == "MESSAGE" {
                        value.into()
                    } else {
                        value_of(value)
                    },
                );
                Some(fields)
            }
            Self::Separated(separator) => {
                let values = separated::values(line, *separator)?;
                if values.len() != names.len() {
                    return None;
                }
                let values = values.iter().map(|value| value_of(value));
                Some(Fields::of(
                    names.iter().cloned().zip(values).collect::<Map<_, _>>(),
                ))
            }
            Self::Patterns(patterns) => {
                let mut groups = patterns.iter().filter_map(|pattern| named_groups(pattern, line));
                groups.next().map(|groups| Fields::of(groups.collect()))
            }
        }
    }
}

/// Gives the time and the message the names that they have in all formats.
pub(crate) fn add_usual_names(fields: &mut Fields) {
    for (field, names) in [("time", &TIMES[..]), ("message", &MESSAGES[..])] {
        // `log` is a message in Docker's files, and an object elsewhere.
        let is_fit = |value: &&Value| field == "time" || value.is_string();
        let mut known = names.iter().filter_map(|name| fields.get(name));
        match known.find(is_fit).cloned() {
            // Docker keeps the end of the line.
            Some(Value::String(text)) => fields.set(field, text.trim_end().into()),
            Some(value) => fields.set(field, value),
            None => {}
        }
    }
}

/// Fields of the journal are in large letters.
fn is_journal_name(name: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
    !name.is_empty() && name.bytes().all(is_letter)
}

/// The named groups of a pattern in a text, those that took part; `None` if the pattern is not found. The time and the message stay texts.
pub(crate) fn named_groups<'t>(
    pattern: &'t Regex,
    text: &'t str,
) -> Option<impl Iterator<Item = (String, Value)> + 't> {
    let captures = pattern.captures(text)?;
    Some(pattern.capture_names().flatten().filter_map(move |name| {
        let group = captures.name(name)?.as_str();
        let value = match name {
            "time" | "message" => group.into(),
            _ => value_of(group),
        };
        Some((name.to_owned(), value))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, line: &str) -> String {
        let fields = LineFormat::named(format).unwrap().fields(line, &[]);
        let Some(fields) = fields else {
            return "no".to_owned();
        };
        let one = |(name, value): (&str, &Value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        };
        fields.iter().map(one).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn lines_of_known_formats_are_taken_apart() {
        for (format, line, expected) in [
            (
                "logback",
                "2024-05-01 12:00:01,204 [worker-1] INFO  c.e.Store - put x=3",
                "level=INFO|logger=c.e.Store|message=put x=3|thread=worker-1|time=2024-05-01 12:00:01,204",
            ),
            (
                "logback",
                "12:00:01.204 [main] WARN Store - m",
                "level=WARN|logger=Store|message=m|thread=main|time=12:00:01.204",
            ),
            (
                "logback",
                "[2024-05-01 12:00:01,204] INFO [Controller 1] elected (kafka.controller)",
                "level=INFO|logger=kafka.controller|message=elected|thread=Controller 1|time=2024-05-01 12:00:01,204",
            ),
            (
                "logback",
                "2024-05-01T12:00:01.204+02:00  INFO 77 --- [app] [           main] c.e.App : up",
                "level=INFO|logger=c.e.App|message=up|pid=77|thread=main|time=2024-05-01T12:00:01.204+02:00",
            ),
            (
                "env_logger",
                "[2024-05-01T12:00:01Z INFO  raft::core] became leader at term 3",
                "level=INFO|logger=raft::core|message=became leader at term 3|time=2024-05-01T12:00:01Z",
            ),
            (
                "tracing",
                "2024-05-01T12:00:01.000001Z  INFO server{id=3}: raft::core: elected term=3",
                "level=INFO|logger=raft::core|message=elected term=3|spans=server{id=3}: |time=2024-05-01T12:00:01.000001Z",
            ),
            (
                "tracing",
                "2024-05-01T12:00:01.000001Z DEBUG raft::core: elected",
                "level=DEBUG|logger=raft::core|message=elected|time=2024-05-01T12:00:01.000001Z",
            ),
            (
                "python",
                "2024-05-01 12:00:01,204 - store - INFO - put",
                "level=INFO|logger=store|message=put|time=2024-05-01 12:00:01,204",
            ),
            (
                "python",
                "INFO:store.tm:put",
                "level=INFO|logger=store.tm|message=put",
            ),
            (
                "glog",
                "I0501 12:00:01.000204  4711 store.cc:33] put",
                "level=I|message=put|source=store.cc:33|thread=4711|time=0501 12:00:01.000204",
            ),
            (
                "syslog",
                "<34>Oct 11 22:14:15 host-1 store[230]: put",
                "app=store|host=host-1|message=put|pid=230|time=Oct 11 22:14:15",
            ),
            (
                "syslog",
                "<165>1 2003-10-11T22:14:15.003Z host-1 store 230 ID47 [x@1 a=\"b\"] put",
                "app=store|host=host-1|id=ID47|message=put|pid=230|time=2003-10-11T22:14:15.003Z",
            ),
            (
                "go",
                "2024/05/01 12:00:01.204 raft.go:33: became leader",
                "message=became leader|source=raft.go:33|time=2024/05/01 12:00:01.204",
            ),
            (
                "go",
                "2024-03-05T08:09:25.123Z [INFO]  agent.raft: election won: term=2",
                "level=INFO|logger=agent.raft|message=election won: term=2|time=2024-03-05T08:09:25.123Z",
            ),
            (
                "json",
                r#"{"ts":1700000000.5,"msg":"put","k":{"n":1}}"#,
                r#"k={"n":1}|message=put|msg=put|time=1700000000.5|ts=1700000000.5"#,
            ),
            (
                "logfmt",
                r#"ts=2024-05-01T12:00:01Z level=info msg="put it" k=3"#,
                "k=3|level=info|message=put it|msg=put it|time=2024-05-01T12:00:01Z|ts=2024-05-01T12:00:01Z",
            ),
            (
                "logback",
                "2024-05-01 12:00:01,123 [myid:1] - INFO  [QuorumPeer[myid=1](plain=/0:0:0:0:0:0:0:0:2181):Leader@512] - lead",
                "level=INFO|logger=Leader|message=lead|myid=1|thread=QuorumPeer[myid=1](plain=/0:0:0:0:0:0:0:0:2181)|time=2024-05-01 12:00:01,123",
            ),
            (
                "logback",
                "INFO  [MutationStage-1] 2024-05-01 12:00:01,123 Lock.java:89 - acquire c=a",
                "level=INFO|line=89|logger=Lock.java|message=acquire c=a|thread=MutationStage-1|time=2024-05-01 12:00:01,123",
            ),
            (
                "postgres",
                "2024-05-01 12:00:01.001 UTC [4720] app@db LOG:  acquire c=a",
                "database=db|level=LOG|message=acquire c=a|pid=4720|time=2024-05-01 12:00:01.001|user=app|zone=UTC",
            ),
            (
                "nginx",
                "2024/05/01 12:00:01 [notice] 31#31: *1 acquire",
                "connection=1|level=notice|message=acquire|pid=31|thread=31|time=2024/05/01 12:00:01",
            ),
            (
                "nginx",
                r#"10.0.0.1 - - [01/May/2024:12:00:01 +0000] "POST /acquire?c=a HTTP/1.1" 200 15 "-" "curl/8.0""#,
                "agent=curl/8.0|bytes=15|client=10.0.0.1|message=POST /acquire?c=a HTTP/1.1|referer=-|status=200|time=01/May/2024:12:00:01 +0000|user=-",
            ),
            (
                "cockroach",
                "I240501 12:00:01.123456 77 kv/lock.go:12 ⋮ [T1,n1] 12  acquire",
                "counter=12|level=I|message=acquire|source=kv/lock.go:12|tags=T1,n1|thread=77|time=240501 12:00:01.123456",
            ),
            (
                "ruby",
                "W, [2024-05-01T12:00:03.123456 #4243]  WARN -- : acquire",
                "level=WARN|logger=|message=acquire|pid=4243|time=2024-05-01T12:00:03.123456",
            ),
            (
                "structlog",
                "2024-05-01 12:00:01 [info     ] acquire      c=a",
                "level=info|message=acquire      c=a|time=2024-05-01 12:00:01",
            ),
            (
                "zap",
                "2024-05-01T12:00:01.123Z\tINFO\tlock/lock.go:12\tacquire\t{\"c\": \"a\"}",
                "level=INFO|message=acquire\t{\"c\": \"a\"}|source=lock/lock.go:12|time=2024-05-01T12:00:01.123Z",
            ),
            (
                "serilog",
                "2024-05-01 12:00:01.123 +00:00 [INF] acquire",
                "level=INF|message=acquire|time=2024-05-01 12:00:01.123 +00:00",
            ),
            (
                "dotnet",
                "info: Lock.Service[0]",
                "id=0|level=info|logger=Lock.Service|message=",
            ),
            (
                "cri",
                "2024-05-01T12:00:01.123456789Z stdout F acquire",
                "message=acquire|part=F|stream=stdout|time=2024-05-01T12:00:01.123456789Z",
            ),
            ("journal", "MESSAGE=a=1 b", "MESSAGE=a=1 b"),
            (
                "json",
                r#"{"log":"acquire\n","time":"2024-05-01T12:00:01Z"}"#,
                "log=acquire\n|message=acquire|time=2024-05-01T12:00:01Z",
            ),
            ("text", "anything", "message=anything"),
        ] {
            assert_eq!(read(format, line), expected, "{format}: {line}");
        }
        for (format, line) in [
            ("json", "[1]"),
            ("json", "{"),
            ("logback", "at c.e.Store(Store.java:3)"),
            ("logfmt", "text"),
            ("logfmt", "election won: term=2"),
        ] {
            assert_eq!(read(format, line), "no", "{format}: {line}");
        }
    }

    #[test]
    fn every_known_format_can_be_used() {
        assert!(LineFormat::names().all(|name| LineFormat::named(name).is_some()));
        assert!(LineFormat::named("nonsense").is_none());
    }
}
