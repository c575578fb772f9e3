//! Places that were cut apart, closed again.

use super::columns::Column;
use super::cut::Cut;
use super::mesh::HostArrays;
use super::session::Session;
use crate::Error;
use glam::Vec3;
use rxmesh_kernels::algo::improve::simplify::FIRST_PLACE;
use rxmesh_kernels::edit::{DEAD, NO_FACE, NONE};
use rxmesh_kernels::topo::Vertex;
use std::collections::{HashMap, HashSet};

impl Session {
    /// Unites the vertices of each place of a cut, and freezes the faces there.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if a vertex of a place is gone or lies elsewhere than the one that it was cut off from:
    /// nothing is changed then. Any error of the engine.
    pub fn weld(&mut self, x: Column<Vertex, Vec3>, cut: &Cut) -> Result<(), Error> {
        let (arrays, x) = (self.to_host()?, self.values(x)?.read()?);
        let lives = |v: u32| arrays.ve.get(v as usize).is_some_and(|&e| e < DEAD);
        for (v, home) in cut.vertices() {
            let why = if !lives(v) || !lives(home) {
                "is gone"
            } else if x[v as usize] != x[home as usize] {
                "has moved away from the others of its place"
            } else {
                continue;
            };
            let what = format!("vertex {v}, where the surface was cut, {why}: it cannot be welded");
            return Err(Error::Options(what));
        }
        self.weld_places(cut)
    }

    /// Works like [`Session::weld`] for an operator that has left the vertices as they were.
    pub(crate) fn weld_places(&mut self, cut: &Cut) -> Result<(), Error> {
        let mut arrays = self.to_host()?;
        if let Some(column) = self.followed() {
            let mut went = self.values(column)?.read()?;
            for (to, &place) in went.iter_mut().zip(&cut.places).filter(|(_, p)| **p != 0) {
                *to = place - FIRST_PLACE + 1;
            }
            self.set(column, &went)?;
        }
        arrays.weld(&cut.places);
        self.change(|s| s.mesh.set(&arrays))
    }
}

impl HostArrays {
    /// Joins vertices as [`Session::weld`] says.
    fn weld(&mut self, places: &[u32]) {
        let place = |v: u32| places.get(v as usize).copied().unwrap_or(0);
        let home = |v: u32| match place(v) {
            0 => v,
            p => p - FIRST_PLACE,
        };
        // Edges with an end in a place, by the ends that they get.
        let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
        let mut moved: HashMap<u32, u32> = HashMap::new();
        let mut crowded = HashSet::new();
        for e in 0..self.ev.len() as u32 / 2 {
            let at = 2 * e as usize;
            let [a, b] = [self.ev[at], self.ev[at + 1]];
            if a == NONE || place(a) == 0 && place(b) == 0 {
                continue;
            }
            let ends = [home(a), home(b)];
            let key = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            let first = *edges.entry(key).or_insert(e);
            self.ev[at..at + 2].copy_from_slice(&ends);
            if first != e {
                let turned = u32::from(self.ev[2 * first as usize] != ends[0]);
                moved.insert(e, 2 * first + turned);
                crowded.extend(ends);
            }
        }
        for h in self.fe.iter_mut().filter(|h| **h != NONE) {
            if let Some(to) = moved.get(&(*h >> 1)) {
                *h = to ^ (*h & 1);
            }
        }
        for (&e, &to) in &moved {
            let at = 2 * e as usize;
            for side in 0..2 {
                // Some two of the faces of an edge are those that it knows.
                let (f, place) = (self.ef[at + side], (to ^ side as u32) as usize);
                if self.ef[place] == NO_FACE || f != NO_FACE && f < self.ef[place] {
                    self.ef[place] = f;
                }
            }
            self.ev[at..at + 2].fill(NONE);
            self.ef[at..at + 2].fill(NO_FACE);
        }
        for v in 0..self.ve.len() as u32 {
            if home(v) != v {
                self.ve[v as usize] = DEAD;
            } else if let Some(&to) = moved.get(&self.ve[v as usize]) {
                self.ve[v as usize] = to >> 1;
            }
        }
        let is_frozen = |v: u32| place(v) != 0 || crowded.contains(&v);
        for f in 0..self.frozen.len() as u32 {
            if self.fe[3 * f as usize] != NONE && self.corners(f).into_iter().any(is_frozen) {
                self.frozen[f as usize] = true;
            }
        }
    }
}
