//! Keys, and names for those who do not see the page.

use omnilink_view::Story;
use serde_json::json;

use crate::browser::{Browser, assert_says};
use crate::samples::{example, map, page};

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
