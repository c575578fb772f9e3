//! Current vertices and faces, their order and their origins.

use crate::edit::mesh::Snapshot;
use crate::mesh::TriMesh;
use rxmesh_kernels::cavity::BORN;

/// A vertex of the new mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedVertex {
    pub(super) slot: u32,
    /// Old vertex that it is, or that counts most among those it arose from.
    pub(super) origin: u32,
    /// `true` if it is none of the old ones.
    pub(super) born: bool,
}

/// A face of the new mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewFace {
    /// Corners, in numbers of the new mesh.
    pub(super) corners: [u32; 3],
    /// Old face that it is, or arose from.
    pub(super) origin: u32,
    /// `true` if it is the old face, with the same corners.
    pub(super) same: bool,
}

/// Elements of the new mesh: old vertices in their order, then new ones; faces in the order of those they come from.
#[derive(Debug)]
pub(super) struct NewElements {
    pub(super) vertices: Vec<CarriedVertex>,
    pub(super) faces: Vec<NewFace>,
}

impl NewElements {
    /// Orders the elements; `vertices` and `faces` are the traced numbers, by slot.
    pub(super) fn new(
        old: &TriMesh,
        now: &Snapshot,
        vertices: &[u32],
        faces: &[u32],
    ) -> NewElements {
        let (ordered, number) = order_vertices(now, vertices, old.vertex_count());
        let is = |v: u32| {
            let v = ordered[v as usize];
            (!v.born).then_some(v.origin)
        };
        let mut taken = vec![false; old.face_count()];
        let slots = now.faces.iter().zip(&now.face_slots);
        let mut list: Vec<NewFace> = slots
            .map(|(corners, &slot)| {
                let origin = faces[slot as usize];
                let corners = corners.map(|v| number[v as usize]);
                let before = old.faces[origin as usize];
                let turned = (0..3).map(|k| [0, 1, 2].map(|i| corners[(i + k) % 3]));
                let same = turned.into_iter().find(|c| c.map(is) == before.map(Some));
                // Two faces with the same corners, one of them new: the file's face is there once.
                let first = !std::mem::replace(&mut taken[origin as usize], same.is_some());
                let same = same.filter(|_| first);
                NewFace {
                    corners: same.unwrap_or(corners),
                    origin,
                    same: same.is_some(),
                }
            })
            .collect();
        list.sort_by_key(|f| (f.origin, !f.same));
        NewElements {
            vertices: ordered,
            faces: list,
        }
    }
}

/// Returns the vertices in order, and for each of the snapshot its place there.
fn order_vertices(now: &Snapshot, traced: &[u32], old: usize) -> (Vec<CarriedVertex>, Vec<u32>) {
    let mut seen = vec![false; old];
    let mut list: Vec<(CarriedVertex, u32)> = Vec::with_capacity(now.vertices.len());
    for (i, &slot) in now.vertices.iter().enumerate() {
        let origin = traced[slot as usize] & !BORN;
        // An operator that does not report its vertices leaves another one's number in the slot.
        let again = std::mem::replace(&mut seen[origin as usize], true);
        let born = traced[slot as usize] & BORN != 0;
        if born {
            seen[origin as usize] = again;
        }
        let born = born || again;
        list.push((CarriedVertex { slot, origin, born }, i as u32));
    }
    list.sort_by_key(|(v, _)| {
        if v.born {
            (true, v.slot)
        } else {
            (false, v.origin)
        }
    });
    let mut number = vec![0; list.len()];
    for (at, (_, i)) in list.iter().enumerate() {
        number[*i as usize] = at as u32;
    }
    (list.into_iter().map(|(v, _)| v).collect(), number)
}
