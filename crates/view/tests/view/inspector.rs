//! What the inspector says about an operation: states, reasons, source.

use omnilink_evidence::Evidence;
use omnilink_view::{Scene, SourceExcerpt, Story};
use serde_json::{Value, json};

use crate::browser::{Browser, assert_says};
use crate::samples::{map, page, write};

#[test]
fn states_are_shown_in_full_and_as_differences() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("map", Story::of_evidence(&map())), "");
    browser.click(".grid tbody button", "erase(6) = 3", "left");
    let state =
        |browser: &mut Browser| browser.eval("document.querySelector('.inspector .states').innerText");
    let shown = state(&mut browser);
    let shown = shown.as_str().expect("a text");
    assert_says(shown, &["STATE BEFORE THE FAILURE", "→"]);
    browser.press("s");
    assert!(!state(&mut browser).as_str().expect("a text").contains('→'));
    // Against another explanation.
    browser.press("s");
    browser.eval("{ const one = document.querySelector('.inspector select'); one.value = '1'; one.dispatchEvent(new Event('change')); }");
    let against = state(&mut browser);
    assert_says(against.as_str().expect("a text"), &["6", "3"]);
    browser.screenshot("map-states");
    browser.assert_no_complaints();
}

#[test]
fn why_not_leads_to_the_last_writer() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("map", Story::of_evidence(&map())), "");
    assert_says(
        &browser.text(),
        &["WHY NOT", "result = Size(lo, hi)", "is false", "map[6]"],
    );
    browser.click(".writers button", "insert(6, 3)", "left");
    assert_eq!(
        browser.eval("document.querySelector('.inspector .call').innerText"),
        "insert(6, 3)"
    );
    browser.assert_no_complaints();
}

#[test]
fn the_false_conjunct_is_marked_in_the_source() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let mut json: Value = serde_json::from_str(&map().to_json()).expect("JSON");
    for alternative in json["violation"]["alternatives"].as_array_mut().expect("a list") {
        alternative["candidates"][0]["places"] = json!(["Map.tla:3:8-4:17"]);
    }
    let evidence = Evidence::from_json(&json.to_string()).expect("it is evidence");
    let lines = [
        "Range(lo, hi, result) ==",
        "    /\\ lo <= hi",
        "    /\\ result =",
        "          Size(lo, hi)",
        "====",
    ];
    let scene = Scene {
        title: "source".to_owned(),
        stories: Story::of_evidence(&evidence),
        sources: vec![SourceExcerpt {
            file: "Map.tla".to_owned(),
            first: 1,
            lines: lines.map(str::to_owned).to_vec(),
        }],
        ..Scene::default()
    };
    browser.open(&write("source", &scene), "");
    assert_eq!(
        browser.eval("[...document.querySelector('.reason .source').querySelectorAll('mark')].map((one) => one.innerText).join('|')"),
        "result =|Size(lo"
    );
    browser.screenshot("source");
    browser.assert_no_complaints();
}
