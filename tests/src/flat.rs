//! Flat arrays of a mesh, made and changed on the host.

use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::kernels::topo::{Kind, PatchHeader};
use rxmesh_host::mesh::Rng;
use rxmesh_host::patch::PatchSet;
use rxmesh_host::repack::{RepackOptions, RepackSource, Repacked, repack};

/// Mark of an absent element.
pub const NONE: u32 = u32::MAX;
/// Mark of a dead vertex in `ve`.
pub const DEAD: u32 = u32::MAX - 1;

/// Mesh as flat arrays in session ids ([`RepackSource`]).
#[derive(Clone, Debug)]
pub struct Flat {
    /// Sides of faces.
    pub fe: Vec<u32>,
    /// Ends of edges.
    pub ev: Vec<u32>,
    /// Faces of edges.
    pub ef: Vec<u32>,
    /// One edge of each vertex.
    pub ve: Vec<u32>,
    /// Labels of faces.
    pub label: Vec<u32>,
}

/// The same arrays on an engine.
pub struct OnEngine {
    buffers: [Buffer<u32>; 5],
}

impl OnEngine {
    /// Returns the argument of a repack.
    pub fn mesh(&self) -> RepackSource<'_> {
        let [fe, ev, ef, ve, label] = &self.buffers;
        RepackSource {
            fe,
            ev,
            ef,
            ve,
            label,
        }
    }
}

impl OnEngine {
    /// Packs the arrays into patches.
    ///
    /// # Errors
    ///
    /// As [`repack`].
    pub fn repack(
        &self,
        engine: &Engine,
        labels: u32,
        options: RepackOptions,
    ) -> Result<Repacked, Error> {
        // SAFETY: `Flat::join` makes the arrays of one mesh; lengths and labels are compared.
        unsafe { repack(engine, &self.mesh(), labels, options) }
    }
}

/// Returns the linear id of a local id.
fn linear(set: &PatchSet, h: &PatchHeader, kind: Kind, local: u32) -> u32 {
    let k = kind as usize;
    match local.checked_sub(h.owned[k].into()) {
        None => h.base[k] + local,
        Some(i) => set.ribbons[(h.ribbon_section(kind) + i) as usize],
    }
}

impl Flat {
    /// Returns a patch set's mesh. Session ids are linear ids, labels are patches; slack is free.
    pub fn open(set: &PatchSet) -> Flat {
        let [vertices, edges, faces] = set.linear_len.map(|n| n as usize);
        let mut flat = Flat {
            fe: vec![NONE; 3 * faces],
            ev: vec![NONE; 2 * edges],
            ef: Vec::new(),
            ve: vec![DEAD; vertices],
            label: vec![0; faces],
        };
        for (patch, h) in set.headers.iter().enumerate() {
            for f in 0..u32::from(h.owned[2]) {
                let face = (h.base[2] + f) as usize;
                flat.label[face] = patch as u32;
                for k in 0..3 {
                    let entry = u32::from(set.topology[(h.fe_section() + 3 * f) as usize + k]);
                    flat.fe[3 * face + k] = linear(set, h, Kind::Edge, entry >> 1) << 1 | entry & 1;
                }
            }
            for e in 0..u32::from(h.owned[1]) {
                for k in 0..2 {
                    let v = set.topology[(h.ev_section() + 2 * e) as usize + k];
                    flat.ev[2 * (h.base[1] + e) as usize + k] =
                        linear(set, h, Kind::Vertex, v.into());
                }
            }
            let own = h.base[0] as usize..;
            flat.ve[own][..h.owned[0].into()].fill(NONE);
        }
        flat.join();
        flat
    }

    /// Returns `true` if a face is alive.
    pub fn is_face(&self, face: usize) -> bool {
        self.fe[3 * face] != NONE
    }

    /// Computes `ef` and `ve` from `fe`: an edge of more than two faces gets the first and the last. Edges without
    /// faces die, vertices without edges are isolated.
    pub fn join(&mut self) {
        self.ef = vec![NONE; self.ev.len()];
        for v in self.ve.iter_mut().filter(|v| **v != DEAD) {
            *v = NONE;
        }
        for (i, &side) in self.fe.iter().enumerate() {
            if !self.is_face(i / 3) {
                continue;
            }
            let (edge, face) = ((side >> 1) as usize, (i / 3) as u32);
            let row = &mut self.ef[2 * edge..2 * edge + 2];
            if row[0] == NONE {
                row[0] = face;
            } else if row[0] != face {
                row[1] = face;
            }
        }
        for edge in 0..self.ev.len() / 2 {
            if self.ef[2 * edge] == NONE {
                self.ev[2 * edge..2 * edge + 2].fill(NONE);
                continue;
            }
            for k in 0..2 {
                self.ve[self.ev[2 * edge + k] as usize] = edge as u32;
            }
        }
    }

    /// Kills one face in `every`, then one isolated vertex in two.
    pub fn kill(&mut self, every: u64, seed: u64) {
        let mut rng = Rng::new(seed);
        for face in 0..self.label.len() {
            if rng.below(every) == 0 {
                self.fe[3 * face..3 * face + 3].fill(NONE);
            }
        }
        self.join();
        for v in self.ve.iter_mut().filter(|v| **v == NONE) {
            if rng.below(2) == 0 {
                *v = DEAD;
            }
        }
    }

    /// Gives every element another random id out of a larger range, and turns every third edge around.
    pub fn scatter(&self, seed: u64) -> Flat {
        let mut rng = Rng::new(seed);
        let (vertices, edges, faces) = (self.ve.len(), self.ev.len() / 2, self.label.len());
        let mut ids = |n: usize| rng.permutation(n + n / 3 + 2);
        let (v_id, e_id, f_id) = (ids(vertices), ids(edges), ids(faces));
        let name = |ids: &[u32], id: u32| match id {
            NONE | DEAD => id,
            id => ids[id as usize],
        };
        let turned = |e: u32| u32::from(e.is_multiple_of(3));
        let mut out = Flat {
            fe: vec![NONE; 3 * f_id.len()],
            ev: vec![NONE; 2 * e_id.len()],
            ef: vec![NONE; 2 * e_id.len()],
            ve: vec![DEAD; v_id.len()],
            label: vec![0; f_id.len()],
        };
        for (f, &to) in f_id.iter().enumerate().take(faces) {
            let to = to as usize;
            out.label[to] = self.label[f];
            for k in 0..3 {
                out.fe[3 * to + k] = match self.fe[3 * f + k] {
                    NONE => NONE,
                    s => e_id[(s >> 1) as usize] << 1 | (s & 1) ^ turned(s >> 1),
                };
            }
        }
        for (e, &to) in e_id.iter().enumerate().take(edges) {
            let to = to as usize;
            for k in 0..2 {
                let from = k ^ turned(e as u32) as usize;
                out.ev[2 * to + k] = name(&v_id, self.ev[2 * e + from]);
                out.ef[2 * to + k] = name(&f_id, self.ef[2 * e + k]);
            }
        }
        for (&to, &edge) in v_id.iter().zip(&self.ve) {
            out.ve[to as usize] = name(&e_id, edge);
        }
        out
    }

    /// Returns the live vertices, in order.
    pub fn vertices(&self) -> Vec<u32> {
        let live = |v: &u32| self.ve[*v as usize] != DEAD;
        (0..self.ve.len() as u32).filter(live).collect()
    }

    /// Returns the corners of the live faces, in order, as indices into the live vertices.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut place = vec![NONE; self.ve.len()];
        for (i, v) in self.vertices().into_iter().enumerate() {
            place[v as usize] = i as u32;
        }
        let faces = (0..self.label.len()).filter(|&f| self.is_face(f));
        faces
            .map(|f| [0, 1, 2].map(|k| place[self.ev[self.fe[3 * f + k] as usize] as usize]))
            .collect()
    }

    /// Returns the largest label plus one.
    pub fn labels(&self) -> u32 {
        self.label.iter().max().map_or(0, |l| l + 1)
    }

    /// Uploads the arrays to an engine.
    pub fn upload(&self, engine: &Engine) -> OnEngine {
        let arrays = [&self.fe, &self.ev, &self.ef, &self.ve, &self.label];
        OnEngine {
            buffers: arrays.map(|a| engine.upload(a).expect("memory")),
        }
    }
}
