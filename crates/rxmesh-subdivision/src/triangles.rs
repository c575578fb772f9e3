//! What surfaces over triangles have in common.

use crate::{Boundary, Mesh, Options, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::algo::scan;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::columns::{Rows, RowsMut};
use rxmesh_subdivision_kernels::spokes::{
    self as kernels, CountSpokes, HALO_WORDS, NumberLines, OrderSpokes,
};
use rxmesh_subdivision_kernels::topology::NONE;
use std::collections::HashMap;
use std::marker::PhantomData;

/// The most levels of a surface.
pub(crate) const MOST_LEVELS: u32 = 10;

/// Refuses faces that are no triangles, and too many levels.
///
/// # Errors
///
/// [`MeshError::Extras`] that names the first such face; [`Error::Options`].
pub(crate) fn check(poly: &PolyMesh, options: &Options, scheme: &str) -> Result<(), Error> {
    if options.levels > MOST_LEVELS {
        return Err(Error::Options(format!(
            "{} levels asked for; 0 to {MOST_LEVELS} are possible",
            options.levels
        )));
    }
    let bad = match poly.face_size() {
        Some(3) => None,
        _ => (0..poly.face_count()).find(|&f| poly.range(f).len() != 3),
    };
    match bad {
        None => Ok(()),
        Some(f) => Err(Error::Mesh(MeshError::Extras {
            what: format!(
                "face {f} (counted from 0) has {} corners, but {scheme} divides triangles only",
                poly.range(f).len()
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

/// Refuses values that are not those of a surface: gives the number of columns that they can have.
///
/// # Errors
///
/// [`EngineError::Length`]; [`Error::Options`] for no columns at all.
pub(crate) fn check_values(
    width: u32,
    x: (&Buffer<f32>, u32),
    y: (&Buffer<f32>, u32),
) -> Result<(), Error> {
    if width == 0 {
        return Err(Error::Options("values of width 0 asked for".into()));
    }
    for (buffer, rows) in [x, y] {
        let want = rows as usize * width as usize;
        if buffer.len() != want {
            let got = buffer.len();
            return Err(EngineError::Length { got, want }.into());
        }
    }
    Ok(())
}

/// Columns that are read.
pub(crate) fn rows<Q>(values: &Buffer<f32>, width: u32, first: u32) -> Rows<Q> {
    Rows {
        values: values.global(),
        width,
        first,
        of: PhantomData,
    }
}

/// Columns that are written.
pub(crate) fn rows_mut<Q>(values: &Buffer<f32>, width: u32, first: u32) -> RowsMut<Q> {
    RowsMut {
        values: values.global_mut(),
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

/// Base faces that are part of the surface, ascending; nothing when all are. Those that only shape it are holes, and
/// with [`Boundary::None`] the faces at a vertex of a boundary edge that is not listed as sharp for ever.
pub(crate) fn kept_faces(
    mesh: &Mesh,
    poly: &PolyMesh,
    boundary: Boundary,
) -> Result<Option<Vec<u32>>, Error> {
    let mut hidden = vec![false; poly.face_count()];
    for &f in &poly.holes {
        hidden[f as usize] = true;
    }
    if boundary == Boundary::None {
        hide_boundary(&mut hidden, poly, &mesh.to_host()?.twins);
    }
    let kept: Vec<u32> = (0..poly.face_count() as u32)
        .filter(|&f| !hidden[f as usize])
        .collect();
    Ok((kept.len() < hidden.len()).then_some(kept))
}

fn hide_boundary(hidden: &mut [bool], poly: &PolyMesh, twins: &[u32]) {
    let pair = |a: u32, b: u32| [a.min(b), a.max(b)];
    // The last value for an edge counts.
    let sharp: HashMap<[u32; 2], f32> = poly
        .sharp_edges
        .iter()
        .map(|e| (pair(e.ends[0], e.ends[1]), e.sharpness))
        .collect();
    let mut open = vec![false; poly.vertex_count()];
    for f in 0..poly.face_count() {
        let (face, first) = (poly.face(f), poly.range(f).start);
        for (k, &a) in face.iter().enumerate() {
            let b = face[(k + 1) % face.len()];
            let listed = sharp.get(&pair(a, b)).copied().unwrap_or(0.0);
            if twins[first + k] == NONE && listed < PolyMesh::SHARP {
                (open[a as usize], open[b as usize]) = (true, true);
            }
        }
    }
    for (f, hidden) in hidden.iter_mut().enumerate() {
        *hidden |= poly.face(f).iter().any(|&v| open[v as usize]);
    }
}

/// The edges at each vertex in their order around it, and what each half-edge sees across itself.
#[derive(Debug)]
pub(crate) struct Spokes {
    /// Nothing where the rows of the mesh start alike.
    starts: Option<Buffer<u32>>,
    targets: Buffer<u32>,
    edges: Buffer<u32>,
    sharpness: Buffer<f32>,
    kinds: Buffer<u32>,
    halo: Buffer<u32>,
    lines: Buffer<u32>,
}

impl Spokes {
    pub(crate) fn new(mesh: &Mesh, sharpness: &Sharpness) -> Result<Spokes, Error> {
        let engine: &Engine = mesh.engine();
        let (vertices, corners) = (mesh.vertex_count(), mesh.corner_count());
        let spokes = 2 * mesh.edge_count() as usize;
        let starts = if spokes == corners as usize {
            None
        } else {
            let starts = engine.zeroed(vertices as usize + 1)?;
            engine.launch_flat(
                vertices,
                CountSpokes {
                    mesh: mesh.topology(),
                    counts: starts.global_mut(),
                },
            )?;
            scan::exclusive(engine, &starts)?;
            Some(starts)
        };
        let this = Spokes {
            starts,
            targets: engine.zeroed(spokes)?,
            edges: engine.zeroed(spokes)?,
            sharpness: engine.zeroed(spokes)?,
            kinds: engine.zeroed(vertices as usize)?,
            halo: engine.zeroed((corners * HALO_WORDS) as usize)?,
            lines: engine.zeroed(corners as usize)?,
        };
        engine.launch_flat(
            vertices,
            OrderSpokes {
                mesh: mesh.topology(),
                sharpness: sharpness.view(),
                around: mesh.around(),
                starts: this.view(mesh).starts,
                targets: this.targets.global_mut(),
                edges: this.edges.global_mut(),
                sharp: this.sharpness.global_mut(),
                kinds: this.kinds.global_mut(),
                halo: this.halo.global_mut(),
            },
        )?;
        engine.launch_flat(
            corners,
            NumberLines {
                mesh: mesh.topology(),
                lines: this.lines.global_mut(),
            },
        )?;
        Ok(this)
    }

    pub(crate) fn view(&self, mesh: &Mesh) -> kernels::Spokes {
        let starts = match &self.starts {
            Some(starts) => starts.global(),
            None => mesh.topology().starts,
        };
        kernels::Spokes {
            starts,
            targets: self.targets.global(),
            edges: self.edges.global(),
            sharpness: self.sharpness.global(),
            kinds: self.kinds.global(),
        }
    }

    /// As [`OrderSpokes::halo`].
    pub(crate) fn halo(&self) -> Global<u32> {
        self.halo.global()
    }

    /// As [`kernels::NumberLines`] makes them.
    pub(crate) fn lines(&self) -> Global<u32> {
        self.lines.global()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let words = self.starts.as_ref().map_or(0, Buffer::len)
            + self.targets.len()
            + self.edges.len()
            + self.sharpness.len()
            + self.kinds.len()
            + self.halo.len()
            + self.lines.len();
        4 * words as u64
    }
}
