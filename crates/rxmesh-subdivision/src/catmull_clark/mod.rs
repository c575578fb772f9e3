//! Catmull-Clark surfaces.

mod adaptive;
pub(crate) mod creases;
mod kept;
mod limit;
mod pass;

pub use adaptive::{Adaptive, Patch, PatchCount, PatchKind, Tessellation};

use crate::{Boundary, Creasing, Mesh, Options, Sharpness};
use creases::Table;
use kept::Kept;
use pass::Pass;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::catmull_clark::faces::{SplitFaces, WriteFaces};
use rxmesh_subdivision_kernels::catmull_clark::rings::POINTS;
use rxmesh_subdivision_kernels::catmull_clark::{Components, Grid, One, Three};

/// The most levels.
pub const MOST_LEVELS: u32 = 10;

/// A Catmull-Clark surface: what depends on faces and sharpness alone is prepared once, values follow as often as they
/// change.
///
/// Ids of the points, for quads: base vertices; per base edge n - 1 inner points, n = 2^levels, from the origin of its
/// lower half-edge on; per base face the points inside, row by row. Where faces are no quads, one level makes quads of
/// them, one a corner, whose points are [vertices | edges | faces], and the same order holds for those with one level
/// less. The faces of a base face lie together, row by row, those of an n-gon corner by corner.
#[derive(Debug)]
pub struct CatmullClark {
    engine: Engine,
    levels: u32,
    /// The polygons, where one level makes quads of them.
    polygons: Option<Creased>,
    /// The quads that grids stand on; the mesh itself at level 0.
    base: Creased,
    stages: Vec<Stage>,
    scratch: Scratch,
    kept: Kept,
    vertices: u32,
}

/// A mesh with its sharpness.
#[derive(Debug)]
struct Creased {
    mesh: Mesh,
    sharpness: Sharpness,
    table: Option<Table>,
}

/// Some levels in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    from: u32,
    levels: u32,
    log_cells: u32,
}

/// Memory that the kernels need on the way, for three components.
#[derive(Debug)]
struct Scratch {
    /// Values of the quads, where they are made of polygons.
    quads: Buffer<f32>,
    corners: Buffer<f32>,
    centres: Buffer<f32>,
    /// What each stage but the last makes.
    grids: Vec<Buffer<f32>>,
}

/// Levels of a launch that starts at the base.
const FIRST: u32 = 5;
/// As [`FIRST`], of the launches after it.
const LATER: u32 = 4;

fn stages(levels: u32) -> Vec<Stage> {
    let (mut list, mut to) = (Vec::new(), levels);
    while to > FIRST {
        to -= LATER;
        list.push(Stage {
            from: to,
            levels: LATER,
            log_cells: FIRST - LATER,
        });
    }
    list.push(Stage {
        from: 0,
        levels: to,
        log_cells: 0,
    });
    list.reverse();
    list
}

/// Vertices and faces after some levels of quads.
fn counts(mesh: &Mesh, levels: u32) -> [u64; 2] {
    let [v, e, f] = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()].map(u64::from);
    let inner = (1u64 << levels) - 1;
    [v + e * inner + f * inner * inner, f << (2 * levels)]
}

/// Refuses what 32 bits cannot address.
fn check(mesh: &Mesh, levels: u32) -> Result<(), Error> {
    let [v, e, c] = [mesh.vertex_count(), mesh.edge_count(), mesh.corner_count()].map(u64::from);
    let quads = mesh.face_size() == Some(4);
    let [vertices, faces] = if quads || levels == 0 {
        counts(mesh, levels)
    } else {
        let f = u64::from(mesh.face_count());
        let inner = (1u64 << (levels - 1)) - 1;
        let points = v + e + f + (2 * e + c) * inner + c * inner * inner;
        [points, c << (2 * (levels - 1))]
    };
    let most = u64::from(u32::MAX);
    for (what, count, limit) in [("vertices", vertices, most / 3), ("faces", faces, most / 4)] {
        if count > limit {
            return Err(Error::TooLarge { what, count, limit });
        }
    }
    Ok(())
}

impl Creased {
    fn new(
        mesh: Mesh,
        sharpness: Sharpness,
        options: &Options,
        levels: u32,
    ) -> Result<Creased, Error> {
        let table = match options.creasing {
            Creasing::Chaikin => Table::new(&mesh, &sharpness, levels)?,
            Creasing::Uniform => None,
        };
        Ok(Creased {
            mesh,
            sharpness,
            table,
        })
    }

    /// The quads that one level makes.
    fn split(&self, options: &Options, levels: u32) -> Result<Creased, Error> {
        let mesh = &self.mesh;
        let engine = mesh.engine();
        let n = mesh.corner_count();
        let corners = engine.zeroed(4 * n as usize)?;
        let kernel = SplitFaces {
            mesh: mesh.topology(),
            out: corners.global_mut(),
        };
        engine.launch_flat(n, kernel)?;
        let points = mesh.vertex_count() + mesh.edge_count() + mesh.face_count();
        let quads = Mesh::of_buffers(engine, points, 4, None, corners)?;
        let sharpness = self.sharpness.after_one(mesh, &self.creases(), &quads)?;
        Creased::new(quads, sharpness, options, levels)
    }

    fn creases(&self) -> Creases {
        Table::creases(self.table.as_ref(), &self.mesh, &self.sharpness)
    }

    fn bytes(&self) -> u64 {
        let m = &self.mesh;
        let [v, e, c] = [m.vertex_count(), m.edge_count(), m.corner_count()].map(u64::from);
        let lists = if m.face_size().is_some() {
            0
        } else {
            c + u64::from(m.face_count()) + 1
        };
        let table = self.table.as_ref().map_or(0, Table::bytes);
        4 * (4 * c + e + 2 * v + 1 + lists) + self.sharpness.bytes() + table
    }
}

impl CatmullClark {
    /// Prepares a surface of a mesh; [`Options::scheme`] is not looked at.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`] and [`Sharpness::new`]; more than [`MOST_LEVELS`] levels; [`Error::TooLarge`] for more points
    /// or faces than 32 bits can address; no memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<CatmullClark, Error> {
        let levels = options.levels;
        if levels > MOST_LEVELS {
            return Err(Error::Mesh(MeshError::BadParameter {
                what: "levels",
                asked: levels.to_string(),
                possible: "0 to 10 levels can be made",
            }));
        }
        let mesh = Mesh::new(engine, poly)?;
        check(&mesh, levels)?;
        let sharpness = Sharpness::new(&mesh, poly, options.boundary)?;
        let left_out = (options.boundary == Boundary::None).then_some(&sharpness);
        let kept = Kept::new(&mesh, poly, left_out, levels)?;
        let mesh = Creased::new(mesh, sharpness, options, levels)?;
        let (polygons, base, left) = if levels == 0 || mesh.mesh.face_size() == Some(4) {
            (None, mesh, levels)
        } else {
            let quads = mesh.split(options, levels - 1)?;
            (Some(mesh), quads, levels - 1)
        };
        let [vertices, _] = counts(&base.mesh, left);
        let stages = if left > 1 || (left == 1 && polygons.is_some()) {
            stages(left)
        } else {
            Vec::new()
        };
        Ok(CatmullClark {
            engine: engine.clone(),
            levels,
            scratch: Scratch::new(&base.mesh, polygons.is_some() && left > 0, &stages)?,
            polygons,
            base,
            stages,
            kept,
            vertices: vertices as u32,
        })
    }

    /// Levels of the grids on the quads.
    fn grid_levels(&self) -> u32 {
        self.levels - u32::from(self.polygons.is_some())
    }

    /// Makes the surface's values of the mesh's: `width` floats a vertex, row after row, such as positions. Runs
    /// kernels only: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for values that are not as many as there are vertices; what the engine says.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let before = self.polygons.as_ref().unwrap_or(&self.base);
        let pairs = [
            (x.len(), before.mesh.vertex_count()),
            (y.len(), self.vertices),
        ];
        for (got, rows) in pairs {
            let want = rows as usize * width as usize;
            if got != want {
                return Err(EngineError::Length { got, want }.into());
            }
        }
        if self.levels == 0 {
            return Ok(y.copy_from(x)?);
        }
        let mut first = 0;
        while first < width {
            if width - first >= Three::N {
                Pass::<Three>::new(self, width, first, x, y).run()?;
                first += Three::N;
            } else {
                Pass::<One>::new(self, width, first, x, y).run()?;
                first += One::N;
            }
        }
        Ok(())
    }

    /// Writes the faces of the surface: [`CatmullClark::index_count`] points.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`]; what the engine says.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        let (got, want) = (out.len(), self.index_count() as usize);
        if got != want {
            return Err(EngineError::Length { got, want }.into());
        }
        if self.levels == 0 {
            return self.kept.copy_corners(&self.base.mesh, out);
        }
        let kernel = WriteFaces {
            grid: Grid {
                mesh: self.base.mesh.topology(),
                level: self.grid_levels(),
            },
            kept: self.kept.view(),
            out: out.global_mut(),
        };
        Ok(self.engine.launch_flat(self.face_count(), kernel)?)
    }

    /// Points of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.vertices
    }

    /// Faces of the surface.
    pub fn face_count(&self) -> u32 {
        self.kept.count() << (2 * self.grid_levels())
    }

    /// Corners of every face; 0 when they differ, which they may at level 0 only.
    pub fn face_size(&self) -> u32 {
        match self.levels {
            0 => self.base.mesh.face_size().unwrap_or(0),
            _ => 4,
        }
    }

    /// Corners of all faces.
    pub fn index_count(&self) -> u32 {
        match self.levels {
            0 => self.kept.corners(),
            _ => 4 * self.face_count(),
        }
    }

    /// The face of the mesh that a face of the surface was made of.
    pub fn parent(&self, face: u32) -> u32 {
        self.kept.parent(face >> (2 * self.grid_levels()))
    }

    /// The mesh that the surface is made of.
    pub fn mesh(&self) -> &Mesh {
        &self.polygons.as_ref().unwrap_or(&self.base).mesh
    }

    /// Bytes that are kept on the engine.
    pub fn bytes(&self) -> u64 {
        let polygons = self.polygons.as_ref().map_or(0, Creased::bytes);
        polygons + self.base.bytes() + self.scratch.bytes() + self.kept.bytes()
    }
}

impl Scratch {
    fn new(mesh: &Mesh, split: bool, stages: &[Stage]) -> Result<Scratch, Error> {
        let engine = mesh.engine();
        let [v, c] = [mesh.vertex_count(), mesh.corner_count()].map(|n| n as usize);
        let levels = stages.last().map_or(0, |s| s.from + s.levels) as usize;
        let inner = levels.saturating_sub(1);
        let n = Three::N as usize;
        let grids = stages.iter().rev().skip(1).rev().map(|s| {
            let [points, _] = counts(mesh, s.from + s.levels);
            engine.zeroed(points as usize * n)
        });
        Ok(Scratch {
            quads: engine.zeroed(if split { v * n } else { 0 })?,
            corners: engine.zeroed(c * inner * POINTS as usize * n)?,
            centres: engine.zeroed(v * inner * n)?,
            grids: grids.collect::<Result<_, _>>()?,
        })
    }

    fn bytes(&self) -> u64 {
        let own = [&self.quads, &self.corners, &self.centres];
        let all = own.into_iter().chain(&self.grids);
        all.map(|b| 4 * b.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_meet() {
        for levels in 1..=MOST_LEVELS {
            let mut at = 0;
            for s in stages(levels) {
                assert_eq!(s.from, at);
                assert!(s.log_cells <= s.from && s.log_cells + s.levels <= FIRST);
                at += s.levels;
            }
            assert_eq!(at, levels);
        }
    }
}
