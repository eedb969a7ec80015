//! Long traces of the native models.

use crate::long::keyed::Map;
use crate::long::native::{Accounts, Counter, Elements, Entries, Line, Permits, Registers, Texts};
use crate::long::object::Object;
use crate::long::subject::Subject;
use crate::long_traces::compare;

/// Traces in the usual way and, shorter, in every way.
fn attack<O: Object>(model: &'static str) {
    compare::<O>(model, &[Subject::Model(model)], 4_000, false, 1);
    compare::<O>(model, &[Subject::Model(model)], 1_000, true, 1);
}

#[test]
fn long_traces_of_register_models() {
    attack::<Registers<false, false>>("register:initial=0");
    attack::<Registers<false, true>>("cas-register:initial=0");
    attack::<Registers<true, false>>("multi-register:initial=0");
}

#[test]
fn long_traces_of_models_with_keys() {
    attack::<Map>("map");
    attack::<Texts>("kv");
    attack::<Accounts>("bank:balance=2");
}

#[test]
fn long_traces_of_models_of_elements() {
    attack::<Elements<false>>("set");
    attack::<Elements<true>>("bag");
}

#[test]
fn long_traces_of_models_of_permits_and_numbers() {
    attack::<Permits<1>>("mutex");
    attack::<Permits<3>>("semaphore:capacity=3");
    attack::<Counter>("counter");
    attack::<Entries>("log");
}

#[test]
fn long_traces_of_models_with_an_order() {
    attack::<Line<'q'>>("queue:capacity=3");
    attack::<Line<'s'>>("stack");
    attack::<Line<'p'>>("priority-queue");
}
