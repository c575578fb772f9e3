//! Gaussian curvature by angle defects and mean curvature by the cotangent Laplacian, over mixed Voronoi areas
//! (Meyer, Desbrun, Schroeder, Barr 2003, "Discrete differential-geometry operators", sections 3 to 5).

use crate::algo::measure::corners::corner_weights;
use crate::attr::Staged;
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::math::{angle, length};
use crate::mem::{Bits, GlobalMut, Plan, Shared};
use crate::query::LocalEv;
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};
use core::f32::consts::{FRAC_PI_2, FRAC_PI_3};
use glam::Vec3;

kernel_list! {
    patch curvatures: Curvatures;
}

kernel! {
    /// Computes the curvatures of each vertex.
    pub struct Curvatures: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Angle defects: integrated Gaussian curvature.
        pub defect: GlobalMut<f32>,
        /// Angle defect over area, in one over squared length.
        pub gaussian: GlobalMut<f32>,
        /// Mean curvature, in one over length; positive where the surface bends away from its normal.
        pub mean: GlobalMut<f32>,
        /// Mixed Voronoi areas, in squared length.
        pub area: GlobalMut<f32>,
        /// Factor that brings lengths near one.
        pub scale: f32,
    }
}

/// Sums at each owned vertex.
#[derive(Clone, Copy)]
#[repr(u32)]
enum SumOffset {
    /// Corner angles less a third of pi each: small numbers, which keep their digits.
    Angle,
    /// Corners.
    Corners,
    /// Mixed Voronoi area.
    Area,
    /// Laplacian, three components.
    Laplace,
    /// Sum of the faces' normals times their areas, three components.
    Normal = 6,
    /// Number of components.
    Stride = 9,
}

/// Shared memory of the kernel.
#[derive(Clone, Copy)]
pub struct CurvatureTables {
    ev: LocalEv,
    faces: Shared<u32>,
    boundary: Bits,
    sums: Shared<f32>,
}

impl CurvatureTables {
    #[inline(always)]
    fn add(&self, v: u32, what: SumOffset, x: f32) {
        self.sums.add(SumOffset::Stride as u32 * v + what as u32, x);
    }

    #[inline(always)]
    fn add3(&self, v: u32, what: SumOffset, x: Vec3) {
        let at = SumOffset::Stride as u32 * v + what as u32;
        self.sums.add(at, x.x);
        self.sums.add(at + 1, x.y);
        self.sums.add(at + 2, x.z);
    }

    #[inline(always)]
    fn get(&self, v: u32, what: SumOffset) -> f32 {
        self.sums.get(SumOffset::Stride as u32 * v + what as u32)
    }

    #[inline(always)]
    fn get3(&self, v: u32, what: SumOffset) -> Vec3 {
        let at = SumOffset::Stride as u32 * v + what as u32;
        Vec3::new(
            self.sums.get(at),
            self.sums.get(at + 1),
            self.sums.get(at + 2),
        )
    }
}

/// Returns the differences of the three angles of a triangle, given by two of its sides, from a third of pi. The three
/// add up to zero whatever the triangle, to the rounding of these small numbers; a triangle without a side counts as
/// the limit of a symmetric one.
#[inline(always)]
fn deviations(xy: Vec3, xz: Vec3) -> Vec3 {
    let yz = xz - xy;
    let (lxy, lxz, lyz) = (xy.dot(xy), xz.dot(xz), yz.dot(yz));
    let area2 = length(xy.cross(xz));
    let a = if !(lxy > 0.0 && lxz > 0.0 && lyz > 0.0) {
        let (xy, xz, yz) = (lxy > 0.0, lxz > 0.0, lyz > 0.0);
        let right = |side: bool| if side { 0.0 } else { FRAC_PI_2 };
        // With one side missing the other two are equal: two right angles at its ends.
        if xy || xz || yz {
            Vec3::new(right(xy && xz), right(xy && yz), right(xz && yz))
        } else {
            Vec3::splat(FRAC_PI_3)
        }
    } else {
        Vec3::new(
            angle(area2, xy.dot(xz)),
            angle(area2, -xy.dot(yz)),
            angle(area2, xz.dot(yz)),
        )
    };
    let d = a - Vec3::splat(FRAC_PI_3);
    d - Vec3::splat((d.x + d.y + d.z) * (1.0 / 3.0))
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for Curvatures {
    type Tables = CurvatureTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> CurvatureTables {
        Fields::carve(self, h, plan);
        CurvatureTables {
            ev: LocalEv::carve(h, plan),
            faces: plan.take(u32::from(h.total[1])),
            boundary: Bits::take(plan, u32::from(h.total[0])),
            sums: plan.take(SumOffset::Stride as u32 * u32::from(h.owned[0])),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &CurvatureTables) {
        let (owned, edges) = (patch.owned::<Vertex>(), patch.total::<Edge>());
        b.phase(|p| {
            self.load(p, patch);
            t.ev.load(p, patch);
            t.boundary.clear(p);
            p.each(edges, |e| t.faces.set(e, 0));
            p.each(SumOffset::Stride as u32 * owned, |k| t.sums.set(k, 0.0));
        });
        b.each(patch.total::<Face>(), |f| self.add_face(patch, t, owned, f));
        b.each(edges, |e| {
            if t.faces.get(e) == 1 {
                let (i, j) = patch.edge_vertices(e);
                t.boundary.insert(i);
                t.boundary.insert(j);
            }
        });
        b.last_phase(|p| p.each(owned, |v| self.finish(patch, t, v)));
    }
}

impl Curvatures {
    /// Adds a face's share to its edges and owned corners.
    #[inline(always)]
    fn add_face(&self, patch: &Patch, t: &CurvatureTables, owned: u32, f: u32) {
        let sides = patch.face_edges(f);
        let v = sides.map(|s| t.ev.start(s));
        let [x, y, z] = v.map(|v| self.x.at(v));
        let (xy, xz) = ((y - x) * self.scale, (z - x) * self.scale);
        let (cot, area) = corner_weights(Vec3::ZERO, xy, xz);
        let angles = deviations(xy, xz);
        let normal = xy.cross(xz);
        let yz = xz - xy;
        // A face that has an edge on two sides counts once.
        let [a, b, c] = sides.map(|s| s >> 1);
        t.faces.fetch_add(a, 1);
        if b != a {
            t.faces.fetch_add(b, 1);
        }
        if c != a && c != b {
            t.faces.fetch_add(c, 1);
        }
        let add = |v: u32, angle: f32, area: f32, laplace: Vec3| {
            if v < owned {
                t.add(v, SumOffset::Angle, angle);
                t.add(v, SumOffset::Corners, 1.0);
                t.add(v, SumOffset::Area, area);
                t.add3(v, SumOffset::Laplace, laplace);
                t.add3(v, SumOffset::Normal, normal);
            }
        };
        add(v[0], angles.x, area.x, xy * cot.z + xz * cot.y);
        add(v[1], angles.y, area.y, yz * cot.x - xy * cot.z);
        add(v[2], angles.z, area.z, -xz * cot.y - yz * cot.x);
    }

    /// Writes a vertex's curvatures.
    #[inline(always)]
    fn finish(&self, patch: &Patch, t: &CurvatureTables, v: u32) {
        let out = patch.base::<Vertex>() + v;
        let boundary = t.boundary.contains(v);
        let flat = match () {
            () if t.get(v, SumOffset::Corners) == 0.0 => 0.0,
            () if boundary => 3.0,
            () => 6.0,
        };
        let defect = (flat - t.get(v, SumOffset::Corners)) * FRAC_PI_3 - t.get(v, SumOffset::Angle);
        let area = t.get(v, SumOffset::Area);
        let laplace = t.get3(v, SumOffset::Laplace);
        let side = if laplace.dot(t.get3(v, SumOffset::Normal)) > 0.0 {
            -0.25
        } else {
            0.25
        };
        let some = area > 0.0;
        let per_area = if some { self.scale / area } else { 0.0 };
        self.defect.set(out, defect);
        self.gaussian.set(out, defect * per_area * self.scale);
        self.mean.set(
            out,
            if boundary {
                0.0
            } else {
                side * length(laplace) * per_area
            },
        );
        self.area.set(out, area / self.scale / self.scale);
    }
}
