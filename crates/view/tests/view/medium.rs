//! The page on a phone and on paper.

use omnilink_view::Story;
use serde_json::json;

use crate::browser::{Browser, assert_says};
use crate::samples::{map, page};

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
