//! Solids that bodies touch.

mod edges;
mod grid;

pub(crate) use edges::{Displaced, EdgeContacts, Outline, kick_edges, touch_edges};
pub use grid::DistanceGrid;

use glam::{Quat, Vec3};
use rxmesh_host::Error;
use rxmesh_simulation_kernels::contact::{Solid, SolidKind};

/// Shape of a [`Collider`], in its local frame.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Half-space below `z = 0`.
    Plane,
    /// Ball around the origin.
    Sphere {
        /// Radius in metres.
        radius: f32,
    },
    /// Box around the origin.
    Box {
        /// Half of its side lengths in metres.
        half: Vec3,
    },
    /// Shape given by signed distances.
    Grid(DistanceGrid),
}

/// Solid that bodies touch. It moves at its own velocity, and contact forces do not act on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Shape in its local frame.
    pub shape: ColliderShape,
    /// `true` if bodies are kept inside the shape instead of outside.
    pub hollow: bool,
    /// Position of the shape's origin, in metres.
    pub position: Vec3,
    /// Rotation of the shape.
    pub rotation: Quat,
    /// Velocity in metres per second.
    pub velocity: Vec3,
    /// Angular velocity in radians per second.
    pub spin: Vec3,
    /// Acceleration of a vertex divided by its depth, in one over squared seconds, so that depths do not depend on
    /// masses: a vertex that lies on the ground alone penetrates by gravity over this. Explicit steps are stable below
    /// two over its square root.
    pub stiffness: f32,
    /// Thickness of the layer around the shape in which contact begins, in metres.
    pub thickness: f32,
    /// Coulomb's coefficient of friction.
    pub friction: f32,
    /// `true` if edges of bodies touch it as well as vertices, so that balls, boxes and grids narrower than an edge do
    /// not slip through. Planes and hollow shapes touch edges only at their ends. Contact is up to three times as
    /// stiff.
    pub edges: bool,
}

impl Collider {
    /// Makes a shape at the origin, with a layer of a millimetre, a stiffness of 1e5 and no friction.
    pub fn new(shape: ColliderShape) -> Collider {
        Collider {
            shape,
            hollow: false,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            stiffness: 1e5,
            thickness: 1e-3,
            friction: 0.0,
            edges: false,
        }
    }

    /// Makes the half-space behind the plane through a point with this normal. A zero normal makes a collider that
    /// [`Collider::check`] refuses.
    pub fn plane(point: Vec3, normal: Vec3) -> Collider {
        let none = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let turn = |n: Vec3| Quat::from_rotation_arc(Vec3::Z, n);
        Collider {
            position: point,
            rotation: normal.try_normalize().map_or(none, turn),
            ..Collider::new(ColliderShape::Plane)
        }
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        match &self.shape {
            ColliderShape::Plane => {}
            ColliderShape::Sphere { radius } => positive("a sphere's radius", *radius)?,
            ColliderShape::Box { half } => positive("half a box's length", half.min_element())?,
            ColliderShape::Grid(grid) => grid.check()?,
        }
        positive("a collider's stiffness", self.stiffness)?;
        positive("a collider's thickness", self.thickness)?;
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(Error::Options(format!(
                "a collider's friction is {}, but must be a number, 0 or more",
                self.friction
            )));
        }
        let vectors = [self.position, self.velocity, self.spin];
        let turned = (self.rotation.length() - 1.0).abs() < 1e-3;
        if vectors.iter().any(|v| !v.is_finite()) || !turned {
            return Err(Error::Options(
                "a collider's position, velocity and spin must be finite, its rotation a unit quaternion".into(),
            ));
        }
        Ok(())
    }

    /// Returns `true` if it does not move.
    pub(crate) fn rests(&self) -> bool {
        self.velocity == Vec3::ZERO && self.spin == Vec3::ZERO
    }

    /// Advances the position and the rotation by a time step.
    pub(crate) fn go(&mut self, dt: f32) {
        self.position += self.velocity * dt;
        let turn = Quat::from_scaled_axis(self.spin * dt);
        self.rotation = (turn * self.rotation).normalize();
    }

    /// Returns the form that kernels take; `first` is the offset of its distances.
    pub(crate) fn solid(&self, first: u32) -> Solid {
        let (kind, size, points, spacing) = match &self.shape {
            ColliderShape::Plane => (SolidKind::Plane, Vec3::ZERO, [0; 3], 0.0),
            ColliderShape::Sphere { radius } => {
                (SolidKind::Sphere, Vec3::splat(*radius), [0; 3], 0.0)
            }
            ColliderShape::Box { half } => (SolidKind::Box, *half, [0; 3], 0.0),
            ColliderShape::Grid(grid) => (SolidKind::Grid, grid.origin, grid.points, grid.spacing),
        };
        Solid {
            kind: kind as u32,
            side: if self.hollow { -1.0 } else { 1.0 },
            size: size.to_array(),
            turn: self.rotation.to_array(),
            at: self.position.to_array(),
            velocity: self.velocity.to_array(),
            spin: self.spin.to_array(),
            stiffness: self.stiffness,
            thickness: self.thickness,
            friction: self.friction,
            edges: self.edges.into(),
            first,
            points,
            spacing,
        }
    }
}

fn positive(what: &str, x: f32) -> Result<(), Error> {
    if x > 0.0 && x.is_finite() {
        return Ok(());
    }
    Err(Error::Options(format!(
        "{what} is {x}, but must be a positive number"
    )))
}
