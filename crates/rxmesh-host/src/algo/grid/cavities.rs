//! Enclosed spaces that stay hollow.

use super::bricks::Distances;
use super::flood::{Outside, Seed};
use crate::Error;
use crate::algo::distance::inside::InsideTree;
use crate::engine::Engine;
use glam::Vec3;
use rxmesh_kernels::algo::grid::{SIDE, WORDS, within};

/// Most grid vertices whose winding numbers are computed at a time. One decides for all of its space, so that there are
/// far fewer to compute than grid vertices.
const MOST_SEEDS: usize = 4096;

/// Winding numbers up to this one, of either sign, are those of places that the triangles do not go around.
const HOLLOW: f32 = 0.5;

/// Adds to the outside the enclosed spaces that the triangles do not go around, by their winding numbers: hollows in
/// solids, but not the solids themselves. Returns the number of grid vertices in them.
///
/// A space is hollow if one of the grid vertices is that are looked at in it: one at least, and where it is large more
/// of them.
pub(super) fn add_cavities(
    engine: &Engine,
    distances: &Distances,
    outside: &mut Outside,
    inside: &InsideTree,
) -> Result<u64, Error> {
    let before = outside.count()?;
    let free = distances.free.read()?;
    let bricks = distances.bricks()?;
    let grid = &distances.grid;
    let place = |seed: &Seed| {
        let first = grid.coordinates(seed.brick).map(|n| SIDE * n);
        let [x, y, z] = within(seed.number);
        grid.place([first[0] + x, first[1] + y, first[2] + z])
    };
    let mut solid = Outside::nothing(engine, distances)?;
    loop {
        let seeds = unreached(&bricks, &free, &outside.bits()?, &solid.bits()?);
        if seeds.is_empty() {
            return Ok(outside.count()? - before);
        }
        let points: Vec<Vec3> = seeds.iter().map(place).collect();
        let numbers = inside.winding_numbers(&engine.upload(&points)?)?.read()?;
        let all = || seeds.iter().copied().zip(&numbers);
        let of = |hollow: bool| -> Vec<Seed> {
            let chosen = all().filter(|(_, w)| (w.abs() < HOLLOW) == hollow);
            chosen.map(|(seed, _)| seed).collect()
        };
        for (to, seeds) in [(&mut *outside, of(true)), (&mut solid, of(false))] {
            if !seeds.is_empty() {
                to.flood_from(engine, distances, &seeds)?;
            }
        }
    }
}

/// Returns free grid vertices that no flood has reached, at most one of a brick. Only active bricks have to be looked
/// at: every enclosed space touches one, where its grid vertices next to the others are free.
fn unreached(bricks: &[u32], free: &[u32], outside: &[u32], solid: &[u32]) -> Vec<Seed> {
    let words = WORDS as usize;
    let open = |at: usize| free[at] & !outside[at] & !solid[at];
    let seed = |slot: usize| {
        let word = (0..words).find(|k| open(slot * words + k) != 0)?;
        let bit = open(slot * words + word).trailing_zeros();
        Some(Seed {
            slot: slot as u32,
            brick: bricks[slot],
            number: 32 * word as u32 + bit,
        })
    };
    let all: Vec<Seed> = (0..bricks.len()).filter_map(seed).collect();
    let step = all.len().div_ceil(MOST_SEEDS).max(1);
    all.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brick_gives_its_first_grid_vertex_that_no_flood_has_reached() {
        let words = WORDS as usize;
        let (mut free, mut outside, mut solid) =
            (vec![0; 3 * words], vec![0; 3 * words], vec![0; 3 * words]);
        free[1] = 0b1110;
        outside[1] = 0b0010;
        solid[1] = 0b0100;
        free[2 * words + 15] = 1 << 31;
        let found = unreached(&[4, 7, 9], &free, &outside, &solid);
        let found: Vec<[u32; 3]> = found.iter().map(|s| [s.slot, s.brick, s.number]).collect();
        assert_eq!(found, [[0, 4, 35], [2, 9, 511]]);
    }

    #[test]
    fn of_many_bricks_some_are_looked_at() {
        let n = 3 * MOST_SEEDS;
        let free = vec![1; n * WORDS as usize];
        let none = vec![0; free.len()];
        let bricks: Vec<u32> = (0..n as u32).collect();
        let found = unreached(&bricks, &free, &none, &none);
        assert_eq!(found.len(), MOST_SEEDS);
        assert_eq!(found[1].slot, 3);
    }
}
