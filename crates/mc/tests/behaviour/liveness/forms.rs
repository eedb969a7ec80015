//! Forms of temporal properties, each with its verdict, for one small specification.

use crate::common::check;
use omnilink_mc::report::Verdict;
use omnilink_mc::{CheckOptions, SearchProgress};
use omnilink_tla::config::parse;
use omnilink_tla::model::{BuildOptions, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;

/// A counter that goes from 0 to 3 and starts again.
fn verdict(property: &str) -> Verdict {
    let text = format!(
        "---- MODULE Forms ----\nEXTENDS Integers, Sequences\nVARIABLES c, log\n\
         Init == c = 0 /\\ log = <<>>\nStep == c' = (c + 1) % 4 /\\ UNCHANGED log\n\
         Spec == Init /\\ [][Step]_<<c, log>> /\\ WF_c(Step)\n\
         Highest == LET candidates == {{c, Len(log)}} IN CHOOSE m \\in candidates : \\A o \\in candidates : m >= o\n\
         Often(F(_), n) == []<>F(n)\nIs(n) == c = n\na ## b == a ~> b\nP == {property}\n====\n"
    );
    let mut spec = load_text("Forms.tla".as_ref(), text.clone(), &SearchPath::default()).spec;
    let config_text = "SPECIFICATION Spec\nPROPERTY P\n";
    let source = spec
        .sources
        .add(omnilink_tla::source::Source::new("Forms.cfg", config_text));
    let config = parse(source, config_text, &mut Vec::new());
    let model = build(spec, &config, &BuildOptions::default());
    let model = model.unwrap_or_else(|rejected| panic!("{property}: {:?}", rejected.diagnostics));
    let report = check(
        &model,
        "forms",
        &CheckOptions::default(),
        &SearchProgress::default(),
        &|_| {},
        None,
    );
    report
        .unwrap_or_else(|error| panic!("{property}: {error}"))
        .verdict()
}

#[test]
fn properties_that_hold() {
    for property in [
        "\\A i \\in 0..1 : <>[](i <= c + 1 \\/ c >= 0)",
        "\\A r \\in {1}, i \\in 0..(2 - 1) : <>[](i \\in 0..Highest => Len(log) >= 0 /\\ log = <<>>)",
        "\\A <<i, j>> \\in {<<0, 1>>, <<1, 2>>} : (c = i) ~> (c = j)",
        "\\A i \\in 0..3 : \\E j \\in 0..i : []<>(c = i - j)",
        "LET near(n) == c \\in n..(n + 1) IN \\A i \\in 0..2 : []<>near(i)",
        "\\A i \\in 0..3 : Often(Is, i)",
        "Often(LAMBDA n : c % 2 = n, 1)",
        "(c = 1) ## (c = 3)",
        "<><<c = 3 /\\ c' = 0>>_c",
        "[]<>(c = 0) <=> []<>(c = 1)",
    ] {
        assert_eq!(verdict(property), Verdict::Valid, "{property}");
    }
}

#[test]
fn properties_that_do_not_hold() {
    for property in [
        "\\A i \\in 0..1 : <>[](i <= c)",
        "\\A i \\in 0..4 : Often(Is, i)",
        "LET near(n) == c \\in n..(n + 1) IN \\A i \\in 0..2 : <>[]near(i)",
        "(c = 1) ## (c = 4)",
        "<><<c = 1 /\\ c' = 0>>_c",
        "[]<>(c = 0) <=> <>[](c = 1)",
        "[](c = 2 => [](c > 0))",
    ] {
        assert_eq!(verdict(property), Verdict::Violation, "{property}");
    }
}
