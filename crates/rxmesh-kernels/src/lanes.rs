//! Numbers to compute with, one or four at a time: code written for [`Lanes`] comes to the same bits in each lane as
//! alone.

use core::ops::{Add, BitAnd, Div, Mul, Neg, Not, Sub};
use glam::{BVec4A, Vec3, Vec4};

/// Numbers that [`Vec4`] has at a time.
pub const LANES: usize = 4;

/// One number, or several at a time.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A truth for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// Returns the same number in all lanes.
    fn splat(x: f32) -> Self;
    /// Returns the lanes in which a number is larger than another.
    fn above(self, other: Self) -> Self::Mask;
    /// Returns the lanes in which a number is not larger than another.
    fn at_most(self, other: Self) -> Self::Mask;
    /// Returns the lanes in which a number is not equal to another.
    fn differs(self, other: Self) -> Self::Mask;
    /// Returns the first where the mask is true, elsewhere the second.
    fn choose(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Returns `true` if a mask is true in all lanes.
    fn all(mask: Self::Mask) -> bool;
    /// Returns `true` if a mask is true in some lane.
    fn any(mask: Self::Mask) -> bool;
    /// Returns square roots, correctly rounded.
    fn sqrt(self) -> Self;
}

impl Lanes for f32 {
    type Mask = bool;

    #[inline(always)]
    fn splat(x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn above(self, other: f32) -> bool {
        self > other
    }

    #[inline(always)]
    fn at_most(self, other: f32) -> bool {
        self <= other
    }

    #[inline(always)]
    fn differs(self, other: f32) -> bool {
        self != other
    }

    #[inline(always)]
    fn choose(mask: bool, yes: f32, no: f32) -> f32 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn sqrt(self) -> f32 {
        crate::math::sqrt(self)
    }
}

impl Lanes for Vec4 {
    type Mask = BVec4A;

    #[inline(always)]
    fn splat(x: f32) -> Vec4 {
        Vec4::splat(x)
    }

    #[inline(always)]
    fn above(self, other: Vec4) -> BVec4A {
        self.cmpgt(other)
    }

    #[inline(always)]
    fn at_most(self, other: Vec4) -> BVec4A {
        self.cmple(other)
    }

    #[inline(always)]
    fn differs(self, other: Vec4) -> BVec4A {
        self.cmpne(other)
    }

    #[inline(always)]
    fn choose(mask: BVec4A, yes: Vec4, no: Vec4) -> Vec4 {
        Vec4::select(mask, yes, no)
    }

    #[inline(always)]
    fn all(mask: BVec4A) -> bool {
        mask.all()
    }

    #[inline(always)]
    fn any(mask: BVec4A) -> bool {
        mask.any()
    }

    #[inline(always)]
    fn sqrt(self) -> Vec4 {
        Vec4::sqrt(self)
    }
}

/// Returns three values, each computed by the function. (`array::map` is not always inlined, and loops call it then.)
#[inline(always)]
pub fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// Works like [`three`].
#[inline(always)]
pub fn four<T>(f: impl Fn(usize) -> T) -> [T; 4] {
    [f(0), f(1), f(2), f(3)]
}

/// A vector of three of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<T> {
    /// First coordinate.
    pub x: T,
    /// Second coordinate.
    pub y: T,
    /// Third coordinate.
    pub z: T,
}

impl<T> Point<T> {
    /// Creates a vector from its coordinates.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Point { x, y, z }
    }
}

impl<T: Lanes> Point<T> {
    /// Returns the same vector in all lanes.
    #[inline(always)]
    pub fn splat(v: Vec3) -> Self {
        Point::new(T::splat(v.x), T::splat(v.y), T::splat(v.z))
    }

    /// Returns the dot product.
    #[inline(always)]
    pub fn dot(self, v: Self) -> T {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    /// Returns the cross product.
    #[inline(always)]
    pub fn cross(self, v: Self) -> Self {
        Point::new(
            self.y * v.z - v.y * self.z,
            self.z * v.x - v.z * self.x,
            self.x * v.y - v.x * self.y,
        )
    }

    /// Returns the length.
    #[inline(always)]
    pub fn length(self) -> T {
        self.dot(self).sqrt()
    }

    /// Returns the vector times a number.
    #[inline(always)]
    pub fn times(self, by: T) -> Self {
        Point::new(self.x * by, self.y * by, self.z * by)
    }

    /// Returns the first where the mask is true, elsewhere the second.
    #[inline(always)]
    pub fn choose(mask: T::Mask, yes: Self, no: Self) -> Self {
        Point::new(
            T::choose(mask, yes.x, no.x),
            T::choose(mask, yes.y, no.y),
            T::choose(mask, yes.z, no.z),
        )
    }
}

impl Point<Vec4> {
    /// Gathers a vector for each lane.
    #[inline(always)]
    pub fn gather([a, b, c, d]: [Vec3; 4]) -> Self {
        Point::new(
            Vec4::new(a.x, b.x, c.x, d.x),
            Vec4::new(a.y, b.y, c.y, d.y),
            Vec4::new(a.z, b.z, c.z, d.z),
        )
    }
}

impl From<Vec3> for Point<f32> {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Point::new(v.x, v.y, v.z)
    }
}

impl From<Point<f32>> for Vec3 {
    #[inline(always)]
    fn from(v: Point<f32>) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}

impl<T: Lanes> Add for Point<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, v: Self) -> Self {
        Point::new(self.x + v.x, self.y + v.y, self.z + v.z)
    }
}

impl<T: Lanes> Sub for Point<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, v: Self) -> Self {
        Point::new(self.x - v.x, self.y - v.y, self.z - v.z)
    }
}

impl<T: Lanes> Neg for Point<T> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Point::new(-self.x, -self.y, -self.z)
    }
}
