//! Loop surfaces.

use crate::catmull_clark::creases::SharpnessTable;
use crate::faces::{DeviceFaces, Extras, FaceSource};
use crate::growable::GrowableBuffer;
use crate::kept::KeptFaces;
use crate::launch::Launch;
use crate::lengths::{check_limit, check_rows};
use crate::triangles::{
    Spokes, check_levels, check_size, check_sizes, check_values, groups, rows, rows_mut,
};
use crate::{Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_subdivision_kernels::barycentric::{TriangleGrid, WriteFaces, inside, inside_point};
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::columns::{Columns, One, Three, Two};
use rxmesh_subdivision_kernels::loop_level::Level;
use rxmesh_subdivision_kernels::loop_limit::{LoopLimit, TURNS};
use rxmesh_subdivision_kernels::loop_rings::{BETAS, Masks, RingTable, Rings};
use rxmesh_subdivision_kernels::loop_tiles::{MOST_LEVELS, Tiles, recipe};
use std::marker::PhantomData;

/// A Loop surface (Loop 1987) over a mesh of triangles, with OpenSubdiv's weights, creases, corners and boundaries.
///
/// No refined mesh is stored: each base triangle becomes n^2 triangles, n = 2^levels, whose points have ids in closed
/// form: [base vertices | per base edge n - 1 points, from the origin of its lower half-edge on | per base face (n -
/// 1)(n - 2) / 2 points, row after row]. The faces of a base face are contiguous. The faces can be replaced
/// ([`Loop::rebuild`]).
#[derive(Debug)]
pub struct Loop {
    mesh: Mesh,
    sharpness: Sharpness,
    /// Sharpness of edges that decreases by Chaikin's rule.
    table: SharpnessTable,
    spokes: Spokes,
    options: Options,
    levels: u32,
    /// Number of levels that tiles compute; further ones are computed one by one.
    tiled: u32,
    /// Number of tiles per block.
    tiles: u32,
    vertices: u32,
    kept: KeptFaces,
    betas: Buffer<f32>,
    turns: Buffer<f32>,
    recipes: Buffer<u32>,
    /// [`RingTable::values`], with a capacity of three columns.
    rings: GrowableBuffer<f32>,
    /// Points of the levels before the last, from the last tiled one on, with a capacity of three columns.
    between: [GrowableBuffer<f32>; 2],
}

impl Loop {
    /// Prepares the surface of a mesh on an engine.
    ///
    /// # Errors
    ///
    /// A face that is no triangle, by name; errors of the mesh ([`Mesh::new`]) or its sharpness ([`Sharpness::new`]);
    /// more than 10 levels; more points or faces than 32 bits can number; no memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Loop, Error> {
        Loop::of(engine, &FaceSource::Host(poly), options)
    }

    /// Prepares a surface as [`Loop::new`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Loop::new`] and [`Mesh::from_faces`].
    pub fn from_faces(
        engine: &Engine,
        faces: &DeviceFaces,
        extras: &Extras,
        options: &Options,
    ) -> Result<Loop, Error> {
        Loop::of(engine, &FaceSource::Device(faces, *extras), options)
    }

    /// Prepares the surface of another mesh with the same options, in existing memory; memory is allocated only when it
    /// does not suffice. One wait, unless something is sharp or a hole.
    ///
    /// # Errors
    ///
    /// As [`Loop::new`]; the surface then has no vertices and no faces until it is rebuilt.
    pub fn rebuild(&mut self, poly: &PolyMesh) -> Result<(), Error> {
        self.make(&FaceSource::Host(poly))
    }

    /// Rebuilds as [`Loop::rebuild`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Loop::rebuild`] and [`Mesh::from_faces`].
    pub fn rebuild_from(&mut self, faces: &DeviceFaces, extras: &Extras) -> Result<(), Error> {
        self.make(&FaceSource::Device(faces, *extras))
    }

    pub(crate) fn of(
        engine: &Engine,
        source: &FaceSource,
        options: &Options,
    ) -> Result<Loop, Error> {
        check_levels(options)?;
        let tiled = tiled(engine, options.levels);
        let mesh = Mesh::empty(engine)?;
        let mut surface = Loop {
            mesh,
            sharpness: Sharpness::empty(engine)?,
            table: SharpnessTable::empty(engine)?,
            spokes: Spokes::empty(engine)?,
            options: *options,
            levels: options.levels,
            tiled,
            tiles: 1,
            vertices: 0,
            kept: KeptFaces::empty(engine)?,
            betas: engine.upload(&betas())?,
            turns: engine.upload(&turns())?,
            recipes: engine.upload(&recipes(tiled))?,
            rings: GrowableBuffer::empty(engine)?,
            between: [
                GrowableBuffer::empty(engine)?,
                GrowableBuffer::empty(engine)?,
            ],
        };
        surface.make(source)?;
        Ok(surface)
    }

    fn make(&mut self, source: &FaceSource) -> Result<(), Error> {
        let made = self.try_make(source);
        if made.is_err() {
            self.mesh.clear();
            self.kept.clear();
            self.vertices = 0;
        }
        made
    }

    fn try_make(&mut self, source: &FaceSource) -> Result<(), Error> {
        let (levels, options) = (self.levels, self.options);
        let sizes = source.check()?;
        check_sizes(&sizes, source.face_count(), "Loop's scheme")?;
        let (n, faces) = (1u64 << levels, source.face_count());
        check_size("vertex ids of faces", faces * n * n, 3)?;
        self.mesh.make(source, &sizes)?;
        let (base, edges) = (
            u64::from(self.mesh.vertex_count()),
            u64::from(self.mesh.edge_count()),
        );
        let count = base + edges * (n - 1) + faces * ((n - 1) * (n.max(2) - 2) / 2);
        check_size("coordinates of vertices", count, 3)?;
        let rings = (base + 2 * edges) * u64::from(levels.max(1) - 1);
        check_size("coordinates next to base vertices", rings, 3)?;
        let (mesh, extras, sharpness) = (&self.mesh, source.extras(), &mut self.sharpness);
        sharpness.make(mesh, &extras, options.boundary)?;
        self.kept.make(mesh, &extras, sharpness, options.boundary)?;
        self.table.make(mesh, sharpness, options.creasing, levels)?;
        self.spokes.make(mesh, sharpness)?;
        self.rings.set_len(3 * rings as usize)?;
        for (between, back) in self.between.iter_mut().zip(1..) {
            let level = levels.saturating_sub(back);
            let used = level < levels && level >= self.tiled.max(1);
            let rows = if used { points(mesh, level) } else { 0 };
            between.set_len(3 * rows as usize)?;
        }
        self.tiles = tiles(mesh.engine(), self.tiled, mesh.face_count());
        self.vertices = count as u32;
        Ok(())
    }

    /// Returns the base mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the number of vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.vertices
    }

    /// Returns the number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        self.kept.count() << (2 * self.levels)
    }

    /// Returns the number of corners of each face.
    pub fn face_size(&self) -> u32 {
        3
    }

    /// Returns the base face of which a face of the surface is part.
    ///
    /// # Panics
    ///
    /// There is no such face.
    pub fn parent(&self, face: u32) -> u32 {
        assert!(face < self.face_count(), "face {face}");
        self.kept.face(face >> (2 * self.levels))
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let constants = 4 * (self.betas.len() + self.turns.len() + self.recipes.len()) as u64;
        let between: u64 = self.between.iter().map(GrowableBuffer::bytes).sum();
        let own = constants + between + self.rings.bytes() + self.kept.bytes();
        let made = self.spokes.bytes() + self.sharpness.bytes() + self.mesh.bytes();
        own + self.table.bytes() + made
    }

    /// Writes the faces: three vertex ids each.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] if `out` does not have three values per face; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        check_rows(3, [(out.len(), self.face_count())])?;
        let kernel = WriteFaces {
            grid: self.grid(self.levels),
            faces: self.kept.view(),
            out: out.global_mut(),
        };
        Ok(self
            .mesh
            .engine()
            .launch_flat(3 * self.face_count(), kernel)?)
    }

    /// Computes values of the surface's vertices from those of the base vertices, `width` per vertex. Only launches
    /// kernels: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] if a buffer does not have `width` values per vertex; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let base = self.mesh.vertex_count();
        check_values(width, (x, base), (y, self.vertices))?;
        if self.levels == 0 {
            return Ok(y.copy_from(x)?);
        }
        groups(width, |first, n| match n {
            1 => self.columns::<One>(width, first, x, y),
            2 => self.columns::<Two>(width, first, x, y),
            _ => self.columns::<Three>(width, first, x, y),
        })
    }

    /// Computes the limit positions of the surface's vertices, and unit normals there if requested, from positions that
    /// [`Loop::values`] made: three floats per vertex each.
    ///
    /// Creases and corners of the last level are treated as infinitely sharp. At a crease the normal is that of one
    /// side, at a corner that of a face; it is zero if there is none.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] if a buffer does not have three values per vertex; any error of the engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: Option<&mut Buffer<f32>>,
    ) -> Result<(), Error> {
        check_limit(self.vertices, values, points, normals.as_deref())?;
        let kernel = LoopLimit {
            mesh: self.mesh.topology(),
            creases: self.creases(),
            spokes: self.spokes.view(&self.mesh),
            masks: self.masks(),
            turns: self.turns.global(),
            grid: self.grid(self.levels),
            x: values.global(),
            points: points.global_mut(),
            normals: normals.map_or(GlobalMut::empty(), |n| n.global_mut()),
        };
        Ok(self.mesh.engine().launch_flat(self.vertices, kernel)?)
    }

    fn columns<Q: Columns>(
        &self,
        width: u32,
        first: u32,
        x: &Buffer<f32>,
        y: &Buffer<f32>,
    ) -> Result<(), Error>
    where
        Rings<Q>: Entry,
        Tiles<Q>: Entry,
        Level<Q>: Entry,
    {
        let engine = self.mesh.engine();
        let (base, faces) = (self.mesh.vertex_count(), self.mesh.face_count());
        let rings = RingTable::<Q> {
            values: self.rings.global(),
            vertices: base,
            spokes: 2 * self.mesh.edge_count(),
            of: PhantomData,
        };
        let kernel = Rings {
            mesh: self.mesh.topology(),
            x: rows::<Q>(x.global(), width, first),
            spokes: self.spokes.view(&self.mesh),
            creases: self.creases(),
            masks: self.masks(),
            levels: self.levels,
            table: self.rings.global_mut(),
            y: rows_mut::<Q>(y.global_mut(), width, first),
        };
        engine.launch_flat(base * Q::N, kernel)?;
        // Values of a level, their width and first column.
        let at = |level: u32| match self.levels - level {
            0 => (y.global_mut(), width, first),
            _ if level == 0 => (x.global_mut(), width, first),
            back => (self.between[(back as usize - 1) % 2].global_mut(), Q::N, 0),
        };
        if self.tiled > 0 {
            let (to, width_to, first_to) = at(self.tiled);
            let kernel = Tiles {
                mesh: self.mesh.topology(),
                creases: self.creases(),
                grid: self.grid(self.tiled),
                levels: self.tiled,
                tiles: self.tiles,
                halo: self.spokes.halo(),
                recipes: self.recipes.global(),
                x: rows::<Q>(x.global(), width, first),
                rings,
                y: rows_mut::<Q>(to, width_to, first_to),
            };
            engine.launch_blocks(faces.div_ceil(self.tiles), kernel)?;
        }
        for level in self.tiled..self.levels {
            let ((from, width_from, first_from), (to, width_to, first_to)) =
                (at(level), at(level + 1));
            let kernel = Level {
                mesh: self.mesh.topology(),
                creases: self.creases(),
                grid: self.grid(level),
                rings,
                x: rows::<Q>(from.read(), width_from, first_from),
                y: rows_mut::<Q>(to, width_to, first_to),
            };
            let n = (points(&self.mesh, level + 1) - base) * Q::N;
            engine.launch_flat(n, kernel)?;
        }
        Ok(())
    }

    fn creases(&self) -> Creases {
        self.table.creases(&self.mesh, &self.sharpness)
    }

    fn masks(&self) -> Masks {
        Masks {
            betas: self.betas.global(),
        }
    }

    fn grid(&self, level: u32) -> TriangleGrid {
        TriangleGrid {
            level,
            vertices: self.mesh.vertex_count(),
            edge_count: self.mesh.edge_count(),
            corners: self.mesh.topology().corners,
            lines: self.spokes.lines(),
        }
    }
}

/// Returns the number of points at a level.
fn points(mesh: &Mesh, level: u32) -> u32 {
    let n = 1 << level;
    mesh.vertex_count() + mesh.edge_count() * (n - 1) + mesh.face_count() * inside(n)
}

/// Upper limit of the shared memory for the tiles of a block, so that several blocks run at a time.
const BLOCK_BYTES: u32 = 24 << 10;

/// Number of blocks that keep a large GPU busy: tiles are not merged into fewer.
const BLOCKS: u32 = 528;

/// Returns the shared memory of a tile in bytes; pieces of a plan are aligned.
fn tile_bytes(levels: u32) -> u32 {
    4 * Tiles::<Three>::words(levels) + 128
}

/// Returns the number of levels that tiles compute.
fn tiled(engine: &Engine, levels: u32) -> u32 {
    if levels < 2 {
        return 0;
    }
    let limit = engine.shared_limit();
    let mut tiled = levels.min(MOST_LEVELS);
    while tiled > 0 && tile_bytes(tiled) > limit {
        tiled -= 1;
    }
    tiled
}

/// Returns the number of tiles of a block.
fn tiles(engine: &Engine, tiled: u32, faces: u32) -> u32 {
    if tiled == 0 {
        return 1;
    }
    let most = BLOCK_BYTES.min(engine.shared_limit()) / tile_bytes(tiled);
    // A block must have fewer than 2^16 items.
    let items = u32::from(u16::MAX) / recipe::count(1 << tiled, false).max(3);
    most.min(items).min(faces / BLOCKS).max(1)
}

/// Returns the weights of neighbours in Loop's smooth rule, by valence.
fn betas() -> Vec<f32> {
    let beta = |n: u32| {
        let c = 0.375 + 0.25 * (std::f64::consts::TAU / f64::from(n)).cos();
        (0.625 - c * c) / f64::from(n)
    };
    (0..BETAS)
        .map(|n| if n == 0 { 0.0 } else { beta(n) as f32 })
        .collect()
}

/// Returns the table of [`LoopLimit::turns`].
fn turns() -> Vec<f32> {
    let of = |n: u32| {
        let half = std::f64::consts::PI / f64::from(n.max(1));
        [
            (2.0 * half).cos(),
            (2.0 * half).sin(),
            half.cos(),
            half.sin(),
        ]
        .map(|x| x as f32)
    };
    (0..TURNS).flat_map(of).collect()
}

/// Returns the words of [`recipe`] for all levels of a tile.
fn recipes(levels: u32) -> Vec<u32> {
    let mut words = Vec::new();
    for level in 1..=levels {
        let n = 1 << level;
        for j in 0..inside(n) {
            let (x, y) = inside_point(n, j);
            words.push(recipe::word(n, x as i32, y as i32, 0));
        }
        let whole = n as i32;
        for side in 0..3 {
            for s in 1..whole {
                let (x, y) = match side {
                    0 => (s, 0),
                    1 => (whole - s, s),
                    _ => (0, whole - s),
                };
                words.push(recipe::word(n, x, y, 1 + side));
            }
        }
        for side in 0..3 {
            for s in 2..n {
                let (x, y) = recipe::outside(n, side, s);
                words.push(recipe::word(n, x, y, 4 + side));
            }
        }
    }
    words
}
