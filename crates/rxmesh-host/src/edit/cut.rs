//! Non-manifold edges and vertices, cut open for an operator and closed again after it.
//!
//! Around a vertex or an edge where a surface meets itself all faces are frozen. [`Session::cut`] gives every fan of
//! faces there a separate vertex, and joins the faces of an edge in pairs, the flattest first; the result is a manifold
//! with boundary, as in Gueziec et al. (Cutting and stitching, 2001). An operator that leaves vertices of the same
//! place where they are keeps the surface as it was: [`Session::weld`] unites them again.

use super::columns::Column;
use super::mesh::HostArrays;
use super::session::Session;
use crate::Error;
use glam::{DVec3, Vec3};
use rxmesh_kernels::algo::improve::simplify::FIRST_PLACE;
use rxmesh_kernels::edit::{CopyRows, DEAD, NO_FACE, NONE};
use rxmesh_kernels::topo::{Kind, Vertex};
use std::collections::{HashMap, HashSet};

/// Most faces of an edge that are joined in pairs; on edges with more, each face gets a separate edge.
const MOST_PAIRED: usize = 64;

/// Places at which [`Session::cut`] has cut a surface apart.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Place of each vertex slot, [`FIRST_PLACE`] and up; 0 for vertices that are alone in theirs.
    pub(crate) places: Vec<u32>,
}

impl Cut {
    /// Returns the slots of the vertices that must stay where they are until [`Session::weld`], each with the slot of
    /// the vertex that it was cut off from: its own for one of each place.
    pub fn vertices(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let placed = (0..).zip(&self.places).filter(|(_, place)| **place != 0);
        placed.map(|(v, place)| (v, place - FIRST_PLACE))
    }
}

/// Faces that are examined, with the findings about them. Sides and corners are numbered `3 * i + k` for side `k` of
/// face `i` of the list; side `k` leaves corner `k`.
struct ExaminedFaces<'a> {
    arrays: &'a HostArrays,
    faces: Vec<u32>,
    /// A face that is not on the list, by the half-edges that it uses.
    others: HashMap<u32, u32>,
    /// Side beyond each side, [`NONE`] if there is none.
    mates: Vec<u32>,
    /// Union-find over the corners: those of one fan.
    parent: Vec<u32>,
}

/// New slots, by the slot that they take their values from.
#[derive(Default)]
struct CopiedSlots {
    vertices: Vec<u32>,
    edges: Vec<u32>,
}

impl Session {
    /// Cuts the surface where it is not manifold or not oriented alike, and thaws the faces there; `None` if there is
    /// no such place. Every fan of faces at such a vertex gets a separate vertex with its values, and the faces of an
    /// edge are joined in pairs, the flattest first; the result is a manifold with boundary (Gueziec et al. 2001,
    /// "Cutting and stitching"). Faces at a face that repeats a vertex stay frozen.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or any error of it.
    pub fn cut(&mut self, x: Column<Vertex, Vec3>) -> Result<Option<Cut>, Error> {
        if self.frozen_faces() == 0 {
            return Ok(None);
        }
        let x = &self.values(x)?.read()?;
        let mut arrays = self.to_host()?;
        let (mut cut, copies, first) = {
            let old = arrays.clone();
            let parts = ExaminedFaces::new(&old);
            let first = self.next_slots()?;
            let mut copies = CopiedSlots::default();
            arrays.grow(first);
            let cut = parts.open(x, first, &mut copies, &mut arrays);
            (cut, copies, first)
        };
        let more = [copies.vertices.len(), copies.edges.len(), 0].map(|n| n as u32);
        self.take_slots(more)?;
        arrays.grow(Kind::ALL.map(|kind| self.capacity(kind)));
        cut.places.resize(self.capacity(Kind::Vertex) as usize, 0);
        self.change(|s| {
            s.copy_values(Kind::Vertex, first[0], &copies.vertices)?;
            s.copy_values(Kind::Edge, first[1], &copies.edges)?;
            s.mesh.set(&arrays)
        })?;
        Ok(Some(cut))
    }

    /// Gives the slots from `first` on the values of others in all columns of a kind.
    fn copy_values(&self, kind: Kind, first: u32, from: &[u32]) -> Result<(), Error> {
        let to: Vec<u32> = (first..first + from.len() as u32).collect();
        let (from, to) = (self.engine().upload(from)?, self.engine().upload(&to)?);
        for column in self.columns.words().filter(|c| c.kind == kind) {
            let kernel = CopyRows {
                words: column.words,
                width: column.width,
                from: from.global(),
                to: to.global(),
            };
            self.engine().launch_flat(from.len() as u32, kernel)?;
        }
        Ok(())
    }
}

impl HostArrays {
    /// Grows the capacity to that many elements of each kind; new slots are dead.
    fn grow(&mut self, [v, e, f]: [u32; 3]) {
        let [v, e, f] = [v, e, f].map(|n| n as usize);
        self.ve.resize(v.max(self.ve.len()), DEAD);
        self.ev.resize((2 * e).max(self.ev.len()), NONE);
        self.ef.resize((2 * e).max(self.ef.len()), NO_FACE);
        self.fe.resize((3 * f).max(self.fe.len()), NONE);
        self.fp.resize(f.max(self.fp.len()), NONE);
        self.frozen.resize(f.max(self.frozen.len()), false);
    }

    /// Returns the live faces that are frozen, ascending.
    fn frozen_list(&self) -> Vec<u32> {
        let faces = 0..self.frozen.len() as u32;
        let frozen = |&f: &u32| self.frozen[f as usize] && self.fe[3 * f as usize] != NONE;
        faces.filter(frozen).collect()
    }

    fn sides(&self, f: u32) -> [u32; 3] {
        [0, 1, 2].map(|k| self.fe[3 * f as usize + k])
    }

    pub(super) fn corners(&self, f: u32) -> [u32; 3] {
        self.sides(f).map(|h| self.ev[h as usize])
    }

    /// Returns `true` if the sides of a face run around three vertices.
    fn is_triangle(&self, f: u32) -> bool {
        let [a, b, c] = self.corners(f);
        let tips = self.sides(f).map(|h| self.ev[(h ^ 1) as usize]);
        a != b && b != c && c != a && tips == [b, c, a]
    }
}

impl<'a> ExaminedFaces<'a> {
    fn new(arrays: &'a HostArrays) -> ExaminedFaces<'a> {
        let frozen = arrays.frozen_list();
        let (faces, rest): (Vec<u32>, Vec<u32>) =
            frozen.into_iter().partition(|&f| arrays.is_triangle(f));
        let sides = |f: u32| arrays.sides(f).map(|h| (h, f));
        let n = 3 * faces.len() as u32;
        ExaminedFaces {
            arrays,
            faces,
            others: rest.into_iter().rev().flat_map(sides).collect(),
            mates: vec![NONE; n as usize],
            parent: (0..n).collect(),
        }
    }

    fn half(&self, side: u32) -> u32 {
        self.arrays.sides(self.faces[side as usize / 3])[side as usize % 3]
    }

    fn vertex(&self, corner: u32) -> u32 {
        self.arrays.ev[self.half(corner) as usize]
    }

    /// Returns the corner opposite a side.
    fn opposite(&self, side: u32) -> u32 {
        self.vertex(before(side))
    }

    fn root(&mut self, mut c: u32) -> u32 {
        while self.parent[c as usize] != c {
            self.parent[c as usize] = self.parent[self.parent[c as usize] as usize];
            c = self.parent[c as usize];
        }
        c
    }

    fn join(&mut self, one: u32, other: u32) {
        (self.mates[one as usize], self.mates[other as usize]) = (other, one);
        for (c, d) in [(one, after(other)), (after(one), other)] {
            let (c, d) = (self.root(c), self.root(d));
            self.parent[c.max(d) as usize] = c.min(d);
        }
    }

    /// Groups sides by edge, and joins those of each edge in pairs.
    fn pair(&mut self, x: &[Vec3]) -> Vec<Vec<u32>> {
        let mut sides: Vec<(u32, u32)> = (0..3 * self.faces.len() as u32)
            .map(|side| (self.half(side) >> 1, side))
            .collect();
        sides.sort_unstable();
        let of_edge = sides.chunk_by(|a, b| a.0 == b.0);
        let edges: Vec<Vec<u32>> = of_edge.map(|of| of.iter().map(|s| s.1).collect()).collect();
        for edge in &edges {
            match edge[..] {
                [_] => {}
                [a, b] if self.half(a) ^ self.half(b) == 1 => self.join(a, b),
                _ => {
                    for (a, b) in self.flattest(edge, x) {
                        self.join(a, b);
                    }
                }
            }
        }
        edges
    }

    /// Returns pairs of sides of an edge that walk in opposite directions, those with the least bend between their
    /// faces first.
    fn flattest(&self, edge: &[u32], x: &[Vec3]) -> Vec<(u32, u32)> {
        if edge.len() > MOST_PAIRED {
            return Vec::new();
        }
        let at = |v: u32| x[v as usize].as_dvec3();
        let h = self.half(edge[0]) & !1;
        let (from, to) = (
            at(self.arrays.ev[h as usize]),
            at(self.arrays.ev[h as usize + 1]),
        );
        let axis = (to - from).normalize_or(DVec3::Z);
        let (across, up) = axis.any_orthonormal_pair();
        let angle = |side: u32| {
            let d = at(self.opposite(side)) - from;
            d.dot(up).atan2(d.dot(across))
        };
        let (along, against): (Vec<u32>, Vec<u32>) =
            edge.iter().partition(|&&side| self.half(side) & 1 == 0);
        let mut pairs = Vec::new();
        for &a in &along {
            for &b in &against {
                let wedge = (angle(a) - angle(b)).rem_euclid(std::f64::consts::TAU);
                // A face and its reverse would form a separate surface that encloses nothing.
                let same = self.opposite(a) == self.opposite(b);
                let bend = (wedge - std::f64::consts::PI).abs();
                pairs.push((same, bend, a, b));
            }
        }
        pairs.sort_by(|p, q| {
            p.0.cmp(&q.0)
                .then(p.1.total_cmp(&q.1))
                .then((p.2, p.3).cmp(&(q.2, q.3)))
        });
        let mut taken = HashSet::new();
        pairs.retain(|&(_, _, a, b)| {
            let free = !taken.contains(&a) && !taken.contains(&b);
            if free {
                taken.extend([a, b]);
            }
            free
        });
        pairs.into_iter().map(|(_, _, a, b)| (a, b)).collect()
    }

    /// Returns a test for vertices that may be cut: all of their faces are among the list.
    fn may_be_cut(&self) -> impl Fn(u32) -> bool + use<> {
        let listed: HashSet<u32> = self.faces.iter().copied().collect();
        let mut inner: HashSet<u32> = (0..3 * self.faces.len() as u32)
            .map(|c| self.vertex(c))
            .collect();
        for f in 0..self.arrays.frozen.len() as u32 {
            let lives = self.arrays.fe[3 * f as usize] != NONE;
            if lives && !listed.contains(&f) {
                for h in self.arrays.sides(f) {
                    inner.remove(&self.arrays.ev[h as usize]);
                    inner.remove(&self.arrays.ev[(h ^ 1) as usize]);
                }
            }
        }
        move |v| inner.contains(&v)
    }

    /// Writes the mesh that has a vertex for every fan and an edge for every pair of sides; `first` are the first new
    /// slots by kind.
    fn open(
        mut self,
        x: &[Vec3],
        first: [u32; 3],
        copies: &mut CopiedSlots,
        arrays: &mut HostArrays,
    ) -> Cut {
        let edges = self.pair(x);
        let may_be_cut = self.may_be_cut();
        let mut places = vec![0; arrays.ve.len()];
        // The vertex of each fan, by its root; the first fan keeps the old one.
        let mut fans: HashMap<u32, u32> = HashMap::new();
        let mut met = HashSet::new();
        for corner in 0..3 * self.faces.len() as u32 {
            let (v, root) = (self.vertex(corner), self.root(corner));
            if !may_be_cut(v) || fans.contains_key(&root) {
                continue;
            }
            let mut copy = v;
            if !met.insert(v) {
                copy = first[0] + copies.vertices.len() as u32;
                copies.vertices.push(v);
                let room = (copy as usize + 1).max(places.len());
                places.resize(room, 0);
                arrays.ve.resize(room, DEAD);
                for v in [v, copy] {
                    places[v as usize] = FIRST_PLACE + self.vertex(corner);
                }
            }
            fans.insert(root, copy);
        }
        for edge in &edges {
            self.split(edge, first[1], &fans, copies, arrays, &mut places);
        }
        self.thaw(arrays);
        Cut { places }
    }

    /// Gives each pair of sides of an edge a separate edge, between the vertices of its fans.
    fn split(
        &mut self,
        edge: &[u32],
        first: u32,
        fans: &HashMap<u32, u32>,
        copies: &mut CopiedSlots,
        arrays: &mut HostArrays,
        places: &mut [u32],
    ) {
        let old = self.half(edge[0]) >> 1;
        let mut next = Some(old);
        let mut ends_met = HashSet::new();
        for &side in edge {
            let mate = self.mates[side as usize];
            if mate < side {
                continue;
            }
            let e = next.take().unwrap_or_else(|| {
                copies.edges.push(old);
                first + copies.edges.len() as u32 - 1
            });
            let way = self.half(side) & 1;
            let mut end = |corner: u32| {
                let root = self.root(corner);
                fans.get(&root).copied().unwrap_or(self.vertex(corner))
            };
            let ends = [end(side), end(after(side))];
            let h = 2 * e + way;
            arrays
                .ev
                .resize(arrays.ev.len().max(2 * e as usize + 2), NONE);
            arrays.ef.resize(arrays.ev.len(), NO_FACE);
            (arrays.ev[h as usize], arrays.ev[(h ^ 1) as usize]) = (ends[0], ends[1]);
            arrays.fe[self.place(side)] = h;
            // The one beyond an edge of one listed face is not cut, and known.
            if edge.len() > 1 {
                let face = |s: u32| self.faces[s as usize / 3];
                arrays.ef[h as usize] = face(side);
                arrays.ef[(h ^ 1) as usize] = match mate {
                    NONE if e == old => self.others.get(&(h ^ 1)).copied().unwrap_or(NO_FACE),
                    NONE => NO_FACE,
                    mate => face(mate),
                };
            }
            if mate != NONE {
                arrays.fe[self.place(mate)] = h ^ 1;
            }
            for v in ends {
                arrays.ve[v as usize] = e;
            }
            // Two edges between the same vertices: neither end may go.
            if !ends_met.insert([ends[0].min(ends[1]), ends[0].max(ends[1])]) {
                for v in ends {
                    if places[v as usize] == 0 {
                        places[v as usize] = FIRST_PLACE + v;
                    }
                }
            }
        }
    }

    /// Returns the index of a side in FE.
    fn place(&self, side: u32) -> usize {
        3 * self.faces[side as usize / 3] as usize + side as usize % 3
    }

    /// Thaws the faces that are manifold by now: those that have no corner with a face that is no triangle.
    fn thaw(&self, arrays: &mut HostArrays) {
        let old = self.arrays;
        let mut bad = HashSet::new();
        for f in old.frozen_list() {
            if !old.is_triangle(f) {
                for h in old.sides(f) {
                    bad.extend([old.ev[h as usize], old.ev[(h ^ 1) as usize]]);
                }
            }
        }
        for &f in &self.faces {
            let touches = old.corners(f).into_iter().any(|v| bad.contains(&v));
            arrays.frozen[f as usize] = touches;
        }
    }
}

/// Returns the next side or corner of the same face.
fn after(side: u32) -> u32 {
    if side % 3 == 2 { side - 2 } else { side + 1 }
}

/// Returns the side or corner before.
fn before(side: u32) -> u32 {
    if side.is_multiple_of(3) {
        side + 2
    } else {
        side - 1
    }
}
