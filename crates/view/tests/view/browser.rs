//! A real Chromium, driven through its debugging pipe.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use serde_json::{Value, json};

/// A browser with one page.
pub struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    number: u64,
    /// What the page complained about.
    pub complaints: Vec<String>,
    _folder: tempfile::TempDir,
}

/// Where screenshots are kept.
pub fn artefacts() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("view");
    std::fs::create_dir_all(&folder).expect("the folder of artefacts can be made");
    folder
}

impl Browser {
    /// Starts Chromium; `None`, with a word, where there is none.
    pub fn start() -> Option<Self> {
        let name = ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find(|name| {
                let found = Command::new(name)
                    .arg("--version")
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                found.is_ok_and(|status| status.success())
            });
        let Some(name) = name else {
            eprintln!("skipped: no Chromium here; install the package chromium to run the tests of the page");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo");
            path
        };
        let (input, output) = (pipe("in"), pipe("out"));
        let script = format!(
            "exec {name} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe \
             --user-data-dir={0}/profile --window-size=1440,900 about:blank 3<{0}/in 4>{0}/out",
            folder.path().display()
        );
        let process = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let to = OpenOptions::new()
            .write(true)
            .open(input)
            .expect("the pipe opens");
        let from = BufReader::new(File::open(output).expect("the pipe opens"));
        let mut browser = Self {
            process,
            to,
            from,
            session: String::new(),
            number: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser.size(1440, 900);
        Some(browser)
    }

    /// The size of the window.
    pub fn size(&mut self, width: u32, height: u32) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// A command of the protocol, and its answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("Chromium listens");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("Chromium answers");
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let is_bad = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error" || params["type"] == "warning",
            Some("Log.entryAdded") => {
                params["entry"]["level"] == "error" || params["entry"]["level"] == "warning"
            }
            _ => false,
        };
        if is_bad {
            self.complaints.push(params.to_string());
        }
    }

    /// Opens a file and waits until the page is ready.
    pub fn open(&mut self, page: &Path, fragment: &str) {
        self.visit(&format!("file://{}{fragment}", page.display()));
    }

    /// Opens an address and waits until the page is ready.
    pub fn visit(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for("document.documentElement?.dataset.ready");
        let ready = self.eval("document.documentElement.dataset.ready");
        assert_eq!(ready, "true", "{}", self.eval("document.body.innerText"));
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        for _ in 0..600 {
            let value = self.eval(&format!("Boolean({expression})"));
            if value == json!(true) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!(
            "waited for {expression} in vain; the page says: {}",
            self.eval("document.body.innerText")
        );
    }

    /// The value of an expression in the page. A promise is waited for.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// All text of the page.
    pub fn text(&mut self) -> String {
        self.frame();
        self.eval("document.body.innerText")
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until what was changed is drawn.
    pub fn frame(&mut self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /// Presses a key, as a person would.
    pub fn press(&mut self, key: &str) {
        let text = (key.chars().count() == 1).then_some(key);
        let mut down = json!({"type": "keyDown", "key": key});
        if let Some(text) = text {
            down["text"] = json!(text);
        }
        if key == "Enter" {
            down["text"] = json!("\r");
            down["windowsVirtualKeyCode"] = json!(13);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
        self.frame();
    }

    /// Clicks the element with a role and a text, as a person would find it.
    pub fn click(&mut self, selector: &str, text: &str, button: &str) {
        let found = self.eval(&format!(
            "(() => {{ const one = [...document.querySelectorAll({})].find((e) => (e.innerText ?? e.textContent).includes({}) || (e.getAttribute('aria-label') ?? '').includes({1})); \
             if (!one) return null; one.scrollIntoView({{block: 'center'}}); const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + Math.min(box.height / 2, 12)]; }})()",
            json!(selector),
            json!(text)
        ));
        let (Some(x), Some(y)) = (found[0].as_f64(), found[1].as_f64()) else {
            panic!("no {selector} says {text}; the page says: {}", self.text());
        };
        for kind in ["mousePressed", "mouseReleased"] {
            self.call(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}),
            );
        }
        self.frame();
    }

    /// Keeps a picture for people to look at.
    pub fn screenshot(&mut self, name: &str) {
        self.frame();
        let picture = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let data = picture["data"].as_str().expect("a picture");
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(data)
            .expect("base64");
        std::fs::write(artefacts().join(format!("{name}.png")), bytes).expect("the picture can be kept");
    }

    /// Nothing went wrong in the page.
    pub fn assert_no_complaints(&mut self) {
        self.frame();
        assert_eq!(self.complaints, Vec::<String>::new());
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It was started here, and nobody waits for it any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page says all of this.
pub fn assert_says(text: &str, all: &[&str]) {
    for expected in all {
        assert!(text.contains(expected), "{expected:?} is missing in: {text}");
    }
}
