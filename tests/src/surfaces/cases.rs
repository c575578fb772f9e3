//! Surfaces whose expected results were recorded from OpenSubdiv (`tests/opensubdiv`).

use super::meshes;
use super::uv::{Uv, UvInterpolation};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Creasing, Options, Scheme};
use std::fmt::Write;

/// Mesh with the parameters of its surface.
pub struct SurfaceCase {
    /// Mesh, scheme, boundary mode, creasing, face-varying mode.
    pub name: String,
    /// Mesh.
    pub mesh: PolyMesh,
    /// Options; all levels from 1 on are recorded.
    pub options: Options,
    /// Values of corners and their interpolation.
    pub uv: Option<(Uv, UvInterpolation)>,
    /// `true` if each vertex has one normal whatever its edges' order: no vertex that is sharp or not manifold, and
    /// sharp edges only at boundaries.
    pub normals: bool,
    /// `true` if level 2 is recorded completely, and not only by sums.
    pub whole: bool,
}

/// Levels of each case. Semi-sharpness has ended by then.
pub const LEVELS: u32 = 4;

/// Returns every case.
pub fn cases() -> Vec<SurfaceCase> {
    let mut cases = Vec::new();
    for (name, mesh) in all_meshes() {
        for options in all_options(&mesh) {
            cases.push(SurfaceCase {
                name: case_name(&name, &options),
                mesh: mesh.clone(),
                options,
                uv: None,
                normals: name.starts_with("plain"),
                whole: name.starts_with("cube") && options.boundary == Boundary::EdgeAndCorner,
            });
        }
    }
    for (name, mesh, uv) in all_uvs() {
        let mut options = all_options(&mesh);
        options.retain(|o| o.boundary != Boundary::None && o.creasing == Creasing::Uniform);
        for options in options {
            for linear in UvInterpolation::ALL {
                cases.push(SurfaceCase {
                    name: format!("{}, {linear:?}", case_name(name, &options)),
                    mesh: mesh.clone(),
                    options: Options {
                        levels: if name.contains("lines") { LEVELS } else { 2 },
                        ..options
                    },
                    uv: Some((uv.clone(), linear)),
                    normals: false,
                    whole: false,
                });
            }
        }
    }
    cases
}

fn case_name(mesh: &str, options: &Options) -> String {
    let Options {
        scheme,
        boundary,
        creasing,
        ..
    } = options;
    format!("{mesh}, {scheme:?}, {boundary:?}, {creasing:?}")
}

/// Returns all options that make a difference for a mesh.
fn all_options(mesh: &PolyMesh) -> Vec<Options> {
    let is_open = is_open(mesh);
    let semi_sharp = mesh
        .sharp_edges
        .iter()
        .any(|e| e.sharpness < PolyMesh::SHARP);
    let triangles = mesh.face_size() == Some(3);
    let mut all = Vec::new();
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly, Boundary::None] {
            for creasing in [Creasing::Uniform, Creasing::Chaikin] {
                let same = (boundary != Boundary::EdgeAndCorner && !is_open)
                    || (creasing == Creasing::Chaikin && !semi_sharp);
                if !same && (scheme == Scheme::CatmullClark || triangles) {
                    all.push(Options {
                        scheme,
                        levels: LEVELS,
                        boundary,
                        creasing,
                        ..Options::default()
                    });
                }
            }
        }
    }
    all
}

fn is_open(mesh: &PolyMesh) -> bool {
    let mut sides = std::collections::HashSet::new();
    for f in meshes::faces(mesh) {
        sides.extend((0..f.len()).map(|k| (f[k], f[(k + 1) % f.len()])));
    }
    sides.iter().any(|&(a, b)| !sides.contains(&(b, a)))
}

/// Returns the meshes, quads and polygons first.
fn all_meshes() -> Vec<(String, PolyMesh)> {
    let mut all: Vec<(String, PolyMesh)> = vec![
        ("plain cube".into(), meshes::cube()),
        ("plain sphere".into(), meshes::sphere(2)),
        ("plain torus".into(), meshes::torus(7, 4)),
        ("plain grid".into(), meshes::grid(3, 0, 0)),
        ("plain fan of 5 and 3".into(), meshes::fan(5, 5)),
        ("plain polygon".into(), meshes::fan(1, 10)),
        ("polygons".into(), meshes::polygons(3, 11)),
        ("irregular".into(), meshes::irregular(2, 12)),
        ("grid with gaps".into(), meshes::grid(5, 4, 13)),
        ("two fans".into(), meshes::fans()),
    ];
    for n in [3, 5, 6, 7, 12, 25, 50] {
        all.push((format!("plain trapezohedron {n}"), meshes::trapezohedron(n)));
    }
    for n in 1..8 {
        all.push((format!("plain fan of {n}"), meshes::fan(n, 4)));
    }
    for (name, mesh) in meshes::creased_cubes() {
        all.push((format!("cube, {name}"), mesh));
    }
    for (kind, share, steps) in [
        ("for ever", 20, 0),
        ("quarters", 30, 4),
        ("halves", 60, 2),
        ("whole", 40, 1),
    ] {
        let random = |mesh, seed| meshes::sharpened(mesh, share, steps, seed);
        all.push((
            format!("sphere, sharp by {kind}"),
            random(meshes::sphere(2), 21),
        ));
        all.push((
            format!("grid, sharp by {kind}"),
            random(meshes::grid(4, 9, 22), 22),
        ));
        all.push((
            format!("polygons, sharp by {kind}"),
            random(meshes::polygons(2, 23), 23),
        ));
    }
    let holes = PolyMesh {
        holes: vec![0, 5, 6],
        ..meshes::grid(4, 0, 31)
    };
    all.push(("holes".into(), holes));
    // Infinitely sharp by itself, the boundary of the left side is kept in the mode without a rule.
    let sides = (0..4).map(|j| ([5 * j, 5 * j + 5], 10.0));
    let sides: Vec<_> = sides.chain([([0, 1], 10.0), ([20, 21], 3.0)]).collect();
    all.push((
        "grid, sharp side".into(),
        meshes::with_edges(meshes::grid(4, 0, 32), &sides),
    ));

    let cut: Vec<_> = all
        .iter()
        .filter(|(_, mesh)| mesh.holes.is_empty() && mesh.face_size() == Some(4))
        .map(|(name, mesh)| (format!("{name}, cut"), meshes::cut(mesh)))
        .collect();
    all.extend(cut);
    all.push(("plain triangles".into(), meshes::triangles(2, 41)));
    for n in [3, 4, 5, 7, 12, 25, 50] {
        all.push((format!("plain bipyramid {n}"), meshes::bipyramid(n)));
    }
    for n in 1..8 {
        all.push((format!("plain fan of {n} triangles"), meshes::fan(n, 3)));
    }
    let triangles = meshes::sharpened(meshes::triangles(2, 42), 30, 4, 43);
    all.push(("triangles, sharp by quarters".into(), triangles));
    all.into_iter()
        .map(|(name, mesh)| (name, meshes::moved(mesh)))
        .collect()
}

/// Returns meshes with values at their corners.
fn all_uvs() -> Vec<(&'static str, PolyMesh, Uv)> {
    let ring = meshes::with_edges(meshes::cube(), &meshes::TOP.map(|e| (e, 1.5)));
    let plain: Vec<(&str, PolyMesh, u64)> = vec![
        ("cube, one island", meshes::cube(), 0),
        ("cube, six islands", meshes::cube(), 100),
        ("cube, seams", meshes::cube(), 40),
        ("creased cube, seams", ring, 40),
        (
            "corners, seams",
            meshes::with_vertices(meshes::cube(), &[(0, 10.0), (7, 1.5)]),
            40,
        ),
        ("sphere, seams", meshes::sphere(2), 25),
        ("grid, one island", meshes::grid(3, 0, 0), 0),
        ("grid, seams", meshes::grid(4, 0, 0), 25),
        ("grid with gaps, seams", meshes::grid(5, 6, 51), 20),
        ("polygons, seams", meshes::polygons(2, 52), 25),
        (
            "sharp grid, seams",
            meshes::sharpened(meshes::grid(4, 0, 0), 30, 2, 53),
            25,
        ),
        ("triangles, seams", meshes::triangles(1, 54), 25),
        (
            "open triangles, seams",
            meshes::cut(&meshes::grid(3, 0, 0)),
            25,
        ),
    ];
    let with = |(i, (name, mesh, share)): (usize, (&'static str, PolyMesh, u64))| {
        let mesh = meshes::moved(mesh);
        let uv = Uv::with_seams(&mesh, share, 60 + i as u64);
        (name, mesh, uv)
    };
    // Creases that end at seams, next to semi-sharp seams.
    let crossing: Vec<(&str, PolyMesh, u64)> = vec![
        (
            "sphere, lines and seams",
            meshes::sharpened(meshes::sphere(3), 12, 8, 55),
            12,
        ),
        (
            "sphere, many lines and seams",
            meshes::sharpened(meshes::sphere(3), 25, 4, 56),
            30,
        ),
        (
            "polygons, lines and seams",
            meshes::sharpened(meshes::polygons(2, 57), 20, 4, 57),
            25,
        ),
        (
            "triangles, lines and seams",
            meshes::sharpened(meshes::triangles(2, 58), 12, 8, 58),
            12,
        ),
        (
            "grid, lines and seams",
            meshes::sharpened(meshes::grid(5, 0, 0), 25, 4, 59),
            25,
        ),
    ];
    let square = meshes::moved(meshes::cube());
    let values = Uv::square(&square);
    let mut all: Vec<_> = plain
        .into_iter()
        .chain(crossing)
        .enumerate()
        .map(with)
        .collect();
    all.push(("cube, a square for all sides", square, values));
    all
}

impl SurfaceCase {
    /// Returns the text that `tests/opensubdiv/table.cpp` reads.
    pub fn text(&self) -> String {
        let mut text = format!("case {}\n", self.name);
        let o = &self.options;
        let linear = self.uv.as_ref().map_or(0, |(_, linear)| *linear as u32);
        // Enumerations by their indices, which are those of OpenSubdiv.
        let (scheme, boundary, creasing) = (o.scheme as u32, o.boundary as u32, o.creasing as u32);
        let (normals, whole) = (u32::from(self.normals), u32::from(self.whole));
        let mut line = |words: String| writeln!(text, "{words}").expect("text takes all");
        line(format!(
            "{scheme} {boundary} {creasing} {linear} {} {normals} {whole}",
            o.levels
        ));
        line(format!("{}", self.mesh.vertex_count()));
        for p in &self.mesh.positions {
            line(format!(
                "{} {} {}",
                f64::from(p.x),
                f64::from(p.y),
                f64::from(p.z)
            ));
        }
        line(format!("{}", self.mesh.face_count()));
        for face in meshes::faces(&self.mesh) {
            line(format!("{} {}", face.len(), words(&face)));
        }
        line(format!("{}", self.mesh.sharp_edges.len()));
        for e in &self.mesh.sharp_edges {
            line(format!("{} {} {}", e.ends[0], e.ends[1], e.sharpness));
        }
        line(format!("{}", self.mesh.sharp_vertices.len()));
        for v in &self.mesh.sharp_vertices {
            line(format!("{} {}", v.vertex, v.sharpness));
        }
        line(format!(
            "{} {}",
            self.mesh.holes.len(),
            words(&self.mesh.holes)
        ));
        match &self.uv {
            None => line("0".into()),
            Some((uv, _)) => {
                line(format!("{}", uv.values.len()));
                for p in &uv.values {
                    line(format!("{} {}", p.x, p.y));
                }
                line(words(&uv.corners));
            }
        }
        text
    }
}

fn words(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(" ")
}
