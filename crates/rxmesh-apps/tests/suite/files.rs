//! Output files: default names and formats, links, signals, exhausted memory, data that a format cannot hold.

#![cfg(unix)]

use crate::support::{Sandbox, TRIANGLE, bunny};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Waits for something that a program does; ends the test when it never happens.
fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Returns the command with signals as a shell in the foreground leaves them: in the background, or under `nohup`, a
/// test inherits that some are ignored.
fn with_default_signals(of: &Command) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(of.get_program());
    command.args(of.get_args());
    for (key, value) in of.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    if let Some(path) = of.get_current_dir() {
        command.current_dir(path);
    }
    command
}

/// A program that writes one file after the other, so that a signal often finds one half done.
#[test]
fn a_signal_leaves_no_part_of_a_file() {
    for (signal, code) in [
        ("-INT", 130),
        ("-TERM", 143),
        ("-HUP", 129),
        ("-QUIT", 131),
        ("-XCPU", 152),
    ] {
        let b = Sandbox::new();
        b.ok("generate icosphere --levels 5 -o ball.ply -q");
        let track =
            "track ball.ply --frames 1000000 --speed 0.001 --sequence -o moved.ply -q --engine cpu";
        let mut child = with_default_signals(&b.command(track)).spawn().unwrap();
        let frames = || b.names().iter().filter(|n| n.starts_with("moved_")).count();
        wait_for("the program writes frames", || frames() >= 3);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let parts: Vec<String> = b
            .names()
            .into_iter()
            .filter(|n| n.ends_with(".part"))
            .collect();
        assert!(parts.is_empty(), "{parts:?}");
        // Frames that have their name are whole.
        let frames = b.names().into_iter().filter(|n| n.starts_with("moved_"));
        for name in frames.collect::<Vec<_>>().iter().rev().take(3) {
            b.ok(&format!("check {name} -q"));
        }
        assert!(!b.path().join("moved.ply").exists());
    }
}

/// Under `nohup` a program continues when its terminal closes.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_from_the_start_stays_ignored() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    let pipe = b.path().join("pipe.obj");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let program = env!("CARGO_BIN_EXE_rxmesh");
    let line = format!("trap '' HUP; exec {program} convert one.obj -o pipe.obj");
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(b.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    send("-HUP", &child);
    let written = fs::read_to_string(&pipe).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(written.contains("f 1 2 3"), "{written}");
}

/// A pipe without a reader blocks the program in its write.
#[test]
fn a_signal_ends_a_program_that_waits() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    let made = Command::new("mkfifo")
        .arg(b.path().join("pipe.obj"))
        .status();
    assert!(made.unwrap().success());
    let mut child = b
        .command("convert one.obj -o pipe.obj")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(b.names(), ["one.obj", "pipe.obj"]);
}

#[cfg(target_os = "linux")]
#[test]
fn out_of_memory_is_a_message_and_a_code() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 7 -o ball.ply -q");
    let program = env!("CARGO_BIN_EXE_rxmesh");
    let mut codes = Vec::new();
    // From hardly enough to start to enough for the file, but not for the mesh that is built from it. The length
    // of its file, symbols included, bounds what the program itself takes.
    let own = fs::metadata(program).unwrap().len() >> 20;
    for megabytes in [0, 10, 20, 30, 40, 50, 160].map(|more| own + more) {
        let kilobytes = megabytes * 1024;
        let line = format!(
            "ulimit -v {kilobytes}; exec {program} smooth ball.ply -o out.ply --engine cpu --threads 2 -q"
        );
        let out = Command::new("sh")
            .args(["-c", &line])
            .current_dir(b.path())
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        codes.push((megabytes, out.status.code(), said.to_string()));
        match out.status.code() {
            Some(0) => assert!(b.path().join("out.ply").exists()),
            Some(4) => {
                assert!(said.starts_with("error: out of memory while "), "{said}");
                assert_eq!(said.lines().count(), 1, "{said}");
            }
            // Threads, or reading the file as a whole, may be refused first.
            Some(1) => assert!(
                said.starts_with("error: ") && !said.contains("bug"),
                "{said}"
            ),
            other => panic!("{megabytes} MB: {other:?}: {said}"),
        }
        let _ = fs::remove_file(b.path().join("out.ply"));
        assert_eq!(b.names(), ["ball.ply"]);
    }
    assert!(codes.iter().any(|c| c.1 == Some(4)), "{codes:?}");
}

#[test]
fn the_default_output_has_the_inputs_format() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o ball.obj -q");
    for extension in ["ply", "off", "stl"] {
        b.ok(&format!("convert ball.obj -o ball.{extension} -q"));
        b.ok(&format!("smooth ball.{extension} -q"));
        assert!(b.names().contains(&format!("ball_smooth.{extension}")));
        b.ok(&format!("delaunay ball.{extension} -q"));
        assert!(b.names().contains(&format!("ball_delaunay.{extension}")));
    }
    // A name that says nothing: the content decides, as it does for reading.
    fs::copy(b.path().join("ball.ply"), b.path().join("scan.dat")).unwrap();
    b.ok("smooth scan.dat -q");
    assert!(b.names().contains(&"scan_smooth.ply".to_owned()));
    fs::copy(b.path().join("ball.off"), b.path().join("BALL2.OFF")).unwrap();
    b.ok("smooth BALL2.OFF -q");
    assert!(b.names().contains(&"BALL2_smooth.off".to_owned()));
}

#[test]
fn another_format_than_the_inputs_is_explained() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o ball.obj -q");
    b.ok("convert ball.obj -o ball.stl -q");
    let said = b.ok("geodesic ball.obj --source 0 --engine cpu");
    let line = said.lines().last().unwrap();
    assert!(line.starts_with("wrote ball_geodesic.ply (PLY, "), "{said}");
    assert!(
        line.ends_with(" bytes; OBJ holds no values of vertices)"),
        "{said}"
    );
    let r = b.record("normals ball.stl");
    assert_eq!(r["output"]["path"], "ball_normals.obj");
    assert_eq!(
        r["output"]["format_because"],
        "STL holds no normals of vertices"
    );
    let r = b.record("smooth ball.stl");
    assert!(r["output"]["format_because"].is_null());
    let message = b.fails("normals ball.obj -o flat.stl");
    assert!(
        message.contains("STL cannot hold normals of vertices"),
        "{message}"
    );
}

/// Meshes and records go through links in the same way, also where they dangle.
#[test]
fn links_stay_links() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    fs::create_dir(b.path().join("far")).unwrap();
    let links = [
        ("out.obj", "far/out.obj"),
        ("record.json", "far/record.json"),
    ];
    for (link, to) in links {
        symlink(to, b.path().join(link)).unwrap();
    }
    for _ in 0..2 {
        b.ok("smooth one.obj -o out.obj --json record.json -q");
    }
    for (link, to) in links {
        assert!(
            fs::symlink_metadata(b.path().join(link))
                .unwrap()
                .is_symlink()
        );
        assert!(b.path().join(to).is_file(), "{to}");
    }
    let names = fs::read_dir(b.path().join("far")).unwrap().count();
    assert_eq!(names, 2);
}

/// Somebody else may have put a link where the program chooses the name.
#[test]
fn names_that_nobody_typed_follow_no_links() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE).put("foreign", "precious");
    let links = [
        "one_smooth.obj",
        "one_repair.obj",
        "one.obj.rxpatch",
        "out_0001.obj",
        "out/one.obj",
    ];
    fs::create_dir(b.path().join("out")).unwrap();
    for link in links {
        symlink(b.path().join("foreign"), b.path().join(link)).unwrap();
    }
    for command in [
        "smooth one.obj",
        "repair one.obj",
        "smooth one.obj one.obj -o out/",
    ] {
        let said = b.run(command);
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("symbolic link"), "{command}: {said}");
    }
    let out = b.run("smooth one.obj -o a.obj --cache");
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0));
    assert!(
        said.contains("the patches could not be kept") && said.contains("symbolic link"),
        "{said}"
    );
    let out = b.run("track one.obj --frames 1 --sequence -o out.obj --engine cpu");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("symbolic link"), "{said}");
    assert_eq!(b.text("foreign"), "precious");
    for link in links {
        let link = b.path().join(link);
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    }
    // No link, and no patches either.
    fs::remove_file(b.path().join("one.obj.rxpatch")).unwrap();
    b.put("one.obj.rxpatch", "precious");
    let out = b.run("smooth one.obj -o a.obj --cache");
    assert!(String::from_utf8_lossy(&out.stderr).contains("another file has this name"));
    assert_eq!(b.text("one.obj.rxpatch"), "precious");
}

/// Redirected stdout by another name: the previous content stays, and nothing is overwritten.
#[cfg(target_os = "linux")]
#[test]
fn records_go_behind_what_stdout_holds() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE).put("log", "before\n");
    for target in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        b.put("log", "before\n");
        let log = fs::OpenOptions::new()
            .append(true)
            .open(b.path().join("log"))
            .unwrap();
        let out = b
            .command(&format!("check one.obj --json {target}"))
            .stdout(log)
            .status();
        assert!(out.unwrap().success());
        let log = b.text("log");
        assert!(log.starts_with("before\none.obj (OBJ)\n"), "{log}");
        assert!(
            log.contains("\"command\": \"check\"") && log.ends_with("}\n"),
            "{log}"
        );
    }
}

#[test]
fn comments_travel_and_lost_digits_are_named() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let head: Vec<String> = bunny().lines().take(2).map(str::to_owned).collect();
    assert!(head.iter().all(|l| l.starts_with("# ")));
    b.ok("convert bunny.obj -o bunny.ply --ascii -q");
    let ply = b.text("bunny.ply");
    let comments: Vec<&str> = ply.lines().filter(|l| l.starts_with("comment")).collect();
    assert_eq!(comments.len(), 2);
    assert!(head.iter().zip(&comments).all(|(h, c)| h[2..] == c[8..]));
    b.ok("convert bunny.ply -o again.off -q");
    b.ok("mcf again.off -o again.obj -q");
    assert!(
        b.text("again.obj")
            .lines()
            .zip(&head)
            .take(2)
            .all(|(a, h)| a == h)
    );
    let r = b.record("convert bunny.ply -o bunny.stl");
    assert_eq!(
        r["warnings"][0],
        "bunny.stl: STL holds no comments (2 lines)"
    );
    b.put(
        "fine.obj",
        TRIANGLE.replace("v 1 0 0", "v 1.23456789012345 0 0"),
    );
    let out = b.run("convert fine.obj -o coarse.obj");
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("they are rounded, by 9.5e-9 at most"),
        "{said}"
    );
    assert!(Path::new(&b.path().join("coarse.obj")).exists());
}
