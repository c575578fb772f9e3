//! Meshes by property, made in code.

use crate::engines::{is_slow, is_very_slow};
use crate::extent::extent;
use crate::oracle::Oracle;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_host::patch::{self, PatchOptions, PatchSet};
use rxmesh_host::store::RxMesh;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Mesh with its expected answers.
pub struct Fixture {
    /// Name in messages.
    pub name: String,
    /// Mesh.
    pub mesh: TriMesh,
    oracle: OnceLock<Oracle>,
    sets: Mutex<HashMap<(u32, bool), Arc<PatchSet>>>,
}

impl Fixture {
    /// Makes a fixture of a mesh.
    pub fn new(name: impl Into<String>, mesh: TriMesh) -> Fixture {
        Fixture {
            name: name.into(),
            mesh,
            oracle: OnceLock::new(),
            sets: Mutex::default(),
        }
    }

    /// Returns the expected answers.
    pub fn oracle(&self) -> &Oracle {
        self.oracle
            .get_or_init(|| Oracle::new(self.mesh.vertex_count(), &self.mesh.faces))
    }

    /// Returns the patch sizes to try: 16, in the long run also 64 and 512, and the whole mesh, without those that give
    /// the same patches.
    pub fn patch_sizes(&self) -> Vec<u32> {
        let faces = (self.mesh.face_count() as u32).max(1);
        let parts = extent(&[16][..], &[16, 64, 512]);
        let mut sizes: Vec<u32> = parts.iter().copied().filter(|&s| s < faces).collect();
        sizes.push(faces);
        sizes
    }

    /// Returns the mesh in patches of at most `patch_size` faces, checked by the patch set's own validation.
    pub fn patches(&self, patch_size: u32, slack: bool) -> Arc<PatchSet> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let set = sets.entry((patch_size, slack)).or_insert_with(|| {
            let growth = if slack { 1.5 } else { 1.0 };
            let options = PatchOptions::default().with(|o| {
                o.patch_size = patch_size;
                o.growth = growth;
            });
            let set = patch::build(self.mesh.vertex_count(), &self.mesh.faces, &options)
                .expect("patches");
            assert_eq!(
                set.validate(self.mesh.vertex_count(), &self.mesh.faces),
                [],
                "{} at {patch_size}",
                self.name
            );
            Arc::new(set)
        });
        set.clone()
    }

    /// Uploads the mesh to an engine.
    pub fn on(&self, engine: &Engine, patch_size: u32) -> RxMesh {
        RxMesh::from_patches(engine, PatchSet::clone(&self.patches(patch_size, false)))
            .expect("upload")
    }

    /// Uploads the mesh to an engine, with spare capacity in every patch.
    pub fn on_with_slack(&self, engine: &Engine, patch_size: u32) -> RxMesh {
        RxMesh::from_patches(engine, PatchSet::clone(&self.patches(patch_size, true)))
            .expect("upload")
    }
}

/// Runs `f` for the fixtures that suit an engine's speed, each at every patch size and once with slack.
pub fn each_mesh(engine: &Engine, mut f: impl FnMut(&str, &Fixture, &RxMesh)) {
    for fixture in suited(engine) {
        let sizes = fixture.patch_sizes();
        for &size in &sizes {
            f(
                &format!("{} in patches of {size}", fixture.name),
                fixture,
                &fixture.on(engine, size),
            );
        }
        f(
            &format!("{} with slack", fixture.name),
            fixture,
            &fixture.on_with_slack(engine, sizes[0]),
        );
    }
}

/// Returns the fixtures that suit an engine's speed.
pub fn suited(engine: &Engine) -> impl Iterator<Item = &'static Fixture> {
    let most = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 70,
        (_, true) => extent(130, 330),
        _ => usize::MAX,
    };
    all().iter().filter(move |f| f.mesh.face_count() <= most)
}

/// Returns all fixtures.
pub fn all() -> &'static [Fixture] {
    static ALL: OnceLock<Vec<Fixture>> = OnceLock::new();
    ALL.get_or_init(|| {
        vec![
            Fixture::new("empty", empty()),
            Fixture::new("no faces", no_faces(5)),
            Fixture::new("one triangle", one_triangle()),
            Fixture::new("tetrahedron", tetrahedron()),
            Fixture::new("small torus", torus(5, 4)),
            Fixture::new("small grid", with_boundary(5, 4)),
            Fixture::new("book", non_manifold_edge(3, 2)),
            Fixture::new("two tetrahedra at a vertex", non_manifold_vertex()),
            Fixture::new("disk with a fin", fin(false)),
            Fixture::new("disk with a fin the other way", fin(true)),
            Fixture::new("Moebius strip", moebius(9)),
            Fixture::new("open fan", open_fan(12)),
            Fixture::new("fan of 30", high_valence(30)),
            Fixture::new("7 components", components(7)),
            Fixture::new("isolated vertices", isolated_vertices()),
            Fixture::new("degenerate faces", degenerate_faces()),
            Fixture::new("duplicate faces", duplicate_faces()),
            Fixture::new("mixed orientation", mixed_orientation(5, 5, 3)),
            Fixture::new("small soup", soup(11, 12, 30)),
            Fixture::new("sphere of 320", closed(2)),
            Fixture::new("grid of 288", with_boundary(12, 12)),
            Fixture::new("soup of 120", soup(12, 60, 120)),
            Fixture::new("long book", non_manifold_edge(5, 30)),
            Fixture::new("sphere of 1280", closed(3)),
            Fixture::new("torus of 960", torus(24, 20)),
            Fixture::new("grid of 1200", with_boundary(20, 30)),
            Fixture::new("cylinder", cylinder()),
            Fixture::new("fan of 1000", high_valence(1000)),
            Fixture::new("book of 300 pages", non_manifold_edge(300, 2)),
            Fixture::new("60 components", components(60)),
            Fixture::new("mixed orientation of 800", mixed_orientation(20, 20, 4)),
            Fixture::new("soup of 900", soup(13, 300, 900)),
        ]
    })
}

fn mesh(positions: Vec<Vec3>, faces: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(positions, faces).expect("a valid fixture")
}

/// Makes positions for faces without their own: random in the unit cube.
fn scattered(vertices: usize, seed: u64) -> Vec<Vec3> {
    let mut rng = Rng::new(seed);
    let mut next = || rng.signed_unit() as f32;
    (0..vertices)
        .map(|_| Vec3::new(next(), next(), next()))
        .collect()
}

/// Makes a mesh without vertices and faces.
pub fn empty() -> TriMesh {
    TriMesh::default()
}

/// Makes vertices without faces.
pub fn no_faces(vertices: usize) -> TriMesh {
    mesh(scattered(vertices, 1), Vec::new())
}

/// Makes one triangle.
pub fn one_triangle() -> TriMesh {
    mesh(
        vec![Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.8, 0.0)],
        vec![[0, 1, 2]],
    )
}

/// Makes the smallest closed mesh.
pub fn tetrahedron() -> TriMesh {
    let p = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    mesh(p, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// Makes a closed manifold: a noisy icosphere in shuffled order.
pub fn closed(levels: u32) -> TriMesh {
    let mut m = generate::icosphere(levels).expect("a sphere");
    generate::noise(&mut m, 0.1, 2).expect("noise");
    generate::shuffle(&mut m, 3);
    m
}

/// Makes a closed manifold of genus 1.
pub fn torus(nu: u32, nv: u32) -> TriMesh {
    let mut m = generate::torus(nu, nv, 1.0, 0.4).expect("a torus");
    generate::noise(&mut m, 0.05, 4).expect("noise");
    generate::shuffle(&mut m, 5);
    m
}

/// Makes a manifold with a boundary: a noisy grid in shuffled order.
pub fn with_boundary(nx: u32, ny: u32) -> TriMesh {
    let mut m = generate::grid(nx, ny).expect("a grid");
    generate::noise(&mut m, 0.2, 6).expect("noise");
    generate::shuffle(&mut m, 7);
    m
}

/// Makes a manifold with two boundary loops.
pub fn cylinder() -> TriMesh {
    let mut m = generate::cylinder(24, 12, 1.0, 2.0, false).expect("a cylinder");
    generate::shuffle(&mut m, 8);
    m
}

/// Makes `pages` triangles at each of `rows` spine edges in a row.
pub fn non_manifold_edge(pages: u32, rows: u32) -> TriMesh {
    let mut positions: Vec<Vec3> = (0..=rows).map(|r| Vec3::new(0.0, 0.0, r as f32)).collect();
    let mut faces = Vec::new();
    for p in 0..pages {
        let (sin, cos) = (p as f32 * std::f32::consts::TAU / pages as f32).sin_cos();
        let first = positions.len() as u32;
        positions.extend((0..=rows).map(|r| Vec3::new(cos, sin, r as f32 + 0.2)));
        for r in 0..rows {
            let (a, b, c, d) = (r, r + 1, first + r, first + r + 1);
            faces.push([a, b, c]);
            faces.push([b, d, c]);
        }
    }
    mesh(positions, faces)
}

/// Makes `pages` noisy sheets of `n` by `n` squares that share a spine of `n` edges. All pages leave the spine in the
/// same direction, so no two of them are oriented alike there.
pub fn book(pages: u32, n: u32) -> TriMesh {
    let mut positions: Vec<Vec3> = (0..=n).map(|r| Vec3::new(0.0, 0.0, r as f32)).collect();
    let mut faces = Vec::new();
    for p in 0..pages {
        let (sin, cos) = (p as f32 * std::f32::consts::TAU / pages as f32).sin_cos();
        let first = positions.len() as u32;
        let at = |r: u32, c: u32| match c {
            0 => r,
            c => first + (c - 1) * (n + 1) + r,
        };
        let place = |c: u32, r: u32| Vec3::new(c as f32 * cos, c as f32 * sin, r as f32);
        positions.extend((1..=n).flat_map(|c| (0..=n).map(move |r| place(c, r))));
        for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
            faces.push([at(r, c), at(r + 1, c), at(r, c + 1)]);
            faces.push([at(r + 1, c), at(r + 1, c + 1), at(r, c + 1)]);
        }
    }
    let mut m = mesh(positions, faces);
    generate::noise(&mut m, 0.2, 11).expect("noise");
    generate::shuffle(&mut m, 12);
    m
}

/// Makes two closed surfaces that share one vertex.
pub fn touching(levels: u32) -> TriMesh {
    let (one, other) = (closed(levels), closed(levels));
    let n = one.vertex_count() as u32;
    let way = one.positions[0] - other.positions[1] + (one.positions[0] - other.positions[1]) * 0.1;
    let mut m = one;
    m.positions
        .extend(other.positions.iter().map(|p| -*p + way));
    let of_other = |v: u32| if v == 1 { 0 } else { n + v };
    m.faces.extend(other.faces.iter().map(|f| {
        let [a, b, c] = f.map(of_other);
        [a, c, b]
    }));
    m
}

/// Makes two tetrahedra that share one vertex.
pub fn non_manifold_vertex() -> TriMesh {
    let (mut p, mut f) = (tetrahedron().positions, tetrahedron().faces);
    p.extend([-Vec3::X, -Vec3::Y, -Vec3::Z]);
    f.extend(
        tetrahedron()
            .faces
            .iter()
            .map(|t| t.map(|v| if v == 0 { 0 } else { v + 3 })),
    );
    mesh(p, f)
}

/// Makes a closed fan of six around vertex 0, and two more faces of vertex 0 that hang on the edge from 0 to 1 like a
/// fin.
pub fn fin(other_way: bool) -> TriMesh {
    let mut m = generate::fan(6).expect("a fan");
    m.positions
        .extend([Vec3::new(0.5, 0.1, 1.0), Vec3::new(0.2, 0.1, 1.5)]);
    // Around vertex 0 the fin ends at the edge to 1, or starts there.
    m.faces.extend(if other_way {
        [[0, 1, 7], [0, 7, 8]]
    } else {
        [[0, 7, 1], [0, 8, 7]]
    });
    m
}

/// Makes a strip of `n` quads with a half twist: a manifold that cannot be oriented.
pub fn moebius(n: u32) -> TriMesh {
    let mut positions = Vec::new();
    for i in 0..n {
        let u = i as f32 / n as f32 * std::f32::consts::TAU;
        for side in [-0.3f32, 0.3] {
            let r = 1.0 + side * (u / 2.0).cos();
            positions.push(Vec3::new(r * u.cos(), r * u.sin(), side * (u / 2.0).sin()));
        }
    }
    let at = |i: u32, s: u32| if i < n { 2 * i + s } else { 1 - s };
    let quad = |i| {
        [
            [at(i, 0), at(i + 1, 0), at(i + 1, 1)],
            [at(i, 0), at(i + 1, 1), at(i, 1)],
        ]
    };
    mesh(positions, (0..n).flat_map(quad).collect())
}

/// Makes a vertex on the boundary with `valence` faces.
pub fn open_fan(valence: u32) -> TriMesh {
    let mut positions = vec![Vec3::ZERO];
    let angle = |i: u32| std::f32::consts::PI * i as f32 / valence as f32;
    positions
        .extend((0..=valence).map(|i| Vec3::new(angle(i).cos(), angle(i).sin(), 0.1 * i as f32)));
    let mut m = mesh(positions, (0..valence).map(|i| [0, i + 1, i + 2]).collect());
    generate::shuffle(&mut m, 9);
    m
}

/// Makes an interior vertex with `valence` faces.
pub fn high_valence(valence: u32) -> TriMesh {
    let mut m = generate::fan(valence).expect("a fan");
    m.positions[0] = Vec3::new(0.0, 0.0, 0.3);
    generate::shuffle(&mut m, 10);
    m
}

/// Makes `n` meshes in one, of different kinds, interleaved at random.
pub fn components(n: u32) -> TriMesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for i in 0..n {
        let part = match i % 4 {
            0 => tetrahedron(),
            1 => one_triangle(),
            2 => generate::grid(1 + i % 3, 2).expect("a grid"),
            _ => generate::fan(3 + i % 5).expect("a fan"),
        };
        let first = positions.len() as u32;
        positions.extend(
            part.positions
                .iter()
                .map(|&p| p + Vec3::new(3.0 * i as f32, 0.0, 0.0)),
        );
        faces.extend(part.faces.iter().map(|f| f.map(|v| v + first)));
    }
    let mut m = mesh(positions, faces);
    generate::shuffle(&mut m, 11);
    m
}

/// Makes a grid with vertices that no face uses, one of them far away.
pub fn isolated_vertices() -> TriMesh {
    let mut m = with_boundary(4, 3);
    m.positions.extend([Vec3::new(9.0, 8.0, 7.0), Vec3::ZERO]);
    m.positions.insert(0, Vec3::new(-1.0, 2.0, -3.0));
    m.faces.iter_mut().for_each(|f| *f = f.map(|v| v + 1));
    m
}

/// Makes a grid with faces that repeat a vertex, and one without area.
pub fn degenerate_faces() -> TriMesh {
    let mut m = generate::grid(4, 4).expect("a grid");
    m.positions.push(Vec3::new(5.0, 5.0, 5.0));
    // 0, 1, 2 lie on a line: exactly, because a quarter is a binary fraction.
    m.faces.extend([
        [3, 3, 8],
        [7, 13, 7],
        [12, 18, 18],
        [20, 20, 20],
        [0, 1, 2],
        [25, 25, 25],
    ]);
    m
}

/// Makes a grid in which some faces are duplicated, in the same or another order of corners.
pub fn duplicate_faces() -> TriMesh {
    let mut m = with_boundary(4, 4);
    let [a, b, c] = m.faces[5];
    m.faces.extend([
        [a, b, c],
        [b, c, a],
        m.faces[9],
        [m.faces[12][2], m.faces[12][1], m.faces[12][0]],
    ]);
    m
}

/// Makes a grid in which one face in `every` has the opposite orientation.
pub fn mixed_orientation(nx: u32, ny: u32, every: usize) -> TriMesh {
    let mut m = with_boundary(nx, ny);
    m.faces.iter_mut().step_by(every).for_each(|f| f.swap(0, 1));
    m
}

/// Makes random faces over random vertices; some repeat a vertex or are duplicates.
pub fn soup(seed: u64, vertices: u32, faces: usize) -> TriMesh {
    let mut rng = Rng::new(seed);
    let mut pick = || rng.below(u64::from(vertices)) as u32;
    let faces = (0..faces).map(|_| [pick(), pick(), pick()]).collect();
    mesh(scattered(vertices as usize, seed), faces)
}
