//! The boundary of triangles: sides that are not balanced by those of other triangles. Vertices at one place are one
//! vertex here, so that triangles without common vertices may bound a volume too.

use super::bounds::component;
use super::tree::IndexedTriangles;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

kernel_list! {
    flat place_keys: PlaceKeys;
    flat flag_places: FlagPlaces;
    flat number_places: NumberPlaces;
    flat side_keys: SideKeys;
    flat count_sides: CountSides;
    flat write_boundary: WriteBoundary;
}

/// Returns the bits of a coordinate; both zeroes have the same.
#[inline(always)]
fn bits(x: f32) -> u32 {
    (x + 0.0).to_bits()
}

kernel! {
    /// Writes a coordinate of each vertex as a key. One index per vertex.
    pub struct PlaceKeys: Flat {
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// Order of the vertices; becomes that of their numbers for the first coordinate.
        pub order: GlobalMut<u32>,
        /// Coordinate: 0, 1 or 2.
        pub axis: u32,
        /// Keys in that order.
        pub keys: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for PlaceKeys {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.axis == 0 {
            self.order.set(i, i);
        }
        let p = self.x.get(self.order.get(i));
        self.keys.set(i, bits(component(p, self.axis)));
    }
}

kernel! {
    /// Flags the first vertex of each place. One index per vertex.
    pub struct FlagPlaces: Flat {
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// Order of the vertices in which those at one place follow each other.
        pub order: Global<u32>,
        /// 1 for the first one at a place, else 0; in that order.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: as for [`PlaceKeys`].
unsafe impl FlatKernel for FlagPlaces {
    #[inline(always)]
    fn run(&self, i: u32) {
        let at = |i: u32| self.x.get(self.order.get(i)).to_array().map(bits);
        let is_first = i == 0 || at(i) != at(i - 1);
        self.flags.set(i, u32::from(is_first));
    }
}

kernel! {
    /// Writes the number of each vertex's place. One index per vertex.
    pub struct NumberPlaces: Flat {
        /// See [`FlagPlaces::order`].
        pub order: Global<u32>,
        /// Exclusive prefix sum of [`FlagPlaces::flags`].
        pub before: Global<u32>,
        /// Number of places.
        pub count: u32,
        /// Number of the place of each vertex.
        pub places: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart, since the order holds each vertex once; the host launches no more of them
// than the views hold (contracts U3, U4).
unsafe impl FlatKernel for NumberPlaces {
    #[inline(always)]
    fn run(&self, i: u32) {
        // Places up to this vertex: they count from 0 on, and the first vertex has a flag.
        let n = self.order.len();
        let up_to = if i + 1 < n {
            self.before.get(i + 1)
        } else {
            self.count
        };
        self.places.set(self.order.get(i), up_to - 1);
    }
}

/// Returns the vertices at the ends of a side, in its direction.
#[inline(always)]
fn vertices(faces: Global<u32>, side: u32) -> [u32; 2] {
    let next = if side % 3 == 2 { side - 2 } else { side + 1 };
    [faces.get(side), faces.get(next)]
}

/// Returns the places at the ends of a side, in its direction.
#[inline(always)]
fn ends(faces: Global<u32>, places: Global<u32>, side: u32) -> [u32; 2] {
    vertices(faces, side).map(|v| places.get(v))
}

kernel! {
    /// Writes the smaller or the greater place at the ends of each side as a key. One index per side.
    pub struct SideKeys: Flat {
        /// Three vertices a triangle.
        pub faces: Global<u32>,
        /// See [`NumberPlaces::places`].
        pub places: Global<u32>,
        /// Order of the sides; becomes that of their numbers for the greater places.
        pub order: GlobalMut<u32>,
        /// 1 for the greater place, which comes first, 0 for the smaller one.
        pub greater: u32,
        /// Keys in that order.
        pub keys: GlobalMut<u32>,
    }
}

// SAFETY: as for [`PlaceKeys`].
unsafe impl FlatKernel for SideKeys {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.greater == 1 {
            self.order.set(i, i);
        }
        let [a, b] = ends(self.faces, self.places, self.order.get(i));
        let key = if self.greater == 1 {
            a.max(b)
        } else {
            a.min(b)
        };
        self.keys.set(i, key);
    }
}

kernel! {
    /// Sums the directions of the sides between the same places, at the first one of them. One index per side.
    pub struct CountSides: Flat {
        /// Three vertices a triangle.
        pub faces: Global<u32>,
        /// See [`NumberPlaces::places`].
        pub places: Global<u32>,
        /// Order of the sides in which those between the same places follow each other.
        pub order: Global<u32>,
        /// Sum of the sides in the direction of the first one, less those in the other one, as an `i32`; in that order.
        pub sums: GlobalMut<u32>,
        /// 1 where the sum is not 0.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: as for [`PlaceKeys`].
unsafe impl FlatKernel for CountSides {
    #[inline(always)]
    fn run(&self, i: u32) {
        let at = |i: u32| ends(self.faces, self.places, self.order.get(i));
        let [a, b] = at(i);
        let is_same = |[c, d]: [u32; 2]| a == c && b == d || a == d && b == c;
        let is_first = a != b && (i == 0 || !is_same(at(i - 1)));
        let mut sum = 0i32;
        if is_first {
            let mut k = i;
            while k < self.order.len() {
                let [c, d] = at(k);
                if !is_same([c, d]) {
                    break;
                }
                sum += if c == a { 1 } else { -1 };
                k += 1;
            }
        }
        self.sums.set(i, sum as u32);
        self.flags.set(i, u32::from(sum != 0));
    }
}

kernel! {
    /// Writes the edges of the boundary one after the other. One index per side.
    pub struct WriteBoundary: Flat {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// See [`CountSides::order`].
        pub order: Global<u32>,
        /// See [`CountSides::sums`].
        pub sums: Global<u32>,
        /// Exclusive prefix sum of [`CountSides::flags`].
        pub before: Global<u32>,
        /// Two ends of each edge, in its direction.
        pub ends: GlobalMut<Vec3>,
        /// Count of each edge.
        pub counts: GlobalMut<f32>,
    }
}

// SAFETY: as for [`PlaceKeys`], to numbers of their own by the prefix sum.
unsafe impl FlatKernel for WriteBoundary {
    #[inline(always)]
    fn run(&self, i: u32) {
        let sum = self.sums.get(i) as i32;
        if sum != 0 {
            let (to, side) = (self.before.get(i), self.order.get(i));
            let [from, end] = vertices(self.triangles.faces, side).map(|v| self.triangles.x.get(v));
            self.ends.set(2 * to, from);
            self.ends.set(2 * to + 1, end);
            self.counts.set(to, sum as f32);
        }
    }
}
