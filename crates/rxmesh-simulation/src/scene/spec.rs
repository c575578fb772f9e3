//! What a scene file says.

use super::{CellMaterial, ColliderSpec, Copies, SceneError};
use crate::solve::{
    ClothMaterial, Damping, GridOptions, HybridOptions, ImplicitOptions, ProjectiveOptions,
    VbdOptions, XpbdOptions,
};
use crate::{Elasticity, Material};
use glam::{DVec3, Quat, Vec3};
use rxmesh_host::Error;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Bodies, what they touch, and how far to go. Units are SI; files are relative to the scene's own.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The scene's file.
    #[serde(skip)]
    pub path: PathBuf,
    /// Content of the mesh files that bodies name, where that is at hand: of a stream, which can be read once.
    #[serde(skip)]
    pub content: Option<Arc<[u8]>>,
    /// How far to go.
    pub time: Time,
    /// Acceleration of everything, in m/s^2.
    #[serde(default = "gravity")]
    pub gravity: [f32; 3],
    /// Where the scene's zero lies in the coordinates of mesh files, in metres; all places in the scene count from
    /// there, and frames are written with it added.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Slip below which friction of implicit steps is smooth, in m/s
    /// ([`Surroundings::set_slip`](crate::Surroundings::set_slip)).
    #[serde(default = "slip")]
    pub slip: f32,
    /// What moves: `[[body]]`.
    #[serde(rename = "body", default)]
    pub bodies: Vec<BodySpec>,
    /// What bodies touch: `[[collider]]`.
    #[serde(rename = "collider", default)]
    pub colliders: Vec<ColliderSpec>,
    /// The grid of bodies that move by `solver.mpm`.
    pub grid: Option<GridOptions>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
}

fn gravity() -> [f32; 3] {
    [0.0, 0.0, -9.81]
}

fn slip() -> f32 {
    1e-3
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Seconds of a step.
    pub step: f32,
    /// Number of steps.
    pub steps: u32,
}

/// What is written while a scene runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Steps between two frames.
    pub every: u32,
}

impl Default for Output {
    fn default() -> Self {
        Output { every: 1 }
    }
}

/// A body: its shape at rest, which is one of `mesh`, `box`, `ball` and `sheet`, and how it moves.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Its name, and that of its frames.
    pub name: String,
    /// A file of a volume, or of a surface that is cloth.
    pub mesh: Option<PathBuf>,
    /// A box of tetrahedra, from the origin on.
    #[serde(rename = "box")]
    pub cuboid: Option<Cuboid>,
    /// A ball of tetrahedra around the origin.
    pub ball: Option<Ball>,
    /// A rectangle of cloth in the plane z = 0, from the origin on.
    pub sheet: Option<Sheet>,
    /// The shape is scaled first,
    #[serde(default = "one")]
    pub scale: f32,
    /// then turned,
    pub turn: Option<Turn>,
    /// then moved, in metres.
    #[serde(default)]
    pub at: [f32; 3],
    /// Copies of it.
    pub copies: Option<Copies>,
    /// Velocity at the start, in m/s.
    #[serde(default)]
    pub velocity: [f32; 3],
    /// What cells are made of.
    #[serde(default)]
    pub material: Material,
    /// What some of the cells are made of instead; the last that is of a cell counts.
    #[serde(default)]
    pub materials: Vec<CellMaterial>,
    /// What cloth is made of.
    #[serde(default)]
    pub cloth: Cloth,
    /// How it moves.
    #[serde(default)]
    pub solver: SolverSpec,
    /// Vertices that are held.
    #[serde(default)]
    pub pins: Vec<Pins>,
}

fn one() -> f32 {
    1.0
}

/// A box of tetrahedra, six a small box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Small boxes along x, y and z.
    pub divisions: [u32; 3],
    /// Metres along x, y and z.
    pub size: [f32; 3],
}

/// A ball of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Cells from the centre to the surface.
    pub divisions: u32,
    /// Its radius in metres.
    pub radius: f32,
}

/// A rectangle of cloth, two triangles a square.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Squares along x and y.
    pub divisions: [u32; 2],
    /// Metres along x and y.
    pub size: [f32; 2],
}

/// A turn about an axis through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The axis, of any length.
    pub axis: [f32; 3],
    /// The angle, counter-clockwise seen from where the axis points to.
    pub degrees: f32,
}

impl Turn {
    /// As a rotation; `None` for an axis without direction or an angle that is not finite.
    pub(crate) fn rotation(&self) -> Option<Quat> {
        let axis = Vec3::from(self.axis).try_normalize()?;
        let turn = Quat::from_axis_angle(axis, self.degrees.to_radians());
        turn.is_finite().then_some(turn)
    }
}

/// What cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cloth {
    /// Kilograms a square metre.
    pub density: f64,
    /// How it gives way.
    pub material: ClothMaterial,
}

impl Default for Cloth {
    /// Cotton.
    fn default() -> Self {
        Cloth {
            density: 0.15,
            material: ClothMaterial::default(),
        }
    }
}

/// How a body moves. Cloth takes `xpbd`, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverSpec {
    /// Symplectic Euler.
    Explicit(ExplicitSpec),
    /// Implicit Euler by Newton's method.
    Implicit(ImplicitOptions),
    /// Projective dynamics.
    Projective(ProjectiveOptions),
    /// Extended position-based dynamics.
    Xpbd(XpbdOptions),
    /// Vertex block descent.
    Vbd(VbdOptions),
    /// Explicit steps on the scene's grid, which carries momentum between bodies.
    Mpm(HybridOptions),
}

impl Default for SolverSpec {
    fn default() -> Self {
        SolverSpec::Implicit(ImplicitOptions::default())
    }
}

/// Options of explicit steps.
#[derive(Clone, Copy, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExplicitSpec {
    /// The energy of the cells.
    pub elasticity: Elasticity,
    /// Damping.
    pub damping: Damping,
}

/// Vertices that are held: those in a box, those of a list, or both.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// The lowest and the highest corner of a box in the world, in metres.
    pub within: Option<[[f32; 3]; 2]>,
    /// Vertices, counted from 0 in the order of the mesh.
    #[serde(default)]
    pub vertices: Vec<u32>,
    /// What they move with, in m/s.
    #[serde(default)]
    pub velocity: [f32; 3],
}

pub(super) const NO_TURN: &str = "`turn` needs an axis with a direction and an angle";

pub(super) fn no(why: &str) -> Error {
    Error::Options(why.into())
}

impl Scene {
    /// Refuses what cannot be, but for what meshes have a say in.
    ///
    /// # Errors
    ///
    /// [`SceneError::Value`].
    pub fn check(&self) -> Result<(), SceneError> {
        let Time { step, steps } = self.time;
        if !(step > 0.0 && step.is_finite()) || steps == 0 {
            let why = format!("{steps} steps of {step} s: both must be positive");
            return Err(self.wrong("time", Error::Options(why)));
        }
        if !Vec3::from(self.gravity).is_finite() {
            return Err(self.wrong("gravity", no("it must be finite")));
        }
        if !DVec3::from(self.origin).is_finite() {
            return Err(self.wrong("origin", no("it must be finite")));
        }
        if !(self.slip > 0.0 && self.slip.is_finite()) {
            let why = format!("it is {} m/s, but must be positive", self.slip);
            return Err(self.wrong("slip", Error::Options(why)));
        }
        if self.output.every == 0 {
            return Err(self.wrong("output", no("`every` is 0, but must be 1 or more")));
        }
        if self.bodies.is_empty() {
            return Err(self.wrong(
                "body",
                no("there is none: a scene has one `[[body]]` or more"),
            ));
        }
        let mut names = HashSet::new();
        for body in &self.bodies {
            body.check().map_err(|e| self.wrong(body.place(), e))?;
            if !names.insert(&body.name) {
                return Err(self.wrong(body.place(), no("another body has this name")));
            }
        }
        self.check_grid()?;
        for (k, collider) in self.colliders.iter().enumerate() {
            let checked = collider.check();
            checked.map_err(|e| self.wrong(format!("collider {k}"), e))?;
        }
        Ok(())
    }
}

impl Scene {
    /// Bodies on a grid and the grid need each other.
    fn check_grid(&self) -> Result<(), SceneError> {
        let on_grid = |b: &&BodySpec| matches!(b.solver, SolverSpec::Mpm(_));
        match (&self.grid, self.bodies.iter().find(on_grid)) {
            (Some(grid), Some(_)) => grid.check().map_err(|e| self.wrong("grid", e)),
            (Some(_), None) => Err(self.wrong("grid", no("no body moves by `solver.mpm`"))),
            (None, Some(body)) => Err(self.wrong(
                body.place(),
                no("`solver.mpm` needs a section `[grid]` with `spacing`, `low` and `high`"),
            )),
            (None, None) => Ok(()),
        }
    }
}

impl BodySpec {
    /// How errors name it.
    pub(crate) fn place(&self) -> String {
        format!("body \"{}\"", self.name)
    }

    fn check(&self) -> Result<(), Error> {
        let plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Err(no(
                "its name is that of files: letters, digits, `-` and `_`, and one at least",
            ));
        }
        let shapes = [
            self.mesh.is_some(),
            self.cuboid.is_some(),
            self.ball.is_some(),
            self.sheet.is_some(),
        ];
        if shapes.iter().filter(|&&s| s).count() != 1 {
            return Err(no(
                "one of `mesh`, `box`, `ball` and `sheet` must say its shape",
            ));
        }
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            let why = format!("`scale` is {}, but must be positive", self.scale);
            return Err(Error::Options(why));
        }
        let vectors = [("at", self.at), ("velocity", self.velocity)];
        let pinned = self.pins.iter().map(|p| ("a pin's velocity", p.velocity));
        for (what, v) in vectors.into_iter().chain(pinned) {
            if !Vec3::from(v).is_finite() {
                return Err(Error::Options(format!("{what} is not finite")));
            }
        }
        if self.turn.is_some_and(|t| t.rotation().is_none()) {
            return Err(no(NO_TURN));
        }
        if let Some(copies) = &self.copies {
            copies.check(self)?;
        }
        for (k, cells) in self.materials.iter().enumerate() {
            let named = |e| Error::Options(format!("materials {k}: {e}"));
            cells.check().map_err(named)?;
        }
        self.material.check()
    }

    /// Where a point of the shape is in the world.
    pub(crate) fn placed(&self, p: Vec3) -> Vec3 {
        let turn = self.turn.and_then(|t| t.rotation());
        turn.unwrap_or(Quat::IDENTITY) * (p * self.scale) + Vec3::from(self.at)
    }
}
