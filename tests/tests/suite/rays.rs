//! Hits of rays against a search through all triangles, in `f64` and with another formula (Moeller and Trumbore 1997).

use glam::{DVec3, Vec3};
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::algo::rays::Rays;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::edit::NONE;
use rxmesh_host::mesh::TriMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::fixtures;
use rxmesh_tests::points::PointsAround;

conformance! {
    of_any_mesh, closed_surfaces_have_no_gaps, limits, rays_that_are_none, same_bits_on_all_engines, many_rays
}

/// Rays of a test.
#[derive(Default)]
pub(crate) struct RayTable {
    pub(crate) origins: Vec<Vec3>,
    pub(crate) directions: Vec<Vec3>,
}

/// Results of a test: for each ray its first hit, the number of hits, and `true` if there is one.
#[derive(PartialEq, Debug)]
struct FoundHits {
    distances: Vec<f32>,
    triangles: Vec<u32>,
    parts: Vec<Vec3>,
    counts: Vec<u32>,
    blocked: Vec<u32>,
}

impl RayTable {
    fn push(&mut self, origin: Vec3, direction: Vec3) {
        self.origins.push(origin);
        self.directions.push(direction);
    }

    /// Makes rays from around a mesh in all directions, and from some along the axes.
    pub(crate) fn around(mesh: &TriMesh, n: usize, seed: u64) -> RayTable {
        let mut around = PointsAround::new(mesh, 0.0, seed);
        let mut table = RayTable::default();
        for i in 0..n {
            let origin = around.place(1.7);
            let direction = match i % 7 {
                0 => [Vec3::X, Vec3::NEG_Y, Vec3::Z][i / 7 % 3],
                1 => (around.place(0.3) - origin) * 1e3,
                _ => around.unit(),
            };
            table.push(origin, direction);
        }
        table
    }

    fn find(&self, engine: &Engine, mesh: &TriMesh, limit: f32) -> FoundHits {
        let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
        let origins = engine.upload(&self.origins).unwrap();
        let directions = engine.upload(&self.directions).unwrap();
        let rays = Rays {
            origins: &origins,
            directions: &directions,
            limit,
        };
        let hits = tree.first_hits(rays).unwrap();
        FoundHits {
            distances: hits.distances.read().unwrap(),
            triangles: hits.triangles.read().unwrap(),
            parts: hits.parts.read().unwrap(),
            counts: tree.count_hits(rays).unwrap().read().unwrap(),
            blocked: tree.find_blocked(rays).unwrap().read().unwrap(),
        }
    }
}

/// Returns the place of a hit of a triangle; `margin` is that of the parts of the corners, negative for triangles that
/// are larger.
pub(crate) fn hit(
    corners: [DVec3; 3],
    origin: DVec3,
    direction: DVec3,
    margin: f64,
) -> Option<f64> {
    let [a, b, c] = corners;
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let facing = normal.dot(direction);
    // Along the triangle nothing is certain.
    let thin = normal.length() * direction.length();
    if facing.abs() <= 1e-5 * thin || thin == 0.0 {
        return None;
    }
    let t = normal.dot(a - origin) / facing;
    let q = origin + direction * t - a;
    let (second, third) = (
        normal.dot(q.cross(v)) / normal.length_squared(),
        normal.dot(u.cross(q)) / normal.length_squared(),
    );
    let parts = [1.0 - second - third, second, third];
    (t >= margin && parts.iter().all(|&p| p >= margin)).then_some(t)
}

fn of_any_mesh(engine: &Engine) {
    let most = suited(engine, [1300, 320, 100]);
    let mut hits = 0;
    for fixture in fixtures::suited(engine) {
        let (mesh, what) = (&fixture.mesh, &fixture.name);
        if mesh.face_count() > most || mesh.faces.is_empty() {
            continue;
        }
        let table = RayTable::around(mesh, suited(engine, [300, 60, 30]), 3);
        let found = table.find(engine, mesh, f32::INFINITY);
        let corners = |f: &[u32; 3]| f.map(|v| mesh.positions[v as usize].as_dvec3());
        for (i, (&o, &d)) in table.origins.iter().zip(&table.directions).enumerate() {
            let (o, d) = (o.as_dvec3(), d.as_dvec3());
            let all = |margin: f64| {
                let of = |f| hit(corners(f), o, d, margin);
                mesh.faces.iter().filter_map(of).collect::<Vec<f64>>()
            };
            let (sure, possible) = (all(1e-4), all(-1e-4));
            let first = |v: &[f64]| v.iter().copied().fold(f64::INFINITY, f64::min);
            let t = f64::from(found.distances[i]);
            let tolerance = 1e-4 * (1.0 + o.length()) / d.length();
            assert!(t <= first(&sure) + tolerance, "{what}: {i}: {t} is too far");
            if sure.len() == possible.len() {
                assert!(t >= first(&possible) - tolerance, "{what}: {i}: {t}");
                assert_eq!(found.counts[i] as usize, sure.len(), "{what}: {i}");
            }
            let is_hit = found.triangles[i] != NONE;
            assert_eq!(is_hit, t.is_finite(), "{what}: {i}");
            assert_eq!(is_hit, found.blocked[i] == 1, "{what}: {i}");
            if is_hit {
                hits += 1;
                let (place, part) = (o + d * t, found.parts[i].as_dvec3());
                let [a, b, c] = corners(&mesh.faces[found.triangles[i] as usize]);
                let off = (a * part.x + b * part.y + c * part.z).distance(place);
                // In narrow triangles that are seen from the side parts are small differences.
                let facing = (b - a).cross(c - a).normalize_or_zero().dot(d.normalize());
                let most = tolerance * d.length() / facing.abs().max(1e-5);
                assert!(off <= most, "{what}: {i}: {off:e}");
            }
        }
    }
    assert!(hits > 50, "{hits}");
}

/// Rays from inside through every vertex, and through the middle of every edge, hit, and count as often as they should.
fn closed_surfaces_have_no_gaps(engine: &Engine) {
    let mut ball = fixtures::closed(suited(engine, [3, 2, 1]));
    for moved in [Vec3::ZERO, Vec3::new(0.37, -0.11, 0.59)] {
        for p in &mut ball.positions {
            *p += moved;
        }
        let mut table = RayTable::default();
        for origin in [moved, moved + Vec3::new(0.1, 0.2, -0.15)] {
            for &p in &ball.positions {
                table.push(origin, p - origin);
            }
            for f in &ball.faces {
                let [a, b, _] = f.map(|v| ball.positions[v as usize]);
                table.push(origin, (a + b) * 0.5 - origin);
            }
        }
        let inside = table.origins.len();
        for i in 0..inside {
            // From outside the same places, through the whole ball.
            let (o, d) = (table.origins[i], table.directions[i]);
            table.push(o - d * 4.0, d);
        }
        let found = table.find(engine, &ball, f32::INFINITY);
        for i in 0..table.origins.len() {
            assert!(found.triangles[i] != NONE && found.blocked[i] == 1, "{i}");
            let count = if i < inside { 1 } else { 2 };
            assert_eq!(found.counts[i], count, "{i}");
        }
        for p in &mut ball.positions {
            *p -= moved;
        }
    }
}

/// Hits count up to the limit, which is in multiples of the direction.
fn limits(engine: &Engine) {
    let mesh = fixtures::one_triangle();
    let centre = (mesh.faces[0].map(|v| mesh.positions[v as usize]))
        .iter()
        .sum::<Vec3>()
        / 3.0;
    let [a, b, c] = mesh.faces[0].map(|v| mesh.positions[v as usize]);
    let normal = (b - a).cross(c - a).normalize();
    let mut table = RayTable::default();
    table.push(centre + normal * 4.0, normal * -2.0);
    table.push(centre - normal * 4.0, normal * 2.0);
    table.push(centre + normal * 4.0, normal * 2.0);
    for (limit, wanted) in [(1.9, [0, 0, 0]), (2.1, [1, 1, 0]), (0.0, [0, 0, 0])] {
        let found = table.find(engine, &mesh, limit);
        assert_eq!(found.counts, wanted, "{limit}");
        assert_eq!(found.blocked, wanted, "{limit}");
        for (t, wanted) in found.distances.iter().zip(wanted) {
            assert_eq!(t.is_finite(), wanted == 1, "{limit}: {t}");
            assert!(t.is_infinite() || (t - 2.0).abs() < 1e-5, "{t}");
        }
    }
    let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
    let [one, two] = [1, 2].map(|n| engine.upload(&vec![Vec3::X; n]).unwrap());
    let rays = Rays {
        origins: &one,
        directions: &two,
        limit: 1.0,
    };
    let told = tree.first_hits(rays).unwrap_err().to_string();
    assert!(told.contains("2 directions"), "{told}");
    for limit in [-1.0, f32::NAN] {
        let rays = Rays {
            origins: &one,
            directions: &one,
            limit,
        };
        let told = tree.find_blocked(rays).unwrap_err().to_string();
        assert!(told.contains("limit"), "{told}");
        assert!(tree.count_hits(rays).is_err());
    }
}

/// Rays without a direction, and with numbers that are not finite, hit nothing; nor do rays on an empty mesh.
fn rays_that_are_none(engine: &Engine) {
    let mesh = fixtures::tetrahedron();
    let mut table = RayTable::default();
    table.push(Vec3::ZERO, Vec3::ZERO);
    table.push(Vec3::new(f32::NAN, 0.0, 0.0), Vec3::X);
    table.push(Vec3::ZERO, Vec3::new(0.0, f32::NAN, 1.0));
    table.push(Vec3::ZERO, Vec3::new(0.0, f32::INFINITY, 1.0));
    let found = table.find(engine, &mesh, f32::INFINITY);
    assert_eq!(found.triangles, [NONE; 4]);
    assert_eq!((found.counts, found.blocked), (vec![0; 4], vec![0; 4]));
    assert_eq!(found.parts, [Vec3::ZERO; 4]);
    assert!(found.distances.iter().all(|t| *t == f32::INFINITY));

    let mut table = RayTable::default();
    table.push(Vec3::ZERO, Vec3::X);
    let found = table.find(engine, &fixtures::empty(), f32::INFINITY);
    assert_eq!((found.triangles, found.counts), (vec![NONE], vec![0]));
}

fn same_bits_on_all_engines(engine: &Engine) {
    let host = Engine::cpu_with_threads(1).unwrap();
    let n = suited(engine, [30, 9, 6]);
    for mesh in [fixtures::torus(n, n - 1), fixtures::soup(5, 40, 60)] {
        let table = RayTable::around(&mesh, suited(engine, [400, 60, 30]), 9);
        let [here, there] = [engine, &host].map(|engine| table.find(engine, &mesh, f32::INFINITY));
        assert!(here == there);
    }
}

/// Many rays are looked at in another order: results are those of few at a time.
fn many_rays(engine: &Engine) {
    let mesh = fixtures::torus(9, 8);
    let table = RayTable::around(&mesh, suited(engine, [9000, 4200, 4200]), 9);
    let all = table.find(engine, &mesh, 3.0);
    for from in (0..table.origins.len()).step_by(1000) {
        let to = (from + 1000).min(table.origins.len());
        let part = RayTable {
            origins: table.origins[from..to].to_vec(),
            directions: table.directions[from..to].to_vec(),
        };
        let part = part.find(engine, &mesh, 3.0);
        assert!(part.distances == all.distances[from..to]);
        assert!(part.triangles == all.triangles[from..to] && part.parts == all.parts[from..to]);
        assert!(part.counts == all.counts[from..to] && part.blocked == all.blocked[from..to]);
    }
}
