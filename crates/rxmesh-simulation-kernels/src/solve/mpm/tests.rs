//! Checks weights, stencils and blocks of a grid.

use super::grid::{Grid, NODES, SIDE, weight, within};
use glam::Vec3;

const GRID: Grid = Grid {
    low: Vec3::new(-1.0, 2.0, 0.5),
    spacing: 0.25,
    x: 8,
    y: 11,
    z: 4,
};

/// The weights sum to one, their mean of nodes is the position, and their inertia is a quarter.
#[test]
fn weights_are_a_partition_of_unity() {
    for k in 0..=1000 {
        let at = 0.5 + k as f32 / 1000.0;
        let sum = |f: &dyn Fn(f32) -> f32| -> f32 {
            (0..3).map(|n| weight(n, at) * f(n as f32 - at)).sum()
        };
        assert!((sum(&|_| 1.0) - 1.0).abs() < 2e-7, "{at}");
        assert!(sum(&|d| d).abs() < 2e-7, "{at}");
        assert!((sum(&|d| d * d) - 0.25).abs() < 2e-7, "{at}");
        assert!((0..3).all(|n| weight(n, at) >= 0.0), "{at}");
    }
}

/// A stencil's nodes are in the grid and around the position; a position at the edge, or NaN, has none.
#[test]
fn stencils_are_inside() {
    let place = |x: f32, y: f32, z: f32| GRID.low + Vec3::new(x, y, z) * GRID.spacing;
    for (x, want) in [
        (0.5, Some(0)),
        (1.49, Some(0)),
        (1.51, Some(1)),
        (6.49, Some(5)),
        (6.51, None),
        (0.49, None),
        (-3e9, None),
        (3e9, None),
    ] {
        let s = GRID.stencil(place(x, 1.0, 1.0));
        assert_eq!(s.map(|s| s.x), want, "{x}");
        if let Some(s) = s {
            assert!((s.x as f32 + s.at.x - x).abs() < 1e-5);
            assert!(s.x + 2 < GRID.x && (0.5..1.5).contains(&s.at.x));
        }
    }
    for odd in [f32::NAN, f32::INFINITY] {
        assert!(GRID.stencil(Vec3::new(0.0, odd, 0.0)).is_none());
    }
}

#[test]
fn nodes_have_places_of_their_own() {
    let mut seen = [false; (8 * 12 * 4) as usize];
    assert_eq!(GRID.blocks() * NODES, 8 * 12 * 4);
    for x in 0..GRID.x {
        for y in 0..12 {
            for z in 0..GRID.z {
                let (block, local) = (GRID.block(x, y, z), within(x, y, z));
                let (i, j, k) = GRID.first(block);
                let back = (
                    i + local % SIDE,
                    j + local / SIDE % SIDE,
                    k + local / (SIDE * SIDE),
                );
                assert_eq!(back, (x, y, z));
                let place = (block * NODES + local) as usize;
                assert!(!std::mem::replace(&mut seen[place], true));
            }
        }
    }
}
