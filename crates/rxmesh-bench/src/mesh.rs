//! Measured meshes: generated, or read from a file.
//!
//! The base is a torus of 20,000 faces with noise, a sixth of whose edges are flipped at random, so that valences run
//! from about 4 to 8; larger ones are its Loop subdivisions. The recorded references were measured on a scanned dragon
//! with the same number of faces and on its Loop subdivisions: the same sizes and share of irregular vertices, but
//! another shape. With the dragon's file the same meshes are made here, except for the random numbers of the noise.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::generate::{noise, shuffle, torus};
use rxmesh_host::mesh::{EdgeTable, Rng, TriMesh};
use rxmesh_subdivision::{Options, Scheme, refine_triangles};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Number of faces of the base mesh.
pub(crate) const BASE_FACES: usize = 20_000;
/// Most Loop subdivisions of the base: 20.48 million faces.
pub(crate) const MAX_LEVEL: u32 = 5;

/// Numbers of squares of the base around and across, and its smaller radius.
const CELLS: [u32; 2] = [125, 80];
const MINOR: f32 = 0.45;
const SEED: u64 = 1;
const FLIPS: usize = 5000;
const NOISE: f32 = 0.1;
/// Most that a flip may lengthen an edge, as a factor.
const STRETCH: f32 = 1.3;

/// Preparation of a mesh before it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Input {
    /// As subdivision leaves it
    Given,
    /// Vertices and faces at random
    Shuffled,
    /// Vertices and faces along a Morton curve
    Sorted,
    /// A torus of the same size without noise and flips: many edges are alike
    Plain,
}

/// Size by its name: `20k`, `1.28m`, or a number of faces. The nearest subdivision of the base is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size(pub(crate) u32);

impl Size {
    /// Returns the name: `20k`, `320k`, `1.28m`, ...
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

/// Measured mesh, with its origin.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// Name in tables and records.
    pub(crate) name: String,
    /// Description of how it was made.
    pub(crate) recipe: String,
    /// Number of Loop subdivisions.
    pub(crate) level: u32,
    pub(crate) faces: u32,
    pub(crate) file: Option<FileRecord>,
}

/// Measured file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// File name, without folders.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Mesh of the user's.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) path: PathBuf,
    /// Size of the noise of each coordinate, in mean edge lengths.
    pub(crate) jitter: f32,
    pub(crate) seed: u64,
}

/// Maker of the meshes, each from the one before it.
pub(crate) struct Meshes {
    level: u32,
    mesh: TriMesh,
    chosen: Option<(Chosen, FileRecord)>,
}

impl Meshes {
    /// Makes the bench's own meshes.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            level: 0,
            mesh: base()?,
            chosen: None,
        })
    }

    /// Makes meshes from a file.
    pub(crate) fn of_file(chosen: Chosen) -> Result<Self> {
        let place = || chosen.path.display().to_string();
        let content = std::fs::read(&chosen.path).with_context(place)?;
        let name = chosen.path.file_name().unwrap_or_default();
        let digest = Sha256::digest(&content);
        let file = FileRecord {
            name: name.to_string_lossy().into_owned(),
            bytes: content.len() as u64,
            sha256: digest.iter().map(|b| format!("{b:02x}")).collect(),
        };
        Ok(Self {
            level: 0,
            mesh: io::read(&chosen.path, &ReadOptions::default())?.mesh,
            chosen: Some((chosen, file)),
        })
    }

    /// Returns `true` if rows on this input can be measured: a file's mesh has no plain torus.
    pub(crate) fn has(&self, input: Input) -> bool {
        input != Input::Plain || self.chosen.is_none()
    }

    /// Returns the mesh after `level` subdivisions, prepared as `input`. Levels must not decrease.
    pub(crate) fn get(&mut self, level: u32, input: Input) -> Result<(Recipe, TriMesh)> {
        while self.level < level {
            let options = Options {
                scheme: Scheme::Loop,
                levels: 1,
                ..Options::default()
            };
            self.mesh = refine_triangles(&Engine::cpu(), &self.mesh, &options)?;
            self.level += 1;
        }
        let mut mesh = match input {
            Input::Plain => torus(CELLS[0] << level, CELLS[1] << level, 1.0, MINOR)?,
            _ => self.mesh.clone(),
        };
        if let Some((chosen, _)) = self.chosen.as_ref().filter(|(c, _)| c.jitter > 0.0) {
            noise(&mut mesh, chosen.jitter, chosen.seed)?;
        }
        match input {
            Input::Given | Input::Plain => {}
            Input::Shuffled => shuffle(&mut mesh, SEED),
            Input::Sorted => sort(&mut mesh),
        }
        Ok((self.recipe(mesh.face_count() as u32), mesh))
    }

    fn recipe(&self, faces: u32) -> Recipe {
        let level = self.level;
        let Some((chosen, file)) = &self.chosen else {
            return Recipe {
                name: Size(level).name().to_owned(),
                recipe: format!(
                    "torus of {} x {} squares, {FLIPS} edges flipped, noise of {NOISE} edge lengths, {level} Loop \
                        subdivisions",
                    CELLS[0], CELLS[1]
                ),
                level,
                faces,
                file: None,
            };
        };
        let stem = chosen.path.file_stem().unwrap_or_default();
        let mut name = stem.to_string_lossy().into_owned();
        let mut recipe = file.name.clone();
        if level > 0 {
            name += &format!("_L{level}");
            recipe += &format!(", {level} Loop subdivisions");
        }
        if chosen.jitter > 0.0 {
            name.push('j');
            recipe += &format!(
                ", noise of {} edge lengths, seed {}",
                chosen.jitter, chosen.seed
            );
        }
        Recipe {
            name,
            recipe,
            level,
            faces,
            file: Some(file.clone()),
        }
    }
}

pub(crate) fn base() -> Result<TriMesh> {
    let mut mesh = torus(CELLS[0], CELLS[1], 1.0, MINOR)?;
    flip_edges(&mut mesh, FLIPS);
    noise(&mut mesh, NOISE, SEED)?;
    Ok(mesh)
}

/// Flips `count` random edges, each face at most once, leaving valences of 4 and more and no long edges.
pub(crate) fn flip_edges(mesh: &mut TriMesh, count: usize) {
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
        // Corner g starts the edge in its face, and the other corner of that face is opposite; likewise for h.
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

/// Sorts vertices along a Morton curve through the bounding box, and faces by their smallest vertex.
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
            assert_eq!(
                name.parse::<Size>().map(|s| BASE_FACES << (2 * s.0)),
                Ok(faces)
            );
        }
        assert!("2".parse::<Size>().is_err() && "x".parse::<Size>().is_err());
    }

    #[test]
    fn the_meshes_are_closed_and_irregular() -> Result<()> {
        let mut meshes = Meshes::new()?;
        for input in [Input::Given, Input::Shuffled, Input::Sorted] {
            let (_, mesh) = meshes.get(0, input)?;
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
        let (recipe, mesh) = meshes.get(1, Input::Sorted)?;
        assert_eq!((recipe.name.as_str(), recipe.faces), ("80k", 80_000));
        assert_eq!(mesh.face_count(), 80_000);
        Ok(())
    }

    #[test]
    fn the_plain_torus_has_edges_of_few_lengths() -> Result<()> {
        let (_, mesh) = Meshes::new()?.get(0, Input::Plain)?;
        assert_eq!(mesh.face_count(), BASE_FACES);
        let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
        let at = |v: u32| mesh.positions[v as usize];
        let lengths = table.edges.iter().map(|&[a, b]| at(a).distance(at(b)));
        let different: HashSet<u32> = lengths.map(|l| (l * 1e4) as u32).collect();
        assert!(different.len() < 500, "{}", different.len());
        Ok(())
    }

    #[test]
    fn a_file_is_named_with_its_hash_and_subdivided() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("plate.obj");
        std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
        let chosen = |jitter| Chosen {
            path: path.clone(),
            jitter,
            seed: 1,
        };
        let mut meshes = Meshes::of_file(chosen(0.0))?;
        assert!(meshes.has(Input::Sorted) && !meshes.has(Input::Plain));
        let (recipe, mesh) = meshes.get(0, Input::Given)?;
        assert_eq!((recipe.name.as_str(), mesh.face_count()), ("plate", 1));
        let file = recipe.file.context("a file")?;
        assert_eq!((file.name.as_str(), file.bytes), ("plate.obj", 32));
        assert!(file.sha256.len() == 64);
        let (recipe, mesh) = Meshes::of_file(chosen(0.25))?.get(2, Input::Given)?;
        assert_eq!((recipe.name.as_str(), mesh.face_count()), ("plate_L2j", 16));
        assert!(mesh.positions.iter().any(|p| p.z != 0.0));
        Ok(())
    }
}
