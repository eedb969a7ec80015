//! The page on a phone and on paper.

use omnilink_view::{Scene, Story};
use serde_json::json;

use crate::browser::{Browser, assert_says};
use crate::samples::{map, page, write};

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

#[test]
fn a_campaign_fits_on_a_phone() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let run = |id: u64| json!({"id": id, "verdict": if id == 3 { "violation" } else { "valid" }, "finding": (id == 3).then_some("violation"), "ops": 228, "seconds": 0.03, "ending": "exit 0", "seed": "5409305501009506893"});
    let campaign = json!({
        "campaigns": [{
            "id": "c", "subject": "Seats.tla", "command": "build/harness-schedule", "chaos": "schedule", "seed": "1", "runs": 1, "ops": 228,
            "seconds": 1.7, "verdicts": {"valid": 39, "violation": 1}, "coverage": {"action Hold": 3, "action Pay": 0},
            "findings": [{"finding": "violation", "signature": "s", "runs": 1, "first": 3, "headline": "nothing explains Free(row: 3, result: 4) of thread 0"}],
            "first_finding": 0.6,
        }],
        "runs": (1..=40).map(run).collect::<Vec<_>>(),
    });
    let mut stories = Story::of_evidence(&map());
    stories[0].name = "run 3".to_owned();
    let scene = Scene {
        title: "campaign".to_owned(),
        stories,
        campaign: Some(campaign),
        ..Scene::default()
    };
    browser.size(390, 844);
    browser.open(&write("campaign", &scene), "");
    browser.click("summary", "40 runs", "left");
    let text = browser.text();
    assert_says(
        &text,
        &[
            "1 run\n",
            "1 of 2 actions and branches",
            "run 40",
            "5409305501009506893",
        ],
    );
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= innerWidth"),
        json!(true)
    );
    browser.screenshot("campaign-phone");
    browser.assert_no_complaints();
}
