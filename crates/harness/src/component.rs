//! What may be called on a component, said in a few lines.

use std::fmt;
use std::process::ExitCode;

use crate::serve::{Component as Served, Served as Answer, serve, unobserved};

const OTHER_VERSION: &str = "this harness and the omnilink command are of different versions; use the same version of \
                             omnilink-harness and omnilink";

type Call<T> = Box<dyn Fn(&T) -> String + Send + Sync>;

/// A component: how to make one, and what may be called on it.
///
/// Several objects are one component: make a tuple of them, and name calls `a.push(1)`, `b.pop()`.
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
    /// A component that `make` makes. It is made anew for every execution, on a thread of its own.
    pub fn new(name: &str, make: impl Fn() -> T + 'static) -> Self {
        Self {
            name: name.to_owned(),
            make: Box::new(make),
            calls: Vec::new(),
            lines: vec![line("component", [name])],
        }
    }

    /// A call, named as it is written: `push(1)`. Its result is what `{:?}` prints.
    #[must_use]
    pub fn op<R: fmt::Debug>(self, name: &str, call: impl Fn(&T) -> R + Send + Sync + 'static) -> Self {
        self.add("call", name, call)
    }

    /// A call that is not made on its own, but in a [`sequence`](Self::sequence), at the beginning or at the end.
    #[must_use]
    pub fn part<R: fmt::Debug>(self, name: &str, call: impl Fn(&T) -> R + Send + Sync + 'static) -> Self {
        self.add("part", name, call)
    }

    /// Calls that a thread makes one after the other or not at all: `lock()`, `unlock()`. Each is an operation of its own.
    #[must_use]
    pub fn sequence<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.say("sequence", names)
    }

    /// Calls that are made before the threads begin.
    #[must_use]
    pub fn initially<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.say("initial", names)
    }

    /// Calls that are made when all threads have come to their end.
    #[must_use]
    pub fn finally<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.say("final", names)
    }

    /// No call may ever block: a run that is stuck is a mistake, whatever serial runs do.
    #[must_use]
    pub fn never_blocks(self) -> Self {
        self.say("never-blocks", [])
    }

    /// This call may report failure (`None`, `false`, `Err(…)`) because others run at the same time, and has then done
    /// nothing: `try_lock()`, a weak compare-and-swap. While nothing else runs, its failure is a result like any other.
    #[must_use]
    pub fn may_fail(self, name: &str) -> Self {
        self.say("may-fail", [name])
    }

    /// A matrix that failed once, such as `push(1) | pop()`. It is checked before all others.
    #[must_use]
    pub fn regression(self, matrix: &str) -> Self {
        self.say("regression", [matrix])
    }

    /// Serves executions to `omnilink lineup`; started by hand, says what it is. The whole of a program.
    pub fn main(self) -> ExitCode {
        let name = self.name.clone();
        let ops = self.calls.len();
        match self.serve() {
            Answer::Done => ExitCode::SUCCESS,
            Answer::NotAsked | Answer::NotInstrumented => {
                println!("{name}: offers {ops} calls to Line-Up; check it with `cargo omnilink lineup`");
                ExitCode::SUCCESS
            }
            Answer::OtherVersion => {
                eprintln!("{name}: {OTHER_VERSION}");
                ExitCode::from(2)
            }
        }
    }

    /// The same as the whole of a `#[test]` function: it serves executions to `omnilink lineup`, and passes under `cargo test`,
    /// which checks nothing but that it compiles.
    ///
    /// # Panics
    /// When the command is of another version.
    pub fn test(self) {
        let name = self.name.clone();
        assert!(self.serve() != Answer::OtherVersion, "{name}: {OTHER_VERSION}");
    }

    fn serve(self) -> Answer {
        let Self {
            make, calls, lines, ..
        } = self;
        let description = lines.join("\n");
        // Leaked: the process ends when it has served, and a component must not refer to its maker.
        let calls: &'static [Call<T>] = Vec::leak(calls);
        let ops = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let make = || -> Box<dyn Served> { Box::new(Instance { value: make(), calls }) };
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
            // The result itself (a guard, say) goes away as part of the call; writing it down is not part of it.
            unobserved(|| format!("{result:?}"))
        }));
        self.say(kind, [name])
    }

    fn say<'a>(mut self, kind: &str, words: impl IntoIterator<Item = &'a str>) -> Self {
        self.lines.push(line(kind, words));
        self
    }
}

/// One line of the description: words apart by tabs, so that no word may hold one.
fn line<'a>(kind: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = kind.to_owned();
    for word in words {
        line.push('\t');
        line.extend(word.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }
    line
}

struct Instance<T: 'static> {
    value: T,
    calls: &'static [Call<T>],
}

impl<T: Sync> Served for Instance<T> {
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
            .regression("push(1) | push(1)");
        assert_eq!(
            component.lines.join("\n"),
            "component\ta queue\ncall\tpush(1)\npart\tlock()\nsequence\tlock()\tpush(1)\ninitial\tpush(1)\n\
             never-blocks\nmay-fail\tlock()\nregression\tpush(1) | push(1)"
        );
        assert_eq!(component.calls[1](&()), "1");
    }
}
