//! Smoothing on the surface, and the one-rings that it needs.

use super::Remesher;
use crate::Error;
use crate::edit::{Edits, Session};
use crate::engine::Buffer;
use crate::parallel::scan::exclusive_shared;
use glam::Vec3;
use rxmesh_kernels::algo::distance::closest::Project;
use rxmesh_kernels::algo::improve::remesh::{
    Accept, AcceptValues, CountRings, PutBack, Relax, Resample, RingLists, WriteRings,
};
use rxmesh_kernels::edit::MarkFrozen;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;

/// Arrays of [`RingLists`].
pub(in crate::algo) struct RingTables {
    starts: Buffer<u32>,
    tips: Buffer<u32>,
    /// Nonzero for vertices at frozen faces, whose lists are empty; nothing if there are none.
    held: Buffer<u32>,
}

impl RingTables {
    pub(in super::super) fn view(&self) -> RingLists {
        RingLists {
            starts: self.starts.global(),
            tips: self.tips.global(),
        }
    }
}

/// Returns a word a vertex slot, nonzero at frozen faces; nothing if there are none. It is made anew each time, because
/// schedulers may number vertices anew.
fn held<C: Edits>(session: &Session<C>) -> Result<Buffer<u32>, Error> {
    if session.frozen_faces() == 0 {
        return Ok(session.engine().zeroed(0)?);
    }
    let n = session.capacity(Kind::Vertex) as usize;
    let held = session.engine().zeroed::<u32>(n)?;
    session.engine().launch_flat(
        session.capacity(Kind::Face),
        MarkFrozen {
            mesh: session.mesh()?,
            claims: session.face_claims()?,
            marks: held.global_mut(),
            mark: 1,
        },
    )?;
    Ok(held)
}

impl Remesher {
    pub(in super::super) fn rings<C: Edits>(
        &self,
        session: &Session<C>,
    ) -> Result<RingTables, Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let tables = RingTables {
            starts: engine.zeroed(n as usize + 1)?,
            tips: engine.zeroed(2 * session.capacity(Kind::Edge) as usize)?,
            held: held(session)?,
        };
        engine.launch_flat(
            n,
            CountRings {
                mesh: session.mesh()?,
                held: tables.held.global(),
                counts: tables.starts.global_mut(),
            },
        )?;
        exclusive_shared(engine, &tables.starts)?;
        engine.launch_flat(
            n,
            WriteRings {
                mesh: session.mesh()?,
                lines: self.lines(session)?,
                held: tables.held.global(),
                starts: tables.starts.global(),
                tips: tables.tips.global_mut(),
            },
        )?;
        Ok(tables)
    }

    /// Runs smoothing steps, and brings vertices back to the surface. Positions of meshes that rest are restored, and
    /// those of vertices at frozen faces.
    pub(in super::super) fn relax<C: Edits>(
        &self,
        session: &Session<C>,
        steps: u32,
    ) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let resting = self.resting.view();
        let kept = match resting.is_empty() && session.frozen_faces() == 0 {
            true => 0,
            false => n,
        };
        let before = engine.uninit::<Vec3>(kept as usize)?;
        let keep = Accept {
            moved: session.read(self.x)?,
            x: before.global_mut(),
        };
        engine.launch_flat(kept, keep)?;
        let tables = self.smooth(session, steps, |rings, moved| {
            let x = session.read(self.x)?;
            Ok(engine.launch_flat(n, Relax { rings, x, moved })?)
        })?;
        let put_back = PutBack {
            mesh: session.mesh()?,
            x: session.write(self.x)?,
            before: before.global(),
            labels: self.labels(session)?.read(),
            resting,
            held: tables.held.global(),
        };
        Ok(engine.launch_flat(kept, put_back)?)
    }

    /// Runs steps of smoothing, each of which gets the rings and the array for the new positions, and projects the
    /// vertices onto the surface. Interpolated columns follow. Returns the rings.
    pub(in crate::algo) fn smooth<C: Edits>(
        &self,
        session: &Session<C>,
        steps: u32,
        step: impl Fn(RingLists, GlobalMut<Vec3>) -> Result<(), Error>,
    ) -> Result<RingTables, Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let rings = self.rings(session)?;
        for i in 1..=steps {
            step(rings.view(), session.write(self.moved)?)?;
            self.resample(session, rings.view())?;
            let (moved, x) = (session.read(self.moved)?, session.write(self.x)?);
            match &self.surface {
                // The steps are in tangent planes: it is enough to come back after the last.
                Some((surface, hints)) if i == steps => engine.launch_flat(
                    n,
                    Project {
                        surface: surface.forest(self.labels(session)?.read()),
                        ve: session.mesh()?.ve.read(),
                        from: moved,
                        to: x,
                        near: session.write(*hints)?,
                    },
                )?,
                _ => engine.launch_flat(n, Accept { moved, x })?,
            }
        }
        Ok(rings)
    }

    /// Gives the interpolated columns of the session the values at the places where vertices go.
    fn resample<C: Edits>(&self, session: &Session<C>, rings: RingLists) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        for (values, width) in session.columns().blended() {
            let to = engine.uninit::<f32>(n as usize * width as usize)?;
            let kernel = Resample {
                rings,
                x: session.read(self.x)?,
                moved: session.read(self.moved)?,
                values: values.read(),
                to: to.global_mut(),
                width,
                labels: self.labels(session)?.read(),
                resting: self.resting.view(),
            };
            engine.launch_flat(n, kernel)?;
            let kernel = AcceptValues {
                from: to.global(),
                to: values,
            };
            engine.launch_flat(n * width, kernel)?;
        }
        Ok(())
    }
}
