//! Placement of a mesh: positions are 32-bit floats in a local frame, which 64-bit numbers place in the world.

#[cfg(test)]
mod tests;

use super::extent::{box_of_used, extent};
use super::{CoordinateText, MeshError, PolyMesh, TetMesh, TriMesh, UsedVertices};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Distance of a mesh's middle from the origin along an axis, in sizes of the mesh, beyond which the mesh is far: four
/// bits or more of a 32-bit coordinate then give the position of the mesh and not its shape.
const FAR: f64 = 16.0;

/// Largest coordinate of a normalised mesh: its fourth power is a 32-bit float still.
const LARGEST: f64 = (1u64 << 30) as f64;

/// Largest coordinate of a vertex of no face in a normalised mesh: nothing is computed with it.
const LARGEST_UNUSED: f64 = (1u128 << 120) as f64;

/// Vertices that the size of a mesh is estimated from.
const SAMPLE: usize = 1 << 12;

/// Frame that positions are given in: a vertex lies at `origin + scale * position` in the world, which is what files
/// hold and users see. The default is the world itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Origin of the frame in the world.
    pub origin: DVec3,
    /// Scale from the frame's unit to the world's: a power of two, so that no digit changes.
    pub scale: f64,
}

impl Default for Placement {
    fn default() -> Self {
        Placement {
            origin: DVec3::ZERO,
            scale: 1.0,
        }
    }
}

impl Placement {
    /// Returns `true` if all these positions are finite as 32-bit floats in the world.
    pub(crate) fn fits_single(&self, positions: &[Vec3]) -> bool {
        let fits = |p: &Vec3| self.world(*p).as_vec3().is_finite();
        self.is_world() || positions.par_iter().lean().all(fits)
    }

    /// Returns the frame with this origin in which a size, a positive number, is from one to two.
    pub fn of_size(origin: DVec3, size: f64) -> Placement {
        Placement {
            origin,
            scale: power_of_two(size),
        }
    }

    /// Returns `true` if positions are the world's coordinates.
    pub fn is_world(&self) -> bool {
        *self == Placement::default()
    }

    /// Returns a position in the world.
    pub fn world(&self, position: Vec3) -> DVec3 {
        self.origin + self.scale * position.as_dvec3()
    }

    /// Returns the same with the fewest digits after the point that lead back to the same position, for text and for
    /// people.
    pub fn digits(&self, position: Vec3) -> [f64; 3] {
        let world = self.world(position).to_array();
        std::array::from_fn(|axis| {
            let back = |x: f64| self.local(DVec3::splat(x))[axis] == position[axis];
            shortest(world[axis], back)
        })
    }

    /// Returns the position, rounded to 32 bits, of a place in the world.
    pub fn local(&self, world: DVec3) -> Vec3 {
        ((world - self.origin) / self.scale).as_vec3()
    }

    /// Returns a direction of the world, rounded to 32 bits, in the frame's unit.
    pub fn local_direction(&self, world: DVec3) -> Vec3 {
        (world / self.scale).as_vec3()
    }

    /// Returns a position of this frame in another one. Not by way of the world, whose 64 bits may be too few.
    fn convert(&self, position: Vec3, to: &Placement) -> Vec3 {
        let shift = self.origin - to.origin;
        ((shift + self.scale * position.as_dvec3()) / to.scale).as_vec3()
    }

    pub(super) fn validate(&self) -> Result<(), MeshError> {
        let scale = self.scale > 0.0 && self.scale.is_finite();
        if scale && power_of_two(self.scale) == self.scale && self.origin.is_finite() {
            return Ok(());
        }
        let what = format!(
            "a mesh is placed at a finite origin, with a power of two as its scale, not at {:?} with {}",
            self.origin.to_array(),
            self.scale
        );
        Err(MeshError::Extras { what })
    }
}

/// Returns the frame for coordinates of 64 bits in a box: the world, unless that is far away or beyond 32-bit floats.
pub(crate) fn placement_of(low: DVec3, high: DVec3) -> Placement {
    let origin = far_origin(low, high);
    let largest = (low - origin)
        .abs()
        .max((high - origin).abs())
        .max_element();
    let fits = (f64::from(f32::MIN_POSITIVE) * LARGEST..=f64::from(f32::MAX)).contains(&largest);
    Placement {
        origin,
        scale: if fits || largest == 0.0 {
            1.0
        } else {
            power_of_two(largest)
        },
    }
}

/// Returns the frame for points of 64 bits, of which `corners` are those of faces or cells. It is that of
/// [`placement_of`] for the box around a mesh; but if a few vertices lie so far outside that 32-bit floats hold nothing
/// of the others' shape, one near the others. Vertices of no face count only if they would be beyond 32-bit floats.
pub(crate) fn placement_of_points(points: &[DVec3], corners: &[u32]) -> Placement {
    let of = |corners: &[u32]| {
        let used = UsedVertices::of(points.len(), corners);
        let placement = box_of_used(points, &used, |p| *p)
            .map_or_else(Placement::default, |[low, high]| placement_of(low, high));
        let [low, high] = bulk_box(points, &used, |p| *p);
        match placement.is_world() && is_lost(low, high) {
            true => Placement {
                origin: far_origin(low, high),
                scale: 1.0,
            },
            false => placement,
        }
    };
    let placement = of(corners);
    let fits = |p: &DVec3| placement.local(*p).is_finite();
    match corners.is_empty() || points.par_iter().lean().all(fits) {
        true => placement,
        false => of(&[]),
    }
}

/// Returns `true` if points, rounded to 32 bits, may lie so far away that 32 bits hold their place and not their shape,
/// or beyond the range of such floats. Vertices of no face or cell, which are no `corners`, do not count.
pub(crate) fn may_need_placement(points: &[Vec3], corners: &[u32]) -> bool {
    let used = UsedVertices::of(points.len(), corners);
    let Some([low, high]) = box_of_used(points, &used, |p| p.as_dvec3()) else {
        return false;
    };
    let far = low.abs().max(high.abs()).max_element() > FAR * (high - low).max_element();
    if far || placement_of(low, high) != Placement::default() {
        return true;
    }
    let [a, b] = bulk_box(points, &used, |p| p.as_dvec3());
    is_lost(a, b)
}

/// Returns `true` if a box lies so far away that 32-bit floats have seven bits or less for the shape in it.
fn is_lost(low: DVec3, high: DVec3) -> bool {
    /// Distance in sizes.
    const LOST: f64 = (1u64 << 17) as f64;
    (0.5 * low + 0.5 * high).abs().max_element() > LOST * (high - low).max_element()
}

/// Returns an origin near a box: 0 along the axes on which the box is not far from it. A multiple of a power of two
/// above the box's size, so that 32-bit floats in the box, less the origin, are 32-bit floats again: no digit is lost,
/// and a box that has been read, written and read again has the same origin.
fn far_origin(low: DVec3, high: DVec3) -> DVec3 {
    let size = (high - low).max_element();
    if !(size > 0.0 && size.is_finite()) {
        return DVec3::ZERO;
    }
    let step = 2.0 * power_of_two(size);
    let middle = 0.5 * low + 0.5 * high;
    let far = |c: f64| {
        if c.abs() > FAR * size {
            (c / step).round() * step
        } else {
            0.0
        }
    };
    DVec3::from_array(middle.to_array().map(far))
}

/// Returns the largest power of two that is not above `x`, a positive number.
fn power_of_two(x: f64) -> f64 {
    let bits = x.to_bits() & !((1 << 52) - 1);
    if bits == 0 {
        return f64::MIN_POSITIVE;
    }
    f64::from_bits(bits)
}

/// Works like [`TriMesh::bounding_box`].
pub(crate) fn bounding_box(
    positions: &[Vec3],
    corners: &[u32],
    placement: &Placement,
) -> Option<[[f64; 3]; 2]> {
    let ends = extent(positions, corners)?;
    let text = CoordinateText::of(placement, positions, corners);
    Some(ends.map(|p| text.numbers(p.as_vec3())))
}

/// Frames of a mesh of any kind; `corners` of its faces or cells.
macro_rules! framed {
    ($mesh:ty, $self:ident => $corners:expr) => {
        impl $mesh {
            /// Converts positions to a frame near the mesh in which its size is about one, and returns the earlier
            /// placement. In the world nothing moves: the origin changes only where 32-bit floats lose nothing by it
            /// (a mesh that is more than sixteen times its size away), the scale is a power of two. Vertices of no face
            /// or cell do not influence the frame; if the mesh is far away they may be rounded in it.
            ///
            /// In such a frame squares of lengths, and products of them, are 32-bit floats, and differences of
            /// positions keep all digits: algorithms give the same result for a mesh of any size at any place. Lengths
            /// in their options and reports are those of the frame:
            /// [`InUnits::scale`](crate::units::InUnits::scale) and `placement.scale` convert them.
            /// [`return_to`](Self::return_to) leads back.
            pub fn normalise(&mut $self) -> Placement {
                let (old, new) = ($self.placement, $self.normalised());
                $self.place(new);
                old
            }

            /// Returns the placement that [`normalise`](Self::normalise) moves the mesh to.
            pub fn normalised(&$self) -> Placement {
                let old = $self.placement;
                let corners: &[u32] = $corners;
                let used = UsedVertices::of($self.positions.len(), corners);
                let in_frame = |p: &Vec3| p.as_dvec3();
                let Some([low, high]) = box_of_used(&$self.positions, &used, in_frame) else {
                    return old;
                };
                let origin = far_origin(low, high);
                let largest = (low - origin)
                    .abs()
                    .max((high - origin).abs())
                    .max_element();
                let unused = if used.are_all() {
                    largest
                } else {
                    extent(&$self.positions, &[]).map_or(0.0, |[low, high]| {
                        (low - origin).abs().max((high - origin).abs()).max_element()
                    })
                };
                let size = bulk(&$self.positions, &used, (high - low).max_element());
                let scale = if size > 0.0 {
                    power_of_two(size.max(largest / LARGEST).max(unused / LARGEST_UNUSED))
                } else {
                    1.0
                };
                Placement {
                    origin: old.origin + old.scale * origin,
                    scale: old.scale * scale,
                }
            }

            /// Returns to an earlier placement if that loses nothing: where the frame's origin stayed, and where
            /// positions come out to the last bit. A mesh whose vertices have moved to places between the 32-bit floats
            /// far from the origin keeps its frame, with the earlier scale; files of formats that hold 64 bits hold it
            /// as it is.
            pub fn return_to(&mut self, home: Placement) {
                let here = self.placement;
                let to = |to: Placement| move |p: &Vec3| here.convert(*p, &to);
                let fits = |p: &Vec3| {
                    let there = to(home)(p);
                    match here.origin == home.origin {
                        true => there.is_finite(),
                        false => home.convert(there, &here) == *p,
                    }
                };
                if self.positions.par_iter().lean().all(fits) {
                    self.place(home);
                    return;
                }
                let scale = Placement {
                    scale: home.scale,
                    ..here
                };
                if self
                    .positions
                    .par_iter()
                    .lean()
                    .all(|p| to(scale)(p).is_finite())
                {
                    self.place(scale);
                }
            }

            /// Converts positions to another frame, rounded to 32 bits. Returns the largest move of a vertex along an
            /// axis of the world: infinite if a position is beyond 32-bit floats there, and then the mesh is not valid.
            pub fn place(&mut self, to: Placement) -> f64 {
                let here = self.placement;
                if here == to {
                    return 0.0;
                }
                self.placement = to;
                let positions = self.positions.par_iter_mut().lean();
                let moved = positions.map(|p| {
                    let old = std::mem::replace(p, here.convert(*p, &to));
                    // From the old frame to the new one in 64 bits: differences, so that what both share drops out.
                    let shift = here.origin - to.origin;
                    let moved = shift + here.scale * old.as_dvec3() - to.scale * p.as_dvec3();
                    moved.abs().max_element()
                });
                moved.reduce(|| 0.0, f64::max)
            }
        }
    };
}

impl TriMesh {
    /// Returns the position of a vertex in the world.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    pub fn world(&self, vertex: usize) -> DVec3 {
        self.placement.world(self.positions[vertex])
    }

    /// Returns the lowest and the highest corner of the box around the mesh, in the world and as [`Placement::digits`]
    /// has them: around the vertices of its faces, or around all if it has no faces; `None` without vertices.
    pub fn bounding_box(&self) -> Option<[[f64; 3]; 2]> {
        bounding_box(&self.positions, self.faces.as_flattened(), &self.placement)
    }

    /// Returns `true` if every vertex is finite as 32-bit floats in the world.
    pub(crate) fn fits_single(&self) -> bool {
        self.placement.fits_single(&self.positions)
    }
}

impl PolyMesh {
    /// Works like [`TriMesh::bounding_box`].
    pub fn bounding_box(&self) -> Option<[[f64; 3]; 2]> {
        bounding_box(&self.positions, &self.corners, &self.placement)
    }
}

framed!(TriMesh, self => self.faces.as_flattened());
framed!(TetMesh, self => self.cells.as_flattened());
framed!(PolyMesh, self => &self.corners);

/// Returns the number with the fewest digits after its point, from `x` on, for which `is` still holds.
pub(super) fn shortest(x: f64, is: impl Fn(f64) -> bool) -> f64 {
    /// Below it whole numbers are doubles, so that a quotient of two is the double next to a short decimal number.
    const EXACT: f64 = (1u64 << 53) as f64;
    let mut power = 1.0;
    while x.abs() * power < EXACT && power < 1e22 {
        let short = (x * power).round() / power;
        if is(short) {
            return short;
        }
        power *= 10.0;
    }
    x
}

/// Returns the size of a mesh without a few vertices that may lie far outside; `largest` is the longest side of its
/// box.
fn bulk(positions: &[Vec3], used: &UsedVertices, largest: f64) -> f64 {
    let [low, high] = bulk_box(positions, used, |p| p.as_dvec3());
    match (high - low).max_element() {
        0.0 => largest,
        size => size,
    }
}

/// Returns a box around the middle four fifths of the used points along each axis, estimated from some of them. It has
/// no size if most lie at one place.
fn bulk_box<P>(points: &[P], used: &UsedVertices, at: impl Fn(&P) -> DVec3) -> [DVec3; 2] {
    let counted: Vec<u32> = match used.are_all() {
        true => Vec::new(),
        false => (0..points.len() as u32)
            .filter(|&v| used.contains(v as usize))
            .collect(),
    };
    let count = if used.are_all() {
        points.len()
    } else {
        counted.len()
    };
    let nth = |i: usize| {
        if used.are_all() {
            i
        } else {
            counted[i] as usize
        }
    };
    let step = count.div_ceil(SAMPLE).max(1);
    let sample = (0..count).step_by(step).map(|i| at(&points[nth(i)]));
    let sample: Vec<DVec3> = sample.collect();
    let mut ends = [DVec3::ZERO; 2];
    let Some(last) = sample.len().checked_sub(1) else {
        return ends;
    };
    for axis in 0..3 {
        let mut along: Vec<f64> = sample.iter().map(|p| p[axis]).collect();
        along.sort_unstable_by(f64::total_cmp);
        ends[0][axis] = along[last / 10];
        ends[1][axis] = along[last - last / 10];
    }
    ends
}
