//! Runs of the program in temporary folders, and readers of its files for the tests.
#![allow(dead_code, unreachable_pub)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

pub const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder for one test, and the program in it.
pub struct Sandbox(TempDir);

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(TempDir::new().unwrap())
    }

    /// With the meshes of `data/`.
    pub fn with_data() -> Sandbox {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path().join("data")).unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        for entry in fs::read_dir(data).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("data/{}", path.file_name().unwrap().to_string_lossy());
            sandbox.put(&name, fs::read(&path).unwrap());
        }
        sandbox
    }

    /// Puts the scenes of `examples/scenes` into a folder.
    pub fn put_scenes(&self, folder: &str) -> &Sandbox {
        fs::create_dir_all(self.path().join(folder)).unwrap();
        let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
        for entry in fs::read_dir(scenes).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            self.put(&name, fs::read(&path).unwrap());
        }
        self
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Sandbox {
        fs::write(self.path().join(name), content).unwrap();
        self
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Names of the files in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rxmesh"));
        command
            .args(args.split_whitespace())
            .current_dir(self.path());
        command.env_remove("CARGO_MANIFEST_DIR");
        command
    }

    pub fn run(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; returns its output.
    pub fn ok(&self, args: &str) -> String {
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
    pub fn record(&self, args: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{args} --json -"))).unwrap()
    }

    /// Runs a command whose flags make no sense: it must exit with 2, before the mesh is read, and leave no file
    /// behind; returns the
    /// message.
    pub fn misused(&self, args: &str) -> String {
        let before = self.names();
        let out = self.run(args);
        let message = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args}: {message}");
        assert!(message.starts_with("error: "), "{args}: {message}");
        assert!(out.stdout.is_empty(), "{args}");
        assert_eq!(self.names(), before, "{args} left something behind");
        message
    }

    /// Runs a command that must fail with a message in the usual form and leave no file behind; returns the message.
    pub fn fails(&self, args: &str) -> String {
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
pub fn positions(obj: &str) -> Vec<[f64; 3]> {
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
pub fn faces(obj: &str) -> Vec<Vec<usize>> {
    let corner = |w: &str| w.split('/').next().unwrap().parse().unwrap();
    let lines = obj.lines().filter(|l| l.starts_with("f "));
    lines
        .map(|l| l.split_whitespace().skip(1).map(corner).collect())
        .collect()
}

pub fn bunny() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/bunny.obj")).unwrap()
}

/// Returns the summed length of all sides of all faces, a measure of roughness.
pub fn length(obj: &str) -> f64 {
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

/// Returns the columns of the vertices of an ASCII PLY file.
pub(crate) fn columns(ply: &str) -> BTreeMap<String, Vec<f64>> {
    let (head, body) = ply.split_once("end_header\n").unwrap();
    let count = |l: &str| l.strip_prefix("element vertex ").map(str::to_owned);
    let n: usize = head.lines().find_map(count).unwrap().parse().unwrap();
    let of_vertices = head
        .split("element ")
        .find(|e| e.starts_with("vertex"))
        .unwrap();
    let properties = of_vertices.lines().filter(|l| l.starts_with("property"));
    let names: Vec<String> = properties
        .map(|l| l.rsplit(' ').next().unwrap().to_owned())
        .collect();
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in body.lines().take(n) {
        for (name, word) in names.iter().zip(line.split_whitespace()) {
            let column = columns.entry(name.clone()).or_default();
            column.push(word.parse().unwrap());
        }
    }
    assert!(columns.values().all(|c| c.len() == n));
    columns
}
