//! Objects, groups and materials as numbers of faces.

use crate::mesh::{TagKind, TriMesh};
use std::collections::HashMap;

/// A number for each face: faces have the same one if their object, group and material are the same.
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
