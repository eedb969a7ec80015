//! What `A \cdot B` means: a step of A to some state, and a step of B from there.

use fastrand::Rng;

use crate::evaluation::{reached, states};

#[test]
fn composed_actions_are_one_step() {
    let spec = r"
VARIABLE x
Init == x = 0
Two == x' = x + 1 \/ x' = x + 2
Next == x < 3 /\ (Two \cdot (x > 1 /\ x' = x * 10))";
    assert_eq!(states(spec), "0, 20");
}

#[test]
fn next_values_beside_a_composition_are_those_at_its_end() {
    let compositions = [
        // Known before, known in the middle, and given by what follows.
        r"x' = 5 /\ ((x' = x + 1 /\ y' = 1) \cdot (x' = x + 2 /\ y' = y + 1))",
        r"x' \in 1..9 /\ ((x' = x + 1 /\ y' = 1) \cdot (x' = x + 2 /\ y' = y + 1)) /\ y' = x",
        r"((x' = x + 1 /\ y' = 1) \cdot (x' = x + 2)) /\ y' = x",
        r"y' = x /\ ((x' \in 0..9 /\ y' = x') \cdot (x = 3 /\ y' = x - 1 /\ x' = x + 2))",
        // Unchanged in between, because nothing is said of it.
        r"y' = x /\ ((x' = x + 1) \cdot (y = 0 /\ x' = x + 2))",
        // Composed twice.
        r"((x' = x + 1 /\ y' = 1) \cdot (x' = x + 1 /\ y' = 7) \cdot (x' = x + 1 /\ y = 7 /\ y' = 2))",
    ];
    for composition in compositions {
        let spec = format!("VARIABLES x, y\nInit == x = 2 /\\ y = 0\nNext == x = 2 /\\ {composition}");
        assert_eq!(states(&spec), "2 0, 5 2", "{composition}");
    }
    let none = r"VARIABLES x, y
Init == x = 2 /\ y = 0
Next == x' = 4 /\ ((x' = x + 1 /\ y' = 1) \cdot (x' = x + 2 /\ y' = y + 1))";
    assert_eq!(states(none), "2 0");
}

#[test]
fn names_in_the_second_part_of_a_composition_are_about_its_state() {
    let specs = [
        r"Twice(p) == (x' = p + 1) \cdot (x' = p * 10)
Next == x = 1 /\ Twice(x)",
        r"Next == x = 1 /\ LET now == x IN now = 1 /\ ((x' = now + 1) \cdot (x' = now * 10))",
        r"now == x
Next == x = 1 /\ now = 1 /\ ((x' = now + 1) \cdot (x' = now * 10))",
        // What comes after the composition is about the state before it again.
        r"Next == x = 1 /\ LET now == x IN ((x' = now + 1) \cdot (x' = now * 10)) /\ now = 1",
        r"Both(A(_), p) == A(p) \cdot A(p + p)
Next == x = 1 /\ LET now == x By(p) == x' = IF now = 1 THEN p + 1 ELSE p * 5 IN now = 1 /\ Both(By, x)",
        r"Next == x = 1 /\ LET now == x IN now = 1 /\ ((\E i \in {now, 3} : i = now /\ x' = i + 1) \cdot (x' = now * 10))",
        // ENABLED of the next state.
        r"Over(p) == p = 1 /\ x' \in {2, 20} /\ (ENABLED (p = 20 /\ x' = 0))'
Next == x = 1 /\ Over(x)",
    ];
    for spec in specs {
        let spec = format!("VARIABLE x\nInit == x = 1\n{spec}");
        assert_eq!(states(&spec), "1, 20", "{spec}");
    }
}

#[test]
fn names_inside_of_an_enabled_of_the_next_state_are_about_that_state() {
    let definitions = [
        r"Over == LET now == x IN ENABLED (now = 20 /\ x' = now + 5)
Next == x = 1 /\ x' \in {2, 20} /\ Over'",
        r"Over(p) == ENABLED (p = 20 /\ x' = p)
Next == x = 1 /\ x' \in {2, 20} /\ Over(x)'",
        r"Over == LET now == x more == now + 1 IN now = 20 /\ ENABLED (\E i \in {more} : i = 21 /\ x' = now)
Next == x = 1 /\ x' \in {2, 20} /\ Over'",
        r"Over(p) == LET By(n) == p + n IN ENABLED (By(1) = 21 /\ x' = 0)
Next == x = 1 /\ x' \in {2, 20} /\ LET now == x IN Over(now)'",
        r"Over == LET now == x IN ENABLED (now = 20 /\ x' = 0)
Next == x = 1 /\ x' \in {2, 20} /\ ~(UNCHANGED Over)",
        // Where nothing of it is asked by ENABLED, a primed formula gives next values.
        r"Next == x = 1 /\ (LET now == x IN now = 20 /\ ENABLED (x' = 0))'",
    ];
    for spec in definitions {
        let spec = format!("VARIABLE x\nInit == x = 1\n{spec}");
        assert_eq!(states(&spec), "1, 20", "{spec}");
    }
}

/// An action about `x` and `y`: text in which `{x}` and `{x'}` stand for the values before and after.
fn action(random: &mut Rng) -> String {
    const GUARDS: [&str; 5] = [
        "TRUE",
        "{x} # 1",
        "{x} <= {y}",
        "({x} = 0 \\/ {y} = 2)",
        "\\E i \\in {0, 1} : i = {x}",
    ];
    const OF_X: [&str; 5] = [
        "{x'} = ({x} + 1) % 3",
        "{x'} \\in {0, {y}}",
        "({x'} = {y} \\/ {x'} = 2)",
        "\\E i \\in {1, {x}} : {x'} = i",
        "IF {y} = 0 THEN {x'} = 1 ELSE {x'} = {x}",
    ];
    const OF_Y: [&str; 4] = [
        "{y'} = {x}",
        "{y'} = ({x'} + {y}) % 3",
        "{y'} \\in 0..{x'}",
        "{y'} = {y}",
    ];
    const AFTERWARDS: [&str; 4] = ["TRUE", "{x'} # {y'}", "{y'} <= {x}", "({x'} = 0 => {y} # 1)"];
    let parts = [
        random.choice(GUARDS),
        random.choice(OF_X),
        random.choice(OF_Y),
        random.choice(AFTERWARDS),
    ];
    parts
        .map(|part| format!("({})", part.unwrap_or("TRUE")))
        .join(" /\\ ")
}

fn about(action: &str, before: [&str; 2], after: [&str; 2]) -> String {
    action
        .replace("{x'}", after[0])
        .replace("{y'}", after[1])
        .replace("{x}", before[0])
        .replace("{y}", before[1])
}

#[test]
fn compositions_are_those_with_an_explicit_state_in_between() {
    let rounds = std::env::var("OMNILINK_ROUNDS").ok();
    let rounds: u64 = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(400);
    const BESIDE: [&str; 5] = ["TRUE", "x' = 1", "x' \\in {0, 2}", "y' = x", "x' # y"];
    let (now, next) = (["x", "y"], ["x'", "y'"]);
    for seed in 0..rounds {
        let random = &mut Rng::with_seed(seed);
        let (first, second) = (action(random), action(random));
        // What reads next values may only come after the composition.
        let early = BESIDE[random.usize(..4)];
        let late = BESIDE[random.usize(..5)];
        // `n` tells the end of a step from its beginning, so that no second step hides a difference.
        let composed = format!(
            "n = 0 /\\ {early} /\\ (({} /\\ n' = 1) \\cdot ({} /\\ n' = n)) /\\ {late}",
            about(&first, now, next),
            about(&second, now, next)
        );
        let explicit = format!(
            "n = 0 /\\ n' = 1 /\\ x' \\in 0..4 /\\ y' \\in 0..4 /\\ {early} /\\ {late} /\\ \\E a, b \\in 0..4 : ({}) /\\ ({})",
            about(&first, now, ["a", "b"]),
            about(&second, ["a", "b"], next)
        );
        let of = |next: &str| {
            reached(&format!(
                "VARIABLES x, y, n\nInit == x \\in 0..2 /\\ y \\in 0..2 /\\ n = 0\nNext == {next}"
            ))
        };
        assert_eq!(of(&composed), of(&explicit), "seed {seed}\n{composed}");
        // As a formula about two states that are known.
        let formula = format!("n = 0 /\\ n' = 1 /\\ x' \\in 0..4 /\\ y' \\in 0..4 /\\ {composed}");
        assert_eq!(of(&formula), of(&explicit), "seed {seed}\n{formula}");
    }
}
