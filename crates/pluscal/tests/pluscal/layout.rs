//! Junction lists keep their meaning, however far names move what follows them.

use fastrand::Rng;
use omnilink_tla_syntax::deep_stack;
use omnilink_tla_syntax::names::Names;
use omnilink_tla_syntax::parser::parse;
use omnilink_tla_syntax::printer::print;
use omnilink_tla_syntax::source::SourceId;

use crate::translated;

/// A formula that is written line by line.
struct Drawn<'r> {
    text: String,
    column: usize,
    rng: &'r mut Rng,
}

impl Drawn<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.len();
    }

    fn line(&mut self, column: usize) {
        self.text.push('\n');
        self.text.push_str(&" ".repeat(column));
        self.column = column;
    }

    fn leaf(&mut self) {
        let leaves = [
            "x = 1",
            "yy \\in 1 .. x",
            "~(x = yy)",
            "n > x + yy",
            "x[n] # [x |-> yy]",
            "r.x = x",
        ];
        let leaf = leaves[self.rng.usize(..leaves.len())];
        self.put(leaf);
    }

    fn formula(&mut self, depth: u32) {
        let column = self.column;
        match self.rng.u32(..if depth == 0 { 1 } else { 6 }) {
            0 => self.leaf(),
            1 | 2 => {
                let bullet = if self.rng.bool() { "/\\ " } else { "\\/ " };
                for item in 0..self.rng.u32(1..4) {
                    if item > 0 {
                        self.line(column);
                    }
                    self.put(bullet);
                    self.formula(depth - 1);
                }
            }
            3 => {
                self.leaf();
                self.put(" => ");
                self.put("(");
                self.formula(depth - 1);
                self.put(")");
            }
            4 => {
                self.put("IF ");
                self.formula(depth - 1);
                let further = self.rng.usize(..4);
                self.line(column + 1 + further);
                self.put("THEN ");
                self.formula(depth - 1);
                let further = self.rng.usize(..4);
                self.line(column + 1 + further);
                self.put("ELSE ");
                self.formula(depth - 1);
            }
            _ => {
                self.put("\\A x2 \\in {x} : ");
                self.formula(depth - 1);
            }
        }
    }
}

/// The definition of an action as the printer has it, without indexes.
fn printed(module: &str) -> String {
    let printed = deep_stack::run(|| {
        let (mut names, mut diagnostics) = (Names::default(), Vec::new());
        let tree = parse(SourceId(0), module, &mut names, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}\n{module}");
        print(&tree, &names)
    });
    let printed: String = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed = printed.replace("x[self]", "x").replace("yy[self]", "yy");
    let from = printed.find("A(self) ==").expect("the action is there");
    printed[from..printed.find("UNCHANGED").expect("the frame is there")].to_owned()
}

#[test]
fn indexes_and_primes_do_not_change_the_meaning_of_a_formula() {
    let mut rng = Rng::with_seed(39);
    for round in 0..400 {
        let column = 5 + rng.usize(..10);
        let mut drawn = Drawn {
            text: String::new(),
            column,
            rng: &mut rng,
        };
        drawn.formula(3);
        let formula = drawn.text;
        let pad = " ".repeat(column - 5);
        let algorithm = format!(
            "---- MODULE M ----\n(*\n--algorithm M\nvariables n = 0, r = 0;\nprocess P \\in {{1}}\nvariables x = 1, yy = 2;\nbegin A:\n{pad}await\n{}{formula};\nend process;\nend algorithm *)\n====\n",
            " ".repeat(column)
        );
        let translation = translated(&algorithm).text;
        let new = printed(&format!("---- MODULE M ----\n{translation}====\n"));
        let old = printed(&format!(
            "---- MODULE M ----\nA(self) ==\n /\\ pc[self] = \"A\"\n /\\\n{}{formula}\n /\\ pc' = [pc EXCEPT ![self] = \"Done\"]\n /\\ UNCHANGED n\n====\n",
            " ".repeat(column)
        ));
        assert_eq!(new, old, "round {round}:\n{algorithm}\n{translation}");
    }
}

#[test]
fn a_comment_inside_an_expression_is_left_out() {
    let text = "---- MODULE M ----\n(* --algorithm M { variable n = 0; { A: n := (* so *) 1 + \\* and\n   2; } } *)\n====\n";
    assert!(
        translated(text).text.contains("/\\ n' = 1 +\n"),
        "{}",
        translated(text).text
    );
}

#[test]
fn an_argument_over_several_lines_keeps_its_lists() {
    let text = "---- MODULE M ----
(* --algorithm M {
  variables a = TRUE, b = FALSE;
  macro set(v, e) { v := e /\\ b }
  { A: set(a, \\/ a
              \\/ b) } } *)
====
";
    let translation = translated(text).text;
    assert!(
        translation.contains("/\\ a' = ((\\/ a\n               \\/ b) /\\ b)\n"),
        "{translation}"
    );
}
