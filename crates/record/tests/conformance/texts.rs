//! Texts come out of a trace as they went in, whatever their bytes.

use std::collections::BTreeMap;

use crate::each;
use crate::language::Language;

/// What is no Unicode, and what only looks like its escape.
#[test]
fn no_byte_of_a_text_is_lost_in_any_language() {
    each("texts", |language, _, operations| {
        let mut texts = BTreeMap::new();
        for operation in &operations {
            let returned = operation.ret.clone().expect("a result");
            if let Some(argument) = operation.args.field("value") {
                let record = argument.as_record().expect("one field");
                let fields: Vec<_> = record.iter().collect();
                assert_eq!(fields.len(), 1, "{language:?}");
                assert_eq!(
                    (Some(fields[0].0), fields[0].1),
                    (returned.as_str(), &returned),
                    "{language:?}"
                );
            }
            texts.insert(
                operation.name.to_string(),
                returned.as_str().expect("a text").to_owned(),
            );
        }
        let mut expected = BTreeMap::from([
            ("looks like one", r"a\x5cud800b".to_owned()),
            ("looks like a byte", r"\x5cxff".to_owned()),
            ("path", r"C:\users\xyz".to_owned()),
            ("nul", "a\0b".to_owned()),
        ]);
        if matches!(language, Language::Java | Language::Python) {
            expected.extend([
                ("half", r"a\ud800b".to_owned()),
                ("other half", r"a\udfffb".to_owned()),
            ]);
        } else {
            expected.extend([
                ("byte", r"a\xffb".to_owned()),
                ("other byte", r"a\xfeb".to_owned()),
                ("cut off", r"\xf0\x9f\x98".to_owned()),
                ("surrogate", r"\xed\xa0\x80".to_owned()),
            ]);
        }
        if language == Language::Go {
            expected.extend([
                ("error", "no such key".to_owned()),
                ("time", "1970-01-01T00:00:00.000000001Z".to_owned()),
            ]);
        }
        let expected: BTreeMap<String, String> = { expected.into_iter() }
            .map(|(name, text)| (name.to_owned(), text))
            .collect();
        assert_eq!(texts, expected, "{language:?}");
    });
}
