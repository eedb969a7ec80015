//! `\E` over many elements, which ends early where a conjunct without the bound name is false, has the value and the errors of the
//! same `\E` taken a few elements at a time.

use std::fmt::Write;

use fastrand::Rng;

use super::evaluation::value_with;

/// A conjunct about the names `x`, which is bound, and `n`, which is not. Some have no value for some elements.
fn conjunct(random: &mut Rng, x: &str, n: &str, depth: u64) -> String {
    let k = random.u64(..40);
    match random.u64(..if depth == 0 { 12 } else { 16 }) {
        0 => format!("{x} > {k}"),
        1 => format!("{x} # {k}"),
        2 => format!("({x} = {k} \\/ {n} > 2)"),
        3 | 4 => format!("{n} < {}", random.u64(..5)),
        5 | 6 => format!("{n} = {}", random.u64(..4)),
        7 => format!("<<{x}, {n}>>[1] >= <<{x}, {n}>>[2]"),
        8 => format!("7 \\div ({x} - {k}) <= 7"),
        9 => format!("<<1, 2, 3, 4, 5, 6, 7, 8, 9, 10>>[{x}] > 0"),
        10 => match random.u64(..3) {
            0 => format!("{x} = \"text\""),
            1 => format!("{n} = \"text\""),
            _ => format!("{x} \\in 1..{k}"),
        },
        11 => format!("~({n} > 1)"),
        12 => format!("P({x}, {n})"),
        13 => format!("P({n}, {x})"),
        14 => format!("Q(<<{x}, {n}>>)"),
        _ => format!(
            "IF {} THEN {} ELSE {}",
            conjunct(random, x, n, 0),
            conjunct(random, x, n, 0),
            conjunct(random, x, n, 0)
        ),
    }
}

fn conjunction(random: &mut Rng, x: &str, n: &str, depth: u64) -> String {
    let count = 1 + random.u64(..4);
    let parts: Vec<String> = (0..count)
        .map(|_| format!("({})", conjunct(random, x, n, depth)))
        .collect();
    parts.join(" /\\ ")
}

#[test]
fn a_quantifier_over_many_elements_agrees_with_its_parts() {
    let rounds = std::env::var("OMNILINK_ROUNDS").ok();
    let rounds: u64 = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(400);
    let mut answers = std::collections::BTreeMap::new();
    for seed in 0..rounds {
        let random = &mut Rng::with_seed(seed);
        let definitions = format!(
            "P(a, b) == {}\nQ(r) == r[1] <= 40 /\\ P(r[2], r[1]) /\\ {}\nBody(x, n) == {}\n",
            conjunction(random, "a", "b", 0),
            conjunction(random, "r[1]", "r[2]", 0),
            conjunction(random, "x", "n", 1),
        );
        let n = random.u64(..5);
        let whole = value_with(
            &definitions,
            &format!("LET T(n) == \\E x \\in 1..40 : Body(x, n) IN T({n})"),
        );
        // Fewer elements than an attempt at a refutation needs.
        let mut parts = String::from("LET T(n) == FALSE");
        for first in (1..40).step_by(4) {
            let _ = write!(parts, " \\/ (\\E x \\in {first}..{} : Body(x, n))", first + 3);
        }
        let _ = write!(parts, " IN T({n})");
        let by_parts = value_with(&definitions, &parts);
        assert_eq!(whole, by_parts, "seed {seed}, n = {n}\n{definitions}");
        *answers.entry(whole).or_insert(0) += 1;
    }
    for answer in ["TRUE", "FALSE", "domain", "type"] {
        assert!(
            answers.get(answer).is_some_and(|count| *count > rounds / 50),
            "{answers:?}"
        );
    }
}
