//! Kernels of a simplification with their arguments.

use super::{SimplifyBuffers, cheap_part};
use crate::Error;
use crate::edit::Session;
use crate::parallel::fill;
use rxmesh_kernels::algo::improve::simplify::{
    BatchSelect, COSTS_ALONE, Collapse, Course, EdgeCosts, EdgePriority, LineForm, NoLines,
    QuadricSurface, SELECT_WORDS, SimplifyCosts, SimplifySelect, SomeLines,
};
use rxmesh_kernels::cavity::RoundEnd;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;

/// Number of blocks that select edges: two a multiprocessor of a large GPU.
const SELECT_BLOCKS: u32 = 264;

/// Number of blocks that select edges per thread of a CPU: few, since a block's histogram is as much work as a thousand
/// edges.
const SELECT_BLOCKS_A_THREAD: u32 = 4;

impl SimplifyBuffers {
    pub(in crate::algo) fn surface<L: LineForm>(
        &self,
        session: &Session,
        lines: L,
    ) -> Result<QuadricSurface<L>, Error> {
        Ok(QuadricSurface {
            x: session.write(self.x)?,
            quadrics: self.quadrics.global_mut(),
            holds: self.holds.global(),
            lines,
            scale: self.scale,
            placing: self.placing,
            rules: self.rules.global(),
            parts: match &self.several {
                Some(several) => session.read(several.vertices)?,
                None => self.nothing.global(),
            },
        })
    }

    pub(in crate::algo) fn lines(&self, session: &Session) -> Result<SomeLines, Error> {
        Ok(SomeLines {
            quadrics: self.line_quadrics.global_mut(),
            marks: session.lines()?,
        })
    }

    /// Returns `true` if kernels have to know of lines: see [`LineForm`].
    pub(super) fn has_lines(&self, session: &Session) -> bool {
        session.kept_edges().is_some() || !self.line_quadrics.is_empty()
    }

    /// Computes the cost of every edge, and the bound of cheap ones.
    pub(super) fn cost_edges(&mut self, session: &mut Session) -> Result<(), Error> {
        let engine = session.engine();
        let edges = match engine.blocks_are_alone() {
            true => COSTS_ALONE,
            false => 1,
        };
        let groups = session.capacity(Kind::Edge).div_ceil(edges);
        if self.has_lines(session) {
            let costs = self.edge_costs(session, self.lines(session)?)?;
            engine.launch_flat(groups, SimplifyCosts { costs, edges })?;
        } else {
            let costs = self.edge_costs(session, NoLines {})?;
            engine.launch_flat(groups, SimplifyCosts { costs, edges })?;
        }
        self.set(session, Course::Bound, 0)?;
        if let Some(several) = &self.several {
            several.unbind(session)?;
        }
        self.enter(session, false)?;
        Ok(())
    }

    /// Enters the edges that are cheap for the next round. Returns their number.
    pub(super) fn enter(&mut self, session: &mut Session, forgive: bool) -> Result<u32, Error> {
        // Keys of the same turn may be there.
        fill(session.engine(), self.firsts.global_mut().cast(), u32::MAX)?;
        let queued = session.enqueue(|s, queue| {
            let end = s.round_end(0, false);
            let order = self.order(self.salt);
            if self.has_lines(s) {
                self.launch_select(
                    s,
                    self.select(s, self.lines(s)?, queue, order, forgive, end)?,
                )
            } else {
                self.launch_select(s, self.select(s, NoLines {}, queue, order, forgive, end)?)
            }
        })?;
        self.seen = self.course.read()?;
        Ok(queued)
    }

    pub(super) fn edge_costs<L: LineForm>(
        &self,
        session: &Session,
        lines: L,
    ) -> Result<EdgeCosts<L>, Error> {
        Ok(EdgeCosts {
            surface: self.surface(session, lines)?,
            mesh: session.mesh()?,
            costs: self.costs.global_mut(),
        })
    }

    pub(super) fn select<L: LineForm>(
        &self,
        s: &Session,
        lines: L,
        queue: GlobalMut<u32>,
        order: EdgePriority,
        forgive: bool,
        end: RoundEnd,
    ) -> Result<SimplifySelect<L>, Error> {
        let blocks = match s.engine().blocks_are_alone() {
            true => SELECT_BLOCKS_A_THREAD * s.engine().info().units,
            false => SELECT_BLOCKS,
        };
        Ok(SimplifySelect {
            costs: self.edge_costs(s, lines)?,
            refused: self.refused.global_mut(),
            queue,
            histogram: self.histogram.global_mut(),
            course: self.course.global_mut(),
            end,
            words: queue.len().div_ceil(blocks).clamp(32, SELECT_WORDS),
            part: cheap_part(self.quantile),
            forgive: u32::from(forgive),
            order,
            faces: self.goal.faces,
            done: self.goal.done,
            borders: self.goal.borders,
        })
    }

    pub(super) fn launch_select<L: LineForm>(
        &self,
        s: &Session,
        select: SimplifySelect<L>,
    ) -> Result<(), Error>
    where
        SimplifySelect<L>: Entry,
        BatchSelect<L>: Entry,
    {
        if let Some(several) = &self.several {
            return several.select(s, &select);
        }
        Ok(s.engine().launch_blocks(select.blocks(), select)?)
    }

    /// Returns the order of edges in the round of a salt.
    pub(super) fn order(&self, salt: u32) -> EdgePriority {
        EdgePriority {
            salt,
            turn: salt.wrapping_sub(self.first_salt),
            firsts: self.firsts.global_mut(),
        }
    }

    pub(super) fn collapse<L: LineForm>(
        &self,
        session: &Session,
        lines: L,
        order: EdgePriority,
    ) -> Result<Collapse<L>, Error> {
        Ok(Collapse {
            surface: self.surface(session, lines)?,
            costs: self.costs.global_mut(),
            refused: self.refused.global_mut(),
            course: self.course.global_mut(),
            went: match session.followed() {
                Some(column) => session.write(column)?,
                None => self.nothing.global_mut(),
            },
            order,
            labels: match &self.several {
                Some(several) => several.labels.global(),
                None => self.nothing.global(),
            },
            parts: match &self.several {
                Some(several) => several.parts.global_mut(),
                None => self.nothing.global_mut(),
            },
        })
    }
}
