//! Behaviours of specifications and runs of components.

use omnilink_evidence::Evidence;
use omnilink_view::Story;
use serde_json::{Value, json};

use crate::browser::{Browser, assert_says};
use crate::samples::{algorithm_run, behaviour_with_graph, crashed_run, example, page, run_with_serial_runs};

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
        &[
            "4 states and 4 steps, as far as the search went",
            "State 4 of the graph",
            "Expire",
            "The search ended before it looked for steps from here",
        ],
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
            "reads 0 lazy.rs:18",
            "reads 0 and stores 1 lazy.rs:18",
        ],
    );
    browser.click(".serial button", "thread 1 get() = 1", "left");
    assert_eq!(
        browser.eval("document.querySelector('.inspector .call').innerText"),
        "get() = 1"
    );
    browser.screenshot("serial-runs");
    browser.assert_no_complaints();
}

#[test]
fn a_crash_shows_what_was_printed_and_where_it_was() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("crash", Story::of_evidence(&crashed_run())), "");
    browser.click("[role=tab]", "Interleaving", "left");
    assert_says(
        &browser.text(),
        &[
            "IT PRINTED",
            "Assertion `state != 0' failed.",
            "IT CRASHED IN",
            "src/lazy.rs:18 in get",
            "lazy.state reads 0",
        ],
    );
    browser.screenshot("crash");
    browser.assert_no_complaints();
}

#[test]
fn a_test_that_fails_has_its_turns_and_switches() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let evidence = example("omnilink test --cpp ./count --json");
    browser.open(&page("test", Story::of_evidence(&evidence)), "");
    assert_says(
        &browser.text(),
        &[
            "count: exit code 1",
            "4 turns",
            "It needs 1 switch with 1 preemption",
            "thread 1 stops before count.cpp:8 (count); thread 2 goes on at its beginning",
            "thread 1 is interrupted, thread 2 goes on",
            "reads 0",
            "it failed in this turn",
            "omnilink test --schedule '1.1-2' --cpp ./count",
        ],
    );
    browser.screenshot("test");
    browser.assert_no_complaints();
}

#[test]
fn a_behaviour_of_an_algorithm_has_a_lane_for_each_process() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&page("algorithm", Story::of_evidence(&algorithm_run())), "");
    assert_says(
        &browser.text(),
        &[
            "client 1",
            "client 2",
            "await serving = mine",
            "Handover.tla:14",
            "in TLA+",
            "Handover.tla:41",
        ],
    );
    // The second step is in the second lane.
    let lanes = "[...document.querySelectorAll('table.run tbody tr')].map((row) => [...row.cells].findIndex((cell) => cell.classList.contains('step'))).join()";
    assert_eq!(browser.eval(lanes), "1,1,2");
    browser.press("p");
    assert_says(&browser.text(), &["State 2 of 3", "take"]);
    browser.screenshot("algorithm");
    browser.assert_no_complaints();
}
