//! Tests of meshes, recipes and the check.

use super::generate::*;
use super::*;

#[test]
fn recipes_have_their_euler_characteristic() {
    let euler = |m: &TriMesh| check(m).euler_characteristic;
    assert_eq!(euler(&icosphere(3).unwrap()), 2);
    assert_eq!(euler(&torus(12, 7, 2.0, 0.5).unwrap()), 0);
    assert_eq!(euler(&grid(5, 9).unwrap()), 1);
    assert_eq!(euler(&cylinder(8, 3, 1.0, 2.0, false).unwrap()), 0);
    assert_eq!(euler(&cylinder(8, 3, 1.0, 2.0, true).unwrap()), 2);
    assert_eq!(euler(&fan(17).unwrap()), 1);
}
