//! Bins: the faces that may be seen in each tile of the picture, first those that turn their front to the viewer, then
//! the others; each in ascending order. On closed surfaces the front hides all others, which then cost little.

use crate::camera::{SUBPIXELS, Spot};
use rayon::prelude::*;
use std::ops::Range;

/// Pixels along the side of a tile.
pub(crate) const TILE: usize = 32;

/// Fewest faces that are put into bins together.
const SMALLEST: usize = 1 << 14;
/// Most groups of faces; each has a table of all tiles.
const MOST: usize = 64;

/// Width and height of a picture in tiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TileGrid {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl TileGrid {
    /// Returns the tiles of a picture of a size in pixels.
    pub(crate) fn new(width: usize, height: usize) -> TileGrid {
        TileGrid {
            columns: width.div_ceil(TILE),
            rows: height.div_ceil(TILE),
        }
    }
}

/// Faces of every tile.
#[derive(Debug)]
pub(crate) struct Bins {
    tiles: usize,
    groups: Vec<FaceGroup>,
}

/// Bins of some faces that follow each other.
#[derive(Debug)]
struct FaceGroup {
    /// Start of each bin in `faces`: of all tiles' front sides, then of their back sides.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

/// Distance of the samples' columns and rows in a pixel, and the place of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lattice {
    pub(crate) first: i32,
    pub(crate) step: i32,
}

impl Lattice {
    /// Returns `true` if a column or row of samples lies between two places.
    fn meets(self, low: i32, high: i32) -> bool {
        (high - self.first).div_euclid(self.step) * self.step + self.first >= low
    }
}

/// A face that may be seen, its side and its tiles.
struct Placed {
    face: u32,
    is_back: bool,
    columns: Range<u16>,
    rows: Range<u16>,
}

impl Bins {
    /// Puts faces into bins. Those that can cover no sample are in none: without area, outside, or between samples.
    pub(crate) fn new(
        faces: &[[u32; 3]],
        spots: &[Spot],
        grid: TileGrid,
        lattice: Lattice,
    ) -> Bins {
        // The groups do not depend on the number of threads.
        let share = faces.len().div_ceil(MOST).max(SMALLEST);
        let groups = faces.par_chunks(share).enumerate().map(|(i, part)| {
            let placed = part.iter().enumerate().filter_map(|(f, corners)| {
                let corners = corners.map(|v| spots[v as usize]);
                let (is_back, [columns, rows]) = tiles(corners, grid, lattice)?;
                Some(Placed {
                    face: (i * share + f) as u32,
                    is_back,
                    columns,
                    rows,
                })
            });
            FaceGroup::new(&placed.collect::<Vec<_>>(), grid)
        });
        Bins {
            tiles: grid.columns * grid.rows,
            groups: groups.collect(),
        }
    }

    /// Returns the faces of a tile.
    pub(crate) fn of(&self, tile: usize) -> impl Iterator<Item = &[u32]> {
        let sides = [tile, self.tiles + tile];
        sides.into_iter().flat_map(|bin| {
            self.groups.iter().map(move |g| {
                let range = g.starts[bin] as usize..g.starts[bin + 1] as usize;
                &g.faces[range]
            })
        })
    }
}

impl FaceGroup {
    fn new(placed: &[Placed], grid: TileGrid) -> FaceGroup {
        let tiles = grid.columns * grid.rows;
        let mut starts = vec![0u32; 2 * tiles + 1];
        let bins = |p: &Placed| {
            let columns = p.columns.clone();
            let side = if p.is_back { tiles } else { 0 };
            p.rows.clone().flat_map(move |row| {
                let first = side + usize::from(row) * grid.columns;
                columns
                    .clone()
                    .map(move |column| first + usize::from(column))
            })
        };
        for p in placed {
            bins(p).for_each(|t| starts[t + 1] += 1);
        }
        for t in 1..starts.len() {
            starts[t] += starts[t - 1];
        }
        let mut faces = vec![0u32; starts[starts.len() - 1] as usize];
        let mut next = starts.clone();
        for p in placed {
            for t in bins(p) {
                faces[next[t] as usize] = p.face;
                next[t] += 1;
            }
        }
        FaceGroup { starts, faces }
    }
}

/// Returns the columns and rows of the tiles that a face may be seen in, and `true` for one that is seen from behind.
fn tiles(
    [a, b, c]: [Spot; 3],
    grid: TileGrid,
    lattice: Lattice,
) -> Option<(bool, [Range<u16>; 2])> {
    let area =
        i64::from(b.x - a.x) * i64::from(c.y - a.y) - i64::from(c.x - a.x) * i64::from(b.y - a.y);
    if area == 0 {
        return None;
    }
    let range = |a: i32, b: i32, c: i32, count: usize| -> Option<Range<u16>> {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if !lattice.meets(low, high) {
            return None;
        }
        let side = TILE as i32 * SUBPIXELS;
        let first = low.div_euclid(side).max(0);
        let end = (high.div_euclid(side) + 1).min(count as i32);
        (first < end).then_some(first as u16..end as u16)
    };
    let columns = range(a.x, b.x, c.x, grid.columns)?;
    let rows = range(a.y, b.y, c.y, grid.rows)?;
    // The picture's y points down: faces that turn counter-clockwise have negative areas there.
    Some((area > 0, [columns, rows]))
}
