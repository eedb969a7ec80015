//! Formats of log lines that are known by name.

/// Names of formats and their patterns, the likeliest first.
pub(crate) const KNOWN: [(&str, &[&str]); 17] = [
    (
        "logback",
        &[
            // %d [%thread] %-5level %logger - %msg, and with the thread behind the level.
            r"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+\[(?<thread>[^\]]*)\]\s+(?<level>[A-Z]+)\s+(?<logger>\S+)\s+-\s+(?<message>.*)$",
            r"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+(?<level>[A-Z]+)\s+\[(?<thread>[^\]]*)\]\s+(?<logger>[^\s:]+)\s*[:-]\s+(?<message>.*)$",
            // Spring Boot.
            r"^(?<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?)\s+(?<level>[A-Z]+)\s+(?<pid>\d+)\s+---\s+(?:\[[^\]]*\]\s+)?\[\s*(?<thread>[^\]]*?)\s*\]\s+(?<logger>\S+)\s+:\s+(?<message>.*)$",
            // ZooKeeper: time [myid:1] - LEVEL [thread:Class@line] - message.
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d+)\s+\[myid:(?<myid>[^\]]*)\]\s+-\s+(?<level>[A-Z]+)\s+\[(?<thread>.*?):(?<logger>[\w.$]+)@(?:-?\d+|\?)\]\s+-\s+(?<message>.*)$",
            // Cassandra: LEVEL [thread] time File.java:line - message.
            r"^(?<level>[A-Z]+)\s+\[(?<thread>[^\]]*)\]\s+(?<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+)\s+(?<logger>[\w.$]+):(?<line>\d+|\?)\s+-\s+(?<message>.*)$",
            // Kafka: [time] LEVEL [thread] message (logger).
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
        // log_line_prefix = '%m [%p] ' and '%m [%p] %q%u@%d '. The name of the zone is not read.
        "postgres",
        &[
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (?<zone>[A-Z]{1,5}|[+-]\d\d(?::?\d\d)?) \[(?<pid>\d+)(?:-\d+)?\] (?:(?<user>[^@\s]*)@(?<database>\S*) )?(?<level>[A-Z][A-Z0-9]+):  (?<message>.*)$",
        ],
    ),
    (
        // The log of errors of nginx, and the log of requests of nginx and Apache.
        "nginx",
        &[
            r"^(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?<level>[a-z]+)\] (?<pid>\d+)#(?<thread>\d+): (?:\*(?<connection>\d+) )?(?<message>.*)$",
            r#"^(?<client>\S+) \S+ (?<user>\S+) \[(?<time>\d\d/[A-Z][a-z]{2}/\d{4}:[^\]]+)\] "(?<message>[^"]*)" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referer>[^"]*)" "(?<agent>[^"]*)")?.*$"#,
        ],
    ),
    (
        "cockroach",
        &[
            r"^(?<level>[IWEF])(?<time>\d{6} \d\d:\d\d:\d\d\.\d+) (?<thread>\d+) (?<source>[^\s\[]+) (?:⋮ )?\[(?<tags>[^\]]*)\] (?:(?<counter>\d+) )?[ =!+|](?<message>.*)$",
        ],
    ),
    (
        "ruby",
        &[
            r"^[DIWEFA], \[(?<time>\S+) #(?<pid>\d+)\]\s+(?<level>[A-Z]+) -- (?<logger>[^:]*): (?<message>.*)$",
        ],
    ),
    (
        // For the console, with padding behind the level.
        "structlog",
        &[r"^(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?) \[(?<level>[a-z]+)\s*\] (?<message>.*)$"],
    ),
    (
        // Development mode: the columns are separated by tabs.
        "zap",
        &[
            r"^(?<time>[^\t]+)\t(?<level>[A-Z]+|[a-z]+)\t(?:(?<logger>[\w.-]+)\t)?(?:(?<source>[^\t]+\.go:\d+)\t)?(?<message>.*)$",
        ],
    ),
    (
        "serilog",
        &[
            r"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d\d:\d\d) \[(?<level>[A-Z]{3})\] (?<message>.*)$",
            r"^\[(?<time>\d\d:\d\d:\d\d) (?<level>[A-Z]{3})\] (?<message>.*)$",
        ],
    ),
    (
        // Microsoft.Extensions.Logging: the message stands below.
        "dotnet",
        &[
            r"^(?:(?<time>\S.*\d)\s+)?(?<level>trce|dbug|info|warn|fail|crit): (?<logger>[^\[\s]+)\[(?<id>\d+)\](?<message>\s*)$",
        ],
    ),
    (
        // The files of containers that Kubernetes keeps.
        "cri",
        &[r"^(?<time>\d{4}-\d\d-\d\dT\S+) (?<stream>stdout|stderr) (?<part>[FP]) (?<message>.*)$"],
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
pub(crate) const TIMES: [&str; 10] = [
    "time",
    "ts",
    "timestamp",
    "@timestamp",
    "@t",
    "t.$date",
    "t",
    "asctime",
    "__REALTIME_TIMESTAMP",
    "date",
];
pub(crate) const MESSAGES: [&str; 9] = [
    "message",
    "msg",
    "MESSAGE",
    "fields.message",
    "body",
    "text",
    "@m",
    "@mt",
    "log",
];
