//! `--live`: the page of a run under way, asked by a plain client.

use crate::support::Sandbox;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A beam that bends for some seconds.
const BEAM: &str = "
[time]
step = 0.002
steps = 400
[output]
every = 5
[[body]]
name = 'beam'
box = { divisions = [8, 3, 3], size = [0.6, 0.2, 0.2] }
material = { young = 2e5 }
pins = [{ within = [[-0.01, -1, -1], [0.01, 1, 1]] }]
";

/// Starts a command; returns it with the number of its port.
fn start(mut command: Command) -> (Child, u16) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let port = line.trim().strip_prefix("live: http://127.0.0.1:");
    let port = port.unwrap_or_else(|| panic!("{line}"));
    let port = port.strip_suffix('/').unwrap().parse().unwrap();
    // Later lines must not fill the pipe.
    std::thread::spawn(move || lines.read_to_string(&mut String::new()));
    (child, port)
}

/// Sends a question and returns the whole answer, `None` if the program has ended.
fn answer(port: u16, question: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.write_all(question.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Returns the body of an answer that succeeds.
fn get(port: u16, path: &str) -> Option<String> {
    let question = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let text = answer(port, &question)?;
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
    let length = format!("Content-Length: {}\r\n", body.len());
    assert!(head.contains(&length), "{path}: {head}");
    Some(body.to_owned())
}

fn state(port: u16) -> Option<Value> {
    Some(serde_json::from_str(&get(port, "/state")?).unwrap())
}

#[test]
fn a_page_shows_progress_frames_and_the_end() {
    let b = Sandbox::new();
    b.put("beam.toml", BEAM);
    let (mut child, port) = start(b.command("simulate beam.toml --engine cpu --live"));
    let page = get(port, "/").unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("fetch('state'"),
        "{page}"
    );

    let (mut frames, mut stages) = (Vec::new(), Vec::new());
    let start = Instant::now();
    let last = loop {
        let now = state(port).expect("the end is told before the program ends");
        assert_eq!(now["command"], "simulate");
        if let Some(name) = now["stage"]["name"]
            .as_str()
            .filter(|n| !stages.contains(&n.to_string()))
        {
            stages.push(name.to_owned());
        }
        let number = now["frame"]["number"].as_u64().unwrap_or(0);
        if number > frames.last().copied().unwrap_or(0) {
            frames.push(number);
            let mesh = get(port, "/mesh?any").unwrap();
            assert!(mesh.contains("id=\"head\"") && mesh.contains("id=\"data\""));
        }
        if now["end"].is_string() {
            break now;
        }
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(stages.contains(&"moving".to_owned()), "{stages:?}");
    assert!(frames.len() > 2, "{frames:?}");
    let end = last["end"].as_str().unwrap();
    assert!(end.contains("400 steps of 0.002 s"), "{end}");
    assert_eq!(last["frame"]["name"], "step 400, 0.800 s");
    assert!(child.wait().unwrap().success());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

/// Clients that say nothing, or take nothing, neither stop the work nor change it.
#[test]
fn slow_clients_do_not_stop_the_work() {
    let b = Sandbox::new();
    b.put("beam.toml", BEAM);
    let flags = "simulate beam.toml --steps 60 --engine cpu --checkpoint";
    b.ok(&format!("{flags} alone.bin"));
    let (mut child, port) = start(b.command(&format!("{flags} watched.bin --live")));
    let clients: Vec<TcpStream> = (0..40)
        .filter_map(|i| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
            let question = match i % 3 {
                0 => String::new(),
                1 => "GET / HTT".to_owned(),
                _ => format!("GET /mesh HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"),
            };
            stream.write_all(question.as_bytes()).ok()?;
            Some(stream)
        })
        .collect();
    assert!(!clients.is_empty());
    let start = Instant::now();
    assert!(child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(60));
    let bytes = |name: &str| std::fs::read(b.path().join(name)).unwrap();
    assert!(bytes("alone.bin") == bytes("watched.bin"));
}

#[test]
fn others_are_refused() {
    let b = Sandbox::with_data();
    b.put("beam.toml", BEAM);
    let (mut child, port) = start(b.command("simulate beam.toml --engine cpu --live"));
    for (question, want) in [
        ("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "403"),
        ("GET / HTTP/1.1\r\n\r\n", "403"),
        ("POST / HTTP/1.1\r\nHost: HERE\r\n\r\n", "405"),
        ("GET /../beam.toml HTTP/1.1\r\nHost: HERE\r\n\r\n", "404"),
        ("GET /beam.toml HTTP/1.1\r\nHost: HERE\r\n\r\n", "404"),
        ("\u{0}\u{1}\r\n\r\n", "400"),
    ] {
        let question = question.replace("HERE", &format!("127.0.0.1:{port}"));
        let text = answer(port, &question).unwrap();
        assert!(
            text.starts_with(&format!("HTTP/1.1 {want} ")),
            "{question}: {text}"
        );
    }
    // More than a question may have is not read.
    let long = format!("GET / HTTP/1.1\r\nA: {}", "a".repeat(1 << 20));
    assert_eq!(answer(port, &long), None);
    child.kill().unwrap();
    child.wait().unwrap();

    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let why = b.fails(&format!("smooth data/bunny.obj -o a.obj --live={port}"));
    assert!(why.contains(&port.to_string()), "{why}");
    assert!(
        b.misused("smooth data/bunny.obj --live=70000")
            .contains("70000")
    );
}

/// The page has the input, frames and then the result of commands that change a mesh.
#[test]
fn every_command_has_a_page() {
    let b = Sandbox::with_data();
    let args = "track data/sphere.ply --frames 2000 -o flow.ply --engine cpu --live";
    let (mut child, port) = start(b.command(args));
    let start = Instant::now();
    let mut names = Vec::new();
    loop {
        let now = state(port).expect("the end is told before the program ends");
        if let Some(name) = now["frame"]["name"]
            .as_str()
            .filter(|n| !names.contains(&n.to_string()))
        {
            names.push(name.to_owned());
            get(port, "/mesh").unwrap();
        }
        if now["end"].is_string() {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(names.last().unwrap(), "flow.ply", "{names:?}");
    assert!(names.iter().any(|n| n.starts_with("frame ")), "{names:?}");
}
