//! A complete, slow check of a session.

use super::mesh::HostArrays;
use super::scheduler::Edits;
use super::session::Session;
use crate::Error;
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::topo::Kind;
use std::collections::HashMap;

/// Something that must not be. Numbers are session ids.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionFault {
    /// A side of a face is no edge, or a dead one.
    #[error("side {side} of face {face} is the half-edge {half} of no live edge")]
    DeadSide {
        /// Session id of the face.
        face: u32,
        /// Index of the side, 0 to 2.
        side: u32,
        /// Half-edge that it names.
        half: u32,
    },
    /// The sides of a face do not meet.
    #[error("the sides of face {face} do not form a triangle")]
    NoTriangle {
        /// Session id of the face.
        face: u32,
    },
    /// EF does not name the face that has the side.
    #[error("half-edge {half} of face {face} has face {found} in EF")]
    OtherFace {
        /// Session id of the face.
        face: u32,
        /// Half-edge of the side.
        half: u32,
        /// Face that EF names.
        found: u32,
    },
    /// EF names a face that is dead or lacks the side.
    #[error("EF gives half-edge {half} the face {face}, which does not have it")]
    StaleFace {
        /// Half-edge.
        half: u32,
        /// Session id of the face.
        face: u32,
    },
    /// An edge ends in a vertex that is dead or does not exist.
    #[error("edge {edge} ends in vertex {vertex}, which is dead")]
    DeadEnd {
        /// Session id of the edge.
        edge: u32,
        /// Session id of the vertex.
        vertex: u32,
    },
    /// An edge from a vertex to itself, at faces that are not frozen.
    #[error("edge {edge} begins and ends in the same vertex")]
    Loop {
        /// Session id of the edge.
        edge: u32,
    },
    /// Two edges between the same vertices.
    #[error("edges {first} and {second} have the same ends")]
    Twins {
        /// One.
        first: u32,
        /// Session id of the other edge.
        second: u32,
    },
    /// An edge without a face.
    #[error("edge {edge} has no face")]
    Bare {
        /// Session id of the edge.
        edge: u32,
    },
    /// VE names an edge that is dead or ends elsewhere.
    #[error("VE gives vertex {vertex} the edge {edge}, which is dead or ends elsewhere")]
    StaleEdge {
        /// Session id of the vertex.
        vertex: u32,
        /// Session id of the edge.
        edge: u32,
    },
    /// A vertex with edges that has none in VE.
    #[error("vertex {vertex} has edges, but none in VE")]
    LostEdges {
        /// Session id of the vertex.
        vertex: u32,
    },
    /// A vertex that is not frozen and whose faces are not one fan or one cycle.
    #[error(
        "the {faces} faces at vertex {vertex} are not one fan: {reached} can be reached from its edge"
    )]
    NoFan {
        /// Session id of the vertex.
        vertex: u32,
        /// Faces at it.
        faces: u32,
        /// Faces that a walk around it meets.
        reached: u32,
    },
    /// A slot that is listed as free and is in use.
    #[error("slot {slot} of {kind:?} is in the list of free slots and in use")]
    TakenSlot {
        /// Kind of element.
        kind: Kind,
        /// Slot that is taken.
        slot: u32,
    },
    /// A live element in a slot that was never used.
    #[error("slot {slot} of {kind:?} is in use but was never handed out")]
    Unborn {
        /// Kind of element.
        kind: Kind,
        /// Slot that is beyond those in use.
        slot: u32,
    },
    /// Fault of the scheduler's own state.
    #[error("{0}")]
    Engine(String),
    /// A live face without a patch.
    #[error("face {face} has no patch")]
    NoPatch {
        /// Session id of the face.
        face: u32,
    },
}

/// Session's arrays on the host.
struct SessionCheck {
    arrays: HostArrays,
    found: Vec<SessionFault>,
}

impl<C: Edits> Session<C> {
    /// Returns all faults of the session; empty when it is sound. Slow: it copies the session to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn validate(&self) -> Result<Vec<SessionFault>, Error> {
        let mut check = SessionCheck {
            arrays: self.to_host()?,
            found: Vec::new(),
        };
        check.faces();
        if check.found.is_empty() {
            check.edges();
            check.vertices();
        }
        check.found.extend(C::faults(self, &check.arrays)?);
        Ok(check.found)
    }

    /// Returns Euler's number of the live elements: vertices minus edges plus faces.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn euler_number(&self) -> Result<i64, Error> {
        let [v, e, f] = self.live()?;
        Ok(i64::from(v) - i64::from(e) + i64::from(f))
    }

    /// Counts the live elements by kind: V, E, F.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn live(&self) -> Result<[u32; 3], Error> {
        let [v, e, f] = Kind::ALL.map(|kind| self.count(kind));
        Ok([v?, e?, f?])
    }
}

impl SessionCheck {
    fn lives(&self, kind: Kind, slot: u32) -> bool {
        self.arrays.lives(kind, slot)
    }

    fn edge_lives(&self, e: u32) -> bool {
        2 * (e as usize) < self.arrays.ev.len() && self.lives(Kind::Edge, e)
    }

    fn vertex_lives(&self, v: u32) -> bool {
        (v as usize) < self.arrays.ve.len() && self.lives(Kind::Vertex, v)
    }

    fn sides(&self, f: u32) -> [u32; 3] {
        let i = 3 * f as usize;
        [
            self.arrays.fe[i],
            self.arrays.fe[i + 1],
            self.arrays.fe[i + 2],
        ]
    }

    fn origin(&self, h: u32) -> u32 {
        self.arrays.ev[h as usize]
    }

    fn faces(&mut self) {
        for face in 0..self.arrays.fp.len() as u32 {
            if !self.lives(Kind::Face, face) {
                continue;
            }
            if self.arrays.fp[face as usize] == NONE {
                self.found.push(SessionFault::NoPatch { face });
            }
            let sides = self.sides(face);
            let dead = (0..3).find(|&k| !self.edge_lives(sides[k] >> 1));
            if let Some(k) = dead {
                let (side, half) = (k as u32, sides[k]);
                self.found.push(SessionFault::DeadSide { face, side, half });
                continue;
            }
            if (0..3).any(|k| self.origin(sides[k] ^ 1) != self.origin(sides[(k + 1) % 3])) {
                self.found.push(SessionFault::NoTriangle { face });
            }
            for half in sides {
                let found = self.arrays.ef[half as usize];
                // EF holds one of several faces on one side of a frozen edge.
                if found != face && !(self.arrays.frozen[face as usize] && found != NONE) {
                    self.found
                        .push(SessionFault::OtherFace { face, half, found });
                }
            }
        }
    }

    fn edges(&mut self) {
        let mut by_ends: HashMap<(u32, u32), u32> = HashMap::new();
        for edge in 0..(self.arrays.ev.len() / 2) as u32 {
            if !self.lives(Kind::Edge, edge) {
                continue;
            }
            let (a, b) = (self.origin(2 * edge), self.origin(2 * edge + 1));
            for vertex in [a, b] {
                if !self.vertex_lives(vertex) {
                    self.found.push(SessionFault::DeadEnd { edge, vertex });
                }
            }
            let faces = [2 * edge, 2 * edge + 1].map(|half| (half, self.arrays.ef[half as usize]));
            if faces.iter().all(|&(_, face)| face == NONE) {
                self.found.push(SessionFault::Bare { edge });
            }
            for (half, face) in faces {
                let has = |f: u32| {
                    (f as usize) < self.arrays.fp.len()
                        && self.lives(Kind::Face, f)
                        && self.sides(f).contains(&half)
                };
                if face != NONE && !has(face) {
                    self.found.push(SessionFault::StaleFace { half, face });
                }
            }
            let frozen = faces
                .iter()
                .any(|&(_, f)| f != NONE && self.arrays.frozen.get(f as usize) == Some(&true));
            if a == b && !frozen {
                self.found.push(SessionFault::Loop { edge });
            }
            if let Some(first) = by_ends.insert((a.min(b), a.max(b)), edge) {
                self.found.push(SessionFault::Twins {
                    first,
                    second: edge,
                });
            }
        }
    }

    fn vertices(&mut self) {
        if !self.found.is_empty() {
            // A walk needs sound edges.
            return;
        }
        let n = self.arrays.ve.len();
        let (mut corners, mut frozen, mut has_edge) =
            (vec![0u32; n], vec![false; n], vec![false; n]);
        for f in (0..self.arrays.fp.len() as u32).filter(|&f| self.lives(Kind::Face, f)) {
            for h in self.sides(f) {
                let v = self.origin(h) as usize;
                corners[v] += 1;
                frozen[v] |= self.arrays.frozen[f as usize];
            }
        }
        for e in (0..(self.arrays.ev.len() / 2) as u32).filter(|&e| self.lives(Kind::Edge, e)) {
            has_edge[self.origin(2 * e) as usize] = true;
            has_edge[self.origin(2 * e + 1) as usize] = true;
        }
        let live: Vec<u32> = (0..n as u32)
            .filter(|&v| self.lives(Kind::Vertex, v))
            .collect();
        for vertex in live {
            let (i, edge) = (vertex as usize, self.arrays.ve[vertex as usize]);
            if edge == NONE {
                if has_edge[i] {
                    self.found.push(SessionFault::LostEdges { vertex });
                }
                continue;
            }
            if !self.edge_lives(edge)
                || ![2 * edge, 2 * edge + 1]
                    .iter()
                    .any(|&h| self.origin(h) == vertex)
            {
                self.found.push(SessionFault::StaleEdge { vertex, edge });
                continue;
            }
            let reached = self.walk(vertex, edge, corners[i]);
            if !frozen[i] && reached != corners[i] {
                let faces = corners[i];
                self.found.push(SessionFault::NoFan {
                    vertex,
                    faces,
                    reached,
                });
            }
        }
    }

    /// Counts the faces that a walk around a vertex meets, from one of its edges, in both directions; at most one more
    /// than `limit`.
    fn walk(&self, v: u32, edge: u32, limit: u32) -> u32 {
        let start = if self.origin(2 * edge) == v {
            2 * edge
        } else {
            2 * edge + 1
        };
        let place = |f: u32, h: u32| (0..3).find(|&k| self.sides(f)[k] == h);
        let mut reached = 0;
        // Against the clock over the face of the half-edge that leaves, then with it.
        let mut h = start;
        loop {
            let f = self.arrays.ef[h as usize];
            if f == NONE {
                break;
            }
            reached += 1;
            let Some(k) = place(f, h) else { return reached };
            h = self.sides(f)[(k + 2) % 3] ^ 1;
            if h == start || reached > limit {
                return reached;
            }
        }
        h = start ^ 1;
        loop {
            let f = self.arrays.ef[h as usize];
            if f == NONE || reached > limit {
                return reached;
            }
            reached += 1;
            let Some(k) = place(f, h) else { return reached };
            h = self.sides(f)[(k + 1) % 3] ^ 1;
        }
    }
}
