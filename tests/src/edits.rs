//! Expected results of a round of an edit script, by plain code over the triangles: no half-edges, no claims.

use glam::Vec3;
use rxmesh_host::edit::HostArrays;
use rxmesh_host::kernels::cavity::ClaimTables;
use rxmesh_host::kernels::edit::{DEAD, NONE};
use std::collections::{BTreeMap, BTreeSet};

/// Operators on marked seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Flips edges.
    Flip,
    /// Splits edges.
    Split,
    /// Contracts edges.
    Collapse,
    /// Splits faces into three.
    SplitFace,
    /// Removes vertices.
    Remove,
}

impl Edit {
    /// All operators.
    pub const ALL: [Edit; 5] = [
        Edit::Flip,
        Edit::Split,
        Edit::Collapse,
        Edit::SplitFace,
        Edit::Remove,
    ];
}

type Triangle = [u32; 3];

/// Rotates a triangle's corners so that the lowest comes first.
fn normal(t: Triangle) -> Triangle {
    let k = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
    [t[k], t[(k + 1) % 3], t[(k + 2) % 3]]
}

/// Mesh as triangles.
pub struct Plain {
    /// Corners of the live faces, by slot.
    pub faces: BTreeMap<u32, Triangle>,
    /// Ends of the live edges, by slot.
    edges: BTreeMap<u32, [u32; 2]>,
    /// Live vertices.
    pub vertices: BTreeSet<u32>,
    frozen: BTreeSet<u32>,
}

/// Candidate of a seed: the elements that it needs and makes.
struct Candidate {
    seed: u32,
    mark: u32,
    deleted: BTreeSet<u32>,
    vertices: Vec<u32>,
    joins: Vec<[u32; 2]>,
    /// New triangles; `NEW` stands for the new vertex.
    made: Vec<Triangle>,
    new: Option<Vec3>,
    /// `true` if the cavity has a boundary loop.
    disk: bool,
}

const NEW: u32 = u32::MAX;

/// Expected result of a round.
#[derive(Debug, Default)]
pub struct Expected {
    /// Triangles that stay.
    pub kept: BTreeSet<Triangle>,
    /// Triangles that are made, with the position of the new vertex among their corners, if any: its id is
    /// [`u32::MAX`].
    pub made: Vec<(Triangle, Option<Vec3>)>,
    /// Vertices that stay.
    pub vertices: BTreeSet<u32>,
    /// Positions of new vertices.
    pub new: Vec<Vec3>,
    /// Number of candidates that are carried out.
    pub done: u32,
    /// Candidates that lose.
    pub lost: BTreeSet<u32>,
}

impl Plain {
    /// Reads a session's arrays.
    pub fn new(arrays: &HostArrays) -> Plain {
        let HostArrays {
            fe, ev, ve, frozen, ..
        } = arrays;
        let live = |i: usize| fe[3 * i] != NONE;
        let corners = |i: usize| [0, 1, 2].map(|k| ev[fe[3 * i + k] as usize]);
        let n = fe.len() / 3;
        Plain {
            faces: (0..n)
                .filter(|&i| live(i))
                .map(|i| (i as u32, corners(i)))
                .collect(),
            edges: (0..ev.len() / 2)
                .filter(|&e| ev[2 * e] != NONE)
                .map(|e| (e as u32, [ev[2 * e], ev[2 * e + 1]]))
                .collect(),
            vertices: (0..ve.len())
                .filter(|&v| ve[v] != DEAD)
                .map(|v| v as u32)
                .collect(),
            frozen: (0..n)
                .filter(|&i| live(i) && frozen[i])
                .map(|i| i as u32)
                .collect(),
        }
    }

    /// Returns the triangles, each from its lowest corner on.
    pub fn triangles(&self) -> Vec<Triangle> {
        self.faces.values().map(|&t| normal(t)).collect()
    }

    /// Returns the slots of the live edges.
    pub fn edge_slots(&self) -> impl Iterator<Item = u32> {
        self.edges.keys().copied()
    }

    fn at_vertex(&self, v: u32) -> BTreeSet<u32> {
        self.faces
            .iter()
            .filter(|(_, t)| t.contains(&v))
            .map(|(&f, _)| f)
            .collect()
    }

    fn at_edge(&self, [a, b]: [u32; 2]) -> BTreeSet<u32> {
        &self.at_vertex(a) & &self.at_vertex(b)
    }

    fn neighbours(&self, v: u32) -> BTreeSet<u32> {
        self.edges
            .values()
            .filter(|ends| ends.contains(&v))
            .map(|ends| ends[0] ^ ends[1] ^ v)
            .collect()
    }

    fn on_border(&self, v: u32) -> bool {
        self.neighbours(v)
            .iter()
            .any(|&w| self.at_edge([v, w]).len() == 1)
    }

    fn joined(&self, a: u32, b: u32) -> bool {
        self.neighbours(a).contains(&b)
    }

    /// Returns the directed sides of a set of faces whose opposites are not in it.
    fn rim(&self, faces: &BTreeSet<u32>) -> Vec<[u32; 2]> {
        let sides = || {
            faces.iter().flat_map(|f| {
                let t = self.faces[f];
                [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
            })
        };
        let all: BTreeSet<[u32; 2]> = sides().collect();
        sides().filter(|s| !all.contains(&[s[1], s[0]])).collect()
    }

    /// Returns the candidate of a seed, if it is one.
    fn candidate(&self, edit: Edit, seed: u32, mark: u32, x: &[Vec3]) -> Option<Candidate> {
        if mark == 0 {
            return None;
        }
        let mut c = Candidate {
            seed,
            mark,
            deleted: BTreeSet::new(),
            vertices: Vec::new(),
            joins: Vec::new(),
            made: Vec::new(),
            new: None,
            disk: true,
        };
        let possible = match edit {
            Edit::Flip => self.flip(&mut c),
            Edit::Split => self.split(&mut c, x),
            Edit::Collapse => self.collapse(&mut c, x),
            Edit::SplitFace => self.split_face(&mut c, x),
            Edit::Remove => self.remove(&mut c),
        };
        let free = possible
            && c.deleted.is_disjoint(&self.frozen)
            && c.joins.iter().all(|&[a, b]| a != b && !self.joined(a, b));
        free.then_some(c)
    }

    fn flip(&self, c: &mut Candidate) -> bool {
        let Some(&[a, b]) = self.edges.get(&c.seed) else {
            return false;
        };
        c.deleted = self.at_edge([a, b]);
        if c.deleted.len() != 2 {
            return false;
        }
        let ends: Vec<u32> = c
            .deleted
            .iter()
            .map(|f| opposite(self.faces[f], a, b))
            .collect();
        c.joins = vec![[ends[0], ends[1]]];
        // Each end of the edge keeps its two sides and gets the new one.
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            c.made.extend(
                self.rim(&c.deleted)
                    .iter()
                    .filter(|s| s[0] == from)
                    .map(|s| [from, s[1], to]),
            );
        }
        true
    }

    fn split(&self, c: &mut Candidate, x: &[Vec3]) -> bool {
        let Some(&[a, b]) = self.edges.get(&c.seed) else {
            return false;
        };
        c.deleted = self.at_edge([a, b]);
        let sides = self.rim(&c.deleted);
        c.made = sides
            .iter()
            .filter(|s| !(s.contains(&a) && s.contains(&b)))
            .map(|s| [s[0], s[1], NEW])
            .collect();
        // Two triangles back to back have no boundary loop.
        c.disk = !c.made.is_empty();
        c.new = Some((x[a as usize] + x[b as usize]) * 0.5);
        !c.deleted.is_empty()
    }

    fn collapse(&self, c: &mut Candidate, x: &[Vec3]) -> bool {
        let Some(&[a, b]) = self.edges.get(&c.seed) else {
            return false;
        };
        c.deleted = &self.at_vertex(a) | &self.at_vertex(b);
        c.vertices = vec![a, b];
        let inner = self.at_edge([a, b]).len();
        let common = (&self.neighbours(a) & &self.neighbours(b)).len();
        let sides = self.rim(&c.deleted);
        c.disk = sides.len() > 2 || self.on_border(a) || self.on_border(b);
        c.made = sides
            .iter()
            .filter(|s| !s.contains(&a) && !s.contains(&b))
            .map(|s| [s[0], s[1], NEW])
            .collect();
        c.disk &= !c.made.is_empty();
        c.new = Some((x[a as usize] + x[b as usize]) * 0.5);
        common == inner && !(inner == 2 && self.on_border(a) && self.on_border(b))
    }

    fn split_face(&self, c: &mut Candidate, x: &[Vec3]) -> bool {
        let Some(t) = self.faces.get(&c.seed) else {
            return false;
        };
        c.deleted = [c.seed].into();
        c.made = (0..3).map(|k| [t[k], t[(k + 1) % 3], NEW]).collect();
        c.new = Some(t.iter().map(|&v| x[v as usize]).sum::<Vec3>() / 3.0);
        true
    }

    fn remove(&self, c: &mut Candidate) -> bool {
        let v = c.seed;
        if !self.vertices.contains(&v) {
            return false;
        }
        c.deleted = self.at_vertex(v);
        c.vertices = vec![v];
        if c.deleted.is_empty() || !c.deleted.is_disjoint(&self.frozen) {
            return false;
        }
        let sides: BTreeMap<u32, u32> = self
            .rim(&c.deleted)
            .iter()
            .filter(|s| !s.contains(&v))
            .map(|&[a, b]| (a, b))
            .collect();
        let border = self.on_border(v);
        let starts: BTreeSet<u32> = sides.keys().copied().collect();
        let ends: BTreeSet<u32> = sides.values().copied().collect();
        let apex = if border {
            (&starts - &ends).first().copied()
        } else {
            starts.first().copied()
        };
        let Some(apex) = apex else {
            return false;
        };
        let mut ring = vec![apex];
        while let Some(&next) = sides.get(&ring[ring.len() - 1]).filter(|&&n| n != apex) {
            ring.push(next);
        }
        c.made = ring[1..].windows(2).map(|w| [apex, w[0], w[1]]).collect();
        let last = ring.len() - usize::from(!border);
        c.joins = ring[2..last.max(2)].iter().map(|&w| [apex, w]).collect();
        // A vertex of a tetrahedron: its opposite face would exist twice.
        let outside = |t: Triangle| {
            self.faces
                .iter()
                .any(|(f, &u)| !c.deleted.contains(f) && normal(u) == normal([t[0], t[2], t[1]]))
        };
        ring.len() > 2 && !(ring.len() == 3 && !border && c.made.iter().any(|&t| outside(t)))
    }

    /// Computes the expected result of a round on these seeds.
    pub fn round(&self, edit: Edit, seeds: &BTreeSet<u32>, marks: &[u32], x: &[Vec3]) -> Expected {
        let candidates: Vec<Candidate> = seeds
            .iter()
            .filter_map(|&s| self.candidate(edit, s, marks[s as usize], x))
            .collect();
        let mut best = BTreeMap::new();
        let mut claim = |what: (bool, u32), mark: u32| {
            let least = best.entry(what).or_insert(mark);
            *least = mark.min(*least);
        };
        for c in &candidates {
            c.deleted.iter().for_each(|&f| claim((true, f), c.mark));
            c.joins
                .iter()
                .for_each(|&[a, b]| claim((false, ClaimTables::pair(a, b)), c.mark));
        }
        let mut out = Expected {
            vertices: self.vertices.clone(),
            ..Expected::default()
        };
        let mut gone: BTreeSet<u32> = BTreeSet::new();
        for c in &candidates {
            let holds = |what| best[&what] == c.mark;
            if !(c.deleted.iter().all(|&f| holds((true, f)))
                && c.joins
                    .iter()
                    .all(|&[a, b]| holds((false, ClaimTables::pair(a, b)))))
            {
                out.lost.insert(c.seed);
            } else if c.disk {
                out.done += 1;
                gone.extend(&c.deleted);
                c.vertices.iter().for_each(|v| {
                    out.vertices.remove(v);
                });
                out.new.extend(c.new);
                out.made.extend(c.made.iter().map(|&t| (normal(t), c.new)));
            }
        }
        out.kept = self
            .faces
            .iter()
            .filter(|(f, _)| !gone.contains(*f))
            .map(|(_, &t)| normal(t))
            .collect();
        out
    }
}

fn opposite(t: Triangle, a: u32, b: u32) -> u32 {
    t.into_iter().find(|&v| v != a && v != b).unwrap_or(NONE)
}
