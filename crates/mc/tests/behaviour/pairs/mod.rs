//! Every kind of expression in every context, by compiled code and by the evaluator.
//!
//! A cell of the table is a construct and a context: expressions within others, such as a loop or an operator, and parts of a spec, such as a
//! guard or a fairness condition. In the former the whole is put into a random part of a spec, in the latter half of the time into another
//! expression first. Code runs from the first state. `OMNILINK_ROUNDS=20` makes twenty specs for each cell, and prints the table: the share of
//! the specs in which nothing that mattered was left to the evaluator.

mod constructs;
mod contexts;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, Evaluators, Layouts, SearchLimits, SearchProgress, check};
use omnilink_tla::config::parse;
use omnilink_tla::ir::Node;
use omnilink_tla::model::{BuildOptions, CompiledSpec, build};
use omnilink_tla::semantics::load_text;
use omnilink_tla::semantics::search_path::SearchPath;
use omnilink_tla::source::Source;

use self::constructs::{CONSTRUCTS, name_of};
use self::contexts::{TOPS, WRAPPERS};
use self::writer::{Place, Sort, Writer};

/// What one cell has met.
#[derive(Clone, Copy, Default)]
struct Cell {
    specs: u32,
    /// Specs that are no TLA+: a level or a name does not fit.
    rejected: u32,
    /// Specs whose evaluation ended in an error before there was any step.
    failed: u32,
    /// Specs in which compiled code has decided everything.
    decided: u32,
}

/// Where no spec of a cell is decided by compiled code, and why.
fn reason(construct: &str, context: &str) -> Option<&'static str> {
    match (construct, context) {
        ("Compose", _) => Some("\\cdot is not compiled"),
        ("Recursive", _) => Some("recursive functions are not compiled, but as constants"),
        ("Fail", _) => Some("it has no value"),
        _ => None,
    }
}

fn model(text: &str, config: &str) -> Result<CompiledSpec, String> {
    let loaded = load_text("Pairs.tla".as_ref(), text.to_owned(), &SearchPath::default());
    if !loaded.is_ok() {
        return Err(format!("{:?}", loaded.diagnostics));
    }
    let mut spec = loaded.spec;
    let source = spec.sources.add(Source::new("Spec.cfg", config));
    let config = parse(source, config, &mut Vec::new());
    build(spec, &config, &BuildOptions::default()).map_err(|rejected| format!("{:?}", rejected.diagnostics))
}

/// The spec of a cell.
fn spec_of(construct: usize, context: usize, seed: u64) -> (String, String) {
    let mut writer = Writer {
        random: Rng::with_seed(seed),
        fresh: 0,
        depth: 1,
        definitions: Vec::new(),
    };
    let other = writer.random.usize(..WRAPPERS.len() * 2);
    let (top, wrapper) = match context.checked_sub(WRAPPERS.len()) {
        Some(top) => (top, Some(other)),
        None => (writer.random.usize(..TOPS.len()), Some(context)),
    };
    let mut innermost = |writer: &mut Writer, place: &Place, sort: Sort| {
        let (text, own) = CONSTRUCTS[construct].1(writer, place);
        writer.converted(&text, own, sort, place)
    };
    let mut wrapped = |writer: &mut Writer, place: &Place, sort: Sort| match wrapper
        .and_then(|wrapper| WRAPPERS.get(wrapper))
    {
        Some((_, wrap)) => {
            let (text, own) = wrap(writer, place, &mut innermost);
            writer.converted(&text, own, sort, place)
        }
        None => innermost(writer, place, sort),
    };
    let spec = TOPS[top].1(&mut writer, &mut wrapped);
    spec.texts(&writer.definitions)
}

fn report(model: &CompiledSpec, evaluators: Evaluators, layouts: Layouts) -> Result<Report, String> {
    let options = CheckOptions {
        evaluators,
        layouts,
        continues: true,
        explains_compilation: true,
        first_look: usize::MAX,
        limits: SearchLimits {
            time: Some(Duration::from_secs(20)),
            ..SearchLimits::default()
        },
        ..CheckOptions::default()
    };
    check(
        model,
        "Pairs",
        &options,
        &SearchProgress::default(),
        &|_| {},
        None,
    )
    .map_err(|error| error.to_string())
}

fn told(report: &Result<Report, String>) -> String {
    match report {
        Ok(report) => {
            let figures = &report.figures;
            let counts = (figures.distinct, figures.generated, figures.depth);
            format!("{:?} {:?} {counts:?}", report.answer, report.further)
        }
        Err(error) => error.clone(),
    }
}

/// Whether nothing that was asked for was left to the evaluator.
fn is_decided(report: &Report) -> bool {
    let left = ["left to the evaluator", "nothing"];
    let counts = ["gave up on ", "and left ", "code left "];
    !report.notes.iter().any(|note| {
        let is_counted = counts.iter().any(|count| {
            let behind = note.split(count).nth(1);
            behind.is_some_and(|behind| !behind.starts_with("0 "))
        });
        is_counted || left.iter().any(|left| note.starts_with(left))
    })
}

fn kinds_in(node: &Node, found: &mut BTreeSet<&'static str>) {
    found.insert(name_of(&node.kind));
    node.kind.for_each_child(|child| kinds_in(child, found));
}

#[test]
fn every_construct_in_every_context_is_what_the_evaluator_makes_of_it() {
    let rounds: u64 = std::env::var("OMNILINK_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap_or(1));
    let seed: u64 = std::env::var("OMNILINK_SEED").map_or(0, |seed| seed.parse().unwrap_or(0));
    let only = std::env::var("OMNILINK_CELL").ok();
    let contexts: Vec<&str> = WRAPPERS
        .iter()
        .map(|(name, _)| *name)
        .chain(TOPS.iter().map(|(name, _)| *name))
        .collect();
    let mut cells = BTreeMap::<(usize, usize), Cell>::new();
    let (mut kinds, mut found) = (BTreeSet::new(), Vec::new());
    for (construct, (name, _)) in CONSTRUCTS.iter().enumerate() {
        for (context, context_name) in contexts.iter().enumerate() {
            if only
                .as_ref()
                .is_some_and(|only| !format!("{name} {context_name}").contains(only))
            {
                continue;
            }
            let cell = cells.entry((construct, context)).or_default();
            for round in 0..rounds {
                let number = (construct * contexts.len() + context) as u64 * 1000 + round;
                let (text, config) = spec_of(construct, context, seed << 32 | number);
                cell.specs += 1;
                let model = match model(&text, &config) {
                    Ok(model) => model,
                    Err(error) => {
                        cell.rejected += 1;
                        if only.is_some() {
                            println!("{error}\n{text}");
                        }
                        continue;
                    }
                };
                for operator in &model.program.operators {
                    kinds_in(&operator.body, &mut kinds);
                }
                let layouts = [Layouts::First, Layouts::Cells, Layouts::Disturbed][(number % 3) as usize];
                let expected = told(&report(&model, Evaluators::Interpreter, Layouts::Learned));
                let compiled = report(&model, Evaluators::Compiled, Layouts::Alone);
                let both = report(&model, Evaluators::Both, layouts);
                for (mode, report) in [("compiled", &compiled), ("both", &both)] {
                    let disagreement = report
                        .as_ref()
                        .ok()
                        .and_then(|report| report.disagreement.clone());
                    if told(report) != expected || disagreement.is_some() {
                        found.push(format!(
                            "{name}, {context_name}, {round} ({mode}): {disagreement:?}\n{}\n{expected}\n{text}{config}",
                            told(report)
                        ));
                    }
                }
                if let Ok(compiled) = &compiled {
                    let has_failed = match &compiled.answer {
                        Answer::Wrong(wrong) => wrong.kind.is_error(),
                        _ => false,
                    };
                    cell.failed += u32::from(has_failed && compiled.figures.distinct < 4);
                    cell.decided += u32::from(is_decided(compiled));
                }
            }
        }
    }
    if rounds > 1 || only.is_some() {
        print_table(&cells, &contexts);
    }
    for difference in &found {
        println!("{difference}");
    }
    assert_eq!(found.len(), 0, "differences");
    if only.is_none() {
        for (name, _) in CONSTRUCTS.iter().filter(|(name, _)| !name.contains(' ')) {
            assert!(kinds.contains(name), "no spec has a node of the kind {name}");
        }
    }
    for (construct, (name, _)) in CONSTRUCTS.iter().enumerate() {
        let own = cells.iter().filter(|((own, _), _)| *own == construct);
        let (mut usable, mut decided, mut specs) = (0, 0, 0);
        for ((_, context), cell) in own {
            specs += cell.specs;
            usable += cell.specs - cell.rejected - cell.failed;
            decided += cell.decided;
            if rounds >= 20 && cell.decided == 0 {
                assert!(
                    reason(name, contexts[*context]).is_some(),
                    "nothing decided: {name}, {}",
                    contexts[*context]
                );
            }
        }
        assert!(
            usable * 2 >= specs,
            "{name}: {usable} of {specs} specs are of use"
        );
        assert!(
            decided * 4 >= specs || reason(name, "").is_some(),
            "{name}: compiled code has decided {decided} of {specs} specs"
        );
    }
}

/// The share of specs that compiled code has decided, by construct and context.
fn print_table(cells: &BTreeMap<(usize, usize), Cell>, contexts: &[&str]) {
    for (number, context) in contexts.iter().enumerate() {
        println!("{number:>3} {context}");
    }
    print!("{:24}", "");
    for number in 0..contexts.len() {
        print!("{number:>5}");
    }
    println!();
    for (construct, (name, _)) in CONSTRUCTS.iter().enumerate() {
        print!("{name:24}");
        for context in 0..contexts.len() {
            match cells.get(&(construct, context)) {
                Some(cell) if cell.rejected == cell.specs => print!("{:>5}", "-"),
                Some(cell) => print!("{:>4}%", cell.decided * 100 / cell.specs.max(1)),
                None => print!("{:>5}", ""),
            }
        }
        println!();
    }
}
