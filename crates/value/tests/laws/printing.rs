//! Values print as the TLA+ expression that denotes them.

use omnilink_value::Value;

#[test]
fn every_kind_prints_as_tla() {
    for (value, text) in [
        (Value::bool(true), "TRUE"),
        (Value::int(-3), "-3"),
        (Value::str("say \"hi\"\\\n"), r#""say \"hi\"\\\n""#),
        (Value::model("node1"), "node1"),
        (Value::set([2.into(), 1.into()]), "{1, 2}"),
        (Value::set([]), "{}"),
        (Value::tuple([1.into(), "a".into()]), r#"<<1, "a">>"#),
        (Value::tuple([]), "<<>>"),
        (
            Value::record([("a", 1.into()), ("b", Value::set([]))]),
            "[a |-> 1, b |-> {}]",
        ),
        (
            Value::record([("no identifier", 1.into())]),
            r#"("no identifier" :> 1)"#,
        ),
        (
            Value::function([(3.into(), 4.into()), (1.into(), 2.into())]).expect("distinct"),
            "(1 :> 2 @@ 3 :> 4)",
        ),
    ] {
        assert_eq!(value.to_string(), text);
        assert_eq!(format!("{value:?}"), text);
    }
}
