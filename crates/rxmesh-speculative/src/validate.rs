//! Complete, slow check of the patches against the rules of [`rxmesh_speculative_kernels::store`].

use crate::patches::{HostPatches, Patches};
use rxmesh_host::engine::EngineError;
use rxmesh_kernels::topo::Kind;
use rxmesh_speculative_kernels::{EMPTY_SLOT, RibbonEntry, STASH_SLOTS, STAYS};
use std::collections::{HashMap, HashSet};

/// Violation of an invariant. Elements are named by patch and local id there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchFault {
    /// The lock of a patch was not released.
    #[error("patch {patch} is locked by {owner} though no block works on it")]
    Locked {
        /// The patch.
        patch: u32,
        /// The owner of the lock.
        owner: u32,
    },
    /// The record of a move was not cleared.
    #[error("patch {patch} has a note of a move left")]
    Moved {
        /// The patch.
        patch: u32,
    },
    /// A face has an inactive edge or vertex, or its sides do not meet.
    #[error("face {face} of patch {patch} has a dead side or corner, or sides that do not meet")]
    BrokenFace {
        /// The patch.
        patch: u32,
        /// The face.
        face: u32,
    },
    /// A patch has a face but owns none of its corners.
    #[error("patch {patch} has face {face} but owns none of its corners")]
    Stranger {
        /// The patch.
        patch: u32,
        /// The face.
        face: u32,
    },
    /// An edge, or a vertex that is not owned, is at no face of the patch.
    #[error("{kind:?} {local} of patch {patch} is at no face of it")]
    Bare {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
    /// An element is owned but not active.
    #[error("{kind:?} {local} of patch {patch} is owned but not active")]
    Ghost {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
    /// An element is not owned, and the tables have no owner of it, or a wrong one.
    #[error(
        "{kind:?} {local} of patch {patch} has no entry in its table, or one that names no owner"
    )]
    Lost {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
    /// A table has an entry for an element that needs none, or a second one.
    #[error("the table of patch {patch} has an entry too much for {kind:?} {local}")]
    Extra {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
    /// An element of the ribbon differs from its owner's.
    #[error("{kind:?} {local} of patch {patch} differs from its owner's")]
    Differs {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
    /// Two elements of a patch are the same.
    #[error("patch {patch} has {kind:?} {local} twice")]
    Twice {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The second one.
        local: u32,
    },
    /// A patch owns a corner of a face and does not have the face.
    #[error(
        "patch {patch} owns a corner of face {face} of patch {owner}, but does not have the face"
    )]
    Missing {
        /// The patch.
        patch: u32,
        /// The owner of the face.
        owner: u32,
        /// The face, by its local id there.
        face: u32,
    },
    /// The owner of an edge or a face owns none of its vertices.
    #[error("patch {patch} owns {kind:?} {local} but no vertex of it")]
    Absentee {
        /// The patch.
        patch: u32,
        /// The kind.
        kind: Kind,
        /// The element.
        local: u32,
    },
}

impl Patches {
    /// Returns all violations in the patches.
    pub(crate) fn faults(&self) -> Result<Vec<PatchFault>, EngineError> {
        let mut check = PatchCheck {
            host: self.to_host()?,
            count: self.count,
            found: Vec::new(),
            handles: Vec::new(),
        };
        check.run();
        Ok(check.found)
    }
}

/// Marks a missing handle.
const NONE: u32 = u32::MAX;

struct PatchCheck {
    host: HostPatches,
    count: u32,
    found: Vec<PatchFault>,
    /// Handle of each local element, by patch and kind.
    handles: Vec<[Vec<u32>; 3]>,
}

impl PatchCheck {
    fn bit(&self, patch: u32, section: u32, i: u32) -> bool {
        let at = patch * self.host.shape.masks() + section + i / 32;
        self.host.masks[at as usize] >> (i % 32) & 1 != 0
    }

    fn active(&self, patch: u32, kind: Kind, i: u32) -> bool {
        i < self.host.shape.room(kind) && self.bit(patch, self.host.shape.active(kind), i)
    }

    fn owned(&self, patch: u32, kind: Kind, i: u32) -> bool {
        i < self.host.shape.room(kind) && self.bit(patch, self.host.shape.owned(kind), i)
    }

    fn ends(&self, patch: u32, e: u32) -> [u32; 2] {
        let at = (patch * self.host.shape.topology() + 2 * e) as usize;
        [at, at + 1].map(|i| u32::from(self.host.topology[i]))
    }

    fn sides(&self, patch: u32, f: u32) -> [u32; 3] {
        let s = self.host.shape;
        let at = (patch * s.topology() + s.fe() + 3 * f) as usize;
        [at, at + 1, at + 2].map(|i| u32::from(self.host.topology[i]))
    }

    fn corners(&self, patch: u32, f: u32) -> [u32; 3] {
        self.sides(patch, f)
            .map(|h| self.ends(patch, h >> 1)[h as usize & 1])
    }

    fn run(&mut self) {
        for patch in 0..self.count {
            self.rest(patch);
            self.faces(patch);
        }
        for patch in 0..self.count {
            let handles = Kind::ALL.map(|kind| self.name(patch, kind));
            self.handles.push(handles);
        }
        for patch in 0..self.count {
            self.compare(patch);
        }
        self.complete();
    }

    /// Checks that nothing is left of the last visit.
    fn rest(&mut self, patch: u32) {
        let s = self.host.shape;
        let owner = self.host.locks[patch as usize];
        if owner != 0 {
            self.found.push(PatchFault::Locked {
                patch,
                owner: owner - 1,
            });
        }
        let moved = (patch * s.moved()) as usize..((patch + 1) * s.moved()) as usize;
        if self.host.moved[moved].iter().any(|&m| m != STAYS) {
            self.found.push(PatchFault::Moved { patch });
        }
    }

    /// Checks that faces are complete, and that each edge and vertex has a face.
    fn faces(&mut self, patch: u32) {
        let s = self.host.shape;
        let mut met = Kind::ALL.map(|kind| vec![false; s.room(kind) as usize]);
        for f in 0..s.faces {
            if !self.active(patch, Kind::Face, f) {
                continue;
            }
            let sides = self.sides(patch, f);
            let dead = |h: u32| !self.active(patch, Kind::Edge, h >> 1);
            if sides.into_iter().any(dead) {
                self.found.push(PatchFault::BrokenFace { patch, face: f });
                continue;
            }
            let corners = self.corners(patch, f);
            let tips = sides.map(|h| self.ends(patch, h >> 1)[(h as usize & 1) ^ 1]);
            let meets = (0..3).all(|k| {
                tips[k] == corners[(k + 1) % 3] && self.active(patch, Kind::Vertex, corners[k])
            });
            if !meets {
                self.found.push(PatchFault::BrokenFace { patch, face: f });
                continue;
            }
            if !corners
                .into_iter()
                .any(|v| self.owned(patch, Kind::Vertex, v))
            {
                self.found.push(PatchFault::Stranger { patch, face: f });
            }
            for k in 0..3 {
                met[0][corners[k] as usize] = true;
                met[1][sides[k] as usize >> 1] = true;
            }
            met[2][f as usize] = true;
        }
        for kind in Kind::ALL {
            for local in 0..s.room(kind) {
                let (active, owned) = (
                    self.active(patch, kind, local),
                    self.owned(patch, kind, local),
                );
                if owned && !active {
                    self.found.push(PatchFault::Ghost { patch, kind, local });
                }
                let alone = kind == Kind::Vertex && owned;
                if active && !alone && !met[kind as usize][local as usize] {
                    self.found.push(PatchFault::Bare { patch, kind, local });
                }
            }
        }
    }

    /// Returns the handles of a patch's elements, by its tables.
    fn name(&mut self, patch: u32, kind: Kind) -> Vec<u32> {
        let s = self.host.shape;
        let room = s.room(kind);
        let at = (patch * s.ribbons()) as usize;
        let stash = &self.host.ribbons[at..at + STASH_SLOTS as usize];
        let from = at + s.table_at(kind) as usize;
        let table = &self.host.ribbons[from..from + s.table(kind) as usize];
        let mut handles: Vec<u32> = (0..room)
            .map(|i| {
                if self.owned(patch, kind, i) {
                    patch * room + i
                } else {
                    NONE
                }
            })
            .collect();
        let mut bad = Vec::new();
        for entry in table.iter().filter_map(|&w| RibbonEntry::unpack(w)) {
            let local = entry.local;
            let needed = self.active(patch, kind, local) && !self.owned(patch, kind, local);
            if !needed || handles[local as usize] != NONE {
                bad.push(PatchFault::Extra { patch, kind, local });
                continue;
            }
            let owner = stash[entry.slot as usize];
            if owner == EMPTY_SLOT
                || owner >= self.count
                || !self.owned(owner, kind, entry.at)
                || !self.active(owner, kind, entry.at)
            {
                bad.push(PatchFault::Lost { patch, kind, local });
                continue;
            }
            handles[local as usize] = owner * room + entry.at;
        }
        let mut seen = HashMap::new();
        for local in 0..room {
            let handle = handles[local as usize];
            if self.active(patch, kind, local) {
                if handle == NONE {
                    bad.push(PatchFault::Lost { patch, kind, local });
                } else if seen.insert(handle, local).is_some() {
                    bad.push(PatchFault::Twice { patch, kind, local });
                }
            }
        }
        self.found.extend(bad);
        handles
    }

    /// Checks that ribbon elements equal those of their owners.
    fn compare(&mut self, patch: u32) {
        let s = self.host.shape;
        let mut bad = Vec::new();
        let of = |patch: u32, kind: Kind, local: u32| {
            self.handles[patch as usize][kind as usize][local as usize]
        };
        for e in (0..s.edges).filter(|&e| self.active(patch, Kind::Edge, e)) {
            let handle = of(patch, Kind::Edge, e);
            if handle == NONE {
                continue;
            }
            let (owner, at) = (handle / s.edges, handle % s.edges);
            let ends = |p: u32, e: u32| self.ends(p, e).map(|v| of(p, Kind::Vertex, v));
            if ends(patch, e) != ends(owner, at) {
                bad.push(PatchFault::Differs {
                    patch,
                    kind: Kind::Edge,
                    local: e,
                });
            }
            let has = |v: u32| self.owned(owner, Kind::Vertex, v);
            if owner == patch && !self.ends(patch, e).into_iter().any(has) {
                bad.push(PatchFault::Absentee {
                    patch,
                    kind: Kind::Edge,
                    local: e,
                });
            }
        }
        for f in (0..s.faces).filter(|&f| self.active(patch, Kind::Face, f)) {
            let handle = of(patch, Kind::Face, f);
            if handle == NONE {
                continue;
            }
            let (owner, at) = (handle / s.faces, handle % s.faces);
            let sides = |p: u32, f: u32| {
                self.sides(p, f)
                    .map(|h| 2 * u64::from(of(p, Kind::Edge, h >> 1)) + u64::from(h & 1))
            };
            let frozen = |p: u32, f: u32| self.bit(p, s.frozen(), f);
            if sides(patch, f) != sides(owner, at) || frozen(patch, f) != frozen(owner, at) {
                bad.push(PatchFault::Differs {
                    patch,
                    kind: Kind::Face,
                    local: f,
                });
            }
        }
        self.found.extend(bad);
    }

    /// Checks that the owner of a corner has the face.
    fn complete(&mut self) {
        let s = self.host.shape;
        let mut has = HashSet::new();
        for patch in 0..self.count {
            for f in 0..s.faces {
                if self.active(patch, Kind::Face, f) {
                    has.insert((patch, self.handles[patch as usize][2][f as usize]));
                }
            }
        }
        for owner in 0..self.count {
            for face in 0..s.faces {
                if !self.active(owner, Kind::Face, face) || !self.owned(owner, Kind::Face, face) {
                    continue;
                }
                for v in self.corners(owner, face) {
                    let handle = self.handles[owner as usize][0][v as usize];
                    let patch = handle / s.vertices;
                    if handle != NONE && !has.contains(&(patch, owner * s.faces + face)) {
                        self.found.push(PatchFault::Missing { patch, owner, face });
                    }
                }
            }
        }
    }
}
