//! Random ENABLED, temporal formulas with fairness, VIEW, and operators that read the search or have effects.

use crate::random_spec::{Type, Writer};

/// Actions that leave most variables open.
pub(crate) const OPEN_ACTIONS: &str = "\
Bump(k) == n < 3 /\\ n' = (n + k) % 4
Choice(S) == \\E k \\in S : (k > n /\\ n' = k) \\/ (b /\\ n' = n /\\ f' = [f EXCEPT ![2] = k, ![1] = @ + 1])
Whole == /\\ n' \\in {n, 1} /\\ b' = ~b /\\ f' = [f EXCEPT ![(n % 3) + 1] = n'] /\\ UNCHANGED <<t, s, g>>
         /\\ (q' = q \\/ q' = <<>>) /\\ m' = {} /\\ f'[1] <= n' + 2
RECURSIVE Now(_)
Now(i) == IF i = 0 THEN 0 ELSE (f[i] + Now(i - 1)) % 4
RECURSIVE Then(_)
Then(i) == IF i = 0 THEN 0 ELSE (f'[i] + Then(i - 1)) % 4
Wants(x) == x' = 2
Applies(Op(_), x) == ENABLED Op(x)
";

impl Writer {
    /// A formula about a state with ENABLED.
    pub(crate) fn enabled(&mut self, d: usize) -> String {
        let (int, other) = (self.write(Type::Int, d), self.write(Type::Int, d));
        let formula = self.write(Type::Bool, d);
        match self.random.u8(..14) {
            0 => format!("(ENABLED Bump({int}))"),
            1 => format!("(ENABLED <<Bump({int})>>_n)"),
            2 => format!("(ENABLED <<n' = {int} /\\ f' = f>>_<<n, f>>)"),
            3 => format!("(ENABLED <<Choice({})>>_n)", self.write(Type::Ints, d)),
            4 => format!("(ENABLED (n' = {int} /\\ {formula} /\\ n' > {other}))"),
            5 => {
                let function = self.write(Type::Function, d);
                format!("(ENABLED (f' = {function} /\\ f'[2] > {int} /\\ UNCHANGED n /\\ n' = {other}))")
            }
            6 => "(ENABLED Whole)".into(),
            7 => format!("(ENABLED <<Whole>>_<<n, b, f, t>> /\\ {formula})"),
            8 => {
                let records = self.pick(&["g", "[g EXCEPT ![t].x = n]"]);
                format!("(ENABLED (g' = {records} /\\ (UNCHANGED g \\/ g'[\"a\"].x = {int})))")
            }
            9 => format!("(ENABLED (f' = [f EXCEPT ![1] = {int}] /\\ Then(3) = Now(2)))"),
            10 => format!("(ENABLED (n' = {int} /\\ ENABLED (n' = 3 /\\ n < {other}) /\\ n' # n))"),
            11 => "(Applies(Wants, n) /\\ Applies(LAMBDA x : x' = x /\\ x > 1, n))".into(),
            12 if self.has_errors => format!("(ENABLED (n' > {int}))"),
            12 => format!("(ENABLED UNCHANGED <<n, b>> => {formula})"),
            _ => format!("(ENABLED (b' = {formula} /\\ (b' => n' = {int}) /\\ (~b' => n' = {other})))"),
        }
    }

    /// What a specification with temporal properties has in addition. The property holds, so that no violation ends the search.
    pub(crate) fn temporal(&mut self) -> String {
        let mut atoms = vec![
            format!("[]<>({})", self.write(Type::Bool, 3)),
            format!(
                "({}) ~> ({})",
                self.write(Type::Bool, 2),
                self.write(Type::Bool, 3)
            ),
            format!(
                "<>[][n' = {} \\/ {}]_<<n, q>>",
                self.write(Type::Int, 2),
                self.write(Type::Bool, 2)
            ),
            format!(
                "[]<><<{} /\\ f' # {}>>_<<n, f>>",
                self.write(Type::Bool, 1),
                self.write(Type::Function, 2)
            ),
            format!("[]<>{}", self.enabled(2)),
            // The same recursive operator about a step, and about a step that is searched.
            format!(
                "<>[][Then(3) = {} \\/ ENABLED (f' = [f EXCEPT ![1] = n] /\\ Then(3) = Now(2))]_<<n, f>>",
                self.write(Type::Int, 2)
            ),
            "(\\A k \\in 0..2 : SF_<<n, s>>(A0 /\\ n = k))".into(),
            "(\\A k \\in 1..2 : WF_n(Bump(k)))".into(),
            "WF_<<n, b>>(Choice({1, 2}))".into(),
            "SF_f(Whole)".into(),
            "WF_<<n, b, t, s, f, g, q, m>>(Next)".into(),
        ];
        self.random.shuffle(&mut atoms);
        let (fairness, atoms): (Vec<String>, Vec<String>) =
            atoms.into_iter().partition(|atom| atom.contains("F_"));
        let fairness = fairness[..2].join(" /\\ ");
        let property = atoms[..3].join(") \\/ (");
        format!(
            "Spec == Init /\\ [][Next]_<<n, b, t, s, f, g, q, m>> /\\ {fairness}\nLive == ({property}) \\/ []<>TRUE\n"
        )
    }

    /// A VIEW.
    pub(crate) fn view(&mut self) -> String {
        let kinds = [
            Type::Int,
            Type::Ints,
            Type::Function,
            Type::Record,
            Type::Messages,
            Type::Bool,
        ];
        let parts: Vec<String> = (0..2)
            .map(|_| {
                let kind = kinds[self.random.usize(..kinds.len())];
                self.write(kind, 3)
            })
            .collect();
        format!("Seen == <<n, q, {}>>\n", parts.join(", "))
    }
}
