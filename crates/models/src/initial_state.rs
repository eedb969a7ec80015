//! What a history says about the state in which its object began.
//!
//! A register holds nil at first, a bank nothing, a counter 0, unless an option says otherwise. Histories of objects that began
//! with something else look like violations, and the first thing that was read is the likely initial state.

use omnilink_trace::Operation;
use omnilink_value::{Value, ValueKind};

use crate::bank::{Balances, Bank, BankOp};
use crate::cas_register::{CasRegister, CasRegisterOp};
use crate::catalogue::entry_and_options;
use crate::counter::{Counter, CounterOp};
use crate::multi_register::{MultiRegister, RegisterAccess};
use crate::native_model::NativeModel;
use crate::register::{Register, RegisterOp};
use crate::semaphore::{Semaphore, SemaphoreOp};

/// The model with options for initial states under which `unexplained` might have an explanation, the likeliest first. `history` are
/// operations of the same history. Empty if the user gave the initial state, or the operation says nothing about one.
///
/// They are guesses: only a check tells whether one of them explains the operation.
pub fn initial_guesses<'a>(
    model: &str,
    unexplained: &Operation,
    history: impl IntoIterator<Item = &'a Operation>,
) -> Vec<String> {
    let Ok((entry, mut options)) = entry_and_options(model) else {
        return Vec::new();
    };
    let is_given = ["initial", "balance", "accounts", "permits", "capacity"]
        .iter()
        .any(|option| options.text(option).is_some());
    if is_given {
        return Vec::new();
    }
    let guessed = match entry.name {
        "register" => match decoded::<Register>(model, unexplained) {
            Some(RegisterOp::Read(Some(read))) => initial(&read),
            _ => None,
        },
        "cas-register" => match decoded::<CasRegister>(model, unexplained) {
            Some(CasRegisterOp::Read(Some(read))) => initial(&read),
            Some(CasRegisterOp::Cas {
                from,
                equal: Some(true),
                ..
            }) => initial(&from),
            _ => None,
        },
        "multi-register" => decoded::<MultiRegister>(model, unexplained).and_then(|op| {
            op.0.iter().find_map(|access| match access {
                RegisterAccess::Read(_, Some(read)) => initial(read),
                _ => None,
            })
        }),
        "counter" => match decoded::<Counter>(model, unexplained) {
            Some(
                CounterOp::Read(Some(count))
                | CounterOp::Add {
                    before: Some(count), ..
                },
            ) => Some(format!("initial={count}")),
            _ => None,
        },
        "semaphore" => match decoded::<Semaphore>(model, unexplained) {
            Some(SemaphoreOp::Available(Some(permits))) if permits >= 0 => Some(format!("permits={permits}")),
            _ => None,
        },
        "bank" => {
            let read = |operation: &Operation| match decoded::<Bank>(model, operation) {
                Some(BankOp::Read(Some(balances))) if !balances.is_empty() => Some(balances),
                _ => None,
            };
            let seen = read(unexplained).or_else(|| history.into_iter().find_map(read));
            return seen.map(|seen| bank_guesses(model, &seen)).unwrap_or_default();
        }
        _ => None,
    };
    guessed
        .map(|option| with_option(model, &option))
        .into_iter()
        .collect()
}

/// All accounts hold the same, or what was read first.
fn bank_guesses(model: &str, seen: &Balances) -> Vec<String> {
    let total = seen
        .iter()
        .try_fold(0_i64, |total, (_, balance)| total.checked_add(*balance));
    let each = total.and_then(|total| {
        let count = i64::try_from(seen.len())
            .ok()
            .filter(|count| total % count == 0)?;
        Some(format!("balance={}", total / count))
    });
    let accounts = seen.iter().map(|(account, balance)| {
        let name = option_text(account).filter(|name| !name.contains([':', '/']))?;
        Some(format!("{name}:{balance}"))
    });
    let accounts = accounts
        .collect::<Option<Vec<_>>>()
        .map(|accounts| format!("accounts={}", accounts.join("/")));
    let is_same = seen.iter().all(|(_, balance)| *balance == seen[0].1);
    let guesses = if is_same {
        [accounts, None]
    } else {
        [each, accounts]
    };
    guesses
        .into_iter()
        .flatten()
        .map(|option| with_option(model, &option))
        .collect()
}

fn initial(read: &Value) -> Option<String> {
    option_text(read).map(|text| format!("initial={text}"))
}

/// A value as an option is written; `None` for one that cannot be, and for nil, which is what there is without the option.
fn option_text(value: &Value) -> Option<String> {
    match value.kind() {
        ValueKind::Int | ValueKind::Bool => Some(value.to_string().to_lowercase()),
        ValueKind::Str => value
            .as_str()
            .filter(|text| !text.is_empty() && !text.contains([',', '=', ' ', '"', '\'', '$']))
            .filter(|text| crate::options::value_of(text) == *value)
            .map(str::to_owned),
        _ => None,
    }
}

fn with_option(model: &str, option: &str) -> String {
    let separator = if model.contains(':') { ',' } else { ':' };
    format!("{model}{separator}{option}")
}

/// An operation as a model of this type reads it.
fn decoded<M: NativeModel>(model: &str, operation: &Operation) -> Option<M::Op> {
    let (_, mut options) = entry_and_options(model).ok()?;
    let model = M::from_options(&mut options).ok()?;
    model.decode(operation).ok()?.into_last()
}
