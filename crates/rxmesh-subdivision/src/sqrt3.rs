//! sqrt(3) surfaces.

mod limit;

use crate::triangles::{self, check_size, check_values, groups, kept_faces, rows, rows_mut};
use crate::{Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::algo::scan;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::columns::{Columns, One, Three, Two};
use rxmesh_subdivision_kernels::sqrt3::{
    CodeTwins, FacesHere, FacesOnce, FacesTwice, Kept, MarkOpen, RefineNet, Stored,
};
use rxmesh_subdivision_kernels::sqrt3_values::{ALPHAS, FindKinds, MarkLines, Step};
use rxmesh_subdivision_kernels::topology::NONE;
use std::collections::HashMap;

/// A sqrt(3) surface (Kobbelt 2000) over a mesh of triangles.
///
/// Vertices keep their ids from level to level, and the point of face f of a level of V vertices is V + f: so ids are
/// [base vertices | faces of level 0 | faces of level 1 | ...]. Half-edge h of a level has face h of the next one. On
/// odd levels (counted from 0) boundary edges and edges that are sharp for ever are cut in three; on even ones they
/// stay (section 5 of the paper); boundary edges' second points follow the level's other points.
#[derive(Debug)]
pub struct Sqrt3 {
    mesh: Mesh,
    sharpness: Sharpness,
    /// Sizes of all levels.
    sizes: Vec<Size>,
    /// Twins of the base mesh, where any edge is sharp or open.
    coded: Option<Buffer<u32>>,
    /// Corners and twins of levels 1 to the last but one of the last.
    nets: Vec<[Buffer<u32>; 2]>,
    kinds: Buffer<u32>,
    alphas: Buffer<f32>,
    marks: Buffer<u32>,
    /// Base faces that are part of the surface; nothing when all are.
    kept: Option<(Buffer<u32>, Vec<u32>)>,
    /// Points of the level before the last, and of the one before that, with room for three columns.
    between: [Buffer<f32>; 2],
    /// Means of rings at these levels.
    means: [Buffer<f32>; 2],
}

#[derive(Clone, Copy, Debug)]
struct Size {
    vertices: u32,
    faces: u32,
    open: u32,
}

impl Sqrt3 {
    /// Prepares the surface of a mesh on an engine.
    ///
    /// # Errors
    ///
    /// A face that is no triangle, by name; what is wrong with the mesh ([`Mesh::new`]) or its sharpness
    /// ([`Sharpness::new`]); a sharp edge whose sharpness wears off, or that ends inside of the surface; more than 10
    /// levels; more points or faces than 32 bits can name; no memory on the engine.
    pub fn new(engine: &Engine, poly: &PolyMesh, options: &Options) -> Result<Sqrt3, Error> {
        triangles::check(poly, options, "the sqrt(3) scheme")?;
        check_edges(poly)?;
        let corners = (poly.face_count() as u64 * 3) * 3u64.pow(options.levels);
        check_size("vertex ids of faces", corners, 1)?;
        let mesh = Mesh::new(engine, poly)?;
        let sizes = sizes(&mesh, options.levels)?;
        let sharpness = Sharpness::new(&mesh, poly, options.boundary)?;
        let kept = match kept_faces(&mesh, poly, options.boundary)? {
            Some(kept) => Some((engine.upload(&kept)?, kept)),
            None => None,
        };
        let level = |back: usize| (options.levels as usize).checked_sub(back);
        // Level 0 is the caller's.
        let points = |level: Option<usize>| match level {
            Some(level) if level > 0 => 3 * sizes[level].vertices as usize,
            _ => 0,
        };
        let means = |level: Option<usize>| match level {
            Some(level) if level > 0 => 3 * sizes[level - 1].vertices as usize,
            _ => 0,
        };
        let lines = sizes[0].open > 0 || sharpness.has_edges();
        let marks = if lines { level(2) } else { None };
        let mut this = Sqrt3 {
            kinds: kinds(&mesh, poly, &sharpness)?,
            coded: if lines {
                Some(coded(&mesh, &sharpness)?)
            } else {
                None
            },
            nets: Vec::new(),
            alphas: engine.upload(&alphas())?,
            marks: engine.zeroed(marks.map_or(0, |level| sizes[level].vertices as usize))?,
            between: [
                engine.zeroed(points(level(1)))?,
                engine.zeroed(points(level(2)))?,
            ],
            means: [
                engine.zeroed(means(level(1)))?,
                engine.zeroed(means(level(2)))?,
            ],
            mesh,
            sharpness,
            sizes,
            kept,
        };
        this.refine()?;
        Ok(this)
    }

    /// Makes the levels that are kept, and marks their points on lines.
    fn refine(&mut self) -> Result<(), Error> {
        let engine = self.mesh.engine().clone();
        for level in 0..self.levels().saturating_sub(2) {
            let n = 3 * self.sizes[level + 1].faces;
            let next: [Buffer<u32>; 2] = [engine.zeroed(n as usize)?, engine.zeroed(n as usize)?];
            let kernel = RefineNet {
                net: self.net(level),
                corners: next[0].global_mut(),
                twins: next[1].global_mut(),
            };
            engine.launch_flat(n, kernel)?;
            self.nets.push(next);
            if self.coded.is_some() && level % 2 == 1 && level + 3 <= self.levels() {
                let kernel = MarkLines {
                    net: self.net(level),
                    marks: self.marks.global_mut(),
                };
                engine.launch_flat(self.sizes[level].faces, kernel)?;
            }
        }
        Ok(())
    }

    /// The base mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number of vertices of the surface.
    pub fn vertex_count(&self) -> u32 {
        self.sizes[self.levels()].vertices
    }

    /// Number of faces of the surface.
    pub fn face_count(&self) -> u32 {
        let kept = self.kept.as_ref().map(|(kept, _)| kept.len() as u32);
        kept.unwrap_or(self.mesh.face_count()) * self.children()
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
        let at = face / self.children();
        self.kept.as_ref().map_or(at, |(_, kept)| kept[at as usize])
    }

    /// Bytes of the engine's memory that this keeps.
    pub fn bytes(&self) -> u64 {
        let nets: usize = self.nets.iter().flatten().map(Buffer::len).sum();
        let coded = self.coded.as_ref().map_or(0, Buffer::len);
        let kept = self.kept.as_ref().map_or(0, |(kept, _)| kept.len());
        let floats = self.between.iter().chain(&self.means).map(Buffer::len);
        let words = self.kinds.len() + self.alphas.len() + self.marks.len();
        let own = 4 * (nets + coded + kept + words + floats.sum::<usize>()) as u64;
        own + self.sharpness.bytes() + self.mesh.bytes()
    }

    /// Writes the faces: three vertex ids each; the 3^levels faces of a base face follow each other.
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
        let engine = self.mesh.engine();
        let kept = Kept {
            faces: self
                .kept
                .as_ref()
                .map_or(Global::empty(), |(kept, _)| kept.global()),
            each: 3 * self.children(),
        };
        let (n, out) = (want as u32, out.global_mut());
        let net = self.net(self.levels().saturating_sub(2));
        match self.levels() {
            0 => engine.launch_flat(n, FacesHere { net, kept, out })?,
            1 => engine.launch_flat(n, FacesOnce { net, kept, out })?,
            _ => engine.launch_flat(n, FacesTwice { net, kept, out })?,
        }
        Ok(())
    }

    /// Values of the surface's vertices from those of the base vertices, `width` a vertex. Runs kernels only: no
    /// memory is taken, and nobody waits.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when a buffer has no `width` values a vertex; what the engine says.
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let vertices = (self.mesh.vertex_count(), self.vertex_count());
        check_values(width, (x, vertices.0), (y, vertices.1))?;
        if self.levels() == 0 {
            return Ok(y.copy_from(x)?);
        }
        groups(width, |first, n| match n {
            1 => self.columns::<One>(width, first, x, y),
            2 => self.columns::<Two>(width, first, x, y),
            _ => self.columns::<Three>(width, first, x, y),
        })
    }

    fn columns<Q: Columns>(
        &self,
        width: u32,
        first: u32,
        x: &Buffer<f32>,
        y: &Buffer<f32>,
    ) -> Result<(), Error>
    where
        Step<Q>: Entry,
    {
        let last = self.levels();
        // Where a level is: its values, their width and first column.
        let at = |level: usize| match last - level {
            0 => (y, width, first),
            _ if level == 0 => (x, width, first),
            back => (&self.between[(back - 1) % 2], Q::N, 0),
        };
        let means = |level: usize| &self.means[(last - level - 1) % 2];
        for level in 0..last {
            let ((from, width_from, first_from), (to, width_to, first_to)) =
                (at(level), at(level + 1));
            let net = level.saturating_sub(1);
            let mut n = self.sizes[net].vertices + self.sizes[level].faces;
            if level > 0 {
                n += self.sizes[net].faces;
            }
            let kernel = Step {
                mesh: self.mesh.topology(),
                sharpness: self.sharpness.view(),
                kinds: self.kinds.global(),
                alphas: self.alphas.global(),
                net: self.net(net),
                is_first: u32::from(level == 0),
                marks: self.marks.global(),
                x: rows::<Q>(from, width_from, first_from),
                means: if level == 0 {
                    Global::empty()
                } else {
                    means(level).global()
                },
                y: rows_mut::<Q>(to, width_to, first_to),
                means_after: if level + 1 == last {
                    GlobalMut::empty()
                } else {
                    means(level + 1).global_mut()
                },
            };
            self.mesh.engine().launch_flat(n * Q::N, kernel)?;
        }
        Ok(())
    }

    fn levels(&self) -> usize {
        self.sizes.len() - 1
    }

    /// Faces that a base face becomes.
    fn children(&self) -> u32 {
        3u32.pow(self.levels() as u32)
    }

    /// A level that is kept.
    fn net(&self, level: usize) -> Stored {
        let (corners, twins) = match level {
            0 => {
                let topology = self.mesh.topology();
                let coded = self.coded.as_ref().map(Buffer::global);
                (topology.corners, coded.unwrap_or(topology.twins))
            }
            _ => {
                let [corners, twins] = &self.nets[level - 1];
                (corners.global(), twins.global())
            }
        };
        Stored {
            level: level as u32,
            vertices: self.sizes[level].vertices,
            open: self.sizes[level].open,
            lines: u32::from(self.coded.is_some()),
            corners,
            twins,
        }
    }
}

/// Refuses edges that are sharp for a while.
fn check_edges(poly: &PolyMesh) -> Result<(), Error> {
    // The last value for an edge counts.
    let mut last = HashMap::new();
    for (i, e) in poly.sharp_edges.iter().enumerate() {
        let [a, b] = e.ends;
        last.insert([a.min(b), a.max(b)], i);
    }
    let wears_off = |i: &usize| (0.0..PolyMesh::SHARP).contains(&poly.sharp_edges[*i].sharpness);
    let smooth = |i: &usize| poly.sharp_edges[*i].sharpness <= 0.0;
    match last
        .into_values()
        .filter(|i| wears_off(i) && !smooth(i))
        .min()
    {
        None => Ok(()),
        Some(i) => {
            let e = poly.sharp_edges[i];
            Err(Error::Mesh(MeshError::Extras {
                what: format!(
                    "sharp edge {i}, between vertices {} and {} (counted from 0), has sharpness {}, but the sqrt(3) \
                        scheme knows edges only that are sharp for ever ({} or more)",
                    e.ends[0],
                    e.ends[1],
                    e.sharpness,
                    PolyMesh::SHARP
                ),
            }))
        }
    }
}

/// Sizes of levels 0 to the last.
fn sizes(mesh: &Mesh, levels: u32) -> Result<Vec<Size>, Error> {
    let (mut vertices, mut faces) = (u64::from(mesh.vertex_count()), u64::from(mesh.face_count()));
    let mut open = 2 * u64::from(mesh.edge_count()) - u64::from(mesh.corner_count());
    let mut sizes = Vec::new();
    for level in 0..=levels {
        check_size("coordinates of vertices", vertices, 3)?;
        sizes.push(Size {
            vertices: vertices as u32,
            faces: faces as u32,
            open: open as u32,
        });
        vertices += faces;
        faces *= 3;
        if level % 2 == 1 {
            vertices += open;
            open *= 3;
        }
    }
    Ok(sizes)
}

/// Twins with what is sharp and what is open.
fn coded(mesh: &Mesh, sharpness: &Sharpness) -> Result<Buffer<u32>, Error> {
    let (engine, topology, n) = (mesh.engine(), mesh.topology(), mesh.corner_count());
    let before = engine.zeroed(n as usize)?;
    engine.launch_flat(
        n,
        MarkOpen {
            twins: topology.twins,
            marks: before.global_mut(),
        },
    )?;
    scan::exclusive(engine, &before)?;
    let out = engine.zeroed(n as usize)?;
    engine.launch_flat(
        n,
        CodeTwins {
            twins: topology.twins,
            before: before.global(),
            edges: topology.edges,
            sharpness: sharpness.view().edges,
            out: out.global_mut(),
        },
    )?;
    Ok(out)
}

/// How each base vertex moves; refuses sharp edges that end inside.
fn kinds(mesh: &Mesh, poly: &PolyMesh, sharpness: &Sharpness) -> Result<Buffer<u32>, Error> {
    let engine = mesh.engine();
    let kinds = engine.zeroed(mesh.vertex_count() as usize)?;
    let dart = engine.upload(&[NONE])?;
    engine.launch_flat(
        mesh.vertex_count(),
        FindKinds {
            mesh: mesh.topology(),
            sharpness: sharpness.view(),
            kinds: kinds.global_mut(),
            dart: dart.global_mut(),
        },
    )?;
    // Without sharp edges inside there is nothing to wait for: boundaries do not end.
    if !poly.sharp_edges.is_empty() {
        let vertex = dart.read()?[0];
        if vertex != NONE {
            return Err(Error::Mesh(MeshError::Extras {
                what: format!(
                    "one sharp edge ends at vertex {vertex} (counted from 0), but in the sqrt(3) scheme sharp edges go \
                        on to another sharp edge, a corner of three or more, or a boundary"
                ),
            }));
        }
    }
    Ok(kinds)
}

/// Weights of rings by valence (Kobbelt 2000): (4 - 2 cos(2 pi / n)) / 9.
fn alphas() -> Vec<f32> {
    let alpha = |n: u32| (4.0 - 2.0 * (std::f64::consts::TAU / f64::from(n)).cos()) / 9.0;
    (0..ALPHAS)
        .map(|n| if n == 0 { 0.0 } else { alpha(n) as f32 })
        .collect()
}
