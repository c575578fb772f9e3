//! Matrices that are computed, by the terms of their rows (Mlakar 2018, section 5.2).

use super::csr::named;
use super::map::{Map, MatrixEntry};
use super::multiply::Multiply;
use crate::topology::Topology;
use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Bind, Global};

/// Matrix whose rows can be computed at any time, always with the same terms in the same order.
///
/// # Safety
///
/// For rows below those of `shape`, `row` reads only inside the rule's views, writes nothing, and yields columns below
/// those of `shape`; it yields `count` terms, always the same (contracts U3 and U4 of docs/inside/unsafe.md).
pub unsafe trait Rule: Bind + Copy + Debug + Send + Sync + 'static {
    /// Type of an element.
    type Value: bytemuck::Pod;

    /// `true` if no two terms of a row have the same column. The matrix is then stored without a second prefix sum.
    const DISTINCT: bool;

    /// Returns the numbers of rows and columns; `None` if the parts of the rule do not match. The host asks before a
    /// launch.
    fn shape(&self) -> Option<[u32; 2]>;

    /// Returns the number of terms of a row.
    #[inline(always)]
    fn count(&self, r: u32) -> u32 {
        count_terms(self, r)
    }

    /// Combines the value of a column with one more term; it begins with zero.
    fn combine(old: Self::Value, new: Self::Value) -> Self::Value;

    /// Calls `term` with column and value of each term of a row.
    fn row(&self, r: u32, term: impl FnMut(u32, Self::Value));
}

/// Counts the terms of a row of a rule by iterating over them.
#[inline(always)]
pub(super) fn count_terms<R: Rule>(rule: &R, r: u32) -> u32 {
    let mut n = 0;
    rule.row(r, |_, _| n += 1);
    n
}

/// Index set of the vector in a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Operand {
    /// Columns of the matrix: faces in M x, vertices in M^T x.
    Columns = 0,
    /// Entries of the matrix.
    Entries = 1,
}

/// Returns the shape of a mapped matrix that is applied to its columns or to entries; `None` if the map does not fit.
fn mapped_shape(m: &Topology, map: &impl Map, operand: u32, shape: [u32; 2]) -> Option<[u32; 2]> {
    let [rows, columns] = shape;
    let columns = match operand == Operand::Entries as u32 {
        true => m.corner_count(),
        false => columns,
    };
    map.fits(m).then_some([rows, columns])
}

args! {
    /// Matrix M{Q}: one row per vertex.
    pub struct Direct<Q: Map> {
        /// Mesh matrix M.
        pub m: Topology,
        /// Map Q.
        pub map: Q,
        /// Index set of the vector: an [`Operand`].
        pub operand: u32,
    }
}

// SAFETY: columns are faces or entries of the mesh (contracts U3, U4).
unsafe impl<Q: Map> Rule for Direct<Q> {
    type Value = f32;
    const DISTINCT: bool = true;

    fn shape(&self) -> Option<[u32; 2]> {
        let (vertices, faces) = (self.m.vertex_count(), self.m.face_count());
        mapped_shape(&self.m, &self.map, self.operand, [vertices, faces])
    }

    #[inline(always)]
    fn combine(old: f32, new: f32) -> f32 {
        old + new
    }

    #[inline(always)]
    fn row(&self, v: u32, mut term: impl FnMut(u32, f32)) {
        let m = &self.m;
        let (first, end) = m.row(v);
        for at in first..end {
            let h = m.entries.get(at);
            let column = if self.operand == Operand::Entries as u32 {
                h
            } else {
                m.face(h)
            };
            term(column, self.map.at(MatrixEntry { m, h }));
        }
    }
}

named! { [Q: Map], Direct<Q> as Q: Multiply }

args! {
    /// Matrix M^T{Q}: one row per face.
    pub struct Transposed<Q: Map> {
        /// Mesh matrix M.
        pub m: Topology,
        /// Map Q.
        pub map: Q,
        /// Index set of the vector: an [`Operand`].
        pub operand: u32,
    }
}

// SAFETY: columns are vertices or entries of the mesh (contracts U3, U4).
unsafe impl<Q: Map> Rule for Transposed<Q> {
    type Value = f32;
    const DISTINCT: bool = true;

    fn shape(&self) -> Option<[u32; 2]> {
        let (vertices, faces) = (self.m.vertex_count(), self.m.face_count());
        mapped_shape(&self.m, &self.map, self.operand, [faces, vertices])
    }

    #[inline(always)]
    fn combine(old: f32, new: f32) -> f32 {
        old + new
    }

    #[inline(always)]
    fn row(&self, f: u32, mut term: impl FnMut(u32, f32)) {
        let m = &self.m;
        let entries = self.operand == Operand::Entries as u32;
        let mut entry = |h: u32, v: u32| {
            term(
                if entries { h } else { v },
                self.map.at(MatrixEntry { m, h }),
            );
        };
        // One read for all corners of a quad (section 5.3).
        if m.size == 4 {
            let [a, b, c, d] = m.corners.get4(f);
            entry(4 * f, a);
            entry(4 * f + 1, b);
            entry(4 * f + 2, c);
            entry(4 * f + 3, d);
            return;
        }
        let (first, n) = m.range(f);
        for h in first..first + n {
            entry(h, m.origin(h));
        }
    }
}

named! { [Q: Map], Transposed<Q> as Q: Multiply }

args! {
    /// Matrix stored as CSR: rows, columns ascending in each.
    pub struct Stored {
        /// Start of each row, and end of the last one.
        pub starts: Global<u32>,
        /// Columns of the entries.
        pub ids: Global<u32>,
        /// Values of the entries.
        pub values: Global<f32>,
        /// Number of columns.
        pub columns: u32,
    }
}

// SAFETY: its creator provides starts that ascend up to the number of ids and values, and ids below `columns`
// (contracts U3, U4).
unsafe impl Rule for Stored {
    type Value = f32;
    const DISTINCT: bool = true;

    fn shape(&self) -> Option<[u32; 2]> {
        Some([self.starts.len() - 1, self.columns])
    }

    #[inline(always)]
    fn count(&self, r: u32) -> u32 {
        self.starts.get(r + 1) - self.starts.get(r)
    }

    #[inline(always)]
    fn combine(old: f32, new: f32) -> f32 {
        old + new
    }

    #[inline(always)]
    fn row(&self, r: u32, mut term: impl FnMut(u32, f32)) {
        for at in self.starts.get(r)..self.starts.get(r + 1) {
            term(self.ids.get(at), self.values.get(at));
        }
    }
}

args! {
    /// Product A B of two matrices.
    pub struct Product<A, B> {
        /// Matrix A.
        pub a: A,
        /// Matrix B.
        pub b: B,
    }
}

// SAFETY: the columns of A are rows of B, and the columns those of B (contracts U3, U4).
unsafe impl<A: Rule<Value = f32>, B: Rule<Value = f32>> Rule for Product<A, B> {
    type Value = f32;
    const DISTINCT: bool = false;

    fn shape(&self) -> Option<[u32; 2]> {
        let ([rows, inner], [other, columns]) = (self.a.shape()?, self.b.shape()?);
        (inner == other).then_some([rows, columns])
    }

    #[inline(always)]
    fn count(&self, r: u32) -> u32 {
        let mut n = 0;
        self.a.row(r, |k, _| n += self.b.count(k));
        n
    }

    #[inline(always)]
    fn combine(old: f32, new: f32) -> f32 {
        old + new
    }

    #[inline(always)]
    fn row(&self, r: u32, mut term: impl FnMut(u32, f32)) {
        self.a.row(r, |k, u| self.b.row(k, |j, w| term(j, u * w)));
    }
}
