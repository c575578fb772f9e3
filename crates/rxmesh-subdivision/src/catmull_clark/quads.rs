//! Quads under a surface: those of a mesh, or those that one level makes of its polygons.

use super::creases::SharpnessTable;
use super::kept::SurfaceFaces;
use super::{MOST_LEVELS, check};
use crate::faces::FaceSource;
use crate::launch::Launch;
use crate::mesh::KnownTopology;
use crate::{Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Faces, MeshError};
use rxmesh_kernels::kernel::Entry;
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::catmull_clark::faces::SplitFaces;
use rxmesh_subdivision_kernels::catmull_clark::once::{EdgePoints, FacePoints, VertexPoints};
use rxmesh_subdivision_kernels::catmull_clark::{ComponentCount, ComponentRows, Output};
use std::sync::OnceLock;

/// Mesh with its sharpness.
#[derive(Debug)]
pub(super) struct Creased {
    pub(super) mesh: Mesh,
    sharpness: Sharpness,
    table: SharpnessTable,
}

impl Creased {
    fn empty(engine: &Engine) -> Result<Creased, Error> {
        Ok(Creased {
            mesh: Mesh::empty(engine)?,
            sharpness: Sharpness::empty(engine)?,
            table: SharpnessTable::empty(engine)?,
        })
    }

    /// Makes the quads of one level of polygons.
    fn split(&mut self, polygons: &Creased, options: &Options, levels: u32) -> Result<(), Error> {
        let before = &polygons.mesh;
        let n = before.corner_count();
        let points = before.vertex_count() + before.edge_count() + before.face_count();
        // Halves of edges, and edges to the face points.
        let known = KnownTopology {
            edges: 2 * before.edge_count() + n,
            special: before.special,
        };
        self.mesh.make_with(points, (4, 4 * n), known, |out| {
            let mesh = before.topology();
            before.engine().launch_flat(n, SplitFaces { mesh, out })
        })?;
        let (quads, sharpness) = (&self.mesh, &mut self.sharpness);
        sharpness.make_after_one(&polygons.sharpness, before, &polygons.creases(), quads)?;
        self.table.make(quads, sharpness, options.creasing, levels)
    }

    /// Makes the corners of the quads of one level of polygons and nothing else: a level that no other follows needs no
    /// connectivity.
    fn outline(&mut self, polygons: &Creased) -> Result<(), Error> {
        let before = &polygons.mesh;
        let n = before.corner_count();
        self.mesh.make_corners((4, 4 * n), |out| {
            let mesh = before.topology();
            before.engine().launch_flat(n, SplitFaces { mesh, out })
        })
    }

    /// Returns the view of sharpness for kernels.
    pub(super) fn creases(&self) -> Creases {
        self.table.creases(&self.mesh, &self.sharpness)
    }

    /// Returns the largest finite sharpness of its edges and vertices.
    pub(super) fn most_sharp(&self) -> f32 {
        self.sharpness.most()
    }

    /// Computes one level of any polygons.
    pub(super) fn once<N: ComponentCount + Default>(
        &self,
        base: ComponentRows,
        out: Output,
    ) -> Result<(), Error>
    where
        FacePoints<N>: Entry,
        EdgePoints<N>: Entry,
        VertexPoints<N>: Entry,
    {
        let engine = self.mesh.engine();
        let (mesh, creases) = (self.mesh.topology(), self.creases());
        let components = N::default();
        engine.launch_flat(
            self.mesh.face_count() * N::N,
            FacePoints {
                mesh,
                base,
                out,
                components,
            },
        )?;
        engine.launch_flat(
            self.mesh.edge_count() * N::N,
            EdgePoints {
                mesh,
                creases,
                base,
                out,
                components,
            },
        )?;
        engine.launch_flat(
            self.mesh.vertex_count() * N::N,
            VertexPoints {
                mesh,
                creases,
                base,
                out,
                components,
            },
        )?;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.mesh.bytes() + self.sharpness.bytes() + self.table.bytes()
    }
}

/// Quads under a surface.
#[derive(Debug)]
pub(super) struct Quads {
    /// Polygons, if one level makes quads of them.
    pub(super) polygons: Option<Creased>,
    /// Memory for polygons, while the faces are quads.
    spare: Option<Creased>,
    /// Quads; the mesh itself at level 0. Only their corners if they are the surface.
    pub(super) base: Creased,
    /// Quads with their connectivity, of which `base` has only the corners, once they were asked for.
    connected: OnceLock<Creased>,
    /// Quads that are part of the surface.
    pub(super) kept: SurfaceFaces,
}

impl Quads {
    pub(super) fn empty(engine: &Engine) -> Result<Quads, Error> {
        Ok(Quads {
            polygons: None,
            spare: None,
            base: Creased::empty(engine)?,
            connected: OnceLock::new(),
            kept: SurfaceFaces::empty(engine)?,
        })
    }

    /// Makes the quads of a mesh, in existing memory.
    pub(super) fn make(&mut self, source: &FaceSource, options: &Options) -> Result<(), Error> {
        let levels = options.levels;
        if levels > MOST_LEVELS {
            return Err(Error::Mesh(MeshError::BadParameter {
                what: "levels",
                asked: levels.to_string(),
                possible: "0 to 10 levels can be made",
            }));
        }
        let sizes = source.check()?;
        let split = levels > 0 && sizes != Faces::Same(4);
        self.set_split(split)?;
        let given = self.polygons.as_mut().unwrap_or(&mut self.base);
        given.mesh.make(source, &sizes)?;
        check(&given.mesh, levels)?;
        let (mesh, extras) = (&given.mesh, source.extras());
        given.sharpness.make(mesh, &extras, options.boundary)?;
        let rules = (options.boundary, levels);
        self.kept
            .make((mesh, sizes), &extras, &given.sharpness, rules)?;
        given
            .table
            .make(mesh, &given.sharpness, options.creasing, levels)?;
        self.connected = OnceLock::new();
        match &self.polygons {
            Some(polygons) if levels == 1 => self.base.outline(polygons),
            Some(polygons) => self.base.split(polygons, options, levels - 1),
            None => Ok(()),
        }
    }

    /// Returns `true` if the quads have only corners: they are the surface.
    pub(super) fn are_outlines(&self, levels: u32) -> bool {
        self.polygons.is_some() && levels == 1
    }

    /// Returns the quads with their connectivity, which is made at the first call if they have only corners.
    pub(super) fn connected(&self, options: &Options) -> Result<&Creased, Error> {
        let polygons = match &self.polygons {
            Some(polygons) if options.levels == 1 => polygons,
            _ => return Ok(&self.base),
        };
        if let Some(connected) = self.connected.get() {
            return Ok(connected);
        }
        let mut connected = Creased::empty(polygons.mesh.engine())?;
        connected.split(polygons, options, 0)?;
        Ok(self.connected.get_or_init(|| connected))
    }

    /// Returns the number of vertices of the quads that are the surface.
    pub(super) fn outline_vertices(&self) -> u32 {
        let mesh = &self.given().mesh;
        mesh.vertex_count() + mesh.edge_count() + mesh.face_count()
    }

    /// Moves memory to where polygons, or quads alone, need it.
    fn set_split(&mut self, split: bool) -> Result<(), Error> {
        if !split {
            self.spare = self.polygons.take().or(self.spare.take());
        } else if self.polygons.is_none() {
            self.polygons = Some(match self.spare.take() {
                Some(spare) => spare,
                None => Creased::empty(self.base.mesh.engine())?,
            });
        }
        Ok(())
    }

    /// Waits, and refuses faces that differ from the assumption.
    pub(super) fn check(&mut self, levels: u32) -> Result<(), Error> {
        // The quads into which polygons are split have faults of the same causes, and are checked and reset as well.
        let quads = match self.are_outlines(levels) {
            true => Ok(()),
            false => self.base.mesh.check(),
        };
        match &mut self.polygons {
            Some(polygons) => polygons.mesh.check().and(quads),
            None => quads,
        }
    }

    /// Removes all faces.
    pub(super) fn clear(&mut self) {
        for part in self.polygons.iter_mut().chain([&mut self.base]) {
            part.mesh.clear();
        }
        self.connected = OnceLock::new();
        self.kept.clear();
    }

    /// Returns `true` if one level made them.
    pub(super) fn are_split(&self) -> bool {
        self.polygons.is_some()
    }

    /// Returns the mesh that was given.
    pub(super) fn given(&self) -> &Creased {
        self.polygons.as_ref().unwrap_or(&self.base)
    }

    pub(super) fn bytes(&self) -> u64 {
        let polygons = [&self.polygons, &self.spare].into_iter().flatten();
        let polygons: u64 = polygons.map(Creased::bytes).sum();
        let connected = self.connected.get().map_or(0, Creased::bytes);
        polygons + self.base.bytes() + connected + self.kept.bytes()
    }
}
