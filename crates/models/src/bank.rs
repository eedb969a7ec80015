//! Accounts and transfers between them.

use omnilink_engine::{Footprint, Keys, Model, Outcomes};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::assoc::Assoc;
use crate::describe::{Seen, list};
use crate::keys::{key, keys};

/// A bank.
#[derive(Clone, Debug)]
pub struct Bank {
    /// What these accounts hold before the first operation.
    pub accounts: Assoc<i64>,
    /// What every other account holds before the first operation.
    pub balance: i64,
    /// Whether a balance may fall below zero.
    pub overdraft: bool,
}

/// What several accounts held, by account.
pub type Balances = SmallVec<[(Value, i64); 4]>;

/// An operation on a [`Bank`]. Results that were not seen are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BankOp {
    /// Moves an amount from one account to another; whether there was enough.
    Transfer {
        /// The account that pays.
        from: Value,
        /// The account that receives.
        to: Value,
        /// How much, not negative.
        amount: i64,
        /// Whether there was enough.
        paid: Option<bool>,
    },
    /// Adds an amount to an account.
    Deposit(Value, i64),
    /// Takes an amount from an account; whether there was enough.
    Withdraw(Value, i64, Option<bool>),
    /// What these accounts hold.
    Read(Option<Balances>),
    /// What an account holds.
    Balance(Value, Option<i64>),
}

impl BankOp {
    /// Which account pays how much, and whether it did.
    fn payment(&self) -> Option<(&Value, i64, Option<bool>)> {
        match self {
            Self::Transfer {
                from, amount, paid, ..
            } => Some((from, *amount, *paid)),
            Self::Withdraw(account, amount, paid) => Some((account, *amount, *paid)),
            _ => None,
        }
    }

    /// Which account receives how much, if the operation does what it is meant to.
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

/// Why an operation cannot have the result it carries: which account, and whether it holds too little or too much.
struct Obstacle<'a> {
    account: &'a Value,
    held: i64,
    too_little: bool,
}

impl Bank {
    fn held(&self, state: &Assoc<i64>, account: &Value) -> i64 {
        *state.get(account).unwrap_or(&self.balance)
    }

    /// The state with an account's balance set; accounts that hold what all accounts start with have no entry, so that
    /// equal states are equal.
    fn with(&self, state: &Assoc<i64>, account: &Value, balance: i64) -> Assoc<i64> {
        if balance == self.balance {
            state.without(account)
        } else {
            state.with(account, balance)
        }
    }

    /// What `account` holds after paying, if it can.
    fn after_paying(&self, state: &Assoc<i64>, account: &Value, amount: i64) -> Option<i64> {
        self.held(state, account)
            .checked_sub(amount)
            .filter(|rest| self.overdraft || *rest >= 0)
    }

    fn obstacle<'a>(&self, state: &Assoc<i64>, op: &'a BankOp) -> Option<Obstacle<'a>> {
        let differs = |account: &'a Value, seen: i64| {
            let held = self.held(state, account);
            (held != seen).then_some(Obstacle {
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
                paid.filter(|paid| *paid != can).map(|paid| Obstacle {
                    account,
                    held,
                    too_little: paid,
                })
            }
        }
    }
}

impl Model for Bank {
    /// The accounts that hold something else than what an account starts with.
    type State = Assoc<i64>;
    type Op = BankOp;

    fn initial(&self) -> Vec<Assoc<i64>> {
        let listed = self.accounts.iter();
        vec![listed.fold(Assoc::new(), |state, (account, balance)| {
            self.with(&state, account, *balance)
        })]
    }

    fn step(&self, state: &Assoc<i64>, op: &BankOp, outcomes: &mut Outcomes<Assoc<i64>>) {
        if let Some(Obstacle { account, held, .. }) = self.obstacle(state, op) {
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
                        .refuse(|| format!("the balance of {receiver} does not fit into 64 bits"));
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

    /// Take the first account that holds too little or too much: some operation raises or lowers it. Where nothing is in
    /// the way, the sum of the receiving account was too large, and some operation lowers that.
    fn may_enable(&self, state: &Assoc<i64>, refused: &BankOp, helper: &BankOp) -> bool {
        match self.obstacle(state, refused) {
            Some(Obstacle {
                account,
                too_little: true,
                ..
            }) => helper.may_raise(account),
            Some(Obstacle {
                account,
                too_little: false,
                ..
            }) => helper.may_lower(account),
            None => refused
                .receipt()
                .is_some_and(|(receiver, _)| helper.may_lower(receiver)),
        }
    }

    fn describe_state(&self, state: &Assoc<i64>) -> String {
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
                format!("transfer({from}, {to}, {amount}) = {}", Seen(paid))
            }
            BankOp::Deposit(account, amount) => format!("deposit({account}, {amount})"),
            BankOp::Withdraw(account, amount, paid) => {
                format!("withdraw({account}, {amount}) = {}", Seen(paid))
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
                format!("read() = {}", Seen(&shown))
            }
            BankOp::Balance(account, balance) => format!("balance({account}) = {}", Seen(balance)),
        }
    }

    fn state_bytes(&self, state: &Assoc<i64>) -> usize {
        state.heap_bytes()
    }
}
