//! Pairs of faces that continue each other at an edge, and the orientation of faces that this requires.
//!
//! The two faces of an edge are neighbours, unless no turning of faces makes them agree. On an edge with more faces
//! pairs are chosen: first within a set of faces that is connected elsewhere, then those that bend least. The choice
//! depends on the positions of faces and on their order, not on their orientation, so that it is the same after faces
//! have been turned.

use super::around::EdgeFan;
use super::turns::TurnSets;
use crate::mesh::{EdgeTable, TriMesh};
use glam::DVec3;
use std::collections::HashMap;

/// "No half-edge": the face ends there.
pub(super) const NONE: u32 = u32::MAX;
/// Number of faces of an edge beyond which only the pairs that bend least are considered.
const MANY: usize = 64;
/// Number of those pairs for each face.
const NEAREST: usize = 4;

/// Sheets of a mesh: sets of connected faces that are manifold and oriented alike.
#[derive(Debug)]
pub(super) struct Sheets {
    /// Half-edge that continues at each one, [`NONE`] if the face ends.
    pub(super) partner: Vec<u32>,
    /// Faces that must be turned for partners to agree: those of less area in their sheet.
    pub(super) turned: Vec<bool>,
    /// Lowest face of each face's sheet.
    pub(super) sheet: Vec<u32>,
    /// Edges with two faces which no turning makes agree.
    pub(super) cuts: u64,
    /// No edge has more than two faces, and none is cut.
    pub(super) is_simple: bool,
}

impl Sheets {
    pub(super) fn new(mesh: &TriMesh) -> Sheets {
        let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
        let mut builder = Builder {
            mesh,
            turns: TurnSets::new(mesh.faces.len()),
            partner: vec![NONE; 3 * mesh.faces.len()],
            table,
        };
        builder.join_neighbours();
        builder.turn_round_cuts();
        let cuts = builder.pair_neighbours();
        builder.pair_within();
        builder.pair_across();
        builder.finish(cuts)
    }

    /// Returns `true` for each sheet without a boundary.
    pub(super) fn closed(&self) -> Vec<bool> {
        let mut closed = vec![true; self.sheet.len()];
        for (half, &partner) in self.partner.iter().enumerate() {
            if partner == NONE {
                closed[self.sheet[half / 3] as usize] = false;
            }
        }
        closed
    }
}

/// Returns `true` if `half` runs upwards: from the lower to the upper vertex of its edge.
pub(super) fn runs_up(mesh: &TriMesh, half: u32) -> bool {
    let face = mesh.faces[half as usize / 3];
    face[half as usize % 3] < face[(half as usize + 1) % 3]
}

struct Builder<'a> {
    mesh: &'a TriMesh,
    table: EdgeTable,
    turns: TurnSets,
    partner: Vec<u32>,
}

impl Builder<'_> {
    /// Returns the half-edges along edge `e` if there are two, and `true` if one face must be turned for the two to
    /// agree.
    fn two(&self, e: usize) -> Option<(u32, u32, bool)> {
        match *self.table.along(e) {
            [g, h] => Some((g, h, runs_up(self.mesh, g) == runs_up(self.mesh, h))),
            _ => None,
        }
    }

    /// Unites faces across edges that have two: first those that agree, then those that do not.
    fn join_neighbours(&mut self) {
        for pass in [false, true] {
            for e in 0..self.table.len() {
                if let Some((g, h, turned)) = self.two(e).filter(|two| two.2 == pass) {
                    self.turns.unite(g / 3, h / 3, turned);
                }
            }
        }
    }

    /// Counts the edges with two faces that do not agree, by the root of their faces.
    fn conflicts(&mut self) -> HashMap<u32, u64> {
        let mut count = HashMap::new();
        for e in 0..self.table.len() {
            let Some((g, h, turned)) = self.two(e) else {
                continue;
            };
            let ((root, a), (_, b)) = (self.turns.root(g / 3), self.turns.root(h / 3));
            if a ^ b != turned {
                *count.entry(root).or_default() += 1;
            }
        }
        count
    }

    /// Searches from the first face of sets whose faces cannot all be turned to agree: this gives another place for the
    /// cut, which is taken if it is shorter.
    fn turn_round_cuts(&mut self) {
        let conflicts = self.conflicts();
        if conflicts.is_empty() {
            return;
        }
        let mut seen: Vec<Option<bool>> = vec![None; self.mesh.faces.len()];
        for (&root, &count) in &conflicts {
            let (faces, other) = self.search(root, &mut seen);
            if other < count {
                for f in faces {
                    self.turns.set(f, root, seen[f as usize] == Some(true));
                }
            }
        }
    }

    /// Searches breadth first from `start`, turning faces as they are met. Returns the faces, and the number of edges
    /// that do not agree then. Both are the same however faces are turned.
    fn search(&self, start: u32, seen: &mut [Option<bool>]) -> (Vec<u32>, u64) {
        seen[start as usize] = Some(false);
        let mut faces = vec![start];
        let (mut next, mut twice) = (0, 0);
        while let Some(&f) = faces.get(next) {
            next += 1;
            let own = seen[f as usize] == Some(true);
            // In the order of the edges: that of the corners is another one when the face has been turned, and the cut
            // would move when the mesh is repaired again.
            let mut edges = [0, 1, 2].map(|k| self.table.edge_of[3 * f as usize + k]);
            edges.sort_unstable();
            for edge in edges {
                let two = (edge != NONE).then(|| self.two(edge as usize)).flatten();
                let Some((g, h, turned)) = two else { continue };
                let other = if g / 3 == f { h / 3 } else { g / 3 };
                match seen[other as usize] {
                    None => {
                        seen[other as usize] = Some(own ^ turned);
                        faces.push(other);
                    }
                    Some(theirs) => twice += u64::from(theirs ^ own != turned),
                }
            }
        }
        (faces, twice / 2)
    }

    fn pair(&mut self, g: u32, h: u32) {
        self.partner[g as usize] = h;
        self.partner[h as usize] = g;
    }

    fn is_free(&self, half: u32) -> bool {
        self.partner[half as usize] == NONE
    }

    /// Pairs two faces at an edge as neighbours if they agree. Returns the number of edges where they do not.
    fn pair_neighbours(&mut self) -> u64 {
        let mut cuts = 0;
        for e in 0..self.table.len() {
            let Some((g, h, turned)) = self.two(e) else {
                continue;
            };
            if self.turns.unite(g / 3, h / 3, turned) {
                self.pair(g, h);
            } else {
                cuts += 1;
            }
        }
        cuts
    }

    /// Returns the edges with more than two faces.
    fn crowded(&self) -> Vec<usize> {
        let crowded = (0..self.table.len()).filter(|&e| self.table.along(e).len() > 2);
        crowded.collect()
    }

    /// Pairs faces at crowded edges that are connected elsewhere.
    fn pair_within(&mut self) {
        let crowded = self.crowded();
        if crowded.is_empty() {
            return;
        }
        let solid = self.solid();
        for e in crowded {
            let around = EdgeFan::new(self.mesh, &self.table, e);
            let mut by_root: Vec<(u32, u32)> = Vec::new();
            for &h in self.table.along(e) {
                by_root.push((self.turns.root(h / 3).0, h));
            }
            by_root.sort_unstable();
            for set in by_root.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
                let mut up = |h: u32| self.turns.root(h / 3).1 ^ runs_up(self.mesh, h);
                let halves = set.iter().map(|s| (s.1, up(s.1)));
                let pairs = around.pairs(halves.collect(), solid.get(&set[0].0).copied(), MANY);
                pairs.into_iter().for_each(|(g, h)| self.pair(g, h));
            }
        }
    }

    /// Returns, for each set of faces that encloses a volume, `true` if the normal of its root's face points inwards.
    fn solid(&mut self) -> HashMap<u32, bool> {
        let mut sums: HashMap<u32, (DVec3, f64, f64)> = HashMap::new();
        for (f, face) in self.mesh.faces.iter().enumerate() {
            let (root, turned) = self.turns.root(f as u32);
            let x = |v: u32| self.mesh.positions[v as usize].as_dvec3();
            let of_root = self.mesh.faces[root as usize];
            let (origin, volume, area) = sums
                .entry(root)
                .or_insert_with(|| (x(of_root[0].min(of_root[1]).min(of_root[2])), 0.0, 0.0));
            let [a, b, c] = face.map(|v| x(v) - *origin);
            let six = a.dot(b.cross(c));
            *volume += if turned { -six } else { six };
            *area += (b - a).cross(c - a).length();
        }
        let sums = sums.into_iter();
        sums.filter(|(_, (_, volume, area))| volume.abs() > 1e-6 * area.powf(1.5))
            .map(|(root, (_, volume, _))| (root, volume < 0.0))
            .collect()
    }

    /// Pairs the remaining faces at crowded edges: sets of faces continue into those towards which they bend least over
    /// all the edges that they share.
    fn pair_across(&mut self) {
        let mut groups: HashMap<(u32, u32, bool), Group> = HashMap::new();
        for e in self.crowded() {
            let along = self.table.along(e).to_vec();
            let free: Vec<u32> = along.into_iter().filter(|&h| self.is_free(h)).collect();
            if free.len() < 2 {
                continue;
            }
            let around = EdgeFan::new(self.mesh, &self.table, e);
            for (g, h, bend) in around.candidates(&free, MANY, NEAREST) {
                let ((rg, tg), (rh, th)) = (self.turns.root(g / 3), self.turns.root(h / 3));
                let turned = tg ^ th ^ (runs_up(self.mesh, g) == runs_up(self.mesh, h));
                let key = (rg.min(rh), rg.max(rh), turned);
                groups
                    .entry(key)
                    .or_default()
                    .add(g, h, bend, around.length);
            }
        }
        let mut order: Vec<_> = groups.into_iter().collect();
        order.sort_by(|(a, x), (b, y)| x.bend().total_cmp(&y.bend()).then(a.cmp(b)));
        for (_, mut group) in order {
            group.pairs.sort_by(|a, b| {
                a.2.total_cmp(&b.2)
                    .then((a.0 / 3, a.1 / 3).cmp(&(b.0 / 3, b.1 / 3)))
            });
            for (g, h, _) in group.pairs {
                let turned = runs_up(self.mesh, g) == runs_up(self.mesh, h);
                if self.is_free(g) && self.is_free(h) && self.turns.unite(g / 3, h / 3, turned) {
                    self.pair(g, h);
                }
            }
        }
    }

    fn finish(mut self, cuts: u64) -> Sheets {
        let is_simple = cuts == 0 && self.crowded().is_empty();
        let faces = self.mesh.faces.len();
        let found: Vec<(u32, bool)> = (0..faces as u32).map(|f| self.turns.root(f)).collect();
        let mut votes = vec![Votes::default(); faces];
        let x = |v: u32| self.mesh.positions[v as usize].as_dvec3();
        for (face, &(root, turned)) in self.mesh.faces.iter().zip(&found) {
            let origin = self.mesh.faces[root as usize]
                .into_iter()
                .min()
                .map_or(DVec3::ZERO, x);
            votes[root as usize].add(face.map(|v| x(v) - origin), turned);
        }
        Sheets {
            partner: self.partner,
            turned: found
                .iter()
                .map(|&(root, turned)| turned ^ votes[root as usize].turn())
                .collect(),
            sheet: found.iter().map(|f| f.0).collect(),
            cuts,
            is_simple,
        }
    }
}

/// Pairs of half-edges between two sets of faces.
#[derive(Default)]
struct Group {
    pairs: Vec<(u32, u32, f64)>,
    bend: f64,
    length: f64,
}

impl Group {
    fn add(&mut self, g: u32, h: u32, bend: f64, length: f64) {
        // In the order of their faces, whichever way these are turned.
        self.pairs
            .push(if g < h { (g, h, bend) } else { (h, g, bend) });
        self.bend += bend * length;
        self.length += length;
    }

    /// Returns the mean over the length of the edges.
    fn bend(&self) -> f64 {
        if self.length > 0.0 {
            self.bend / self.length
        } else {
            0.0
        }
    }
}

/// Votes of a sheet's faces on turning the sheet.
#[derive(Clone, Default)]
struct Votes {
    /// Areas of faces as they are and of those that are to be turned, twice.
    area: [f64; 2],
    /// Sum of the areas as vectors, and six times the volume, of faces as they are turned relative to the root.
    vector: DVec3,
    volume: f64,
}

impl Votes {
    fn add(&mut self, [a, b, c]: [DVec3; 3], turned: bool) {
        let (sign, normal) = (if turned { -1.0 } else { 1.0 }, (b - a).cross(c - a));
        self.area[usize::from(turned)] += normal.length();
        self.vector += sign * normal;
        self.volume += sign * a.dot(b.cross(c));
    }

    /// Returns `true` if the sheet is to be turned as a whole, so that the larger part of its area stays. If there is
    /// no clear majority and the sheet is nearly closed, it is turned so that its normals point outwards.
    fn turn(&self) -> bool {
        let ([stays, turns], all) = (self.area, self.area[0] + self.area[1]);
        let mixed = 3.0 * stays.min(turns) > all;
        let nearly_closed = self.vector.length() < 0.2 * all;
        if mixed && nearly_closed && self.volume.abs() > 1e-3 * all.powf(1.5) {
            return self.volume < 0.0;
        }
        turns > stays
    }
}
