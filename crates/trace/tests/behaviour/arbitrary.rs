//! Arbitrary operations, and arbitrary bytes into every reader.

use omnilink_trace::{Args, Format, OpenOptions, Operation, Timebox, Trace};
use omnilink_value::Value;
use proptest::prelude::*;

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::int),
        any::<bool>().prop_map(Value::bool),
        "\\PC{0,18}".prop_map(Value::from),
        "[a-c]{1,3}".prop_map(|name| Value::model(&name)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::tuple),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::set),
            prop::collection::vec(("[a-c]{1,2}", inner.clone()), 0..3).prop_map(Value::record),
            prop::collection::btree_map(inner.clone(), inner, 0..3)
                .prop_map(|map| Value::function(map).expect("distinct")),
        ]
    })
}

/// An operation of its own thread, so that no two overlap.
pub fn operation() -> impl Strategy<Value = Operation> {
    let args = prop_oneof![
        prop::collection::vec(("[a-c]{1,20}", value()), 0..3).prop_map(Args::named),
        prop::collection::vec(value(), 0..3).prop_map(Args::positional),
    ];
    let timebox = (-50_i64..50, prop::option::of(0_i64..20)).prop_map(|(start, length)| Timebox {
        start,
        end: length.map(|length| start + length),
    });
    let extras = (
        prop::option::of(value()),
        prop::option::of(value()),
        any::<bool>(),
    );
    (any::<i64>(), "\\PC{0,20}", args, timebox, extras).prop_map(|(thread, name, args, timebox, extras)| {
        let (ret, meta, aborted) = extras;
        let meta = meta.filter(|meta| !meta.is_null());
        let mut operation = Operation::new(thread, name.as_str(), args, timebox);
        // A pending call has no result.
        operation.ret = ret.filter(|_| aborted || timebox.end.is_some());
        operation.meta = meta;
        operation.aborted = aborted;
        operation
    })
}

/// Bytes that look a little like each format, so that the readers get past their first checks.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        "[\\[\\](){}\":,#_;\\\\ a-z0-9\n-]{0,80}".prop_map(String::into_bytes),
        "(\\{:process [0-3], :type :(invoke|ok|fail|info), :f :(read|cas), :value (nil|[0-9]|\\[1 2\\])\\}\n?){0,6}"
            .prop_map(String::into_bytes),
        "(INFO jepsen.util - [0-2]\t:(invoke|ok|fail|info)\t:(read|write)\t(nil|[0-9]|:timed-out)\n){0,6}"
            .prop_map(String::into_bytes),
        "# stack\n((push|pop) -?[0-9] [0-9] [0-9]\n){0,4}".prop_map(String::into_bytes),
        "\\[?(\\{\"ClientId\":[0-2],\"Kind\":[0-2],\"Value\":[0-9],\"Id\":[0-3]\\},?){0,4}\\]?".prop_map(String::into_bytes),
        "\\[?(\\{\"ClientId\":[0-2],\"Input\":[0-9],\"Call\":[0-9],\"Output\":[0-9],\"Return\":[0-9]\\},?){0,4}\\]?"
            .prop_map(String::into_bytes),
        "(\\{\"(thread|op|start|end|args|omnilink)\":[0-9\"\\[\\{][0-9]?[\\]\\}]?[,\\}]?\n?){0,4}".prop_map(String::into_bytes),
        prop::collection::vec(operation(), 1..4).prop_map(|operations| {
            operations.iter().flat_map(omnilink_trace::msgpack_record).collect()
        }),
    ]
}

fn read_to_the_end(bytes: &[u8], format: Option<Format>) {
    let options = OpenOptions::new().with_format(format);
    if let Ok(trace) = Trace::from_bytes("arbitrary", bytes, &options) {
        for operation in trace {
            let _ = operation.map_err(|error| error.to_string());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_reader_panics_on_any_bytes(bytes in bytes()) {
        read_to_the_end(&bytes, None);
        for format in Format::ALL {
            read_to_the_end(&bytes, Some(format));
        }
    }

    #[test]
    fn no_reader_panics_on_a_damaged_trace(
        bytes in bytes(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = bytes;
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        read_to_the_end(&bytes, None);
    }
}
