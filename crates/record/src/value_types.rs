//! Implementations of [`Record`] for types of the standard library.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use crate::{Record, ValueSlot, Written};

macro_rules! record_numbers {
    ($method:ident as $wide:ty: $($number:ty),*) => {$(
        impl Record for $number {
            #[inline]
            fn record(&self, slot: ValueSlot<'_>) -> Written {
                slot.$method(*self as $wide)
            }
        }
    )*};
}
record_numbers!(int as i64: i8, i16, i32, i64, isize, u8, u16, u32);
record_numbers!(uint as u64: u64, usize);

impl Record for bool {
    #[inline]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.bool(*self)
    }
}

impl Record for str {
    #[inline]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.str(self)
    }
}

impl Record for String {
    #[inline]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.str(self)
    }
}

/// Texts of the operating system are recorded without loss, also if they are no Unicode.
impl Record for OsStr {
    #[cfg(not(windows))]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.text(self.as_encoded_bytes())
    }

    #[cfg(windows)]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        use std::os::windows::ffi::OsStrExt;
        let units: Vec<u16> = self.encode_wide().collect();
        slot.escaped(&crate::text::lossless_wide(&units))
    }
}

macro_rules! record_as_os_str {
    ($($text:ty),*) => {$(
        impl Record for $text {
            fn record(&self, slot: ValueSlot<'_>) -> Written {
                AsRef::<OsStr>::as_ref(self).record(slot)
            }
        }
    )*};
}
record_as_os_str!(OsString, Path, PathBuf);

impl Record for char {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.str(self.encode_utf8(&mut [0; 4]))
    }
}

/// Omitted as a result, null inside another value.
impl Record for () {
    #[inline]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.null()
    }

    #[inline]
    fn is_absent(&self) -> bool {
        true
    }
}

impl<T: Record> Record for Option<T> {
    #[inline]
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        match self {
            Some(value) => value.record(slot),
            None => slot.null(),
        }
    }
}

macro_rules! record_pointers {
    ($($pointer:ty),*) => {$(
        impl<T: Record + ?Sized> Record for $pointer {
            #[inline]
            fn record(&self, slot: ValueSlot<'_>) -> Written {
                (**self).record(slot)
            }

            #[inline]
            fn is_absent(&self) -> bool {
                (**self).is_absent()
            }
        }
    )*};
}
record_pointers!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: Record + ToOwned + ?Sized> Record for Cow<'_, T> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        (**self).record(slot)
    }
}

fn record_items<'a, T: Record + 'a>(slot: ValueSlot<'_>, items: impl IntoIterator<Item = &'a T>) -> Written {
    slot.items(|tuple| items.into_iter().for_each(|item| tuple.item(item)))
}

impl<T: Record> Record for [T] {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_items(slot, self)
    }
}

impl<T: Record, const N: usize> Record for [T; N] {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_items(slot, self)
    }
}

impl<T: Record> Record for Vec<T> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_items(slot, self)
    }
}

impl<T: Record> Record for VecDeque<T> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_items(slot, self)
    }
}

macro_rules! record_tuples {
    ($(($($name:ident),+))*) => {$(
        impl<$($name: Record),+> Record for ($($name,)+) {
            #[inline]
            fn record(&self, slot: ValueSlot<'_>) -> Written {
                #[allow(non_snake_case, reason = "the type parameters name the items")]
                let ($($name,)+) = self;
                slot.items(|tuple| {
                    $(tuple.item($name);)+
                })
            }
        }
    )*};
}
record_tuples!((A)(A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(A, B, C, D, E, F));

/// Sets are written as `{"$set": [...]}`.
fn record_set<'a, T: Record + 'a>(slot: ValueSlot<'_>, items: impl IntoIterator<Item = &'a T>) -> Written {
    slot.fields(|form| form.field_with("$set", |set| record_items(set, items)))
}

impl<T: Record> Record for BTreeSet<T> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_set(slot, self)
    }
}

impl<T: Record, S> Record for HashSet<T, S> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_set(slot, self)
    }
}

/// Maps are TLA+ functions: `{"$fn": [[key, value], ...]}`. Those with strings for keys are read as records.
fn record_function<'a, K: Record + 'a, V: Record + 'a>(
    slot: ValueSlot<'_>,
    pairs: impl IntoIterator<Item = (&'a K, &'a V)>,
) -> Written {
    slot.fields(|form| {
        form.field_with("$fn", |function| {
            function.items(|list| pairs.into_iter().for_each(|pair| list.item(&pair)))
        });
    })
}

impl<K: Record, V: Record> Record for BTreeMap<K, V> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_function(slot, self)
    }
}

impl<K: Record, V: Record, S> Record for HashMap<K, V, S> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        record_function(slot, self)
    }
}

/// A TLA+ model value by its name: `{"$model": "a"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelValue<'a>(pub &'a str);

impl Record for ModelValue<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.fields(|form| form.field("$model", self.0))
    }
}
