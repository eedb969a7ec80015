//! Files of settings, read entry by entry.
//!
//! A misspelt `require` that is silently ignored makes a check pass that should not. So a reader [takes](Table::take) each entry that it knows out of its
//! [`Table`], and what is left then is an error with its line. And what is spelt right but never had a part in an answer is told, too: [`EntryEffects`].

mod effects;
mod setting;
mod table;
mod toml_key;

pub use effects::{EffectId, Entry, EntryEffects, Unused};
pub use setting::{Setting, SettingKind};
pub use table::{SettingsError, Table};
pub use toml_key::toml_key;
