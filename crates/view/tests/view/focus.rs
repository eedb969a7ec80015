//! Assumptions, and what disappears with them.

use omnilink_view::Story;

use crate::browser::{Browser, assert_says};
use crate::samples::{map, page};

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
