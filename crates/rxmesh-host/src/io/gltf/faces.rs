//! Faces of a primitive.

use super::super::error::Fault;
use super::json::JsonItem;

/// Kind of the elements of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Points,
    /// Lines, loops and strips of them.
    Lines,
    Triangles,
    Strip,
    Fan,
}

impl Mode {
    pub(super) fn of(primitive: &JsonItem<'_>) -> Result<Mode, Fault> {
        Ok(match primitive.index("mode")?.unwrap_or(4) {
            0 => Mode::Points,
            1..=3 => Mode::Lines,
            4 => Mode::Triangles,
            5 => Mode::Strip,
            6 => Mode::Fan,
            mode => return Err(primitive.fault(format!("'mode' {mode} is none of glTF's"))),
        })
    }

    /// Returns the corners of the triangles that vertices in this order make. Of strips and fans, those with a vertex
    /// twice are left out: they lead from one part to the next.
    pub(super) fn corners(self, mut order: Vec<u32>) -> Vec<u32> {
        let proper = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        match self {
            Mode::Points | Mode::Lines => Vec::new(),
            Mode::Triangles => {
                order.truncate(order.len() / 3 * 3);
                order
            }
            Mode::Strip => {
                let face = |(i, w): (usize, &[u32])| [w[0], w[1 + i % 2], w[2 - i % 2]];
                let faces = order.windows(3).enumerate().map(face);
                faces.filter(proper).flatten().collect()
            }
            Mode::Fan => {
                let hub = order.first().copied().unwrap_or(0);
                let rest = order.get(1..).unwrap_or_default();
                let faces = rest.windows(2).map(|w| [w[0], w[1], hub]);
                faces.filter(proper).flatten().collect()
            }
        }
    }
}

/// Turns triangles the other way round, as in a mirror.
pub(super) fn turn(corners: &mut [u32]) {
    let faces = corners.as_chunks_mut::<3>().0;
    faces.iter_mut().for_each(|face| face.swap(1, 2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_side() {
        let order = vec![0, 1, 2, 3, 4];
        let strip = [0, 1, 2, 1, 3, 2, 2, 3, 4];
        assert_eq!(Mode::Strip.corners(order.clone()), strip);
        let fan = [1, 2, 0, 2, 3, 0, 3, 4, 0];
        assert_eq!(Mode::Fan.corners(order.clone()), fan);
        assert_eq!(Mode::Triangles.corners(order), [0, 1, 2]);
        let stitched = vec![0, 1, 2, 2, 3, 3, 4, 5];
        assert_eq!(Mode::Strip.corners(stitched), [0, 1, 2, 3, 5, 4]);
        assert!(Mode::Fan.corners(Vec::new()).is_empty());
    }
}
