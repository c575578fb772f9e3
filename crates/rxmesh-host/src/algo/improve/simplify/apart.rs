//! Simplification that leaves no faces that intersect: [`simplify_apart`].

use super::{End, SimplifyOptions, SimplifyReport, simplify};
use crate::Error;
use crate::algo::closest::SurfaceTree;
use crate::edit::{Column, Session};
use crate::engine::Buffer;
use crate::mesh::{TriMesh, self_intersection_pairs};
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Most tries. Each keeps more of the surface as it was.
const MOST_TRIES: u32 = 8;

/// Simplified surface of [`simplify_apart`].
#[derive(Debug)]
pub struct Apart {
    /// The surface.
    pub mesh: TriMesh,
    /// Report of its simplification.
    pub report: SimplifyReport,
    /// Number of pairs of its faces that intersect.
    pub intersections: usize,
    /// Number of tries, of which it is the best.
    pub tries: u32,
}

/// Simplifies a surface whose faces do not intersect so that they still do not. Collapses look at the faces around an
/// edge only, and may make a thin part pass through itself. Where that happens the surface is simplified anew, and
/// edges up to `reach` from the faces in question stay as they are; in each further try up to as much farther. As many
/// faces go elsewhere, so that the target is reached nevertheless.
///
/// If some faces still intersect after eight tries, or a try keeps so many edges that it misses the target, the result
/// is the best one so far. `patch_size` is that of [`Session::from_engine_arrays`]. Decision 179 has the reasons.
///
/// # Errors
///
/// As [`Session::from_engine_arrays`] and [`simplify`].
pub fn simplify_apart(
    x: &Buffer<Vec3>,
    faces: &Buffer<[u32; 3]>,
    patch_size: u32,
    reach: f32,
    options: &SimplifyOptions,
) -> Result<Apart, Error> {
    let mut intersecting = TriMesh::default();
    let mut best: Option<Apart> = None;
    for tries in 1..=MOST_TRIES {
        let (mut session, column) = Session::from_engine_arrays(x, faces, patch_size)?;
        if tries > 1 {
            keep_near(
                &mut session,
                column,
                &intersecting,
                reach * (tries - 1) as f32,
            )?;
        }
        let report = simplify(&mut session, column, options)?;
        let mesh = session.to_mesh(column)?.0;
        let pairs = self_intersection_pairs(&mesh).pairs;
        for &face in pairs.as_flattened() {
            let first = intersecting.positions.len() as u32;
            let corners = mesh.faces[face as usize].map(|v| mesh.positions[v as usize]);
            intersecting.positions.extend(corners);
            intersecting.faces.push([first, first + 1, first + 2]);
        }
        let is_reached = matches!(report.end, End::Reached | End::Deviation);
        let is_last = pairs.is_empty() || !is_reached;
        let is_better = |old: &Apart| pairs.len() < old.intersections && is_reached;
        if best.as_ref().is_none_or(is_better) {
            best = Some(Apart {
                mesh,
                report,
                intersections: pairs.len(),
                tries,
            });
        }
        if is_last {
            break;
        }
    }
    best.ok_or_else(|| Error::Options("there was no try".into()))
}

/// Makes a session keep the edges whose ends are both near a surface.
fn keep_near(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    surface: &TriMesh,
    reach: f32,
) -> Result<(), Error> {
    let marks = session.column::<Edge, u32>()?;
    let tree = SurfaceTree::new(session.engine(), &surface.positions, &surface.faces)?;
    let x = session.values(x)?;
    let distances = tree.closest(x)?.distances(x)?.read()?;
    let is_near = |v: &u32| distances.get(*v as usize).is_some_and(|&d| d <= reach);
    let arrays = session.to_host()?;
    let ends = arrays.ev.as_chunks::<2>().0;
    let mark = |ends: &[u32; 2]| u32::from(ends.iter().all(is_near));
    let mut values: Vec<u32> = ends.par_iter().lean().map(mark).collect();
    values.resize(session.capacity(Kind::Edge) as usize, 0);
    session.set(marks, &values)?;
    session.keep_edges(marks)
}
