//! Conversion of a surface to an [`RxMesh`](rxmesh_host::store::RxMesh), without a file and without a patcher: tiles
//! become patches.

use crate::Mesh;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::repack::{RepackOptions, RepackSource, Repacked, repack};
use rxmesh_subdivision_kernels::flat::{
    CutQuads, FlatEdges, FlatSides, FlatVertices, RunLabels, TileLabels,
};

/// Maximum number of faces of a tile that becomes a patch: that of [`PatchOptions`](rxmesh_host::patch::PatchOptions).
const PATCH_SIZE: u32 = 512;

impl Mesh {
    /// Makes an [`RxMesh`](rxmesh_host::store::RxMesh) of triangles whose patches are the faces of a label; one label
    /// per face, below `labels`. Its input order is that of this mesh, and the renumbering carries values over.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for faces that are no triangles; the errors of [`repack`].
    pub fn to_patches(&self, label: &Buffer<u32>, labels: u32) -> Result<Repacked, Error> {
        if self.face_size() != Some(3) {
            return Err(Error::Options(
                "patches are of triangles, and these faces are not".into(),
            ));
        }
        let engine = self.engine();
        let edges = 2 * self.edge_count() as usize;
        let (ev, ef) = (engine.zeroed(edges)?, engine.zeroed(edges)?);
        let fe = engine.zeroed(self.corner_count() as usize)?;
        let ve = engine.zeroed(self.vertex_count() as usize)?;
        let mesh = self.topology();
        let (ev_view, ef_view) = (ev.global_mut(), ef.global_mut());
        engine.launch_flat(
            self.edge_count(),
            FlatEdges {
                mesh,
                ev: ev_view,
                ef: ef_view,
            },
        )?;
        let sides = FlatSides {
            mesh,
            fe: fe.global_mut(),
        };
        engine.launch_flat(self.corner_count(), sides)?;
        let vertices = FlatVertices {
            mesh,
            ve: ve.global_mut(),
        };
        engine.launch_flat(self.vertex_count(), vertices)?;
        let flat = RepackSource {
            fe: &fe,
            ev: &ev,
            ef: &ef,
            ve: &ve,
            label,
        };
        // SAFETY: the kernels above made the arrays of one mesh, whose edges come from its faces (contract U4).
        unsafe { repack(engine, &flat, labels, RepackOptions::default()) }
    }

    /// Makes the mesh of a surface's final quads, each cut in two, with a label per triangle and the number of labels:
    /// squares of the base faces' grids, of 512 triangles, or several whole grids. Each base face has `children` quads
    /// in rows, a power of four.
    pub(crate) fn of_quads(
        engine: &Engine,
        vertices: u32,
        quads: &Buffer<u32>,
        children: u32,
    ) -> Result<(Mesh, Buffer<u32>, u32), Error> {
        let n = quads.len() as u32 / 4;
        let triangles = engine.zeroed(6 * n as usize)?;
        let cut = CutQuads {
            quads: quads.global(),
            triangles: triangles.global_mut(),
        };
        engine.launch_flat(n, cut)?;
        let labels = engine.zeroed(2 * n as usize)?;
        let cells = 1 << (children.ilog2() / 2);
        let mut tile = cells;
        while 2 * tile * tile > PATCH_SIZE {
            tile /= 2;
        }
        let group = PATCH_SIZE / (2 * children).min(PATCH_SIZE);
        engine.launch_flat(
            2 * n,
            TileLabels {
                cells,
                tile,
                group,
                labels: labels.global_mut(),
            },
        )?;
        let grids = n / children;
        let count = match tile == cells {
            true => grids.div_ceil(group),
            false => grids * (cells / tile) * (cells / tile),
        };
        let mesh = Mesh::of_buffers(engine, vertices, 3, None, triangles)?;
        Ok((mesh, labels, count))
    }

    /// Makes a mesh as [`Mesh::of_quads`], for triangles: labels are runs of them.
    pub(crate) fn of_triangles(
        engine: &Engine,
        vertices: u32,
        triangles: Buffer<u32>,
    ) -> Result<(Mesh, Buffer<u32>, u32), Error> {
        let n = triangles.len() as u32 / 3;
        let labels = engine.zeroed(n as usize)?;
        let runs = RunLabels {
            run: PATCH_SIZE,
            labels: labels.global_mut(),
        };
        engine.launch_flat(n, runs)?;
        let mesh = Mesh::of_buffers(engine, vertices, 3, None, triangles)?;
        Ok((mesh, labels, n.div_ceil(PATCH_SIZE)))
    }
}
