//! What the models of random specifications promise the engine holds.

use std::time::Instant;

use fastrand::Rng;

use crate::contract::broken_promise;
use crate::oracle::spec::Spec;
use crate::oracle::timed_call::{TimedCall, ndjson};
use crate::product::{Product, Steps};
use crate::random::history::called;
use crate::random::maker::{FLAVOURS, Flavour};
use crate::random::spec::random_spec;
use crate::rounds::{from_environment, rounds, seed};

/// The operations of one specification.
const OPERATIONS: usize = 16;

/// Random operations of a specification, none of which happens in steps; the results of a few are not known.
fn random_calls(rng: &mut Rng, spec: &Spec) -> Vec<TimedCall> {
    let single: Vec<usize> = (0..spec.operations.len())
        .filter(|number| spec.operations[*number].step.is_none())
        .collect();
    let mut calls: Vec<TimedCall> = Vec::new();
    for start in 0..OPERATIONS as i64 {
        let operation = single[rng.usize(..single.len())];
        let mut call = called(rng, spec, start as u32, operation, start);
        call.end = Some(start + 1);
        if rng.u32(..12) == 0 {
            call.end = None;
            for (param, arg) in spec.operations[operation].params.iter().zip(&mut call.args) {
                *arg = arg.take().filter(|_| !param.is_result);
            }
        }
        let is_known = |known: &TimedCall| known.operation == operation && known.args == call.args;
        if !calls.iter().any(is_known) {
            calls.push(call);
        }
    }
    calls
}

fn attack(flavour: Flavour) {
    let started = Instant::now();
    let from =
        seed(500 + FLAVOURS.iter().position(|one| *one == flavour).unwrap_or(0) as u64 * 1_000_000_000);
    let skipped = from_environment("OMNILINK_SKIP").unwrap_or(0);
    let mut broken = Vec::new();
    for number in skipped..skipped + rounds(150) {
        let mut rng = Rng::with_seed(from.wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let spec = random_spec(&mut rng, flavour);
        let calls = random_calls(&mut rng, &spec);
        let trace = ndjson(&spec, &calls);
        let found = Product::new("Random", &spec.text(), &spec.link(), Steps::Evaluated)
            .and_then(|product| product.run(|model| broken_promise(&mut rng, model, &trace)));
        if let Some(found) = found.unwrap_or_else(Some) {
            broken.push(format!(
                "seed {from} + {number}: {found}\n{}{}{trace}",
                spec.link(),
                spec.text()
                    .split("Through(Op(_), z) == Op(z)")
                    .last()
                    .unwrap_or_default()
            ));
        }
        if broken.len() >= from_environment("OMNILINK_WRONG_MAX").unwrap_or(3) as usize {
            break;
        }
    }
    println!("{flavour:?}: {:.1} s", started.elapsed().as_secs_f64());
    assert!(
        broken.is_empty(),
        "{} promises are broken:\n{}",
        broken.len(),
        broken.join("\n\n")
    );
}

#[test]
fn what_a_model_promises_holds() {
    FLAVOURS.into_iter().for_each(attack);
}
