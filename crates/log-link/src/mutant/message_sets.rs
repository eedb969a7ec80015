//! Sets of messages: steps on different messages are independent, and a message that is lost is missed by nobody, unless somebody asks.

use super::Mutant;
use super::tests::{Subject, is_caught, only_the_mutant_is_caught};

/// Messages with a term that the log does not tell where they are sent. `MORE` is in the next-state relation.
const NET: &str = r#"---- MODULE Spec ----
EXTENDS Naturals, FiniteSets
VARIABLES msgs, term, got
vars == <<msgs, term, got>>
Node == {"a", "b", "c"}
Message(f, n, t) == [from |-> f, to |-> n, term |-> t]
Init == msgs = {} /\ term = [n \in Node |-> 0] /\ got = [n \in Node |-> 0]
Tick(n) == term[n] < 2 /\ term' = [term EXCEPT ![n] = @ + 1] /\ UNCHANGED <<msgs, got>>
Send(n, m) == msgs' = msgs \cup {Message(n, m, term[n])} /\ UNCHANGED <<term, got>>
Recv(n, f, t) == /\ Message(f, n, t) \in msgs
                 /\ msgs' = msgs \ {Message(f, n, t)}
                 /\ got' = [got EXCEPT ![n] = t]
                 /\ UNCHANGED term
See(n, f) == Message(f, n, term[n]) \in msgs /\ UNCHANGED vars
Learn(n) == \E m \in msgs : m.to = n /\ term' = [term EXCEPT ![n] = m.term] /\ UNCHANGED <<msgs, got>>
Take(n) == \E m \in {x \in msgs : x.to = n} : msgs' = msgs \ {m} /\ UNCHANGED <<term, got>>
Miss(n, f, t) == Message(f, n, t) \notin msgs /\ UNCHANGED vars
Empty(n) == msgs = {} /\ UNCHANGED vars
Many(n) == Cardinality(msgs) > 1 /\ UNCHANGED vars
Calm(n) == (IF \E m \in msgs : m.to = n THEN got[n] = 9 ELSE TRUE) /\ UNCHANGED vars
Keep(n) == msgs' = {m \in msgs : m.to # n} /\ UNCHANGED <<term, got>>
Swap(n) == msgs' = {Message(n, n, 0)} \ msgs /\ UNCHANGED <<term, got>>
Lose == \E m \in msgs : msgs' = msgs \ {m} /\ UNCHANGED <<term, got>>
Drop(m) == m \in msgs /\ msgs' = msgs \ {m} /\ UNCHANGED <<term, got>>
Next == \/ \E n \in Node : Tick(n) \/ Learn(n) \/ Take(n) MORE
        \/ \E n, m \in Node : Send(n, m) \/ See(n, m)
        \/ \E n, f \in Node, t \in 0..2 : Recv(n, f, t) MISS
        \/ Lose
        \/ \E m \in msgs : Drop(m)
===="#;

fn net(more: &str, miss: &str) -> String {
    NET.replace("MORE", more).replace("MISS", miss)
}

/// Random logs of three nodes, each with its own order.
fn logs(seed: u64, count: usize, events: &[&str], tells_messages: bool) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let log = |_| {
        let mut own = [0u32; 3];
        let lines = (0..random.usize(3..8)).map(|_| {
            let at = random.usize(0..3);
            own[at] += 1;
            let clock = own[at];
            let (node, other) = (["a", "b", "c"][at], ["a", "b", "c"][random.usize(0..3)]);
            let event = events[random.usize(0..events.len())];
            let term = random.u32(0..2);
            let args = match event {
                "Recv" | "Miss" => format!("\"{node}\",\"{other}\",{term}"),
                "Send" | "See" => format!("\"{node}\",\"{other}\""),
                _ => format!("\"{node}\""),
            };
            let told = if tells_messages && random.u8(0..4) == 0 {
",\"state\":{\"msgs\":[]}"
} else {
""
};
            format!("{{\"node\":\"{node}\",\"clock\":{{\"{node}\":{clock}}},\"event\":\"{event}\",\"args\":[{args}]{told}}}\n")
        });
        lines.collect()
    };
    (0..count).map(log).collect()
}

const LOSE: &str = "[[log.hidden]]\naction = \"Lose\"\nbound = 1\n";
const DROP: &str = "[[log.hidden]]\naction = \"Drop\"\nbound = 2\n";
const POSITIVE: [&str; 7] = ["Tick", "Send", "Send", "Recv", "See", "Learn", "Take"];

#[test]
fn messages_that_are_known_in_part_are_told_apart_by_what_is_known() {
    let spec = net("", "");
    let subject = Subject {
        spec: &spec,
        link: "",
    };
    let logs = logs(5, 120, &POSITIVE, false);
    assert!(only_the_mutant_is_caught(
        Mutant::IgnorePartialElements,
        &subject,
        &logs
    ));
}

#[test]
fn nobody_misses_a_message_that_nobody_asks_for() {
    let spec = net("", "");
    for link in [LOSE, DROP] {
        let subject = Subject { spec: &spec, link };
        assert!(
            !is_caught(None, &subject, &logs(6, 50, &POSITIVE, false)),
            "{link}"
        );
    }
}

#[test]
fn a_message_whose_absence_matters_may_be_lost() {
    for (more, miss, event) in [
        ("", r"\/ Miss(n, f, t)", "Miss"),
        (r"\/ Empty(n)", "", "Empty"),
        (r"\/ Calm(n)", "", "Calm"),
        (r"\/ Swap(n)", "", "Swap"),
    ] {
        let spec = net(more, miss);
        let mut events = POSITIVE.to_vec();
        events.extend([event; 3]);
        let subject = Subject {
            spec: &spec,
            link: LOSE,
        };
        // The node's own order says that what must be missing was sent before.
        let line = |clock: u32, event: &str, args: &str| {
            format!(
                "{{\"node\":\"a\",\"clock\":{{\"a\":{clock}}},\"event\":\"{event}\",\"args\":[{args}]}}\n"
            )
        };
        let lost = match event {
            "Miss" => line(1, "Send", "\"a\",\"b\"") + &line(2, "Miss", "\"b\",\"a\",0"),
            "Swap" => {
                line(1, "Send", "\"a\",\"a\"") + &line(2, "Swap", "\"a\"") + &line(3, "See", "\"a\",\"a\"")
            }
            _ => line(1, "Send", "\"b\",\"a\"") + &line(2, event, "\"a\""),
        };
        let mut logs = logs(7, 30, &events, false);
        logs.push(lost);
        assert!(
            only_the_mutant_is_caught(Mutant::LoseWhatIsMissed, &subject, &logs),
            "{event}"
        );
    }
    for more in [r"\/ Many(n)", r"\/ Keep(n)"] {
        let spec = net(more, "");
        let events = [POSITIVE.as_slice(), &["Many"; 2], &["Keep"; 2]].concat();
        let events: Vec<&str> = events
            .into_iter()
            .filter(|event| match *event {
                "Many" | "Keep" => more.contains(event),
                _ => true,
            })
            .collect();
        let subject = Subject {
            spec: &spec,
            link: LOSE,
        };
        assert!(!is_caught(None, &subject, &logs(8, 30, &events, false)), "{more}");
    }
}

#[test]
fn a_message_that_the_log_tells_of_may_be_lost() {
    let spec = net("", "");
    let subject = Subject {
        spec: &spec,
        link: LOSE,
    };
    let mut logs = logs(9, 30, &POSITIVE, true);
    // What was sent is gone, says the log.
    logs.push(
        "{\"node\":\"a\",\"clock\":{\"a\":1},\"event\":\"Send\",\"args\":[\"a\",\"b\"]}\n\
         {\"node\":\"a\",\"clock\":{\"a\":2},\"event\":\"Tick\",\"args\":[\"a\"],\"state\":{\"msgs\":[]}}\n"
            .to_owned(),
    );
    assert!(only_the_mutant_is_caught(
        Mutant::LoseWhatIsLogged,
        &subject,
        &logs
    ));
}

#[test]
fn formulas_of_the_link_file_and_invariants_may_ask_for_messages() {
    let spec = net("", "");
    for link in [
        "[log.events.See]\naction = \"See\"\nrequires = 'msgs = {} \\/ term[node] > 0'\n",
        "[log.events.Tick]\nensures = \"Cardinality(msgs') < 2\"\n",
    ] {
        let link = format!("{link}{LOSE}");
        let subject = Subject {
            spec: &spec,
            link: &link,
        };
        assert!(
            !is_caught(None, &subject, &logs(10, 40, &POSITIVE, false)),
            "{link}"
        );
    }
    let link = format!("invariants = ['Cardinality(msgs) < 2']\n{LOSE}");
    let subject = Subject {
        spec: &spec,
        link: &link,
    };
    assert!(!is_caught(None, &subject, &logs(11, 40, &POSITIVE, false)));
}
