//! A client that writes and reads lines of JSON.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// No answer takes this long, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server and the conversation with it.
pub struct Client {
    pub server: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Client {
    /// Starts a server in a folder, and says hello.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_in(folder, arguments, &std::env::temp_dir())
    }

    /// The same with another folder for temporary files.
    pub fn start_in(folder: &Path, arguments: &[&str], temporary: &Path) -> Self {
        let mut client = Self::silent_in(folder, arguments, temporary);
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let welcome = client.ask("initialize", hello);
        assert_eq!(welcome["result"]["serverInfo"]["name"], "omnilink", "{welcome}");
        client.tell("notifications/initialized", json!({}));
        client
    }

    /// Starts a server and says nothing.
    fn silent_in(folder: &Path, arguments: &[&str], temporary: &Path) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_omnilink"))
            .arg("mcp")
            .args(arguments)
            .current_dir(folder)
            .env("OMNILINK_TEST_SECRET", "s3cret")
            .env("TMPDIR", temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| send.send(line))
        });
        Self {
            stdin: server.stdin.take(),
            server,
            lines,
            next: 0,
        }
    }

    pub fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the client has not left");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).unwrap();
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request, and gives its number.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.write(&request.to_string());
        self.next
    }

    /// The next message of the server.
    pub fn message(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The answer to the request of this number, and what came before it.
    pub fn answer(&mut self, number: u64) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.message();
            if message["id"] == number {
                return (message, before);
            } else {
                before.push(message)
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let number = self.send(method, params);
        self.answer(number).0
    }

    /// The result of a tool: whether it is an error, its text, and what it is as data.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Called {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result.is_object(), "{answer}");
        Called {
            is_error: result["isError"] == true,
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            data: result["structuredContent"].clone(),
        }
    }

    /// Says nothing more.
    pub fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Leaves, and waits for the server to end.
    pub fn leave(&mut self) -> i32 {
        self.stdin = None;
        for _ in 0..PATIENCE.as_millis() / 20 {
            if let Some(status) = self.server.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server does not end");
    }

    /// The processes that the server has started and that still run.
    pub fn processes(&self) -> Vec<u32> {
        let id = self.server.id();
        let mut found = Vec::new();
        for thread in std::fs::read_dir(format!("/proc/{id}/task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(
                children
                    .split_whitespace()
                    .filter_map(|child| child.parse::<u32>().ok()),
            );
        }
        found
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What a tool answered.
#[derive(Debug)]
pub struct Called {
    pub is_error: bool,
    pub text: String,
    pub data: Value,
}

impl Called {
    pub fn verdict(&self) -> &str {
        self.data["verdict"].as_str().unwrap_or_default()
    }
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..PATIENCE.as_millis() / 20 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}");
}
