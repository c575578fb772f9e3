//! Nodes of the scene, and their places in the world.

use super::super::error::Fault;
use super::json::{self, JsonItem, JsonObject, MESHES, NODES, SCENES};
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// A mesh at a place.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) mesh: usize,
    /// From the mesh to the world; `None` where both are the same.
    pub(super) placed: Option<DMat4>,
    /// Name of the node, else of the mesh; empty without both.
    pub(super) name: String,
    /// Number of its skin.
    pub(super) skin: Option<usize>,
}

/// Meshes of the scene, in the order of its nodes.
#[derive(Debug, Default)]
pub(super) struct Instances {
    pub(super) all: Vec<Instance>,
    pub(super) warnings: Vec<String>,
}

/// Returns the meshes that the scene shows. A document without scenes shows all nodes, one without nodes all meshes.
pub(super) fn instances(document: &JsonObject) -> Result<Instances, Fault> {
    let mut found = Instances::default();
    let nodes = json::list(document, NODES)?.len();
    if nodes == 0 {
        for mesh in 0..json::list(document, MESHES)?.len() {
            let item = json::item(document, MESHES, mesh)?;
            found.all.push(Instance {
                mesh,
                placed: None,
                name: item.text("name").unwrap_or_default().to_owned(),
                skin: None,
            });
        }
        return Ok(found);
    }
    // The first ones last, as the list is taken from its end.
    let mut open: Vec<(usize, DMat4)> = Vec::new();
    let roots = roots(document, nodes, &mut found.warnings)?;
    open.extend(roots.into_iter().rev().map(|node| (node, DMat4::IDENTITY)));
    let mut seen = vec![false; nodes];
    let mut copies = 0;
    while let Some((index, above)) = open.pop() {
        let item = json::item(document, NODES, index)?;
        if std::mem::replace(&mut seen[index], true) {
            let what = "it is reached a second time, so the nodes are no trees";
            return Err(item.fault(what));
        }
        let placed = above * local(&item)?;
        let children = indices(&item, "children")?;
        open.extend(children.into_iter().rev().map(|child| (child, placed)));
        copies += usize::from(item.extension("EXT_mesh_gpu_instancing")?.is_some());
        let Some(mesh) = item.index("mesh")? else {
            continue;
        };
        // The joints alone move a mesh that has a skin.
        let skin = item.index("skin")?;
        let name = match item.text("name") {
            Some(name) if !name.is_empty() => name,
            _ => json::item(document, MESHES, mesh)?
                .text("name")
                .unwrap_or_default(),
        };
        found.all.push(Instance {
            mesh,
            placed: (placed != DMat4::IDENTITY && skin.is_none()).then_some(placed),
            name: name.to_owned(),
            skin,
        });
    }
    if copies > 0 {
        found.warnings.push(format!(
            "copies by EXT_mesh_gpu_instancing are not made: {copies} meshes are there once"
        ));
    }
    Ok(found)
}

/// Returns the nodes at which the scene begins.
fn roots(
    document: &JsonObject,
    nodes: usize,
    warnings: &mut Vec<String>,
) -> Result<Vec<usize>, Fault> {
    let scenes = json::list(document, SCENES)?.len();
    if scenes == 0 {
        let mut is_child = vec![false; nodes];
        for index in 0..nodes {
            for child in indices(&json::item(document, NODES, index)?, "children")? {
                if let Some(is_child) = is_child.get_mut(child) {
                    *is_child = true;
                }
            }
        }
        return Ok((0..nodes).filter(|&n| !is_child[n]).collect());
    }
    let scene = match document.get("scene") {
        None => 0,
        Some(value) => json::whole(value)
            .ok_or_else(|| Fault::file("'scene' must be a whole number of 0 or more"))?,
    };
    if scenes > 1 {
        warnings.push(format!(
            "scene {scene} of {scenes} is read, the others are left out"
        ));
    }
    indices(&json::item(document, SCENES, scene)?, "nodes")
}

/// Returns the numbers of nodes in a list of an object.
pub(super) fn indices(item: &JsonItem<'_>, key: &str) -> Result<Vec<usize>, Fault> {
    let wrong = || item.fault(format!("'{key}' must hold numbers of nodes"));
    let number = |value: &Value| json::whole(value).ok_or_else(wrong);
    item.values(key)?.iter().map(number).collect()
}

/// Returns the transform of a node relative to its parent.
fn local(node: &JsonItem<'_>) -> Result<DMat4, Fault> {
    let matrix = match node.numbers::<16>("matrix")? {
        Some(matrix) => DMat4::from_cols_array(&matrix),
        None => {
            let at = node.numbers::<3>("translation")?.unwrap_or_default();
            let turned = node.numbers::<4>("rotation")?.map_or(DQuat::IDENTITY, |q| {
                let q = DQuat::from_array(q);
                if q.length_squared() > 0.0 {
                    q.normalize()
                } else {
                    DQuat::IDENTITY
                }
            });
            let scale = node.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
            DMat4::from_scale_rotation_translation(scale.into(), turned, DVec3::from(at))
        }
    };
    match matrix.is_finite() {
        true => Ok(matrix),
        false => Err(node.fault("its transform is not finite")),
    }
}
