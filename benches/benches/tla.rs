//! `cargo bench --bench tla`: how fast specs are read, in wall time.
//!
//! Two inputs: one generated module of 2.4 MB, as tools make them, and the specs of the test corpus, as people write
//! them. Each is read three times; the best counts. Parsing is lexer and parser; checking is what `omnilink tla check`
//! does, from the file to the verdict, built-in modules included.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use omnilink_tla::names::Names;
use omnilink_tla::source::{Source, Sources};
use omnilink_tla::syntax::parser::parse;
use omnilink_tla::{SpecOptions, check, deep_stack};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The size of the generated module.
const GENERATED_BYTES: usize = 2_400_000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let generated = folder.path().join("Generated.tla");
    std::fs::write(&generated, generated_module(GENERATED_BYTES)).expect("the module can be written");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tla/tests/golden/specs");
    println!(
        "{:<28} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "input", "files", "MB", "parse s", "MB/s", "check s", "MB/s"
    );
    report("generated module", &[generated]);
    report("specs of the test corpus", &specs(&corpus));
}

fn report(name: &str, files: &[PathBuf]) {
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a spec can be read");
    let texts: Vec<String> = files.iter().map(read).collect();
    let parsing = best_of_three(|| {
        let mut sources = Sources::default();
        let source = sources.add(Source::new("Spec.tla", ""));
        let mut diagnostics = Vec::new();
        deep_stack::run(|| {
            for text in &texts {
                parse(source, text, &mut Names::default(), &mut diagnostics);
            }
        });
        assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
    });
    // A small spec is mostly the modules it extends: they count, since they are read each time.
    let mut checked_bytes = 0;
    let checking = best_of_three(|| {
        checked_bytes = 0;
        for file in files {
            let checked = check(file, &SpecOptions::default());
            assert!(checked.is_ok(), "{name}: {:?}", checked.diagnostics);
            checked_bytes += checked
                .spec
                .sources
                .iter()
                .map(|(_, source)| source.text().len())
                .sum::<usize>();
        }
    });
    let bytes: usize = texts.iter().map(String::len).sum();
    let speed = |bytes: usize, time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{name:<28} {:>6} {:>9.2} {:>9.3} {:>9.1} {:>9.3} {:>9.1}",
        files.len(),
        bytes as f64 / 1e6,
        parsing.as_secs_f64(),
        speed(bytes, parsing),
        checking.as_secs_f64(),
        speed(checked_bytes, checking)
    );
}

fn best_of_three(mut work: impl FnMut()) -> Duration {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(once).min().unwrap_or_default()
}

/// All specs below a folder.
fn specs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(specs(&path));
        } else if path.extension().is_some_and(|ending| ending == "tla") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A module of at least the given size: actions and invariants of ever new names, in the usual mixture of forms.
fn generated_module(bytes: usize) -> String {
    let mut text = String::from(
        "---- MODULE Generated ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANTS Node, Value, Limit\n\
         VARIABLES pc, log, net\nvars == <<pc, log, net>>\n\n",
    );
    let mut n = 0;
    while text.len() < bytes {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            r#"(* Step {n}: a node sends what it has not sent yet. *)
Ready{n}(self) == pc[self] = "ready{n}" /\ Len(log[self]) < Limit + {n} \* and no further
Send{n}(self, to) ==
    /\ Ready{n}(self)
    /\ \E m \in net : /\ m.to = self
                      /\ m.kind \in {{"request", "reply"}}
                      /\ \/ m.value > {n}
                         \/ to /= self
    /\ LET entry == [term |-> {n}, value |-> Len(log[self])]
           Next(k) == IF k % 2 = 0 THEN k \div 2 ELSE 3 * k + 1
       IN  /\ log' = [log EXCEPT ![self] = Append(@, entry), ![to] = SubSeq(@, 1, Next({n}))]
           /\ net' = net \cup {{[to |-> to, kind |-> "reply", value |-> Next(entry.term)]}}
    /\ pc' = [pc EXCEPT ![self] = CASE to = self -> "self" [] pc[to] = "done" -> "done" [] OTHER -> "wait"]
Total{n} == Cardinality({{x \in Node : \A y \in Node \ {{x}} : log[x] # log[y] => pc[x] # pc[y]}})
Type{n} == /\ pc \in [Node -> STRING] /\ net \subseteq [to : Node, kind : STRING, value : Int]
           /\ Total{n} \in 0..Cardinality(Node)
Sum{n}[i \in 0..Limit] == IF i = 0 THEN {n} ELSE Sum{n}[i - 1] + i
Inv{n} == []Type{n} /\ \A self, to \in Node : [][Send{n}(self, to)]_vars

"#
        );
        n += 1;
    }
    text.push_str("====\n");
    text
}
