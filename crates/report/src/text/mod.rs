//! Evidence for people: the answer in plain words first, then the picture, then the reason, then what to do next.

mod behaviour;
mod log;
mod operation;
mod run;
pub(crate) mod system;
mod test;
mod transactions;
mod visibility;

use omnilink_evidence::{Confirmation, Evidence, Limit, Subject, Verdict};

pub use self::log::log_coverage_text;
pub use self::test::test_line;
use crate::figures::counted;
use crate::look::{Look, Tone};
use crate::paragraph::push_wrapped;

/// What a text shows, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// How it looks.
    pub look: Look,
    /// Whether it shows how often actions, branches and definitions were used.
    pub coverage: bool,
    /// Whether it shows all variables of every state, not only those that changed.
    pub full_states: bool,
}

impl From<Look> for TextOptions {
    fn from(look: Look) -> Self {
        Self {
            look,
            coverage: false,
            full_states: false,
        }
    }
}

impl Default for TextOptions {
    fn default() -> Self {
        Look::plain().into()
    }
}

/// The evidence as text, ending with a newline.
pub fn text(evidence: &Evidence, options: &TextOptions) -> String {
    let look = &options.look;
    if let (Verdict::Error, Some(error), None) = (evidence.verdict, &evidence.error, &evidence.violation) {
        return headline(
            &evidence.input,
            look,
            Tone::Bad,
            "cannot be checked",
            &look.clean(error),
        );
    }
    let mut page = match evidence.subject {
        Subject::Operations => operation::text(evidence, options),
        Subject::Log => log::text(evidence, options),
        Subject::Visibility => visibility::text(evidence, look),
        Subject::Transactions => transactions::text(evidence, look),
        Subject::Levels => match &evidence.inferred {
            Some(inferred) => transactions::levels_text(evidence, inferred, look),
            None => String::new(),
        },
        Subject::States => match &evidence.exploration {
            Some(exploration) => behaviour::text(evidence, exploration, options),
            None => String::new(),
        },
        Subject::Runs => match &evidence.campaign {
            Some(campaign) => run::text(evidence, campaign, look),
            None => String::new(),
        },
        Subject::Test => test::text(evidence, look),
        Subject::System => system::text(evidence, options),
    };
    if let Some(confirmation) = &evidence.confirmation {
        let sentence = confirmation_sentence(confirmation);
        push_wrapped(&mut page, "", "  ", &look.clean(&sentence), look);
    }
    page
}

/// Whether a second search agrees, in a sentence.
fn confirmation_sentence(confirmation: &Confirmation) -> String {
    match confirmation {
        Confirmation::Confirmed {
            search,
            configurations,
        } => format!(
            "confirmed by {search} ({})",
            counted(*configurations, "configuration", "configurations")
        ),
        Confirmation::NotConfirmed { reason } => format!("not confirmed: {reason}"),
    }
}

/// Why nothing explains a history, or why there is no answer, without the headline.
pub fn visibility_reason(evidence: &Evidence, look: &Look) -> String {
    visibility::reason(evidence, look)
}

/// `input: history 3: verdict: sentence`, the verdict in colour, ending with a newline.
fn history_headline(evidence: &Evidence, sentence: &str, look: &Look) -> String {
    let mut page = look
        .paint(Tone::Strong, &look.clean(&evidence.input))
        .into_owned();
    match &evidence.id {
        Some(id) if evidence.subject == Subject::Levels => page.push_str(&format!(": {}", look.clean(id))),
        // A trace is one history, and goes by the name of its file.
        Some(id) if *id != evidence.input => page.push_str(&format!(": history {}", look.clean(id))),
        _ => {}
    }
    let verdict = look.paint(tone_of(evidence.verdict), evidence.verdict.word());
    page.push_str(&format!(": {verdict}: {}\n", look.clean(sentence)));
    page
}

fn tone_of(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Valid => Tone::Good,
        Verdict::Violation | Verdict::Error => Tone::Bad,
        Verdict::Unknown => Tone::Unsure,
    }
}

/// `input: word: sentence`, the word in colour.
fn headline(input: &str, look: &Look, tone: Tone, word: &str, sentence: &str) -> String {
    let input = look.clean(input);
    let mut page = String::new();
    let plain = format!("{input}: {word}: ");
    push_wrapped(&mut page, &plain, "  ", sentence, look);
    let painted = format!(
        "{}: {}: ",
        look.paint(Tone::Strong, &input),
        look.paint(tone, word)
    );
    page.replacen(&plain, &painted, 1)
}

/// How a check came to end without an answer, in words.
pub(crate) fn limit_reached(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "the time limit was reached",
        Limit::Memory => "the memory limit was reached",
        Limit::Configurations => "the limit on configurations was reached",
        Limit::Interrupt => "it was interrupted",
        Limit::Operations => "there are more operations than can be searched",
        Limit::Behaviours => "all behaviours that were asked for were generated",
        Limit::Depth => "the greatest depth was reached",
        Limit::Unchecked => "some properties cannot be checked",
        Limit::Inconclusive => "the runs allow no conclusion",
    }
}
