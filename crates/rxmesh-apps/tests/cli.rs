//! Runs the program itself in temporary folders.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder for one test, and the program in it.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Sandbox {
        fs::write(self.path().join(name), content).unwrap();
        self
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Names of the files in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rxmesh-apps"));
        command
            .args(args.split_whitespace())
            .current_dir(self.path());
        command.env_remove("CARGO_MANIFEST_DIR");
        command
    }

    fn run(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; returns what it printed.
    fn ok(&self, args: &str) -> String {
        let out = self.run(args);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{args}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    }

    /// Runs a command that must succeed; returns its record.
    fn record(&self, args: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{args} --json -"))).unwrap()
    }

    /// Runs a command that must fail with a message in the usual form and leave no file behind; returns the message.
    fn fails(&self, args: &str) -> String {
        let before = self.names();
        let out = self.run(args);
        let message = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(1), "{args}: {message}");
        assert!(
            message.starts_with("error: ") && message.ends_with('\n'),
            "{args}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{args}: {message}");
        assert!(!message.contains("panicked"), "{args}: {message}");
        assert_eq!(self.names(), before, "{args} left something behind");
        message
    }
}

/// Positions of an OBJ file.
fn positions(obj: &str) -> Vec<[f64; 3]> {
    let numbers = |l: &str| {
        let mut n = l.split_whitespace().skip(1).map(|w| w.parse().unwrap());
        [0; 3].map(|_| n.next().unwrap())
    };
    obj.lines()
        .filter(|l| l.starts_with("v "))
        .map(numbers)
        .collect()
}

/// Vertices of the faces of an OBJ file, whatever else the corners name.
fn faces(obj: &str) -> Vec<Vec<usize>> {
    let corner = |w: &str| w.split('/').next().unwrap().parse().unwrap();
    let lines = obj.lines().filter(|l| l.starts_with("f "));
    lines
        .map(|l| l.split_whitespace().skip(1).map(corner).collect())
        .collect()
}

fn bunny() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/bunny.obj")).unwrap()
}

/// How jagged: the summed length of all sides of all faces.
fn length(obj: &str) -> f64 {
    let p = positions(obj);
    let side = |a: usize, b: usize| {
        let d = [0, 1, 2].map(|k| p[a - 1][k] - p[b - 1][k]);
        d.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    faces(obj)
        .iter()
        .map(|f| side(f[0], f[1]) + side(f[1], f[2]) + side(f[2], f[0]))
        .sum()
}

#[test]
fn mcf_smooths_and_says_where_it_wrote() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let said = b.ok("mcf bunny.obj --engine cpu");
    assert!(said.contains("wrote bunny_mcf.obj"), "{said}");
    assert_eq!(b.names(), ["bunny.obj", "bunny_mcf.obj"]);
    let (before, after) = (bunny(), b.text("bunny_mcf.obj"));
    assert_eq!(faces(&before), faces(&after));
    assert_eq!(positions(&before).len(), positions(&after).len());
    assert!(length(&after) < 0.9 * length(&before));
    assert!(length(&after) > 0.3 * length(&before));
}

#[test]
fn mcf_keeps_order_and_extras() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 30 --ny 20 --noise 0.2 --shuffle -o grid.obj -q");
    let text = b.text("grid.obj");
    let corners = "vt 0.5 0.25\nvt 1 0\nvt 0 1\ng left\n".to_owned();
    let faced = |l: &str| {
        let Some(rest) = l.strip_prefix("f ") else {
            return format!("{l}\n");
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        format!("f {}/1 {}/2 {}/3\n", words[0], words[1], words[2])
    };
    let (vertices, rest): (Vec<_>, Vec<_>) = text.lines().partition(|l| l.starts_with("v "));
    let all =
        vertices.join("\n") + "\n" + &corners + &rest.iter().map(|l| faced(l)).collect::<String>();
    b.put("textured.obj", &all);
    b.ok("mcf textured.obj -o out.obj --time-step 1e-12 -q");
    let out = b.text("out.obj");
    assert_eq!(faces(&out), faces(&text));
    for (p, q) in positions(&text).iter().zip(positions(&out)) {
        assert!((0..3).all(|k| (p[k] - q[k]).abs() < 1e-5), "{p:?} {q:?}");
    }
    let of = |text: &str, word: &str| {
        text.lines()
            .filter(|l| l.starts_with(word))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&out, "vt "), of(&all, "vt "));
    assert_eq!(of(&out, "g "), ["g left"]);
    assert_eq!(of(&out, "f "), of(&all, "f "));
}

#[test]
fn mcf_computes_stale_normals_anew() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o plain.obj -q");
    b.ok("mcf plain.obj -o smooth.obj -q");
    assert!(!b.text("smooth.obj").contains("vn "));
    b.ok("normals plain.obj -q");
    assert!(b.text("plain_normals.obj").contains("vn "));
    b.ok("mcf plain_normals.obj -o smooth.obj -q");
    let out = b.text("smooth.obj");
    assert_eq!(out.matches("vn ").count(), out.matches("v ").count());
    b.put(
        "creased.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 1 0 0\nvn 0 1 0\nf 1//1 2//2 3//1\n",
    );
    let record = b.record("mcf creased.obj -o smooth.obj");
    assert!(
        record["warnings"][0]
            .as_str()
            .unwrap()
            .contains("normals of corners")
    );
    assert!(b.text("smooth.obj").contains("vn 0 0 1"));
}

#[test]
fn mcf_that_does_not_converge_exits_with_3() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let out = b.run("mcf bunny.obj --max-iter 3 --json r.json");
    assert_eq!(out.status.code(), Some(3));
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .starts_with("warning: not converged: after 3 iterations")
    );
    let record: Value = serde_json::from_str(&b.text("r.json")).unwrap();
    assert_eq!(
        (record["converged"].clone(), record["iterations"].clone()),
        (false.into(), 3.into())
    );
    assert!(record["residual"].as_f64().unwrap() > 1e-6);
    assert_eq!(faces(&b.text("bunny_mcf.obj")).len(), 3674);
}

#[test]
fn record_of_mcf_is_complete() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let out = b.run("mcf bunny.obj --json -");
    let r: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(String::from_utf8_lossy(&out.stderr).contains("wrote bunny_mcf.obj"));
    assert_eq!(r["command"], "mcf");
    assert_eq!(r["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(r["input"]["format"], "OBJ");
    assert_eq!(r["input"]["bytes"], bunny().len());
    assert_eq!(
        (
            &r["input"]["vertices"],
            &r["input"]["edges"],
            &r["input"]["faces"]
        ),
        (&1839.into(), &5511.into(), &3674.into())
    );
    assert_eq!(r["converged"], true);
    assert!(r["iterations"].as_u64().unwrap() > 10);
    assert!(r["residual"].as_f64().unwrap() < 1e-6);
    assert!(r["time_step"].as_f64().unwrap() > 0.0);
    assert_eq!(r["output"]["path"], "bunny_mcf.obj");
    assert!(r["patches"]["count"].as_u64().unwrap() >= 8);
    assert!(r["patches"]["bytes_per_face"]["total"].as_f64().unwrap() < 22.0);
    assert!(r["engine"]["units"].as_u64().unwrap() > 0);
    assert_eq!(
        r["engine"]["why_not_gpu"].is_null(),
        r["engine"]["engine"] == "cuda"
    );
    for stage in [
        "read", "patch", "upload", "run", "download", "write", "total",
    ] {
        assert!(r["timings_ms"][stage].is_number(), "{stage}");
    }
    assert_eq!(r["warnings"], Value::Array(vec![]));
    let file = b.ok("mcf bunny.obj --quiet --json r.json");
    assert_eq!(file, "");
    let r: Value = serde_json::from_str(&b.text("r.json")).unwrap();
    assert_eq!(r["command"], "mcf");
}

#[test]
fn results_do_not_depend_on_threads() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("mcf bunny.obj --engine cpu --threads 1 -o one.obj -q");
    b.ok("mcf bunny.obj --engine cpu --threads 3 -o three.obj -q");
    assert_eq!(b.text("one.obj"), b.text("three.obj"));
    let r = b.record("info bunny.obj --engine cpu --threads 3");
    assert_eq!(r["engine"]["units"], 3);
}

#[test]
fn normals_are_unit_and_point_outwards() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o ball.obj -q");
    let said = b.ok("normals ball.obj");
    assert!(said.contains("wrote ball_normals.obj"), "{said}");
    let out = b.text("ball_normals.obj");
    let normal = |l: &str| {
        let mut n = l
            .split_whitespace()
            .skip(1)
            .map(|w| w.parse::<f64>().unwrap());
        [0; 3].map(|_| n.next().unwrap())
    };
    let normals: Vec<[f64; 3]> = out
        .lines()
        .filter(|l| l.starts_with("vn "))
        .map(normal)
        .collect();
    let p = positions(&out);
    assert_eq!(normals.len(), p.len());
    for (n, p) in normals.iter().zip(&p) {
        assert!((0..3).all(|k| (n[k] - p[k]).abs() < 0.01), "{n:?} at {p:?}");
    }
    let r = b.record("normals ball.obj -o ball.ply --ascii");
    assert_eq!(r["normals"]["zero"], 0);
    assert!(b.text("ball.ply").contains("property float nx"));
}

#[test]
fn info_shows_counts_patches_and_engines() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let said = b.ok("info bunny.obj");
    for words in [
        "5511 edges",
        "bounding box",
        "edge length",
        "ribbons:",
        "bytes a face",
        "patcher:",
        "memory on the engine",
    ] {
        assert!(said.contains(words), "no '{words}' in {said}");
    }
    let r = b.record("info bunny.obj --patch-size 100 --seed 7");
    assert!(r["patches"]["size_max"].as_u64().unwrap() <= 100);
    assert_eq!(r["patches"]["seed"], 7);
    assert!(r["patches"]["device_bytes"].as_u64().unwrap() > 0);
    assert!(r["mesh"]["edge_length"]["mean"].as_f64().unwrap() > 0.0);
    let said = b.ok("info --engines");
    assert!(
        said.lines().any(|l| l.starts_with("cpu ")) && said.lines().any(|l| l.starts_with("cuda ")),
        "{said}"
    );
    let r = b.record("info --engines");
    assert_eq!(
        (
            r["engines"][0]["engine"].clone(),
            r["engines"][0]["found"].clone()
        ),
        ("cpu".into(), true.into())
    );
    assert_eq!(
        r["engines"][1]["why_not"].is_null(),
        r["engines"][1]["found"] == true
    );
}

#[test]
fn check_reports_and_can_be_strict() {
    let b = Sandbox::new();
    b.put(
        "bow.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 4 5\nf 1 1 2\n",
    );
    let said = b.ok("check bow.obj");
    assert!(
        said.contains("degenerate faces: 1 (2; counted from 0)"),
        "{said}"
    );
    let r = b.record("check bow.obj");
    assert_eq!(r["check"]["non_manifold_vertices"]["first"][0], 0);
    assert_eq!(r["check"]["faces"], 3);
    let out = b.run("check bow.obj --strict --json r.json");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr).starts_with("error: bow.obj: 1 non-manifold vertices")
    );
    assert!(b.text("r.json").contains("degenerate_faces"));
    b.put("one.obj", TRIANGLE).ok("check one.obj --strict");
}

#[test]
fn convert_goes_through_every_format() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 12 --nv 8 -o a.obj -q");
    b.ok("convert a.obj -o b.ply");
    b.ok("convert b.ply -o c.off");
    b.ok("convert c.off -o d.ply --ascii");
    b.ok("convert d.ply -o e.obj");
    assert_eq!(b.text("a.obj"), b.text("e.obj"));
    b.ok("convert a.obj -o f.stl");
    let r = b.record("convert f.stl -o g.obj");
    assert_eq!(
        (&r["input"]["vertices"], &r["output"]["faces"]),
        (&96.into(), &192.into())
    );
}

#[test]
fn convert_names_what_is_lost() {
    let b = Sandbox::new();
    b.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng wing\nf 1 2 3\n");
    let out = b.run("convert a.obj -o a.off");
    assert_eq!(out.status.code(), Some(0));
    let warning = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        warning.starts_with("warning: a.off: ") && warning.contains("groups"),
        "{warning}"
    );
    assert!(b.run("convert a.obj -o a.off --quiet").stderr.is_empty());
    assert_eq!(
        b.record("convert a.obj -o a.off")["warnings"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn polygons_are_cut_on_request() {
    let b = Sandbox::new();
    b.put("q.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    for command in [
        "convert q.obj -o o.obj",
        "mcf q.obj -o o.obj",
        "normals q.obj -o o.obj",
        "info q.obj",
        "check q.obj",
    ] {
        let message = b.fails(command);
        assert!(
            message.contains("q.obj: line 5: a face has 4 corners")
                && message.contains("--triangulate"),
            "{message}"
        );
        b.ok(&format!("{command} --triangulate -q"));
        let _ = fs::remove_file(b.path().join("o.obj"));
    }
}

#[test]
fn generate_makes_every_shape() {
    let b = Sandbox::new();
    for (args, vertices, faces) in [
        ("grid --nx 3 --ny 2", 12, 12),
        ("icosphere --levels 1", 42, 80),
        ("torus --nu 5 --nv 4", 20, 40),
        ("cylinder --nu 5 --nv 1", 12, 20),
        ("cylinder --nu 5 --nv 1 --open", 10, 10),
        ("fan --valence 7", 8, 7),
        (
            "fan --valence 7 --subdivide 2 --loop --noise 0.1 --shuffle --seed 5",
            71,
            112,
        ),
    ] {
        let r = b.record(&format!("generate {args} -o m.ply"));
        assert_eq!(
            (&r["output"]["faces"], &r["output"]["vertices"]),
            (&faces.into(), &vertices.into()),
            "{args}"
        );
    }
    b.ok("generate grid --noise 0.1 --shuffle --seed 5 -o a.obj");
    b.ok("generate grid --noise 0.1 --shuffle --seed 5 -o b.obj");
    b.ok("generate grid --noise 0.1 --shuffle --seed 6 -o c.obj");
    assert_eq!(b.text("a.obj"), b.text("b.obj"));
    assert_ne!(b.text("a.obj"), b.text("c.obj"));
    assert!(
        b.fails("generate grid --nx 0 -o d.obj")
            .contains("nx = 0 is not possible")
    );
    assert!(
        b.fails("generate torus --minor -1 -o d.obj")
            .contains("minor = -1")
    );
    assert!(
        b.fails("generate icosphere --levels 99 -o d.obj")
            .contains("at most")
    );
}

#[test]
fn completions_for_every_shell() {
    let b = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            b.ok(&format!("completions {shell}")).contains("patch-size"),
            "{shell}"
        );
    }
}

#[test]
fn every_help_shows_an_example() {
    let b = Sandbox::new();
    for command in [
        "",
        "mcf",
        "normals",
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
        "mcf one.obj --time-step -1",
        "mcf one.obj --tol nan",
        "mcf one.obj --patch-size 0",
        "mcf one.obj --threads 0",
        "convert one.obj",
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
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
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
        for command in ["mcf", "normals", "info", "check"] {
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
        for command in ["mcf", "normals"] {
            for size in [16, 512] {
                let r = b.record(&format!("{command} {file} -o out.obj --patch-size {size}"));
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
fn patches_are_kept_beside_the_mesh() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let cache = |args: &str| b.record(args)["patches"]["cache"].clone();
    assert_eq!(cache("info bunny.obj"), "off");
    assert_eq!(cache("info bunny.obj --cache"), "built");
    assert_eq!(b.names(), ["bunny.obj", "bunny.obj.rxpatch"]);
    assert_eq!(cache("info bunny.obj --cache"), "loaded");
    assert_eq!(cache("info bunny.obj --cache --patch-size 64"), "built");
    b.ok("mcf bunny.obj -o a.obj --engine cpu -q --cache");
    b.ok("mcf bunny.obj -o b.obj --engine cpu -q --cache");
    b.ok("mcf bunny.obj -o c.obj --engine cpu -q");
    assert_eq!(b.text("a.obj"), b.text("c.obj"));
    assert_eq!(b.text("b.obj"), b.text("c.obj"));
    let mut bytes = fs::read(b.path().join("bunny.obj.rxpatch")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    b.put("bunny.obj.rxpatch", bytes);
    assert_eq!(cache("info bunny.obj --cache"), "built");
}

#[test]
fn output_may_be_the_input() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("mcf bunny.obj -o bunny.obj -q");
    assert_eq!(b.names(), ["bunny.obj"]);
    assert!(length(&b.text("bunny.obj")) < 0.9 * length(&bunny()));
}

#[test]
fn cuda_without_a_gpu_is_a_clear_error() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    if b.record("info --engines")["engines"][1]["found"] == true {
        b.ok("mcf one.obj --engine cuda");
        return;
    }
    for command in ["mcf", "normals", "info"] {
        let message = b.fails(&format!("{command} one.obj --engine cuda"));
        assert!(
            message.starts_with("error: there is no GPU for --engine cuda: "),
            "{message}"
        );
    }
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

/// The README shows the function of an example that is compiled with the tests.
#[test]
fn the_readmes_snippet_is_the_librarys_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let example = fs::read_to_string(root.join("crates/rxmesh-host/examples/smooth.rs")).unwrap();
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (snippet, _) = rest.split_once("```").unwrap();
    assert!(example.contains(snippet));
}

/// Every flag and every key of a record is in `docs/cli.md`.
#[test]
fn the_manual_is_complete() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let manual = fs::read_to_string(manual).unwrap();
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for command in ["mcf", "normals", "info", "check", "convert"] {
        for word in b.ok(&format!("{command} --help")).split_whitespace() {
            if let Some(flag) = word.strip_prefix("--") {
                let flag = flag.trim_end_matches([',', '.', ')']);
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
    records.push(b.record("normals bunny.obj"));
    while let Some(value) = records.pop() {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    assert!(manual.contains(&format!("`{key}`")), "{key}");
                    records.push(value);
                }
            }
            Value::Array(list) => records.extend(list),
            _ => {}
        }
    }
}
