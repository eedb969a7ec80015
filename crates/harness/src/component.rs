//! The description of a component under test.

use std::fmt;
use std::process::ExitCode;

use crate::explore::{Exploration, explore};
use crate::serve::{ComponentInstance, ServeOutcome, serve, unobserved};

const VERSION_MISMATCH: &str = "this harness and the omnilink command are of different versions; use the same version of \
                             omnilink-harness and omnilink";

type Call<T> = Box<dyn Fn(&T) -> String + Send + Sync>;

/// A component under test: how to make one, and which calls it offers.
///
/// Several objects can be one component: make a tuple of them, and name calls `a.push(1)`, `b.pop()`.
pub struct Component<T> {
    name: String,
    make: Box<dyn Fn() -> T>,
    calls: Vec<Call<T>>,
    lines: Vec<String>,
}

impl<T> fmt::Debug for Component<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<T: Sync + 'static> Component<T> {
    /// A component made by `make`, which is called once for every execution.
    pub fn new(name: &str, make: impl Fn() -> T + 'static) -> Self {
        Self {
            name: name.to_owned(),
            make: Box::new(make),
            calls: Vec::new(),
            lines: vec![line("component", [name])],
        }
    }

    /// A call with its name, such as `push(1)`. Its result is compared as `{:?}` prints it.
    #[must_use]
    pub fn op<R: fmt::Debug>(self, name: &str, call: impl Fn(&T) -> R + Send + Sync + 'static) -> Self {
        self.add("call", name, call)
    }

    /// A call that is made only in a [`sequence`](Self::sequence), in [`initially`](Self::initially) or in
    /// [`finally`](Self::finally).
    #[must_use]
    pub fn part<R: fmt::Debug>(self, name: &str, call: impl Fn(&T) -> R + Send + Sync + 'static) -> Self {
        self.add("part", name, call)
    }

    /// Calls that a thread makes one after the other or not at all, such as `lock()`, `unlock()`. Each is an operation.
    #[must_use]
    pub fn sequence<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.line("sequence", names)
    }

    /// Calls made before the threads start.
    #[must_use]
    pub fn initially<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.line("initial", names)
    }

    /// Calls made after all threads have finished.
    #[must_use]
    pub fn finally<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.line("final", names)
    }

    /// No call may ever block: a stuck execution is a violation, whatever serial executions do.
    #[must_use]
    pub fn never_blocks(self) -> Self {
        self.line("never-blocks", [])
    }

    /// This call may fail (`None`, `false`, `Err(…)`) because other calls overlap it, and then has no effect: `try_lock()`, a
    /// weak compare-and-swap. If no call overlaps it, its failure is a result like any other.
    #[must_use]
    pub fn may_fail(self, name: &str) -> Self {
        self.line("may-fail", [name])
    }

    /// Calls that only one thread makes: those of the producer, of the worker, of the receiving half. A thread has at most one role,
    /// and calls without a role are for every thread. A value that may not be shared goes into a [`RoleCell`](crate::RoleCell).
    #[must_use]
    pub fn role<'a>(self, name: &'a str, calls: impl IntoIterator<Item = &'a str>) -> Self {
        self.line("role", std::iter::once(name).chain(calls))
    }

    /// Calls of a role that several threads may have at once: those of stealers, of cloned receivers.
    #[must_use]
    pub fn shared_role<'a>(self, name: &'a str, calls: impl IntoIterator<Item = &'a str>) -> Self {
        self.line("shared-role", std::iter::once(name).chain(calls))
    }

    /// The same call with each of these arguments: `.ops("push", [1, 2], |queue, value| queue.push(*value))` offers `push(1)` and
    /// `push(2)`.
    #[must_use]
    pub fn ops<A, R>(
        self,
        name: &str,
        arguments: impl IntoIterator<Item = A>,
        call: impl Fn(&T, &A) -> R + Clone + Send + Sync + 'static,
    ) -> Self
    where
        A: fmt::Debug + Send + Sync + 'static,
        R: fmt::Debug,
    {
        arguments.into_iter().fold(self, |component, argument| {
            let name = format!("{name}({argument:?})");
            let call = call.clone();
            component.op(&name, move |value| call(value, &argument))
        })
    }

    /// What happens to every new component before the first call, such as filling a cache. It takes no steps of the schedule, so it
    /// costs nothing in the search.
    #[must_use]
    pub fn warm(self, warm: impl Fn(&T) + 'static) -> Self {
        let make = self.make;
        Self {
            make: Box::new(move || {
                let value = make();
                unobserved(|| warm(&value));
                value
            }),
            ..self
        }
    }

    /// A test matrix that failed once, such as `push(1) | pop()`. It is checked before all others.
    #[must_use]
    pub fn regression(self, matrix: &str) -> Self {
        self.line("regression", [matrix])
    }

    /// The whole of a `main` function: serves executions to `omnilink lineup`. A program that is started by hand prints how to
    /// check it.
    pub fn main(self) -> ExitCode {
        let name = self.name.clone();
        let ops = self.calls.len();
        match self.serve() {
            ServeOutcome::Served => ExitCode::SUCCESS,
            ServeOutcome::NotDriven | ServeOutcome::NotInstrumented => {
                println!("{name}: offers {ops} calls to Line-Up; check it with `cargo omnilink lineup`");
                ExitCode::SUCCESS
            }
            ServeOutcome::VersionMismatch => {
                eprintln!("{name}: {VERSION_MISMATCH}");
                ExitCode::from(2)
            }
        }
    }

    /// The whole of a `#[test]` function: serves executions to `omnilink lineup`. Under `cargo test` it runs the `omnilink` command,
    /// which builds the instrumented twin of the test program and checks this component.
    ///
    /// The environment variable `OMNILINK` is the path of the command, or `skip`; `OMNILINK_LINEUP_ARGS` has more arguments for
    /// `omnilink lineup`, such as `--auto 3 --time-limit 10s`. Without a time limit it is 60 s, and without `--samples` a test
    /// checks 100 random matrices of each shape: a correct component does not use up the time.
    ///
    /// # Panics
    /// If there is a violation, with the report; if the component cannot be checked; and if the harness and the command are of
    /// different versions.
    pub fn test(self) {
        let name = self.name.clone();
        match self.serve() {
            ServeOutcome::Served | ServeOutcome::NotDriven => {}
            ServeOutcome::VersionMismatch => panic!("{name}: {VERSION_MISMATCH}"),
            ServeOutcome::NotInstrumented => match explore(&name) {
                Exploration::Passed(report) => println!("{report}"),
                Exploration::Failed(report) => panic!("{report}"),
            },
        }
    }

    fn serve(self) -> ServeOutcome {
        let Self {
            make, calls, lines, ..
        } = self;
        let description = lines.join("\n");
        // Leaked, because instances are `'static`. The process ends when it has served.
        let calls: &'static [Call<T>] = Vec::leak(calls);
        let ops = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let make = || -> Box<dyn ComponentInstance> { Box::new(CallTable { value: make(), calls }) };
        serve(ops, &description, &make)
    }

    fn add<R: fmt::Debug>(
        mut self,
        kind: &str,
        name: &str,
        call: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> Self {
        self.calls.push(Box::new(move |component| {
            let result = call(component);
            // Dropping the result (a guard, say) is part of the call; formatting it is not.
            unobserved(|| format!("{result:?}"))
        }));
        self.line(kind, [name])
    }

    fn line<'a>(mut self, kind: &str, words: impl IntoIterator<Item = &'a str>) -> Self {
        self.lines.push(line(kind, words));
        self
    }
}

/// One line of the description: words separated by tabs, so that control characters in words become spaces.
fn line<'a>(kind: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = kind.to_owned();
    for word in words {
        line.push('\t');
        line.extend(word.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }
    line
}

/// A value with its calls.
struct CallTable<T: 'static> {
    value: T,
    calls: &'static [Call<T>],
}

impl<T: Sync> ComponentInstance for CallTable<T> {
    fn call(&self, _thread: u32, op: u32) -> String {
        match self.calls.get(op as usize) {
            Some(call) => call(&self.value),
            None => "(there is no such call)".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_described_line_by_line() {
        let component = Component::new("a\tqueue", || ())
            .op("push(1)", |()| ())
            .part("lock()", |()| 1)
            .sequence(["lock()", "push(1)"])
            .initially(["push(1)"])
            .never_blocks()
            .may_fail("lock()")
            .role("owner", ["lock()"])
            .ops("get", ["a"], |(), key| key.len())
            .regression("push(1) | push(1)");
        assert_eq!(
            component.lines.join("\n"),
            "component\ta queue\ncall\tpush(1)\npart\tlock()\nsequence\tlock()\tpush(1)\ninitial\tpush(1)\n\
             never-blocks\nmay-fail\tlock()\nrole\towner\tlock()\ncall\tget(\"a\")\nregression\tpush(1) | push(1)"
        );
        assert_eq!(component.calls[1](&()), "1");
    }
}
