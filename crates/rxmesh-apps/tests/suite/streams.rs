//! Meshes from stdin and to stdout, and formats that no name says.

use crate::support::{Sandbox, TRIANGLE, bunny};
use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

/// Runs a command with something on its stdin.
fn fed(b: &Sandbox, args: &str, stdin: &[u8]) -> Output {
    let mut command = b.command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read it may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn a_mesh_on_stdout_is_the_file_and_words_go_to_stderr() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for (command, file) in [
        ("convert bunny.obj --format ply", "a.ply"),
        ("convert bunny.obj --format stl", "a.stl"),
        ("convert bunny.obj --format off", "a.off"),
        ("smooth bunny.obj", "a.obj"),
        ("delaunay bunny.obj --format ply", "a.ply"),
        ("curvature bunny.obj", "a.ply"),
        ("generate torus --nu 9 --nv 7 --format ply", "a.ply"),
    ] {
        b.ok(&format!("{command} -o {file} -q"));
        let out = b.run(&format!("{command} -o -"));
        assert_eq!(out.status.code(), Some(0), "{command}");
        assert!(
            out.stdout == fs::read(b.path().join(file)).unwrap(),
            "{command}"
        );
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains("wrote stdout ("), "{command}: {said}");
    }
}

#[test]
fn a_mesh_from_stdin_goes_to_stdout() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("smooth bunny.obj -o file.obj -q");
    let out = fed(&b, "smooth -", bunny().as_bytes());
    assert_eq!(out.status.code(), Some(0));
    assert!(out.stdout == b.text("file.obj").into_bytes());
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("stdin (OBJ): 1839 vertices"), "{said}");
    // In steps, as a filter; a binary file in between.
    let ply = fed(&b, "curvature -", &out.stdout).stdout;
    assert!(ply.starts_with(b"ply\nformat binary"));
    let named = fed(&b, "convert - -o file.off -q", &ply);
    assert_eq!((named.status.code(), named.stdout.len()), (Some(0), 0));
    assert!(b.text("file.off").starts_with("OFF\n"));
    let checked = fed(&b, "check -", &ply);
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.starts_with("stdin (PLY)\n1839 vertices"), "{said}");
}

#[test]
fn formats_that_nobody_says_and_streams_taken_twice_are_refused() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    for (args, words) in [
        ("convert a.obj -o -", "--format must say it"),
        ("convert a.obj -o a.xyz", "--format must say it"),
        ("mcf a.obj -o - --json -", "cannot be the same file"),
        (
            "mcf a.obj -o x --json x --format obj",
            "cannot be the same file",
        ),
        (
            "normals a.obj -o a.obj --format stl",
            "STL cannot hold normals of vertices",
        ),
        (
            "curvature a.obj --format obj",
            "OBJ cannot hold values of vertices",
        ),
        (
            "track a.obj -o - --sequence",
            "--sequence writes a file a frame",
        ),
    ] {
        let message = b.fails(args);
        assert!(message.contains(words), "{args}: {message}");
    }
    b.misused("convert a.obj -o - --format xyz");
    let out = fed(&b, "smooth - --cache", TRIANGLE.as_bytes());
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("--cache keeps the patches beside the mesh"),
        "{said}"
    );
    let out = fed(&b, "smooth -", b"");
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
}

#[test]
fn a_format_goes_over_the_extension() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    b.ok("convert a.obj -o a.xyz --format off");
    assert!(b.text("a.xyz").starts_with("OFF\n"));
    b.ok("smooth a.obj --format ply");
    assert!(
        fs::read(b.path().join("a_smooth.ply"))
            .unwrap()
            .starts_with(b"ply\n")
    );
    let r = b.record("smooth a.obj -o b.obj --format stl");
    assert_eq!(r["output"]["format"], "STL");
}

/// A reader that closes the pipe in the middle of a mesh has half a mesh: that is an error, in one line.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_an_error() {
    let b = Sandbox::new();
    let mut command = b.command("generate torus --nu 400 --nv 400 -o - --format ply");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    let message = String::from_utf8(out.stderr).unwrap();
    assert!(
        message.starts_with("error: stdout: cannot be written: "),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
}
