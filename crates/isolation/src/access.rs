//! Accesses of transactions to keys.

use omnilink_value::Value;

/// One access of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The value that was read, unless the transaction did not return.
    Read(Value, Option<Value>),
    /// The same through a cursor.
    CursorRead(Value, Option<Value>),
    Write(Value, Value),
    /// An element at the end of the list that a key holds.
    Append(Value, Value),
    /// An element of the set that a key holds.
    Add(Value, Value),
    /// An amount added to the counter that a key holds.
    Increment(Value, i64),
    /// An amount moved from one account to another. In a box, as ranges: there are millions of other accesses.
    Transfer(Box<Transfer>),
    /// A read of all keys of a range.
    Range(Box<RangeRead>),
    /// A read of everything that a workload without keys holds; what that is follows from the other operations.
    Whole(Option<Value>),
    /// A read of several keys at one moment: of accounts, elements, the keys of a range.
    Together(Vec<ItemRead>),
}

/// What was read of one of several keys; `None` if that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemRead {
    pub key: Value,
    pub value: Option<Value>,
    /// Whether a range did not show the key.
    pub is_absent: bool,
}

impl ItemRead {
    pub fn shown(key: Value, value: Value) -> Self {
        Self {
            key,
            value: Some(value),
            is_absent: false,
        }
    }
}

/// An amount moved from one account to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub from: Value,
    pub to: Value,
    pub amount: i64,
}

/// All keys from one to another, each if it is not null, with what those held that held something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RangeRead {
    pub from: Value,
    pub to: Value,
    pub found: Option<Vec<(Value, Value)>>,
}

impl Access {
    /// The key that it is about, if it is one.
    pub(crate) fn key(&self) -> Option<&Value> {
        Some(match self {
            Self::Read(key, _)
            | Self::CursorRead(key, _)
            | Self::Write(key, _)
            | Self::Append(key, _)
            | Self::Add(key, _)
            | Self::Increment(key, _) => key,
            Self::Range(_) | Self::Transfer(_) | Self::Whole(_) | Self::Together(_) => return None,
        })
    }

    /// Keys with what was read of them, one by one or together.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.items().map(|(key, value, _)| (key, value))
    }

    /// The same, each with whether a range did not show the key.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&Value, &Value, bool)> {
        let (one, several) = match self {
            Self::Read(key, Some(value)) | Self::CursorRead(key, Some(value)) => {
                (Some((key, value, false)), &[][..])
            }
            Self::Together(items) => (None, items.as_slice()),
            _ => (None, &[][..]),
        };
        let several = several
            .iter()
            .filter_map(|item| Some((&item.key, item.value.as_ref()?, item.is_absent)));
        one.into_iter().chain(several)
    }

    /// What is added to which counters.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&Value, i64)> {
        let changes = match self {
            Self::Increment(key, amount) => [Some((key, *amount)), None],
            Self::Transfer(moved) => [
                Some((&moved.from, moved.amount.saturating_neg())),
                Some((&moved.to, moved.amount)),
            ],
            _ => [None, None],
        };
        changes.into_iter().flatten()
    }

    /// Whether a transaction that was called with this access may return `returned` in its place: the same, with what was
    /// read filled in.
    pub(crate) fn may_return(&self, returned: &Self) -> bool {
        match (self, returned) {
            (Self::Read(key, asked), Self::Read(own, _))
            | (Self::CursorRead(key, asked), Self::CursorRead(own, _)) => {
                let is_open = asked.as_ref().is_none_or(Value::is_null);
                key == own && (is_open || self == returned)
            }
            (Self::Range(asked), Self::Range(own)) => (&asked.from, &asked.to) == (&own.from, &own.to),
            _ => self == returned,
        }
    }
}

/// The accesses of transactions, kept until the keys that hold lists are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses(pub(crate) Vec<(usize, Vec<Access>)>);
