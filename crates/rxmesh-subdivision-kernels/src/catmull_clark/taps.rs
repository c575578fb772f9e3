//! Regular masks along a row of points.

/// Three weights on neighbouring points of a curve, for the new point at index `a` of a row that begins with an odd
/// one; the indices of the points.
#[derive(Clone, Copy)]
pub(super) struct Taps {
    pub(super) at: [u32; 3],
    weights: [f32; 3],
}

impl Taps {
    #[inline(always)]
    pub(super) fn new(a: u32) -> Taps {
        let (first, even) = (a / 2, a & 1);
        // With two points the second is taken twice, with half its weight.
        let (w0, w1) = if even == 1 {
            (0.125, 0.75)
        } else {
            (0.5, 0.25)
        };
        Taps {
            at: [first, first + 1, first + 1 + even],
            weights: [w0, w1, 1.0 - w0 - w1],
        }
    }

    #[inline(always)]
    pub(super) fn sum(&self, x: impl Fn(u32) -> f32) -> f32 {
        let (a, w) = (&self.at, &self.weights);
        w[0] * x(a[0]) + w[1] * x(a[1]) + w[2] * x(a[2])
    }
}

/// Returns the new point where a row across and a row down meet on a base edge: the crease along the edge, weighted
/// with `weight`, else `smooth`. Edges of odd sides go down.
#[inline(always)]
pub(super) fn creased(
    [across, down]: [&Taps; 2],
    side: u32,
    weight: f32,
    smooth: f32,
    at: impl Fn(u32, u32) -> f32,
) -> f32 {
    if weight <= 0.0 {
        return smooth;
    }
    let crease = if side & 1 == 1 {
        down.sum(|y| at(across.at[1], y))
    } else {
        across.sum(|x| at(x, down.at[1]))
    };
    if weight == 1.0 {
        crease
    } else {
        smooth + weight * (crease - smooth)
    }
}
