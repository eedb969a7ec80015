//! How a line is taken apart into fields.

use regex::Regex;
use serde_json::{Map, Value};

use crate::field_text::value_of;
use crate::fields::Fields;
use crate::pairs::pairs;
use crate::separated;

/// How lines are taken apart.
#[derive(Debug, Clone)]
pub(crate) enum LineFormat {
    /// A JSON object in each line: slog, zap, logrus, tracing's JSON, bunyan, pino, journald's export.
    Json,
    /// `key=value` pairs.
    Pairs,
    /// Values with a separator between them; the first line has their names.
    Separated(char),
    /// Patterns with named groups. The first that matches counts.
    Patterns(Vec<Regex>),
}

/// Names of formats and their patterns, the likeliest first.
const KNOWN: [(&str, &[&str]); 8] = [
    (
        "logback",
        &[
            // %d [%thread] %-5level %logger - %msg, and with the thread behind the level.
            r"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+\[(?<thread>[^\]]*)\]\s+(?<level>[A-Z]+)\s+(?<logger>\S+)\s+-\s+(?<message>.*)$",
            r"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+(?<level>[A-Z]+)\s+\[(?<thread>[^\]]*)\]\s+(?<logger>[^\s:]+)\s*[:-]\s+(?<message>.*)$",
            // Spring Boot.
            r"^(?<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+(?<level>[A-Z]+)\s+(?<pid>\d+)\s+---\s+(?:\[[^\]]*\]\s+)?\[\s*(?<thread>[^\]]*?)\s*\]\s+(?<logger>\S+)\s+:\s+(?<message>.*)$",
            // ZooKeeper, Kafka: [time] LEVEL [thread] message (logger).
            r"^\[(?<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+)\]\s+(?<level>[A-Z]+)\s+(?:\[(?<thread>[^\]]*)\]:?\s+)?(?<message>.*?)(?:\s+\((?<logger>[\w.$]+)\))?$",
        ],
    ),
    (
        "env_logger",
        &[r"^\[(?<time>\d{4}-\d\d-\d\dT\S+)\s+(?<level>[A-Z]+)\s+(?<logger>[^\]]+)\]\s+(?<message>.*)$"],
    ),
    (
        "tracing",
        &[
            r"^(?<time>\d{4}-\d\d-\d\dT\S+)\s+(?<level>TRACE|DEBUG|INFO|WARN|ERROR)\s+(?:ThreadId\((?<thread>\d+)\)\s+)?(?<spans>(?:[\w.-]+(?:\{[^}]*\})?:)+\s)?(?<logger>[\w:]+):\s(?<message>.*)$",
        ],
    ),
    (
        "python",
        &[
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d+)?)\s+-\s+(?<logger>\S+)\s+-\s+(?<level>[A-Z]+)\s+-\s+(?<message>.*)$",
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d+)?)\s+(?<level>[A-Z]+):?\s+(?<logger>[\w.]+):\s+(?<message>.*)$",
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d+)?)\s+(?<level>[A-Z]+):?\s+(?<message>.*)$",
            r"^(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?<logger>[\w.]+):(?<message>.*)$",
        ],
    ),
    (
        "glog",
        &[
            r"^(?<level>[IWEF])(?<time>\d{4} \d\d:\d\d:\d\d\.\d+)\s+(?<thread>\d+)\s+(?<source>[^\]]+)\]\s?(?<message>.*)$",
            r"^(?<level>[IWEF])\d{4}(?<time>\d{4} \d\d:\d\d:\d\d\.\d+)\s+(?<thread>\d+)\s+(?<source>[^\]]+)\]\s?(?<message>.*)$",
        ],
    ),
    (
        "syslog",
        &[
            r"^(?:<\d+>)?1 (?<time>\S+) (?<host>\S+) (?<app>\S+) (?<pid>\S+) (?<id>\S+) (?:-|(?:\[[^\]]*\])+) ?(?<message>.*)$",
            r"^(?:<\d+>)?(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?<host>\S+) (?<app>[^\s:\[]+)(?:\[(?<pid>\d+)\])?: ?(?<message>.*)$",
            r"^(?<time>\d{4}-\d\d-\d\dT\S+) (?<host>\S+) (?<app>[^\s:\[]+)(?:\[(?<pid>\d+)\])?: ?(?<message>.*)$",
        ],
    ),
    (
        "go",
        &[
            r"^(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (?:(?<source>[\w./-]+\.go:\d+): )?(?<message>.*)$",
            // hclog.
            r"^(?<time>\d{4}-\d\d-\d\dT\S+)\s+\[(?<level>[A-Z]+)\]\s+(?<logger>[\w.-]+):\s+(?<message>.*)$",
        ],
    ),
    ("text", &[r"^(?<message>.*)$"]),
];

/// Fields of JSON that are the time or the message under another name.
const TIMES: [&str; 8] = [
    "time",
    "ts",
    "timestamp",
    "@timestamp",
    "t",
    "asctime",
    "__REALTIME_TIMESTAMP",
    "date",
];
const MESSAGES: [&str; 6] = ["message", "msg", "MESSAGE", "fields.message", "body", "text"];

impl LineFormat {
    /// The names of the known formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["json", "logfmt", "csv"]
            .into_iter()
            .chain(KNOWN.iter().map(|(name, _)| *name))
    }

    /// The format with a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "json" => Self::Json,
            "logfmt" => Self::Pairs,
            "csv" => Self::Separated(','),
            name => {
                let (_, patterns) = KNOWN.iter().find(|(known, _)| *known == name)?;
                let patterns = patterns.iter().map(|pattern| Regex::new(pattern).ok());
                Self::Patterns(patterns.collect::<Option<_>>()?)
            }
        })
    }

    /// The fields of a line; `names` are those of the values of a CSV file. `None` if it has not this format.
    pub fn fields(&self, line: &str, names: &[String]) -> Option<Fields> {
        match self {
            Self::Json => {
                let Ok(Value::Object(object)) = serde_json::from_str(line) else {
                    return None;
                };
                let mut fields = Fields::of(object);
                for (field, names) in [("time", &TIMES[..]), ("message", &MESSAGES[..])] {
                    let known = names.iter().find_map(|name| fields.get(name)).cloned();
                    if let Some(value) = known {
                        fields.set(field, value);
                    }
                }
                Some(fields)
            }
            Self::Pairs => {
                let (mut found, others) = pairs(line);
                // A sentence with some pairs in it is a message.
                if found.len() <= others.split_whitespace().count() {
                    return None;
                }
                for (field, names) in [("time", &TIMES[..]), ("message", &MESSAGES[..])] {
                    let known = names.iter().find_map(|name| found.get(*name)).cloned();
                    if let Some(value) = known {
                        found.insert(field.to_owned(), value);
                    }
                }
                Some(Fields::of(found))
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
