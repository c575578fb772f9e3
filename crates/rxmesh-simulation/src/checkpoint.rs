//! Checkpoints: the state of a world in a file, from which it can be continued.
//!
//! A file is a header of 64-bit little-endian words, then for each body its positions, velocities and pins, for each
//! collider its position, rotation, velocity and spin, and for projective dynamics the cells' rotations, in 32-bit
//! words, then a checksum of everything before it. The header holds a magic number, the format's version, a key, the
//! time, the steps and the number of words; the size of the file must follow from it. The key is a hash of the scene:
//! rest shapes, masses, materials, energies and colliders, so that a file of another scene is refused. Patches and
//! engine do not enter it.

use crate::Body;
use crate::contact::{Collider, ColliderShape};
use crate::world::World;
use glam::Quat;
use rxmesh_host::store::Dimension;
use rxmesh_host::{Error, Vec3, files};
use rxmesh_kernels::topo::Kind;
use std::path::Path;
use twox_hash::XxHash3_128;

const MAGIC: u64 = u64::from_le_bytes(*b"rxworld\0");
/// Version of the format; to be raised with every change of it.
const VERSION: u64 = 2;
const HEAD: usize = 7;
/// Numbers of a collider's state: position, rotation, velocity and spin.
const COLLIDER_WORDS: usize = 13;
/// Bytes of the checksum.
const SUM: usize = 16;

/// Reason why a checkpoint could not be saved or restored. The world is then unchanged, except after
/// [`CheckpointError::Engine`]: a world whose engine failed while the state was set is void
/// ([`Error::VoidSimulation`]).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Reason given by the system.
        error: std::io::Error,
    },
    /// The file is no checkpoint of this version.
    #[error("{path} is no checkpoint of format version {VERSION}")]
    Foreign {
        /// The file.
        path: String,
    },
    /// The file is cut short, too long, or damaged.
    #[error("{path}: the checkpoint is cut short or damaged")]
    Damaged {
        /// The file.
        path: String,
    },
    /// The file is of another scene.
    #[error(
        "{path}: the checkpoint is of another scene: other meshes, materials, energies or colliders"
    )]
    OtherScene {
        /// The file.
        path: String,
    },
    /// The file is whole, but a value in it is out of range.
    #[error("{path}: the checkpoint is of no state: {what}")]
    NoState {
        /// The file.
        path: String,
        /// The value and its index.
        what: String,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl World {
    /// Writes the whole state, atomically: a failure leaves no partial file. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Io`], or an error of the engine.
    pub fn save(&mut self, path: &Path) -> Result<(), CheckpointError> {
        self.sound()?;
        let key = self.key()?;
        let words = self.state()?;
        let head = [
            MAGIC,
            VERSION,
            key as u64,
            (key >> 64) as u64,
            self.time.to_bits(),
            self.steps,
            words.len() as u64,
        ];
        let mut bytes: Vec<u8> = head.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        bytes.extend(XxHash3_128::oneshot(&bytes).to_le_bytes());
        files::write_bytes(path, &bytes).map_err(|error| CheckpointError::Io {
            path: path.display().to_string(),
            error,
        })
    }

    /// Sets the state from a file: all of it, or nothing. A void world is sound afterwards.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`]: the world is unchanged, unless the engine failed.
    pub fn restore(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let name = path.display().to_string();
        let damaged = || CheckpointError::Damaged { path: name.clone() };
        let bytes = files::read(path).map_err(|error| CheckpointError::Io {
            path: name.clone(),
            error,
        })?;
        let word = |k: usize| -> Option<u64> {
            let bytes = bytes.get(8 * k..8 * k + 8)?;
            bytes.try_into().ok().map(u64::from_le_bytes)
        };
        if [word(0), word(1)] != [Some(MAGIC), Some(VERSION)] {
            return Err(CheckpointError::Foreign { path: name });
        }
        let Some((content, sum)) = bytes.split_last_chunk::<SUM>() else {
            return Err(damaged());
        };
        let whole = word(HEAD - 1)
            .and_then(|n| n.checked_mul(4)?.checked_add(8 * HEAD as u64))
            .is_some_and(|n| n == content.len() as u64);
        if !whole || XxHash3_128::oneshot(content) != u128::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let head: Vec<u64> = (0..HEAD).filter_map(word).collect();
        let words = content[8 * HEAD..].as_chunks::<4>().0;
        let words: Vec<u32> = words.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let key = u128::from(head[2]) | u128::from(head[3]) << 64;
        if key != self.key()? || words.len() != self.state()?.len() {
            return Err(CheckpointError::OtherScene { path: name });
        }
        let no_state = |what| CheckpointError::NoState {
            path: name.clone(),
            what,
        };
        let time = f64::from_bits(head[4]);
        if !time.is_finite() || time < 0.0 {
            return Err(no_state(format!("its time is {time} s")));
        }
        let numbers: Vec<f32> = words.iter().map(|&w| f32::from_bits(w)).collect();
        let colliders = self.check_state(&numbers).map_err(no_state)?;
        // From here on only the engine can fail.
        self.void = true;
        self.set_state(&numbers, colliders)?;
        (self.time, self.steps) = (time, head[5]);
        self.void = false;
        Ok(())
    }

    /// Returns a hash of the scene.
    fn key(&mut self) -> Result<u128, Error> {
        let mut hasher = XxHash3_128::with_seed(VERSION);
        for number in 0..self.len() {
            hasher.write(format!("{:?}", self.solver(number)?.elasticity()).as_bytes());
            let body = self.body_mut(number)?;
            hash_body(body, &mut hasher)?;
            for m in body.materials().table() {
                [m.young, m.poisson, m.density]
                    .iter()
                    .for_each(|x| hasher.write(&x.to_bits().to_le_bytes()));
            }
        }
        for body in self.cloths() {
            hash_body(body, &mut hasher)?;
        }
        if let Some(hybrid) = self.hybrid() {
            let grid = *hybrid.options();
            let numbers = [
                &[grid.spacing, grid.cfl, grid.elastic],
                &grid.low,
                &grid.high,
            ];
            let words = numbers.into_iter().flatten().map(|x| x.to_bits());
            words.for_each(|w| hasher.write(&w.to_le_bytes()));
        }
        for collider in self.surroundings().colliders() {
            let solid = collider.solid(0);
            let numbers = [
                solid.kind,
                solid.side.to_bits(),
                solid.stiffness.to_bits(),
                solid.thickness.to_bits(),
                solid.friction.to_bits(),
                solid.spacing.to_bits(),
                solid.edges,
            ];
            let size = solid.size.map(f32::to_bits);
            let words = numbers.iter().chain(&size).chain(&solid.points);
            words.for_each(|w| hasher.write(&w.to_le_bytes()));
            if let ColliderShape::Grid(grid) = &collider.shape {
                for d in &grid.distances {
                    hasher.write(&d.to_bits().to_le_bytes());
                }
            }
        }
        Ok(hasher.finish_128())
    }

    /// Returns the whole state that changes with time, as words.
    fn state(&mut self) -> Result<Vec<u32>, Error> {
        let mut words = Vec::new();
        let mut put = |x: &[f32]| words.extend(x.iter().map(|x| x.to_bits()));
        for body in self.bodies() {
            put_body(body, &mut put)?;
        }
        for body in self.cloths() {
            put_body(body, &mut put)?;
        }
        if let (Some(hybrid), bodies) = self.on_grid() {
            hybrid.put_affine(&bodies, &mut put)?;
        }
        for c in self.surroundings().colliders() {
            put(&c.position.to_array());
            put(&c.rotation.to_array());
            put(&c.velocity.to_array());
            put(&c.spin.to_array());
        }
        for (body, solver) in self.projective() {
            put(solver.rotations(body)?.as_flattened());
        }
        Ok(words)
    }

    /// Refuses numbers that are not a valid state; returns the colliders of a valid one. Their count must be that of
    /// [`World::state`].
    fn check_state(&mut self, numbers: &[f32]) -> Result<Vec<Collider>, String> {
        if let Some(k) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(format!("number {k} is {}", numbers[k]));
        }
        let mut at = 0;
        let bodies = self.bodies().map(|b| b.vertex_count()).collect::<Vec<_>>();
        let cloths = self.cloths().map(|b| b.vertex_count());
        for n in bodies.into_iter().chain(cloths) {
            // Positions and velocities, then the pins.
            let pins = &numbers[at + 6 * n..][..n];
            if let Some(v) = pins.iter().position(|&p| p != 0.0 && p != 1.0) {
                return Err(format!("the pin of vertex {v} is {}", pins[v]));
            }
            at += 7 * n;
        }
        if let (Some(_), bodies) = self.on_grid() {
            at += bodies.iter().map(|b| 9 * b.vertex_count()).sum::<usize>();
        }
        let mut next = numbers[at..].iter().copied();
        let mut next = || next.next().unwrap_or_default();
        let mut colliders = self.surroundings().colliders().to_vec();
        for (k, c) in colliders.iter_mut().enumerate() {
            c.position = Vec3::new(next(), next(), next());
            c.rotation = Quat::from_xyzw(next(), next(), next(), next());
            c.velocity = Vec3::new(next(), next(), next());
            c.spin = Vec3::new(next(), next(), next());
            c.check().map_err(|e| format!("collider {k}: {e}"))?;
        }
        Ok(colliders)
    }

    /// Sets the state that [`World::state`] made and [`World::check_state`] accepted.
    fn set_state(&mut self, numbers: &[f32], colliders: Vec<Collider>) -> Result<(), Error> {
        let mut numbers = numbers.iter().copied();
        let mut next = || numbers.next().unwrap_or_default();
        for body in self.bodies() {
            set_body(body, &mut next)?;
        }
        for body in self.cloths() {
            set_body(body, &mut next)?;
        }
        if let (Some(hybrid), bodies) = self.on_grid() {
            hybrid.set_affine(&bodies, &mut next)?;
        }
        self.prepare()?;
        for _ in 0..COLLIDER_WORDS * colliders.len() {
            next();
        }
        self.surroundings_mut().set_colliders(colliders)?;
        for (body, solver) in self.projective() {
            let cells = body.mesh().count(Kind::Cell);
            let all: Vec<[f32; 4]> = (0..cells).map(|_| [(); 4].map(|()| next())).collect();
            solver.set_rotations(body, &all)?;
        }
        Ok(())
    }
}

fn put_body<D: Dimension>(body: &mut Body<D>, put: &mut impl FnMut(&[f32])) -> Result<(), Error> {
    for vectors in [body.positions()?, body.velocities()?] {
        vectors.iter().for_each(|v| put(&v.to_array()));
    }
    let pins = body.pinned()?;
    pins.iter().for_each(|&p| put(&[f32::from(u8::from(p))]));
    Ok(())
}

fn set_body<D: Dimension>(body: &mut Body<D>, next: &mut impl FnMut() -> f32) -> Result<(), Error> {
    let n = body.vertex_count();
    let mut vectors =
        || -> Vec<Vec3> { (0..n).map(|_| Vec3::new(next(), next(), next())).collect() };
    let (x, v) = (vectors(), vectors());
    let pins: Vec<u32> = (0..n as u32).filter(|_| next() != 0.0).collect();
    body.set_positions(&x)?;
    body.pin(&pins)?;
    body.set_velocities(&v)
}

/// Hashes the rest shape and the masses.
fn hash_body<D: Dimension>(body: &mut Body<D>, hasher: &mut XxHash3_128) -> Result<(), Error> {
    hasher.write(&(body.vertex_count() as u64).to_le_bytes());
    for p in body.rest_positions()? {
        p.to_array()
            .iter()
            .for_each(|x| hasher.write(&x.to_bits().to_le_bytes()));
    }
    for m in body.masses()? {
        hasher.write(&m.to_bits().to_le_bytes());
    }
    Ok(())
}
