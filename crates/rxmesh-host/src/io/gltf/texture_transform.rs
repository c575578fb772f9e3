//! Transforms of texture coordinates (`KHR_texture_transform`): the coordinates are moved instead, where all textures
//! of a material have the same transform.

use super::extensions::TEXTURE_TRANSFORM;
use super::json::{JsonObject, whole};
use serde_json::Value;

/// Transform of the first texture coordinates: scaled, turned, moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextureTransform {
    scale: [f64; 2],
    rotation: f64,
    offset: [f64; 2],
}

impl TextureTransform {
    const NONE: TextureTransform = TextureTransform {
        scale: [1.0; 2],
        rotation: 0.0,
        offset: [0.0; 2],
    };

    fn of(extension: &JsonObject) -> TextureTransform {
        let pair = |key: &str, other: [f64; 2]| {
            let list = extension.get(key).and_then(Value::as_array);
            let number = |k: usize| list?.get(k)?.as_f64();
            number(0).zip(number(1)).map_or(other, |(a, b)| [a, b])
        };
        TextureTransform {
            scale: pair("scale", [1.0; 2]),
            rotation: extension
                .get("rotation")
                .and_then(Value::as_f64)
                .unwrap_or(0.0),
            offset: pair("offset", [0.0; 2]),
        }
    }

    /// Returns the bits of the transform, to tell transforms apart.
    pub(super) fn bits(&self) -> [u64; 5] {
        let [a, b] = self.scale;
        let [c, d] = self.offset;
        [a, b, c, d, self.rotation].map(f64::to_bits)
    }

    /// Moves pairs of coordinates.
    pub(super) fn apply(&self, values: &mut [f32]) {
        let (sin, cos) = self.rotation.sin_cos();
        let ([x, y], [right, down]) = (self.scale, self.offset);
        for pair in values.as_chunks_mut::<2>().0 {
            let [u, v] = [f64::from(pair[0]) * x, f64::from(pair[1]) * y];
            *pair = [cos * u + sin * v + right, cos * v - sin * u + down].map(|x| x as f32);
        }
    }
}

/// Takes the transform out of a material if all of its textures that use the first coordinates have the same.
pub(super) fn take(material: &mut Value) -> Option<TextureTransform> {
    let mut all = Vec::new();
    each_texture(material, &mut |texture| {
        if set(texture) == 0 {
            let own = extension(texture).map_or(TextureTransform::NONE, TextureTransform::of);
            all.push(own);
        }
    });
    let first = *all.first()?;
    if first == TextureTransform::NONE || all.iter().any(|t| *t != first) {
        return None;
    }
    each_texture(material, &mut |texture| {
        if set(texture) > 0 {
            return;
        }
        texture.remove("texCoord");
        if let Some(Value::Object(extensions)) = texture.get_mut("extensions") {
            extensions.remove(TEXTURE_TRANSFORM);
            if extensions.is_empty() {
                texture.remove("extensions");
            }
        }
    });
    Some(first)
}

fn extension(texture: &JsonObject) -> Option<&JsonObject> {
    texture
        .get("extensions")?
        .get(TEXTURE_TRANSFORM)?
        .as_object()
}

/// Returns the number of the texture coordinates that a texture uses: the extension may have another one.
fn set(texture: &JsonObject) -> usize {
    let own = extension(texture).and_then(|e| e.get("texCoord"));
    let given = own.or_else(|| texture.get("texCoord"));
    given.and_then(whole).unwrap_or(0)
}

/// Visits the textures of a material, those of its extensions as well.
fn each_texture(value: &mut Value, visit: &mut impl FnMut(&mut JsonObject)) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|v| each_texture(v, visit)),
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value {
                    Value::Object(texture) if key.ends_with("Texture") => visit(texture),
                    value => each_texture(value, visit),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texture(scale: f64, set: usize) -> Value {
        json!({ "index": 0, "extensions": { TEXTURE_TRANSFORM: {
            "scale": [scale, 2], "rotation": std::f64::consts::FRAC_PI_2, "offset": [0.5, 0.25], "texCoord": set
        } } })
    }

    #[test]
    fn equal_transforms_move_the_coordinates() {
        let mut material = json!({
            "pbrMetallicRoughness": { "baseColorTexture": texture(3.0, 0) },
            "extensions": { "KHR_materials_clearcoat": { "clearcoatTexture": texture(3.0, 0) } },
            "normalTexture": texture(1.0, 1),
        });
        let transform = take(&mut material).unwrap();
        let expected = json!({
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } },
            "extensions": { "KHR_materials_clearcoat": { "clearcoatTexture": { "index": 0 } } },
            "normalTexture": texture(1.0, 1),
        });
        assert_eq!(material, expected);
        let mut values = [1.0, 0.0, 0.0, 1.0];
        transform.apply(&mut values);
        // Turned by a quarter, the first axis points up, where the second counts down.
        let expected = [0.5, -2.75, 2.5, 0.25];
        assert!(
            values
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-6),
            "{values:?}"
        );
    }

    #[test]
    fn different_transforms_stay() {
        let mut material = json!({
            "pbrMetallicRoughness": { "baseColorTexture": texture(3.0, 0) },
            "normalTexture": { "index": 1 },
        });
        let before = material.clone();
        assert_eq!(take(&mut material), None);
        assert_eq!(material, before);
        assert_eq!(take(&mut json!({ "normalTexture": { "index": 1 } })), None);
        assert_eq!(take(&mut json!("no object")), None);
    }
}
