//! What a page of text may use: how many columns, which characters, colour or none.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::short_state::short_state;

/// How text is to look. The caller decides, because only the caller knows where the text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many columns there are.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Whether to keep to ASCII.
    pub ascii: bool,
}

/// What a piece of text is to the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// All is well.
    Good,
    /// This is the trouble.
    Bad,
    /// Nobody knows.
    Unsure,
    /// Look here first.
    Strong,
    /// Look here last.
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Good => color(AnsiColor::Green),
            Self::Bad => color(AnsiColor::Red),
            Self::Unsure => color(AnsiColor::Yellow),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

impl Look {
    /// The width of a page when nothing is known about the reader.
    pub const WIDTH: usize = 100;
    /// Below this, nothing can be drawn: a narrower page is treated as this wide.
    pub const WIDTH_MIN: usize = 40;

    /// Unicode on a page of [`Look::WIDTH`] columns, without colour.
    pub fn plain() -> Self {
        Self {
            width: Self::WIDTH,
            color: false,
            ascii: false,
        }
    }

    /// `text` in the colour of its tone, if there are colours.
    pub fn paint<'a>(&self, tone: Tone, text: &'a str) -> Cow<'a, str> {
        if !self.color || tone == Tone::Plain || text.is_empty() {
            return Cow::Borrowed(text);
        }
        let style = tone.style();
        Cow::Owned(format!("{style}{text}{style:#}"))
    }

    pub(crate) fn columns(&self) -> usize {
        self.width.max(Self::WIDTH_MIN)
    }

    pub(crate) fn cross(&self) -> &'static str {
        if self.ascii { "x" } else { "✗" }
    }

    pub(crate) fn bullet(&self) -> &'static str {
        if self.ascii { "-" } else { "·" }
    }

    pub(crate) fn dots(&self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    pub(crate) fn arrow(&self) -> &'static str {
        if self.ascii { "->" } else { "→" }
    }

    /// What stands for the time after the last event in which a pending operation may still take effect.
    pub(crate) fn open_end(&self) -> char {
        if self.ascii { '.' } else { '·' }
    }

    /// `text` as this page may show it: no control characters and, where ASCII is asked for, nothing else.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let is_harmless = |c: char| !c.is_control() && !is_invisible(c) && (!self.ascii || c.is_ascii());
        if text.chars().all(is_harmless) {
            return Cow::Borrowed(text);
        }
        let written = |c: char| {
            if is_harmless(c) {
                c.to_string()
            } else {
                c.escape_default().to_string()
            }
        };
        Cow::Owned(text.chars().map(written).collect())
    }

    /// A state as a text may show it: clean, and of a long list the first elements.
    pub(crate) fn state<'a>(&self, state: &'a str) -> Cow<'a, str> {
        match short_state(state) {
            Cow::Borrowed(state) => self.clean(state),
            Cow::Owned(state) => Cow::Owned(self.clean(&state).into_owned()),
        }
    }

    /// `text`, or as much of it as fits `columns`, with dots for the rest.
    pub(crate) fn shorten<'a>(&self, text: &'a str, columns: usize) -> Cow<'a, str> {
        if text.width() <= columns {
            return Cow::Borrowed(text);
        }
        let dots = self.dots();
        let room = columns.saturating_sub(dots.width());
        let mut used = 0;
        let fits = |c: &char| {
            used += c.width().unwrap_or(0);
            used <= room
        };
        let mut short: String = text.chars().take_while(fits).collect();
        short.extend(dots.chars().take(columns));
        Cow::Owned(short)
    }
}

/// Characters that reorder or hide their neighbours.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_cannot_move_the_readers_cursor() {
        let look = Look::plain();
        assert_eq!(look.clean("write(\"\u{1b}[2J\")"), "write(\"\\u{1b}[2J\")");
        assert_eq!(look.clean("a\nb\u{202e}c"), "a\\nb\\u{202e}c");
        assert_eq!(look.clean("größe"), "größe");
        let ascii = Look { ascii: true, ..look };
        assert_eq!(ascii.clean("größe"), "gr\\u{f6}\\u{df}e");
    }

    #[test]
    fn a_long_text_is_cut_with_dots_and_never_wider_than_its_room() {
        let look = Look::plain();
        assert_eq!(look.shorten("enqueue(12345)", 14), "enqueue(12345)");
        assert_eq!(look.shorten("enqueue(12345)", 10), "enqueue(1…");
        assert_eq!(look.shorten("日本語日本語", 6), "日本…");
        assert_eq!(look.shorten("abc", 0), "");
    }
}
