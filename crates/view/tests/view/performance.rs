//! A million operations. What is asserted is the work, which does not depend on the machine; the times are printed.

use omnilink_view::Story;

use crate::browser::Browser;
use crate::samples::{long_trace, page};

#[test]
fn a_million_operations_open_and_zoom_without_visiting_them_all() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let path = page(
        "million",
        vec![Story::of_trace("million", long_trace(1_000_000, 8))],
    );
    let bytes = std::fs::metadata(&path).expect("it is there").len();
    browser.open(&path, "");
    let opened = browser.eval("omnilink.opened");
    let measured = browser.eval(
        "(async () => { const { app } = omnilink; const panel = app.timelinePanel; app.frameAll(); \
         let boxes = 0; const original = CanvasRenderingContext2D.prototype.fillRect; const round = CanvasRenderingContext2D.prototype.roundRect; \
         CanvasRenderingContext2D.prototype.fillRect = function (...a) { boxes++; return original.apply(this, a); }; \
         CanvasRenderingContext2D.prototype.roundRect = function (...a) { boxes++; return round.apply(this, a); }; \
         let most = 0; const began = performance.now(); panel.drawn = { frames: 0, milliseconds: 0 }; \
         for (let at = 0; at < 80; at++) { boxes = 0; panel.zoom(at < 40 ? 0.75 : 1.333, 700); \
           await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); most = Math.max(most, boxes); } \
         return { most, draw: panel.drawn.milliseconds / panel.drawn.frames, seconds: (performance.now() - began) / 1000 }; })()",
    );
    eprintln!("1,000,000 operations in {bytes} bytes: opened in {opened} ms; while zooming {measured}");
    // Two shapes per pixel and lane at most, and the overview.
    let most = measured["most"].as_f64().expect("a number");
    assert!(most < 8.0 * 1440.0 * 2.0 + 3000.0, "{most} shapes in one frame");
    browser.eval("omnilink.app.frameAll()");
    browser.screenshot("million");
    browser.assert_no_complaints();
}
