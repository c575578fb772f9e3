//! Measures of a session's mesh.

use crate::Error;
use crate::algo::of_mesh;
use crate::edit::check_face;
use crate::edit::{Column, Edits, Session};
use crate::parallel::labels::flat_by_label;
use crate::parallel::reduce::{combine, combine_all};
use glam::Vec3;
use rxmesh_kernels::algo::improve::remesh::{
    LENGTH_CHUNK, LabelAreas, LabelLengths, Sizing, SumAreas, SumLengths,
};
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Area of an equilateral triangle, in squares of its side.
const EQUILATERAL: f64 = 0.433_012_701_892_219_3;

/// Refuses a session with frozen faces for `what`, which the message names.
///
/// # Errors
///
/// [`Error::Options`] when faces are frozen.
pub(in crate::algo) fn refuse_frozen<C: Edits>(
    session: &Session<C>,
    what: &str,
) -> Result<(), Error> {
    match session.frozen_faces() {
        0 => Ok(()),
        n => Err(Error::Options(format!(
            "{what} needs a manifold mesh whose faces are oriented alike; {n} faces touch a place where this one is \
            not: repair it first (--repair)"
        ))),
    }
}

/// Refuses frozen faces with edges longer than the length that edges get: they cannot be split, and the faces beside
/// them would be split without end, because one of the other two sides of a triangle is always longer than half of the
/// longest.
///
/// # Errors
///
/// [`Error::Options`].
pub(super) fn refuse_long_frozen<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
    length: f32,
) -> Result<(), Error> {
    if session.frozen_faces() == 0 {
        return Ok(());
    }
    let (arrays, x) = (session.to_host()?, session.values(x)?.read()?);
    let at = |v: u32| x[v as usize];
    let sides = |f: usize| {
        let sides = arrays.fe[3 * f..3 * f + 3].iter();
        sides.filter(|&&h| h != NONE).map(|&h| {
            let [a, b] = [h, h ^ 1].map(|h| at(arrays.ev[h as usize]));
            a.distance(b)
        })
    };
    let frozen = (0..arrays.frozen.len()).filter(|&f| arrays.frozen[f]);
    let longest = frozen.flat_map(sides).fold(0.0, f32::max);
    if longest <= length {
        return Ok(());
    }
    Err(Error::Options(format!(
        "faces that touch a place that is not manifold or not oriented alike stay as they are, and edges of theirs are \
        up to {:.2} times as long as edges are to be: repair the mesh first (--repair), or choose a greater length",
        longest / length
    )))
}

/// Computes the mean length of the live edges; 0 when there is none.
pub(in crate::algo) fn mean_length<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
) -> Result<f32, Error> {
    let none = session.engine().zeroed(0)?;
    Ok(lengths(session, x, Sizing::uniform(none.global_mut(), 1.0))?.0)
}

/// Computes the mean and the greatest length of the live edges, in units; zeroes when there is none.
pub(super) fn lengths<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
    unit: Sizing,
) -> Result<(f32, f32), Error> {
    let engine = session.engine();
    let chunks = session.capacity(Kind::Edge).div_ceil(LENGTH_CHUNK);
    if chunks == 0 {
        return Ok((0.0, 0.0));
    }
    let partials = engine.uninit::<f64>(3 * chunks as usize)?;
    let of = |k: u32| partials.global_mut().part(k * chunks, chunks);
    engine.launch_blocks(
        chunks,
        SumLengths {
            mesh: session.mesh()?,
            x: session.read(x)?,
            unit,
            lengths: of(0),
            edges: of(1),
            longest: of(2),
        },
    )?;
    let reductions = [Reduction::Sum, Reduction::Sum, Reduction::Max];
    let [length, n, longest] = combine_all(engine, &partials, reductions)?;
    if n == 0.0 {
        return Ok((0.0, 0.0));
    }
    Ok(((length / n) as f32, longest as f32))
}

/// Returns the area of the live faces as a number of equilateral triangles with sides of a unit.
pub(in crate::algo) fn faces_of<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
    unit: Sizing,
) -> Result<f64, Error> {
    let engine = session.engine();
    let chunks = session.capacity(Kind::Face).div_ceil(LENGTH_CHUNK);
    if chunks == 0 {
        return Ok(0.0);
    }
    let areas = engine.zeroed::<f64>(chunks as usize)?;
    engine.launch_blocks(
        chunks,
        SumAreas {
            mesh: session.mesh()?,
            x: session.read(x)?,
            unit,
            areas: areas.global_mut(),
            volumes: GlobalMut::empty(),
        },
    )?;
    Ok(combine(engine, &areas, Reduction::Sum)? / EQUILATERAL)
}

/// Size of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extent {
    /// Number of faces.
    pub(super) faces: u32,
    /// Area.
    pub(super) area: f64,
    /// Volume by the divergence theorem.
    pub(super) volume: f64,
}

impl Extent {
    /// Returns how many equilateral triangles with sides of 1 have the area.
    pub(super) fn triangles(&self) -> f64 {
        self.area / EQUILATERAL
    }
}

/// Computes the size of the live faces.
fn extent<C: Edits>(session: &Session<C>, x: Column<Vertex, Vec3>) -> Result<Extent, Error> {
    let engine = session.engine();
    let chunks = session.capacity(Kind::Face).div_ceil(LENGTH_CHUNK);
    if chunks == 0 {
        return Ok(Extent::default());
    }
    let partials = engine.uninit::<f64>(2 * chunks as usize)?;
    engine.launch_blocks(
        chunks,
        SumAreas {
            mesh: session.mesh()?,
            x: session.read(x)?,
            unit: Sizing::uniform(GlobalMut::empty(), 1.0),
            areas: partials.global_mut().part(0, chunks),
            volumes: partials.global_mut().part(chunks, chunks),
        },
    )?;
    let [area, volume] = combine_all(engine, &partials, [Reduction::Sum, Reduction::Sum])?;
    Ok(Extent {
        faces: session.count(Kind::Face)?,
        area,
        volume,
    })
}

/// Meshes of a session: one, or several that labels tell apart.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct SessionMeshes {
    pub(super) labels: Option<Column<Vertex, u32>>,
    pub(super) count: usize,
}

impl SessionMeshes {
    /// One mesh.
    pub(in crate::algo) const ONE: SessionMeshes = SessionMeshes {
        labels: None,
        count: 1,
    };

    /// Returns an error that is one mesh's, with its number if there are several.
    pub(super) fn named(self, mesh: usize, error: Error) -> Error {
        match self.labels {
            Some(_) => of_mesh(mesh, error),
            None => error,
        }
    }

    /// Returns the unit 1 everywhere.
    fn one<C: Edits>(self, session: &Session<C>) -> Result<Sizing, Error> {
        let uniform = Sizing::uniform(GlobalMut::empty(), 1.0);
        Ok(match self.labels {
            None => uniform,
            Some(labels) => Sizing {
                labels: session.write(labels)?,
                ..uniform
            },
        })
    }

    /// Returns the area of each mesh as a number of equilateral triangles with sides of a unit.
    pub(super) fn faces_of<C: Edits>(
        self,
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
        unit: Sizing,
    ) -> Result<Vec<f64>, Error> {
        match self.labels {
            None => Ok(vec![faces_of(session, x, unit)?]),
            Some(_) => {
                let sizes = self.of_each(session, x, unit, false)?;
                Ok(sizes.iter().map(Extent::triangles).collect())
            }
        }
    }

    /// Computes the size of each mesh.
    pub(super) fn sizes<C: Edits>(
        self,
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
    ) -> Result<Vec<Extent>, Error> {
        match self.labels {
            None => Ok(vec![extent(session, x)?]),
            Some(_) => self.of_each(session, x, self.one(session)?, true),
        }
    }

    /// Returns the number of faces of each mesh.
    pub(super) fn counts<C: Edits>(
        self,
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
    ) -> Result<Vec<u32>, Error> {
        match self.labels {
            None => Ok(vec![session.count(Kind::Face)?]),
            Some(_) => {
                let sizes = self.of_each(session, x, self.one(session)?, false)?;
                Ok(sizes.into_iter().map(|size| size.faces).collect())
            }
        }
    }

    /// Computes the size of each of several meshes, areas in squares of a unit, volumes if they are requested.
    fn of_each<C: Edits>(
        self,
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
        unit: Sizing,
        volumes: bool,
    ) -> Result<Vec<Extent>, Error> {
        let (engine, slots) = (session.engine(), session.capacity(Kind::Face));
        let (areas, labels) = (
            engine.uninit::<f32>(slots as usize)?,
            engine.uninit::<u32>(slots as usize)?,
        );
        let kept = if volumes { slots as usize } else { 0 };
        let [outside, inside] = [engine.zeroed::<f32>(kept)?, engine.zeroed::<f32>(kept)?];
        let wrong = engine.zeroed::<u32>(2)?;
        let kernel = LabelAreas {
            mesh: session.mesh()?,
            x: session.read(x)?,
            unit,
            areas: areas.global_mut(),
            outside: outside.global_mut(),
            inside: inside.global_mut(),
            labels: labels.global_mut(),
            wrong: wrong.global_mut(),
        };
        engine.launch_flat(slots, kernel)?;
        check_face(wrong.read()?[1])?;
        let areas = flat_by_label(engine, &areas, &labels, self.count)?;
        let size = |(area, faces): (f64, u32)| Extent {
            faces,
            area,
            volume: 0.0,
        };
        let mut sizes: Vec<Extent> = areas.into_iter().map(size).collect();
        if volumes {
            for (cones, sign) in [(&outside, 1.0), (&inside, -1.0)] {
                let sums = flat_by_label(engine, cones, &labels, self.count)?;
                for (size, (sum, _)) in sizes.iter_mut().zip(sums) {
                    size.volume += sign * sum;
                }
            }
        }
        Ok(sizes)
    }

    /// Computes the mean length of the edges of each mesh, in units of 1 unless given; 0 if there is none.
    pub(super) fn mean_lengths<C: Edits>(
        self,
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
        unit: Option<Sizing>,
    ) -> Result<Vec<f32>, Error> {
        let unit = unit.map_or_else(|| self.one(session), Ok)?;
        if self.labels.is_none() {
            return Ok(vec![lengths(session, x, unit)?.0]);
        }
        let (engine, slots) = (session.engine(), session.capacity(Kind::Edge));
        let (lengths, labels) = (
            engine.uninit::<f32>(slots as usize)?,
            engine.uninit::<u32>(slots as usize)?,
        );
        let kernel = LabelLengths {
            mesh: session.mesh()?,
            x: session.read(x)?,
            unit,
            lengths: lengths.global_mut(),
            labels: labels.global_mut(),
        };
        engine.launch_flat(slots, kernel)?;
        let sums = flat_by_label(engine, &lengths, &labels, self.count)?;
        let mean = |(sum, n): (f64, u32)| (sum / f64::from(n.max(1))) as f32;
        Ok(sums.into_iter().map(mean).collect())
    }
}

/// Bounds between which the splits of one pass lie, as a factor: that of the classes of length in which engines with an
/// order of cavities prefer longer edges.
const BOUNDS: f32 = 1.2;

/// Most passes of splits.
const MOST_PASSES: u32 = 24;

/// Computes the lengths in units above which edges are split, pass by pass, the last one `longest`. Schedulers of edits
/// that carry out urgent cavities first take longer edges first by themselves ([`Edits::ORDERED`]). On others, splits
/// of shorter edges beside longer ones, again and again, would leave thin triangles and vertices of high valence: there
/// the bound falls from the length of the longest edge.
pub(in crate::algo) fn bounds<C: Edits>(
    session: &Session<C>,
    x: Column<Vertex, Vec3>,
    unit: Sizing,
    longest: f32,
) -> Result<Vec<f32>, Error> {
    if C::ORDERED {
        return Ok(vec![longest]);
    }
    let greatest = lengths(session, x, unit)?.1;
    let mut all = vec![longest];
    let mut bound = longest * BOUNDS;
    while bound < greatest && (all.len() as u32) < MOST_PASSES {
        all.push(bound);
        bound *= BOUNDS;
    }
    all.reverse();
    Ok(all)
}
