//! Materials of a file that can be written again only as they are.

use serde_json::{Map, Value};
use std::path::PathBuf;

/// Materials of a glTF file with their textures and images, and its skins; or the materials of an OBJ file's libraries
/// in the same form. Operations do not use them; glTF output has them again, pictures show them
/// ([`look`](Self::look)), and [`TagKind::Material`](super::TagKind::Material) names the materials of faces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceMaterials {
    /// Lists of the document: materials, textures, samplers, images. Images that are in [`images`](Self::images) have
    /// no place here.
    pub(crate) document: Map<String, Value>,
    /// Content of the images, in the order of their list; `None` for those that the document holds.
    pub(crate) images: Vec<Option<ImageContent>>,
    /// Names by which statements on faces name the materials, in the order of their list.
    pub(crate) names: Vec<String>,
    /// Extensions without which the materials are not what they were.
    pub(crate) required: Vec<String>,
    /// Skins of objects, if any have one.
    pub(crate) skins: Option<SourceSkins>,
}

/// Skins of the objects of a glTF file, for columns `JOINTS_0` and `WEIGHTS_0`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SourceSkins {
    /// Nodes of the joints and of everything above them; `children` are places in this list.
    pub(crate) nodes: Vec<Value>,
    pub(crate) skins: Vec<SourceSkin>,
    /// Names of objects, and the places of their skins.
    pub(crate) objects: Vec<(String, usize)>,
}

/// A skin.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SourceSkin {
    /// Name and extras.
    pub(crate) members: Map<String, Value>,
    /// Places of the joints among the nodes.
    pub(crate) joints: Vec<usize>,
    /// Place of the node at which the skeleton begins.
    pub(crate) skeleton: Option<usize>,
    /// Inverse bind matrices, 16 floats a joint, column by column.
    pub(crate) inverse: Option<Vec<f32>>,
}

/// Content of an image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ImageContent {
    /// Bytes of a file.
    Bytes(Vec<u8>),
    /// A file that is read when the image is written.
    File(PathBuf),
}

impl SourceMaterials {
    /// Returns the names of the materials, as statements on faces name them.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
