//! Skins: joints with their nodes and inverse bind matrices, which go from file to file as they are.

use super::super::error::Fault;
use super::accessors::AccessorReader;
use super::json::{self, JsonItem, JsonObject, NODES, SKINS};
use super::layout::{AccessorForm, BufferLayout, bytes};
use super::parts::ObjectRun;
use super::scene::{self, Instance};
use super::values::Component;
use crate::mesh::{
    ColumnData, ElementKind, Extras, Placement, SourceSkin, SourceSkins, shown_name,
};
use glam::{DMat4, DVec3, Mat4};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Members of a node that a skeleton keeps. Meshes and cameras that hang on joints are left out.
const MEMBERS: [&str; 6] = [
    "name",
    "translation",
    "rotation",
    "scale",
    "matrix",
    "extras",
];

/// Form of inverse bind matrices.
const MATRIX: AccessorForm = AccessorForm {
    component: Component::F32,
    width: 16,
    normalized: false,
};

/// Nodes of skeletons while they are found: joints, and everything above them.
struct Skeleton {
    /// Node above each node of the document.
    parents: Vec<Option<usize>>,
    /// Places in the list of kept nodes.
    places: HashMap<usize, usize>,
    kept: Vec<usize>,
}

impl Skeleton {
    fn new(document: &JsonObject) -> Result<Skeleton, Fault> {
        let mut parents = vec![None; json::list(document, NODES)?.len()];
        for index in 0..parents.len() {
            for child in scene::indices(&json::item(document, NODES, index)?, "children")? {
                if let Some(parent @ None) = parents.get_mut(child) {
                    *parent = Some(index);
                }
            }
        }
        Ok(Skeleton {
            parents,
            places: HashMap::new(),
            kept: Vec::new(),
        })
    }

    /// Keeps a node that a skin names, and the nodes above it. Returns its place.
    fn keep(&mut self, skin: &JsonItem<'_>, node: usize) -> Result<usize, Fault> {
        let first = self.kept.len();
        let mut at = Some(node);
        while let Some(n) = at {
            let count = self.parents.len();
            if n >= count {
                return Err(skin.fault(format!("node {n} is named, but there are {count}")));
            }
            match self.places.get(&n) {
                Some(&place) if place >= first => {
                    return Err(skin.fault("its joints hang on each other, so they are no trees"));
                }
                Some(_) => break,
                None => {}
            }
            self.places.insert(n, self.kept.len());
            self.kept.push(n);
            at = self.parents[n];
        }
        Ok(self.places[&node])
    }

    /// Returns the kept nodes; their children are places in the list.
    fn nodes(&self, document: &JsonObject) -> Result<Vec<Value>, Fault> {
        let mut all = Vec::with_capacity(self.kept.len());
        for &index in &self.kept {
            let item = json::item(document, NODES, index)?;
            let mut node = JsonObject::new();
            for key in MEMBERS {
                if let Some(value) = item.object.get(key) {
                    node.insert(key.into(), value.clone());
                }
            }
            let children = scene::indices(&item, "children")?.into_iter();
            let children = children.filter(|&c| self.parents.get(c) == Some(&Some(index)));
            let places = children.filter_map(|c| self.places.get(&c).copied());
            let places: Vec<usize> = places.collect();
            if !places.is_empty() {
                node.insert("children".into(), json!(places));
            }
            all.push(node.into());
        }
        Ok(all)
    }
}

/// Returns the skins of the meshes that the scene shows; `None` if they have none.
pub(super) fn take(
    reader: &mut AccessorReader<'_>,
    instances: &[Instance],
    warnings: &mut Vec<String>,
) -> Result<Option<SourceSkins>, Fault> {
    let mut skins = SourceSkins::default();
    // Places of the skins of the document.
    let mut places: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    let mut skeleton = None;
    for instance in instances {
        let Some(index) = instance.skin else { continue };
        let place = match places.get(&index) {
            Some(place) => *place,
            None => {
                let skeleton = match &mut skeleton {
                    Some(skeleton) => skeleton,
                    none => none.insert(Skeleton::new(reader.document)?),
                };
                let skin = skin(reader, index, skeleton, warnings)?;
                let place = skin.is_some().then_some(skins.skins.len());
                skins.skins.extend(skin);
                places.insert(index, place);
                place
            }
        };
        let Some(place) = place else { continue };
        match skins
            .objects
            .iter()
            .find(|(name, _)| *name == instance.name)
        {
            Some((name, other)) if *other != place => warnings.push(format!(
                "two objects '{}' have different skins: both get the first",
                shown_name(name)
            )),
            Some(_) => {}
            None => skins.objects.push((instance.name.clone(), place)),
        }
    }
    if let Some(skeleton) = skeleton {
        skins.nodes = skeleton.nodes(reader.document)?;
    }
    Ok((!skins.skins.is_empty()).then_some(skins))
}

/// Reads a skin. One without joints is left out.
fn skin(
    reader: &mut AccessorReader<'_>,
    index: usize,
    skeleton: &mut Skeleton,
    warnings: &mut Vec<String>,
) -> Result<Option<SourceSkin>, Fault> {
    let item = json::item(reader.document, SKINS, index)?;
    let named = scene::indices(&item, "joints")?;
    if named.is_empty() {
        warnings.push(format!("skin {index} has no joints and is left out"));
        return Ok(None);
    }
    let mut skin = SourceSkin::default();
    for node in named {
        skin.joints.push(skeleton.keep(&item, node)?);
    }
    if let Some(node) = item.index("skeleton")? {
        skin.skeleton = Some(skeleton.keep(&item, node)?);
    }
    for key in ["name", "extras"] {
        if let Some(value) = item.object.get(key) {
            skin.members.insert(key.into(), value.clone());
        }
    }
    if let Some(accessor) = item.index("inverseBindMatrices")? {
        let numbers = reader.numbers(accessor)?;
        let needed = 16 * skin.joints.len();
        match numbers.data {
            ColumnData::F32(mut values) if numbers.width == 16 && values.len() >= needed => {
                values.truncate(needed);
                skin.inverse = Some(values);
            }
            _ => {
                let joints = skin.joints.len();
                let what = format!(
                    "accessor {accessor} of 'inverseBindMatrices' holds no {joints} matrices of floats"
                );
                return Err(item.fault(what));
            }
        }
    }
    Ok(Some(skin))
}

/// Returns the skin of each object, by its place; objects whose joints are not those of their skin have none.
pub(super) fn of_objects(
    extras: &Extras,
    objects: &[ObjectRun<'_>],
    faces: &[[u32; 3]],
    warnings: &mut Vec<String>,
) -> Vec<Option<usize>> {
    let skins = extras.materials.as_ref().and_then(|m| m.skins.as_ref());
    let Some(skins) = skins else {
        return vec![None; objects.len()];
    };
    let joints = extras.column(ElementKind::Vertex, "JOINTS_0");
    let weights = extras.column(ElementKind::Vertex, "WEIGHTS_0");
    let joints = joints.filter(|c| {
        c.width == 4
            && matches!(c.data, ColumnData::U8(_) | ColumnData::U16(_))
            && weights.is_some_and(|w| w.width == 4)
    });
    let is_within = |object: &ObjectRun<'_>, count: usize| {
        let Some(joints) = joints else { return false };
        let of_runs = object.runs.iter().flat_map(|run| &faces[run.faces.clone()]);
        let mut vertices = of_runs.flatten().map(|&v| v as usize);
        vertices.all(|v| (0..4).all(|k| joints.data.get(4 * v + k) < count as f64))
    };
    let mut all = Vec::with_capacity(objects.len());
    for object in objects {
        let named = skins.objects.iter().find(|(name, _)| name == object.name);
        let place = named.map(|(_, place)| *place);
        all.push(place.filter(|&k| is_within(object, skins.skins[k].joints.len())));
    }
    let lost = skins
        .objects
        .len()
        .saturating_sub(all.iter().flatten().count());
    if lost > 0 {
        warnings.push(format!(
            "{lost} skins of objects are left out: the mesh has no such objects, or no joints and weights for them"
        ));
    }
    all
}

/// Adds the skins that meshes have, and the nodes of their joints, to a document that has a node for each mesh.
pub(super) fn add(
    document: &mut JsonObject,
    layout: &mut BufferLayout<'_>,
    extras: &Extras,
    of_meshes: &[Option<usize>],
    frame: &Placement,
) {
    let skins = extras.materials.as_ref().and_then(|m| m.skins.as_ref());
    let Some(skins) = skins.filter(|_| of_meshes.iter().any(Option::is_some)) else {
        return;
    };
    let list = |document: &mut JsonObject, key: &str| match document.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let mut nodes = list(document, "nodes");
    let first = nodes.len();
    for (node, skin) in nodes.iter_mut().zip(of_meshes) {
        if let (Some(skin), Some(node)) = (skin, node.as_object_mut()) {
            // The joints alone place such a mesh.
            node.remove("translation");
            node.remove("scale");
            node.insert("skin".into(), (*skin).into());
        }
    }
    let shifted = |places: &[usize]| places.iter().map(|p| first + p).collect::<Vec<_>>();
    let mut is_root = vec![true; skins.nodes.len()];
    for node in &skins.nodes {
        let mut node = node.clone();
        let children = node.get("children").and_then(Value::as_array);
        let children: Option<Vec<usize>> =
            children.map(|c| c.iter().filter_map(json::whole).collect());
        if let Some(children) = children {
            children.iter().for_each(|&c| is_root[c] = false);
            node["children"] = json!(shifted(&children));
        }
        nodes.push(node);
    }
    let roots: Vec<usize> = (0..is_root.len()).filter(|&n| is_root[n]).collect();
    let mut scenes = list(document, "scenes");
    if let Some(all) = scenes.first_mut().and_then(|s| s["nodes"].as_array_mut()) {
        all.extend(shifted(&roots).into_iter().map(Value::from));
    }
    document.insert("scenes".into(), scenes.into());
    document.insert("nodes".into(), nodes.into());
    let mut all = Vec::with_capacity(skins.skins.len());
    for skin in &skins.skins {
        let mut object = skin.members.clone();
        object.insert("joints".into(), json!(shifted(&skin.joints)));
        if let Some(skeleton) = skin.skeleton {
            object.insert("skeleton".into(), (first + skeleton).into());
        }
        if let Some(matrices) = inverse(skin, frame) {
            let view = layout.view(bytes(&matrices, f32::to_le_bytes));
            let accessor = layout.accessor(&MATRIX, view, 0, skin.joints.len(), None);
            object.insert("inverseBindMatrices".into(), accessor.into());
        }
        all.push(Value::from(object));
    }
    document.insert("skins".into(), all.into());
}

/// Returns the inverse bind matrices of a skin for positions in a frame; `None` for a skin that has none.
fn inverse(skin: &SourceSkin, frame: &Placement) -> Option<Vec<f32>> {
    if frame.is_world() {
        return skin.inverse.clone();
    }
    let to_world =
        DMat4::from_translation(frame.origin) * DMat4::from_scale(DVec3::splat(frame.scale));
    let identity = Mat4::IDENTITY.to_cols_array();
    let given = |joint: usize| match &skin.inverse {
        Some(all) => all[16 * joint..16 * joint + 16]
            .try_into()
            .unwrap_or(identity),
        None => identity,
    };
    let all = (0..skin.joints.len()).map(|joint| {
        let matrix = Mat4::from_cols_array(&given(joint)).as_dmat4() * to_world;
        matrix.as_mat4().to_cols_array()
    });
    Some(all.flatten().collect())
}
