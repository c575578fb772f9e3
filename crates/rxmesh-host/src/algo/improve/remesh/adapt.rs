//! Lengths by curvature.

use super::Remesher;
use crate::Error;
use crate::edit::{Edits, Session};
use rxmesh_kernels::algo::improve::remesh::{AdaptLengths, FollowLengths, GradeLengths};
use rxmesh_kernels::topo::Kind;

/// Steps in which lengths become the mean of their neighbourhood: curvature is noisy.
const SMOOTH_STEPS: u32 = 2;

/// Steps in which lengths are bounded by those of neighbours.
const GRADE_STEPS: u32 = 16;

/// Largest growth of lengths on a way of length 1.
const SLOPE: f32 = 0.5;

impl Remesher {
    /// Computes lengths for an error, between two others: three numbers per mesh.
    pub(super) fn adapt<C: Edits>(
        &mut self,
        session: &mut Session<C>,
        bounds: &[[f32; 3]],
    ) -> Result<(), Error> {
        let lengths = session.column()?;
        self.lengths = Some(lengths);
        let graded = session
            .engine()
            .zeroed::<f32>(session.capacity(Kind::Vertex) as usize)?;
        let session = &*session;
        let bounds = session.engine().upload(bounds.as_flattened())?;
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let (rings, x) = (self.rings(session)?, session.read(self.x)?);
        engine.launch_flat(
            n,
            AdaptLengths {
                rings: rings.view(),
                x,
                bounds: bounds.global(),
                lengths: session.write(lengths)?,
                labels: self.labels(session)?.read(),
            },
        )?;
        // An even number of steps: the result is in the column.
        for i in 0..SMOOTH_STEPS + GRADE_STEPS {
            let (from, to) = match i % 2 {
                0 => (session.read(lengths)?, graded.global_mut()),
                _ => (graded.global(), session.write(lengths)?),
            };
            engine.launch_flat(
                n,
                GradeLengths {
                    rings: rings.view(),
                    x,
                    lengths: from,
                    slope: if i < SMOOTH_STEPS { -1.0 } else { SLOPE },
                    graded: to,
                },
            )?;
        }
        if session.frozen_faces() > 0 {
            let kernel = FollowLengths {
                mesh: session.mesh()?,
                rings: rings.view(),
                x,
                slope: SLOPE,
                lengths: session.write(lengths)?,
            };
            engine.launch_flat(session.capacity(Kind::Edge), kernel)?;
        }
        Ok(())
    }
}
