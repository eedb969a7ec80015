//! The server: only its own pages, only to who knows the token, until the page is closed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use omnilink_view::{Response, Scene, Server, Story, html};

use crate::browser::Browser;
use crate::samples::map;

/// Status line and body of the answer to a request.
fn ask(url: &str, method: &str, path: &str, host: Option<&str>) -> (String, String) {
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split('/').next())
        .expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let host = host.unwrap_or(address);
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (
        head.lines().next().unwrap_or_default().to_owned(),
        body.to_owned(),
    )
}

/// Serves `page` while `visit` runs.
fn serving(visit: impl FnOnce(&str)) {
    let server = Server::start(0).expect("a port");
    let url = server.url();
    let is_stopped = AtomicBool::new(false);
    let page = |path: &str| {
        (path.is_empty() || path == "run/1").then(|| Response {
            html: format!("page {path}"),
        })
    };
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(page, || is_stopped.load(Ordering::Relaxed)));
        visit(&url);
        is_stopped.store(true, Ordering::Relaxed);
    });
}

#[test]
fn only_its_own_pages_are_served_and_only_with_the_token() {
    serving(|url| {
        let token = url.trim_end_matches('/').rsplit('/').next().expect("a token");
        assert!(url.starts_with("http://127.0.0.1:") && token.len() == 32, "{url}");
        let get = |path: &str| ask(url, "GET", path, None);
        assert_eq!(
            get(&format!("/{token}/")),
            ("HTTP/1.1 200 OK".to_owned(), "page ".to_owned())
        );
        assert_eq!(get(&format!("/{token}/run/1")).1, "page run/1");
        for path in [
            "/",
            "/etc/passwd",
            "/../../etc/passwd",
            &format!("/{token}"),
            &format!("/{}/", "0".repeat(32)),
        ] {
            assert_eq!(
                get(path),
                ("HTTP/1.1 404 Not Found".to_owned(), String::new()),
                "{path}"
            );
        }
        assert_eq!(
            get(&format!("/{token}/../../etc/passwd")).0,
            "HTTP/1.1 404 Not Found"
        );
        // A name that another site has rebound to this machine.
        let rebound = ask(url, "GET", &format!("/{token}/"), Some("evil.example"));
        assert_eq!(rebound.0, "HTTP/1.1 404 Not Found");
        assert_eq!(
            ask(url, "PUT", &format!("/{token}/"), None).0,
            "HTTP/1.1 404 Not Found"
        );
    });
}

#[test]
fn strange_requests_do_not_end_it() {
    serving(|url| {
        let address = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next())
            .expect("an address");
        for bytes in [
            b"\r\n\r\n".as_slice(),
            b"GET\r\n\r\n",
            b"\xff\xfe\r\n\r\n",
            &[b'x'; 40_000],
        ] {
            let mut stream = TcpStream::connect(address).expect("it listens");
            let _ = stream.write_all(bytes);
        }
        let token = url.trim_end_matches('/').rsplit('/').next().expect("a token");
        assert_eq!(ask(url, "GET", &format!("/{token}/"), None).0, "HTTP/1.1 200 OK");
    });
}

#[test]
fn clients_that_say_nothing_keep_nobody_waiting() {
    serving(|url| {
        let address = url
            .trim_start_matches("http://")
            .split('/')
            .next()
            .expect("an address");
        let silent: Vec<TcpStream> = (0..8)
            .map(|_| TcpStream::connect(address).expect("it listens"))
            .collect();
        let token = url.trim_end_matches('/').rsplit('/').next().expect("a token");
        let before = std::time::Instant::now();
        for _ in 0..3 {
            assert_eq!(ask(url, "GET", &format!("/{token}/"), None).1, "page ");
        }
        // Each of them is let go after two seconds.
        assert!(before.elapsed() < std::time::Duration::from_secs(2 * silent.len() as u64));
    });
}

#[test]
fn it_ends_when_the_page_is_closed() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let server = Server::start(0).expect("a port");
    let url = server.url();
    let scene = Scene {
        title: "served".to_owned(),
        live: true,
        stories: Story::of_evidence(&map()),
        ..Scene::default()
    };
    let page = html(&scene);
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            server.serve(
                |path| path.is_empty().then(|| Response { html: page.clone() }),
                || false,
            )
        });
        browser.visit(&url);
        assert!(browser.text().contains("no order explains range(2, 11) = 9"));
        browser.assert_no_complaints();
        browser.call("Page.navigate", serde_json::json!({"url": "about:blank"}));
        serving.join().expect("it ends");
    });
}
