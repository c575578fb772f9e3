//! Meshes of all levels of a subdivision, made on the engine by closed rules.

use crate::Mesh;
use crate::launch::Launch;
use crate::sums;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::matrix::Split;
use rxmesh_subdivision_kernels::matrix::dual::{DualCounts, DualFaces};
use rxmesh_subdivision_kernels::matrix::split::{
    Degrees, FlipRows, From, Next, SplitFlips, SplitQuads, SplitTriangles,
};

/// Numbers of vertices, edges, faces and corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelCounts {
    pub(super) vertices: u32,
    pub(super) edges: u32,
    pub(super) faces: u32,
    pub(super) corners: u32,
}

impl LevelCounts {
    pub(super) fn of(mesh: &Mesh) -> LevelCounts {
        LevelCounts {
            vertices: mesh.vertex_count(),
            edges: mesh.edge_count(),
            faces: mesh.face_count(),
            corners: mesh.corner_count(),
        }
    }

    /// Returns those of the next level.
    pub(super) fn next(self, split: Split) -> Result<LevelCounts, Error> {
        let [v, e, f, c] = [self.vertices, self.edges, self.faces, self.corners].map(u64::from);
        let [vertices, edges, faces, corners] = match split {
            Split::Quads => [v + e + f, 2 * e + c, c, 4 * c],
            Split::Triangles => [v + e, 2 * e + c, 4 * f, 4 * c],
            Split::Flips => [v + f, e + c, c, 3 * c],
            // Upper bounds; at a boundary there are fewer.
            Split::Dual => [c, 2 * c, f + e + v, 4 * c],
        };
        let limited = |what, n: u64| {
            u32::try_from(n).map_err(|_| Error::TooLarge {
                what,
                count: n,
                limit: u32::MAX.into(),
            })
        };
        // Four floats per vertex must fit into a buffer as well.
        limited("values at vertices", 4 * vertices)?;
        Ok(LevelCounts {
            vertices: limited("vertices", vertices)?,
            edges: limited("edges", edges)?,
            faces: limited("faces", faces)?,
            corners: limited("corners", corners)?,
        })
    }
}

/// Level with the data from which the next one is made.
#[derive(Debug)]
pub(super) struct KeptLevel {
    pub(super) mesh: Mesh,
    before: Buffer<u32>,
}

impl KeptLevel {
    /// Makes the first level.
    pub(super) fn base(mesh: Mesh, split: Split) -> Result<KeptLevel, Error> {
        let n = match counts_before(split) {
            true => mesh.edge_count() as usize + 1,
            false => 0,
        };
        let before = mesh.engine().zeroed(n)?;
        let base = KeptLevel { mesh, before };
        base.count_degrees()?;
        Ok(base)
    }

    /// Counts the half-edges of the edges before each edge.
    fn count_degrees(&self) -> Result<(), Error> {
        if self.before.is_empty() {
            return Ok(());
        }
        let mesh = &self.mesh;
        let kernel = Degrees {
            halves: mesh.halves.global(),
            twins: mesh.twins.global(),
            degrees: self.before.global_mut(),
        };
        mesh.engine().launch_flat(mesh.edge_count(), kernel)?;
        sums::exclusive(mesh.engine(), &self.before)?;
        Ok(())
    }

    /// Allocates memory for a level of these sizes.
    pub(super) fn room(engine: &Engine, split: Split, n: LevelCounts) -> Result<KeptLevel, Error> {
        let before = match counts_before(split) {
            true => n.edges + 1,
            false => 0,
        };
        let size = face_size(split);
        Ok(KeptLevel {
            mesh: Mesh::level_room(engine, size, [n.vertices, n.edges, n.corners])?,
            before: engine.zeroed(before as usize)?,
        })
    }

    /// Makes the next level in existing memory.
    pub(super) fn split_into(&self, split: Split, next: &KeptLevel) -> Result<(), Error> {
        let mesh = &next.mesh;
        let into = Next {
            corners: mesh.corners.global_mut(),
            twins: mesh.twins.global_mut(),
            edges: mesh.edges.global_mut(),
            halves: mesh.halves.global_mut(),
            starts: mesh.starts.global_mut(),
            entries: mesh.entries.global_mut(),
            around: mesh.around.global_mut(),
            before: next.before.global_mut(),
        };
        let n = LevelCounts::of(&self.mesh);
        self.launch(split, n.corners.max(n.edges).max(n.vertices), into)?;
        if split == Split::Flips {
            sums::in_place(self.mesh.engine(), mesh.starts.memory())?;
            let rows = FlipRows {
                m: self.mesh.topology(),
                starts: mesh.starts.global(),
                entries: mesh.entries.global_mut(),
            };
            self.mesh.engine().launch_flat(mesh.vertex_count(), rows)?;
        }
        Ok(())
    }

    /// Makes the faces of the next level alone.
    pub(super) fn split_faces(&self, split: Split, corners: &Buffer<u32>) -> Result<(), Error> {
        let none = GlobalMut::empty();
        let into = Next {
            corners: corners.global_mut(),
            twins: none,
            edges: none,
            halves: none,
            starts: none,
            entries: none,
            around: none,
            before: none,
        };
        self.launch(split, self.mesh.corner_count(), into)
    }

    fn launch(&self, split: Split, n: u32, next: Next) -> Result<(), Error> {
        let engine = self.mesh.engine();
        let from = From {
            m: self.mesh.topology(),
            around: self.mesh.around(),
            before: match counts_before(split) {
                true => self.before.global(),
                false => Global::empty(),
            },
        };
        match split {
            Split::Quads => engine.launch_flat(n, SplitQuads { from, next })?,
            Split::Triangles => engine.launch_flat(n, SplitTriangles { from, next })?,
            Split::Flips => engine.launch_flat(n, SplitFlips { from, next })?,
            Split::Dual => {}
        }
        Ok(())
    }

    /// Returns the faces of the next level of a dual scheme: first corner of each, and corners.
    pub(super) fn dual(&self) -> Result<[Buffer<u32>; 2], Error> {
        let (engine, level) = (self.mesh.engine(), self.mesh.level());
        let n = LevelCounts::of(&self.mesh);
        let room = |n: u32| engine.zeroed::<u32>(n as usize + 1);
        let (edges, vertices, corners) = (room(n.edges)?, room(n.vertices)?, room(n.vertices)?);
        let counts = DualCounts {
            level,
            edges: edges.global_mut(),
            vertices: vertices.global_mut(),
            corners: corners.global_mut(),
        };
        engine.launch_flat(n.edges.max(n.vertices), counts)?;
        let inner = sums::exclusive(engine, &edges)?;
        let around = sums::exclusive(engine, &vertices)?;
        let more = sums::exclusive(engine, &corners)?;
        // At most the number that `LevelCounts::next` has allowed.
        let offsets = room(n.faces + inner + around)?;
        let faces = engine.zeroed((n.corners + 4 * inner + more) as usize)?;
        let kernel = DualFaces {
            level,
            edges: edges.global(),
            vertices: vertices.global(),
            corners: corners.global(),
            offsets: offsets.global_mut(),
            faces: faces.global_mut(),
        };
        let most = n.corners.max(n.edges).max(n.vertices).max(1);
        engine.launch_flat(most, kernel)?;
        Ok([offsets, faces])
    }

    /// Returns the number of bytes on the engine.
    pub(super) fn bytes(&self) -> u64 {
        self.mesh.bytes() + 4 * self.before.len() as u64
    }
}

/// Returns `true` if a split needs the number of half-edges before each edge.
fn counts_before(split: Split) -> bool {
    matches!(split, Split::Quads | Split::Triangles)
}

/// Returns the number of corners of the faces that a split makes; 0 when they differ.
pub(super) fn face_size(split: Split) -> u32 {
    match split {
        Split::Quads => 4,
        Split::Triangles | Split::Flips => 3,
        Split::Dual => 0,
    }
}
