//! Limits of sqrt(3) surfaces: those of a level are those of the next, and ten levels of plain code approach them.

use super::loop_surface::{points, rows};
use glam::DVec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Options, Scheme, Subdivision};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::compare::diagonal;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::refine_net;

conformance! { limits_are_those_of_the_next_level }

fn options(levels: u32, boundary: Boundary) -> Options {
    Options {
        scheme: Scheme::Sqrt3,
        levels,
        boundary,
        ..Options::default()
    }
}

/// Returns positions, limits and normals of a level.
fn limit(engine: &Engine, mesh: &PolyMesh, options: &Options) -> [Vec<DVec3>; 3] {
    let surface = Subdivision::new(engine, mesh, options).unwrap();
    let n = 3 * surface.vertex_count() as usize;
    let [mut y, mut ends, mut normals] = [0; 3].map(|_| engine.zeroed(n).unwrap());
    let x = engine.upload(&rows(mesh)).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    surface.limit(&y, &mut ends, &mut normals).unwrap();
    [y, ends, normals].map(|all| points(&all.read().unwrap()))
}

fn limits_are_those_of_the_next_level(engine: &Engine) {
    let ring =
        |mesh: PolyMesh| meshes::with_edges(mesh, &meshes::TOP.map(|e| (e, PolyMesh::SHARP)));
    let corner = |mesh: PolyMesh| meshes::with_vertices(mesh, &[(2, PolyMesh::SHARP)]);
    // The flag is `true` if there is one normal at each vertex.
    let mut cases = vec![
        ("torus", meshes::cut(&meshes::torus(6, 5)), true),
        ("flipped", meshes::triangles(2, 1), true),
        ("irregular", meshes::cut(&meshes::irregular(1, 4)), true),
        ("grid", meshes::cut(&meshes::grid(3, 0, 0)), true),
        ("corner", corner(meshes::cut(&meshes::torus(5, 4))), false),
        ("gaps", meshes::cut(&meshes::grid(5, 5, 3)), false),
        ("ring", meshes::cut(&ring(meshes::cube())), false),
        ("valence 30", meshes::bipyramid(30), true),
    ];
    cases.extend((1..8).map(|n| ("fan", meshes::fan(n, 3), true)));
    for (name, mesh, normals) in cases {
        let mesh = meshes::moved(mesh);
        // Vertices without faces have no normal.
        let faces = meshes::faces(&mesh);
        let alone =
            |v: usize| v < mesh.vertex_count() && !faces.iter().flatten().any(|&w| w as usize == v);
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly] {
            let most = if is_slow(engine) { extent(2, 3) } else { 5 };
            let all: Vec<_> = (0..=most)
                .map(|levels| limit(engine, &mesh, &options(levels, boundary)))
                .collect();
            let near = 2e-6 * diagonal(&all[0][0]);
            for (level, pair) in all.windows(2).enumerate() {
                let [[_, here, n], [_, there, m]] = [&pair[0], &pair[1]];
                for v in 0..here.len() {
                    let what = format!("{name}, {boundary:?}, level {level}, vertex {v}");
                    let off = here[v].distance(there[v]);
                    assert!(off < near, "{what}: {} and {}", here[v], there[v]);
                    let off = n[v].distance(m[v]);
                    assert!(
                        !normals || off < 2e-3,
                        "{what}: normals {} and {}",
                        n[v],
                        m[v]
                    );
                    let length = if alone(v) { 0.0 } else { 1.0 };
                    assert!((n[v].length() - length).abs() < 1e-5, "{what}: {}", n[v]);
                }
            }
        }
    }
}

/// Meshes whose limits are reached soon: after ten levels the error is 5e-5. On creases, in the surface, at its
/// boundary.
#[test]
fn ten_levels_of_plain_code_go_there() {
    let ring = [[2, 3], [3, 4], [4, 2]].map(|ends| (ends, PolyMesh::SHARP));
    let cases = [
        ("closed", meshes::bipyramid(3), true),
        (
            "sharp",
            meshes::with_edges(meshes::bipyramid(3), &ring),
            false,
        ),
        ("open", meshes::fan(3, 3), true),
    ];
    for (name, mesh, has_normals) in cases {
        let mesh = meshes::moved(mesh);
        let of = |levels: u32| refine_net(&mesh, &options(levels, Boundary::EdgeOnly)).0;
        let (early, late) = (of(2), of(10));
        let early_options = options(2, Boundary::EdgeOnly);
        let [at, ends, normals] = limit(&Engine::cpu(), &mesh, &early_options);
        let size = diagonal(&at);
        for (v, p) in early.positions.iter().enumerate() {
            let id = (0..at.len()).find(|&i| at[i].distance(*p) < 1e-5 * size);
            let id = id.expect("the same vertex");
            let off = ends[id].distance(late.positions[v]) / size;
            assert!(off < 5e-5, "{name}, vertex {v}: {off:.1e} off");
            let area = |f: &usize| {
                let p = late.faces[*f].iter().map(|&w| late.positions[w as usize]);
                let [a, b, c] = p.collect::<Vec<_>>()[..] else {
                    panic!("a triangle")
                };
                (b - a).cross(c - a)
            };
            let faces = late.vertex_faces[v].iter();
            let normal = faces.map(area).sum::<DVec3>().normalize();
            let off = normal.distance(normals[id]);
            // The next eigencomponent after eight levels: half a ring has 1/2 of it every two levels.
            let open = late.vertex_edges[v].len() > late.vertex_faces[v].len();
            let near = if open { 0.06 } else { 0.02 };
            assert!(
                !has_normals || off < near,
                "{name}, vertex {v}: {normal}, not {}",
                normals[id]
            );
        }
    }
}
