//! Times on a mesh of 1.28 million faces. Not run by default: `cargo test --release -- --ignored --nocapture times`.

use super::*;
use crate::mesh::{check, generate};
use std::time::Instant;

fn timed<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = f();
    println!("{what}: {:.3} s", start.elapsed().as_secs_f64());
    out
}

#[test]
#[ignore = "measures, checks little"]
fn times() {
    let mut mesh = timed("icosphere(8)", || generate::icosphere(8).unwrap());
    timed("noise", || generate::noise(&mut mesh, 0.2, 1).unwrap());
    timed("shuffle", || generate::shuffle(&mut mesh, 1));
    println!(
        "{} vertices, {} faces",
        mesh.vertex_count(),
        mesh.face_count()
    );
    timed("check", || check(&mesh));
    let folder = tempfile::tempdir().unwrap();
    for (name, encoding) in forms() {
        let path = folder.path().join(name);
        let options = WriteOptions {
            format: None,
            encoding,
        };
        let encoded = timed(&format!("{name} {encoding:?} encode"), || {
            write::encode(&path, Model::from(&mesh), &options).unwrap()
        });
        drop(encoded);
        timed(&format!("{name} {encoding:?} write"), || {
            write(&path, &mesh, &options).unwrap()
        });
        let bytes = std::fs::read(&path).unwrap();
        let back = timed(
            &format!("{name} {encoding:?} read ({} MB)", bytes.len() / 1_000_000),
            || read(&path, &ReadOptions::default()).unwrap(),
        );
        assert_eq!(back.mesh.face_count(), mesh.face_count());
    }
    let five = timed("icosphere(9)", || generate::icosphere(9).unwrap());
    timed("check", || check(&five));
}
