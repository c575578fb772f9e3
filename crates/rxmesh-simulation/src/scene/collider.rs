//! `[[collider]]`: solids that bodies touch.

use super::make::BodyMesh;
use super::spec::{NO_TURN, Turn, no};
use crate::{Collider, ColliderShape, DistanceGrid};
use glam::{DAffine3, DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::{Error, files};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Solid that bodies touch: one of `plane`, `sphere`, `box`, `mesh` and `grid`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColliderSpec {
    /// Half-space behind the plane through `at` with this normal.
    pub plane: Option<Normal>,
    /// Ball around `at`.
    pub sphere: Option<Radius>,
    /// Box around `at`.
    #[serde(rename = "box")]
    pub cuboid: Option<Half>,
    /// File of a closed surface, or of a volume whose boundary is used; it becomes a grid of signed distances.
    pub mesh: Option<PathBuf>,
    /// Factor by which the mesh is scaled first.
    pub scale: Option<f32>,
    /// Distance of the mesh's grid points, in metres.
    pub spacing: Option<f32>,
    /// Grid points on the mesh's longest side, instead of `spacing`; 64 by default.
    pub resolution: Option<u32>,
    /// Signed distances from a file.
    pub grid: Option<GridFile>,
    /// Position in metres.
    #[serde(default)]
    pub at: [f32; 3],
    /// Rotation.
    pub turn: Option<Turn>,
    /// `true` if bodies are kept inside instead of outside.
    #[serde(default)]
    pub hollow: bool,
    /// Velocity in m/s.
    #[serde(default)]
    pub velocity: [f32; 3],
    /// Angular velocity in rad/s.
    #[serde(default)]
    pub spin: [f32; 3],
    /// Stiffness: [`Collider::stiffness`].
    pub stiffness: Option<f32>,
    /// Thickness of the contact layer: [`Collider::thickness`].
    pub thickness: Option<f32>,
    /// Coulomb's coefficient of friction.
    #[serde(default)]
    pub friction: f32,
    /// `true` if edges touch it as well: [`Collider::edges`].
    #[serde(default)]
    pub edges: bool,
}

/// A plane's normal.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    /// Normal of any length.
    pub normal: [f32; 3],
}

/// A sphere's radius.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Radius {
    /// Radius in metres.
    pub radius: f32,
}

/// Half extents of a box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Half {
    /// Half of its side lengths in metres.
    pub half: [f32; 3],
}

/// Signed distances on a grid, as a file of 32-bit little-endian floats: along x first, then y, then z.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GridFile {
    /// The file.
    pub file: PathBuf,
    /// Number of points along x, y and z.
    pub points: [u32; 3],
    /// Distance of neighbouring points in metres.
    pub spacing: f32,
    /// Position of the first point relative to `at`.
    #[serde(default)]
    pub origin: [f32; 3],
}

impl ColliderSpec {
    /// Refuses values out of range, except those that depend on files.
    pub(super) fn check(&self) -> Result<(), Error> {
        let shapes = [
            self.plane.is_some(),
            self.sphere.is_some(),
            self.cuboid.is_some(),
            self.mesh.is_some(),
            self.grid.is_some(),
        ];
        if shapes.iter().filter(|&&s| s).count() != 1 {
            return Err(no(
                "one of `plane`, `sphere`, `box`, `mesh` and `grid` must say its shape",
            ));
        }
        let of_mesh = [self.scale.is_some(), self.spacing.is_some()];
        if self.mesh.is_none() && (of_mesh.contains(&true) || self.resolution.is_some()) {
            return Err(no("`scale`, `spacing` and `resolution` are of a `mesh`"));
        }
        if self.spacing.is_some() && self.resolution.is_some() {
            return Err(no("`spacing` and `resolution` say the same"));
        }
        if self.resolution.is_some_and(|n| n < 2) {
            return Err(no("`resolution` must be 2 or more"));
        }
        for (what, x) in [("scale", self.scale), ("spacing", self.spacing)] {
            if let Some(x) = x.filter(|x| !(*x > 0.0 && x.is_finite())) {
                return Err(Error::Options(format!(
                    "`{what}` is {x}, but must be positive"
                )));
            }
        }
        // The shape comes from a file: the rest is checked with a plane.
        let base = self.base()?.unwrap_or(Collider::new(ColliderShape::Plane));
        self.placed(base)?.check()
    }

    /// Makes the collider; `beside` resolves the paths that the scene names, `read` reads meshes from them.
    ///
    /// # Errors
    ///
    /// [`Error::Options`]: values out of range, a file that cannot be read, or a surface that is not closed. Or an
    /// error of the engine.
    pub(super) fn collider(
        &self,
        engine: &Engine,
        beside: impl Fn(&Path) -> PathBuf,
        read: impl Fn(&Path, &mut Vec<String>) -> Result<BodyMesh, Error>,
        warnings: &mut Vec<String>,
    ) -> Result<Collider, Error> {
        let base = match (self.base()?, &self.mesh, &self.grid) {
            (Some(base), _, _) => base,
            (None, Some(file), _) => {
                let grid = self.grid_of_mesh(engine, read(file, warnings)?);
                let named = |e| Error::Options(format!("{}: {e}", beside(file).display()));
                let grid = grid.map_err(named)?;
                Collider::new(ColliderShape::Grid(grid))
            }
            (None, None, Some(grid)) => {
                Collider::new(ColliderShape::Grid(grid.read(&beside(&grid.file))?))
            }
            (None, None, None) => return Err(no("there is no shape")),
        };
        let collider = self.placed(base)?;
        collider.check()?;
        Ok(collider)
    }

    /// Returns a collider of its shape, unless that is in a file, without its position and other values.
    fn base(&self) -> Result<Option<Collider>, Error> {
        if let Some(Normal { normal }) = self.plane {
            let normal = Vec3::from(normal);
            if normal.try_normalize().is_none() {
                return Err(no("the plane's normal has no direction"));
            }
            if self.turn.is_some() {
                return Err(no("a plane has a normal, and no turn"));
            }
            return Ok(Some(Collider::plane(Vec3::ZERO, normal)));
        }
        let sphere = self
            .sphere
            .map(|Radius { radius }| ColliderShape::Sphere { radius });
        let cuboid = self
            .cuboid
            .map(|Half { half }| ColliderShape::Box { half: half.into() });
        Ok(sphere.or(cuboid).map(Collider::new))
    }

    /// Sets all values other than the shape.
    fn placed(&self, mut collider: Collider) -> Result<Collider, Error> {
        collider.position = self.at.into();
        if let Some(turn) = &self.turn {
            collider.rotation = turn.rotation().ok_or_else(|| no(NO_TURN))?;
        }
        collider.hollow = self.hollow;
        collider.velocity = self.velocity.into();
        collider.spin = self.spin.into();
        collider.stiffness = self.stiffness.unwrap_or(collider.stiffness);
        collider.thickness = self.thickness.unwrap_or(collider.thickness);
        collider.friction = self.friction;
        collider.edges = self.edges;
        Ok(collider)
    }

    fn grid_of_mesh(&self, engine: &Engine, mesh: BodyMesh) -> Result<DistanceGrid, Error> {
        let mut mesh = match mesh {
            BodyMesh::Cloth(mesh) => mesh,
            BodyMesh::Volume(mesh) => mesh.boundary().surface,
        };
        if let Some(scale) = self.scale {
            mesh.transform(&DAffine3::from_scale(DVec3::splat(scale.into())))?;
        }
        let resolution = self.resolution.unwrap_or(64);
        let spacing = self
            .spacing
            .unwrap_or(DistanceGrid::extent(&mesh) / (resolution - 1) as f32);
        let thickness = self
            .thickness
            .unwrap_or(Collider::new(ColliderShape::Plane).thickness);
        DistanceGrid::from_mesh(engine, &mesh, spacing, thickness)
    }
}

impl GridFile {
    fn read(&self, path: &Path) -> Result<DistanceGrid, Error> {
        let failed = |why: String| Error::Options(format!("{}: {why}", path.display()));
        let points = self.points.iter().map(|&n| u64::from(n));
        let size = points.fold(4, u64::saturating_mul);
        let bytes = files::read_sized(path, size);
        let bytes = bytes.map_err(|e| failed(format!("{e} for {:?} points", self.points)))?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(DistanceGrid {
            points: self.points,
            spacing: self.spacing,
            origin: self.origin.into(),
            distances: words.iter().map(|w| f32::from_le_bytes(*w)).collect(),
        })
    }
}
