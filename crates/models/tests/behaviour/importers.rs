//! Small histories in the formats of other tools, from the text to the verdict.

use crate::common::check_text;

#[track_caller]
fn expect(spec: &str, is_valid: bool, text: &str) {
    let outcome = check_text(spec, text).unwrap_or_else(|error| panic!("{spec}: {error}"));
    assert_eq!(outcome.conclusion.is_valid(), is_valid, "{spec}:\n{text}");
}

#[test]
fn jepsen_queue() {
    let history = |first: i64, second: i64| {
        format!(
            "{{:process 0, :type :invoke, :f :enqueue, :value 1}}
             {{:process 0, :type :ok, :f :enqueue, :value 1}}
             {{:process 1, :type :invoke, :f :enqueue, :value 2}}
             {{:process 1, :type :info, :f :enqueue, :value :timeout}}
             {{:process 2, :type :invoke, :f :dequeue, :value nil}}
             {{:process 2, :type :fail, :f :dequeue, :error :empty}}
             {{:process 2, :type :invoke, :f :dequeue, :value nil}}
             {{:process 2, :type :ok, :f :dequeue, :value {first}}}
             {{:process 2, :type :invoke, :f :drain, :value nil}}
             {{:process 2, :type :ok, :f :drain, :value [{second}]}}"
        )
    };
    expect("queue", true, &history(1, 2));
    expect("queue", false, &history(2, 1));
}

#[test]
fn jepsen_set_with_a_crashed_add() {
    let history = |read: &str| {
        format!(
            "[{{:process 0, :type :invoke, :f :add, :value 0}}
              {{:process 0, :type :ok, :f :add, :value 0}}
              {{:process 1, :type :invoke, :f :add, :value 1}}
              {{:process 1, :type :info, :f :add, :value 1}}
              {{:process 2, :type :invoke, :f :read, :value nil}}
              {{:process 2, :type :ok, :f :read, :value {read}}}]"
        )
    };
    expect("set", true, &history("#{0 1}"));
    expect("set", true, &history("[0]"));
    expect("set", false, &history("#{1}"));
    expect("set", false, &history("#{0 1 2}"));
}

#[test]
fn jepsen_counter() {
    let history = |count: i64| {
        format!(
            "{{:process 0, :type :invoke, :f :add, :value 5}}
             {{:process 1, :type :invoke, :f :read, :value nil}}
             {{:process 1, :type :ok, :f :read, :value {count}}}
             {{:process 0, :type :ok, :f :add, :value 5}}"
        )
    };
    expect("counter", true, &history(0));
    expect("counter", true, &history(5));
    expect("counter", false, &history(4));
}

#[test]
fn jepsen_bank() {
    let history = |read: &str| {
        format!(
            "{{:process 0, :type :invoke, :f :transfer, :value {{:from 0, :to 1, :amount 3}}}}
             {{:process 0, :type :ok, :f :transfer, :value {{:from 0, :to 1, :amount 3}}}}
             {{:process 1, :type :invoke, :f :read, :value nil}}
             {{:process 1, :type :ok, :f :read, :value {read}}}"
        )
    };
    expect("bank:balance=10", true, &history("{0 7, 1 13}"));
    expect("bank:balance=10", false, &history("{0 10, 1 13}"));
    expect("bank:accounts=0:10/1:0", true, &history("{0 7, 1 3}"));
}

#[test]
fn jepsen_mutex() {
    let history = "{:process 0, :type :invoke, :f :acquire, :value nil}
                   {:process 0, :type :ok, :f :acquire, :value nil}
                   {:process 1, :type :invoke, :f :acquire, :value nil}
                   {:process 1, :type :ok, :f :acquire, :value nil}
                   {:process 0, :type :invoke, :f :release, :value nil}
                   {:process 0, :type :ok, :f :release, :value nil}";
    expect("mutex", false, history);
    expect("semaphore:permits=2", true, history);
}

#[test]
fn jepsen_transactions_over_several_registers() {
    let history = |x: &str, y: &str| {
        format!(
            "{{:process 0, :type :invoke, :f :txn, :value [[:w :x 1] [:w :y 1]]}}
             {{:process 1, :type :invoke, :f :txn, :value [[:r :x nil] [:r :y nil]]}}
             {{:process 1, :type :ok, :f :txn, :value [[:r :x {x}] [:r :y {y}]]}}
             {{:process 0, :type :ok, :f :txn, :value [[:w :x 1] [:w :y 1]]}}"
        )
    };
    expect("multi-register", true, &history("1", "1"));
    expect("multi-register", true, &history("nil", "nil"));
    expect("multi-register", false, &history("1", "nil"));
}

#[test]
fn jepsen_text_log() {
    let log = |read: &str| {
        format!(
            "INFO  jepsen.util - 0\t:invoke\t:write\t1\n\
             INFO  jepsen.util - 0\t:ok\t:write\t1\n\
             INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\n\
             INFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n\
             INFO  jepsen.util - 2\t:invoke\t:read\tnil\n\
             INFO  jepsen.util - 2\t:ok\t:read\t{read}\n"
        )
    };
    expect("cas-register", true, &log("1"));
    expect("cas-register", true, &log("2"));
    expect("cas-register", false, &log("3"));
}

#[test]
fn porcupine_operations() {
    let store = |seen: &str| {
        format!(
            r#"[{{"ClientId":0,"Input":{{"Op":"put","Key":"x","Value":"a"}},"Call":0,"Output":{{"Value":""}},"Return":10}},
                {{"ClientId":1,"Input":{{"Op":"append","Key":"x","Value":"b"}},"Call":5,"Output":{{"Value":""}},"Return":15}},
                {{"ClientId":2,"Input":{{"Op":"get","Key":"x","Value":""}},"Call":20,"Output":{{"Value":"{seen}"}},"Return":25}}]"#
        )
    };
    expect("kv", true, &store("ab"));
    expect("kv", true, &store("a"));
    expect("kv", false, &store("b"));
    let register = |seen: i64| {
        format!(
            r#"[{{"ClientId":0,"Input":{{"op":"write","value":100}},"Call":0,"Output":0,"Return":10}},
                {{"ClientId":1,"Input":{{"op":"read","value":0}},"Call":11,"Output":{seen},"Return":20}}]"#
        )
    };
    expect("register:initial=0", true, &register(100));
    expect("register:initial=0", false, &register(0));
    let etcd = |ok: bool| {
        format!(
            r#"[{{"ClientId":0,"Input":{{"Op":"write","Arg1":3,"Arg2":0}},"Call":0,"Output":{{"Ok":true,"Exists":false,"Value":0,"Unknown":false}},"Return":10}},
                {{"ClientId":0,"Input":{{"Op":"cas","Arg1":3,"Arg2":4}},"Call":11,"Output":{{"Ok":{ok},"Exists":false,"Value":0,"Unknown":false}},"Return":20}}]"#
        )
    };
    expect("cas-register", true, &etcd(true));
    expect("cas-register", false, &etcd(false));
}

#[test]
fn what_a_number_stands_for_is_never_guessed() {
    let store = |put: &str, get: &str| {
        format!(
            r#"[{{"ClientId":0,"Input":{{"Op":{put},"Key":"x","Value":"a"}},"Call":0,"Output":{{"Value":""}},"Return":10}},
                {{"ClientId":1,"Input":{{"Op":{get},"Key":"x","Value":""}},"Call":15,"Output":{{"Value":"a"}},"Return":20}}]"#
        )
    };
    for (put, get) in [("0", "1"), ("1", "0"), ("false", "true"), ("-1", "7")] {
        let error = check_text("kv", &store(put, get)).expect_err("a code");
        assert!(error.contains(&format!("--ops {put}=NAME")), "{error}");
        let names = [(put, "put"), (get, "get")].map(|(code, name)| (code.to_owned(), name.into()));
        let options = omnilink_trace::OpenOptions::new().with_names(names.into_iter().collect());
        let bytes = store(put, get).into_bytes();
        let trace = omnilink_trace::Trace::from_bytes("text", bytes, &options).unwrap();
        let drawn: Vec<String> = trace
            .map(|operation| operation.unwrap().name.to_string())
            .collect();
        assert_eq!(drawn, ["put", "get"]);
    }
    assert!(check_text("kv", &store("\"put\"", "\"get\"")).is_ok());
}

#[test]
fn fastlin_sets_tell_what_succeeded() {
    expect(
        "set",
        true,
        "# set\ninsert 1 0 1\ncontains_true 1 2 3\nremove 1 4 5\ncontains_false 1 6 7\n",
    );
    expect("set", false, "# set\ninsert 1 0 1\nremove 1 2 3\nremove 1 4 5\n");
    expect("set", false, "# set\ninsert 1 0 1\ninsert 1 2 3\n");
    expect("set", false, "# set\ncontains_true 1 0 1\n");
    expect(
        "set",
        true,
        "# set\n2 0 2 CONTAINS 2 0\n0 0 4 INSERT 2 1\n1 1 5 CONTAINS 2 1\n",
    );
    expect(
        "semaphore:permits=0",
        false,
        "# semaphore\n0 0 2 INCR 1\n0 3 5 DECR 1\n1 0 4 DECR 1\n",
    );
    expect(
        "cas-register:initial=0",
        true,
        "# rmw\n0 1 10 READ_MODIFY_WRITE 0 2\n1 1 10 READ_MODIFY_WRITE 2 3\n",
    );
    expect(
        "queue",
        false,
        "# @object queue\n[1] call add(1)\n[1] return\n[2] call remove\n[2] return empty\n",
    );
}

#[test]
fn porcupine_events() {
    let history = |seen: i64| {
        format!(
            r#"[{{"ClientId":0,"Kind":"call","Value":{{"f":"write","value":1}},"Id":0}},
                {{"ClientId":1,"Kind":"call","Value":{{"f":"read"}},"Id":1}},
                {{"ClientId":1,"Kind":"return","Value":{seen},"Id":1}}]"#
        )
    };
    expect("register:initial=0", true, &history(0));
    expect("register:initial=0", true, &history(1));
    expect("register:initial=0", false, &history(2));
}

#[test]
fn fastlin_text() {
    expect(
        "stack",
        true,
        "# stack\npush 1 1 2\npush 2 3 4\npop 2 5 6\npeek 1 7 8\npop 1 9 10\npop -1 11 12\n",
    );
    expect("stack", false, "# stack\npush 1 1 2\npush 2 3 4\npop 1 5 6\n");
    expect(
        "queue",
        true,
        "# queue\nenq 1 1 2\nenq 2 3 4\npeek 1 5 6\ndeq 1 7 8\ndeq 2 9 10\ndeq -1 11 12\n",
    );
    expect("queue", false, "# queue\nenq 1 1 2\ndeq -1 3 4\n");
    expect(
        "priority-queue",
        true,
        "# priorityqueue\ninsert 1 1 2\ninsert 2 3 4\npoll 2 5 6\npeek 1 7 8\n",
    );
    expect(
        "priority-queue:first=least",
        false,
        "# priorityqueue\ninsert 1 1 2\ninsert 2 3 4\npoll 2 5 6\n",
    );
}
