//! From a history to the whole answer, in one call.

use std::collections::BTreeSet;
use std::time::Instant;

use omnilink_engine::{CheckError, Conclusion, Consistency, Model, Options, TimedOp, check};
use omnilink_evidence::{Command, Evidence, Figures, Subject, Violation};

/// Checks a history against a model of any kind and returns the answer as the command has it: with the reasons of a violation, and ready
/// for [`omnilink_report::text`], [`Evidence::to_json`], and `omnilink view`. `name` is what the answer calls the history, `model_name`
/// what it calls the model.
///
/// # Errors
/// If the model fails.
///
/// ```
/// use omnilink::models::{Register, RegisterOp};
/// use omnilink::{Options, TimedOp, Timebox, Value, check_evidence};
///
/// let history = [
///     TimedOp::new(0, RegisterOp::Write(Value::int(1)), Timebox::new(0, 10)),
///     TimedOp::new(1, RegisterOp::Read(Some(Value::int(0))), Timebox::new(20, 30)),
/// ];
/// let register = Register { initial: Value::int(0) };
/// let evidence = check_evidence("my test", "register", &register, history, Options::default())?;
/// let report = omnilink::report::text(&evidence, &Default::default());
/// assert!(report.starts_with("my test: violation: No order of the operations"), "{report}");
/// assert!(report.contains("refused: read 0, but the register holds 1"), "{report}");
/// # Ok::<(), omnilink::CheckError>(())
/// ```
pub fn check_evidence<M: Model>(
    name: &str,
    model_name: &str,
    model: &M,
    history: impl IntoIterator<Item = TimedOp<M::Op>>,
    options: Options,
) -> Result<Evidence, CheckError> {
    let started = Instant::now();
    let mut threads = BTreeSet::new();
    let history = history.into_iter().inspect(|operation| {
        threads.insert(operation.thread);
    });
    let consistency = options.consistency;
    let outcome = check(model, history, options)?;
    let mut evidence = Evidence::new(Command::Check, Subject::Operations, name);
    evidence.model = Some(model_name.to_owned());
    evidence.consistency = Some(match consistency {
        Consistency::Linearizable => "linearizable".to_owned(),
        Consistency::Sequential => "sequential".to_owned(),
    });
    evidence.figures = Figures {
        threads: Some(threads.len() as u64),
        seconds: started.elapsed().as_secs_f64(),
        ..Figures::from(&outcome)
    };
    match outcome.conclusion {
        Conclusion::Valid(_) => {}
        Conclusion::Violation(counterexample) => evidence.violate(Violation::Operation(counterexample)),
        Conclusion::Unknown(unknown) => evidence.give_up(*unknown),
    }
    Ok(evidence)
}
