//! Server of a page: the few lines of HTTP/1.1 (RFC 9112) that a browser needs.
//!
//! It listens on the loopback device alone, answers `GET` of three paths, and refuses names of other hosts, by which
//! pages of the network could ask for it (DNS rebinding). Each connection has one question and one answer, a thread,
//! and deadlines: one that is slow or silent is closed, and only a few are open at a time.

use super::state::LiveState;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Most connections at a time.
const MOST_CONNECTIONS: usize = 16;
/// Most bytes of a question.
const MOST_BYTES: usize = 8 << 10;
/// Longest time for a question, and for an answer.
const QUESTION: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(30);
/// Longest time that a read or write waits, after which the deadline is looked at.
const WAIT: Duration = Duration::from_millis(200);

/// The page round that of the mesh.
const SHELL: &str = include_str!("shell.html");

/// State of the run, and of the server.
#[derive(Debug)]
pub(super) struct LiveShared {
    port: u16,
    pub(super) state: Mutex<LiveState>,
    pub(super) is_over: AtomicBool,
    connections: AtomicUsize,
}

impl LiveShared {
    pub(super) fn new(port: u16, state: LiveState) -> LiveShared {
        LiveShared {
            port,
            state: Mutex::new(state),
            is_over: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Thread that takes connections.
#[derive(Debug)]
pub(super) struct LiveServer(Option<JoinHandle<()>>);

impl LiveServer {
    pub(super) fn start(listener: TcpListener, shared: &Arc<LiveShared>) -> Result<LiveServer> {
        let shared = Arc::clone(shared);
        let accept = move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                match stream {
                    Ok(stream) => begin(stream, &shared),
                    // Such as too many open files: not a reason to use a whole core.
                    Err(_) => thread::sleep(WAIT),
                }
            }
        };
        let thread = thread::Builder::new().name("live".into()).spawn(accept)?;
        Ok(LiveServer(Some(thread)))
    }

    /// Ends the thread. Connections that are open end by themselves, or with the program.
    pub(super) fn stop(&mut self, address: SocketAddr) {
        // The thread waits for a connection: this is one.
        let woken = TcpStream::connect_timeout(&address, WAIT).is_ok();
        if let Some(thread) = self.0.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

/// Answers a connection in a thread of its own.
fn begin(stream: TcpStream, shared: &Arc<LiveShared>) {
    if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
        shared.connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let own = Arc::clone(shared);
    let work = move || {
        // A client that goes away is no reason to fail.
        let _ = answer(stream, &own);
        own.connections.fetch_sub(1, Ordering::Relaxed);
    };
    if thread::Builder::new()
        .name("live".into())
        .spawn(work)
        .is_err()
    {
        shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Content of an answer.
enum LiveAnswer {
    Text(String),
    Page(u64, Arc<str>),
}

fn answer(mut stream: TcpStream, shared: &LiveShared) -> Result<()> {
    stream.set_read_timeout(Some(WAIT))?;
    stream.set_write_timeout(Some(WAIT))?;
    let Some(question) = read_question(&mut stream)? else {
        return Ok(());
    };
    let (status, kind, content) = match path_of(&question, shared.port) {
        Ok("/") => ("200 OK", "text/html", LiveAnswer::Text(SHELL.to_owned())),
        Ok("/state") => {
            let state = shared.state().told().to_string();
            ("200 OK", "application/json", LiveAnswer::Text(state))
        }
        Ok("/mesh") => match page(shared) {
            Some((number, page)) => ("200 OK", "text/html", LiveAnswer::Page(number, page)),
            None => plain("404 Not Found"),
        },
        Ok(_) => plain("404 Not Found"),
        Err(status) => plain(status),
    };
    let body = match &content {
        LiveAnswer::Text(text) => text.as_bytes(),
        LiveAnswer::Page(_, page) => page.as_bytes(),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    write_all(&mut stream, head.as_bytes())?;
    write_all(&mut stream, body)?;
    if let LiveAnswer::Page(number, _) = content {
        shared.state().fetched(number);
    }
    Ok(())
}

fn plain(status: &'static str) -> (&'static str, &'static str, LiveAnswer) {
    (
        status,
        "text/plain",
        LiveAnswer::Text(format!("{status}\n")),
    )
}

/// Returns the number and the page of the newest mesh; it is made outside of the lock.
fn page(shared: &LiveShared) -> Option<(u64, Arc<str>)> {
    let (frame, made) = shared.state().newest()?;
    let page = match made {
        Some(page) => page,
        None => {
            let page: Arc<str> = frame.page().unwrap_or_else(|why| why).into();
            shared.state().keep(frame.number, &page);
            page
        }
    };
    Some((frame.number, page))
}

/// Reads a question as far as its empty line; `None` if it is too long, too slow or not complete.
fn read_question(stream: &mut TcpStream) -> Result<Option<Vec<u8>>> {
    let start = Instant::now();
    let mut question = Vec::new();
    let mut part = [0; 1024];
    while !question.windows(4).any(|end| end == b"\r\n\r\n") {
        if question.len() > MOST_BYTES || start.elapsed() > QUESTION {
            return Ok(None);
        }
        match stream.read(&mut part) {
            Ok(0) => return Ok(None),
            Ok(n) => question.extend_from_slice(&part[..n]),
            Err(e) if is_wait(&e) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(Some(question))
}

/// Writes bytes, for as long as the client takes some and the time is not over.
fn write_all(stream: &mut TcpStream, mut bytes: &[u8]) -> Result<()> {
    let start = Instant::now();
    while !bytes.is_empty() {
        match stream.write(&bytes[..bytes.len().min(1 << 16)]) {
            Ok(n) => bytes = &bytes[n..],
            Err(e) if is_wait(&e) => {}
            Err(e) => return Err(e),
        }
        if start.elapsed() > ANSWER {
            return Err(ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

fn is_wait(e: &std::io::Error) -> bool {
    matches!(
        e.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// Returns the path of a question without its query; an error is the status of the answer.
fn path_of(question: &[u8], port: u16) -> std::result::Result<&str, &'static str> {
    let Ok(text) = std::str::from_utf8(question) else {
        return Err("400 Bad Request");
    };
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Err("400 Bad Request");
    };
    if !version.starts_with("HTTP/1.") || !path.starts_with('/') {
        return Err("400 Bad Request");
    }
    if method != "GET" {
        return Err("405 Method Not Allowed");
    }
    let host = lines.filter_map(|line| line.split_once(':'));
    let mut host = host.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let is_own =
        |(_, value): (&str, &str)| own.iter().any(|own| own.eq_ignore_ascii_case(value.trim()));
    if !host.next().is_some_and(is_own) || host.next().is_some() {
        return Err("403 Forbidden");
    }
    Ok(path.split('?').next().unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_other_hosts_are_refused() {
        let ask = |line: &str, host: &str| format!("{line}\r\nAccept: */*\r\n{host}\r\n\r\n");
        for (line, host, want) in [
            ("GET / HTTP/1.1", "Host: 127.0.0.1:8080", Ok("/")),
            (
                "GET /state?1 HTTP/1.0",
                "host: localhost:8080",
                Ok("/state"),
            ),
            (
                "GET / HTTP/1.1",
                "Host: example.org:8080",
                Err("403 Forbidden"),
            ),
            ("GET / HTTP/1.1", "Host: 127.0.0.1:81", Err("403 Forbidden")),
            ("GET / HTTP/1.1", "Cookie: a", Err("403 Forbidden")),
            (
                "GET / HTTP/1.1",
                "Host: localhost:8080\r\nHost: a",
                Err("403 Forbidden"),
            ),
            (
                "POST / HTTP/1.1",
                "Host: localhost:8080",
                Err("405 Method Not Allowed"),
            ),
            (
                "GET http://a/ HTTP/1.1",
                "Host: localhost:8080",
                Err("400 Bad Request"),
            ),
            ("GET /", "Host: localhost:8080", Err("400 Bad Request")),
            ("", "", Err("400 Bad Request")),
        ] {
            assert_eq!(
                path_of(ask(line, host).as_bytes(), 8080),
                want,
                "{line} {host}"
            );
        }
        assert!(path_of(b"GET /\xff HTTP/1.1\r\n\r\n", 1).is_err());
    }
}
