//! The meshes that are measured, made here from nothing.
//!
//! The base is a torus of 20,000 faces with noise, a sixth of whose edges are flipped at random, so that valences run from 4
//! to 8 or so; larger ones are its Loop subdivisions. The recorded references were measured on a scanned dragon of the same
//! number of faces and its Loop subdivisions: same sizes, same share of irregular vertices, another shape.

use std::collections::HashSet;

use anyhow::Result;
use clap::ValueEnum;
use glam::Vec3;
use rxmesh_host::mesh::generate::{Scheme, noise, shuffle, subdivide, torus};
use rxmesh_host::mesh::{EdgeTable, Rng, TriMesh};
use serde::{Deserialize, Serialize};

/// Faces of the base mesh.
pub(crate) const BASE_FACES: usize = 20_000;
/// Most Loop subdivisions of the base: 20.48 million faces.
pub(crate) const MAX_LEVEL: u32 = 5;

const SEED: u64 = 1;
const FLIPS: usize = 5000;
const NOISE: f32 = 0.1;
/// How much longer an edge may become by a flip.
const STRETCH: f32 = 1.3;

/// Order of vertices and faces in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// As subdivision leaves it
    Given,
    /// At random
    Shuffled,
    /// Along a Morton curve
    Sorted,
}

/// A size by its name: `20k`, `1.28m`, or a number of faces. The nearest subdivision of the base is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size(pub(crate) u32);

impl Size {
    /// Number of faces.
    pub(crate) fn faces(self) -> usize {
        BASE_FACES << (2 * self.0)
    }

    /// `20k`, `320k`, `1.28m`, ...
    pub(crate) fn name(self) -> &'static str {
        ["20k", "80k", "320k", "1.28m", "5.12m", "20.48m"][self.0 as usize]
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_lowercase();
        let (digits, unit) = match lower.chars().last() {
            Some('k') => (&lower[..lower.len() - 1], 1e3),
            Some('m') => (&lower[..lower.len() - 1], 1e6),
            _ => (&lower[..], 1.0),
        };
        let faces = digits
            .parse::<f64>()
            .map_err(|_| format!("`{text}` is no number of faces such as 20k or 1.28m"))?
            * unit;
        let level = (faces / BASE_FACES as f64).log(4.0).round();
        if (0.0..=f64::from(MAX_LEVEL)).contains(&level) {
            Ok(Size(level as u32))
        } else {
            Err(format!("{text} faces: possible are 20k to 20m"))
        }
    }
}

/// Makes the meshes one after the other, each from the one before it.
pub(crate) struct Meshes {
    level: u32,
    mesh: TriMesh,
}

impl Meshes {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            level: 0,
            mesh: base()?,
        })
    }

    /// The mesh of a size in an order. Sizes must not fall.
    pub(crate) fn get(&mut self, size: Size, order: Order) -> Result<TriMesh> {
        while self.level < size.0 {
            self.mesh = subdivide(&self.mesh, 1, Scheme::Loop)?;
            self.level += 1;
        }
        let mut mesh = self.mesh.clone();
        match order {
            Order::Given => {}
            Order::Shuffled => shuffle(&mut mesh, SEED),
            Order::Sorted => sort(&mut mesh),
        }
        Ok(mesh)
    }
}

fn base() -> Result<TriMesh> {
    let mut mesh = torus(125, 80, 1.0, 0.45)?;
    flip_edges(&mut mesh, FLIPS);
    noise(&mut mesh, NOISE, SEED)?;
    Ok(mesh)
}

/// What the meshes are made of, in words.
pub(crate) fn recipe(size: Size) -> String {
    format!(
        "torus of 125 x 80 squares, {FLIPS} edges flipped, noise of {NOISE} edge lengths, {} Loop subdivisions",
        size.0
    )
}

/// Flips `count` random edges, each face at most once, leaving valences of 4 and more and no long edges.
fn flip_edges(mesh: &mut TriMesh, count: usize) {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let mut edges: HashSet<[u32; 2]> = table.edges.iter().map(|&[a, b]| key(a, b)).collect();
    let mut valence = vec![0u32; mesh.positions.len()];
    for &v in table.edges.iter().flatten() {
        valence[v as usize] += 1;
    }
    let mut touched = vec![false; mesh.faces.len()];
    let mut left = count;
    for e in Rng::new(SEED).permutation(table.len()) {
        let &[g, h] = table.along(e as usize) else {
            continue;
        };
        // Corner g starts the edge in its face, and its face's other corner is opposite; so for h.
        let corner = |c: u32, k: u32| mesh.faces[c as usize / 3][(c % 3 + k) as usize % 3];
        let (a, b, c, d) = (corner(g, 0), corner(g, 1), corner(g, 2), corner(h, 2));
        let (f, i) = (g as usize / 3, h as usize / 3);
        let length =
            |a: u32, b: u32| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let possible = corner(h, 0) == b
            && length(c, d) < STRETCH * length(a, b)
            && !touched[f]
            && !touched[i]
            && valence[a as usize] > 4
            && valence[b as usize] > 4
            && c != d
            && !edges.contains(&key(c, d));
        if !possible || left == 0 {
            continue;
        }
        left -= 1;
        edges.remove(&key(a, b));
        edges.insert(key(c, d));
        for (v, by) in [(a, -1), (b, -1), (c, 1), (d, 1)] {
            valence[v as usize] = valence[v as usize].wrapping_add_signed(by);
        }
        (touched[f], touched[i]) = (true, true);
        mesh.faces[f] = [a, d, c];
        mesh.faces[i] = [d, b, c];
    }
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Vertices along a Morton curve through the bounding box, faces by their smallest vertex.
fn sort(mesh: &mut TriMesh) {
    let low = mesh.positions.iter().fold(Vec3::INFINITY, |m, &p| m.min(p));
    let high = mesh
        .positions
        .iter()
        .fold(Vec3::NEG_INFINITY, |m, &p| m.max(p));
    let scale = 1023.0 / (high - low).max_element().max(f32::MIN_POSITIVE);
    let code = |p: Vec3| {
        let [x, y, z] = ((p - low) * scale).to_array().map(|c| spread(c as u32));
        x | y << 1 | z << 2
    };
    let mut order: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    order.sort_by_key(|&v| (code(mesh.positions[v as usize]), v));
    let mut rank = vec![0; order.len()];
    for (i, &v) in order.iter().enumerate() {
        rank[v as usize] = i as u32;
    }
    mesh.positions = order.iter().map(|&v| mesh.positions[v as usize]).collect();
    for face in &mut mesh.faces {
        *face = face.map(|v| rank[v as usize]);
    }
    mesh.faces.sort_by_key(|f| f[0].min(f[1]).min(f[2]));
}

/// Puts two zero bits between the lowest ten bits.
fn spread(v: u32) -> u32 {
    let v = (v | v << 16) & 0x0300_00ff;
    let v = (v | v << 8) & 0x0300_f00f;
    let v = (v | v << 4) & 0x030c_30c3;
    (v | v << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_name() {
        for (name, faces) in [
            ("20k", 20_000),
            ("320K", 320_000),
            ("1.28m", 1_280_000),
            ("5m", 5_120_000),
            ("20m", 20_480_000),
        ] {
            assert_eq!(name.parse::<Size>().map(Size::faces), Ok(faces));
        }
        assert!("2".parse::<Size>().is_err() && "x".parse::<Size>().is_err());
    }

    #[test]
    fn the_meshes_are_closed_and_irregular() -> Result<()> {
        let mut meshes = Meshes::new()?;
        for order in [Order::Given, Order::Shuffled, Order::Sorted] {
            let mesh = meshes.get(Size(0), order)?;
            assert_eq!(mesh.face_count(), BASE_FACES);
            let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
            assert_eq!(table.len(), 3 * BASE_FACES / 2);
            assert!((0..table.len()).all(|e| table.along(e).len() == 2));
            let mut valence = vec![0; mesh.positions.len()];
            table
                .edges
                .iter()
                .flatten()
                .for_each(|&v| valence[v as usize] += 1);
            assert!(valence.iter().filter(|&&n| n != 6).count() > 4000);
            assert!(valence.iter().all(|&n| n >= 4));
        }
        assert_eq!(meshes.get(Size(1), Order::Sorted)?.face_count(), 80_000);
        Ok(())
    }
}
