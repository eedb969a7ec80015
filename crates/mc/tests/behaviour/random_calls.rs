//! Random calls: recursive operators, operators as arguments, those of the community modules, and sets that have to be listed.

use crate::random_spec::{Type, Writer};

/// What the calls need.
pub(crate) const DEFINITIONS: &str = "\
RECURSIVE SumOver(_, _)
SumOver(h, D) == IF D = {} THEN 0 ELSE LET d == CHOOSE d \\in D : TRUE IN (h[d] + SumOver(h, D \\ {d})) % 4
RECURSIVE Total(_)
Total(z) == IF z = <<>> THEN 0 ELSE (Head(z) + Total(Tail(z))) % 4
\\* The last argument has no value behind the end of z, and is not used there.
RECURSIVE Walk(_, _, _)
Walk(i, z, v) == IF i > Len(z) THEN i % 4 ELSE IF v = 0 THEN 0 ELSE Walk(i + 1, z, z[i + 1])
\\* It reads the state.
RECURSIVE Reach(_)
Reach(i) == IF i <= 0 \\/ f[(i % 3) + 1] >= i THEN i ELSE Reach(f[(i % 3) + 1])
RECURSIVE Fold(_, _, _)
Fold(Op(_, _), v, z) == IF z = <<>> THEN v ELSE Fold(Op, Op(v, Head(z)), Tail(z))
RECURSIVE Even(_)
RECURSIVE Odd(_)
Even(i) == IF i <= 0 THEN i = 0 ELSE Odd(i - 1)
Odd(i) == IF i <= 0 THEN FALSE ELSE Even(i - 1)
";

impl Writer {
    /// A call with an integer as its value.
    pub(crate) fn int_call(&mut self, d: usize) -> String {
        match self.random.u8(..22) {
            0 => format!("Total({})", self.write(Type::Sequence, d)),
            1 => {
                let (start, sequence) = (self.pick(&["0", "1", "n"]), self.write(Type::Sequence, d));
                format!("Walk({start}, {sequence}, {})", self.write(Type::Int, d))
            }
            2 => format!("Reach({})", self.write(Type::Int, d)),
            3 => {
                let (base, sequence) = (self.write(Type::Int, d), self.write(Type::Sequence, d));
                format!("Fold(LAMBDA x, y : (x + y) % 4, {base}, {sequence})")
            }
            4 => {
                let (base, sequence) = (self.write(Type::Int, d), self.write(Type::Sequence, d));
                format!("Fold(LAMBDA x, y : (x + y + n) % 4, {base}, {sequence})")
            }
            5 => {
                let (base, set) = (self.write(Type::Int, d), self.write(Type::Ints, d));
                format!("FoldSet(LAMBDA x, y : (x + 2 * y) % 4, {base}, {set})")
            }
            6 => {
                let (base, sequence) = (self.write(Type::Int, d), self.write(Type::Sequence, d));
                format!("FoldLeft(LAMBDA x, y : (2 * x + y + n) % 4, {base}, {sequence})")
            }
            7 => {
                let (base, sequence) = (self.write(Type::Int, d), self.write(Type::Sequence, d));
                format!("FoldRight(LAMBDA x, y : (x + 3 * y) % 4, {sequence}, {base})")
            }
            8 => {
                let (base, function) = (self.write(Type::Int, d), self.write(Type::Function, d));
                format!("FoldFunction(LAMBDA x, y : (x + 2 * y) % 4, {base}, {function})")
            }
            9 => {
                let (set, function) = (self.pick(&["{1}", "{3, 1}", "s"]), self.write(Type::Function, d));
                format!("FoldFunctionOnSet(LAMBDA x, y : (x + 2 * y) % 4, n, {function}, {set})")
            }
            10 => {
                let set = self.write(Type::Ints, d);
                format!("Quantify({set}, LAMBDA x : x > n)")
            }
            11 => {
                let (set, key) = (self.write(Type::Ints, d), self.write(Type::Int, d));
                let other = self.name();
                let value = self.with(Type::Int, |this, name| {
                    format!(
                        "[{name} \\in {set} \\cup 0..3, {other} \\in {{1, n}} |-> ({} + {other}) % 4]",
                        this.write(Type::Int, d)
                    )
                });
                format!("({value})[{key} % 4, 1]")
            }
            12 => {
                let (left, right) = (self.write(Type::Ints, d), self.write(Type::Ints, d));
                format!("Cardinality(({left}) \\X ({right}) \\X {{t}})")
            }
            13 => {
                let (left, right) = (self.write(Type::Ints, d), self.write(Type::Ints, d));
                format!("Cardinality([a : {left}, b : {right}])")
            }
            14 => format!("Cardinality([{{1, n}} -> {}])", self.write(Type::Ints, d)),
            15 => {
                let set = self.write(Type::Ints, d);
                format!("Cardinality({{h \\in [{{1, 2}} -> {set}] : h[1] <= h[2] /\\ h[2] # n}})")
            }
            16 => format!(
                "Len(SelectSeq({}, LAMBDA x : x >= n))",
                self.write(Type::Sequence, d)
            ),
            17 => format!("Len(SetToSeq({}))", self.write(Type::Ints, d)),
            18 => {
                let (name, sequence) = (
                    self.pick(&["SelectInSeq", "SelectLastInSeq"]),
                    self.write(Type::Sequence, d),
                );
                format!("{name}({sequence}, LAMBDA x : x >= n)")
            }
            19 => {
                let (name, sequence) = (
                    self.pick(&["SelectInSubSeq", "SelectLastInSubSeq"]),
                    self.write(Type::Sequence, d),
                );
                let low = self.pick(&["1", "2", "n"]);
                format!("{name}({sequence} \\o <<1, 2>>, {low}, 2, LAMBDA x : x # n)")
            }
            bag => {
                let (left, right) = (self.write(Type::Ints, d), self.write(Type::Ints, d));
                let (plus, minus) = (self.pick(&["(+)", "(-)"]), self.pick(&["(+)", "(-)"]));
                let bags = format!("SetToBag({left}) {plus} f {minus} SetToBag({right})");
                match bag {
                    20 => format!("(BagCardinality(({bags})) % 4)"),
                    _ => format!("FoldBag(LAMBDA x, y : (2 * x + y) % 4, n, ({bags}))"),
                }
            }
        }
    }

    /// A call with a truth value.
    pub(crate) fn formula_call(&mut self, d: usize) -> String {
        match self.random.u8(..5) {
            0 => format!("Even({})", self.write(Type::Int, d)),
            1 => {
                let (sequence, element) = (self.write(Type::Sequence, d), self.write(Type::Int, d));
                format!("Contains({sequence}, {element})")
            }
            2 => {
                let (left, right) = (self.write(Type::Sequence, d), self.write(Type::Sequence, d));
                format!("IsPrefix({left}, {right})")
            }
            3 => format!("(n \\in Range({}))", self.write(Type::Function, d)),
            _ => {
                let set = self.write(Type::Ints, d);
                format!("(\\E p \\in {set} \\X {{n, 1}} : p[1] = p[2])")
            }
        }
    }
}
