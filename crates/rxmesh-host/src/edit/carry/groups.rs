//! Objects, groups and materials as numbers of faces.

use crate::mesh::{TagKind, TriMesh};
use std::collections::HashMap;

/// Returns a number for each face: faces have the same one if their object, group and material are the same.
pub(super) fn of_faces(mesh: &TriMesh) -> Vec<u32> {
    let faces = mesh.face_count();
    let mut groups = vec![0; faces];
    for kind in [TagKind::Object, TagKind::Group, TagKind::Material] {
        // A name that comes again is the same group.
        let mut names: HashMap<&str, u32> = HashMap::new();
        let mut named = vec![0; faces];
        for (range, text) in mesh.extras.face_ranges(kind, faces) {
            let next = names.len() as u32 + 1;
            let number = *names.entry(text).or_insert(next);
            named[range.start as usize..range.end as usize].fill(number);
        }
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for (group, name) in groups.iter_mut().zip(named) {
            let next = pairs.len() as u32;
            *group = *pairs.entry((*group, name)).or_insert(next);
        }
    }
    groups
}

/// Numbers faces so that two have the same number exactly if both their numbers before and their rows are equal.
pub(super) fn refine<R: Eq + std::hash::Hash>(
    before: Option<Vec<u32>>,
    rows: impl Iterator<Item = R>,
) -> Vec<u32> {
    let mut pairs: HashMap<(u32, R), u32> = HashMap::new();
    let number = |(i, row): (usize, R)| {
        let old = before.as_ref().map_or(0, |before| before[i]);
        let next = pairs.len() as u32;
        *pairs.entry((old, row)).or_insert(next)
    };
    rows.enumerate().map(number).collect()
}
