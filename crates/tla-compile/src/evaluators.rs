//! What computes successors.

/// What computes successors in a search. Changes the speed, not the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluators {
    /// The evaluator alone.
    Interpreter,
    /// Compiled code, and the evaluator where that gives up. A sample of what it finds is compared with the evaluator.
    #[default]
    Compiled,
    /// Both, and all that compiled code finds is compared.
    Both,
}

impl Evaluators {
    /// As the variable `OMNILINK_EVALUATOR` says, for tests of this program.
    pub fn of_environment() -> Self {
        match std::env::var("OMNILINK_EVALUATOR").as_deref() {
            Ok("interpreter") => Self::Interpreter,
            Ok("both") => Self::Both,
            _ => Self::Compiled,
        }
    }
}
