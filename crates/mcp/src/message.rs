//! Messages of JSON-RPC 2.0, one per line.

use std::fmt;

use serde_json::{Map, Value, json};

/// What a client sends.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// Something that is answered.
    Request {
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    /// Something that is not.
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// An answer, although this server asks nothing.
    Answer,
}

/// Why a request has no result: the codes of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    Parse = -32700,
    InvalidRequest = -32600,
    UnknownMethod = -32601,
    InvalidParams = -32602,
    Internal = -32603,
    UnknownResource = -32002,
}

/// An error as the client gets it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl RpcError {
    pub(crate) fn new(code: ErrorCode, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
        }
    }
}

impl Message {
    /// Reads a line. An error comes with the number of the request, if it has one.
    pub(crate) fn read(line: &str) -> Result<Self, (Value, RpcError)> {
        let wrong = |id: Value, what: &str| (id, RpcError::new(ErrorCode::InvalidRequest, what));
        let value: Value = serde_json::from_str(line).map_err(|error| {
            (
                Value::Null,
                RpcError::new(ErrorCode::Parse, format!("this is no JSON: {error}")),
            )
        })?;
        let Value::Object(mut fields) = value else {
            return Err(wrong(Value::Null, "a message is one JSON object on a line"));
        };
        let id = fields.remove("id").filter(|id| id.is_number() || id.is_string());
        let told = id.clone().unwrap_or(Value::Null);
        if fields.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(wrong(told, "\"jsonrpc\" is not \"2.0\""));
        }
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let error = RpcError::new(ErrorCode::InvalidParams, "\"params\" is no object");
                return Err((told, error));
            }
        };
        match (fields.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Ok(Self::Request { id, method, params }),
            (Some(Value::String(method)), None) => Ok(Self::Notification { method, params }),
            (None, Some(_)) if fields.contains_key("result") || fields.contains_key("error") => {
                Ok(Self::Answer)
            }
            _ => Err(wrong(told, "\"method\" is no text")),
        }
    }
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": error.code as i32, "message": error.message },
        }),
    }
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_from_notifications_and_answers() {
        let read = |line| Message::read(line).map_err(|(_, error)| error);
        let request = read(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
        assert!(matches!(request, Ok(Message::Request { id, method, .. }) if id == 7 && method == "ping"));
        let request = read(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}}"#);
        assert!(matches!(request, Ok(Message::Request { id, params, .. }) if id == "a" && params["x"] == 1));
        let notification = read(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert!(matches!(notification, Ok(Message::Notification { .. })));
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            Ok(Message::Answer)
        );
    }

    #[test]
    fn an_error_has_the_number_of_its_request() {
        for (line, id, code) in [
            ("hello", Value::Null, ErrorCode::Parse),
            ("[]", Value::Null, ErrorCode::InvalidRequest),
            (r#"{"id":3,"method":"ping"}"#, json!(3), ErrorCode::InvalidRequest),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":5}"#,
                json!(4),
                ErrorCode::InvalidRequest,
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":5}"#,
                Value::Null,
                ErrorCode::InvalidRequest,
            ),
            (
                r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}"#,
                json!(5),
                ErrorCode::InvalidParams,
            ),
        ] {
            let read = Message::read(line).map_err(|(id, error)| (id, error.code));
            assert_eq!(read, Err((id, code)), "{line}");
        }
    }
}
