//! Common parts of surfaces over triangles.

use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::lengths::check_rows;
use crate::scan::Scan;
use crate::{Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, MeshError};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::columns::{Rows, RowsMut};
use rxmesh_subdivision_kernels::spokes::{
    self as kernels, CountSpokes, HALO_WORDS, NumberLines, OrderSpokes,
};
use std::marker::PhantomData;

/// Maximum number of levels of a surface.
pub(crate) const MOST_LEVELS: u32 = 10;

/// Refuses too many levels.
///
/// # Errors
///
/// [`Error::Options`].
pub(crate) fn check_levels(options: &Options) -> Result<(), Error> {
    if options.levels > MOST_LEVELS {
        return Err(Error::Options(format!(
            "{} levels requested; 0 to {MOST_LEVELS} are possible",
            options.levels
        )));
    }
    Ok(())
}

/// Refuses faces that are no triangles.
///
/// # Errors
///
/// [`MeshError::Extras`] that names the first such face.
pub(crate) fn check_sizes(sizes: &Faces, faces: u64, scheme: &str) -> Result<(), Error> {
    let other = match sizes {
        Faces::Same(n) => (*n != 3 && faces > 0).then_some((0, *n)),
        Faces::Offsets(offsets) => {
            let sizes = offsets.windows(2).map(|w| w[1] - w[0]);
            sizes.enumerate().find(|&(_, n)| n != 3)
        }
    };
    match other {
        None => Ok(()),
        Some((f, n)) => Err(Error::Mesh(MeshError::Extras {
            what: format!(
                "face {f} (counted from 0) has {n} corners, but {scheme} divides triangles only"
            ),
        })),
    }
}

/// Refuses a result that 32 bits cannot number.
///
/// # Errors
///
/// [`Error::TooLarge`].
pub(crate) fn check_size(what: &'static str, count: u64, words: u64) -> Result<(), Error> {
    let limit = u64::from(u32::MAX) / words;
    if count > limit {
        return Err(Error::TooLarge { what, count, limit });
    }
    Ok(())
}

/// Refuses buffers of values whose lengths are not those of a surface.
///
/// # Errors
///
/// As [`check_rows`]; [`Error::Options`] for no columns at all.
pub(crate) fn check_values(
    width: u32,
    x: (&Buffer<f32>, u32),
    y: (&Buffer<f32>, u32),
) -> Result<(), Error> {
    if width == 0 {
        return Err(Error::Options("values of width 0 requested".into()));
    }
    Ok(check_rows(width, [(x.0.len(), x.1), (y.0.len(), y.1)])?)
}

/// Returns columns that are read.
pub(crate) fn rows<Q>(values: Global<f32>, width: u32, first: u32) -> Rows<Q> {
    Rows {
        values,
        width,
        first,
        of: PhantomData,
    }
}

/// Returns columns that are written.
pub(crate) fn rows_mut<Q>(values: GlobalMut<f32>, width: u32, first: u32) -> RowsMut<Q> {
    RowsMut {
        values,
        width,
        first,
        of: PhantomData,
    }
}

/// Splits columns into groups of at most three: calls `group` with the first column and their number.
pub(crate) fn groups(
    width: u32,
    mut group: impl FnMut(u32, u32) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut first = 0;
    while first < width {
        let n = (width - first).min(3);
        group(first, n)?;
        first += n;
    }
    Ok(())
}

/// Edges at each vertex in cyclic order, and the neighbour of each half-edge across it.
#[derive(Debug)]
pub(crate) struct Spokes {
    /// Empty if they are the row starts of the mesh.
    starts: GrowableBuffer<u32>,
    targets: GrowableBuffer<u32>,
    edges: GrowableBuffer<u32>,
    sharpness: GrowableBuffer<f32>,
    kinds: GrowableBuffer<u32>,
    halo: GrowableBuffer<u32>,
    lines: GrowableBuffer<u32>,
    counts: GrowableBuffer<u32>,
    scan: Scan,
}

impl Spokes {
    pub(crate) fn empty(engine: &Engine) -> Result<Spokes, Error> {
        let empty = || GrowableBuffer::empty(engine);
        Ok(Spokes {
            starts: empty()?,
            targets: empty()?,
            edges: empty()?,
            sharpness: GrowableBuffer::empty(engine)?,
            kinds: empty()?,
            halo: empty()?,
            lines: empty()?,
            counts: empty()?,
            scan: Scan::empty(engine)?,
        })
    }

    /// Makes the spokes of a mesh, in existing memory.
    pub(crate) fn make(&mut self, mesh: &Mesh, sharpness: &Sharpness) -> Result<(), Error> {
        let engine: &Engine = mesh.engine();
        let (vertices, corners) = (mesh.vertex_count(), mesh.corner_count());
        let spokes = 2 * mesh.edge_count() as usize;
        self.count(mesh)?;
        self.targets.set_len(spokes)?;
        self.edges.set_len(spokes)?;
        self.sharpness.set_len(spokes)?;
        self.kinds.set_len(vertices as usize)?;
        self.halo.set_len((corners * HALO_WORDS) as usize)?;
        self.lines.set_len(corners as usize)?;
        engine.launch_flat(
            vertices,
            OrderSpokes {
                mesh: mesh.topology(),
                sharpness: sharpness.view(),
                around: mesh.around(),
                starts: self.view(mesh).starts,
                targets: self.targets.global_mut(),
                edges: self.edges.global_mut(),
                sharp: self.sharpness.global_mut(),
                kinds: self.kinds.global_mut(),
                halo: self.halo.global_mut(),
            },
        )?;
        engine.launch_flat(
            corners,
            NumberLines {
                mesh: mesh.topology(),
                lines: self.lines.global_mut(),
            },
        )?;
        Ok(())
    }

    /// Computes the offset of each vertex's spokes: that of its row, in closed meshes.
    fn count(&mut self, mesh: &Mesh) -> Result<(), Error> {
        self.starts.shrink(0);
        if mesh.is_closed() {
            return Ok(());
        }
        let vertices = mesh.vertex_count();
        self.counts.set_len(vertices as usize + 1)?;
        self.starts.set_len(vertices as usize + 1)?;
        // The last one is not counted, and its prefix sum is the total.
        let kernel = CountSpokes {
            mesh: mesh.topology(),
            counts: self.counts.global_mut(),
        };
        mesh.engine().launch_flat(vertices, kernel)?;
        self.scan
            .exclusive(mesh.engine(), &self.counts, &self.starts)?;
        Ok(())
    }

    pub(crate) fn view(&self, mesh: &Mesh) -> kernels::Spokes {
        let starts = match self.starts.len() {
            0 => mesh.topology().starts,
            _ => self.starts.global(),
        };
        kernels::Spokes {
            starts,
            targets: self.targets.global(),
            edges: self.edges.global(),
            sharpness: self.sharpness.global(),
            kinds: self.kinds.global(),
        }
    }

    /// Returns [`OrderSpokes::halo`].
    pub(crate) fn halo(&self) -> Global<u32> {
        self.halo.global()
    }

    /// Returns the output of [`kernels::NumberLines`].
    pub(crate) fn lines(&self) -> Global<u32> {
        self.lines.global()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let rooms = [
            &self.starts,
            &self.targets,
            &self.edges,
            &self.kinds,
            &self.halo,
            &self.lines,
            &self.counts,
        ];
        let words: u64 = rooms.iter().map(|r| r.bytes()).sum();
        words + self.sharpness.bytes() + self.scan.bytes()
    }
}
