//! Marks of sharp lines.

use super::super::features::{SharpEdge, short_lines};
use super::Remesher;
use crate::Error;
use crate::edit::{Edits, Session};
use glam::Vec3;
use rxmesh_kernels::algo::improve::remesh::{
    FEATURE_WORDS, LineEdges, ListFeatures, MarkFeatures, Unmark,
};
use rxmesh_kernels::topo::Kind;

impl Remesher {
    /// Clears the marks of sharp lines that are short compared with the length of edges of their mesh; the others are
    /// kept from then on.
    pub(in super::super) fn keep_long_features<C: Edits>(
        &mut self,
        session: &Session<C>,
        lengths: &[f32],
    ) -> Result<(), Error> {
        if self.features > 0 {
            let short = short_lines(&self.list_features(session)?, lengths);
            let edges = session.engine().upload(&short)?;
            session.engine().launch_flat(
                short.len() as u32,
                Unmark {
                    edges: edges.global(),
                    marks: session.write(self.marks)?,
                },
            )?;
            self.features -= short.len() as u32;
        }
        self.any |= self.features > 0;
        Ok(())
    }

    fn list_features<C: Edits>(&self, session: &Session<C>) -> Result<Vec<SharpEdge>, Error> {
        let (engine, n) = (session.engine(), self.features as usize);
        let list = engine.zeroed::<u32>(FEATURE_WORDS as usize * n)?;
        let places = engine.uninit::<Vec3>(2 * n)?;
        let counts = engine.zeroed::<u32>(2)?;
        engine.launch_flat(
            session.capacity(Kind::Edge),
            ListFeatures {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                marks: session.read(self.marks)?,
                labels: self.labels(session)?.read(),
                list: list.global_mut(),
                places: places.global_mut(),
                counts: counts.global_mut(),
            },
        )?;
        let listed = counts.read()?[1] as usize;
        let (list, places) = (list.read()?, places.read()?);
        let words = list.chunks_exact(FEATURE_WORDS as usize).take(listed);
        let each = words.zip(places.chunks_exact(2));
        Ok(each.map(|(w, at)| SharpEdge::new(w, at)).collect())
    }

    pub(super) fn mark_features<C: Edits>(
        &self,
        session: &Session<C>,
        angle: f32,
    ) -> Result<u32, Error> {
        let counts = session.engine().zeroed::<u32>(2)?;
        session.engine().launch_flat(
            session.capacity(Kind::Edge),
            MarkFeatures {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                marks: session.write(self.marks)?,
                cosine: angle.to_radians().cos(),
                counts: counts.global_mut(),
            },
        )?;
        Ok(counts.read()?[1])
    }

    pub(in crate::algo) fn lines<C: Edits>(
        &self,
        session: &Session<C>,
    ) -> Result<LineEdges, Error> {
        Ok(LineEdges {
            marks: session.write(self.marks)?,
            any: u32::from(self.any),
        })
    }
}
