//! Decoding a single operation.

use omnilink_models::{NativeModel, Visitor, with_model};
use omnilink_trace::{OpenOptions, Operation, Trace};

fn operation(line: &str) -> Operation {
    let mut trace = Trace::from_bytes("t.ndjson", line.as_bytes().to_vec(), &OpenOptions::default()).unwrap();
    trace.next().unwrap().unwrap()
}

/// What the model that `spec` asks for says the operation is; errors as text.
pub fn decoded(spec: &str, line: &str) -> String {
    struct Describe(Operation);
    impl Visitor for Describe {
        type Output = String;
        fn visit<M: NativeModel>(self, model: M) -> String {
            match model.decode(&self.0) {
                Ok(decoded) => match decoded.last() {
                    Some(op) => model.describe_op(op),
                    None => "did not happen".to_owned(),
                },
                Err(error) => error.to_string(),
            }
        }
    }
    with_model(spec, Describe(operation(line))).unwrap()
}

/// Completes a line with thread and times.
pub fn line(op: &str) -> String {
    format!(r#"{{"thread":0,"start":1,"end":2,{op}}}"#)
}
