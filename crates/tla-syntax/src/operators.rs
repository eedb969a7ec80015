//! The operator table: every operator symbol of TLA+, its spellings, its fixity and its precedence range.
//!
//! A TLA+ operator has a *range* of precedences, not one. Of two adjacent operators the left one binds tighter if its whole
//! range is above the other's, and the right one if its range is above. Where the ranges overlap there is no order, and the text
//! is an error. Only an operator marked left-associative may follow itself.

use std::cmp::Ordering;

/// The position of an operator among its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixity {
    /// Before its operand.
    Prefix,
    /// Between its operands.
    Infix,
    /// After its operand.
    Postfix,
}

macro_rules! operators {
    ($($variant:ident $fixity:ident $low:literal $high:literal $assoc:ident $($spelling:literal)+;)*) => {
        /// An operator symbol. Different spellings of one operator (`\cup`, `\union`, `∪`) are one `Op`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Op { $($variant,)* }

        impl Op {
            /// Every operator.
            pub const ALL: &'static [Op] = &[$(Op::$variant,)*];

            /// All spellings, the usual one first.
            pub fn spellings(self) -> &'static [&'static str] {
                match self { $(Op::$variant => &[$($spelling,)+],)* }
            }

            fn row(self) -> (Fixity, u8, u8, bool) {
                match self { $(Op::$variant => (Fixity::$fixity, $low, $high, operators!(@ $assoc)),)* }
            }
        }
    };
    (@ left) => { true };
    (@ none) => { false };
}

operators! {
    Implies    Infix   1  1  none "=>" "⇒";
    PlusArrow  Infix   2  2  none "-+->" "⇸";
    Equiv      Infix   2  2  none "<=>" "\\equiv" "≡" "⇔";
    LeadsTo    Infix   2  2  none "~>" "↝";
    And        Infix   3  3  left "/\\" "\\land" "∧";
    Or         Infix   3  3  left "\\/" "\\lor" "∨";
    Not        Prefix  4  4  left "~" "\\lnot" "\\neg" "¬";
    Always     Prefix  4  15 none "[]" "□";
    Eventually Prefix  4  15 none "<>" "◇";
    Enabled    Prefix  4  15 none "ENABLED";
    Unchanged  Prefix  4  15 none "UNCHANGED";
    NotEqual   Infix   5  5  none "#" "/=" "≠";
    DashBar    Infix   5  5  none "-|" "⊣";
    BnfRule    Infix   5  5  none "::=" "⩴";
    Assign     Infix   5  5  none ":=" "≔";
    Less       Infix   5  5  none "<";
    Equal      Infix   5  5  none "=";
    EqualBar   Infix   5  5  none "=|" "⫤";
    Greater    Infix   5  5  none ">";
    Approx     Infix   5  5  none "\\approx" "≈";
    Asymp      Infix   5  5  none "\\asymp" "≍";
    Cong       Infix   5  5  none "\\cong" "≅";
    Doteq      Infix   5  5  none "\\doteq" "≐";
    GreaterEq  Infix   5  5  none ">=" "\\geq" "≥";
    MuchMore   Infix   5  5  none "\\gg" "≫";
    In         Infix   5  5  none "\\in" "∈";
    NotIn      Infix   5  5  none "\\notin" "∉";
    LessEq     Infix   5  5  none "<=" "=<" "\\leq" "≤";
    MuchLess   Infix   5  5  none "\\ll" "≪";
    Prec       Infix   5  5  none "\\prec" "≺";
    PrecEq     Infix   5  5  none "\\preceq" "⪯";
    Propto     Infix   5  5  none "\\propto" "∝";
    Sim        Infix   5  5  none "\\sim" "∼";
    SimEq      Infix   5  5  none "\\simeq" "≃";
    SqSubset   Infix   5  5  none "\\sqsubset" "⊏";
    SqSubsetEq Infix   5  5  none "\\sqsubseteq" "⊑";
    SqSupset   Infix   5  5  none "\\sqsupset" "⊐";
    SqSupsetEq Infix   5  5  none "\\sqsupseteq" "⊒";
    Subset     Infix   5  5  none "\\subset" "⊂";
    SubsetEq   Infix   5  5  none "\\subseteq" "⊆";
    Succ       Infix   5  5  none "\\succ" "≻";
    SuccEq     Infix   5  5  none "\\succeq" "⪰";
    Supset     Infix   5  5  none "\\supset" "⊃";
    SupsetEq   Infix   5  5  none "\\supseteq" "⊇";
    BarDash    Infix   5  5  none "|-" "⊢";
    BarEqual   Infix   5  5  none "|=" "⊨";
    Cdot       Infix   5  14 left "\\cdot" "⋅";
    AtAt       Infix   6  6  left "@@";
    MapsTo     Infix   7  7  none ":>";
    LessColon  Infix   7  7  none "<:";
    SetMinus   Infix   8  8  none "\\";
    Cap        Infix   8  8  left "\\cap" "\\intersect" "∩";
    Cup        Infix   8  8  left "\\cup" "\\union" "∪";
    Dots       Infix   9  9  none ".." "‥";
    Dots3      Infix   9  9  none "..." "…";
    BangBang   Infix   9  13 none "!!" "‼";
    HashHash   Infix   9  13 left "##";
    Dollar     Infix   9  13 left "$";
    Dollar2    Infix   9  13 left "$$";
    QuestQuest Infix   9  13 left "??" "⁇";
    SqCap      Infix   9  13 left "\\sqcap" "⊓";
    SqCup      Infix   9  13 left "\\sqcup" "⊔";
    Uplus      Infix   9  13 left "\\uplus" "⊎";
    Wr         Infix   9  14 none "\\wr" "≀";
    Plus       Infix   10 10 left "+";
    PlusPlus   Infix   10 10 left "++";
    Oplus      Infix   10 10 left "(+)" "\\oplus" "⊕";
    Percent    Infix   10 11 none "%";
    Percent2   Infix   10 11 left "%%";
    Bar        Infix   10 11 left "|";
    BarBar     Infix   10 11 left "||" "‖";
    Domain     Prefix  10 13 none "DOMAIN";
    Powerset   Prefix  10 13 none "SUBSET";
    BigUnion   Prefix  10 13 none "UNION";
    Times      Infix   10 13 left "\\X" "\\times" "×";
    Minus      Infix   11 11 left "-";
    MinusMinus Infix   11 11 left "--";
    Ominus     Infix   11 11 left "(-)" "\\ominus" "⊖";
    Negative   Prefix  12 12 none "-.";
    Amp        Infix   13 13 left "&";
    AmpAmp     Infix   13 13 left "&&";
    Odot       Infix   13 13 left "(.)" "\\odot" "⊙";
    Oslash     Infix   13 13 none "(/)" "\\oslash" "⊘";
    Otimes     Infix   13 13 left "(\\X)" "\\otimes" "⊗";
    Star       Infix   13 13 left "*";
    StarStar   Infix   13 13 left "**";
    Slash      Infix   13 13 none "/";
    SlashSlash Infix   13 13 none "//";
    BigCirc    Infix   13 13 left "\\bigcirc" "◯";
    Bullet     Infix   13 13 left "\\bullet" "●";
    Div        Infix   13 13 none "\\div" "÷";
    Circ       Infix   13 13 left "\\o" "\\circ" "∘";
    StarOp     Infix   13 13 left "\\star" "⋆";
    Caret      Infix   14 14 none "^";
    CaretCaret Infix   14 14 none "^^";
    Prime      Postfix 15 15 none "'";
    CaretPlus  Postfix 15 15 none "^+" "⁺";
    CaretStar  Postfix 15 15 none "^*";
    CaretHash  Postfix 15 15 none "^#";
}

impl Op {
    /// The usual spelling, by which messages and the printer call the operator.
    pub fn text(self) -> &'static str {
        self.spellings().first().copied().unwrap_or("")
    }

    /// Its position among its operands.
    pub fn fixity(self) -> Fixity {
        self.row().0
    }

    /// The number of operands it takes.
    pub fn arity(self) -> usize {
        if self.fixity() == Fixity::Infix { 2 } else { 1 }
    }

    /// Lowest and highest precedence.
    pub fn precedence(self) -> (u8, u8) {
        let (_, low, high, _) = self.row();
        (low, high)
    }

    /// The order between an operator and the one to its right: `Greater` when the left one takes the operand between
    /// them, `Less` when the right one does, `None` when the language defines no order.
    pub fn order_before(self, right: Op) -> Option<Ordering> {
        let (_, left_low, left_high, associative) = self.row();
        let (right_low, right_high) = right.precedence();
        if left_low > right_high || (self == right && associative) {
            Some(Ordering::Greater)
        } else if left_high < right_low {
            Some(Ordering::Less)
        } else {
            None
        }
    }

    /// Whether it makes formulas, judging by its precedence: connectives and comparisons bind least.
    pub fn gives_truth(self) -> bool {
        self.precedence().0 <= 5
    }

    /// Whether the language itself defines the operator, so that no module may.
    pub fn is_built_in(self) -> bool {
        matches!(
            self,
            Op::Implies
                | Op::PlusArrow
                | Op::Equiv
                | Op::LeadsTo
                | Op::And
                | Op::Or
                | Op::Not
                | Op::Always
                | Op::Eventually
                | Op::Enabled
                | Op::Unchanged
                | Op::NotEqual
                | Op::Equal
                | Op::In
                | Op::NotIn
                | Op::SubsetEq
                | Op::Cdot
                | Op::SetMinus
                | Op::Cap
                | Op::Cup
                | Op::Domain
                | Op::Powerset
                | Op::BigUnion
                | Op::Times
                | Op::Prime
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_neighbours_follows_the_ranges() {
        assert_eq!(Op::Star.order_before(Op::Plus), Some(Ordering::Greater));
        assert_eq!(Op::Plus.order_before(Op::Minus), Some(Ordering::Less));
        assert_eq!(Op::Plus.order_before(Op::Plus), Some(Ordering::Greater));
        for (left, right) in [
            (Op::Equal, Op::Equal),
            (Op::And, Op::Or),
            (Op::Implies, Op::Implies),
            (Op::Cup, Op::Cap),
            (Op::Always, Op::Prime),
        ] {
            assert_eq!(left.order_before(right), None, "{left:?} {right:?}");
        }
    }

    #[test]
    fn no_spelling_belongs_to_two_operators() {
        let mut seen = std::collections::HashSet::new();
        for op in Op::ALL {
            for spelling in op.spellings() {
                assert!(seen.insert(*spelling), "{spelling} is there twice");
            }
        }
    }
}
