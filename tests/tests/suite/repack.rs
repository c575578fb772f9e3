//! Packing of flat arrays into patches: valid, the same triangles, the same on every engine, right queries, attributes
//! that follow.

use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{EEThroughFaces, EF, EV, FE, FF, FV, Relation, VE, VF, VV};
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::{PatchError, PatchOptions, PatchSet, build};
use rxmesh_host::repack::{Labels, RepackOptions, Repacked};
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures::{Fixture, suited};
use rxmesh_tests::flat::{Flat, NONE};
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::oracle::{Oracle, Sets};

conformance! {
    unchanged_patches_come_out_as_they_were, edited_meshes, random_labels, one_patch_of_many_faces, long_lists,
    attributes_follow, bad_arrays, bad_labels, a_patch_that_does_not_fit,
    grown_and_shrunk_meshes, labels_of_any_size, good_labels_stay
}

fn options(patch_size: u32) -> RepackOptions {
    RepackOptions::default().with(|o| {
        o.patch_size = patch_size;
        o.labels = Labels::Keep;
    })
}

fn packed(engine: &Engine, what: &str, flat: &Flat, patch_size: u32) -> Repacked {
    packed_with(engine, what, flat, options(patch_size))
}

fn packed_with(engine: &Engine, what: &str, flat: &Flat, options: RepackOptions) -> Repacked {
    let mesh = flat.upload(engine);
    mesh.repack(engine, flat.labels(), options)
        .unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Runs `f` on each fixture at each patch size, and with slack. In the usual run large ones alternate between these.
fn each_set(engine: &Engine, mut f: impl FnMut(&str, u32, &PatchSet)) {
    let mut large = 0;
    for fixture in suited(engine) {
        let sizes = fixture.patch_sizes();
        let mut sets: Vec<_> = sizes.iter().map(|&size| (size, false)).collect();
        sets.insert(1, (sizes[0], true));
        if fixture.mesh.face_count() > extent(330, usize::MAX) {
            large += 1;
            sets = vec![sets[large % sets.len()]];
        }
        for (size, slack) in sets {
            let with = if slack { " with slack" } else { "" };
            let what = format!("{} in patches of {size}{with}", fixture.name);
            f(&what, size, &fixture.patches(size, slack));
        }
    }
}

fn unchanged_patches_come_out_as_they_were(engine: &Engine) {
    for fixture in suited(engine) {
        for size in fixture.patch_sizes() {
            let (what, set) = (&fixture.name, fixture.patches(size, false));
            let got = packed(engine, what, &Flat::open(&set), size);
            let got = got.mesh.patch_set().unwrap();
            assert_eq!(got.headers, set.headers, "{what}");
            assert_eq!(got.topology, set.topology, "{what}");
            assert_eq!(got.masks, set.masks, "{what}");
            assert_eq!(got.ribbons, set.ribbons, "{what}");
            assert_eq!(got.counts, set.counts, "{what}");
            let all: Vec<u32> = (0..set.counts[0]).collect();
            assert_eq!(got.vertex_source, all, "{what}");
        }
    }
}

/// Checks all invariants of a repack.
fn check(engine: &Engine, what: &str, flat: &Flat, patch_size: u32) -> Repacked {
    check_with(engine, what, flat, options(patch_size))
}

fn check_with(engine: &Engine, what: &str, flat: &Flat, options: RepackOptions) -> Repacked {
    let got = packed_with(engine, what, flat, options);
    let set = got.mesh.patch_set().unwrap();
    let (vertices, triangles) = (flat.vertices(), flat.triangles());
    assert_eq!(set.validate(vertices.len(), &triangles), [], "{what}");
    check_renumbering(what, flat, &got);
    let oracle = Oracle::new(vertices.len(), &triangles);
    check_queries(what, &got.mesh, &oracle);
    let cpu = Engine::cpu();
    let want = packed_with(&cpu, what, flat, options);
    same(what, &got, &want);
    got
}

fn check_renumbering(what: &str, flat: &Flat, got: &Repacked) {
    let set = got.mesh.patch_set().unwrap();
    let linear = Kind::ALL.map(|kind| got.renumbering.linear(kind).read().unwrap());
    for (v, &id) in linear[0].iter().enumerate() {
        assert_eq!(id == NONE, flat.ve[v] == u32::MAX - 1, "{what}: vertex {v}");
    }
    for (f, &id) in linear[2].iter().enumerate() {
        assert_eq!(id == NONE, !flat.is_face(f), "{what}: face {f}");
    }
    // Edges keep their ends, and the direction.
    let rows = got.mesh.query::<EV>().unwrap().read().unwrap();
    let mut seen = vec![false; set.counts[1] as usize];
    for (e, &id) in linear[1].iter().enumerate() {
        if flat.ev[2 * e] == NONE {
            assert_eq!(id, NONE, "{what}: edge {e}");
            continue;
        }
        let ends = [0, 1].map(|k| linear[0][flat.ev[2 * e + k] as usize]);
        assert_eq!(rows.row(id as usize), ends, "{what}: edge {e}");
        assert!(
            !std::mem::replace(&mut seen[id as usize], true),
            "{what}: edge {e}"
        );
    }
    assert!(
        seen.iter().all(|&s| s),
        "{what}: linear edges without a source"
    );
}

fn check_queries(what: &str, mesh: &RxMesh, oracle: &Oracle) {
    let ids = InputIds::new(mesh, oracle);
    relation::<VV>(what, mesh, &ids, &oracle.vv(), false);
    relation::<VE>(what, mesh, &ids, &oracle.ve(), false);
    relation::<VF>(what, mesh, &ids, &oracle.vf(), false);
    // The direction of an edge is the session's.
    relation::<EV>(what, mesh, &ids, &oracle.ev(), false);
    relation::<EF>(what, mesh, &ids, &oracle.ef(), false);
    relation::<EEThroughFaces>(what, mesh, &ids, &oracle.ee(), false);
    relation::<FV>(what, mesh, &ids, &oracle.fv(), true);
    relation::<FE>(what, mesh, &ids, &oracle.fe(), true);
    relation::<FF>(what, mesh, &ids, &oracle.ff(), false);
}

fn relation<R: Relation>(what: &str, mesh: &RxMesh, ids: &InputIds, want: &Sets, ordered: bool)
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = mesh.query::<R>().unwrap().read().unwrap();
    for (linear, &id) in ids.all(R::Source::KIND).iter().enumerate() {
        let mut row: Vec<u32> = rows
            .row(linear)
            .iter()
            .map(|&x| ids.input(R::Target::KIND, x))
            .collect();
        if !ordered {
            row.sort_unstable();
        }
        assert_eq!(row, want[id as usize], "{} of {what}: {id}", R::NAME);
    }
}

/// Checks for bitwise equality.
fn same(what: &str, got: &Repacked, want: &Repacked) {
    let (a, b) = (
        got.mesh.patch_set().unwrap(),
        want.mesh.patch_set().unwrap(),
    );
    assert_eq!(a.headers, b.headers, "{what}");
    assert_eq!(a.topology, b.topology, "{what}");
    assert_eq!(a.masks, b.masks, "{what}");
    assert_eq!(a.ribbons, b.ribbons, "{what}");
    for kind in Kind::ALL {
        let linear = |r: &Repacked| r.renumbering.linear(kind).read().unwrap();
        assert_eq!(linear(got), linear(want), "{what}");
    }
}

fn edited_meshes(engine: &Engine) {
    each_set(engine, |what, size, set| {
        let mut flat = Flat::open(set);
        check(engine, what, &flat, size);
        flat.kill(7, 1);
        check(engine, &format!("{what}, killed"), &flat, size);
        check(
            engine,
            &format!("{what}, scattered"),
            &flat.scatter(2),
            size,
        );
    });
}

/// Labels independent of the mesh, most of them without a face.
fn random_labels(engine: &Engine) {
    each_set(engine, |what, size, set| {
        if is_very_slow(engine) && set.counts[2] > 40 {
            return;
        }
        let mut flat = Flat::open(set).scatter(3);
        for (i, label) in flat.label.iter_mut().enumerate() {
            *label = 3 + 5 * (rxmesh_host::kernels::math::hash(i as u32) % 4);
        }
        check(engine, &format!("{what}, random labels"), &flat, size);
    });
}

fn opened(mesh: TriMesh, patch_size: u32) -> Flat {
    Flat::open(&Fixture::new("", mesh).patches(patch_size, false))
}

/// More faces than are sorted in shared memory.
fn one_patch_of_many_faces(engine: &Engine) {
    if is_very_slow(engine) {
        return;
    }
    let mut flat = opened(generate::torus(60, 50, 1.0, 0.4).unwrap(), 512).scatter(4);
    flat.label.fill(2);
    check(engine, "a patch of 6000 faces", &flat, 512);
}

/// A patch that is assigned more faces than fit its tables in shared memory.
fn long_lists(engine: &Engine) {
    if is_very_slow(engine) {
        return;
    }
    let flat = opened(generate::fan(3000).unwrap(), 64).scatter(5);
    check(engine, "a fan of 3000", &flat, 64);
}

fn attributes_follow(engine: &Engine) {
    let fixture = suited(engine).find(|f| f.name == "small torus").unwrap();
    let mut flat = Flat::open(&fixture.patches(16, false));
    flat.kill(5, 6);
    let flat = flat.scatter(7);
    let got = packed(engine, "a torus", &flat, 16);
    follow::<Vertex, u32>(engine, &got, |id| id);
    follow::<Edge, f32>(engine, &got, |id| id as f32 + 0.5);
    follow::<Face, [u32; 3]>(engine, &got, |id| [id, 2 * id, !id]);
    let wrong = engine.upload(&[0u32; 3]).unwrap();
    let error = got.renumbering.attribute::<Vertex, u32>(&got.mesh, &wrong);
    assert!(matches!(error, Err(Error::Options(_))));
    let bytes = engine.upload(&vec![0u8; flat.ve.len()]).unwrap();
    let error = got.renumbering.attribute::<Vertex, u8>(&got.mesh, &bytes);
    assert!(matches!(error, Err(Error::Options(_))));
    let other = packed(engine, "a torus", &flat, 16);
    let values = engine.upload(&vec![0u32; flat.ve.len()]).unwrap();
    let error = got
        .renumbering
        .attribute::<Vertex, u32>(&other.mesh, &values);
    assert!(matches!(error, Err(Error::Attribute(_))));
}

fn follow<K: Element, T: rxmesh_host::kernels::attr::Value>(
    engine: &Engine,
    got: &Repacked,
    value: impl Fn(u32) -> T,
) {
    let linear = got.renumbering.linear(K::KIND).read().unwrap();
    let values: Vec<T> = (0..linear.len() as u32).map(&value).collect();
    let values = engine.upload(&values).unwrap();
    let mut moved = got
        .renumbering
        .attribute::<K, T>(&got.mesh, &values)
        .unwrap();
    moved.download().unwrap();
    let moved = moved.host().unwrap();
    for (id, &to) in linear.iter().enumerate().filter(|(_, to)| **to != NONE) {
        assert_eq!(moved[to as usize], value(id as u32));
    }
}

fn bad_arrays(engine: &Engine) {
    let fixture = suited(engine).find(|f| f.name == "small torus").unwrap();
    let flat = Flat::open(&fixture.patches(16, false));
    let cut: [fn(&mut Flat); 4] = [
        |f| _ = f.fe.pop(),
        |f| _ = f.ev.pop(),
        |f| f.ef.truncate(2),
        |f| _ = f.label.pop(),
    ];
    for cut in cut {
        let mut flat = flat.clone();
        cut(&mut flat);
        let arrays = flat.upload(engine);
        let got = arrays.repack(engine, flat.labels(), options(16));
        assert!(matches!(got, Err(Error::Options(_))), "{got:?}");
    }
    let arrays = flat.upload(engine);
    for patch_size in [0, 65536] {
        let got = arrays.repack(engine, flat.labels(), options(patch_size));
        let want = Error::Patch(PatchError::PatchSize(patch_size));
        assert_eq!(got.err(), Some(want));
    }
}

fn bad_labels(engine: &Engine) {
    let fixture = suited(engine).find(|f| f.name == "small torus").unwrap();
    let mut flat = Flat::open(&fixture.patches(16, false));
    let labels = flat.labels();
    flat.label[7] = labels;
    let arrays = flat.upload(engine);
    match arrays.repack(engine, labels, options(16)) {
        Err(Error::Options(text)) => assert!(text.starts_with("face 7 has label"), "{text}"),
        other => panic!("{other:?}"),
    }
    engine.synchronize().unwrap();
}

fn a_patch_that_does_not_fit(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    let mut flat = opened(generate::grid(120, 100).unwrap(), 512);
    flat.label.fill(0);
    let arrays = flat.upload(engine);
    match arrays.repack(engine, 1, options(512)) {
        Err(Error::Patch(PatchError::PatchTooLarge { .. })) => {}
        other => panic!("{other:?}"),
    }
}

/// Mesh whose labels are from a mesh with several times as many (or as few) faces.
struct Resized {
    flat: Flat,
    faces: Vec<[u32; 3]>,
    vertices: usize,
}

/// Splits every face into four; face `f` becomes the faces from `4 f` on, the last of them in its middle.
fn split_in_four(mesh: &TriMesh) -> TriMesh {
    let mut fine = mesh.clone();
    fine.faces.clear();
    let mut middles = std::collections::HashMap::new();
    for &[a, b, c] in &mesh.faces {
        let mut middle = |u: u32, v: u32| {
            *middles.entry((u.min(v), u.max(v))).or_insert_with(|| {
                let at = (mesh.positions[u as usize] + mesh.positions[v as usize]) / 2.0;
                fine.positions.push(at);
                fine.positions.len() as u32 - 1
            })
        };
        let (x, y, z) = (middle(a, b), middle(b, c), middle(c, a));
        fine.faces
            .extend([[a, x, z], [x, b, y], [z, y, c], [x, y, z]]);
    }
    fine
}

/// Labels `mesh` with the patches of `of`, where face `f` lies in face `origin(f)` of that.
fn resized(mesh: &TriMesh, of: &TriMesh, patch_size: u32, origin: impl Fn(u32) -> u32) -> Resized {
    let cut = |mesh: &TriMesh| Fixture::new("", mesh.clone()).patches(patch_size, false);
    let (set, old) = (cut(mesh), cut(of));
    let mut flat = Flat::open(&set);
    for (linear, label) in flat.label.iter_mut().enumerate() {
        let face = old.face_linear[origin(set.face_source[linear]) as usize];
        let ends = old
            .headers
            .partition_point(|h| h.base[2] + u32::from(h.owned[2]) <= face);
        *label = ends as u32;
    }
    Resized {
        flat,
        faces: mesh.faces.clone(),
        vertices: mesh.positions.len(),
    }
}

/// Repacks with better labels and compares with a set that was cut from scratch.
fn as_good_as_new(engine: &Engine, what: &str, mesh: &Resized, patch_size: u32) {
    let got = resize(engine, what, &mesh.flat, patch_size);
    let got = got.mesh.patch_set().unwrap();
    let options = PatchOptions::default().with(|o| {
        o.patch_size = patch_size;
    });
    let want = build(mesh.vertices, &mesh.faces, &options).unwrap();
    let (got, want) = (&got.stats, &want.stats);
    println!("{what}: {got:?}, cut from scratch: {want:?}");
    assert!(got.size_max <= patch_size, "{what}: {got:?}");
    // A region's last patch is never quite full; the small meshes for teams have only a handful of regions.
    let full = if is_slow(engine) { 0.9 } else { 0.97 };
    assert!(
        got.size_mean >= full * want.size_mean,
        "{what}: {got:?}, cut from scratch: {want:?}"
    );
    for k in 0..3 {
        assert!(
            got.ribbon_percent[k] <= 1.2 * want.ribbon_percent[k],
            "{what}: {got:?}, cut from scratch: {want:?}"
        );
    }
}

/// Repacks and checks everything.
fn resize(engine: &Engine, what: &str, flat: &Flat, patch_size: u32) -> Repacked {
    let options = RepackOptions::default().with(|o| {
        o.patch_size = patch_size;
        o.labels = Labels::Resize;
    });
    check_with(engine, what, flat, options)
}

/// A remeshing may quadruple the faces, a simplification leave one in ten: labels are then far too large or small.
fn grown_and_shrunk_meshes(engine: &Engine) {
    let (n, patch_size) = if is_slow(engine) {
        (24, 48)
    } else {
        extent((48, 128), (100, 512))
    };
    let coarse = generate::torus(n, n, 1.0, 0.4).unwrap();
    let fine = split_in_four(&coarse);
    let finest = split_in_four(&fine);
    let grown = resized(&fine, &coarse, patch_size, |f| f / 4);
    as_good_as_new(engine, "four times the faces", &grown, patch_size);
    let shrunk = resized(&coarse, &finest, patch_size, |f| 16 * f + 15);
    as_good_as_new(engine, "a sixteenth of the faces", &shrunk, patch_size);
    let half = resized(&coarse, &fine, patch_size, |f| 4 * f + 3);
    as_good_as_new(engine, "a quarter of the faces", &half, patch_size);
}

/// One label, a label per face, random labels, disconnected faces: no patch is too large, and not many are small.
fn labels_of_any_size(engine: &Engine) {
    each_set(engine, |what, size, set| {
        if is_very_slow(engine) && set.counts[2] > 40 {
            return;
        }
        let mut flat = Flat::open(set).scatter(8);
        let few = |what: &str, flat: &Flat| {
            let got = resize(engine, what, flat, size);
            let stats = &got.mesh.patch_set().unwrap().stats;
            assert!(stats.size_max <= size, "{what}: {stats:?}");
            let faces = got.mesh.count(Kind::Face);
            let patches = got
                .mesh
                .patch_set()
                .unwrap()
                .headers
                .iter()
                .filter(|h| h.owned[2] > 0);
            assert!(
                patches.count() as u32 <= 2 + 3 * faces / size,
                "{what}: {stats:?}"
            );
        };
        flat.label.fill(1);
        few(&format!("{what}, one label"), &flat);
        for (i, label) in flat.label.iter_mut().enumerate() {
            *label = i as u32;
        }
        few(&format!("{what}, a label a face"), &flat);
        for (i, label) in flat.label.iter_mut().enumerate() {
            *label = rxmesh_host::kernels::math::hash(i as u32) % 7;
        }
        few(&format!("{what}, random labels"), &flat);
    });
}

/// An unchanged mesh keeps its patches.
fn good_labels_stay(engine: &Engine) {
    let patch_size = 48;
    let mesh = generate::torus(40, 30, 1.0, 0.4).unwrap();
    let set = Fixture::new("", mesh).patches(patch_size, false);
    let got = resize(engine, "a torus", &Flat::open(&set), patch_size);
    assert_eq!(got.mesh.patch_set().unwrap().topology, set.topology);
}
