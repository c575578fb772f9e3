//! Parts of a mesh: runs of faces of one object, group and material, and the vertices that objects share.

use crate::mesh::{Tag, TagKind};
use std::ops::Range;

/// Faces that become a primitive.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FaceRun<'a> {
    pub(super) faces: Range<usize>,
    pub(super) group: &'a str,
    pub(super) material: &'a str,
}

/// Faces that become a mesh.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObjectRun<'a> {
    pub(super) name: &'a str,
    pub(super) runs: Vec<FaceRun<'a>>,
}

/// Returns the runs of faces between statements of a mesh, by object.
pub(super) fn objects(tags: &[Tag], faces: usize) -> Vec<ObjectRun<'_>> {
    let mut all: Vec<ObjectRun<'_>> = Vec::new();
    let [mut object, mut group, mut material] = [""; 3];
    let mut fresh = true;
    let mut tags = tags.iter().peekable();
    let mut first = 0;
    while first < faces {
        while let Some(tag) = tags.next_if(|t| t.face as usize <= first) {
            match tag.kind {
                TagKind::Object => (object, fresh) = (&tag.text, true),
                TagKind::Group => group = &tag.text,
                TagKind::Material => material = &tag.text,
                TagKind::Smoothing | TagKind::Library => {}
            }
        }
        let end = tags.peek().map_or(faces, |t| (t.face as usize).min(faces));
        if fresh {
            all.push(ObjectRun {
                name: object,
                runs: Vec::new(),
            });
            fresh = false;
        }
        if let Some(last) = all.last_mut() {
            let faces = first..end;
            match last.runs.last_mut() {
                Some(run) if run.group == group && run.material == material => run.faces.end = end,
                _ => last.runs.push(FaceRun {
                    faces,
                    group,
                    material,
                }),
            }
        }
        first = end;
    }
    all
}

/// Returns for each object the range of vertices from which its indices count. Objects that come one after the other
/// also in the order of vertices have their own; others share one, so that no vertex is there twice.
pub(super) fn vertex_ranges(
    objects: &[ObjectRun<'_>],
    faces: &[[u32; 3]],
    vertices: usize,
) -> Vec<Range<usize>> {
    if objects.len() < 2 {
        return vec![0..vertices; objects.len()];
    }
    let spans: Vec<(usize, usize)> = objects
        .iter()
        .map(|object| {
            let all = object
                .runs
                .iter()
                .flat_map(|run| &faces[run.faces.clone()])
                .flatten();
            all.fold((usize::MAX, 0), |(low, high), &v| {
                (low.min(v as usize), high.max(v as usize + 1))
            })
        })
        .collect();
    // Lowest vertex of this object and all after it.
    let mut least = vec![usize::MAX; objects.len() + 1];
    for i in (0..objects.len()).rev() {
        least[i] = least[i + 1].min(spans[i].0);
    }
    let mut ranges = Vec::with_capacity(objects.len());
    let (mut first, mut high) = (0, 0);
    for i in 0..objects.len() {
        high = high.max(spans[i].1);
        let is_last = i + 1 == objects.len();
        if is_last || high <= least[i + 1] {
            let end = if is_last { vertices } else { high };
            ranges.resize(i + 1, first..end);
            first = end;
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_the_statements() {
        let tag = |face, kind, text: &str| Tag {
            face,
            kind,
            text: text.into(),
        };
        let tags = [
            tag(1, TagKind::Material, "wood"),
            tag(1, TagKind::Smoothing, "1"),
            tag(2, TagKind::Object, "leg"),
            tag(2, TagKind::Group, "a"),
            tag(3, TagKind::Group, "a"),
            tag(4, TagKind::Material, "steel"),
            tag(5, TagKind::Object, "none"),
        ];
        let all = objects(&tags, 5);
        let run = |faces, group, material| FaceRun {
            faces,
            group,
            material,
        };
        let expected = [
            ObjectRun {
                name: "",
                runs: vec![run(0..1, "", ""), run(1..2, "", "wood")],
            },
            ObjectRun {
                name: "leg",
                runs: vec![run(2..4, "a", "wood"), run(4..5, "a", "steel")],
            },
        ];
        assert_eq!(all, expected);
        assert!(objects(&tags, 0).is_empty());
    }

    #[test]
    fn objects_share_vertices_only_where_they_must() {
        let object = |faces| ObjectRun {
            name: "",
            runs: vec![FaceRun {
                faces,
                group: "",
                material: "",
            }],
        };
        let objects = [object(0..1), object(1..2), object(2..3)];
        let apart = [[0, 1, 2], [4, 5, 3], [6, 7, 8]];
        assert_eq!(vertex_ranges(&objects, &apart, 10), [0..3, 3..6, 6..10]);
        let shared = [[0, 1, 4], [3, 2, 5], [6, 7, 8]];
        assert_eq!(vertex_ranges(&objects, &shared, 9), [0..6, 0..6, 6..9]);
        let turned = [[6, 7, 8], [3, 4, 5], [0, 1, 2]];
        assert_eq!(vertex_ranges(&objects, &turned, 9), [0..9, 0..9, 0..9]);
    }
}
