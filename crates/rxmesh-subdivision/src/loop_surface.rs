//! Loop surfaces.

use crate::catmull_clark::creases::Table;
use crate::triangles::{
    self, Spokes, check_size, check_values, groups, kept_faces, rows, rows_mut,
};
use crate::{Creasing, Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::barycentric::{Grid, WriteFaces, inside, inside_point};
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::columns::{Columns, One, Three, Two};
use rxmesh_subdivision_kernels::loop_level::Level;
use rxmesh_subdivision_kernels::loop_limit::{Limit, TURNS};
use rxmesh_subdivision_kernels::loop_rings::{BETAS, Masks, RingTable, Rings};
use rxmesh_subdivision_kernels::loop_tiles::{MOST_LEVELS, Tiles, recipe};
use std::marker::PhantomData;

/// A Loop surface (Loop 1987) over a mesh of triangles, with OpenSubdiv's weights, creases, corners and boundaries.
///
/// No refined mesh is kept: each base triangle becomes n^2 triangles, n = 2^levels, whose points have ids in closed
/// form: [base vertices | per base edge n - 1 points, from the origin of its lower half-edge on | per base face
/// (n - 1)(n - 2) / 2 points, row after row]. The faces of a base face follow each other.
#[derive(Debug)]
pub struct Loop {
    mesh: Mesh,
    sharpness: Sharpness,
    /// Sharpness of edges that wears off by Chaikin's rule.
    table: Option<Table>,
    spokes: Spokes,
    levels: u32,
    /// Levels that tiles go through; further ones are made one by one.
    tiled: u32,
    /// Tiles of a block.
    tiles: u32,
    vertices: u32,
    /// Base faces that are part of the surface; nothing when all are.
    kept: Option<(Buffer<u32>, Vec<u32>)>,
    betas: Buffer<f32>,
    turns: Buffer<f32>,
    recipes: Buffer<u32>,
    /// As [`RingTable::values`], with room for three columns.
    rings: Buffer<f32>,
    /// Points of the levels before the last, from the last tiled one on, with room for three columns.
    between: [Buffer<f32>; 2],
}

impl Loop {
    /// Prepares the surface of a mesh on an engine.
    ///
    /// # Errors
    ///
    /// A face that is no triangle, by name; what is wrong with the mesh ([`Mesh::new`]) or its sharpness
    /// ([`Sharpness::new`]); more than 10 levels; more points or faces than 32 bits can name; no
    /// memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Loop, Error> {
        triangles::check(poly, options, "Loop's scheme")?;
        let levels = options.levels;
        let (n, faces) = (1u64 << levels, poly.face_count() as u64);
        check_size("vertex ids of faces", faces * n * n, 3)?;
        let mesh = Mesh::new(engine, poly)?;
        let edges = u64::from(mesh.edge_count());
        let base = poly.vertex_count() as u64;
        let count = base + edges * (n - 1) + faces * ((n - 1) * (n.max(2) - 2) / 2);
        check_size("coordinates of vertices", count, 3)?;
        let rings = (base + 2 * edges) * u64::from(levels.max(1) - 1);
        check_size("coordinates next to base vertices", rings, 3)?;
        let sharpness = Sharpness::new(&mesh, poly, options.boundary)?;
        let kept = match kept_faces(&mesh, poly, options.boundary)? {
            Some(kept) => Some((engine.upload(&kept)?, kept)),
            None => None,
        };
        let table = match options.creasing {
            Creasing::Chaikin => Table::new(&mesh, &sharpness, levels)?,
            Creasing::Uniform => None,
        };
        let (tiled, tiles) = plan(engine, levels, mesh.face_count());
        let between = |level: u32| -> Result<Buffer<f32>, EngineError> {
            let used = level < levels && level >= tiled.max(1);
            let rows = if used { points(&mesh, level) } else { 0 };
            engine.zeroed(3 * rows as usize)
        };
        Ok(Loop {
            spokes: Spokes::new(&mesh, &sharpness)?,
            betas: engine.upload(&betas())?,
            turns: engine.upload(&turns())?,
            recipes: engine.upload(&recipes(tiled))?,
            rings: engine.zeroed(3 * rings as usize)?,
            between: [
                between(levels.saturating_sub(1))?,
                between(levels.saturating_sub(2))?,
            ],
            vertices: count as u32,
            mesh,
            sharpness,
            table,
            levels,
            tiled,
            tiles,
            kept,
        })
    }

    /// The base mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number of vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.vertices
    }

    /// Number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        self.base_faces() << (2 * self.levels)
    }

    /// Corners of each face.
    pub fn face_size(&self) -> u32 {
        3
    }

    /// The base face that a face of the surface is part of.
    ///
    /// # Panics
    ///
    /// When there is no such face.
    pub fn parent(&self, face: u32) -> u32 {
        assert!(face < self.face_count(), "face {face}");
        let at = face >> (2 * self.levels);
        self.kept.as_ref().map_or(at, |(_, kept)| kept[at as usize])
    }

    /// Bytes of the engine's memory that this keeps.
    pub fn bytes(&self) -> u64 {
        let floats = self.betas.len() + self.turns.len() + self.rings.len();
        let between: usize = self.between.iter().map(Buffer::len).sum();
        let kept = self.kept.as_ref().map_or(0, |(kept, _)| kept.len());
        let own = 4 * (floats + between + kept + self.recipes.len()) as u64;
        let table = self.table.as_ref().map_or(0, Table::bytes);
        own + table + self.spokes.bytes() + self.sharpness.bytes() + self.mesh.bytes()
    }

    /// Writes the faces: three vertex ids each.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when `out` has no three values a face; what the engine says.
    pub fn faces(&self, out: &mut Buffer<u32>) -> Result<(), Error> {
        let want = 3 * self.face_count() as usize;
        if out.len() != want {
            let got = out.len();
            return Err(EngineError::Length { got, want }.into());
        }
        let kernel = WriteFaces {
            grid: self.grid(self.levels),
            faces: self
                .kept
                .as_ref()
                .map_or(Global::empty(), |(kept, _)| kept.global()),
            out: out.global_mut(),
        };
        Ok(self.mesh.engine().launch_flat(want as u32, kernel)?)
    }

    /// Values of the surface's vertices from those of the base vertices, `width` a vertex. Runs kernels only: no
    /// memory is taken, and nobody waits.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when a buffer has no `width` values a vertex; what the engine says.
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

    /// Where the surface's vertices end when the mesh is divided for ever, and unit normals there if asked for, of what
    /// [`Loop::values`] has made of positions: three floats a vertex each.
    ///
    /// Sharpness that is left at the surface's level counts as lasting for ever. At a sharp line the normal is that of
    /// one side of it, at a corner that of a face; where there is none it is zero.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when a buffer has no three values a vertex; what the engine says.
    pub fn limit(
        &self,
        values: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: Option<&mut Buffer<f32>>,
    ) -> Result<(), Error> {
        check_values(3, (values, self.vertices), (points, self.vertices))?;
        if let Some(normals) = &normals {
            check_values(3, (values, self.vertices), (normals, self.vertices))?;
        }
        let kernel = Limit {
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
            x: rows::<Q>(x, width, first),
            spokes: self.spokes.view(&self.mesh),
            creases: self.creases(),
            masks: self.masks(),
            levels: self.levels,
            table: self.rings.global_mut(),
            y: rows_mut::<Q>(y, width, first),
        };
        engine.launch_flat(base * Q::N, kernel)?;
        // Where a level is: its values, their width and first column.
        let at = |level: u32| match self.levels - level {
            0 => (y, width, first),
            _ if level == 0 => (x, width, first),
            back => (&self.between[(back as usize - 1) % 2], Q::N, 0),
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
                x: rows::<Q>(x, width, first),
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
                x: rows::<Q>(from, width_from, first_from),
                y: rows_mut::<Q>(to, width_to, first_to),
            };
            let n = (points(&self.mesh, level + 1) - base) * Q::N;
            engine.launch_flat(n, kernel)?;
        }
        Ok(())
    }

    fn creases(&self) -> Creases {
        Table::creases(self.table.as_ref(), &self.mesh, &self.sharpness)
    }

    fn masks(&self) -> Masks {
        Masks {
            betas: self.betas.global(),
        }
    }

    fn base_faces(&self) -> u32 {
        let kept = self.kept.as_ref().map(|(kept, _)| kept.len() as u32);
        kept.unwrap_or(self.mesh.face_count())
    }

    fn grid(&self, level: u32) -> Grid {
        Grid {
            level,
            vertices: self.mesh.vertex_count(),
            edge_count: self.mesh.edge_count(),
            corners: self.mesh.topology().corners,
            lines: self.spokes.lines(),
        }
    }
}

/// Points at a level.
fn points(mesh: &Mesh, level: u32) -> u32 {
    let n = 1 << level;
    mesh.vertex_count() + mesh.edge_count() * (n - 1) + mesh.face_count() * inside(n)
}

/// Shared memory that the tiles of a block should have at most, so that several blocks run at a time.
const BLOCK_BYTES: u32 = 24 << 10;

/// Blocks that keep a large GPU busy: less than that are not united further.
const BLOCKS: u32 = 528;

/// How many levels tiles go through, and how many tiles a block has.
fn plan(engine: &Engine, levels: u32, faces: u32) -> (u32, u32) {
    // Pieces of a plan are aligned.
    let bytes = |levels: u32| 4 * Tiles::<Three>::words(levels) + 128;
    if levels < 2 {
        return (0, 1);
    }
    let limit = engine.shared_limit();
    let mut tiled = levels.min(MOST_LEVELS);
    while tiled > 0 && bytes(tiled) > limit {
        tiled -= 1;
    }
    if tiled == 0 {
        return (0, 1);
    }
    let most = BLOCK_BYTES.min(limit) / bytes(tiled);
    // Items of a block have to stay below 2^16.
    let items = u32::from(u16::MAX) / recipe::count(1 << tiled, false).max(3);
    (tiled, most.min(items).min(faces / BLOCKS).max(1))
}

/// Weights of neighbours in Loop's smooth rule, by valence.
fn betas() -> Vec<f32> {
    let beta = |n: u32| {
        let c = 0.375 + 0.25 * (std::f64::consts::TAU / f64::from(n)).cos();
        (0.625 - c * c) / f64::from(n)
    };
    (0..BETAS)
        .map(|n| if n == 0 { 0.0 } else { beta(n) as f32 })
        .collect()
}

/// As [`Limit::turns`].
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

/// As [`recipe`] says, for all levels of a tile.
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
