//! Whatever is built must pass `validate()`.

mod cache;
mod meshes;

use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use rxmesh_kernels::topo::Kind;

use super::{PatchError, PatchOptions, PatchSet, build};
use meshes::TriangleList;

fn options(patch_size: u32) -> PatchOptions {
    PatchOptions {
        patch_size,
        ..PatchOptions::default()
    }
}

/// Builds with these options and checks everything there is to check.
#[track_caller]
fn check_with(mesh: &TriangleList, options: &PatchOptions) -> PatchSet {
    let set = build(mesh.vertices, &mesh.faces, options).unwrap();
    let violations = set.validate(mesh.vertices, &mesh.faces);
    assert!(
        violations.is_empty(),
        "{options:?}: {:?}",
        &violations[..violations.len().min(5)]
    );
    assert!(set.stats.size_max <= options.patch_size);
    set
}

/// Checks several patch sizes, static and growing.
#[track_caller]
fn check(mesh: &TriangleList) {
    for patch_size in [1, 16, 100, 512, 65535] {
        for growth in [1.0, 1.3] {
            check_with(
                mesh,
                &PatchOptions {
                    growth,
                    ..options(patch_size)
                },
            );
        }
    }
}

#[test]
fn grids_and_closed_surfaces() {
    check(&meshes::grid(1, 1));
    check(&meshes::grid(40, 23));
    check(&meshes::grid(2000, 1));
    check(&meshes::torus(30, 41));
    check(&meshes::sphere(12));
    check(&meshes::sphere(12).shuffled(5));
}

#[test]
fn many_regions() {
    for mesh in [meshes::torus(150, 100), meshes::torus(150, 100).shuffled(1)] {
        let set = check_with(&mesh, &options(64));
        assert!(set.stats.size_mean > 0.75 * 64.0, "{:?}", set.stats);
    }
}

#[test]
fn patches_are_full_and_ribbons_small() {
    for mesh in [meshes::sphere(40), meshes::sphere(40).shuffled(9)] {
        let stats = check_with(&mesh, &options(512)).stats;
        assert!(stats.size_mean > 0.75 * 512.0, "{stats:?}");
        assert!(stats.ribbon_percent[2] < 27.0, "{stats:?}");
        assert!(stats.bytes.total < 22.0, "{stats:?}");
    }
}

#[test]
fn long_strips_outlive_the_levels_of_a_key() {
    check_with(&meshes::grid(9000, 1), &options(16));
    check_with(&meshes::grid(9000, 1).shuffled(3), &options(16));
}

#[test]
fn fans() {
    check(&meshes::fan(1000, false));
    check(&meshes::fan(1000, true));
    let set = check_with(&meshes::fan(1000, true), &options(16));
    assert!(set.headers.iter().any(|h| h.total[2] >= 1000));
}

#[test]
fn few_or_no_faces() {
    check(&TriangleList::new(0, []));
    check(&TriangleList::new(1, []));
    check(&TriangleList::new(700, []));
    check(&TriangleList::new(3, [[0, 1, 2]]));
    check(&TriangleList::new(40, [[7, 3, 30]]));
    assert_eq!(build(0, &[], &options(512)).unwrap().headers.len(), 0);
    assert_eq!(build(700, &[], &options(512)).unwrap().headers.len(), 2);
}

#[test]
fn non_manifold() {
    check(&TriangleList::new(5, [[0, 1, 2], [1, 0, 3], [0, 1, 4]]));
    check(&TriangleList::new(7, meshes::two_tetrahedra()));
    check(&meshes::book(40));
    check(&meshes::book(40).joined(&meshes::torus(10, 10)).shuffled(2));
}

/// Walks around the edge from each of its faces, in each patch, took minutes.
#[test]
fn an_edge_with_thousands_of_faces_takes_no_time() {
    let mesh = meshes::book(8000);
    let start = std::time::Instant::now();
    let set = build(mesh.vertices, &mesh.faces, &options(256)).unwrap();
    assert!(set.headers.len() > 100);
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 20.0, "{seconds} s");
    check_with(&meshes::book(500), &options(256));
}

#[test]
fn degenerate_and_duplicate_faces() {
    check(&TriangleList::new(2, [[0, 0, 1]]));
    check(&TriangleList::new(1, [[0, 0, 0], [0, 0, 0]]));
    check(&TriangleList::new(
        3,
        [
            [0, 1, 1],
            [1, 0, 1],
            [2, 2, 0],
            [0, 1, 2],
            [0, 1, 2],
            [2, 1, 0],
        ],
    ));
    let mut mesh = meshes::torus(20, 20);
    let copies: Vec<[u32; 3]> = mesh.faces.iter().step_by(3).copied().collect();
    mesh.faces.extend(copies);
    mesh.faces.extend([[5, 5, 6], [5, 6, 5], [9, 9, 9]]);
    check(&mesh.shuffled(4));
}

#[test]
fn components_are_packed_whole() {
    let mut mesh = TriangleList::new(0, []);
    for _ in 0..700 {
        mesh = mesh.joined(&meshes::grid(3, 2));
    }
    check(&mesh);
    let set = check_with(&mesh.shuffled(8), &options(512));
    assert_eq!(set.headers.len(), (700usize).div_ceil(512 / 12));
    let mixed = mesh
        .joined(&meshes::torus(40, 40))
        .joined(&TriangleList::new(100, []));
    check(&mixed.shuffled(1));
}

#[test]
fn options_and_indices_are_checked() {
    let faces = [[0, 1, 2], [2, 9, 3]];
    let error = build(4, &faces, &options(512)).unwrap_err();
    assert_eq!(
        error,
        PatchError::FaceIndex {
            face: 1,
            index: 9,
            vertex_count: 4
        }
    );
    assert!(build(0, &faces, &options(512)).is_err());
    assert_eq!(
        build(10, &faces, &options(0)).unwrap_err(),
        PatchError::PatchSize(0)
    );
    assert!(build(10, &faces, &options(65536)).is_err());
    for growth in [0.5, f32::NAN, f32::INFINITY] {
        let options = PatchOptions {
            growth,
            ..PatchOptions::default()
        };
        assert!(matches!(
            build(10, &faces, &options),
            Err(PatchError::Growth(_))
        ));
    }
}

#[test]
fn a_ring_beyond_the_limit_is_named() {
    let mesh = meshes::fan(20_000, true).shuffled(3);
    let hub = (0..mesh.vertices as u32)
        .max_by_key(|v| mesh.faces.iter().filter(|f| f.contains(v)).count())
        .unwrap();
    match build(mesh.vertices, &mesh.faces, &options(512)) {
        Err(PatchError::PatchTooLarge {
            kind: Kind::Edge,
            vertex,
            valence: 20_000,
            limit: 32_768,
            ..
        }) => assert_eq!(vertex, hub),
        other => panic!("{:?}", other.map(|set| set.stats)),
    }
    check_with(&meshes::fan(16_000, true), &options(512));
    assert!(build(3, &vec![[0, 1, 2]; 200_000], &options(512)).is_err());
}

#[test]
fn validate_notices_every_change() {
    let mesh = meshes::sphere(6).shuffled(2);
    let good = check_with(&mesh, &options(64));
    let notices = |change: &dyn Fn(&mut PatchSet)| {
        let mut bad = good.clone();
        change(&mut bad);
        !bad.validate(mesh.vertices, &mesh.faces).is_empty()
    };
    let header = &good.headers[1];
    let used = header.topology..header.topology + 2 * u32::from(header.total[1]);
    for at in used.chain(header.fe_section()..header.fe_section() + 3 * u32::from(header.total[2]))
    {
        assert!(
            notices(&|set| set.topology[at as usize] ^= 1),
            "topology {at}"
        );
    }
    for at in header.mask..header.mask + header.mask_len() {
        assert!(notices(&|set| set.masks[at as usize] ^= 4), "mask {at}");
    }
    for kind in Kind::ALL {
        let at = header.ribbon_section(kind) as usize;
        assert!(notices(&|set| set.ribbons[at] += 1), "ribbon of {kind:?}");
        assert!(notices(&|set| set.headers[1].owned[kind as usize] -= 1));
        assert!(notices(&|set| set.headers[1].total[kind as usize] -= 1));
        assert!(notices(&|set| set.headers[2].base[kind as usize] -= 1));
        assert!(notices(&|set| set.counts[kind as usize] += 1));
    }
    assert!(notices(&|set| set.vertex_source.swap(3, 4)));
    assert!(notices(&|set| set.face_linear.swap(3, 4)));
    assert!(notices(&|set| set.ribbons.truncate(set.ribbons.len() - 1)));
}

/// Returns all contents of a set, apart from times.
fn content(set: &PatchSet) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        (
            set.headers.clone(),
            set.topology.clone(),
            set.masks.clone(),
            set.ribbons.clone(),
        ),
        (set.vertex_source.clone(), set.face_source.clone()),
        (set.vertex_linear.clone(), set.face_linear.clone()),
        (set.counts, set.linear_len),
    )
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for mesh in [
        meshes::torus(300, 300).shuffled(1),
        meshes::sphere(70),
        meshes::book(60).joined(&meshes::torus(90, 90)),
    ] {
        let sets = [1, 2, 5, 5].map(|threads| {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| content(&build(mesh.vertices, &mesh.faces, &options(32)).unwrap()))
        });
        assert!(sets.iter().all(|set| *set == sets[0]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn soups(
        faces in prop::collection::vec(prop::array::uniform3(0u32..60), 0..200),
        patch_size in 1u32..80,
        seed: u64,
        growth in 1.0f32..2.0,
    ) {
        check_with(&TriangleList::new(60, faces), &PatchOptions { patch_size, seed, growth });
    }

    #[test]
    fn holed_grids(
        holes in prop::collection::btree_set(0usize..1200, 0..500),
        patch_size in 4u32..200,
        seed: u64,
    ) {
        let mut mesh = meshes::grid(30, 20).shuffled(seed);
        let mut number = 0;
        mesh.faces.retain(|_| {
            number += 1;
            !holes.contains(&(number - 1))
        });
        check_with(&mesh, &PatchOptions { patch_size, seed, growth: 1.0 });
    }
}
