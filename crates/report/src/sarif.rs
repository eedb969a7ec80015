//! Evidence as SARIF, which code scanning reads.

use omnilink_evidence::{Evidence, Verdict};
use serde_json::{Value, json};

use crate::headline::{command_word, headline};

/// Evidence as SARIF 2.1.0: a result per violation and per input that cannot be checked.
pub fn sarif(evidence: &[Evidence]) -> String {
    let results: Vec<Value> = evidence
        .iter()
        .filter(|one| matches!(one.verdict, Verdict::Violation | Verdict::Error))
        .map(|one| {
            let answer = headline(one);
            let mut result = json!({
                "ruleId": command_word(one.command),
                "level": "error",
                "message": {"text": answer.text},
            });
            if let Some(file) = &answer.file {
                // Without a region, the whole file is meant.
                let mut location = json!({"artifactLocation": {"uri": uri(file)}});
                if let Some(line) = answer.line {
                    location["region"] = json!({ "startLine": line });
                }
                result["locations"] = json!([{"physicalLocation": location}]);
            }
            result
        })
        .collect();
    let rules = json!([
        {"id": "check", "shortDescription": {"text": "A history is not explained by its model"}},
        {"id": "validate", "shortDescription": {"text": "A trace is not explained by its specification"}},
        {"id": "mc", "shortDescription": {"text": "A specification violates a property"}},
        {"id": "lineup", "shortDescription": {"text": "A component differs from its serial behaviour"}},
        {"id": "test", "shortDescription": {"text": "A test fails under some schedule"}},
    ]);
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "omnilink", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A file name as a relative reference: what is not allowed in one is written with percent signs.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
