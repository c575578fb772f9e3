//! Keys of a scene file.

use super::{CellMaterial, ColliderSpec, Copies, SceneError};
use crate::Material;
use crate::solve::{ClothMaterial, GridOptions, SolverSpec};
use glam::{DVec3, Quat, Vec3};
use rxmesh_host::Error;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Bodies, the solids that they touch, and the time to simulate. Units are SI; paths are relative to the scene's own.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The scene's file.
    #[serde(skip)]
    pub path: PathBuf,
    /// Content of the mesh file that bodies name, if it was read already: from a stream, which can be read only once.
    #[serde(skip)]
    pub content: Option<Arc<[u8]>>,
    /// Time step and number of steps.
    pub time: Time,
    /// Acceleration of all free vertices, in m/s^2.
    #[serde(default = "gravity")]
    pub gravity: [f32; 3],
    /// Position of the scene's zero in the coordinates of mesh files, in metres; all positions in the scene are
    /// relative to it, and it is added to frames when they are written.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Slip below which friction of implicit steps is smooth, in m/s
    /// ([`Surroundings::set_slip`](crate::Surroundings::set_slip)).
    #[serde(default = "slip")]
    pub slip: f32,
    /// Bodies: `[[body]]`.
    #[serde(rename = "body", default)]
    pub bodies: Vec<BodySpec>,
    /// Solids that bodies touch: `[[collider]]`.
    #[serde(rename = "collider", default)]
    pub colliders: Vec<ColliderSpec>,
    /// Grid of the bodies that move by `solver.mpm`.
    pub grid: Option<GridOptions>,
    /// Frames to write.
    #[serde(default)]
    pub output: Output,
}

fn gravity() -> [f32; 3] {
    [0.0, 0.0, -9.81]
}

fn slip() -> f32 {
    1e-3
}

/// Time step and number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step in seconds.
    pub step: f32,
    /// Number of steps.
    pub steps: u32,
}

/// Frames that are written while a scene runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Number of steps between two frames.
    pub every: u32,
}

impl Default for Output {
    fn default() -> Self {
        Output { every: 1 }
    }
}

/// Body: its rest shape, which is one of `mesh`, `box`, `ball` and `sheet`, and its solver.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Name of the body and of its frames.
    pub name: String,
    /// File of a volume, or of a surface, which becomes cloth.
    pub mesh: Option<PathBuf>,
    /// Box of tetrahedra with a corner at the origin.
    #[serde(rename = "box")]
    pub cuboid: Option<Cuboid>,
    /// Ball of tetrahedra around the origin.
    pub ball: Option<Ball>,
    /// Rectangle of cloth in the plane z = 0 with a corner at the origin.
    pub sheet: Option<Sheet>,
    /// Factor by which the shape is scaled first.
    #[serde(default = "one")]
    pub scale: f32,
    /// Rotation, after scaling.
    pub turn: Option<Turn>,
    /// Translation in metres, after the rotation.
    #[serde(default)]
    pub at: [f32; 3],
    /// Copies of the body.
    pub copies: Option<Copies>,
    /// Velocity at the start, in m/s.
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Material of the cells.
    #[serde(default)]
    pub material: Material,
    /// Materials of some of the cells; the last one that selects a cell is used.
    #[serde(default)]
    pub materials: Vec<CellMaterial>,
    /// Material of cloth.
    #[serde(default)]
    pub cloth: Cloth,
    /// Solver.
    #[serde(default)]
    pub solver: SolverSpec,
    /// Vertices that are pinned.
    #[serde(default)]
    pub pins: Vec<Pins>,
}

fn one() -> f32 {
    1.0
}

/// Box of tetrahedra, six per small box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Number of small boxes along x, y and z.
    pub divisions: [u32; 3],
    /// Side lengths along x, y and z, in metres.
    pub size: [f32; 3],
}

/// Ball of tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Number of cells from the centre to the surface.
    pub divisions: u32,
    /// Radius in metres.
    pub radius: f32,
}

/// Rectangle of cloth, two triangles per square.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Number of squares along x and y.
    pub divisions: [u32; 2],
    /// Side lengths along x and y, in metres.
    pub size: [f32; 2],
}

/// Rotation about an axis through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Axis of any length.
    pub axis: [f32; 3],
    /// Angle, counter-clockwise seen from the end of the axis.
    pub degrees: f32,
}

impl Turn {
    /// Returns the rotation, or `None` for an axis without direction or an angle that is not finite.
    pub(crate) fn rotation(&self) -> Option<Quat> {
        let axis = Vec3::from(self.axis).try_normalize()?;
        let turn = Quat::from_axis_angle(axis, self.degrees.to_radians());
        turn.is_finite().then_some(turn)
    }
}

/// Material of cloth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cloth {
    /// Density in kilograms per square metre.
    pub density: f64,
    /// Compliances.
    pub material: ClothMaterial,
}

impl Default for Cloth {
    /// Returns cotton.
    fn default() -> Self {
        Cloth {
            density: 0.15,
            material: ClothMaterial::default(),
        }
    }
}

/// Vertices that are pinned: those in a box, those of a list, or both.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// Lowest and highest corner of a box in the world, in metres.
    pub within: Option<[[f32; 3]; 2]>,
    /// Vertices, counted from 0 in the order of the mesh.
    #[serde(default)]
    pub vertices: Vec<u32>,
    /// Velocity in m/s.
    #[serde(default)]
    pub velocity: [f32; 3],
}

pub(super) const NO_TURN: &str = "`turn` needs an axis with a direction and an angle";

pub(super) fn no(why: &str) -> Error {
    Error::Options(why.into())
}

impl Scene {
    /// Refuses values out of range, except those that depend on meshes.
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
                no("there is no `[[body]]`: a scene has at least one"),
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
    /// Checks that a grid and bodies on it come together.
    fn check_grid(&self) -> Result<(), SceneError> {
        let on_grid = |b: &&BodySpec| matches!(b.solver, SolverSpec::Hybrid(_));
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
    /// Returns the name of the body in error messages.
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

    /// Returns the position in the world of a point of the shape.
    pub(crate) fn placed(&self, p: Vec3) -> Vec3 {
        let turn = self.turn.and_then(|t| t.rotation());
        turn.unwrap_or(Quat::IDENTITY) * (p * self.scale) + Vec3::from(self.at)
    }
}
