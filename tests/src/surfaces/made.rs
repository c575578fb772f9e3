//! Surfaces of triangles that engines make, compared with plain code; shared parts of the checks of their schemes.

use super::compare::compare;
use super::meshes;
use super::naive::{NaiveSurface, refine};
use crate::engines::same_rounding;
use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Options, Scheme, Subdivision};

/// Tolerance relative to the bounding box; `f32` has 6e-8.
const NEAR: f64 = 2e-6;

/// Returns the options of a scheme and a number of levels, with defaults otherwise.
pub fn options(scheme: Scheme, levels: u32) -> Options {
    Options {
        scheme,
        levels,
        ..Options::default()
    }
}

/// Returns positions as rows of values.
pub fn rows(poly: &PolyMesh) -> Vec<f32> {
    poly.positions.iter().flat_map(|p| p.to_array()).collect()
}

/// Returns rows of values as positions.
pub fn points(values: &[f32]) -> Vec<DVec3> {
    let double = |p: &[f32]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
    values.chunks(3).map(double).collect()
}

/// Returns the surface that an engine makes.
///
/// # Panics
///
/// Making it fails.
pub fn surface(engine: &Engine, poly: &PolyMesh, options: &Options) -> NaiveSurface {
    let surface = Subdivision::new(engine, poly, options).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let n = 3 * surface.vertex_count() as usize;
    let mut y = engine.zeroed::<f32>(n).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let n = 3 * surface.face_count() as usize;
    let mut faces = engine.zeroed::<u32>(n).unwrap();
    surface.faces(&mut faces).unwrap();
    let faces = faces.read().unwrap();
    NaiveSurface {
        positions: points(&y.read().unwrap()),
        faces: faces.chunks(3).map(<[u32]>::to_vec).collect(),
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f))
            .collect(),
    }
}

/// Returns the surface without the vertices that no face uses.
pub fn used(surface: NaiveSurface) -> NaiveSurface {
    let mut ids = vec![u32::MAX; surface.positions.len()];
    let mut positions = Vec::new();
    let mut faces = surface.faces;
    for v in faces.iter_mut().flatten() {
        let id = &mut ids[*v as usize];
        if *id == u32::MAX {
            *id = positions.len() as u32;
            positions.push(surface.positions[*v as usize]);
        }
        *v = *id;
    }
    NaiveSurface {
        positions,
        faces,
        parents: surface.parents,
    }
}

/// Compares the surface that an engine makes with that of plain code.
///
/// # Panics
///
/// They differ.
pub fn check(engine: &Engine, name: &str, poly: &PolyMesh, options: &Options) {
    let mut both = [surface(engine, poly, options), refine(poly, options)];
    if options.boundary == Boundary::None {
        // Vertices that no face uses can be anywhere.
        both = both.map(used);
    }
    if let Err(why) = compare(&both[0], &both[1], NEAR) {
        panic!("{name}, {options:?}: {why}");
    }
}

/// Returns meshes of triangles without boundaries, and one without faces.
pub fn closed() -> [(&'static str, PolyMesh); 5] {
    [
        ("cube", meshes::cut(&meshes::cube())),
        ("torus", meshes::cut(&meshes::torus(7, 5))),
        ("flipped sphere", meshes::triangles(3, 1)),
        ("irregular", meshes::cut(&meshes::irregular(2, 4))),
        ("no faces", PolyMesh::default()),
    ]
}

/// Returns meshes of triangles with boundaries and holes.
pub fn open() -> [(&'static str, PolyMesh); 7] {
    let mut holes = meshes::cut(&meshes::torus(6, 4));
    holes.holes = vec![0, 5, 17];
    let mut lonely = meshes::fan(3, 3);
    lonely.positions.push(Vec3::splat(2.0));
    [
        ("one face", meshes::fan(1, 3)),
        ("open fan", meshes::fan(5, 3)),
        ("grid", meshes::cut(&meshes::grid(4, 0, 0))),
        ("grid with gaps", meshes::cut(&meshes::grid(6, 5, 3))),
        ("fans", meshes::cut(&meshes::fans())),
        ("holes", holes),
        ("a vertex without faces", lonely),
    ]
}

/// Checks that columns are independent of each other and of the number of columns, and that runs give the same bits.
///
/// # Panics
///
/// A check fails.
pub fn columns_and_bits(engine: &Engine, poly: &PolyMesh, options: &Options) {
    let positions = rows(poly);
    let make = |engine: &Engine, surface: &Subdivision, width: u32| {
        let x: Vec<f32> = (0..poly.vertex_count() * width as usize)
            .map(|i| {
                let (v, c) = (i / width as usize, i % width as usize);
                positions[3 * v + c % 3]
            })
            .collect();
        let x = engine.upload(&x).unwrap();
        let n = surface.vertex_count() * width;
        let mut y = engine.zeroed::<f32>(n as usize).unwrap();
        surface.values(width, &x, &mut y).unwrap();
        y.read().unwrap()
    };
    let new = |engine: &Engine| Subdivision::new(engine, poly, options).unwrap();
    let surface = new(engine);
    let three = make(engine, &surface, 3);
    assert_eq!(three, make(engine, &surface, 3));
    assert_eq!(three, make(engine, &new(engine), 3));
    let other = same_rounding(engine);
    assert_eq!(three, make(&other, &new(&other), 3));
    for width in [1, 2, 4, 5, 8] {
        let values = make(engine, &surface, width);
        for (i, value) in values.iter().enumerate() {
            let (v, c) = (i / width as usize, i % width as usize);
            let want = three[3 * v + c % 3];
            assert!(
                (value - want).abs() <= 1e-6,
                "width {width}, {v} {c}: {value}, {want}"
            );
        }
    }
}
