//! The page of a scene, as one HTML file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::bundle::{PAGE, STYLE, script};
use crate::scene::Scene;

/// The page of a scene: one HTML file that needs nothing else.
///
/// The data is deflated and written as base64, so that no byte of a trace is ever read as HTML. The policy allows the one script and
/// the one style by their hashes, and nothing from anywhere; a page with a server behind it may talk to that server.
pub fn html(scene: &Scene) -> String {
    let script = script();
    let connect = if scene.live { "connect-src 'self'; " } else { "" };
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; {connect}base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE)
    );
    let data = STANDARD.encode(scene.encode());
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len());
    let mut rest = PAGE;
    // One pass: what is put in is not looked at again.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        page.push_str(match name {
            "policy" => &policy,
            "version" => env!("CARGO_PKG_VERSION"),
            "style" => STYLE,
            "scene" => &data,
            "script" => &script,
            _ => "",
        });
        rest = after;
    }
    page.push_str(rest);
    page
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
