//! JSON inside of text: `apply {"index":3}`.

use serde_json::{Map, Value};

/// The fields of the first JSON object in a text.
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    // Few texts have more than some brackets that begin nothing.
    const BRACKETS_MAX: usize = 8;
    let starts = text.match_indices('{').take(BRACKETS_MAX);
    starts
        .filter_map(|(at, _)| {
            let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
            match values.next()? {
                Ok(Value::Object(object)) => Some(object),
                _ => None,
            }
        })
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_object_is_found() {
        let found = object_in(r#"span{x} apply {"index":3,"d":{"k":[1]}} done"#);
        assert_eq!(
            found.map(Value::Object),
            Some(json!({"index": 3, "d": {"k": [1]}}))
        );
        assert_eq!(object_in("no {object} here"), None);
        assert_eq!(object_in(r#"{"cut":"#), None);
    }
}
