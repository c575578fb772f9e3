//! Cavities by plain code over the triangles of a session: no half-edges, no claims, one after the other.

use crate::places::{Place, triangle};
use glam::Vec3;
use rxmesh_host::edit::HostArrays;
use rxmesh_host::kernels::edit::{DEAD, NONE};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Element that a cavity names: it is deleted with all elements that contain it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// Vertex.
    Vertex(u32),
    /// Ends of an edge.
    Edge([u32; 2]),
    /// Slot of a face.
    Face(u32),
}

/// PlainSurface of a session as triangles, by slots.
pub struct PlainSurface {
    /// Corners of the live faces.
    pub faces: BTreeMap<u32, [u32; 3]>,
    /// Ends of the live edges.
    pub edges: BTreeMap<u32, [u32; 2]>,
    /// Live vertices.
    pub vertices: BTreeSet<u32>,
    frozen: BTreeSet<u32>,
    /// Face of each directed side.
    sides: HashMap<[u32; 2], u32>,
    /// Faces at each vertex.
    at: HashMap<u32, Vec<u32>>,
}

/// Cavity that is a disk.
#[derive(Clone, Debug)]
pub struct DiskCavity {
    /// Faces that are deleted.
    pub deleted: BTreeSet<u32>,
    /// Vertices that are deleted.
    pub vertices: BTreeSet<u32>,
    /// Corners of the boundary loop, in order.
    pub corners: Vec<u32>,
    /// `true` if the boundary loop is closed.
    pub closed: bool,
}

/// Result of cavities: triangles by the positions of their corners, sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct Refilled {
    /// Triangles.
    pub triangles: Vec<[Place; 3]>,
    /// Euler number, with vertices without faces.
    pub euler: i64,
}

/// Returns the directed sides of a triangle.
pub fn sides(t: [u32; 3]) -> [[u32; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// Returns the ends of an edge, the lower one first.
pub fn pair([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl PlainSurface {
    /// Reads a session's arrays.
    pub fn new(arrays: &HostArrays) -> PlainSurface {
        let HostArrays { fe, ev, ve, .. } = arrays;
        let faces: BTreeMap<u32, [u32; 3]> = (0..fe.len() / 3)
            .filter(|i| fe[3 * i] != NONE)
            .map(|i| (i as u32, [0, 1, 2].map(|k| ev[fe[3 * i + k] as usize])))
            .collect();
        let (mut all_sides, mut at) = (HashMap::new(), HashMap::<u32, Vec<u32>>::new());
        for (&f, &t) in &faces {
            all_sides.extend(sides(t).map(|side| (side, f)));
            for v in t {
                at.entry(v).or_default().push(f);
            }
        }
        let frozen = faces.keys().copied().filter(|&f| arrays.frozen[f as usize]);
        PlainSurface {
            frozen: frozen.collect(),
            edges: (0..ev.len() / 2)
                .filter(|e| ev[2 * e] != NONE)
                .map(|e| (e as u32, [ev[2 * e], ev[2 * e + 1]]))
                .collect(),
            vertices: (0..ve.len())
                .filter(|&v| ve[v] != DEAD)
                .map(|v| v as u32)
                .collect(),
            sides: all_sides,
            at,
            faces,
        }
    }

    /// Returns the faces at a vertex.
    pub fn at(&self, v: u32) -> &[u32] {
        self.at.get(&v).map_or(&[], Vec::as_slice)
    }

    /// Returns the faces at an edge.
    pub fn at_edge(&self, [a, b]: [u32; 2]) -> impl Iterator<Item = u32> {
        let faces = [self.sides.get(&[a, b]), self.sides.get(&[b, a])];
        faces.into_iter().flatten().copied()
    }

    /// Returns the face beyond a directed side of a face.
    pub fn across(&self, [a, b]: [u32; 2]) -> Option<u32> {
        self.sides.get(&[b, a]).copied()
    }

    /// Returns the neighbours of a vertex.
    pub fn neighbours(&self, v: u32) -> BTreeSet<u32> {
        let corners = self.at(v).iter().flat_map(|f| self.faces[f]);
        corners.filter(|&w| w != v).collect()
    }

    /// Returns the cavity that deletes the named elements. `None` if it is no disk, or touches a frozen face.
    pub fn cavity(&self, named: &[Named]) -> Option<DiskCavity> {
        let mut deleted: BTreeSet<u32> = BTreeSet::new();
        for name in named {
            match *name {
                Named::Vertex(v) => deleted.extend(self.at(v)),
                Named::Edge(ends) => deleted.extend(self.at_edge(ends)),
                Named::Face(f) => {
                    deleted.insert(f);
                }
            }
        }
        if !deleted.is_disjoint(&self.frozen) {
            return None;
        }
        let is_named = |side: [u32; 2]| {
            named.iter().any(|name| match *name {
                Named::Vertex(v) => side.contains(&v),
                Named::Edge(ends) => pair(ends) == pair(side),
                Named::Face(_) => false,
            })
        };
        let mut after = BTreeMap::new();
        let mut edges = BTreeSet::new();
        for f in &deleted {
            for side in sides(self.faces[f]) {
                edges.insert(pair(side));
                let stays = match self.across(side) {
                    Some(g) => !deleted.contains(&g),
                    None => !is_named(side),
                };
                if stays && after.insert(side[0], side[1]).is_some() {
                    return None;
                }
            }
        }
        let ends: BTreeSet<u32> = after.values().copied().collect();
        let starts: Vec<u32> = after
            .keys()
            .copied()
            .filter(|v| !ends.contains(v))
            .collect();
        let closed = starts.is_empty();
        let mut corners = vec![match starts[..] {
            [] => *after.keys().next()?,
            [start] => start,
            _ => return None,
        }];
        while let Some(&next) = after.get(&corners[corners.len() - 1]) {
            if next == corners[0] {
                break;
            }
            if corners.contains(&next) {
                return None;
            }
            corners.push(next);
        }
        let rim = corners.len() - usize::from(!closed);
        let all: BTreeSet<u32> = deleted.iter().flat_map(|f| self.faces[f]).collect();
        let vertices: BTreeSet<u32> = named
            .iter()
            .filter_map(|name| match *name {
                Named::Vertex(v) => Some(v),
                _ => None,
            })
            .collect();
        let on_rim: BTreeSet<u32> = corners.iter().copied().collect();
        let disk = rim == after.len()
            && &all - &on_rim == vertices
            && all.len() + deleted.len() == edges.len() + 1;
        disk.then_some(DiskCavity {
            deleted,
            vertices,
            corners,
            closed,
        })
    }

    /// Returns `true` if the faces that a cavity leaves are one fan at each corner of its boundary loop, or none.
    pub fn keeps_fans(&self, cavity: &DiskCavity) -> bool {
        cavity.corners.iter().all(|&v| {
            let mut left: Vec<u32> = self.at(v).to_vec();
            left.retain(|f| !cavity.deleted.contains(f));
            let Some(first) = left.pop() else {
                return true;
            };
            let mut reached = vec![first];
            while let Some(f) = reached.pop() {
                for side in sides(self.faces[&f]).into_iter().filter(|s| s.contains(&v)) {
                    if let Some(g) = self.across(side)
                        && let Some(place) = left.iter().position(|&h| h == g)
                    {
                        reached.push(left.swap_remove(place));
                    }
                }
            }
            left.is_empty()
        })
    }

    /// Returns the vertices of a cavity's faces.
    pub fn reach(&self, cavity: &DiskCavity) -> BTreeSet<u32> {
        let faces = cavity.deleted.iter();
        faces.flat_map(|f| self.faces[f]).collect()
    }

    /// Carries out cavities that have no vertex in common, and adds triangles, by the positions of their corners, and
    /// the number of vertices that are new.
    pub fn refill(
        &self,
        cavities: &[DiskCavity],
        made: &[[Vec3; 3]],
        new_vertices: usize,
        x: &[Vec3],
    ) -> Refilled {
        let deleted: BTreeSet<u32> = (cavities.iter())
            .flat_map(|c| c.deleted.iter().copied())
            .collect();
        let lost: usize = cavities.iter().map(|c| c.vertices.len()).sum();
        let left = self.faces.iter().filter(|(f, _)| !deleted.contains(f));
        let left = left.map(|(_, t)| t.map(|v| x[v as usize]));
        let mut triangles: Vec<[Place; 3]> =
            left.chain(made.iter().copied()).map(triangle).collect();
        triangles.sort_unstable();
        let edges: BTreeSet<[Place; 2]> = triangles
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let vertices = self.vertices.len() - lost + new_vertices;
        Refilled {
            euler: vertices as i64 - edges.len() as i64 + triangles.len() as i64,
            triangles,
        }
    }
}

impl DiskCavity {
    /// Returns the directed sides of the boundary loop.
    pub fn rim(&self) -> Vec<[u32; 2]> {
        let mut rim: Vec<[u32; 2]> = self.corners.windows(2).map(|w| [w[0], w[1]]).collect();
        if self.closed {
            rim.push([self.corners[self.corners.len() - 1], self.corners[0]]);
        }
        rim
    }
}
