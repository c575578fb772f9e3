//! A box of jelly, by the kernels of [`cloth_kernels::solid`].

use cloth_kernels::solid::{Forces, SolidStep};
use rxmesh_host::kernels::Mat3;
use rxmesh_host::store::Volume;
use rxmesh_host::{Attribute, Cell, DVec3, Engine, RxMesh, TetMesh, Vec3, Vertex, generate};

use crate::Result;

const MU: f64 = 3.0;
const LAMBDA: f64 = 5.0;

/// A solid on an engine.
pub(crate) struct ElasticSolid {
    rx: RxMesh<Volume>,
    x: Attribute<Vertex, Vec3>,
    speed: Attribute<Vertex, Vec3>,
    force: Attribute<Vertex, Vec3>,
    rest: Attribute<Cell, Mat3>,
    volume: Attribute<Cell, f32>,
}

/// The sides of a cell that begin at its last corner.
fn sides(x: &[DVec3], [a, b, c, d]: [u32; 4]) -> [DVec3; 3] {
    [a, b, c].map(|v| x[v as usize] - x[d as usize])
}

fn doubles(x: &[Vec3]) -> Vec<DVec3> {
    x.iter().map(|p| p.as_dvec3()).collect()
}

/// Volume of a cell by its sides.
fn volume([a, b, c]: [DVec3; 3]) -> f64 {
    a.cross(b).dot(c).abs() / 6.0
}

impl ElasticSolid {
    /// Moves a mesh at rest to an engine.
    pub(crate) fn new(engine: &Engine, mesh: &TetMesh) -> Result<ElasticSolid> {
        let rx = RxMesh::from_tets(engine, mesh)?;
        let x = doubles(&mesh.positions);
        let cells = || mesh.cells.iter().map(|&cell| sides(&x, cell));
        let rest = cells()
            .map(|[a, b, c]| Mat3::from_cols(a.as_vec3(), b.as_vec3(), c.as_vec3()).inverse());
        let volumes = cells().map(|sides| volume(sides) as f32);
        Ok(ElasticSolid {
            x: rx.attribute_from(&mesh.positions)?,
            speed: rx.attribute()?,
            force: rx.attribute()?,
            rest: rx.attribute_from(&rest.collect::<Vec<_>>())?,
            volume: rx.attribute_from(&volumes.collect::<Vec<_>>())?,
            rx,
        })
    }

    /// Computes the forces at positions.
    pub(crate) fn forces(&mut self, x: &[Vec3]) -> Result<Vec<Vec3>> {
        self.x = self.rx.attribute_from(x)?;
        self.add_forces()?;
        Ok(self.force.to_input(&self.rx)?)
    }

    fn add_forces(&mut self) -> Result<()> {
        self.force.clear()?;
        self.rx.run(Forces {
            x: self.x.read()?,
            rest: self.rest.read()?,
            volume: self.volume.read()?,
            force: self.force.accumulate()?,
            mu: MU as f32,
            lambda: LAMBDA as f32,
        })?;
        Ok(())
    }

    /// Moves the solid by steps of some length.
    pub(crate) fn advance(&mut self, steps: u32, time: f32) -> Result<Vec<Vec3>> {
        for _ in 0..steps {
            self.add_forces()?;
            self.rx.run(SolidStep {
                x: self.x.write()?,
                speed: self.speed.write()?,
                force: self.force.read()?,
                time,
            })?;
        }
        Ok(self.x.to_input(&self.rx)?)
    }
}

/// Energy of a deformed mesh in doubles: `mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2` of a cell times its volume.
pub(crate) fn energy(rest: &TetMesh, x: &[DVec3]) -> f64 {
    let still = doubles(&rest.positions);
    let cell = |&cell: &[u32; 4]| {
        let (r, s) = (sides(&still, cell), sides(x, cell));
        // Rows of the inverse at rest are the reciprocal vectors of its sides.
        let whole = r[0].cross(r[1]).dot(r[2]);
        let rows = [r[1].cross(r[2]), r[2].cross(r[0]), r[0].cross(r[1])].map(|v| v / whole);
        // F = sum of s_k times row k.
        let f = |axis: fn(&DVec3) -> f64| {
            let [a, b, c] = [0, 1, 2].map(|k| s[k] * axis(&rows[k]));
            a + b + c
        };
        let columns = [f(|v| v.x), f(|v| v.y), f(|v| v.z)];
        let squares: f64 = columns.iter().map(|c| c.length_squared()).sum();
        let log = columns[0].cross(columns[1]).dot(columns[2]).ln();
        volume(r) * (0.5 * MU * (squares - 3.0) - MU * log + 0.5 * LAMBDA * log * log)
    };
    rest.cells.iter().map(cell).sum()
}

/// A box, and the same bent and twisted.
pub(crate) fn bent_box() -> Result<(TetMesh, Vec<Vec3>)> {
    let mesh = generate::tet_box([4, 3, 2], [1.0, 0.7, 0.5])?;
    let bend = |p: &Vec3| Vec3 {
        x: 1.1 * p.x + 0.1 * p.y * p.z,
        y: p.y + 0.15 * p.x * p.x,
        z: 0.9 * p.z - 0.1 * p.x * p.y,
    };
    let bent = mesh.positions.iter().map(bend).collect();
    Ok((mesh, bent))
}

/// Largest difference between the forces of the kernel and the slope of the energy, over the largest force.
pub(crate) fn error(engine: &Engine) -> Result<f64> {
    const SMALL: f64 = 1e-5;
    let (mesh, bent) = bent_box()?;
    let forces = ElasticSolid::new(engine, &mesh)?.forces(&bent)?;
    let (mut worst, mut largest) = (0.0, 0.0);
    let mut x = doubles(&bent);
    for (v, force) in forces.iter().enumerate() {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let here = x[v];
            let mut at = |by: f64| {
                x[v] = here + axis * by;
                let energy = energy(&mesh, &x);
                x[v] = here;
                energy
            };
            let slope = (at(SMALL) - at(-SMALL)) / (2.0 * SMALL);
            let got = force.as_dvec3().dot(axis);
            worst = f64::max(worst, (got + slope).abs());
            largest = f64::max(largest, got.abs());
        }
    }
    Ok(worst / largest)
}

/// Energy of the bent box, and that after a second of motion, in which it goes over to the motion.
pub(crate) fn let_go(engine: &Engine) -> Result<[f64; 2]> {
    let (mesh, bent) = bent_box()?;
    let mut solid = ElasticSolid::new(engine, &mesh)?;
    solid.forces(&bent)?;
    let moved = solid.advance(20, 0.05)?;
    Ok([&bent, &moved].map(|x| energy(&mesh, &doubles(x))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(engine: &Engine) {
        let error = error(engine).unwrap();
        assert!(error < 5e-5, "{error}");
        let (mesh, _) = bent_box().unwrap();
        let mut solid = ElasticSolid::new(engine, &mesh).unwrap();
        let still = solid.forces(&mesh.positions).unwrap();
        assert!(
            still.iter().all(|f| f.length() < 1e-5),
            "nothing pulls at rest"
        );
        let [before, after] = let_go(engine).unwrap();
        assert!(after < 0.9 * before && after > 0.0, "{before} {after}");
    }

    #[test]
    fn on_the_cpu() {
        check(&Engine::cpu());
    }

    #[test]
    fn by_a_team_of_threads() {
        check(&Engine::team(4));
    }

    #[test]
    fn on_cuda() {
        if let (engine, None) = crate::engine().unwrap() {
            check(&engine);
        }
    }

    /// The part that computes is as short as the listing is meant to be.
    #[test]
    fn kernels_are_short() {
        let text = include_str!("../../kernels/src/solid.rs");
        let bodies = text.split("impl ForEach").skip(1);
        let lines = bodies.map(|body| 1 + body.lines().take_while(|line| *line != "}").count());
        assert!(lines.sum::<usize>() <= 35);
    }
}
