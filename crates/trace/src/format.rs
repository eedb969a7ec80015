//! The formats of traces.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A format that traces are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Trace format 1 as JSON, one record a line.
    Ndjson,
    /// The same records as one JSON array, or as a sequence of objects with any line breaks.
    Json,
    /// Trace format 1 as a sequence of MessagePack maps.
    Msgpack,
    /// OmniLink's own per-thread logs: MessagePack maps with `operation_name` and `operation`.
    OmniLink,
    /// A Jepsen history as EDN.
    JepsenEdn,
    /// A Jepsen history as JSON, as elle-cli reads it.
    JepsenJson,
    /// A Jepsen text log.
    JepsenLog,
    /// Porcupine operations or events as JSON.
    Porcupine,
    /// The `method value start end` text of the fastlin and PolyLin test cases.
    Fastlin,
    /// The `process start end METHOD values` text of the fptlin test cases.
    Fptlin,
    /// The `[1] call enq(5)` text of Violin and LiMo.
    Limo,
    /// The `w(1,5,0,3)` text of PolySI, Plume and IsoVista.
    Plume,
    /// The `[x:=1] [x==1]` text of dbcop.
    Dbcop,
    /// The `w 0 1` text of AWDIT's tests.
    Awdit,
    /// The JSON of dbcop.
    DbcopJson,
    /// The `history.bincode` of dbcop.
    DbcopBincode,
    /// The binary logs of Cobra.
    Cobra,
    /// The JSON of Viper.
    Viper,
    /// Transactions as CSV.
    Csv,
    /// Spans in OpenTelemetry's protocol, as JSON or protobuf.
    Otlp,
    /// Spans in Jaeger's JSON.
    Jaeger,
    /// Spans in Zipkin's JSON, version 2.
    Zipkin,
    /// Chrome's trace events.
    Chrome,
}

/// An unknown name of a format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format \"{0}\"; the formats are {list}", list = Format::LIST)]
pub struct UnknownFormat(pub String);

impl Format {
    /// All formats.
    pub const ALL: [Self; 23] = [
        Self::Ndjson,
        Self::Json,
        Self::Msgpack,
        Self::OmniLink,
        Self::JepsenEdn,
        Self::JepsenJson,
        Self::JepsenLog,
        Self::Porcupine,
        Self::Fastlin,
        Self::Fptlin,
        Self::Limo,
        Self::Plume,
        Self::Dbcop,
        Self::Awdit,
        Self::DbcopJson,
        Self::DbcopBincode,
        Self::Cobra,
        Self::Viper,
        Self::Csv,
        Self::Otlp,
        Self::Jaeger,
        Self::Zipkin,
        Self::Chrome,
    ];

    pub(crate) const LIST: &str = "ndjson, json, msgpack, omnilink, jepsen-edn, jepsen-json, jepsen-log, porcupine, fastlin, fptlin, limo, plume, dbcop, awdit, dbcop-json, dbcop-bincode, cobra, viper, csv, otlp, jaeger, zipkin, chrome";

    /// Whether it holds spans of a tracing system, for which there are [`SpanRules`](crate::SpanRules).
    pub fn holds_spans(self) -> bool {
        matches!(self, Self::Otlp | Self::Jaeger | Self::Zipkin | Self::Chrome)
    }

    /// Whether operations have no times, so that the start of each is its position.
    pub(crate) fn has_positions_for_times(self) -> bool {
        matches!(
            self,
            Self::Plume
                | Self::Dbcop
                | Self::Awdit
                | Self::DbcopJson
                | Self::DbcopBincode
                | Self::Cobra
                | Self::Viper
        )
    }

    /// The name, as given on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Json => "json",
            Self::Msgpack => "msgpack",
            Self::OmniLink => "omnilink",
            Self::JepsenEdn => "jepsen-edn",
            Self::JepsenJson => "jepsen-json",
            Self::JepsenLog => "jepsen-log",
            Self::Porcupine => "porcupine",
            Self::Fastlin => "fastlin",
            Self::Fptlin => "fptlin",
            Self::Limo => "limo",
            Self::Plume => "plume",
            Self::Dbcop => "dbcop",
            Self::Awdit => "awdit",
            Self::DbcopJson => "dbcop-json",
            Self::DbcopBincode => "dbcop-bincode",
            Self::Cobra => "cobra",
            Self::Viper => "viper",
            Self::Csv => "csv",
            Self::Otlp => "otlp",
            Self::Jaeger => "jaeger",
            Self::Zipkin => "zipkin",
            Self::Chrome => "chrome",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_parses_from_its_name_and_is_listed() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!(Format::ALL.map(Format::name).join(", "), Format::LIST);
        assert!("yaml".parse::<Format>().is_err());
    }
}
