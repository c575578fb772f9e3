//! A cache file is either exactly the saved one, or an error.

use std::fs;

use super::super::{CacheError, CacheKey, PatchError, PatchOptions, PatchSet, build, build_cached};
use super::{content, meshes, options};
use crate::Error;
use crate::engine::Engine;
use crate::store::RxMesh;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::query::{EEThroughFaces, EF, FF, Relation, VF, VV};
use rxmesh_kernels::topo::Element;
use twox_hash::XxHash3_128;

#[test]
fn round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.patches");
    let mesh = meshes::torus(20, 30).joined(&meshes::TriangleList::new(9, []));
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
    let cached = || build_cached(&path, mesh.vertices, &mesh.faces, &options(16)).unwrap();
    assert!(!cached().headers.is_empty());
    // A file that is no patch set belongs to the user, and stays.
    assert!(fs::read(&path).unwrap().starts_with(b"o a mesh"));
    assert!(matches!(cached().save(&path, key), Err(CacheError::Io(_))));
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    assert!(!cached().headers.is_empty());
    assert!(PatchSet::load(&path, key).is_ok());
}

/// Checks that the rows of a relation of a set that counts as sound name elements that exist.
fn query<R: Relation>(rx: &RxMesh)
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = rx.query::<R>().unwrap().read().unwrap();
    let len = rx.linear_len(R::Target::KIND);
    assert!(rows.values.iter().all(|&id| id < len), "{}", R::NAME);
}

fn query_all(engine: &Engine, set: PatchSet) {
    let rx = RxMesh::from_patches(engine, set).unwrap();
    query::<VV>(&rx);
    query::<VF>(&rx);
    query::<EF>(&rx);
    query::<FF>(&rx);
    query::<EEThroughFaces>(&rx);
}

/// A file that was changed with knowledge of the format: the checksum is right, the content is not. It is an error, or
/// a set that cannot do harm; a cache that is not the mesh's is not used.
#[cfg(feature = "test-engines")]
#[test]
fn tampering_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.patches");
    let mesh = meshes::grid(5, 4);
    let options = PatchOptions {
        growth: 1.2,
        ..options(12)
    };
    let key = CacheKey::new(mesh.vertices, &mesh.faces, &options);
    let built = build(mesh.vertices, &mesh.faces, &options).unwrap();
    built.save(&path, key).unwrap();
    let good = fs::read(&path).unwrap();
    let body = good.len() - 16;
    let engine = Engine::shuffled(7);
    let (mut refused, mut taken) = (0, 0);
    for at in (32..body).step_by(3) {
        let mut bad = good.clone();
        bad[at] ^= [1, 0x10, 0x80, 0xff][at % 4];
        let sum = XxHash3_128::oneshot(&bad[..body]).to_le_bytes();
        bad[body..].copy_from_slice(&sum);
        fs::write(&path, &bad).unwrap();
        match PatchSet::load(&path, key) {
            Err(_) => refused += 1,
            Ok(set) => {
                taken += 1;
                query_all(&engine, set);
            }
        }
        if at % 64 == 0 {
            let set = build_cached(&path, mesh.vertices, &mesh.faces, &options).unwrap();
            assert!(set.is_of(mesh.vertices, &mesh.faces), "byte {at}");
        }
    }
    // Unused words (padding, slack) may hold anything.
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

#[test]
fn broken_sets_are_refused() {
    let mesh = meshes::grid(6, 5);
    let good = build(mesh.vertices, &mesh.faces, &options(16)).unwrap();
    let (engine, fe) = (Engine::cpu(), good.headers[0].fe_section() as usize);
    type Break<'a> = (&'a str, &'a dyn Fn(&mut PatchSet));
    let breaks: [Break<'_>; 8] = [
        ("an edge's end", &|s| s.topology[0] = u16::MAX),
        ("a face's edge", &|s| s.topology[fe] = u16::MAX),
        ("a face that does not close", &|s| s.topology[fe] ^= 1),
        ("a linear id", &|s| s.ribbons[0] = u32::MAX - 1),
        ("a section", &|s| s.headers[1].topology += 8),
        ("an owner", &|s| s.headers[1].base[0] = 0),
        ("a count", &|s| s.headers[0].total[2] = u16::MAX),
        ("a name", &|s| s.vertex_source[0] = 1 << 30),
    ];
    for (what, change) in breaks {
        let mut set = good.clone();
        change(&mut set);
        let error = RxMesh::from_patches(&engine, set).err();
        assert!(
            matches!(error, Some(Error::Patch(PatchError::Broken(_)))),
            "{what}: {error:?}"
        );
    }
    assert!(good.check().is_ok() && good.is_of(mesh.vertices, &mesh.faces));
    assert!(!good.is_of(mesh.vertices, &mesh.faces[1..]));
}
