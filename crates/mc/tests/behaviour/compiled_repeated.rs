//! Operations that occur several times, where compiled code runs them once, and where it must not.

use omnilink_mc::{CheckOptions, Evaluators};

use crate::compiled::explored;

#[test]
fn an_operation_is_repeated_where_its_value_may_have_changed() {
    for formula in [
        // In all branches, in one of them, and behind it.
        "IF n + m > 3 THEN n + m < 9 ELSE (n + m = 3 \\/ n + m < 3)",
        "(n > 2 /\\ Len(Append(q, n)) > m) \\/ Len(Append(q, n)) >= 1",
        "(IF n % 2 = 0 THEN Append(q, n) # q ELSE TRUE) /\\ Append(q, n)[Len(q) + 1] = n",
        "\\A i \\in DOMAIN q : (q[i] > 1 => q[i] + m > m) /\\ (q[i] <= 1 => q[i] + m <= m + 1)",
        // In the rounds of loops, of large sets and of small ones, and in folds.
        "\\A i \\in 1..n : i + m > m /\\ (i + m) - m = i",
        "\\A i \\in 1..3 : \\A j \\in 1..n : (i + m) + (j + m) = (i + m) + j + m",
        "FoldSet(LAMBDA x, y : (x + y) + ((x + y) % 2), 0, {i + m : i \\in 1..n}) % 2 = 0",
        "FoldLeft(LAMBDA x, y : x + y + (x + y), 0, q) >= 0",
        "FoldSet(LAMBDA x, y : x + y + (x + y), n, {1, 2, 3}) = 8 * n + 34",
        // Remembered expressions, around which the same is computed.
        "n + m >= 0 /\\ m < 5 => Cardinality({i \\in 1..9 : i > n + m}) = IF n + m > 9 THEN 0 ELSE 9 - (n + m)",
        "m <= n \\/ {i \\in 1..20 : i < m /\\ i > n} = {i \\in 1..20 : i > n} \\ {i \\in 1..20 : i >= m}",
        "f[1] = f[1] /\\ {i \\in 1..3 : f[1] + i > 2 /\\ i # m} = {i \\in 1..3 : i > 2 - f[1]} \\ {m}",
        "m <= n \\/ Cardinality({i \\in 1..20 : i < m /\\ i > n}) = m - n - 1",
        // Names, records, tuples and updates.
        "(n + m) - (n - m) = 2 * m",
        "\\A i, j \\in {k \\in 1..3 : k <= n} : f[j] >= 0 /\\ (i = j \\/ f[i] = [f EXCEPT ![j] = 0][i])",
        "LET p == <<n, m>> IN <<n, m>> = p /\\ p[1] + <<m, n>>[1] = n + m",
        "[a |-> n, b |-> m] = [[a |-> n, b |-> m] EXCEPT !.a = n] /\\ [a |-> m, b |-> n].b = n",
        "[f EXCEPT ![1] = n, ![2] = @ + n][2] = f[2] + n /\\ [f EXCEPT ![1] = n][1] = n",
        "\\A <<a, b>> \\in {<<n, m>>, <<m, n>>} : a + b = n + m /\\ {a, b} \\subseteq {n, m}",
        "s \\subseteq (s \\union {n}) /\\ n \\in (s \\union {n}) /\\ (s \\union {m}) \\subseteq (s \\union {n, m})",
        "ENABLED (n' = n + m /\\ m' = n + m /\\ UNCHANGED <<q, f, s>>) /\\ n + m >= 0",
    ] {
        let text = format!(
            "---- MODULE Again ----\nEXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt, SequencesExt\nVARIABLES n, m, q, f, s\n\
             Init == n \\in 0..3 /\\ m = 0 /\\ q = <<>> /\\ f = [i \\in 1..3 |-> i] /\\ s = {{}}\n\
             Add == n < 7 /\\ n' = n + m /\\ m' = m + 1 /\\ (n' > n + 2 \\/ m' < 4) /\\ q' = Append(q, n') /\\ UNCHANGED <<f, s>>\n\
             Turn == Len(q) < 3 /\\ \\E i \\in 1..3 : f[i] < 4 /\\ f' = [f EXCEPT ![i] = f[i] + 1, ![1] = f[i]]\n\
                     /\\ ((n' = f'[1] /\\ m' = f'[i]) \\/ (n' = f'[2] /\\ m' = f[i] /\\ f'[2] # f[2]))\n\
                     /\\ q' = q /\\ s' = s \\union {{f[i]}}\n\
             Drop == q # <<>> /\\ q' = Tail(q) /\\ n' = Head(q) /\\ m' = Len(Tail(q)) /\\ s' = (s \\ {{n}}) \\union (s \\ {{m}}) /\\ f' = f\n\
             Twice == Len(q) = 1 /\\ f[2] < 4 /\\ f' = [f EXCEPT ![2] = @ + 1, ![2] = @ + @ - 2] /\\ UNCHANGED <<n, m, q, s>>\n\
             Next == Twice \\/ Add \\/ Turn \\/ Drop\nFew == n < 9 /\\ m < 6 /\\ n + m < 12\nHolds == {formula}\n====\n"
        );
        let config = "INIT Init\nNEXT Next\nINVARIANT Holds\nCONSTRAINT Few\nCHECK_DEADLOCK FALSE\n";
        let explored = |evaluators| {
            let options = CheckOptions {
                evaluators,
                depth_max: Some(5),
                explains_compilation: true,
                continues: true,
                ..CheckOptions::default()
            };
            explored(&text, config, &options)
        };
        let (expected, found) = (explored(Evaluators::Interpreter), explored(Evaluators::Both));
        assert!(
            expected.figures.distinct > 100,
            "{formula}: {:?}",
            expected.answer
        );
        assert_eq!(found.figures, expected.figures, "{formula}");
        assert_eq!(
            format!("{:?}", (&found.answer, &found.further)),
            format!("{:?}", (&expected.answer, &expected.further)),
            "{formula}"
        );
    }
}
