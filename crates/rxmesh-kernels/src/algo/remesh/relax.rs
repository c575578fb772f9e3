//! Tangential smoothing.

use super::{Lines, OnLine, agree};
use crate::edit::{DEAD, FlatMesh, NO_FACE};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::{length, normalize_or_zero};
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

/// Vertices slide along lines that are straight to within 1 degree, and stay on others.
const STRAIGHT: f32 = 0.999_847_7;

/// No normal turns by more than the angle of this cosine (60 degrees) in one step.
const TURN: f32 = 0.5;

kernel! {
    /// Moves each vertex in its tangent plane towards the centre of mass of its faces, not so far that one of them turns over. Vertices of lines slide along
    /// them where they are straight, and stay where they are not. One index a vertex slot.
    pub struct Relax: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Where the vertices are.
        pub x: Global<Vec3>,
        /// Lines.
        pub lines: Lines,
        /// Where they go.
        pub moved: GlobalMut<Vec3>,
    }
}

impl FlatKernel for Relax {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.mesh.ve.get(v) == DEAD {
            return;
        }
        self.moved.set(v, self.place(v));
    }
}

impl Relax {
    #[inline(always)]
    fn place(&self, v: u32) -> Vec3 {
        let (mesh, x) = (&self.mesh, |v: u32| self.x.get(v));
        let at = x(v);
        let (mut normal, mut centre, mut area) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        let mut on = OnLine {
            count: 0,
            before: v,
            after: v,
        };
        mesh.spokes(v, |h| {
            let tip = mesh.tip(h);
            if self.lines.has(mesh, h >> 1) {
                on.after = tip;
                if on.count == 0 {
                    on.before = tip;
                }
                on.count += 1;
            }
            if mesh.face(h) != NO_FACE {
                let (u, w) = (x(tip) - at, x(mesh.tip(mesh.next(h))) - at);
                let n = u.cross(w);
                let twice = length(n);
                normal += n;
                centre += (u + w) * twice;
                area += twice;
            }
            true
        });
        if on.count > 0 {
            return self.along_line(at, &on);
        }
        if !(area > 0.0 && area < f32::INFINITY) {
            return at;
        }
        let step = centre * (1.0 / (3.0 * area));
        let n = normalize_or_zero(normal);
        self.as_far_as_possible(v, at, step - n * n.dot(step))
    }

    /// To the middle between the neighbours on a straight line.
    #[inline(always)]
    fn along_line(&self, at: Vec3, on: &OnLine) -> Vec3 {
        let (before, after) = (self.x.get(on.before), self.x.get(on.after));
        if !on.is_smooth(at, before, after, STRAIGHT) {
            return at;
        }
        let along = normalize_or_zero(after - before);
        at + along * along.dot((before + after) * 0.5 - at)
    }

    /// The whole step, or the half, or nothing of it.
    #[inline(always)]
    fn as_far_as_possible(&self, v: u32, at: Vec3, step: Vec3) -> Vec3 {
        let (mesh, x) = (&self.mesh, |v: u32| self.x.get(v));
        let mut part = 1.0;
        while part > 0.3 {
            let to = at + step * part;
            let fits = mesh.spokes(v, |h| {
                if mesh.face(h) == NO_FACE {
                    return true;
                }
                let (p, q) = (x(mesh.tip(h)), x(mesh.tip(mesh.next(h))));
                agree((p - at).cross(q - at), (p - to).cross(q - to), TURN)
            });
            if fits {
                return to;
            }
            part *= 0.5;
        }
        at
    }
}

kernel! {
    /// Takes over where vertices went. One index a vertex slot.
    pub struct Accept: Flat {
        /// Where they went.
        pub moved: Global<Vec3>,
        /// Where they are.
        pub x: GlobalMut<Vec3>,
    }
}

impl FlatKernel for Accept {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.x.set(v, self.moved.get(v));
    }
}
