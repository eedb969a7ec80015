//! What was generated, in words.

use omnilink_gen::Generated;

/// What generating again has found in the user's file.
pub(crate) fn what_changed(generated: &Generated) -> String {
    let mut text = String::new();
    if generated.was_there {
        for name in &generated.added {
            text.push_str(&format!("  added: {name}\n"));
        }
        for (name, before, now) in &generated.changed {
            text.push_str(&format!(
                "  changed: {name} was {before} and is {now}: adapt it\n"
            ));
        }
        for name in &generated.orphaned {
            text.push_str(&format!(
                "  no longer used: {name}; it is kept, delete it if you do not need it\n"
            ));
        }
    }
    text
}
