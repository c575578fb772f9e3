//! Bodies for the checks of the solvers, on an engine and in `f64`.

use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TetMesh, generate};
use rxmesh_host::patch::{VolumeKinds, VolumeOptions};
use rxmesh_simulation::{Body, Material, Materials, Surroundings};
use rxmesh_tests::elastic::Elastic;

/// Standard gravity.
pub(crate) const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Makes surroundings with this gravity and no colliders.
pub(crate) fn air(engine: &Engine, gravity: Vec3) -> Surroundings {
    let mut around = Surroundings::new(engine).unwrap();
    around.set_gravity(gravity).unwrap();
    around
}

/// Makes a beam of cells with vertices and cells in random order.
pub(crate) fn beam(size: [u32; 3]) -> TetMesh {
    let sides = size.map(|n| 0.1 * n as f32);
    let mut mesh = generate::tet_box(size, sides).unwrap();
    let mut rng = Rng::new(11);
    let names = rng.permutation(mesh.positions.len());
    let order = rng.permutation(mesh.cells.len());
    let old = mesh.positions.clone();
    for (v, p) in old.into_iter().enumerate() {
        mesh.positions[names[v] as usize] = p;
    }
    mesh.cells = (order.iter())
        .map(|&c| mesh.cells[c as usize].map(|v| names[v as usize]))
        .collect();
    mesh
}

/// Makes a body with edges in patches of `patch_size` cells; half of its cells are three times as stiff.
pub(crate) fn body(engine: &Engine, mesh: &TetMesh, soft: Material, patch_size: u32) -> Body {
    let stiff = Material {
        young: 3.0 * soft.young,
        ..soft
    };
    let half = mesh.cells.len() / 2;
    let all: Vec<Material> = (0..mesh.cells.len())
        .map(|c| if c < half { soft } else { stiff })
        .collect();
    let options = VolumeOptions {
        patch_size: Some(patch_size),
        kinds: VolumeKinds::Edges,
        ..VolumeOptions::default()
    };
    Body::with(engine, mesh, Materials::of_cells(&all).unwrap(), &options).unwrap()
}

/// Returns the same in `f64`, from the body's data.
pub(crate) fn elastic(body: &mut Body, mesh: &TetMesh) -> Elastic {
    let lame = |c: usize| body.materials().of(c).lame();
    let cells = 0..mesh.cells.len();
    Elastic {
        cells: mesh.cells.clone(),
        mu: cells.clone().map(|c| f64::from(lame(c).mu)).collect(),
        lambda: cells.map(|c| f64::from(lame(c).lambda)).collect(),
        rest: doubles(&mesh.positions),
        mass: body
            .masses()
            .unwrap()
            .iter()
            .map(|m| f64::from(*m))
            .collect(),
        held: body.pinned().unwrap(),
    }
}

/// Returns the vertices at the low end of the x axis.
pub(crate) fn low_end(mesh: &TetMesh) -> Vec<u32> {
    let there = |v: &u32| mesh.positions[*v as usize].x < 1e-6;
    (0..mesh.positions.len() as u32).filter(there).collect()
}

/// Makes positions and velocities that are far from rest: bent, sheared and in motion.
pub(crate) fn disturbed(mesh: &TetMesh, held: &[bool]) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut rng = Rng::new(5);
    let mut random = |size: f64| Vec3::from([(); 3].map(|()| (size * rng.signed_unit()) as f32));
    let at = |(v, p): (usize, &Vec3)| {
        if held[v] {
            return (*p, Vec3::ZERO);
        }
        let bent = Vec3::new(
            p.x + 0.1 * p.y * p.x,
            p.y + 0.4 * p.x * p.x,
            p.z * (1.0 + 0.3 * p.x),
        );
        (bent + random(0.01), random(0.5))
    };
    mesh.positions.iter().enumerate().map(at).unzip()
}

pub(crate) fn doubles(all: &[Vec3]) -> Vec<DVec3> {
    all.iter().map(|p| p.as_dvec3()).collect()
}

/// Returns the positions that vertices would reach without forces between them.
pub(crate) fn targets(x: &[Vec3], v: &[Vec3], held: &[bool], gravity: Vec3, dt: f64) -> Vec<DVec3> {
    let g = gravity.as_dvec3();
    (0..x.len())
        .map(|i| {
            let fall = if held[i] { DVec3::ZERO } else { g * dt };
            x[i].as_dvec3() + (v[i].as_dvec3() + fall) * dt
        })
        .collect()
}

/// Returns a soft material.
pub(crate) fn soft() -> Material {
    Material {
        young: 2e4,
        poisson: 0.3,
        density: 1000.0,
    }
}

/// Makes a body that is bent and in motion, held at one end; also returns its state.
pub(crate) fn moving(engine: &Engine, mesh: &TetMesh) -> (Body, Elastic, Vec<Vec3>, Vec<Vec3>) {
    let mut body = body(engine, mesh, soft(), 64);
    body.pin(&low_end(mesh)).unwrap();
    let elastic = elastic(&mut body, mesh);
    let (x, v) = disturbed(mesh, &elastic.held);
    body.set_positions(&x).unwrap();
    body.set_velocities(&v).unwrap();
    (body, elastic, x, v)
}
