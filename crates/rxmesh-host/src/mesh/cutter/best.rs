//! The best of all triangulations of a small polygon, by dynamic programming (Gilbert 1979, Klincsek 1980).

use super::Polygon;
use std::cmp::Ordering;

/// Cost of a triangulation of a part of the polygon; the first difference decides. Without folds the triangles of a
/// polygon that does not cross itself cover it once.
#[derive(Clone, Copy)]
struct Cost {
    /// Triangles that are turned over.
    folds: u32,
    /// Triangles without area.
    empty: u32,
    /// Cost of the diagonals.
    diagonals: u32,
    /// Least grade of its triangles.
    grade: f64,
}

const NOTHING: Cost = Cost {
    folds: 0,
    empty: 0,
    diagonals: 0,
    grade: f64::INFINITY,
};

impl Cost {
    fn with(self, other: Cost) -> Cost {
        Cost {
            folds: self.folds + other.folds,
            empty: self.empty + other.empty,
            diagonals: self.diagonals + other.diagonals,
            grade: self.grade.min(other.grade),
        }
    }

    fn order(&self, other: &Cost) -> Ordering {
        let counts = |c: &Cost| (c.folds, c.empty, c.diagonals);
        counts(self)
            .cmp(&counts(other))
            .then(other.grade.total_cmp(&self.grade))
    }
}

/// Replaces the triangles by those of the best triangulation.
pub(super) fn best(polygon: &Polygon, triangles: &mut Vec<[u32; 3]>) {
    let n = polygon.ids.len();
    let mut cost = vec![NOTHING; n * n];
    let mut middle = vec![0usize; n * n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let edge = Cost {
                diagonals: polygon.cost([i as u32, j as u32]),
                ..NOTHING
            };
            let mut least: Option<Cost> = None;
            for k in i + 1..j {
                let grade = polygon.grade([i as u32, k as u32, j as u32]);
                let own = Cost {
                    folds: u32::from(grade < 0.0),
                    empty: u32::from(grade == 0.0),
                    diagonals: 0,
                    grade,
                };
                let all = own.with(edge).with(cost[i * n + k]).with(cost[k * n + j]);
                if least.is_none_or(|l| all.order(&l) == Ordering::Less) {
                    least = Some(all);
                    middle[i * n + j] = k;
                }
            }
            cost[i * n + j] = least.unwrap_or(NOTHING);
        }
    }
    triangles.clear();
    let mut parts = vec![(0, n - 1)];
    while let Some((i, j)) = parts.pop() {
        if j - i >= 2 {
            let k = middle[i * n + j];
            triangles.push([i as u32, k as u32, j as u32]);
            parts.extend([(k, j), (i, k)]);
        }
    }
}
