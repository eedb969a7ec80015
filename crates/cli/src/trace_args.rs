//! Formats and names of operations, as arguments.

use omnilink_trace::{Format, OperationName, SpanRuleError, SpanRules, UnknownFormat};

/// A format by its name, for arguments.
pub fn format_name(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: UnknownFormat| error.to_string())
}

/// A rule about spans, for arguments.
pub fn span_rule(rule: &str) -> Result<String, String> {
    match SpanRules::from_rules([rule]) {
        Ok(_) => Ok(rule.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The rules of a link file, and of arguments, which come later.
pub fn span_rules(link: &[String], given: &[String]) -> Result<SpanRules, SpanRuleError> {
    SpanRules::from_rules(link.iter().chain(given))
}

/// A code and the name that it stands for, for arguments.
pub fn renaming(text: &str) -> Result<(String, OperationName), String> {
    match text.split_once('=') {
        Some((code, name)) if !code.trim().is_empty() && !name.trim().is_empty() => {
            Ok((code.trim().to_owned(), OperationName::new(name.trim())))
        }
        _ => Err("give CODE=NAME, such as 0=put".to_owned()),
    }
}
