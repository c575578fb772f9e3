//! Materials of a file that can be written again only as they are.

use serde_json::{Map, Value};
use std::path::PathBuf;

/// Materials of a glTF file with their textures and images. Nothing here uses them; glTF output has them again, and
/// [`TagKind::Material`](super::TagKind::Material) names those of faces.
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
