//! Isotropic remeshing (Botsch and Kobbelt 2004, "A remeshing approach to multiresolution modeling", section 4): edges
//! much longer than a target are split, much shorter ones contracted, flips equalise the valences, vertices move in
//! their tangent planes.

mod adapt;
mod collapse;
mod flip;
mod lines;
mod places;
mod relax;
mod rings;
mod size;
mod sizing;
mod slender;
mod split;

pub use adapt::{AdaptLengths, FollowLengths, GradeLengths};
pub use collapse::CollapseShort;
pub use flip::{Deviations, EqualiseFlip};
pub(crate) use lines::MOST_CORNERS;
pub use lines::{
    CORNER_COSINE, FEATURE, FEATURE_WORDS, LineEdges, ListFeatures, MARKED, MarkBorders, MarkEnds,
    MarkFeatures, OnLine, Unmark,
};
pub use places::HintedPoints;
pub use relax::{Accept, AcceptValues, PutBack, Relax, Resample};
pub use rings::{Centre, CountRings, GAP, LINE, RingLists, Star, WriteRings};
pub use size::{LENGTH_CHUNK, LabelAreas, LabelLengths, ScaleLengths, SumAreas, SumLengths};
pub use sizing::Sizing;
pub use slender::{CountSlender, SLENDER};
pub(crate) use split::longer_first;
pub use split::{Halves, SplitLong};

use crate::math::sqrt;
use glam::Vec3;

kernel_list! {
    block sum_lengths: SumLengths;
    block sum_areas: SumAreas;
    flat label_lengths: LabelLengths;
    flat label_areas: LabelAreas;
    flat scale_lengths: ScaleLengths;
    flat count_slender: CountSlender;
    flat mark_features: MarkFeatures;
    flat list_features: ListFeatures;
    flat unmark: Unmark;
    flat mark_borders: MarkBorders;
    flat mark_ends: MarkEnds;
    operator split_long: SplitLong;
    operator collapse_short: CollapseShort;
    flat deviations: Deviations;
    operator equalise: EqualiseFlip;
    flat count_rings: CountRings;
    flat write_rings: WriteRings;
    flat relax: Relax;
    flat accept: Accept;
    flat accept_values: AcceptValues;
    flat resample: Resample;
    flat put_back: PutBack;
    flat adapt_lengths: AdaptLengths;
    flat grade_lengths: GradeLengths;
    flat follow_lengths: FollowLengths;
}

/// Returns twice the area of a triangle over the sum of its squared sides, scaled so that equilateral triangles have 1
/// and degenerate ones 0.
#[inline(always)]
pub(crate) fn shape(a: Vec3, b: Vec3, c: Vec3) -> f32 {
    const EQUILATERAL: f32 = 3.464_101_6;
    let (u, v, w) = (b - a, c - b, a - c);
    let n = u.cross(v);
    let sides = u.dot(u) + v.dot(v) + w.dot(w);
    if sides > 0.0 {
        EQUILATERAL * sqrt(n.dot(n)) / sides
    } else {
        0.0
    }
}

/// Returns `true` if two normals of any length point the same way: their cosine is at least `least`, which is not
/// negative.
#[inline(always)]
pub(crate) fn agree(u: Vec3, v: Vec3, least: f32) -> bool {
    let dot = u.dot(v);
    dot >= 0.0 && dot * dot >= least * least * (u.dot(u) * v.dot(v))
}
