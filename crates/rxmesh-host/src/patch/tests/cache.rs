//! A cache file is either exactly what was saved, or an error.

use std::fs;

use super::super::{CacheError, CacheKey, PatchOptions, PatchSet, build, build_cached};
use super::{content, meshes, options};

#[test]
fn round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.patches");
    let mesh = meshes::torus(20, 30).joined(&meshes::Mesh::new(9, []));
    let options = PatchOptions {
        growth: 1.25,
        ..options(64)
    };
    let built = build_cached(&path, mesh.vertices, &mesh.faces, &options).unwrap();
    let key = CacheKey::new(mesh.vertices, &mesh.faces, &options);
    let loaded = PatchSet::load(&path, key).unwrap();
    assert_eq!(content(&built), content(&loaded));
    assert_eq!(built.stats.bytes, loaded.stats.bytes);
    assert!(loaded.validate(mesh.vertices, &mesh.faces).is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let again = build_cached(&path, mesh.vertices, &mesh.faces, &options).unwrap();
    assert_eq!(content(&built), content(&again));
    let other = CacheKey::new(mesh.vertices + 1, &mesh.faces, &options);
    assert!(matches!(
        PatchSet::load(&path, other),
        Err(CacheError::OtherKey)
    ));
    let empty = build(0, &[], &options).unwrap();
    empty.save(&path, key).unwrap();
    assert_eq!(
        content(&PatchSet::load(&path, key).unwrap()),
        content(&empty)
    );
}

#[test]
fn keys_differ_with_every_input() {
    let (faces, usual) = ([[0, 1, 2], [2, 1, 3]], options(512));
    let key = CacheKey::new(4, &faces, &usual);
    assert_eq!(key, CacheKey::new(4, &faces, &usual));
    let others = [
        CacheKey::new(5, &faces, &usual),
        CacheKey::new(4, &faces[..1], &usual),
        CacheKey::new(4, &[[0, 1, 2], [2, 3, 1]], &usual),
        CacheKey::new(4, &faces, &options(511)),
        CacheKey::new(4, &faces, &PatchOptions { seed: 2, ..usual }),
        CacheKey::new(
            4,
            &faces,
            &PatchOptions {
                growth: 1.1,
                ..usual
            },
        ),
    ];
    assert!(others.iter().all(|other| *other != key));
}

#[test]
fn damage_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.patches");
    let mesh = meshes::grid(6, 5);
    let key = CacheKey::new(mesh.vertices, &mesh.faces, &options(16));
    let set = build(mesh.vertices, &mesh.faces, &options(16)).unwrap();
    set.save(&path, key).unwrap();
    let good = fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(3).chain(0..160) {
        for flip in [1, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            fs::write(&path, &bad).unwrap();
            assert!(
                PatchSet::load(&path, key).is_err(),
                "byte {at} flipped by {flip}"
            );
        }
    }
    for length in (0..good.len()).step_by(7) {
        fs::write(&path, &good[..length]).unwrap();
        assert!(PatchSet::load(&path, key).is_err(), "cut to {length} bytes");
    }
    let mut long = good.clone();
    long.extend([0; 8]);
    fs::write(&path, &long).unwrap();
    assert!(PatchSet::load(&path, key).is_err());
    fs::write(&path, "o a mesh, not patches\n".repeat(50)).unwrap();
    assert!(matches!(
        PatchSet::load(&path, key),
        Err(CacheError::Foreign)
    ));
    assert!(PatchSet::load(&folder.path().join("none"), key).is_err());
    assert!(
        !build_cached(&path, mesh.vertices, &mesh.faces, &options(16))
            .unwrap()
            .headers
            .is_empty()
    );
    assert!(PatchSet::load(&path, key).is_ok());
}
