//! By which names the fields of every type go in JSON.

use super::json::{Fields, FromJson, Json, Object, Read};
use crate::*;

/// A field: with the name of its own, with another one, with a default if it is not there; the fields of a type that shares the object;
/// and those of one that does so only if it has a certain field.
macro_rules! field {
    ($object:ident $field:ident) => {
        $object.field(stringify!($field))?
    };
    ($object:ident $field:ident as $name:literal) => {
        $object.field($name)?
    };
    ($object:ident $field:ident default) => {
        $object.field_or_default(stringify!($field))?
    };
    ($object:ident $field:ident within) => {
        Fields::from_fields($object)?
    };
    ($object:ident $field:ident if $name:literal) => {
        match $object.get($name) {
            Some(_) => Some(Fields::from_fields($object)?),
            None => None,
        }
    };
}

macro_rules! records {
    ($($record:ident { $($field:ident $($how:ident $($name:literal)?)?),* $(,)? })*) => {$(
        impl Fields for $record {
            fn from_fields(object: &Object<'_>) -> Read<Self> {
                Ok(Self { $($field: field!(object $field $($how $($name)?)?),)* })
            }
        }
    )*};
}

/// Types whose values are words.
macro_rules! words {
    ($($kind:ident { $($word:literal = $variant:ident),* $(,)? })*) => {$(
        impl FromJson for $kind {
            fn from_json(json: Json<'_>) -> Read<Self> {
                // A variant without a word would be written and not read.
                let _ = |kind: $kind| match kind { $($kind::$variant => {})* };
                json.word(&[$(($word, Self::$variant)),*])
            }
        }
    )*};
}

/// Types whose variants are named by a field of theirs.
macro_rules! variants {
    ($($kind:ident by $tag:literal { $($word:literal = $variant:ident $of:tt),* $(,)? })*) => {$(
        impl Fields for $kind {
            fn from_fields(object: &Object<'_>) -> Read<Self> {
                let readers: &[(&str, fn(&Object<'_>) -> Read<Self>)] =
                    &[$(($word, variant!(object $kind $variant $of))),*];
                object.variant($tag, readers)?(object)
            }
        }
    )*};
}

macro_rules! variant {
    ($object:ident $kind:ident $variant:ident (within)) => {
        |$object: &Object<'_>| Ok($kind::$variant(Fields::from_fields($object)?))
    };
    ($object:ident $kind:ident $variant:ident { $($field:ident $($how:ident $($name:literal)?)?),* }) => {
        |$object: &Object<'_>| Ok($kind::$variant { $($field: field!($object $field $($how $($name)?)?),)* })
    };
}

records! {
    AlgorithmRun { processes, back, steps, waiting default }
    WaitingProcess { process, label }
    AlgorithmStep { label, statement, place, translation, tla default }
    Alternative { state, recent, steps default, placed, candidates }
    Step { op, state }
    Candidate { op, continuation within }
    Behaviour {
        kind, violated, error, states as "trace", lasso, back, reasons default, fairness default,
        false_part, difference, algorithm,
    }
    BehaviourState { number, action, values, changed }
    ActionTaken { name, bindings, place }
    FalsePart { text, place, bindings }
    LassoReason { formula, bindings, holds, reason }
    Counterexample { op, alternatives_total, alternatives, agreed, broken if "rule" }
    AgreedPrefix { states, placed, last, since, recent default }
    AgreedStep { op within, state }
    BrokenRule { rule, operations as "rule_ops" }
    MinimalHistory { operations as "ops", left_out, from, confirmed, counterexample as "violation" }
    LastWriter { cell, value, by, is_certain default }
    Evidence {
        version as "evidence", command, subject, input, id, verdict, model, consistency, implied_by, ret,
        config, figures within, exploration if "generated", campaign if "matrices", test, error, witness,
        violation, confirmation, happens_before default, context, minimal, unknown, inferred, isolation,
        spec, keys default, last_writers default, mutation, vacuity, driven, log, notes,
    }
    KeyVerdict { key, verdict, ops }
    Exploration {
        violated, distinct, generated, depth, waiting, behaviours, lengths, further default,
        stopped default, unchecked, held default, coverage, definitions default, compared, graph,
    }
    Compared { states, of }
    BehaviourLengths { mean, deviation, min, max }
    UncheckedProperty { name, reason }
    ActionSteps { name as "action", place, generated, distinct }
    DefinitionUse { name, place, evaluations }
    TestCoverage {
        program, schedules, interleavings, threads, steps, all_races, waiting_points default,
        never_waited default, outside default, weak_orders default, weak_memory default,
    }
    FailingTest {
        failure, suspected, details, place, needs, needs_text, flaky, found_in, schedule, preemptions, rerun,
        decisions, decisions_left_out, waiting, turns, failed_in, switches, accesses, output, stack,
    }
    TestDecision { from, place, to, to_place }
    WaitingThread { thread, place, stack }
    Figures {
        ops, pending, aborted, threads, seconds, peak_bytes, configurations, frontier_max, frontier_mean,
        visibilities, model_steps, partitions, decided_by, replayed,
    }
    SpecFindings {
        tags, actions, invariants, abstract_states default, frontier_mean, longest, is_impossible,
    }
    ActionFindings { op, action, at, placed, pending, tried, refused, branches }
    BranchFindings { text, at, taken }
    AbstractStateFindings { state, reached }
    InvariantFindings { name, evaluated, broken }
    LongOperation { call, place, length }
    VacuityFindings { kind, op, field, message, is_serious }
    MutationFindings { seed, ops, actions, undecided, unnoticed, is_cut_short }
    MutantFindings { op, changed, changed_noticed, dropped, dropped_noticed, swapped, swapped_noticed }
    HistoryWindow { operations as "ops", left_out_before }
    InferredLevels { histories, levels, together, unexplained, undecided }
    LineupCoverage {
        specification, matrices, undecided, first_undecided, complete, executions, executions_per_second,
        serial_histories, serial_stuck, phases, scope, rerun,
    }
    UndecidedMatrix { matrix, reason }
    RunPhase {
        preemptions, executions, histories, checked, stuck, crashed, cut, diverged, unexplained, complete,
        seconds,
    }
    LineupScope {
        matrices, preemptions, memory_model, stale_reads, spins, load_buffering_possible default,
        calls_without_steps default, plain_accesses, races, racing_places, suspected_race, not_instrumented,
        calls_not_seen default, rust_library_prebuilt, runs_cut, runs_diverged, next,
    }
    LogFindings {
        steps, actions, choices, first_choice, guesses default, suspects default, dead_ends default,
        endings default,
    }
    LogEnding { lines, refused, states }
    LogActionFindings { action, at, taken }
    ReportedOperation { id, label, thread, text, start, end, pending default, place }
    FailingRun {
        found, matrix, shrink_seconds, serial_histories, diagnosis, why, lanes, operations, unexplained,
        events, switches, accesses default, ending, serial, preemptions, stale_reads default, schedule,
        switch_at, races, memory_error, output default, stack default, repeatable, serial_runs default,
    }
    StuckOperation { call, thread, counterexample }
    MatrixLane { name, calls }
    ThreadSwitch { after_events, step default, from, to, preemption, place }
    SerialRun { keeps_order, calls }
    SerialCall { op, thread, text, same }
    ThreadAccess { after_events, step, thread, text, stale default, place, name }
    SerialContradiction { found, matrix, shrink_seconds, serial_histories, diagnosis, call, one, other }
    StateGraph { states, steps }
    GraphState { level, values }
    GraphStep { from, to, action }
    SystemDifference { step, action, formula, expected, got, differs, allowed default, answer }
    DrivenRun { steps, done, observed, unobserved, left_at }
    IsolationFindings {
        anomalies default, strongest default, weakest_violated default, levels default,
        transactions default,
    }
    ReportedTransaction { name, aborted default, left_out default, ops }
    NamedAnomaly { name, text, cycle default }
    DependencyEdge { from, to, kind, key, reason }
    LevelVerdict { level, known_as default, verdict }
    Unknown { limit, reason, unread default, explained, order default, at, frontier, alternatives }
    PlacedOperation { op within, sees, writes }
    VisibilityRefutation { op, explained, candidates, core }
    ExplainedOrder { order }
    VisibleSet { sees, state, reason, places default }
    Placement { op, at }
}

words! {
    Command {
        "check" = Check, "validate" = Validate, "mc" = Mc, "lineup" = Lineup, "test" = Test, "drive" = Drive,
    }
    Decider {
        "sweep" = Sweep, "depth-first" = DepthFirst, "program-order" = ProgramOrder, "monitor" = Monitor,
        "plain" = Plain,
    }
    FailureNeed {
        "interleaving" = Interleaving, "environment" = Environment, "no_preemption" = NoPreemption,
        "nothing" = Nothing, "uncontrolled" = Uncontrolled, "unknown" = Unknown,
    }
    Limit {
        "time" = Time, "memory" = Memory, "configurations" = Configurations, "interrupt" = Interrupt,
        "operations" = Operations, "behaviours" = Behaviours, "depth" = Depth, "unchecked" = Unchecked,
        "inconclusive" = Inconclusive,
    }
    PlainAccesses { "all" = All, "racing" = Racing, "none" = None }
    PropertyKind {
        "invariant" = Invariant, "property" = Property, "deadlock" = Deadlock, "assert" = Assert,
        "assumption" = Assumption, "postcondition" = Postcondition, "incomplete-next" = Incomplete,
        "replay" = Replay, "driven" = Driven, "evaluation" = Evaluation,
    }
    RunMemory {
        "sequentially consistent" = SequentiallyConsistent, "C++20" = Cpp20, "of the processor" = Processor,
    }
    ScheduleEnding {
        "finished" = Finished, "stuck" = Stuck, "crashed" = Crashed, "cut" = Cut, "diverged" = Diverged,
    }
    Subject {
        "operations" = Operations, "log" = Log, "visibility" = Visibility, "transactions" = Transactions,
        "levels" = Levels, "states" = States, "runs" = Runs, "test" = Test, "system" = System,
    }
    Verdict { "valid" = Valid, "unknown" = Unknown, "violation" = Violation, "error" = Error }
}

variants! {
    Confirmation by "outcome" {
        "confirmed" = Confirmed { search, configurations },
        "not_confirmed" = NotConfirmed { reason },
    }
    Continuation by "fate" {
        "refused" = Refused { reason, places default },
        "leads_to" = LeadsTo { states },
    }
    Unexplained by "type" {
        "results" = Results { counterexample },
        "stuck" = Stuck { calls },
        "crash" = Crash { call, counterexample },
        "crash_alone" = CrashAlone { call, signal },
        "race" = Race { accesses },
        "blocked" = Blocked { calls },
        "specification" = Specification { text },
    }
    Violation by "type" {
        "operation" = Operation (within),
        "visibility" = Visibility (within),
        "transactions" = Transactions (within),
        "behaviour" = Behaviour (within),
        "run" = Run (within),
        "nondeterminism" = Nondeterminism (within),
        "test" = Test (within),
    }
    Witness by "type" {
        "linearization" = Linearization { order, states default, left_out_before default },
        "visibility" = Visibility { order },
        "commits" = Commits { order },
    }
}

impl<T: Fields> Fields for Box<T> {
    fn from_fields(object: &Object<'_>) -> Read<Self> {
        T::from_fields(object).map(Self::new)
    }
}

/// The name of its one field is that of the variant.
impl Fields for Anomaly {
    fn from_fields(object: &Object<'_>) -> Read<Self> {
        if object.get("read").is_some() {
            return object.field("read").map(Self::Read);
        }
        if object.get("cycle").is_some() {
            return object.field("cycle").map(Self::Cycle);
        }
        let NoOrder { keys } = object.field("no_order")?;
        Ok(Self::NoOrder { keys })
    }
}

struct NoOrder {
    keys: Vec<String>,
}

records! {
    NoOrder { keys }
}

/// A call has one field of that name, a return one of its own name.
impl Fields for ScheduleEvent {
    fn from_fields(object: &Object<'_>) -> Read<Self> {
        let thread = object.field("thread")?;
        if object.get("call").is_some() {
            return object.field("call").map(|call| Self::Call { thread, call });
        }
        Ok(Self::Return {
            thread,
            call: object.field("return")?,
            result: object.field("result")?,
        })
    }
}

impl FromJson for ThreadName {
    fn from_json(json: Json<'_>) -> Read<Self> {
        match u32::from_json(json) {
            Ok(number) => Ok(Self::Number(number)),
            Err(_) => String::from_json(json).map(Self::Name),
        }
    }
}
