//! What a reader sees and can do, by role and text.

use omnilink_evidence::{Evidence, Verdict};
use omnilink_view::{Fault, Scene, SourceExcerpt, Story};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::samples::{behaviour_with_graph, example, map, page, run_with_serial_runs, write};

fn assert_says(text: &str, all: &[&str]) {
    for expected in all {
        assert!(text.contains(expected), "{expected:?} is missing in: {text}");
    }
}

#[test]
fn a_violation_shows_what_and_why() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let evidence = example("register-stale-read.ndjson --model register --minimize");
    let page = page("stale-read", Story::of_evidence(&evidence));
    browser.open(&page, "");
    let text = browser.text();
    assert_says(
        &text,
        &[
            "✗ violation",
            "no order explains read() = 1",
            "thread b",
            "cannot be explained",
        ],
    );
    assert_says(
        &text,
        &[
            "read 1, but the register holds 2",
            "4 operations placed",
            "OVERLAPS 2 OPERATIONS",
        ],
    );
    browser.screenshot("stale-read");
    // The shrunk history is the second story.
    browser.eval("omnilink.app.goToStory(1)");
    assert_says(
        &browser.text(),
        &["shrunk to 2 operations", "read 2, but the register holds 1"],
    );
    browser.screenshot("stale-read-shrunk");
    browser.assert_no_complaints();
}

#[test]
fn evidence_of_every_command_opens() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "omnilink mc Locks.tla --json",
            "mc",
            &[
                "OneBeliever is violated",
                "initial state",
                "State 4 of 4",
                "c = d",
            ],
        ),
        (
            "omnilink mc Door.tla --json",
            "lasso",
            &[
                "repeats for ever",
                "WHY IT IS A VIOLATION",
                "in no state of the cycle",
                "FAIRNESS",
            ],
        ),
        (
            "omnilink lineup --bin lazy --json",
            "lineup",
            &[
                "not linearizable",
                "no serial run gives these results|Why not|WHY NOT",
            ],
        ),
        (
            "omnilink lineup paper --bin bag --json",
            "nondeterminism",
            &["serial runs differ in take()", "Some(2)", "Some(1)"],
        ),
        (
            "A weak level that does not hold",
            "weak",
            &["WHAT IT COULD SEE", "store[key]", "Longest order"],
        ),
        (
            "transactions.jsonl --consistency serializable --json`\n\n```json\n{\"evidence\":1,\"command\":\"check\",\"subject\":\"transactions\",\"input\":\"transactions.jsonl\",\"id\":\"write skew\"",
            "cycle",
            &["in a cycle", "it read \"y\" before the other wrote it"],
        ),
        (
            "register-stale-read.ndjson --model register --config-limit 1",
            "limit",
            &["? unknown", "configurations"],
        ),
        (
            "nowhere.ndjson --model register",
            "error",
            &["! error", "nowhere.ndjson"],
        ),
        (
            "register-valid.ndjson --model register --json",
            "valid",
            &["✓ valid", "every operation is explained"],
        ),
    ];
    for (command, name, expected) in cases {
        let page = page(name, Story::of_evidence(&example(command)));
        browser.open(&page, "");
        let text = browser.text();
        for one in expected {
            assert!(
                one.split('|').any(|one| text.contains(one)),
                "{name}: {one:?} is missing in: {text}"
            );
        }
        browser.screenshot(name);
    }
    browser.open(
        &page(
            "lineup",
            Story::of_evidence(&example("omnilink lineup --bin lazy --json")),
        ),
        "",
    );
    browser.click("[role=tab]", "Interleaving", "left");
    assert_says(
        &browser.text(),
        &["1 → 0, interrupted", "lazy.rs:19", "◂ get() = 2"],
    );
    browser.screenshot("lineup-interleaving");
    browser.assert_no_complaints();
}

#[test]
fn focus_hides_what_contradicts_it_and_can_be_taken_back() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = page("map", Story::of_evidence(&map()));
    browser.open(&page, "");
    let columns = |browser: &mut Browser| {
        browser.eval(
            "[...document.querySelectorAll('.grid thead button')].map((one) => one.innerText).join(' ')",
        )
    };
    assert_eq!(columns(&mut browser), "A B C");
    assert_says(
        &browser.text(),
        &[
            "3 explanations end here",
            "all agree up to here",
            "contains(6) = FALSE",
        ],
    );
    browser.screenshot("map");
    // With the mouse: only those in which the insertion comes first.
    browser.click(".grid tbody button", "insert(6, 3)", "right");
    browser.click("[role=menuitem]", "insert(6, 3) before erase(6) = 3", "left");
    assert_eq!(columns(&mut browser), "A C");
    browser.click(".grid thead button", "C", "right");
    browser.click("[role=menuitem]", "not C", "left");
    assert_eq!(columns(&mut browser), "A");
    assert_says(
        &browser.text(),
        &["1 of 3 explanations", "insert(6, 3) before erase(6) = 3", "not C"],
    );
    browser.screenshot("map-focus");
    // The address has it all.
    browser.wait_for("location.hash.includes('focus=b1-2.n2')");
    let address = browser.eval("location.hash");
    browser.open(&page, address.as_str().expect("an address"));
    assert_eq!(columns(&mut browser), "A");
    browser.press("Escape");
    assert_eq!(columns(&mut browser), "A C");
    browser.press("Escape");
    assert_eq!(columns(&mut browser), "A B C");
    // An operation that only some explanations have placed.
    browser.eval("omnilink.app.selectId(3)");
    browser.click("button", "assume it had not yet", "left");
    assert_eq!(columns(&mut browser), "C");
    browser.assert_no_complaints();
}

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
fn the_keyboard_reaches_everything() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("map", Story::of_evidence(&map())), "");
    let selected =
        |browser: &mut Browser| browser.eval("document.querySelector('.inspector .call').innerText");
    browser.press("ArrowLeft");
    assert_eq!(selected(&mut browser), "insert(6, 3)");
    browser.press("ArrowDown");
    assert_eq!(selected(&mut browser), "erase(6) = 3");
    browser.press("[");
    assert_eq!(selected(&mut browser), "insert(6, 3)");
    browser.press("f");
    assert_eq!(selected(&mut browser), "range(2, 11) = 9");
    browser.press("j");
    browser.press("j");
    assert_eq!(browser.eval("document.activeElement.dataset.grid"), "1:0");
    browser.press("Enter");
    assert!(
        browser.eval("document.activeElement.getAttribute('role')") == "menuitem",
        "Enter opens the menu of a cell"
    );
    browser.press("Escape");
    assert_eq!(browser.eval("document.querySelector('[role=menu]')"), json!(null));
    browser.press("c");
    assert_eq!(browser.eval("omnilink.app.view.color"), "key");
    browser.press("/");
    for letter in "erase".chars() {
        browser.press(&letter.to_string());
    }
    browser.press("Enter");
    assert_eq!(selected(&mut browser), "erase(6) = 3");
    assert_says(&browser.text(), &["1 found"]);
    browser.press("Escape");
    assert_eq!(browser.eval("omnilink.app.view.search"), "");
    browser.press("d");
    assert_eq!(browser.eval("document.documentElement.dataset.theme"), "dark");
    browser.screenshot("map-dark");
    browser.press("?");
    assert_says(&browser.text(), &["previous or next operation of the thread"]);
    browser.assert_no_complaints();
}

#[test]
fn everything_that_can_be_operated_has_a_name() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    for (name, evidence) in [("map", map()), ("mc", example("omnilink mc Locks.tla --json"))] {
        browser.open(&page(name, Story::of_evidence(&evidence)), "");
        let nameless = browser.eval(
            "[...document.querySelectorAll('button, select, input, canvas, [tabindex]')].filter((one) => !one.innerText?.trim() \
             && !one.getAttribute('aria-label')).map((one) => one.outerHTML)",
        );
        assert_eq!(nameless, json!([]));
        assert_eq!(browser.eval("document.documentElement.lang"), "en");
    }
}

#[test]
fn it_fits_on_a_phone() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.size(390, 844);
    browser.open(&page("map", Story::of_evidence(&map())), "");
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= innerWidth"),
        json!(true)
    );
    browser.screenshot("map-phone");
    browser.assert_no_complaints();
}

#[test]
fn an_infinite_behaviour_goes_round() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let mut json: Value =
        serde_json::from_str(&example("omnilink mc Locks.tla --json").to_json()).expect("JSON");
    json["violation"]["lasso"] = json!(2);
    json["violation"]["kind"] = json!("property");
    let evidence = Evidence::from_json(&json.to_string()).expect("it is evidence");
    browser.open(&page("lasso", Story::of_evidence(&evidence)), "");
    assert_says(&browser.text(), &["goes back to state 2", "State 4 of 4"]);
    browser.press("n");
    assert_says(&browser.text(), &["State 2 of 4"]);
    browser.press("p");
    assert_says(&browser.text(), &["State 1 of 4"]);
    browser.screenshot("lasso");
    browser.assert_no_complaints();
}

#[test]
fn a_small_state_graph_is_drawn_and_walked_through() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let page = page("graph", Story::of_evidence(&behaviour_with_graph()));
    browser.open(&page, "");
    browser.click("[role=tab]", "State graph", "left");
    assert_says(
        &browser.text(),
        &["All 4 states and 4 steps", "State 4 of the graph", "Expire"],
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('.graph .edge.onpath').length"),
        json!(3)
    );
    browser.screenshot("graph");
    browser.click(".graph .node", "State 2:", "left");
    assert_says(&browser.text(), &["State 2 of the graph", "Release → 1"]);
    // The address has the tab and the state.
    browser.wait_for("location.hash.includes('tab=State+graph') && location.hash.includes('state=1')");
    let address = browser.eval("location.hash");
    browser.open(&page, address.as_str().expect("an address"));
    assert_says(&browser.text(), &["State 2 of the graph"]);
    browser.press("p");
    assert_says(&browser.text(), &["State 3 of the graph"]);
    browser.assert_no_complaints();
}

#[test]
fn serial_runs_stand_beside_the_interleaving() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(
        &page("serial-runs", Story::of_evidence(&run_with_serial_runs())),
        "",
    );
    assert_says(
        &browser.text(),
        &[
            "ALL 2 SERIAL RUNS",
            "A — 1 call came out otherwise",
            "here: get() = 2",
        ],
    );
    browser.click(".serial button", "1 get() = 1", "left");
    assert_eq!(
        browser.eval("document.querySelector('.inspector .call').innerText"),
        "get() = 1"
    );
    browser.screenshot("serial-runs");
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

#[test]
fn faults_are_bands_on_the_same_axis() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let fault = |start, end, text: &str| Fault {
        start,
        end: Some(end),
        text: text.to_owned(),
    };
    let faults = [fault(15, 65, "partition"), fault(90, 90, "leader elected")];
    let stories = Story::of_evidence(&map()).into_iter();
    let page = page(
        "faults",
        stories.map(|story| story.with_faults(&faults)).collect(),
    );
    browser.open(&page, "");
    let drawn = "(() => { const texts = []; const original = CanvasRenderingContext2D.prototype.fillText; \
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { texts.push(text); return original.call(this, text, ...rest); }; \
        omnilink.app.timelinePanel.draw(); CanvasRenderingContext2D.prototype.fillText = original; return texts.join('|'); })()";
    let drawn = browser.eval(drawn);
    assert_says(
        drawn.as_str().expect("texts"),
        &["partition", "leader elected", "insert(6, 3)"],
    );
    browser.screenshot("faults");
    browser.assert_no_complaints();
}

#[test]
fn it_prints_without_what_is_only_for_screens() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("map", Story::of_evidence(&map())), "");
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let text = browser.text();
    assert_says(
        &text,
        &["no order explains range(2, 11) = 9", "WHY NOT", "insert(6, 3)"],
    );
    assert_eq!(
        browser.eval("document.querySelector('.timeline .tools').getClientRects().length"),
        json!(0)
    );
    // Nothing is cut off: what scrolls on a screen is as high as its content on paper.
    assert_eq!(
        browser.eval("[...document.querySelectorAll('.panel, .inspector')].every((one) => one.scrollHeight <= one.clientHeight + 1)"),
        json!(true)
    );
    browser.screenshot("map-print");
    browser.assert_no_complaints();
}

/// Every text of some evidence replaced, except the words that say what it is.
fn poisoned(value: &mut Value, poison: &str) {
    const WORDS: [&str; 11] = [
        "type",
        "command",
        "subject",
        "verdict",
        "kind",
        "ending",
        "fate",
        "plain_accesses",
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
