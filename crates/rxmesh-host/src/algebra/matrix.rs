//! Sparse matrices.

use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use crate::parallel::scan;
use crate::store::Rows;
use glam::Vec3;
use rxmesh_kernels::algebra::matrix::{
    MatrixInverse, MatrixProduct, MatrixProductOne, MatrixView, Weight,
};
use rxmesh_kernels::algebra::transpose::{TransposeCount, TransposeFinish, TransposePut};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::query::Relation;

/// A square sparse matrix in an engine's memory, by compressed rows: of numbers, or of blocks of 3 by 3 of them, which
/// have three rows and columns where this says one ([`Mat3`](glam::Mat3), [`Weight`]).
///
/// It is kept by differences: `(A x)_i = e_i x_i + sum_j w_ij (x_i - x_j)`, with `w_ij = -a_ij` beside the diagonal and
/// `e_i` the sum of the row. A graph's Laplacian with masses keeps its masses so, however large its weights are.
#[derive(Debug)]
pub struct Matrix<W: Weight = f32> {
    engine: Engine,
    rows: u32,
    parts: MatrixArrays<W>,
}

/// Arrays of a matrix; see [`MatrixView`].
#[derive(Debug)]
pub(crate) struct MatrixArrays<W: Weight = f32> {
    pub starts: Buffer<u32>,
    pub ends: Buffer<u32>,
    pub columns: Buffer<u32>,
    pub weights: Buffer<W>,
    pub excess: Buffer<W>,
}

impl<W: Weight> Matrix<W> {
    /// Creates a matrix from rows on the host, each a list of columns and entries, the diagonal's among them. Entries
    /// of the same place are summed up.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a column that is not there, [`Error::NotFinite`] for an entry that is not finite, more
    /// entries than 32 bits can count ([`Error::TooLarge`]), or no memory.
    pub fn from_rows(engine: &Engine, rows: &[Vec<(u32, W)>]) -> Result<Matrix<W>, Error> {
        let entries: u64 = rows.iter().map(|row| row.len() as u64).sum();
        let limit = u64::from(u32::MAX);
        if entries > limit || rows.len() as u64 > limit {
            let (what, count) = ("entries of a matrix", entries.max(rows.len() as u64));
            return Err(Error::TooLarge { what, count, limit });
        }
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(entries as usize));
        let (mut weights, mut excess) = (Vec::<W>::with_capacity(entries as usize), Vec::new());
        for (i, row) in rows.iter().enumerate() {
            let mut row = row.clone();
            row.sort_unstable_by_key(|&(j, _)| j);
            excess.push(W::sum(row.iter().map(|&(_, a)| a)));
            let first = columns.len();
            for (j, a) in row {
                if j as usize >= rows.len() {
                    return Err(Error::Options(format!(
                        "row {i} of a matrix of {} rows has an entry in column {j}",
                        rows.len()
                    )));
                }
                if !a.is_finite() {
                    return Err(Error::NotFinite {
                        what: "an entry of a matrix",
                    });
                }
                if j as usize == i {
                    continue;
                }
                if columns.len() > first && columns.last() == Some(&j) {
                    let last = weights.len() - 1;
                    weights[last] = weights[last].plus(a.negated());
                } else {
                    columns.push(j);
                    weights.push(a.negated());
                }
            }
            starts.push(columns.len() as u32);
        }
        let ends = starts.split_off(1);
        starts.extend(&ends);
        starts.truncate(rows.len());
        Ok(Matrix::from_parts(
            engine,
            MatrixArrays {
                starts: engine.upload(&starts)?,
                ends: engine.upload(&ends)?,
                columns: engine.upload(&columns)?,
                weights: engine.upload(&weights)?,
                excess: engine.upload(&excess)?,
            },
        ))
    }

    /// Creates a matrix from the rows of a relation between elements of one kind (VV, EE, FF and similar ones): `(A
    /// x)_i = excess_i x_i + sum_j weight_ij (x_i - x_j)`, with a weight for each entry of the rows, in their order,
    /// and an excess for each linear id.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a relation with rows of a fixed length, [`EngineError::Length`] for other numbers of
    /// weights or excesses, or no memory.
    pub fn over<R: Relation<Target = <R as Relation>::Source>>(
        rows: &Rows<R>,
        weights: Buffer<W>,
        excess: Buffer<W>,
    ) -> Result<Matrix<W>, Error> {
        let (starts, columns) = (rows.starts(), rows.values());
        let Some(n) = starts.len().checked_sub(1) else {
            let why = "a matrix over a relation needs a relation with rows of variable length";
            return Err(Error::Options(why.to_string()));
        };
        for (got, want) in [(excess.len(), n), (weights.len(), columns.len())] {
            if got != want {
                return Err(EngineError::Length { got, want }.into());
            }
        }
        let parts = MatrixArrays {
            ends: starts.copied_from(1)?,
            starts: starts.copied_from(0)?,
            columns: columns.copied_from(0)?,
            weights,
            excess,
        };
        Ok(Matrix::from_parts(rows.starts().engine(), parts))
    }

    /// Creates a matrix from arrays that kernels have made, or are making: rows within `columns`, columns within the
    /// rows.
    pub(crate) fn from_parts(engine: &Engine, parts: MatrixArrays<W>) -> Matrix<W> {
        Matrix {
            engine: engine.clone(),
            rows: parts.excess.len() as u32,
            parts,
        }
    }

    /// Returns the engine in whose memory it lies.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the number of rows, and of columns.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns its arrays, for kernels that fill them in.
    pub(crate) fn parts(&self) -> &MatrixArrays<W> {
        &self.parts
    }

    /// Returns the view for kernels.
    pub(crate) fn view(&self) -> MatrixView<W> {
        MatrixView {
            starts: self.parts.starts.global(),
            ends: self.parts.ends.global(),
            columns: self.parts.columns.global(),
            weights: self.parts.weights.global(),
            excess: self.parts.excess.global(),
        }
    }

    /// Copies its rows to the host, as [`Matrix::from_rows`] takes them: columns ascend, the diagonal comes last.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_rows(&self) -> Result<Vec<Vec<(u32, W)>>, Error> {
        let p = &self.parts;
        let [starts, ends, columns] = [&p.starts, &p.ends, &p.columns].map(Buffer::read);
        let (starts, ends, columns) = (starts?, ends?, columns?);
        let (weights, excess) = (p.weights.read()?, p.excess.read()?);
        let row = |i: usize| {
            let places = starts[i] as usize..ends[i] as usize;
            let entry = |k: usize| (columns[k], weights[k].negated());
            let mut row: Vec<_> = places.clone().map(entry).collect();
            row.sort_unstable_by_key(|&(j, _)| j);
            let all = weights[places].iter().chain([&excess[i]]);
            row.push((i as u32, W::sum(all.copied())));
            row
        };
        Ok((0..self.rows as usize).map(row).collect())
    }

    /// Returns the transposed matrix, for weights from one place to another that are to be taken back. Its columns
    /// ascend.
    ///
    /// # Errors
    ///
    /// No memory, or any error of the engine.
    pub fn transpose(&self) -> Result<Matrix<W>, Error> {
        let (engine, n) = (&self.engine, self.rows as usize);
        let starts = engine.zeroed::<u32>(n + 1)?;
        let counts = starts.global_mut();
        let matrix = self.view();
        engine.launch_flat(self.rows, TransposeCount { matrix, counts })?;
        let entries = scan::exclusive_shared(engine, &starts)? as usize;
        let parts = MatrixArrays {
            ends: starts.grown(n + 1)?,
            starts,
            columns: engine.uninit(entries)?,
            weights: engine.uninit(entries)?,
            excess: engine.uninit(n)?,
        };
        let (ends, columns) = (parts.ends.global_mut(), parts.columns.global_mut());
        let weights = parts.weights.global_mut();
        let put = TransposePut {
            matrix,
            ends,
            columns,
            weights,
        };
        engine.launch_flat(self.rows, put)?;
        let finish = TransposeFinish {
            matrix,
            starts: parts.starts.global_mut(),
            ends,
            columns,
            weights,
            excess: parts.excess.global_mut(),
        };
        engine.launch_flat(self.rows, finish)?;
        Ok(Matrix::from_parts(engine, parts))
    }

    /// Computes `y = alpha A x + beta z` for vectors of three components a row. `z` is not read if `beta` is 0.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for vectors of other lengths, or any error of the engine.
    pub fn multiply(
        &self,
        alpha: f32,
        x: &Buffer<Vec3>,
        beta: f32,
        z: &Buffer<Vec3>,
        y: &mut Buffer<Vec3>,
    ) -> Result<(), Error> {
        self.fits(x)?;
        self.fits(y)?;
        if beta != 0.0 {
            self.fits(z)?;
        }
        Ok(self.engine.launch_flat(
            self.rows,
            MatrixProduct {
                matrix: self.view(),
                x: x.global(),
                z: if beta == 0.0 {
                    Global::empty()
                } else {
                    z.global()
                },
                y: y.global_mut(),
                alpha,
                beta,
            },
        )?)
    }

    /// Refuses a vector that has another number of values than there are rows.
    pub(crate) fn fits<T: bytemuck::Pod>(&self, x: &Buffer<T>) -> Result<(), EngineError> {
        if x.len() == self.rows as usize {
            return Ok(());
        }
        Err(EngineError::Length {
            got: x.len(),
            want: self.rows as usize,
        })
    }

    /// Returns one over the diagonal, zero if that is not positive.
    pub(crate) fn inverse(&self) -> Result<Buffer<W>, Error> {
        let inverse = self.engine.uninit(self.rows as usize)?;
        let kernel = MatrixInverse {
            matrix: self.view(),
            inverse: inverse.global_mut(),
        };
        self.engine.launch_flat(self.rows, kernel)?;
        Ok(inverse)
    }
}

impl Matrix {
    /// Works like [`Matrix::multiply`], for vectors of one component per row.
    ///
    /// # Errors
    ///
    /// As [`Matrix::multiply`].
    pub fn multiply_one(
        &self,
        alpha: f32,
        x: &Buffer<f32>,
        beta: f32,
        z: &Buffer<f32>,
        y: &mut Buffer<f32>,
    ) -> Result<(), Error> {
        self.fits(x)?;
        self.fits(y)?;
        if beta != 0.0 {
            self.fits(z)?;
        }
        Ok(self.engine.launch_flat(
            self.rows,
            MatrixProductOne {
                matrix: self.view(),
                x: x.global(),
                z: if beta == 0.0 {
                    Global::empty()
                } else {
                    z.global()
                },
                y: y.global_mut(),
                alpha,
                beta,
            },
        )?)
    }
}
