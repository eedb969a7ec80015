//! A server for one reader: on the loopback interface, behind a random token, with nothing but its own pages.
//!
//! Other users of the machine and pages of other sites must not read what is shown. So every address begins with a token that only
//! the reader is told, a request must name this host (against names that were rebound to 127.0.0.1), and no answer may be
//! used by another origin.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use thiserror::Error;

/// The longest request: an address and some headers.
const REQUEST_MAX: usize = 16 << 10;
/// A client that says nothing for this long is not waited for.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often to look for a request, and whether to end.
const INTERVAL: Duration = Duration::from_millis(20);
/// The most clients that are heard or answered at the same time: each has a thread.
const CLIENTS_MAX: usize = 64;
/// A page that was closed may have been reloaded: this long it may come back.
const RELOAD: Duration = Duration::from_secs(3);
/// Pages in the background report rarely.
const SILENCE: Duration = Duration::from_secs(150);

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServerError {
    /// No port can be had.
    #[error(
        "no page can be served on 127.0.0.1:{port}: {error}; name another --port, or write the page with --html FILE"
    )]
    Listen {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// What the system says.
        error: io::Error,
    },
    /// There is no randomness for a token.
    #[error("the system gives no random numbers: {0}; write the page with --html FILE")]
    Random(getrandom::Error),
}

/// A page for a reader.
#[derive(Debug)]
pub struct Response {
    /// The page, in HTML.
    pub html: String,
}

/// Serves pages until their reader closes them.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Listens on a port of the loopback interface, on any if it is 0.
    ///
    /// # Errors
    /// If the port is taken, or there is no randomness.
    pub fn start(port: u16) -> Result<Self, ServerError> {
        let listen = || -> io::Result<_> {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|error| ServerError::Listen { port, error })?;
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(ServerError::Random)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            listener,
            address,
            token,
        })
    }

    /// The address to open.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers requests until the last page is closed or `is_stopped`. `page` gives the page of a path below the token: of the
    /// empty path, and of what links on that page lead to.
    pub fn serve(&self, mut page: impl FnMut(&str) -> Option<Response>, is_stopped: impl Fn() -> bool) {
        let mut last_alive: Option<Instant> = None;
        let mut closed: Option<Instant> = None;
        // Each thread that hears or answers a client has a copy.
        let clients = Arc::new(());
        let (heard, requests) = channel();
        while !is_stopped() {
            while let Ok((stream, _)) = self.listener.accept() {
                if Arc::strong_count(&clients) <= CLIENTS_MAX {
                    hear(stream, heard.clone(), Arc::clone(&clients));
                }
            }
            if let Ok((stream, request)) = requests.recv_timeout(INTERVAL) {
                match self.answer(stream, &request, &mut page, Arc::clone(&clients)) {
                    Some(Event::Alive) => (last_alive, closed) = (Some(Instant::now()), None),
                    Some(Event::Closed) => closed = Some(Instant::now()),
                    None => {}
                }
            }
            let is_over =
                |since: Option<Instant>, limit: Duration| since.is_some_and(|since| since.elapsed() > limit);
            if is_over(closed, RELOAD) || is_over(last_alive, SILENCE) {
                return;
            }
        }
    }

    fn answer(
        &self,
        mut stream: TcpStream,
        request: &str,
        page: &mut impl FnMut(&str) -> Option<Response>,
        client: Arc<()>,
    ) -> Option<Event> {
        let (event, answer) = match self.path_of(request) {
            Some(("POST", "alive")) => (Some(Event::Alive), None),
            Some(("POST", "closed")) => (Some(Event::Closed), None),
            Some(("GET", path)) => (None, page(path)),
            _ => (None, None),
        };
        std::thread::spawn(move || {
            let (status, html) = match (&answer, event) {
                (Some(answer), _) => ("200 OK", answer.html.as_str()),
                (None, Some(_)) => ("204 No Content", ""),
                (None, None) => ("404 Not Found", ""),
            };
            // A client that disconnects in the middle of an answer is no error.
            let _ = respond(&mut stream, status, html);
            drop(client);
        });
        event
    }

    /// The method and the path below the token, if the request is one for this server.
    fn path_of<'r>(&self, request: &'r str) -> Option<(&'r str, &'r str)> {
        let mut lines = request.lines();
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let host = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then_some(value.trim())
        })?;
        let port = self.address.port();
        let is_here = [format!("127.0.0.1:{port}"), format!("localhost:{port}")]
            .iter()
            .any(|name| name == host);
        let path = target
            .strip_prefix('/')?
            .strip_prefix(&self.token)?
            .strip_prefix('/')?;
        is_here.then_some((method, path.split(['?', '#']).next().unwrap_or(path)))
    }
}

/// Reads the request of a client on a thread of its own: one that says nothing keeps nobody waiting.
fn hear(mut stream: TcpStream, heard: Sender<(TcpStream, String)>, client: Arc<()>) {
    std::thread::spawn(move || {
        let is_set = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(Some(CLIENT_TIMEOUT)))
            .and_then(|()| stream.set_write_timeout(Some(CLIENT_TIMEOUT * 10)));
        if is_set.is_ok()
            && let Some(request) = read_request(&mut stream)
        {
            // The server may have ended.
            let _ = heard.send((stream, request));
        }
        drop(client);
    });
}

/// What a page tells.
#[derive(Clone, Copy)]
enum Event {
    Alive,
    Closed,
}

/// The head of a request.
fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    let begun = Instant::now();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        // Also one that says a little now and then.
        if begun.elapsed() > CLIENT_TIMEOUT {
            return None;
        }
        let read = stream.read(&mut buffer).ok()?;
        if read == 0 || head.len() > REQUEST_MAX {
            return None;
        }
        head.extend_from_slice(&buffer[..read]);
    }
    String::from_utf8(head).ok()
}

fn respond(stream: &mut TcpStream, status: &str, html: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        html.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(html.as_bytes())?;
    stream.flush()
}
