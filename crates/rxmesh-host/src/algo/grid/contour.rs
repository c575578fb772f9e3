//! Surfaces between grid vertices that are outside and the others.

use super::bricks::Distances;
use super::case_words;
use super::flood::Outside;
use crate::Error;
use crate::algo::closest::SurfaceTree;
use crate::engine::{Buffer, Engine, EngineError};
use crate::parallel::scan;
use glam::Vec3;
use rxmesh_kernels::algo::grid::VERTICES;
use rxmesh_kernels::algo::grid::cases::CaseTable;
use rxmesh_kernels::algo::grid::contour::{
    ContourCells, ContourFaces, ContourVertices, GridDistances,
};
use rxmesh_kernels::algo::grid::crossings::{FindCrossings, HoldBack};
use rxmesh_kernels::algo::tree::IndexedTriangles;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// A surface in an engine's memory.
#[derive(Debug)]
pub(super) struct Contour {
    pub(super) positions: Buffer<Vec3>,
    pub(super) faces: Buffer<[u32; 3]>,
    /// Number of vertices of faces that intersect.
    pub(super) intersecting: u32,
}

/// Makes the surface that parts the outside at a distance `level` from the triangles, moved to the distance `offset`.
pub(super) fn contour(
    engine: &Engine,
    distances: &Distances,
    outside: &Outside,
    triangles: IndexedTriangles,
    [level, offset]: [f32; 2],
) -> Result<Contour, Error> {
    let active = distances.count();
    let words = engine.upload(&case_words())?;
    let table = CaseTable {
        words: words.global(),
    };
    let view = outside.view(distances);
    let cells = engine.uninit::<u32>((active * VERTICES) as usize)?;
    let (mut vertices, mut quads) = (
        engine.uninit::<u32>(active as usize)?,
        engine.uninit::<u32>(active as usize)?,
    );
    let kernel = ContourCells {
        outside: view,
        table,
        cells: cells.global_mut(),
        vertices: vertices.global_mut(),
        quads: quads.global_mut(),
    };
    engine.launch_blocks(active, kernel)?;
    let vertex_count = scan::exclusive(engine, &mut vertices)?;
    let quad_count = scan::exclusive(engine, &mut quads)?;
    let mut found = Contour {
        positions: engine.uninit(vertex_count as usize)?,
        faces: engine.uninit(2 * quad_count as usize)?,
        intersecting: 0,
    };
    let place = |steps: Global<u32>| {
        let kernel = ContourVertices {
            outside: view,
            table,
            distances: GridDistances {
                triangles,
                squares: distances.squares.global(),
                nearest: distances.nearest.global(),
            },
            level,
            offset,
            steps,
            cells: cells.global(),
            starts: vertices.global(),
            places: found.positions.global_mut(),
        };
        engine.launch_blocks(active, kernel)
    };
    place(Global::empty())?;
    let kernel = ContourFaces {
        outside: view,
        table,
        cells: cells.global(),
        starts: vertices.global(),
        quads: quads.global(),
        places: found.positions.global(),
        faces: found.faces.global_mut().cast(),
    };
    engine.launch_blocks(active, kernel)?;
    found.intersecting = part(engine, &found, place)?;
    Ok(found)
}

/// Most times that vertices of intersecting faces are made to hold back. Neighbours follow each other.
const MOST_ROUNDS: u32 = 24;

/// Makes vertices of faces that intersect hold back, until no faces do or all of them have. `place` places vertices by
/// the steps that they hold back. Returns the number of vertices of faces that still intersect.
fn part(
    engine: &Engine,
    contour: &Contour,
    place: impl Fn(Global<u32>) -> Result<(), EngineError>,
) -> Result<u32, Error> {
    let n = contour.positions.len();
    let (marks, steps) = (engine.zeroed::<u32>(n)?, engine.zeroed::<u32>(n)?);
    let moved = engine.uninit::<u32>(n)?;
    // Kernels made the corners: they are not checked.
    let triangles = IndexedTriangles {
        x: contour.positions.global(),
        faces: contour.faces.global().cast(),
    };
    let tree = SurfaceTree::by_kernels(engine, triangles, GlobalMut::empty())?;
    let mut round = 0;
    loop {
        let kernel = FindCrossings {
            tree: tree.complete_view()?,
            faces: triangles.faces,
            places: triangles.x,
            moved: if round == 0 {
                Global::empty()
            } else {
                moved.global()
            },
            marks: marks.global_mut(),
        };
        engine.launch_flat(contour.faces.len() as u32, kernel)?;
        let counts = engine.zeroed::<u32>(3)?;
        let kernel = HoldBack {
            marks: marks.global_mut(),
            steps: steps.global_mut(),
            moved: moved.global_mut(),
            counts: counts.global_mut(),
        };
        engine.launch_flat(n as u32, kernel)?;
        let counts = counts.read()?;
        if counts[2] == 0 || round == MOST_ROUNDS {
            return Ok(counts[1]);
        }
        place(steps.global())?;
        tree.fit(triangles, GlobalMut::empty())?;
        round += 1;
    }
}
