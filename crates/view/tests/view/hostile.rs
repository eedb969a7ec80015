//! Evidence that was not made by us.

use omnilink_evidence::{Evidence, Verdict};
use omnilink_view::Story;
use serde_json::{Value, json};

use crate::browser::{Browser, assert_says};
use crate::samples::{behaviour_with_graph, example, map, page, run_with_serial_runs};

/// Every text of some evidence replaced, except the words that say what it is.
fn poisoned(value: &mut Value, poison: &str) {
    const WORDS: [&str; 12] = [
        "type",
        "command",
        "subject",
        "verdict",
        "kind",
        "ending",
        "fate",
        "plain_accesses",
        "memory_model",
        "limit",
        "consistency",
        "decided_by",
    ];
    match value {
        Value::String(text) => *text = format!("{poison}{text}"),
        Value::Array(values) => values.iter_mut().for_each(|value| poisoned(value, poison)),
        Value::Object(fields) => {
            let inside = fields
                .iter_mut()
                .filter(|(name, _)| !WORDS.contains(&name.as_str()));
            inside.for_each(|(_, value)| poisoned(value, poison));
        }
        _ => {}
    }
}

#[test]
fn markup_in_the_evidence_of_any_command_is_text() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let poison =
        "<img src=x onerror='window.hacked=1'></script><script>window.hacked=1</script>\u{1b}[2J\u{202e}";
    let cases = [
        ("lineup", run_with_serial_runs()),
        ("mc", behaviour_with_graph()),
        ("lasso", example("omnilink mc Door.tla --json")),
        ("weak", example("A weak level that does not hold")),
        ("valid", example("register-valid.ndjson --model register --json")),
        (
            "nondeterminism",
            example("omnilink lineup paper --bin bag --json"),
        ),
        ("levels", example("Inferred levels")),
    ];
    for (name, evidence) in cases {
        let mut json: Value = serde_json::from_str(&evidence.to_json()).expect("JSON");
        poisoned(&mut json, poison);
        let evidence = Evidence::from_json(&json.to_string()).expect("it is evidence");
        browser.open(
            &page(&format!("poisoned-{name}"), Story::of_evidence(&evidence)),
            "",
        );
        let tabs = browser.eval("[...document.querySelectorAll('[role=tab]')].map((one) => one.innerText)");
        for tab in tabs.as_array().expect("tabs") {
            browser.click("[role=tab]", tab.as_str().expect("a name"), "left");
        }
        assert_says(&browser.text(), &["<img src=x onerror="]);
        assert_eq!(browser.eval("typeof window.hacked"), "undefined", "{name}");
        assert_eq!(browser.eval("document.querySelectorAll('img').length"), json!(0));
    }
    browser.assert_no_complaints();
}

#[test]
fn hostile_evidence_is_text_and_runs_nothing() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let markup = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script></script>";
    let control = "\u{0}\u{1b}[31m\u{202e}\u{2028}\u{feff}";
    let long = "x".repeat(10 << 20);
    let mut json: Value = serde_json::from_str(&map().to_json()).expect("JSON");
    json["input"] = json!(format!("{markup}{control}"));
    json["model"] = json!(markup);
    json["notes"] = json!([markup, long]);
    json["violation"]["op"]["text"] = json!(format!("{markup}{control}"));
    json["violation"]["op"]["thread"] = json!(format!("{markup}{control}"));
    for alternative in json["violation"]["alternatives"].as_array_mut().expect("a list") {
        alternative["state"] = json!(format!("a = [x |-> \"{markup}\", y |-> {long}]"));
        alternative["candidates"][0]["reason"] = json!(format!("`{markup}` is false: {markup} = {long}"));
    }
    let evidence = Evidence::from_json(&json.to_string()).expect("it is evidence");
    assert_eq!(evidence.verdict, Verdict::Violation);
    let page = page("hostile", Story::of_evidence(&evidence));
    let html = std::fs::read_to_string(&page).expect("it is there");
    assert!(
        !html.contains("onerror"),
        "nothing of the evidence is in the page as it is"
    );
    browser.open(&page, "#find=%3Cscript%3E&focus=%3Cimg%3E");
    let text = browser.text();
    assert_says(&text, &["<img src=x onerror=", "\\u0000\\u001b[31m\\u202e"]);
    for tab in ["Figures", "Notes"] {
        browser.click("[role=tab]", tab, "left");
    }
    browser.screenshot("hostile");
    assert_eq!(browser.eval("typeof window.hacked"), "undefined");
    assert_eq!(
        browser.eval("document.querySelectorAll('img, script:not([type])').length"),
        json!(0)
    );
    // The policy would stop what gets past that.
    browser.eval("{ const one = document.createElement('script'); one.textContent = 'window.hacked = 1'; document.body.append(one); }");
    assert_eq!(browser.eval("typeof window.hacked"), "undefined");
    assert_eq!(
        browser.complaints.len(),
        1,
        "the policy says so: {:?}",
        browser.complaints
    );
}

#[test]
fn a_damaged_page_says_so() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let path = page("damaged", Story::of_evidence(&map()));
    let html = std::fs::read_to_string(&path).expect("it is there");
    let at = html.find("id=\"scene\">").expect("the data") + 400;
    std::fs::write(&path, [&html[..at], &html[at + 200..]].concat()).expect("it can be written");
    browser.call(
        "Page.navigate",
        json!({"url": format!("file://{}", path.display())}),
    );
    browser.wait_for("document.documentElement?.dataset.ready");
    assert_says(&browser.text(), &["This page is damaged"]);
}
