//! What a user of porcupine-rs would write to check a trace of the map: read it with serde, ask, print the verdict.
//!
//! For `benches/validate-vs-porcupine.sh`, which compares processes: start-up and reading count for both sides.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use omnilink_benches::porcupine_models::ArrayMap;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: porcupine-map TRACE.ndjson")?;
    let lines = BufReader::new(File::open(path)?).lines();
    let mut history = Vec::new();
    for line in lines {
        let record: Value = serde_json::from_str(&line?)?;
        // The header has no operation.
        if record.get("op").is_some() {
            history.push(operation(&record)?);
        }
    }
    println!("{}", porcupine::check_operations(&history));
    Ok(())
}

fn operation(record: &Value) -> Result<porcupine::Operation<ArrayMap>, Box<dyn Error>> {
    let time = |field: &str| {
        record[field]
            .as_i64()
            .ok_or_else(|| format!("no {field} in {record}"))
    };
    let argument = |field: &str| match &record["args"][field] {
        Value::Bool(yes) => Ok(u8::from(*yes)),
        value => value
            .as_u64()
            .and_then(|number| u8::try_from(number).ok())
            .ok_or_else(|| format!("no small {field} in {record}")),
    };
    let op = match record["op"].as_str() {
        Some("KVContains") => (0, argument("key")?, 0, argument("result")?),
        Some("KVInsert") => (1, argument("key")?, argument("value")?, argument("result")?),
        Some("KVInsertIfAbsent") => (2, argument("key")?, argument("value")?, argument("result")?),
        Some("KVErase") => (3, argument("key")?, 0, argument("result")?),
        Some("KVRangeQuery") => (4, argument("lo")?, argument("hi")?, argument("count")?),
        other => return Err(format!("no operation of the map: {other:?}").into()),
    };
    Ok(porcupine::Operation {
        client_id: record["thread"]
            .as_u64()
            .and_then(|thread| u32::try_from(thread).ok()),
        call_time: time("start")?,
        return_time: time("end")?,
        op,
        metadata: None,
    })
}
