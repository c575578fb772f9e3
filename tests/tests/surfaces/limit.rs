//! Limits by eigen-analysis, against known masks and against many levels of plain code.

use glam::DVec3;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Creasing, Options, Scheme};
use rxmesh_tests::surfaces::limit::{LimitPoint, limits};
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{next, refine_net};
use rxmesh_tests::surfaces::net::Net;

fn base(mesh: &PolyMesh, scheme: Scheme, levels: u32) -> Net {
    let options = Options {
        scheme,
        levels,
        boundary: Boundary::EdgeOnly,
        ..Options::default()
    };
    refine_net(mesh, &options).0
}

/// Catmull-Clark: (n n p + 4 sum of edges + sum of faces) / (n (n + 5)); Loop: 1 / (n + 3 / (8 beta)) for each edge.
#[test]
fn masks_are_the_known_ones() {
    for n in 3..=50 {
        let net = base(&meshes::trapezohedron(n), Scheme::CatmullClark, 0);
        let got = &limits(&net, Scheme::CatmullClark)[0];
        let p = |v: u32| net.positions[v as usize];
        let ring: DVec3 = (0..n).map(|k| p(2 + 2 * k) * 4.0 + p(3 + 2 * k)).sum();
        let n = f64::from(n);
        let want = (p(0) * n * n + ring) / (n * (n + 5.0));
        assert!(got.position.distance(want) < 1e-12, "valence {n}");
    }
    for n in 3..=50 {
        let net = base(&meshes::bipyramid(n), Scheme::Loop, 0);
        let got = &limits(&net, Scheme::Loop)[0];
        let ring: DVec3 = (0..n as usize).map(|k| net.positions[2 + k]).sum();
        let n = f64::from(n);
        let c = 0.375 + (std::f64::consts::TAU / n).cos() / 4.0;
        let beta = (0.625 - c * c) / n;
        let each = 1.0 / (n + 3.0 / (8.0 * beta));
        let want = net.positions[0] * (1.0 - n * each) + ring * each;
        assert!(got.position.distance(want) < 1e-12, "valence {n}");
    }
}

/// Returns the faces of a vertex as a separate mesh, and the vertex in it.
fn around(net: &Net, v: usize) -> (Net, usize) {
    let mut ids: Vec<u32> = Vec::new();
    let mut id = |w: u32| {
        let known = ids.iter().position(|&x| x == w);
        known.unwrap_or_else(|| {
            ids.push(w);
            ids.len() - 1
        }) as u32
    };
    let center = id(v as u32) as usize;
    let faces: Vec<Vec<u32>> = net.vertex_faces[v]
        .iter()
        .map(|&f| net.faces[f].iter().map(|&w| id(w)).collect())
        .collect();
    let positions = ids.iter().map(|&w| net.positions[w as usize]).collect();
    let mut own = Net::new(positions, faces, vec![0; net.vertex_faces[v].len()]);
    for e in 0..own.edges.len() {
        let [a, b] = own.edges[e].map(|w| ids[w as usize]);
        own.edge_sharpness[e] = net.edge_sharpness[net.edge(a, b)];
    }
    for (w, s) in own.vertex_sharpness.iter_mut().enumerate() {
        *s = net.vertex_sharpness[ids[w] as usize];
    }
    (own, center)
}

/// Returns the position of a vertex many levels later, and the number of faces there and their normal, for each side of
/// a crease. Only the faces around it affect it, so only those are refined.
fn far_on(net: &Net, v: usize, scheme: Scheme) -> (DVec3, Vec<(usize, DVec3)>) {
    let (mut own, mut at) = around(net, v);
    // Each level is moved to the origin and scaled to the size of the first, so that nothing is lost to rounding.
    let (mut end, mut scale) = (DVec3::ZERO, 1.0);
    // Along a crease points come nearer by 1/2 each level, and in a single face away from it by 1/4: too many levels
    // would leave nothing of the second.
    let has_lines = net.vertex_edges[v]
        .iter()
        .any(|&e| net.edge_sharpness[e] > 0.0);
    for _ in 0..if has_lines { 40 } else { 100 } {
        let here = own.positions[at];
        let size = own
            .positions
            .iter()
            .map(|p| p.distance(here))
            .fold(0.0, f64::max);
        own.positions
            .iter_mut()
            .for_each(|p| *p = (*p - here) / size);
        end += here * scale;
        scale *= size;
        (own, at) = around(&next(&own, scheme, Creasing::Uniform), at);
    }
    let area = |f: usize| {
        let face = &own.faces[f];
        let p = |k: usize| own.positions[face[k % face.len()] as usize] - own.positions[at];
        (0..face.len()).map(|k| p(k).cross(p(k + 1))).sum::<DVec3>()
    };
    // Faces are on one side when a smooth edge joins them.
    let mut left = own.vertex_faces[at].clone();
    let mut sides = Vec::new();
    while let Some(first) = left.pop() {
        let (mut reached, mut sum, mut count) = (vec![first], DVec3::ZERO, 0);
        while let Some(f) = reached.pop() {
            sum += area(f);
            count += 1;
            for &e in &own.vertex_edges[at] {
                if own.edge_sharpness[e] == 0.0 && own.edge_faces[e].contains(&f) {
                    reached.extend(left.iter().filter(|g| own.edge_faces[e].contains(g)));
                    left.retain(|g| !own.edge_faces[e].contains(g));
                }
            }
        }
        sides.push((count, sum.normalize()));
    }
    (end, sides)
}

/// Compares at every vertex; returns the number of normals.
fn check(name: &str, mesh: &PolyMesh, scheme: Scheme) -> usize {
    let net = base(mesh, scheme, u32::from(scheme == Scheme::CatmullClark));
    let mut normals = 0;
    for (
        v,
        LimitPoint {
            position,
            normals: got,
        },
    ) in limits(&net, scheme).iter().enumerate()
    {
        if net.vertex_faces[v].is_empty() {
            continue;
        }
        let (end, sides) = far_on(&net, v, scheme);
        assert!(
            position.distance(end) < 1e-10,
            "{name}, {scheme:?}, vertex {v}"
        );
        // With more faces at a crease, components that turn twice are stronger than the crease's own tangent: no plane
        // is left (Biermann et al. 2000).
        let lines = net.vertex_edges[v]
            .iter()
            .any(|&e| net.edge_sharpness[e] > 0.0);
        let most = if scheme == Scheme::Loop { 4 } else { 3 };
        if lines && sides.iter().any(|(faces, _)| *faces > most) {
            continue;
        }
        for n in got {
            // The error after these levels; a single face only flattens like 1 / level: its second eigenvalue is one of
            // a Jordan block.
            let is_near = |(faces, side): &(usize, DVec3)| {
                side.distance(*n)
                    < if !lines {
                        1e-4
                    } else if *faces == 1 {
                        0.05
                    } else {
                        2e-3
                    }
            };
            assert!(
                sides.iter().any(is_near),
                "{name}, {scheme:?}, vertex {v}: {n}, not {sides:?}"
            );
            normals += 1;
        }
    }
    normals
}

#[test]
fn limits_are_where_levels_go() {
    let ring = |mesh| meshes::with_edges(mesh, &meshes::TOP.map(|e| (e, PolyMesh::SHARP)));
    let dart = meshes::with_edges(meshes::cube(), &[([4, 5], PolyMesh::SHARP)]);
    let quads = [
        ("cube", meshes::cube()),
        ("ring", ring(meshes::cube())),
        ("dart", dart),
        ("irregular", meshes::irregular(2, 3)),
        ("grid", meshes::grid(3, 0, 0)),
        ("one quad", meshes::fan(1, 4)),
        ("gaps", meshes::grid(5, 4, 3)),
        ("sharp", meshes::sharpened(meshes::torus(6, 5), 20, 0, 4)),
        ("valence 20", meshes::trapezohedron(20)),
    ];
    for (name, mesh) in &quads {
        let mesh = meshes::moved(mesh.clone());
        assert!(check(name, &mesh, Scheme::CatmullClark) > 3);
        if mesh.face_size() == Some(4) && *name != "irregular" {
            assert!(check(name, &meshes::cut(&mesh), Scheme::Loop) > 2);
        }
    }
    assert!(check("polygons", &meshes::polygons(2, 5), Scheme::CatmullClark) > 50);
    assert!(check("triangles", &meshes::triangles(3, 6), Scheme::Loop) > 40);
}

/// A smooth closed surface: each level is four times nearer to the limit.
#[test]
fn levels_come_four_times_nearer() {
    for (mesh, scheme) in [
        (meshes::torus(8, 6), Scheme::CatmullClark),
        (meshes::cut(&meshes::torus(8, 6)), Scheme::Loop),
    ] {
        let far = |levels: u32| {
            let net = base(&mesh, scheme, levels);
            let limits = limits(&net, scheme);
            let far = limits
                .iter()
                .zip(&net.positions)
                .map(|(l, p)| l.position.distance(*p));
            far.fold(0.0, f64::max)
        };
        for levels in 2..4 {
            let ratio = far(levels) / far(levels + 1);
            assert!(
                (3.5..4.5).contains(&ratio),
                "{scheme:?}, level {levels}: {ratio}"
            );
        }
    }
}
