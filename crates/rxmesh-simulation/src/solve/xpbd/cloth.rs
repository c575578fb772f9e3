//! XPBD of cloth.

use super::{XpbdOptions, XpbdOrder, rate};
use crate::body::check_step;
use crate::colour::{self, Colouring, Host, Turns};
use crate::launch::{LaunchPatches, LaunchSimulation};
use crate::solve::motion::{self, Pressed};
use crate::{Body, Surroundings};
use glam::Vec2;
use rayon::prelude::*;
use rxmesh_host::engine::Buffer;
use rxmesh_host::store::{Attribute, RxMesh, Surface};
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::topo::{Edge, Kind, PatchHeader, Vertex};
use rxmesh_kernels::volume::distribute::AddParts;
use rxmesh_simulation_kernels::solve::xpbd::cloth;
use rxmesh_simulation_kernels::solve::xpbd::cloth::{ClothRest, Hinges, XpbdClothSweep};

/// Compliances of cloth at an edge.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClothMaterial {
    /// Compliance against stretch, in m/N: elongation of the edge per newton. 0 for an edge that does not stretch;
    /// `None` for one without resistance.
    pub stretch: Option<f64>,
    /// Compliance against bending, in rad/(N m): change of the angle between the edge's two faces per newton metre.
    pub bending: Option<f64>,
}

impl Default for ClothMaterial {
    /// Returns cloth that is nearly inextensible and easy to bend.
    fn default() -> Self {
        ClothMaterial {
            stretch: Some(1e-6),
            bending: Some(10.0),
        }
    }
}

impl ClothMaterial {
    /// Returns the form that kernels take: a negative number means no constraint.
    fn compliances(&self) -> Result<[f32; 2], Error> {
        let of = |what: &str, c: Option<f64>| match c {
            None => Ok(-1.0),
            Some(c) if c >= 0.0 && (c as f32).is_finite() => Ok(c as f32),
            Some(c) => Err(Error::Options(format!(
                "the compliance against {what} is {c}, but must not be negative"
            ))),
        };
        Ok([of("stretch", self.stretch)?, of("bending", self.bending)?])
    }
}

/// XPBD of a cloth: the length of every edge, and the angle at every edge of two faces (Macklin et al. 2016; MeshTaichi
/// 2022, section 8.5). On an edge of more faces the two of the lowest ids are used.
///
/// Call [`XpbdCloth::prepare`] after [`Body::pin`].
#[derive(Debug)]
pub struct XpbdCloth {
    options: XpbdOptions,
    /// Offset of each patch's hinges.
    starts: Buffer<u32>,
    /// Local vertices of the hinges.
    vertices: Buffer<u16>,
    /// Rest lengths, rest angles and compliances.
    rest: Attribute<Edge, [f32; 4]>,
    multipliers: Attribute<Edge, [f32; 2]>,
    /// Number of each vertex's constraints, by linear id.
    counts: Vec<u32>,
    /// Positions before the step.
    before: Buffer<Vec3>,
    pressed: Pressed,
    iteration: Iteration,
}

#[derive(Debug)]
enum Iteration {
    Jacobi(Box<Jacobi>),
    Patches {
        colours: Buffer<u32>,
        count: u32,
        turns: Turns,
    },
}

#[derive(Debug)]
struct Jacobi {
    /// Inverse masses, and inverse masses times the number of the vertex's constraints.
    weights: Attribute<Vertex, Vec2>,
    /// New positions.
    spare: Attribute<Vertex, Vec3>,
    slots_starts: Buffer<u32>,
    slots: Buffer<u16>,
    /// Contributions of patches to vertices of other patches.
    parts: Buffer<f32>,
    places: Buffer<u32>,
    targets: Buffer<u32>,
    lists: Buffer<u32>,
    entries: Buffer<u32>,
}

impl XpbdCloth {
    /// Prepares the solver of a cloth whose rest shape is that of the body. `material` returns the compliances of an
    /// edge, given the input numbers of its two vertices.
    ///
    /// # Errors
    ///
    /// Options or compliances out of range, patches of more than 16,383 edges, or no memory on the engine.
    pub fn new(
        body: &Body<Surface>,
        material: impl Fn([u32; 2]) -> ClothMaterial,
        options: XpbdOptions,
    ) -> Result<XpbdCloth, Error> {
        options.check()?;
        let (rx, engine) = (body.mesh(), body.engine());
        let host = Host::surface(rx)?;
        let hinges: Vec<Vec<[u16; 4]>> =
            (host.headers.par_iter()).map(|h| hinges(host, h)).collect();
        let n = rx.linear_len(Kind::Vertex) as usize;
        let mut solver = XpbdCloth {
            options,
            starts: engine.upload(&offsets(hinges.iter().map(Vec::len))?)?,
            vertices: engine.upload(hinges.concat().as_flattened())?,
            rest: rest(rx, host, &hinges, material)?,
            multipliers: rx.attribute()?,
            counts: Vec::new(),
            before: engine.zeroed(n)?,
            pressed: Pressed::new(engine)?,
            iteration: match options.order {
                XpbdOrder::Jacobi => Iteration::Jacobi(Box::new(Jacobi::new(rx, host, &hinges)?)),
                XpbdOrder::PatchColours => {
                    let Colouring { colours, count } = colour::surface_patches(rx)?;
                    let edges = colour::of_sets(host.headers, |p| hinges[p].clone());
                    Iteration::Patches {
                        colours: engine.upload(&colours)?,
                        count,
                        turns: Turns::new(engine, &edges)?,
                    }
                }
            },
        };
        rx.launch(ClothRest {
            x: body.rest.staged()?,
            starts: solver.starts.global(),
            vertices: solver.vertices.global(),
            rest: solver.rest.global_mut()?,
        })?;
        solver.counts = counts(host, &hinges, &solver.rest.engine_values()?, n);
        solver.prepare(body)?;
        Ok(solver)
    }

    /// Updates the solver after a change of the body's masses and pins. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn prepare(&mut self, body: &Body<Surface>) -> Result<(), Error> {
        let Iteration::Jacobi(jacobi) = &mut self.iteration else {
            return Ok(());
        };
        let inverse = body.inverse_mass.engine_values()?;
        let weights = &mut jacobi.weights;
        weights.download()?;
        let pairs = inverse.iter().zip(&self.counts);
        for (to, (w, n)) in weights.host_mut()?.iter_mut().zip(pairs) {
            *to = Vec2::new(*w, w * *n as f32);
        }
        Ok(weights.upload()?)
    }

    /// Returns the number of launches of an iteration.
    pub fn launches(&self) -> u32 {
        match &self.iteration {
            Iteration::Jacobi(_) => 2,
            Iteration::Patches { count, .. } => *count,
        }
    }

    /// Advances the cloth by one step of `dt` seconds. Does not wait for the engine.
    ///
    /// # Errors
    ///
    /// A step that is not a positive number, a stale attribute, or an error of the engine.
    pub fn step(
        &mut self,
        body: &mut Body<Surface>,
        around: &Surroundings,
        dt: f32,
    ) -> Result<(), Error> {
        check_step(dt)?;
        let free = motion::Free::new(around, self.options.damping, dt);
        free.begin(body, around, &self.before, None)?;
        self.multipliers.clear()?;
        self.pressed.begin(body, around)?;
        for _ in 0..self.options.iterations {
            self.iterate(body, dt)?;
            self.pressed.press(body, around, (&self.before, None), dt)?;
        }
        free.end(body, &self.before)
    }

    /// Runs one iteration of a step of `dt` seconds that [`XpbdCloth::step`] began.
    ///
    /// # Errors
    ///
    /// As [`XpbdCloth::step`].
    pub fn iterate(&mut self, body: &mut Body<Surface>, dt: f32) -> Result<(), Error> {
        let hinges = Hinges {
            starts: self.starts.global(),
            vertices: self.vertices.global(),
            rest: self.rest.global()?,
        };
        match &mut self.iteration {
            Iteration::Jacobi(jacobi) => {
                let y = jacobi.spare.global_mut()?.cast();
                body.rx.launch(cloth::XpbdCloth {
                    x: body.position.staged()?,
                    weights: jacobi.weights.staged()?,
                    hinges,
                    multipliers: self.multipliers.global_mut()?,
                    slots_starts: jacobi.slots_starts.global(),
                    slots: jacobi.slots.global(),
                    y,
                    parts: jacobi.parts.global_mut(),
                    places: jacobi.places.global(),
                    rate: rate(dt),
                    relaxation: self.options.relaxation as f32,
                })?;
                let add = AddParts {
                    sums: y,
                    parts: jacobi.parts.global(),
                    targets: jacobi.targets.global(),
                    starts: jacobi.lists.global(),
                    entries: jacobi.entries.global(),
                    width: 3,
                };
                let n = 3 * jacobi.targets.len() as u32;
                body.engine().launch_flat(n, add)?;
                std::mem::swap(&mut body.position, &mut jacobi.spare);
                Ok(())
            }
            Iteration::Patches {
                colours,
                count,
                turns,
            } => {
                for colour in 0..*count {
                    body.rx.launch(XpbdClothSweep {
                        x: body.position.global_mut()?,
                        inverse_mass: body.inverse_mass.global()?,
                        hinges,
                        multipliers: self.multipliers.global_mut()?,
                        colours: colours.global(),
                        colour,
                        turns: turns.view(),
                        rate: rate(dt),
                    })?;
                }
                Ok(())
            }
        }
    }
}

impl Jacobi {
    fn new(rx: &RxMesh, host: Host<'_>, hinges: &[Vec<[u16; 4]>]) -> Result<Jacobi, Error> {
        let engine = rx.engine();
        let slots: Vec<Vec<u16>> = (host.headers.par_iter().zip(hinges))
            .map(|(h, hinges)| slots(h, hinges))
            .collect::<Result<_, _>>()?;
        let ribbon =
            |h: &PatchHeader| (h.total_of(Kind::Vertex) - h.owned_of(Kind::Vertex)) as usize;
        let places = offsets(host.headers.iter().map(ribbon))?;
        let (targets, lists, entries) = shared(host, &slots, &places);
        let parts = places.last().map_or(0, |&n| 3 * n as usize);
        Ok(Jacobi {
            weights: rx.attribute()?,
            spare: rx.attribute()?,
            slots_starts: engine.upload(&offsets(slots.iter().map(Vec::len))?)?,
            slots: engine.upload(&slots.concat())?,
            parts: engine.zeroed(parts)?,
            places: engine.upload(&places)?,
            targets: engine.upload(&targets)?,
            lists: engine.upload(&lists)?,
            entries: engine.upload(&entries)?,
        })
    }
}

/// Returns the exclusive prefix sum, followed by the total.
fn offsets(lengths: impl Iterator<Item = usize>) -> Result<Vec<u32>, Error> {
    let (mut sum, mut all) = (0u64, vec![0]);
    for length in lengths {
        sum += length as u64;
        all.push(sum as u32);
    }
    if 4 * sum > u64::from(u32::MAX) {
        return Err(Error::TooLarge {
            what: "values of a cloth's edges",
            count: sum,
            limit: u64::from(u32::MAX) / 4,
        });
    }
    Ok(all)
}

/// Returns the hinges of a patch's owned edges: both ends, and the corner opposite to the edge in the two faces of the
/// lowest ids.
fn hinges(host: Host<'_>, h: &PatchHeader) -> Vec<[u16; 4]> {
    const NONE: u16 = u16::MAX;
    let section = |at: u32, n: u32| &host.topology[at as usize..][..n as usize];
    let ev = section(h.ev_section(), 2 * h.total_of(Kind::Edge));
    let fe = section(h.fe_section(), 3 * h.total_of(Kind::Face));
    let owned = h.owned_of(Kind::Edge) as usize;
    let mut all: Vec<[u16; 4]> = (ev.as_chunks::<2>().0[..owned].iter())
        .map(|&[a, b]| [a, b, NONE, NONE])
        .collect();
    let mut faces: Vec<u32> = (0..h.total_of(Kind::Face)).collect();
    // Owned faces come first, then the ribbon: sorted by linear id, so that every patch has the same order.
    faces.sort_by_key(|&f| host.face(h, f));
    for f in faces {
        let sides = &fe[3 * f as usize..][..3];
        for k in 0..3 {
            let (edge, before) = (usize::from(sides[k] >> 1), sides[(k + 2) % 3]);
            let corner = ev[2 * usize::from(before >> 1) + usize::from(before & 1)];
            if let Some(hinge) = all.get_mut(edge)
                && let Some(free) = hinge[2..].iter_mut().find(|v| **v == NONE)
            {
                *free = corner;
            }
        }
    }
    all
}

/// Returns a patch's table of slots: the end of each local vertex's row, then the slots of all rows, ascending.
fn slots(h: &PatchHeader, hinges: &[[u16; 4]]) -> Result<Vec<u16>, Error> {
    let vertices = h.total_of(Kind::Vertex) as usize;
    if hinges.len() > usize::from(u16::MAX) / 4 {
        return Err(Error::TooLarge {
            what: "edges of a patch of a cloth",
            count: hinges.len() as u64,
            limit: u64::from(u16::MAX) / 4,
        });
    }
    let there = || {
        let all = hinges.as_flattened().iter().zip(0u16..);
        all.filter(|(v, _)| **v != u16::MAX)
    };
    let mut starts = vec![0u16; vertices + 1];
    for (v, _) in there() {
        starts[usize::from(*v) + 1] += 1;
    }
    for v in 0..vertices {
        starts[v + 1] += starts[v];
    }
    let mut table = vec![0; vertices + usize::from(starts[vertices])];
    for (v, slot) in there() {
        let at = &mut starts[usize::from(*v)];
        table[vertices + usize::from(*at)] = slot;
        *at += 1;
    }
    // Every start has moved to its row's end.
    table[..vertices].copy_from_slice(&starts[..vertices]);
    Ok(table)
}

/// Returns the vertices to which other patches contribute, the start of each one's list, and the lists of slots.
fn shared(host: Host<'_>, slots: &[Vec<u16>], places: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = (host.headers.par_iter().zip(slots).zip(places))
        .flat_map_iter(|((h, slots), &place)| {
            let owned = h.owned_of(Kind::Vertex);
            let end = |v: u32| if v == 0 { 0 } else { slots[v as usize - 1] };
            let ribbon = owned..h.total_of(Kind::Vertex);
            let given = ribbon.filter(move |&v| end(v + 1) > end(v));
            given.map(move |v| (host.vertex(h, v), place + v - owned))
        })
        .collect();
    pairs.par_sort_unstable();
    let (mut targets, mut lists) = (Vec::new(), vec![0]);
    for row in pairs.chunk_by(|a, b| a.0 == b.0) {
        targets.push(row[0].0);
        lists.push(lists[targets.len() - 1] + row.len() as u32);
    }
    (targets, lists, pairs.into_iter().map(|p| p.1).collect())
}

/// Returns the rest values of all edges with their compliances.
fn rest(
    rx: &RxMesh,
    host: Host<'_>,
    hinges: &[Vec<[u16; 4]>],
    material: impl Fn([u32; 2]) -> ClothMaterial,
) -> Result<Attribute<Edge, [f32; 4]>, Error> {
    let source = rx.linear_to_input(Kind::Vertex)?.unwrap_or_default();
    let mut rest: Attribute<Edge, [f32; 4]> = rx.attribute()?;
    rest.download()?;
    let to = rest.host_mut()?;
    for (h, hinges) in host.headers.iter().zip(hinges) {
        for (edge, hinge) in (h.base_of(Kind::Edge)..).zip(hinges) {
            let ends = [hinge[0], hinge[1]].map(|v| source[host.vertex(h, v.into()) as usize]);
            let [stretch, bending] = material(ends).compliances()?;
            to[edge as usize] = [0.0, 0.0, stretch, bending];
        }
    }
    rest.upload()?;
    Ok(rest)
}

/// Counts each vertex's constraints.
fn counts(host: Host<'_>, hinges: &[Vec<[u16; 4]>], rest: &[[f32; 4]], n: usize) -> Vec<u32> {
    let mut counts = vec![0; n];
    for (h, hinges) in host.headers.iter().zip(hinges) {
        for (edge, hinge) in (h.base_of(Kind::Edge)..).zip(hinges) {
            let [.., stretch, bending] = rest[edge as usize];
            let bends = u32::from(bending >= 0.0 && hinge[3] != u16::MAX);
            let ends = bends + u32::from(stretch >= 0.0);
            for (v, more) in hinge.iter().zip([ends, ends, bends, bends]) {
                if *v != u16::MAX {
                    counts[host.vertex(h, (*v).into()) as usize] += more;
                }
            }
        }
    }
    counts
}
