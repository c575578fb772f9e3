//! Direct solution of sparse systems in `f64`: what solvers are compared with.

use glam::DVec3;
use std::collections::BTreeSet;

/// A symmetric positive definite matrix as `L D L^T`. Rows are eliminated in the order of their lengths at that time
/// (minimum degree; George and Liu, The evolution of the minimum degree ordering algorithm, 1989), so that few new
/// entries arise.
pub struct Cholesky {
    steps: Vec<Elimination>,
}

/// Elimination of one row.
struct Elimination {
    row: usize,
    pivot: f64,
    /// Rows that come later, and their multipliers.
    later: Vec<(usize, f64)>,
}

impl Cholesky {
    /// Factors a matrix of `n` rows. Entries at one position are added up.
    ///
    /// # Panics
    ///
    /// If the matrix is not symmetric or not positive definite.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize, f64)>) -> Cholesky {
        let mut diagonal = vec![0.0; n];
        let mut rows = vec![Vec::new(); n];
        for (i, j, a) in entries {
            if i == j {
                diagonal[i] += a;
            } else {
                rows[i].push((j, a));
            }
        }
        let mut rows: Vec<Vec<(usize, f64)>> = rows.into_iter().map(added_up).collect();
        assert_symmetric(&rows);
        let mut waiting: BTreeSet<(usize, usize)> =
            (0..n).map(|row| (rows[row].len(), row)).collect();
        let mut steps = Vec::with_capacity(n);
        while let Some((_, row)) = waiting.pop_first() {
            let (pivot, own) = (diagonal[row], std::mem::take(&mut rows[row]));
            assert!(
                pivot > 0.0,
                "row {row} has the pivot {pivot}: not positive definite"
            );
            for &(j, a) in &own {
                diagonal[j] -= a * a / pivot;
                waiting.remove(&(rows[j].len(), j));
                rows[j] = without(&rows[j], row, j, &own, -a / pivot);
                waiting.insert((rows[j].len(), j));
            }
            let later = own.iter().map(|&(j, a)| (j, a / pivot)).collect();
            steps.push(Elimination { row, pivot, later });
        }
        Cholesky { steps }
    }

    /// Solves for one vector per row.
    pub fn solve(&self, right: &[DVec3]) -> Vec<DVec3> {
        assert_eq!(right.len(), self.steps.len());
        let mut x = right.to_vec();
        for step in &self.steps {
            let known = x[step.row];
            for &(j, l) in &step.later {
                x[j] -= known * l;
            }
        }
        for step in self.steps.iter().rev() {
            let known = step.later.iter().map(|&(j, l)| x[j] * l).sum::<DVec3>();
            x[step.row] = x[step.row] / step.pivot - known;
        }
        x
    }
}

/// Sorts a row, and adds up entries at one position.
fn added_up(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_by_key(|&(j, _)| j);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    row
}

fn assert_symmetric(rows: &[Vec<(usize, f64)>]) {
    for (i, row) in rows.iter().enumerate() {
        for &(j, a) in row {
            let b = rows[j]
                .binary_search_by_key(&i, |&(k, _)| k)
                .map(|at| rows[j][at].1);
            let is_same = b.is_ok_and(|b| (a - b).abs() <= 1e-12 * a.abs().max(b.abs()));
            assert!(
                is_same,
                "not symmetric: {a} in row {i} and column {j}, and {b:?} across"
            );
        }
    }
}

/// Returns row `j` without its entry for `gone`, plus `by` times the row of `gone` beside the diagonal.
fn without(
    old: &[(usize, f64)],
    gone: usize,
    j: usize,
    row: &[(usize, f64)],
    by: f64,
) -> Vec<(usize, f64)> {
    let mut old = old.iter().copied().filter(|&(k, _)| k != gone).peekable();
    let mut row = row.iter().copied().filter(|&(k, _)| k != j).peekable();
    let mut new = Vec::with_capacity(old.size_hint().1.unwrap_or(0));
    loop {
        new.push(match (old.peek().copied(), row.peek().copied()) {
            (Some((k, a)), Some((l, b))) if k == l => {
                old.next();
                row.next();
                (k, a + by * b)
            }
            (Some(a), Some(b)) if a.0 < b.0 => {
                old.next();
                a
            }
            (Some(a), None) => {
                old.next();
                a
            }
            (_, Some((l, b))) => {
                row.next();
                (l, by * b)
            }
            (None, None) => return new,
        });
    }
}
