//! Slips of whole lines: one is lost, doubled, moved, or begins or ends a comment.

use omnilink_tla_syntax::token::Token;

/// One way to spoil the line that a token begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSlip {
    /// It is not there.
    Lost,
    /// It occurs twice.
    Doubled,
    /// It has changed places with the next.
    Swapped,
    /// It stands a step too far left.
    Outdented,
    /// It stands a step too far right.
    Indented,
    /// It stands a step too far left, with all lines after it that stand further right.
    BlockOutdented,
    /// It stands a step too far right, with all lines after it that stand further right.
    BlockIndented,
    /// It stands two lines too far below.
    Moved,
    /// It is joined with the one before.
    Joined,
    /// A comment begins before it and does not end.
    CommentBegun,
    /// A comment ends before it that has not begun.
    CommentEnded,
    /// It begins a definition, which occurs twice.
    DefinitionDoubled,
    /// It begins a definition, which is not there.
    DefinitionLost,
}

pub const LINE_SLIPS: [LineSlip; 13] = [
    LineSlip::Lost,
    LineSlip::Doubled,
    LineSlip::Swapped,
    LineSlip::Outdented,
    LineSlip::Indented,
    LineSlip::BlockOutdented,
    LineSlip::BlockIndented,
    LineSlip::Moved,
    LineSlip::Joined,
    LineSlip::CommentBegun,
    LineSlip::CommentEnded,
    LineSlip::DefinitionDoubled,
    LineSlip::DefinitionLost,
];

/// How far a line is moved.
const STEP: &str = "  ";

/// Where the line ends that begins at a byte.
fn end_of_line(text: &str, start: usize) -> usize {
    text[start..].find('\n').map_or(text.len(), |at| start + at + 1)
}

/// Where the lines end that follow the one at a byte and stand further right.
fn end_of_block(text: &str, start: usize) -> usize {
    let blanks = |at: usize| text[at..].len() - text[at..].trim_start_matches(' ').len();
    let mut end = end_of_line(text, start);
    while end < text.len() && blanks(end) > blanks(start) {
        end = end_of_line(text, end);
    }
    end
}

/// Where the definition ends that begins at a byte: before the next line that begins at the margin.
fn end_of_definition(text: &str, start: usize) -> usize {
    let mut end = end_of_line(text, start);
    while text[end..].starts_with([' ', '\t', '\n', '\r']) {
        end = end_of_line(text, end);
    }
    end
}

/// The text with the line spoilt that a token begins; none if it begins no line, or not one of that kind.
pub fn line_spoilt(text: &str, token: &Token, slip: LineSlip) -> Option<String> {
    let start = text[..token.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = end_of_line(text, start);
    let (before, line, after) = (&text[..start], &text[start..end], &text[end..]);
    if line.len() - line.trim_start().len() != token.start as usize - start {
        return None;
    }
    let is_definition = token.begins_definition && token.column == 0;
    match slip {
        LineSlip::Lost => Some(format!("{before}{after}")),
        LineSlip::Doubled => Some(format!("{before}{line}{line}{after}")),
        LineSlip::Swapped => {
            let next = end_of_line(text, end);
            let (next, rest) = (&text[end..next], &text[next..]);
            (!next.is_empty()).then(|| format!("{before}{next}{line}{rest}"))
        }
        LineSlip::Outdented => Some(format!("{before}{}{after}", line.strip_prefix(STEP)?)),
        LineSlip::Indented => Some(format!("{before}{STEP}{line}{after}")),
        LineSlip::BlockOutdented | LineSlip::BlockIndented => {
            let end = end_of_block(text, start);
            let block = text[start..end].split_inclusive('\n');
            let block: Option<String> = if slip == LineSlip::BlockIndented {
                block.map(|line| Some([STEP, line].concat())).collect()
            } else {
                block.map(|line| line.strip_prefix(STEP)).collect()
            };
            let is_block = text[start..end].matches('\n').count() > 1;
            let block = block.filter(|_| is_block)?;
            Some(format!("{before}{block}{}", &text[end..]))
        }
        LineSlip::Moved => {
            let next = end_of_line(text, end);
            let last = end_of_line(text, next);
            let (others, rest) = (&text[end..last], &text[last..]);
            (last > next).then(|| format!("{before}{others}{line}{rest}"))
        }
        LineSlip::Joined if start > 0 => {
            Some(format!("{} {}{after}", &before[..start - 1], line.trim_start()))
        }
        LineSlip::CommentBegun => Some(format!("{before}(* {line}{after}")),
        LineSlip::CommentEnded => Some(format!("{before}*) {line}{after}")),
        LineSlip::DefinitionDoubled | LineSlip::DefinitionLost if is_definition => {
            let end = end_of_definition(text, start);
            let (definition, rest) = (&text[start..end], &text[end..]);
            let is_twice = slip == LineSlip::DefinitionDoubled;
            let kept = if is_twice { definition } else { "" };
            let kept = format!("{kept}{kept}");
            Some(format!("{before}{kept}{rest}"))
        }
        _ => None,
    }
}
