//! Colours and textures of materials, as pictures show them.

use super::source_materials::{ImageContent, SourceMaterials};
use serde_json::{Map, Value};
use std::path::Path;

/// Colour of a material, as pictures show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaterialLook {
    /// Red, green, blue and opacity in linear light, from 0 to 1, which the texture is multiplied by; `None` if the
    /// material gives none.
    pub color: Option<[f32; 4]>,
    /// Texture of the colour.
    pub texture: Option<BaseTexture>,
    /// `true` if both sides of its faces look alike.
    pub is_two_sided: bool,
}

/// Texture of a material's colour. Coordinates are scaled, turned and then moved, as `KHR_texture_transform` says; `v`
/// counts from the upper edge of the image.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseTexture {
    /// Place of the image in the list of images, for [`SourceMaterials::image`]; `None` if the texture has none that
    /// programs without extensions know.
    pub image: Option<usize>,
    /// Number of the texture coordinates.
    pub set: usize,
    /// Rule for coordinates outside of the image, along `u` and `v`.
    pub wrap: [TextureWrap; 2],
    /// `true` if texels are seen as squares.
    pub is_nearest: bool,
    /// Factors of the coordinates.
    pub scale: [f32; 2],
    /// Turn in radians.
    pub rotation: f32,
    /// Distance that they are moved by.
    pub offset: [f32; 2],
}

/// Rule for texture coordinates outside of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextureWrap {
    /// The image is repeated.
    #[default]
    Repeat,
    /// The border of the image goes on.
    Clamp,
    /// The image is repeated, each time mirrored.
    Mirror,
}

/// Content of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaterialImage<'a> {
    /// Bytes of an image file.
    Bytes(&'a [u8]),
    /// An image file, which is read when it is needed.
    File(&'a Path),
    /// A URI of the document, which may have the content in itself (`data:`).
    Uri(&'a str),
}

impl TextureWrap {
    /// Returns the rule of a number of glTF.
    fn of_code(code: Option<u64>) -> TextureWrap {
        match code {
            Some(33_071) => TextureWrap::Clamp,
            Some(33_648) => TextureWrap::Mirror,
            _ => TextureWrap::Repeat,
        }
    }
}

impl SourceMaterials {
    /// Returns the place of the material that statements on faces name so.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// Returns the colour and the texture of a material. Those of metal and of diffuse surfaces are not told apart.
    pub fn look(&self, index: usize) -> MaterialLook {
        let Some(material) = self.item("materials", index) else {
            return MaterialLook::default();
        };
        let object = |key: &str| material.get(key)?.as_object();
        let extension = || {
            let all = object("extensions")?;
            all.get("KHR_materials_pbrSpecularGlossiness")?.as_object()
        };
        let (base, factor, texture) = match (object("pbrMetallicRoughness"), extension()) {
            (_, Some(base)) => (Some(base), "diffuseFactor", "diffuseTexture"),
            (base, None) => (base, "baseColorFactor", "baseColorTexture"),
        };
        let part = |value: &Value| value.as_f64().unwrap_or(1.0).clamp(0.0, 1.0) as f32;
        let color = base.and_then(|base| {
            let [r, g, b, a] = base.get(factor)?.as_array()?.as_slice() else {
                return None;
            };
            Some([r, g, b, a].map(part))
        });
        let texture = base.and_then(|base| base.get(texture)?.as_object());
        MaterialLook {
            color,
            texture: texture.and_then(|texture| self.base_texture(texture)),
            is_two_sided: material.get("doubleSided") == Some(&Value::Bool(true)),
        }
    }

    /// Returns the number of images.
    pub fn image_count(&self) -> usize {
        self.images.len()
    }

    /// Returns the content of an image; `None` if there is no such image, or if it has neither content nor a name.
    pub fn image(&self, index: usize) -> Option<MaterialImage<'_>> {
        match self.images.get(index)? {
            Some(ImageContent::Bytes(bytes)) => Some(MaterialImage::Bytes(bytes)),
            Some(ImageContent::File(path)) => Some(MaterialImage::File(path)),
            None => self.uri(index).map(MaterialImage::Uri),
        }
    }

    /// Returns the name of an image, for messages.
    pub fn image_name(&self, index: usize) -> String {
        let name = self
            .item("images", index)
            .and_then(|image| image.get("name")?.as_str());
        let uri = self.uri(index).filter(|uri| !uri.starts_with("data:"));
        match uri.or(name.filter(|name| !name.is_empty())) {
            Some(name) => format!("image '{}'", super::shown_name(name)),
            None => format!("image {index}"),
        }
    }

    fn uri(&self, index: usize) -> Option<&str> {
        self.item("images", index)?.get("uri")?.as_str()
    }

    fn item(&self, list: &str, index: usize) -> Option<&Map<String, Value>> {
        self.document.get(list)?.as_array()?.get(index)?.as_object()
    }

    fn base_texture(&self, used: &Map<String, Value>) -> Option<BaseTexture> {
        let index = |value: &Value| value.as_u64().map(|i| i as usize);
        let texture = self.item("textures", used.get("index").and_then(index)?)?;
        let sampler = texture
            .get("sampler")
            .and_then(index)
            .and_then(|i| self.item("samplers", i));
        let code = |key: &str| sampler?.get(key)?.as_u64();
        let transform = used
            .get("extensions")
            .and_then(|e| e.get("KHR_texture_transform"));
        let numbers = |key: &str, other: f32| {
            let list = transform.and_then(|t| t.get(key)?.as_array());
            [0, 1].map(|i| {
                let number = list.and_then(|list| list.get(i)?.as_f64());
                number.map_or(other, |n| n as f32)
            })
        };
        let set = transform.and_then(|t| t.get("texCoord").and_then(index));
        let rotation = transform.and_then(|t| t.get("rotation")?.as_f64());
        Some(BaseTexture {
            image: texture.get("source").and_then(index),
            set: set
                .or_else(|| used.get("texCoord").and_then(index))
                .unwrap_or(0),
            wrap: ["wrapS", "wrapT"].map(|key| TextureWrap::of_code(code(key))),
            is_nearest: code("magFilter") == Some(9728),
            scale: numbers("scale", 1.0),
            rotation: rotation.unwrap_or(0.0) as f32,
            offset: numbers("offset", 0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn looks_are_those_of_the_document() {
        let document = json!({
            "materials": [
                { "pbrMetallicRoughness": {
                    "baseColorFactor": [1, 0.5, 0, 2],
                    "baseColorTexture": { "index": 0, "texCoord": 3, "extensions": { "KHR_texture_transform": {
                        "scale": [2, 4], "offset": [0.5, 0.25], "rotation": 1, "texCoord": 1
                    } } }
                }, "doubleSided": true },
                { "extensions": { "KHR_materials_pbrSpecularGlossiness": { "diffuseTexture": { "index": 1 } } } },
                "no object",
                { "pbrMetallicRoughness": { "baseColorFactor": [1], "baseColorTexture": { "index": 7 } } },
            ],
            "textures": [{ "source": 0, "sampler": 0 }, {}],
            "samplers": [{ "wrapS": 33071, "wrapT": 33648, "magFilter": 9728 }],
            "images": [{ "uri": "a b.png" }, { "uri": "data:image/png;base64,AAAA" }],
        });
        let Value::Object(document) = document else {
            unreachable!()
        };
        let source = SourceMaterials {
            document,
            images: vec![Some(ImageContent::File("b/a b.png".into())), None],
            names: ["wood", "stone"].map(String::from).to_vec(),
            ..SourceMaterials::default()
        };
        let texture = BaseTexture {
            image: Some(0),
            set: 1,
            wrap: [TextureWrap::Clamp, TextureWrap::Mirror],
            is_nearest: true,
            scale: [2.0, 4.0],
            rotation: 1.0,
            offset: [0.5, 0.25],
        };
        let wood = MaterialLook {
            color: Some([1.0, 0.5, 0.0, 1.0]),
            texture: Some(texture),
            is_two_sided: true,
        };
        assert_eq!(source.look(0), wood);
        let other = source.look(1).texture.unwrap();
        assert_eq!((other.image, other.scale), (None, [1.0; 2]));
        for index in [2, 3, 9] {
            assert_eq!(source.look(index), MaterialLook::default(), "{index}");
        }
        assert_eq!(
            (source.place("stone"), source.place("iron")),
            (Some(1), None)
        );
        let file = MaterialImage::File(Path::new("b/a b.png"));
        assert_eq!(source.image(0), Some(file));
        assert!(matches!(source.image(1), Some(MaterialImage::Uri(uri)) if uri.ends_with("AAAA")));
        assert_eq!(source.image(2), None);
        assert_eq!(source.image_name(0), "image 'a b.png'");
        assert_eq!(source.image_name(1), "image 1");
    }
}
