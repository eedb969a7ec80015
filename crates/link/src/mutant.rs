//! Mutants of what is kept for instances: each leaves out a part of a key, or a side condition.
//!
//! Outside the crate's own tests there are no mutants: [`mutated`] is `false` at compile time.

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "constructed by tests only")]
pub(crate) enum Mutant {
    /// Look outcomes up by the cells that are written, not by those that are read.
    OutcomeByWrites,
    /// Look outcomes up although a VIEW makes several steps one.
    OutcomeUnderView,
    /// Use the enabling set of the last state in any other.
    EnablingSetOfAnyState,
    /// Intersect the enabling sets of two reasons.
    IntersectedEnablingSets,
    /// Take the state apart although a VIEW looks at all of it.
    PartsUnderView,
    /// Let operations in steps that overlap share a lane.
    OneLane,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether this mutant is active.
#[inline(always)]
pub(crate) fn mutated(mutant: Mutant) -> bool {
    #[cfg(test)]
    return ACTIVE.get() == Some(mutant);
    #[cfg(not(test))]
    {
        let _ = mutant;
        false
    }
}

#[cfg(test)]
mod tests {
    use omnilink_engine::{Options, check};
    use omnilink_trace::{OpenOptions, Trace};

    use super::{ACTIVE, Mutant};
    use crate::link_file::LinkFile;
    use crate::link_options::LinkOptions;
    use crate::linked::Linked;

    /// A specification, its link file, and a trace of lines `thread op {args} start end`.
    struct Case {
        spec: &'static str,
        link: &'static str,
        trace: &'static str,
        is_async: bool,
        is_valid: bool,
    }

    /// Whether a trace is valid with a mutant; `None` if that ended in an error.
    fn verdict(case: &Case, mutant: Option<Mutant>) -> Option<bool> {
        let options = LinkOptions {
            file: LinkFile::parse(case.link).unwrap(),
            ..LinkOptions::default()
        };
        let linked = Linked::from_text("Spec", case.spec, &options).unwrap();
        let lines = case.trace.lines().map(str::trim).filter(|line| !line.is_empty());
        let text: String = lines
            .map(|line| {
                let (head, rest) = line.split_once(" {").unwrap();
                let (args, times) = rest.rsplit_once('}').unwrap();
                let (thread, op) = head.split_once(' ').unwrap();
                let (start, end) = times.trim().split_once(' ').unwrap();
                let end = if end == "-" { "null" } else { end };
                format!(
                    "{{\"thread\":{thread},\"op\":\"{op}\",\"args\":{{{args}}},\"start\":{start},\"end\":{end}}}\n"
                )
            })
            .collect();
        let reading = OpenOptions::new().with_async_threads(case.is_async);
        let trace = Trace::from_reader("trace", std::io::Cursor::new(text.into_bytes()), &reading).unwrap();
        linked
            .run(|model| {
                // The model has a thread of its own, with a deep stack.
                ACTIVE.set(mutant);
                let mut operations = Vec::new();
                for operation in trace {
                    let operation = operation.unwrap();
                    let thread = operation.thread.as_int().unwrap() as u32;
                    let bound = model.bind(&operation).unwrap();
                    operations.extend(bound.timed(thread, operation.timebox));
                }
                let options = Options {
                    async_threads: case.is_async,
                    ..Options::default()
                };
                let outcome = check(model, operations, options).ok()?;
                Some(outcome.conclusion.is_valid())
            })
            .unwrap()
    }

    fn assert_caught(mutant: Mutant, case: &Case) {
        assert_eq!(verdict(case, None), Some(case.is_valid), "without {mutant:?}");
        let found = verdict(case, Some(mutant));
        assert_ne!(found, Some(case.is_valid), "{mutant:?} changes nothing");
    }

    #[test]
    fn an_outcome_depends_on_what_is_read() {
        let case = Case {
            spec: r"---- MODULE Spec ----
EXTENDS Integers
VARIABLES f, g
Init == f = [k \in 1..2 |-> 0] /\ g = [k \in 1..2 |-> 0]
Copy(k) == (IF g[1] = 0 THEN f' = [f EXCEPT ![k] = 1] ELSE f' = [f EXCEPT ![k] = 2]) /\ UNCHANGED g
Reset(k) == f' = [f EXCEPT ![k] = 0] /\ UNCHANGED g
Raise == g' = [g EXCEPT ![1] = 1] /\ UNCHANGED f
Read(k, result) == f[k] = result /\ UNCHANGED <<f, g>>
====",
            link: "",
            trace: r#"
                0 Copy {"k":1} 0 1
                0 Reset {"k":1} 2 3
                0 Raise {} 4 5
                0 Copy {"k":1} 6 7
                0 Read {"k":1,"result":2} 8 9"#,
            is_async: false,
            is_valid: true,
        };
        assert_caught(Mutant::OutcomeByWrites, &case);
    }

    #[test]
    fn an_outcome_is_no_function_of_cells_under_a_view() {
        let case = Case {
            spec: r"---- MODULE Spec ----
EXTENDS Integers
VARIABLES mode, cnt
Init == mode = 0 /\ cnt = [k \in 1..2 |-> 0]
Pick == cnt' \in {[cnt EXCEPT ![1] = 1], [cnt EXCEPT ![1] = 2]} /\ UNCHANGED mode
Reset == cnt' = [cnt EXCEPT ![1] = 0] /\ UNCHANGED mode
Mode(m) == mode' = m /\ UNCHANGED cnt
Read(result) == cnt[1] = result /\ UNCHANGED <<mode, cnt>>
View == <<mode, IF mode = 1 THEN cnt ELSE 0>>
====",
            link: "view = \"View\"",
            trace: r#"
                0 Pick {} 0 1
                0 Reset {} 2 3
                0 Mode {"m":1} 4 5
                0 Pick {} 6 7
                0 Read {"result":2} 8 9"#,
            is_async: false,
            is_valid: true,
        };
        assert_caught(Mutant::OutcomeUnderView, &case);
        assert_caught(Mutant::PartsUnderView, &case);
    }

    const SWITCHES: &str = r"---- MODULE Spec ----
EXTENDS Integers
VARIABLE f
Init == f = [k \in 1..2 |-> 0]
Set(k) == f' = [f EXCEPT ![k] = 1]
Both == f[1] = 1 /\ f[2] = 1 /\ UNCHANGED f
====";

    #[test]
    fn another_state_has_another_enabling_set() {
        let case = Case {
            spec: SWITCHES,
            link: "",
            trace: r#"
                0 Set {"k":1} 0 20
                1 Set {"k":2} 1 21
                2 Both {} 2 10"#,
            is_async: false,
            is_valid: true,
        };
        assert_caught(Mutant::EnablingSetOfAnyState, &case);
    }

    #[test]
    fn enabling_sets_are_not_intersected() {
        let case = Case {
            spec: r"---- MODULE Spec ----
EXTENDS Integers, Sequences
VARIABLES q, lock
Init == q = <<>> /\ lock = 1
Put(v) == q' = Append(q, v) /\ UNCHANGED lock
Unlock == lock' = 0 /\ UNCHANGED q
Take(v) == Len(q) > 0 /\ lock = 0 /\ v = Head(q) /\ q' = Tail(q) /\ UNCHANGED lock
====",
            link: "",
            trace: r#"
                0 Put {"v":5} 0 20
                1 Unlock {} 1 21
                2 Take {"v":5} 2 10"#,
            is_async: false,
            is_valid: true,
        };
        assert_caught(Mutant::IntersectedEnablingSets, &case);
    }

    #[test]
    fn operations_in_steps_that_overlap_are_done_one_by_one() {
        let case = Case {
            spec: r"---- MODULE Spec ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Bump_Step(result) == x' = x + 1
Bump_Done(result) == result = x /\ UNCHANGED x
Read(result) == result = x /\ UNCHANGED x
====",
            link: "[ops.Bump]\nsteps = 1",
            trace: r#"
                0 Bump {"result":0} 0 10
                0 Bump {"result":0} 0 10
                0 Read {"result":1} 20 21"#,
            is_async: true,
            is_valid: false,
        };
        assert_caught(Mutant::OneLane, &case);
    }
}
