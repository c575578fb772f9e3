//! Direct solution of sparse symmetric positive definite systems on a patch.
//!
//! The factors are L and D of L D L^T, found row by row (Davis, *Algorithm 849: a concise sparse Cholesky factorization
//! package*, 2005). Unknowns are ordered by nested dissection (George 1973): halves of the points first, those between
//! them last, so that a patch of n vertices has factors of about n log n numbers.

use glam::DVec3;

/// Parts of fewer points are not cut further.
const SMALL: usize = 32;

/// "None".
const NONE: u32 = u32::MAX;

/// A symmetric matrix by rows: each has its entries beside the diagonal, then there is the diagonal.
#[derive(Clone, Debug, Default)]
pub(super) struct SymmetricMatrix {
    pub(super) rows: Vec<Vec<(u32, f64)>>,
    pub(super) diagonal: Vec<f64>,
}

/// Factors of a matrix.
pub(super) struct Factors {
    /// Unknown at each place.
    order: Vec<u32>,
    /// Columns of L: their entries below the diagonal.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Factors {
    /// Factors a matrix whose unknowns lie at `points`: nothing when it is not positive definite.
    pub(super) fn new(matrix: &SymmetricMatrix, points: &[DVec3]) -> Option<Factors> {
        let n = points.len();
        let order = dissect(matrix, points);
        let mut place = vec![0; n];
        for (i, &v) in order.iter().enumerate() {
            place[v as usize] = i as u32;
        }
        let above: Vec<Vec<(u32, f64)>> = order
            .iter()
            .enumerate()
            .map(|(k, &v)| {
                let row = matrix.rows[v as usize].iter();
                let placed = row.map(|&(w, a)| (place[w as usize], a));
                placed.filter(|&(i, _)| (i as usize) < k).collect()
            })
            .collect();
        let diagonal = order.iter().map(|&v| matrix.diagonal[v as usize]).collect();
        let (parent, counts) = pattern(&above);
        let mut starts = vec![0; n + 1];
        for k in 0..n {
            starts[k + 1] = starts[k] + counts[k];
        }
        let mut factors = Factors {
            order,
            rows: vec![0; starts[n]],
            values: vec![0.0; starts[n]],
            starts,
            diagonal,
        };
        factors.fill(&above, &parent)?;
        Some(factors)
    }

    /// Computes L and D row by row.
    fn fill(&mut self, above: &[Vec<(u32, f64)>], parent: &[u32]) -> Option<()> {
        let n = above.len();
        let mut ends = self.starts.clone();
        let mut y = vec![0.0; n];
        let mut flag = vec![NONE; n];
        let (mut path, mut row) = (Vec::new(), Vec::new());
        for k in 0..n {
            flag[k] = k as u32;
            row.clear();
            for &(i, a) in &above[k] {
                y[i as usize] += a;
                let mut i = i;
                while flag[i as usize] != k as u32 {
                    flag[i as usize] = k as u32;
                    path.push(i);
                    i = parent[i as usize];
                }
                row.extend(path.drain(..).rev());
            }
            // Later paths end where earlier ones began: from the back, each column comes before those that need it.
            for &i in row.iter().rev() {
                let i = i as usize;
                let yi = std::mem::take(&mut y[i]);
                for p in self.starts[i]..ends[i] {
                    y[self.rows[p] as usize] -= self.values[p] * yi;
                }
                let l = yi / self.diagonal[i];
                self.diagonal[k] -= l * yi;
                self.rows[ends[i]] = k as u32;
                self.values[ends[i]] = l;
                ends[i] += 1;
            }
            if !(self.diagonal[k] > 0.0 && self.diagonal[k].is_finite()) {
                return None;
            }
        }
        Some(())
    }

    /// Solves for three right sides at once.
    pub(super) fn solve(&self, b: &[DVec3]) -> Vec<DVec3> {
        let n = self.order.len();
        let mut x: Vec<DVec3> = self.order.iter().map(|&v| b[v as usize]).collect();
        for j in 0..n {
            let xj = x[j];
            for p in self.starts[j]..self.starts[j + 1] {
                x[self.rows[p] as usize] -= self.values[p] * xj;
            }
        }
        for j in (0..n).rev() {
            let mut xj = x[j] / self.diagonal[j];
            for p in self.starts[j]..self.starts[j + 1] {
                xj -= self.values[p] * x[self.rows[p] as usize];
            }
            x[j] = xj;
        }
        let mut solution = vec![DVec3::ZERO; n];
        for (&v, x) in self.order.iter().zip(x) {
            solution[v as usize] = x;
        }
        solution
    }
}

/// Computes the elimination tree, and the number of entries of each column of L.
fn pattern(above: &[Vec<(u32, f64)>]) -> (Vec<u32>, Vec<usize>) {
    let n = above.len();
    let (mut parent, mut counts, mut flag) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    for k in 0..n {
        flag[k] = k as u32;
        for &(i, _) in &above[k] {
            let mut i = i as usize;
            while flag[i] != k as u32 {
                if parent[i] == NONE {
                    parent[i] = k as u32;
                }
                counts[i] += 1;
                flag[i] = k as u32;
                i = parent[i] as usize;
            }
        }
    }
    (parent, counts)
}

/// Orders the unknowns by nested dissection.
fn dissect(matrix: &SymmetricMatrix, points: &[DVec3]) -> Vec<u32> {
    let n = points.len();
    let mut order = Vec::with_capacity(n);
    // Parts from the last to the first; those that are not to be cut further are put down as they come.
    let mut stack = vec![((0..n as u32).collect::<Vec<u32>>(), true)];
    let mut right_of = vec![NONE; n];
    let mut cuts = 0;
    while let Some((mut part, whole)) = stack.pop() {
        if !whole || part.len() <= SMALL {
            order.extend(part.into_iter().rev());
            continue;
        }
        let at = |v: &u32| points[*v as usize];
        let low = part.iter().map(at).fold(DVec3::INFINITY, DVec3::min);
        let high = part.iter().map(at).fold(DVec3::NEG_INFINITY, DVec3::max);
        let axis = (high - low).max_position();
        part.sort_unstable_by(|a, b| {
            let along = at(a)[axis].total_cmp(&at(b)[axis]);
            along.then(a.cmp(b))
        });
        let right = part.split_off(part.len() / 2);
        right.iter().for_each(|&v| right_of[v as usize] = cuts);
        let touches = |v: &u32| {
            let row = &matrix.rows[*v as usize];
            row.iter().any(|&(w, _)| right_of[w as usize] == cuts)
        };
        let (between, left): (Vec<u32>, Vec<u32>) = part.into_iter().partition(touches);
        cuts += 1;
        // The order is made from its end.
        stack.extend([(left, true), (right, true), (between, false)]);
    }
    order.reverse();
    order
}
