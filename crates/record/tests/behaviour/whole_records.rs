//! At every moment the file is whole records and a tail that cannot be taken for one.

use std::{fs, path::PathBuf};

use omnilink_record::{Backing, Record, RecordOptions, ValueSlot, Written};

use crate::decoder::{decode, listed};

/// Reads the file while it is being recorded itself: what it sees is what a crash at that moment would leave.
struct Spy<'a> {
    file: &'a PathBuf,
    expected: &'a str,
}

impl Spy<'_> {
    fn look(&self) {
        let bytes = fs::read(self.file).unwrap();
        assert_eq!(listed(&bytes), self.expected);
        let tail = &bytes[decode(&bytes).whole_bytes..];
        assert!(
            matches!(tail.first(), None | Some(0 | 0xa0..=0xbf)),
            "a tail that begins with {:#x}",
            tail[0]
        );
    }
}

impl Record for Spy<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.items(|items| {
            self.look();
            // Bytes that would be whole records if somebody looked for them here.
            items.item(&[-128i64 + 4, 0]);
            self.look();
        })
    }
}

#[test]
fn wherever_the_process_dies() {
    for backing in [Backing::Mapped, Backing::Written] {
        let directory = tempfile::tempdir().unwrap();
        let recorder = RecordOptions::new()
            .backing(backing)
            .chunk_bytes(4 << 10)
            .create(directory.path())
            .unwrap();
        let mut log = recorder.thread(0).unwrap();
        let file = &directory.path().join("0000-0.msgpack");
        let spy = |expected| Spy { file, expected };
        spy("").look();
        let call = log.call("a").arg("value", spy(""));
        spy("").look();
        let open = call.begin();
        spy("0 a{value:[[-124,0]]} pending").look();
        open.end(spy("0 a{value:[[-124,0]]} pending"));
        spy("0 a{value:[[-124,0]]} = [[-124,0]]").look();

        let never = log.call("never").arg("value", "long ".repeat(50));
        spy("0 a{value:[[-124,0]]} = [[-124,0]]").look();
        drop(never);
        log.call("b").begin().end(());
        spy("0 a{value:[[-124,0]]} = [[-124,0]]\n0 b{}").look();
        drop(log);
        spy("0 a{value:[[-124,0]]} = [[-124,0]]\n0 b{}").look();
    }
}
