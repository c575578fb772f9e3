//! Labels of faces: groups of the file and connected parts.

use crate::error::PictureError;
use crate::options::fault;
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::TagKind;
use std::collections::HashMap;

/// Returns a number for each face's groups, objects and materials, in the order of their first faces.
pub(crate) fn groups(mesh: &TriMesh) -> Result<Vec<u32>, PictureError> {
    let faces = mesh.face_count();
    let mut labels = vec![0u32; faces];
    let kinds = [TagKind::Group, TagKind::Material, TagKind::Object];
    // Of the kinds of statements, the first that tells faces apart.
    for kind in kinds {
        let ranges = mesh.extras.face_ranges(kind, faces);
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for (range, text) in ranges {
            let next = numbers.len() as u32;
            let number = *numbers.entry(text).or_insert(next);
            labels[range.start as usize..range.end as usize].fill(number);
        }
        if numbers.len() > 1 {
            return Ok(labels);
        }
    }
    match mesh.extras.tags.is_empty() {
        true => fault("the mesh has no groups, objects or materials".into()),
        false => Ok(labels),
    }
}

/// Returns a number for each face's connected part: faces that share a vertex belong together. Parts are numbered in
/// the order of their first faces.
pub(crate) fn parts(mesh: &TriMesh) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
    fn root(roots: &mut [u32], mut v: u32) -> u32 {
        while roots[v as usize] != v {
            roots[v as usize] = roots[roots[v as usize] as usize];
            v = roots[v as usize];
        }
        v
    }
    for &[a, b, c] in &mesh.faces {
        for other in [b, c] {
            let (a, b) = (root(&mut roots, a), root(&mut roots, other));
            roots[a.max(b) as usize] = a.min(b);
        }
    }
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let number = |&[a, ..]: &[u32; 3]| {
        let next = numbers.len() as u32;
        *numbers.entry(root(&mut roots, a)).or_insert(next)
    };
    mesh.faces.iter().map(number).collect()
}
