//! Specifications in several styles.

use std::path::{Path, PathBuf};

use omnilink_gen::{HarnessPlan, PlanOptions};
use omnilink_link::{LinkFile, LinkOptions};

/// A queue without a next-state relation: names say it all.
pub const QUEUE: &str = r"---- MODULE Queue ----
EXTENDS Sequences
CONSTANT Nothing
VARIABLE queue
Init == queue = <<>>
Put(item) == queue' = Append(queue, item)
Take(result) ==
    \/ queue = <<>> /\ result = Nothing /\ UNCHANGED queue
    \/ queue # <<>> /\ result = Head(queue) /\ queue' = Tail(queue)
====";

/// Results without names, several results, model values, records, a compare-and-set, a lock.
pub const BANK: &str = r#"---- MODULE Bank ----
EXTENDS Integers, Sequences
CONSTANTS Accounts, NoOne
VARIABLES balance, log, holder
vars == <<balance, log, holder>>
Init == balance = [a \in Accounts |-> 10] /\ log = <<>> /\ holder = NoOne
Deposit(acc, amount) == balance' = [balance EXCEPT ![acc] = @ + amount] /\ UNCHANGED <<log, holder>>
Withdraw(acc, amount, done) ==
    /\ done = (balance[acc] >= amount)
    /\ balance' = IF done THEN [balance EXCEPT ![acc] = @ - amount] ELSE balance
    /\ UNCHANGED <<log, holder>>
Read(acc, found, amount) == found = (balance[acc] > 0) /\ amount = balance[acc] /\ UNCHANGED vars
Lock(who) == holder = NoOne /\ holder' = who /\ UNCHANGED <<balance, log>>
Note(entry) == log' = Append(log, entry) /\ UNCHANGED <<balance, holder>>
Cas(acc, old, new, ok) ==
    \/ balance[acc] = old /\ ok /\ balance' = [balance EXCEPT ![acc] = new] /\ UNCHANGED <<log, holder>>
    \/ balance[acc] # old /\ ~ok /\ UNCHANGED vars
delete == UNCHANGED vars
Internal == UNCHANGED vars
Next == \/ \E a \in Accounts : \/ \E m \in {1, 2, 5} : Deposit(a, m) \/ \E d \in BOOLEAN : Withdraw(a, m, d)
                               \/ \E f \in BOOLEAN, m \in 0..100 : Read(a, f, m)
                               \/ \E o, n \in 0..20, k \in BOOLEAN : Cas(a, o, n, k)
        \/ \E p \in {"alice", "bo\"b"} : Lock(p)
        \/ \E e \in [id : 1..2, tags : {<<>>, <<"x">>}] : Note(e)
        \/ delete
====
"#;
pub const BANK_CONFIG: &str = "CONSTANTS Accounts = {a1, a2, a3}\nNoOne = NoOne\nINIT Init\nNEXT Next\n";

/// Bulk operations in steps, an action that a link file renames, one that it hides.
pub const BULK: &str = r"---- MODULE Bulk ----
EXTENDS Naturals, Sequences
VARIABLES queue, taken
Init == queue = <<>> /\ taken = <<>>
PutAll_Step(items) == queue' = queue \o items /\ UNCHANGED taken
PutAll_Done(items) == Len(items) > 0 /\ UNCHANGED <<queue, taken>>
Insert(x) == x \in Nat /\ queue' = Append(queue, x) /\ UNCHANGED taken
Crash == queue' = <<>> /\ UNCHANGED taken
====";
pub const BULK_LINK: &str =
    "[ops.push]\naction = \"Insert\"\nfields = { x = \"value\" }\n\n[[hidden]]\naction = \"Crash\"\n";

/// Writes a specification into a folder.
pub fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(format!("{name}.tla"));
    std::fs::write(&path, text).expect("the file is written");
    path
}

pub fn options(config: Option<PathBuf>, link: &str) -> PlanOptions {
    PlanOptions {
        link: LinkOptions {
            config,
            file: LinkFile::parse(link).expect("a link file"),
            ..LinkOptions::default()
        },
        link_text: link.to_owned(),
        ..PlanOptions::default()
    }
}

/// The plan for the bank, with its configuration.
pub fn bank(folder: &Path) -> HarnessPlan {
    let spec = written(folder, "Bank", BANK);
    let config = folder.join("Bank.cfg");
    std::fs::write(&config, BANK_CONFIG).expect("the file is written");
    HarnessPlan::read(&spec, &options(Some(config), "")).expect("a plan")
}
