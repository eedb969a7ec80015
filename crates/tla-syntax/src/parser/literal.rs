//! Numbers and strings.

use super::*;

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        self.check_based_number(&token)?;
        let whole = self.intern(token.span());
        if self.peek() == TokenKind::Dot && self.peek_after(1) == TokenKind::Number {
            self.bump();
            let fraction = self.bump();
            let digits = self.intern(fraction.span());
            return Ok(self.expr(ExprKind::Decimal(whole, digits), token.span().to(fraction.span())));
        }
        Ok(self.expr(ExprKind::Number(whole), token.span()))
    }

    /// Numbers with a base are bit patterns and have to fit in 32 bits, sign included, as they do for TLC.
    fn check_based_number(&mut self, token: &Token) -> Parsed<()> {
        let text = self.slice(token.span());
        let radix = match text.as_bytes() {
            [b'\\', b'b' | b'B', ..] => 2,
            [b'\\', b'o' | b'O', ..] => 8,
            [b'\\', b'h' | b'H', ..] => 16,
            _ => return Ok(()),
        };
        if i32::from_str_radix(text.get(2..).unwrap_or(""), radix).is_ok() {
            return Ok(());
        }
        let diagnostic = self
            .error(Class::Parse, token.span(), "this number does not fit in 32 bits")
            .help("write large numbers in decimal");
        Err(self.report(diagnostic))
    }

    pub(super) fn string(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        let raw = self
            .text
            .get(token.start as usize + 1..token.end as usize - 1)
            .unwrap_or("");
        let name = if raw.contains('\\') {
            let mut text = String::with_capacity(raw.len());
            let mut chars = raw.chars();
            while let Some(c) = chars.next() {
                text.push(match (c, if c == '\\' { chars.next() } else { None }) {
                    (_, Some('n')) => '\n',
                    (_, Some('t')) => '\t',
                    (_, Some('r')) => '\r',
                    (_, Some('f')) => '\u{c}',
                    (_, Some(other)) => other,
                    (c, None) => c,
                });
            }
            self.names.intern(&text)
        } else {
            self.names.intern(raw)
        };
        Ok(self.expr(ExprKind::Text(name), token.span()))
    }
}
