//! Accounts and transfers between them.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::display::{Known, list};
use crate::entry::{ModelEntry, OptionEntry, operations};
use crate::keys::{key, keys};
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError, value_of};
use crate::persistent_map::PersistentMap;

/// A bank.
#[derive(Clone, Debug)]
pub struct Bank {
    /// The initial balances of these accounts.
    pub accounts: PersistentMap<i64>,
    /// The initial balance of every other account.
    pub balance: i64,
    /// Whether a balance may fall below zero.
    pub overdraft: bool,
}

/// The balances of several accounts.
pub type Balances = SmallVec<[(Value, i64); 4]>;

/// An operation on a [`Bank`]. Unknown results are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BankOp {
    /// Moves an amount from one account to another; whether there was enough.
    Transfer {
        /// The account that pays.
        from: Value,
        /// The account that receives.
        to: Value,
        /// The amount, not negative.
        amount: i64,
        /// Whether there was enough.
        paid: Option<bool>,
    },
    /// Adds an amount to an account.
    Deposit(Value, i64),
    /// Takes an amount from an account; whether there was enough.
    Withdraw(Value, i64, Option<bool>),
    /// The balances of these accounts.
    Read(Option<Balances>),
    /// The balance of an account.
    Balance(Value, Option<i64>),
}

impl BankOp {
    /// The account that pays, the amount, and whether it was paid.
    fn payment(&self) -> Option<(&Value, i64, Option<bool>)> {
        match self {
            Self::Transfer {
                from, amount, paid, ..
            } => Some((from, *amount, *paid)),
            Self::Withdraw(account, amount, paid) => Some((account, *amount, *paid)),
            _ => None,
        }
    }

    /// The account that receives, and the amount.
    fn receipt(&self) -> Option<(&Value, i64)> {
        match self {
            Self::Transfer { to, amount, .. } => Some((to, *amount)),
            Self::Deposit(account, amount) => Some((account, *amount)),
            _ => None,
        }
    }

    fn may_raise(&self, account: &Value) -> bool {
        let is_refused = matches!(
            self,
            Self::Transfer {
                paid: Some(false),
                ..
            }
        );
        !is_refused
            && self
                .receipt()
                .is_some_and(|(receiver, amount)| receiver == account && amount > 0)
    }

    fn may_lower(&self, account: &Value) -> bool {
        self.payment()
            .is_some_and(|(payer, amount, paid)| payer == account && amount > 0 && paid != Some(false))
    }

    fn is_within_one_account(&self) -> bool {
        matches!(self, Self::Transfer { from, to, .. } if from == to)
    }
}

/// Why an operation cannot have its result: an account that holds too little or too much.
struct FailedPrecondition<'a> {
    account: &'a Value,
    held: i64,
    too_little: bool,
}

impl Bank {
    fn held(&self, state: &PersistentMap<i64>, account: &Value) -> i64 {
        *state.get(account).unwrap_or(&self.balance)
    }

    /// The state with a new balance of an account. Accounts with the initial balance have no entry, so that equal states are
    /// equal.
    fn with(&self, state: &PersistentMap<i64>, account: &Value, balance: i64) -> PersistentMap<i64> {
        if balance == self.balance {
            state.without(account)
        } else {
            state.with(account, balance)
        }
    }

    /// The balance of `account` after paying, if it can pay.
    fn after_paying(&self, state: &PersistentMap<i64>, account: &Value, amount: i64) -> Option<i64> {
        self.held(state, account)
            .checked_sub(amount)
            .filter(|rest| self.overdraft || *rest >= 0)
    }

    fn failed_precondition<'a>(
        &self,
        state: &PersistentMap<i64>,
        op: &'a BankOp,
    ) -> Option<FailedPrecondition<'a>> {
        let differs = |account: &'a Value, seen: i64| {
            let held = self.held(state, account);
            (held != seen).then_some(FailedPrecondition {
                account,
                held,
                too_little: held < seen,
            })
        };
        match op {
            BankOp::Read(Some(balances)) => balances
                .iter()
                .find_map(|(account, balance)| differs(account, *balance)),
            BankOp::Balance(account, Some(balance)) => differs(account, *balance),
            _ => {
                let (account, amount, paid) = op.payment()?;
                let can = self.after_paying(state, account, amount).is_some();
                let held = self.held(state, account);
                paid.filter(|paid| *paid != can).map(|paid| FailedPrecondition {
                    account,
                    held,
                    too_little: paid,
                })
            }
        }
    }
}

impl Model for Bank {
    /// The accounts whose balance differs from the initial one.
    type State = PersistentMap<i64>;
    type Op = BankOp;

    fn initial(&self) -> Vec<PersistentMap<i64>> {
        let listed = self.accounts.iter();
        vec![listed.fold(PersistentMap::new(), |state, (account, balance)| {
            self.with(&state, account, *balance)
        })]
    }

    fn step(&self, state: &PersistentMap<i64>, op: &BankOp, outcomes: &mut Outcomes<PersistentMap<i64>>) {
        if let Some((payer, amount, _)) = op.payment()
            && self.overdraft
            && self.held(state, payer).checked_sub(amount).is_none()
        {
            return outcomes.exceed(|| format!("the debt of {payer} does not fit into 64 bits"));
        }
        if let Some(FailedPrecondition { account, held, .. }) = self.failed_precondition(state, op) {
            return outcomes.refuse(|| format!("{}, but {account} holds {held}", self.describe_op(op)));
        }
        if self.is_pure(op) {
            return outcomes.accept(state.clone());
        }
        let mut next = state.clone();
        if let Some((payer, amount, _)) = op.payment() {
            match self.after_paying(state, payer, amount) {
                Some(rest) => next = self.with(&next, payer, rest),
                None => return outcomes.accept(next),
            }
        }
        if let Some((receiver, amount)) = op.receipt() {
            match self.held(&next, receiver).checked_add(amount) {
                Some(sum) => next = self.with(&next, receiver, sum),
                None => {
                    return outcomes
                        .exceed(|| format!("the balance of {receiver} does not fit into 64 bits"));
                }
            }
        }
        outcomes.accept(next);
    }

    fn is_pure(&self, op: &BankOp) -> bool {
        match op {
            BankOp::Read(_) | BankOp::Balance(..) => true,
            BankOp::Deposit(_, amount) => *amount == 0,
            BankOp::Transfer { amount, paid, .. } | BankOp::Withdraw(_, amount, paid) => {
                *amount == 0 || *paid == Some(false) || op.is_within_one_account()
            }
        }
    }

    fn footprint(&self, op: &BankOp) -> Footprint {
        match op {
            BankOp::Read(None) | BankOp::Balance(_, None) => Footprint::reads(Keys::none()),
            BankOp::Read(Some(balances)) => {
                Footprint::reads(keys(balances.iter().map(|(account, _)| account)))
            }
            BankOp::Balance(account, Some(_)) => Footprint::reads(key(account)),
            BankOp::Transfer { from, .. } if self.is_pure(op) => Footprint::reads(key(from)),
            BankOp::Transfer { from, to, .. } => Footprint::updates(keys([from, to])),
            BankOp::Deposit(account, _) | BankOp::Withdraw(account, ..) if self.is_pure(op) => {
                Footprint::reads(key(account))
            }
            BankOp::Deposit(account, _) | BankOp::Withdraw(account, ..) => Footprint::updates(key(account)),
        }
    }

    /// Some operation must raise or lower the first account that holds too little or too much. If there is none, the sum of
    /// the receiving account was too large, and some operation must lower it.
    fn may_enable(&self, state: &PersistentMap<i64>, refused: &BankOp, helper: &BankOp) -> bool {
        match self.failed_precondition(state, refused) {
            Some(FailedPrecondition {
                account,
                too_little: true,
                ..
            }) => helper.may_raise(account),
            Some(FailedPrecondition {
                account,
                too_little: false,
                ..
            }) => helper.may_lower(account),
            None => refused
                .receipt()
                .is_some_and(|(receiver, _)| helper.may_lower(receiver)),
        }
    }

    fn describe_state(&self, state: &PersistentMap<i64>) -> String {
        let entries = list(
            state
                .iter()
                .map(|(account, balance)| format!("{account}: {balance}")),
            ["{", "}"],
        );
        format!("{entries}, other accounts hold {}", self.balance)
    }

    fn describe_op(&self, op: &BankOp) -> String {
        match op {
            BankOp::Transfer {
                from,
                to,
                amount,
                paid,
            } => {
                format!("transfer({from}, {to}, {amount}) = {}", Known(paid))
            }
            BankOp::Deposit(account, amount) => format!("deposit({account}, {amount})"),
            BankOp::Withdraw(account, amount, paid) => {
                format!("withdraw({account}, {amount}) = {}", Known(paid))
            }
            BankOp::Read(balances) => {
                let shown = balances.as_ref().map(|balances| {
                    list(
                        balances
                            .iter()
                            .map(|(account, balance)| format!("{account}: {balance}")),
                        ["{", "}"],
                    )
                });
                format!("read() = {}", Known(&shown))
            }
            BankOp::Balance(account, balance) => format!("balance({account}) = {}", Known(balance)),
        }
    }

    fn state_bytes(&self, state: &PersistentMap<i64>) -> usize {
        state.heap_bytes()
    }
}

impl Decode for Bank {
    const ENTRY: &'static ModelEntry = &ModelEntry {
        name: "bank",
        summary: "Accounts and transfers between them.",
        ops: operations! {
            "transfer" | "move": ("from, to, amount") -> "false if there was not enough",
                "amount went from one account to the other";
            "read" | "balances" | "read-all": () -> "balances by account",
                "what the accounts listed hold, at one instant";
            "deposit": ("account, amount"), "amount was added to account";
            "withdraw": ("account, amount") -> "false if there was not enough", "amount was taken from account";
            "balance" | "get": ("account") -> "a number", "what account holds";
        },
        options: &[
            OptionEntry {
                name: "balance",
                values: "a number",
                default: "0",
                meaning: "what every account holds at first",
            },
            OptionEntry {
                name: "accounts",
                values: "NAME:BALANCE/NAME:BALANCE/...",
                default: "none",
                meaning: "what these accounts hold at first",
            },
            OptionEntry {
                name: "overdraft",
                values: "yes or no",
                default: "no",
                meaning: "whether a balance may fall below zero",
            },
        ],
        example: r#"{"thread":0,"op":"deposit","args":{"account":1,"amount":10},"start":0,"end":4}
{"thread":1,"op":"transfer","args":{"from":1,"to":2,"amount":4},"ret":true,"start":2,"end":9}
{"thread":0,"op":"read","ret":{"1":6,"2":4},"start":11,"end":12}"#,
    };

    fn decode_call(&self, call: &CallReader<'_>) -> Result<BankOp, DecodeError> {
        const EXPECTED: &str = "an amount, 0 or more";
        let account = |names, position| call.argument(names, position, "the account").map(account_of);
        match call.op() {
            "transfer" => Ok(BankOp::Transfer {
                from: account(&["from"], 0)?,
                to: account(&["to"], 1)?,
                amount: call.integer(&["amount"], 2, 0, EXPECTED)?,
                paid: call.bool_or_nothing(Some(true), &["paid"], 3)?,
            }),
            "deposit" => {
                call.check_acknowledged(2)?;
                Ok(BankOp::Deposit(
                    account(ACCOUNT, 0)?,
                    call.integer(&["amount"], 1, 0, EXPECTED)?,
                ))
            }
            "withdraw" => {
                let amount = call.integer(&["amount"], 1, 0, EXPECTED)?;
                Ok(BankOp::Withdraw(
                    account(ACCOUNT, 0)?,
                    amount,
                    call.bool_or_nothing(Some(true), &["paid"], 2)?,
                ))
            }
            "balance" => {
                let balance = call.integer_result(&["balance", "value"], 1, "the balance, a number")?;
                Ok(BankOp::Balance(account(ACCOUNT, 0)?, balance))
            }
            _ => decode_balances(call).map(BankOp::Read),
        }
    }
}

const ACCOUNT: &[&str] = &["account", "key", "id"];

/// The keys of JSON objects are texts, so the account `7` may also be written `"7"`.
fn account_of(name: &Value) -> Value {
    name.as_str()
        .and_then(|text| text.parse().ok())
        .map_or_else(|| name.clone(), Value::int)
}

fn decode_balances(call: &CallReader<'_>) -> Result<Option<Balances>, DecodeError> {
    let Some(result) = call.result(&["balances", "value"], 0) else {
        return Ok(None);
    };
    call.check_success(result)?;
    let wrong = || {
        call.wrong(
            THE_RESULT,
            result,
            "balances by account, such as {\"a\": 10, \"b\": 0}",
        )
    };
    let numbered = |values: &[Value]| (1..).map(Value::int).zip(values.iter().cloned()).collect();
    let entries: Vec<(Value, Value)> = match (result.as_entries(), result.as_tuple()) {
        (Some(entries), _) => entries.to_vec(),
        // A function whose domain is 1..n is a tuple.
        (_, Some(values)) => numbered(values),
        _ => return Err(wrong()),
    };
    let mut balances = entries
        .iter()
        .map(|(account, balance)| balance.as_int().map(|balance| (account_of(account), balance)))
        .collect::<Option<Balances>>()
        .ok_or_else(wrong)?;
    balances.sort_unstable();
    Ok(Some(balances))
}

impl NativeModel for Bank {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let balance = options.integer("balance", i64::MIN, "a number")?.unwrap_or(0);
        let mut accounts = PersistentMap::new();
        for account in options.text("accounts").iter().flat_map(|text| text.split('/')) {
            let parsed = account
                .split_once(':')
                .and_then(|(name, held)| Some((value_of(name), held.parse().ok()?)));
            match parsed {
                Some((name, held)) => accounts = accounts.with(&account_of(&name), held),
                None => {
                    return Err(options.bad("accounts", account.to_owned(), "NAME:BALANCE/NAME:BALANCE/..."));
                }
            }
        }
        Ok(Self {
            accounts,
            balance,
            overdraft: options.switch("overdraft")?,
        })
    }
}
