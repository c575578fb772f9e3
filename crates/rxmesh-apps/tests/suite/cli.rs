//! Tests common to all commands: usage, errors, exit codes, engines, the manual.

use crate::support::{Sandbox, TRIANGLE, bunny, positions};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

#[test]
fn every_help_shows_an_example() {
    let b = Sandbox::new();
    for command in [
        "",
        "mcf",
        "normals",
        "filter",
        "geodesic",
        "curvature",
        "smooth",
        "spring",
        "info",
        "check",
        "convert",
        "generate",
        "generate torus",
        "completions",
    ] {
        assert!(
            b.ok(&format!("{command} --help")).contains("Example"),
            "{command}"
        );
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    for args in [
        "",
        "polish one.obj",
        "mcf",
        "mcf one.obj --engine gpu",
        "mcf one.obj --engine cuda:",
        "mcf one.obj --engine cuda:-1",
        "mcf one.obj --engine cpu:0",
        "mcf one.obj --time-step -1",
        "mcf one.obj --tol nan",
        "mcf one.obj --patch-size 0",
        "mcf one.obj --threads 0",
        "convert one.obj",
        "geodesic one.obj",
        "geodesic one.obj --source -1",
        "filter one.obj --sigma-c rough",
        "filter one.obj --sigma-s 0",
        "smooth one.obj --lambda nan",
        "smooth one.obj --weights mean",
        "spring one.obj --gravity 0,0",
        "spring one.obj --time-step 0",
        "spring one.obj --method euler",
        "spring one.obj --pin-top nan",
        "filter one.obj --sigma-c -1",
        "geodesic none.obj --source 0 --threshold 0",
        "smooth none.obj --lambda 2",
        "simplify none.obj --ratio 2",
        "remesh none.obj --keep-features 200",
        "track none.obj --widest-angle 90",
        "info",
        "generate icosphere --loop -o a.obj",
        "completions csh",
    ] {
        let out = b.run(args);
        assert_eq!(out.status.code(), Some(2), "{args}");
        assert!(out.stdout.is_empty() && !out.stderr.is_empty(), "{args}");
    }
    assert_eq!(b.names(), ["one.obj"]);
}

#[test]
fn bad_files_are_clear_errors() {
    let b = Sandbox::new();
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty \
        float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    b.put("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    b.put("index.obj", "v 0 0 0\nf 1 2 3\n");
    b.put("empty.obj", "");
    b.put("cut.ply", ply.to_owned() + "0000");
    b.put("many.ply", ply.replace("vertex 3", "vertex 4000000000"));
    b.put("noise.bin", [7u8, 1, 200, 3]);
    b.put("text.stl", "hello");
    fs::create_dir(b.path().join("folder.obj")).unwrap();
    let cases = [
        ("nan.obj", "line 2: 'nan' is not a finite number"),
        ("index.obj", "line 2: "),
        ("empty.obj", "the file is empty"),
        ("cut.ply", "cut off"),
        ("many.ply", "promises 4000000000"),
        ("noise.bin", "format"),
        ("text.stl", "text.stl"),
        ("folder.obj", "cannot be read"),
        ("missing.obj", "no such file"),
        ("nowhere/missing.obj", "no such file"),
    ];
    for (file, words) in cases {
        for command in [
            "mcf",
            "normals",
            "filter",
            "geodesic --source 0",
            "curvature",
            "smooth",
            "spring",
            "info",
            "check",
        ] {
            let message = b.fails(&format!("{command} {file}"));
            assert!(
                message.contains(words) && message.contains(file),
                "{message}"
            );
        }
        b.fails(&format!("convert {file} -o out.obj --json r.json"));
    }
}

#[test]
fn outputs_that_cannot_be_written_are_found_before_the_work() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    fs::create_dir(b.path().join("folder.obj")).unwrap();
    for (args, words) in [
        ("-o a.xyz", "formats are obj, ply, off, stl"),
        ("-o a", "format"),
        ("-o nowhere/a.obj", "there is no folder 'nowhere'"),
        ("-o folder.obj", "it is a folder"),
        ("-o a.obj --json a.obj", "cannot be the same file"),
        (
            "-o a.obj --json nowhere/r.json",
            "there is no folder 'nowhere'",
        ),
        ("-o a.obj --json folder.obj", "it is a folder"),
    ] {
        let message = b.fails(&format!("mcf one.obj {args}"));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn extreme_meshes_give_the_right_result() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    b.put("points.obj", "v 0 0 0\nv 1 2 3\n");
    b.put("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n");
    b.ok("generate fan --valence 1000 -o fan.obj -q");
    let at = |i: usize| format!("v {i} 0 0\nv {i}.5 0 0\nv {i} 1 0\nv {i} 0 1\n");
    let tetrahedron = |i: usize| {
        let [p, q, r, s] = [1, 2, 3, 4].map(|k| 4 * i + k);
        format!("f {p} {r} {q}\nf {p} {q} {s}\nf {p} {s} {r}\nf {q} {r} {s}\n")
    };
    let many = (0..700)
        .map(at)
        .chain((0..700).map(tetrahedron))
        .collect::<String>();
    b.put("many.obj", many);
    for (file, vertices, faces) in [
        ("one.obj", 3, 1),
        ("points.obj", 2, 0),
        ("line.obj", 3, 2),
        ("fan.obj", 1001, 1000),
        ("many.obj", 2800, 2800),
    ] {
        for command in [
            "mcf",
            "normals",
            "filter",
            "geodesic --source 0",
            "curvature",
            "smooth",
            "spring",
        ] {
            for size in [16, 512] {
                let r = b.record(&format!("{command} {file} -o out.ply --patch-size {size}"));
                assert_eq!(
                    (&r["output"]["vertices"], &r["output"]["faces"]),
                    (&vertices.into(), &faces.into()),
                    "{command} {file}"
                );
            }
        }
        b.ok(&format!("info {file} -q"));
        b.ok(&format!("check {file} -q"));
    }
    assert_eq!(b.record("check many.obj")["check"]["face_components"], 700);
    assert_eq!(
        b.record("check fan.obj")["check"]["max_valence"]["valence"],
        1000
    );
    // Nothing pulls at points and lines: they stay.
    b.ok("mcf points.obj -o out.obj -q");
    assert_eq!(
        positions(&b.text("out.obj")),
        positions(&b.text("points.obj"))
    );
}

#[test]
fn too_large_fans_are_named() {
    let b = Sandbox::new();
    b.ok("generate fan --valence 70000 -o fan.ply -q");
    let message = b.fails("mcf fan.ply");
    assert!(
        message.contains("fan.ply: ") && message.contains("vertex of highest valence is 0"),
        "{message}"
    );
}

#[test]
fn names_are_looked_up_in_data() {
    let b = Sandbox::new();
    fs::create_dir(b.path().join("data")).unwrap();
    b.put("data/one.obj", TRIANGLE);
    assert_eq!(b.record("info one.obj")["input"]["path"], "data/one.obj");
    b.ok("mcf one.obj -q");
    assert_eq!(b.names(), ["data", "one_mcf.obj"]);
    b.put("one.obj", TRIANGLE);
    assert_eq!(b.record("info one.obj")["input"]["path"], "one.obj");
    assert!(
        b.fails("info ./two.obj")
            .contains("./two.obj: there is no such file")
    );
    assert!(
        b.fails("info two.obj")
            .contains("neither here nor in data/")
    );
    // Under `cargo run`, from any folder.
    let elsewhere = Sandbox::new();
    let out = elsewhere
        .command("info bunny.obj")
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        String::from_utf8(out.stdout)
            .unwrap()
            .contains("3674 faces")
    );
}

#[test]
fn cuda_runs_and_without_a_gpu_is_a_clear_error() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    if b.record("info --engines")["engines"][1]["found"] == true {
        b.ok("mcf one.obj --engine cuda");
        b.ok("mcf one.obj --engine cuda:0");
        let message = b.fails("mcf one.obj --engine cuda:1000");
        let wanted = "error: there is no GPU for --engine cuda:1000: ";
        assert!(message.starts_with(wanted), "{message}");
        assert!(message.contains("GPU 1000 was requested"), "{message}");
        return;
    }
    assert_ne!(
        std::env::var("RXMESH_REQUIRE_CUDA").as_deref(),
        Ok("1"),
        "a GPU is required here"
    );
    for command in [
        "mcf",
        "normals",
        "filter",
        "geodesic --source 0",
        "curvature",
        "smooth",
        "spring",
        "info",
    ] {
        let message = b.fails(&format!("{command} one.obj --engine cuda"));
        assert!(
            message.starts_with("error: there is no GPU for --engine cuda: "),
            "{message}"
        );
    }
    let message = b.fails("mcf one.obj --engine cuda:1");
    let wanted = "error: there is no GPU for --engine cuda:1: ";
    assert!(message.starts_with(wanted), "{message}");
    let r = b.record("mcf one.obj");
    assert_eq!(r["engine"]["engine"], "cpu");
    assert!(r["engine"]["why_not_gpu"].is_string());
}

#[test]
fn readers_may_go_away() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for args in [
        "completions zsh",
        "info bunny.obj --json -",
        "mcf bunny.obj",
        "--help",
    ] {
        let mut command = b.command(args);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let out = command
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(0), "{args}");
        assert!(
            !String::from_utf8_lossy(&out.stderr).contains("error"),
            "{args}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let out = b.command("info one.obj").stdout(full).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).starts_with("error: stdout cannot be written: "));
    assert!(
        b.fails("info one.obj --json /dev/full")
            .contains("the record cannot be written")
    );
}

/// The README shows an example that is compiled with the tests.
#[test]
fn the_readmes_snippet_is_the_librarys_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let example = fs::read_to_string(root.join("crates/rxmesh/examples/quickstart.rs")).unwrap();
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (snippet, _) = rest.split_once("```").unwrap();
    assert!(example.contains(snippet));
}

/// Every flag and every key of a record is in the pages of `docs/use`.
#[test]
fn the_manual_is_complete() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use");
    let mut manual = fs::read_to_string(pages.join("record.md")).unwrap();
    for page in fs::read_dir(pages.join("commands")).unwrap() {
        manual += &fs::read_to_string(page.unwrap().path()).unwrap();
    }
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for command in [
        "mcf",
        "normals",
        "filter",
        "geodesic",
        "curvature",
        "smooth",
        "spring",
        "info",
        "check",
        "convert",
    ] {
        for word in b.ok(&format!("{command} --help")).split_whitespace() {
            if let Some(flag) = word.strip_prefix("--") {
                let flag = flag.trim_end_matches([',', '.', ')']);
                // A value that may be left out.
                let flag = flag.split_once("[=").map_or(flag, |(name, _)| name);
                assert!(
                    flag == "help" || manual.contains(&format!("--{flag}")),
                    "--{flag}"
                );
            }
        }
    }
    let mut records = vec![
        b.record("mcf bunny.obj"),
        b.record("info bunny.obj --engines"),
    ];
    for command in [
        "mcf",
        "normals",
        "filter",
        "geodesic --source 0",
        "curvature",
        "smooth",
        "spring",
    ] {
        records.push(b.record(&format!("{command} bunny.obj")));
    }
    records.push(b.record("spring bunny.obj --method implicit --steps 2"));
    let schema = fs::read_to_string(pages.join("record.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    for record in &records {
        described(record, &[&schema], &schema, record, &manual);
    }
}

/// Checks that each key of a part of a record is described: at its place in the schema, of which `at` are the parts for
/// this one and from which the tables of the manual are made, else by its name in the manual.
fn described(value: &Value, at: &[&Value], schema: &Value, record: &Value, manual: &str) {
    let at = alternatives(at, schema, record);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let below = at.iter().filter_map(|part| part["properties"].get(key));
                let below: Vec<&Value> = below.collect();
                let named = || manual.contains(&format!("`{key}`"));
                assert!(!below.is_empty() || named(), "{key}");
                described(value, &below, schema, record, manual);
            }
        }
        Value::Array(list) => {
            let items: Vec<&Value> = at.iter().filter_map(|part| part.get("items")).collect();
            for value in list {
                described(value, &items, schema, record, manual);
            }
        }
        _ => {}
    }
}

/// Returns parts of a schema, those that they refer to and those that they are made of; of conditions on the command,
/// those of a record's command.
fn alternatives<'a>(parts: &[&'a Value], schema: &'a Value, record: &Value) -> Vec<&'a Value> {
    let mut all = parts.to_vec();
    let mut next = 0;
    while let Some(&part) = all.get(next) {
        next += 1;
        let target = part["$ref"].as_str().map(|to| to.trim_start_matches('#'));
        all.extend(target.map(|to| schema.pointer(to).expect("a part of the schema")));
        for of in ["anyOf", "oneOf", "allOf"] {
            all.extend(part[of].as_array().into_iter().flatten());
        }
        let command = &part["if"]["properties"]["command"]["const"];
        if command.is_string() && *command == record["command"] {
            all.push(&part["then"]);
        }
    }
    all
}

#[test]
fn examples_in_help_run() {
    let b = Sandbox::with_data();
    b.put_scenes("examples/scenes");
    let help = String::from_utf8(b.run("--help").stdout).unwrap();
    let names = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1)
        .take_while(|l| l.starts_with("  "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|&name| name != "help");
    let mut run = 0;
    for name in names {
        let help = String::from_utf8(b.run(&format!("{name} --help")).stdout).unwrap();
        // A line that begins with the program, after the word that says that it is an example.
        let examples = help.lines().filter_map(|line| {
            let line = line.trim_start();
            let line = line
                .trim_start_matches("Examples:")
                .trim_start_matches("Example:");
            line.trim_start().strip_prefix("rxmesh ")
        });
        let mut of_command = 0;
        for example in examples {
            // Redirections and pipes belong to the shell.
            let arguments = example.split(['>', '|']).next().unwrap();
            let out = b
                .command(arguments)
                .env("CUDA_VISIBLE_DEVICES", "")
                // No browser is found, and none opens.
                .env("PATH", "")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success(), "{example}: {said}");
            of_command += 1;
        }
        assert!(of_command > 0, "the help of {name} has no example");
        run += of_command;
    }
    assert!(run >= 20, "{run} examples");
}

#[test]
fn generated_shapes_out_of_range_are_wrong_usage() {
    let b = Sandbox::new();
    for args in [
        "generate grid --nx 0 -o a.obj",
        "generate cylinder --nu 2 -o a.obj",
        "generate fan --valence 1 -o a.obj",
        "generate torus --noise nan -o a.obj",
        "generate icosphere --levels 40 -o a.obj",
        "generate icosphere --subdivide 11 -o a.obj",
    ] {
        b.misused(args);
    }
}

#[test]
fn the_trace_names_launches() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    let mut command = b.command("normals a.obj -o b.obj --engine cpu");
    let out = command.env("RXMESH_LOG", "trace").output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("rx_") && said.contains("1 patches"), "{said}");
}
