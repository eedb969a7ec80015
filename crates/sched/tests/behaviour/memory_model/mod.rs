//! The model of weak memory against the axioms of C++20.

pub mod axioms;
mod machine;
pub mod program;

use machine::Mutant;
use program::{ACQUIRE, Instruction, Program, RELAXED, RELEASE, Random, SEQ_CST};

/// Random programs with this many instructions, and how many of them.
const RANDOM: [(usize, usize); 3] = [(4, 600), (5, 600), (6, 400)];
const VARIANTS: usize = 1_600;

/// The programs of the comparison: well-known shapes, these with other orders, and random ones.
fn programs() -> Vec<Program> {
    let mut random = Random::with_seed(21);
    let shapes = known_shapes();
    let two_threads: Vec<&Program> = shapes.iter().filter(|shape| shape.threads.len() == 2).collect();
    let variants: Vec<Program> = (0..VARIANTS)
        .map(|_| {
            let shape = two_threads[random.below(two_threads.len())];
            random.variant(shape)
        })
        .collect();
    let mut programs = [shapes, variants].concat();
    for (instructions, count) in RANDOM {
        programs.extend((0..count).map(|_| random.program(instructions)));
    }
    programs
}

/// Store buffering, message passing, coherence of reads, 2+2W, release sequences and independent reads, with fences and without.
pub fn known_shapes() -> Vec<Program> {
    use Instruction::{Fence, Load, Store, Swap};
    let mut programs = Vec::new();
    for write in [RELAXED, RELEASE, SEQ_CST] {
        for read in [RELAXED, ACQUIRE, SEQ_CST] {
            let (store, load) = (|at| Store(at, write), |at| Load(at, read));
            let shapes = [
                vec![vec![store(0), load(1)], vec![store(1), load(0)]],
                vec![vec![store(0), store(1)], vec![load(1), load(0)]],
                vec![vec![store(0), store(1)], vec![store(1), store(0)]],
                vec![vec![load(0), store(1)], vec![load(1), store(0)]],
                vec![vec![store(0), store(0)], vec![load(0), load(0)]],
                vec![vec![store(0)], vec![store(0), load(0)], vec![load(0), load(0)]],
                vec![
                    vec![store(0)],
                    vec![store(1)],
                    vec![load(0), load(1)],
                    vec![load(1), load(0)],
                ],
                vec![
                    vec![Store(0, RELAXED), store(1)],
                    vec![Swap(1, RELAXED)],
                    vec![load(1), Load(0, RELAXED)],
                ],
            ];
            for threads in shapes {
                programs.push(Program {
                    threads: threads.clone(),
                });
                let instructions: usize = threads.iter().map(Vec::len).sum();
                let all_have_two = threads.iter().all(|thread| thread.len() == 2);
                if instructions == 4 && all_have_two {
                    let fenced = threads
                        .into_iter()
                        .map(|thread| vec![thread[0], Fence(SEQ_CST), thread[1]]);
                    programs.push(Program {
                        threads: fenced.collect(),
                    });
                }
            }
        }
    }
    programs
}

#[test]
fn the_outcomes_of_thousands_of_programs_are_those_that_the_axioms_allow() {
    let programs = programs();
    assert!(programs.len() > 3_000);
    let mut weak = 0;
    for program in &programs {
        let (found, allowed) = (machine::outcomes(program, None), axioms::outcomes(program));
        let missing: Vec<_> = allowed.difference(&found).collect();
        let wrong: Vec<_> = found.difference(&allowed).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "{program:?}: missing {missing:?}, wrong {wrong:?}"
        );
        let strong = machine::outcomes(program, Some(Mutant::OnlyTheNewestIsRead));
        weak += usize::from(strong.len() < found.len());
    }
    // Otherwise the comparison is of sequential consistency.
    assert!(weak > 200, "only {weak} programs have outcomes of weak memory");
}

#[test]
fn each_rule_is_needed() {
    let programs = programs();
    for mutant in [
        Mutant::LoadsDoNotAcquire,
        Mutant::StoresDoNotRelease,
        Mutant::AcquireFencesDoNothing,
        Mutant::ReleaseFencesDoNothing,
        Mutant::FencesAreNotSeqCst,
        Mutant::LoadsAreNotSeqCst,
        Mutant::StoresAreNotSeqCst,
        Mutant::ReadsAreForgotten,
        Mutant::SwapsAreTwoAccesses,
        Mutant::OnlyTheNewestIsRead,
        Mutant::StoresAreTheNewest,
        Mutant::EverythingIsSeqCst,
    ] {
        let is_noticed = programs
            .iter()
            .any(|program| machine::outcomes(program, Some(mutant)) != axioms::outcomes(program));
        assert!(is_noticed, "{mutant:?} is not noticed");
    }
}
