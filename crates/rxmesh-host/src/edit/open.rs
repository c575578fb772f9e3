//! Opening a session.

use super::session::{Flat, Session, State};
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use crate::speculative::{Conflicts, Patches, SpeculativeOptions};
use crate::store::RxMesh;
use rxmesh_kernels::cavity::{COUNTERS, Claims, RANK_WORDS, RESET_EPOCH, ResetClaims};
use rxmesh_kernels::edit::{DEAD, Fill, Freeze, NONE, OpenPatches, OpenVertices, VERTEX_LIMIT};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;

/// Words that records have room for at first, by faces.
const RECORD_WORDS: u32 = 2;

/// The least room for records, in words.
const LEAST_RECORDS: usize = 1 << 16;

impl Session {
    /// Opens a patched mesh. The mesh itself is not changed.
    ///
    /// # Errors
    ///
    /// More vertices than a session can hold (2^30), or no memory on the engine.
    pub fn open(rx: &RxMesh) -> Result<Session, Error> {
        let engine = rx.engine();
        let slots = Kind::ALL.map(|kind| rx.linear_len(kind));
        check_limit(slots)?;
        let flat = Flat::new(engine, slots)?;
        let state = State::new(engine, slots)?;
        let mut session = Session {
            engine: engine.clone(),
            mesh_id: rx.id(),
            patches: rx.headers().len() as u32,
            capacity: slots,
            unused: slots,
            flat,
            state,
            free: [engine.zeroed(0)?, engine.zeroed(0)?, engine.zeroed(0)?],
            listed: [0; 3],
            columns: Vec::new(),
            frozen: 0,
            epoch: RESET_EPOCH,
            salt: 0,
            counted: vec![0; COUNTERS],
            queued: 0,
            share: u32::MAX,
            hooks: Vec::new(),
            births: engine.zeroed(0)?,
            has_refused: false,
            blended: Vec::new(),
            speculative: None,
            speculative_options: SpeculativeOptions::default(),
        };
        // Slots that patches keep free are dead; all others are written.
        if Kind::ALL.iter().any(|&k| rx.count(k) != rx.linear_len(k)) {
            session.flat.bury(engine, [0; 3])?;
        }
        session.freeze(rx)?;
        Ok(session)
    }

    /// Opens a patched mesh for an engine of one's choice. The mesh itself is not changed.
    ///
    /// # Errors
    ///
    /// As [`Session::open`]; on the speculative engine also [`Error::Options`] for a mesh whose patches are too large for it or have too many neighbours.
    pub fn open_with(rx: &RxMesh, conflicts: Conflicts) -> Result<Session, Error> {
        let mut session = Session::open(rx)?;
        if conflicts == Conflicts::Claims {
            return Ok(session);
        }
        let patches = Patches::build(rx, &session.state.faces)?;
        let capacity = patches.capacity();
        check_limit(capacity)?;
        session.flat = Flat::new(&session.engine, capacity)?;
        session.state = State::new(&session.engine, capacity)?;
        (session.capacity, session.unused) = (capacity, capacity);
        session.patches = patches.count;
        patches.flatten(&session.engine, &session.flat, &session.state.faces)?;
        session.speculative = Some(Box::new(patches));
        Ok(session)
    }

    /// The arrays from the patches, and what must not be changed.
    fn freeze(&mut self, rx: &RxMesh) -> Result<(), Error> {
        let [vertices, _, faces] = self.capacity;
        let engine = &self.engine;
        let corners = engine.zeroed::<u32>(vertices as usize)?;
        let frozen = engine.zeroed::<u32>(4)?;
        let (mesh, at) = (self.mesh(), corners.global_mut());
        rx.run(OpenPatches { mesh, corners: at })?;
        engine.launch_flat(
            vertices,
            OpenVertices {
                mesh,
                corners: at,
                frozen: frozen.global_mut(),
            },
        )?;
        engine.launch_flat(
            faces,
            Freeze {
                mesh,
                corners: at,
                claims: self.state.faces.global_mut(),
                frozen: frozen.global_mut(),
            },
        )?;
        self.frozen = frozen.read_range(1, 1)?[0];
        Ok(())
    }
}

/// Refuses what session ids cannot name.
pub(super) fn check_limit([vertices, edges, _]: [u32; 3]) -> Result<(), Error> {
    for (what, count, limit) in [
        ("vertices", vertices, VERTEX_LIMIT),
        ("edges", edges, u32::MAX / 2),
    ] {
        if count > limit {
            return Err(Error::TooLarge {
                what,
                count: count.into(),
                limit: limit.into(),
            });
        }
    }
    Ok(())
}

/// Sets the words from `from` on.
pub(super) fn fill(
    engine: &Engine,
    to: GlobalMut<u32>,
    from: usize,
    value: u32,
) -> Result<(), EngineError> {
    let to = to.from(from as u32);
    engine.launch_flat(to.len(), Fill { to, value })
}

impl Flat {
    /// Arrays, not written yet.
    fn new(engine: &Engine, [vertices, edges, faces]: [u32; 3]) -> Result<Flat, EngineError> {
        let (v, e, f) = (vertices as usize, edges as usize, faces as usize);
        let flat = Flat {
            fe: engine.zeroed(3 * f)?,
            ev: engine.zeroed(2 * e)?,
            ef: engine.zeroed(2 * e)?,
            ve: engine.zeroed(v)?,
            fp: engine.zeroed(f)?,
        };
        Ok(flat)
    }

    /// Makes all slots from some on dead.
    pub(super) fn bury(&self, engine: &Engine, [v, e, f]: [usize; 3]) -> Result<(), EngineError> {
        fill(engine, self.fe.global_mut(), 3 * f, NONE)?;
        fill(engine, self.ev.global_mut(), 2 * e, NONE)?;
        fill(engine, self.ef.global_mut(), 2 * e, NONE)?;
        fill(engine, self.fp.global_mut(), f, NONE)?;
        fill(engine, self.ve.global_mut(), v, DEAD)
    }
}

/// Words of a bit set over the seeds.
pub(super) fn set_words(capacity: [u32; 3]) -> usize {
    capacity.iter().max().map_or(0, |n| n.div_ceil(32) as usize)
}

impl State {
    fn new(engine: &Engine, capacity: [u32; 3]) -> Result<State, EngineError> {
        let [vertices, _, faces] = capacity.map(|n| n as usize);
        let seeds = capacity.iter().max().map_or(0, |&n| n as usize);
        let words = set_words(capacity);
        let state = State {
            faces: engine.zeroed(faces)?,
            pairs: engine.zeroed(Claims::pair_slots(vertices))?,
            list: engine.zeroed(seeds)?,
            pending: engine.zeroed(seeds)?,
            queue: engine.zeroed(words)?,
            refused: engine.zeroed(words)?,
            won: engine.zeroed(words)?,
            winners: engine.zeroed(2 * seeds)?,
            records: engine.zeroed((RECORD_WORDS as usize * faces).max(LEAST_RECORDS))?,
            counters: engine.zeroed(COUNTERS)?,
            ranks: engine.zeroed(words)?,
            chunks: engine.zeroed(words.div_ceil(RANK_WORDS as usize))?,
        };
        // Not zero, which means frozen; claims on faces are set when those are looked for.
        free_all(engine, &state.pairs)?;
        Ok(state)
    }
}

/// No claims at all.
pub(super) fn free_all(engine: &Engine, claims: &Buffer<u64>) -> Result<(), EngineError> {
    let words = claims.global_mut().cast::<u32>();
    engine.launch_flat(
        words.len(),
        Fill {
            to: words,
            value: u32::MAX,
        },
    )
}

/// Gives up all claims but the frozen ones.
pub(super) fn reset_claims(engine: &Engine, state: &State) -> Result<(), EngineError> {
    for claims in [&state.faces, &state.pairs] {
        engine.launch_flat(
            claims.len() as u32,
            ResetClaims {
                claims: claims.global_mut(),
            },
        )?;
    }
    Ok(())
}
