//! Map from linear ids back to the input's.

use crate::oracle::Oracle;
use rxmesh_host::kernels::topo::Kind;
use rxmesh_host::patch::PatchSet;
use rxmesh_host::store::RxMesh;

/// Input ids of the linear ids of each kind, `u32::MAX` in slack. The id of an edge is its index in the oracle.
pub struct InputIds([Vec<u32>; 3]);

impl InputIds {
    /// Computes the ids of a mesh on an engine. Edges are read from the patches on the host, independently of any
    /// engine.
    pub fn new(rx: &RxMesh, oracle: &Oracle) -> InputIds {
        let set = rx.patch_set().expect("the patches");
        InputIds([
            set.vertex_source.clone(),
            edges(set, oracle),
            set.face_source.clone(),
        ])
    }

    /// Returns the input's id.
    pub fn input(&self, kind: Kind, linear: u32) -> u32 {
        if linear == u32::MAX {
            u32::MAX
        } else {
            self.0[kind as usize][linear as usize]
        }
    }

    /// Returns all ids of a kind, by linear id.
    pub fn all(&self, kind: Kind) -> &[u32] {
        &self.0[kind as usize]
    }
}

fn edges(set: &PatchSet, oracle: &Oracle) -> Vec<u32> {
    let mut ids = vec![u32::MAX; set.linear_len[1] as usize];
    for h in &set.headers {
        let vertex = |local: u16| {
            let (local, owned) = (u32::from(local), u32::from(h.owned[0]));
            let linear = match local.checked_sub(owned) {
                None => h.base[0] + local,
                Some(i) => set.ribbons[(h.ribbon_section(Kind::Vertex) + i) as usize],
            };
            set.vertex_source[linear as usize]
        };
        for e in 0..u32::from(h.owned[1]) {
            let at = (h.ev_section() + 2 * e) as usize;
            let (a, b) = (vertex(set.topology[at]), vertex(set.topology[at + 1]));
            ids[(h.base[1] + e) as usize] = oracle.edge(a, b);
        }
    }
    ids
}
