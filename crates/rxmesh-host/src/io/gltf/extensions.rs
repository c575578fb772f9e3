//! Extensions that a file requires.

use super::super::error::Fault;
use super::super::names;
use super::json::JsonObject;
use serde_json::Value;

/// Extension of positions and attributes in whole numbers.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";
/// Extension of textures that are moved, turned and scaled.
pub(super) const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";
/// Extensions of packed buffer views, by their two names.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
/// Extension of primitives that are packed by Draco.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// Advice for files that are packed by Draco.
pub(super) const DRACO_ADVICE: &str =
    "unpack it with another program, such as `gltf-transform copy in.glb out.glb`";

/// Extensions that change neither positions nor faces, apart from those of materials.
const HARMLESS: [&str; 13] = [
    "EXT_lights_image_based",
    "EXT_mesh_features",
    "EXT_structural_metadata",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_texture_basisu",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "MSFT_texture_dds",
];

/// Refuses extensions without which a file would be read wrongly.
pub(super) fn check(document: &JsonObject) -> Result<(), Fault> {
    let required = match document.get("extensionsRequired") {
        None => return Ok(()),
        Some(Value::Array(all)) => all,
        Some(_) => return Err(Fault::file("'extensionsRequired' is not a list")),
    };
    for name in required {
        let Some(name) = name.as_str() else {
            return Err(Fault::file("'extensionsRequired' holds what is not a text"));
        };
        let known = [QUANTIZATION, TEXTURE_TRANSFORM, MESHOPT[0], MESHOPT[1]].contains(&name)
            || HARMLESS.contains(&name)
            || name.starts_with("KHR_materials_");
        if !known {
            let advice = match name {
                DRACO => format!(": {DRACO_ADVICE}"),
                _ => String::new(),
            };
            let name = names::shown(name);
            let what = format!("the file requires the extension {name}, which is not read{advice}");
            return Err(Fault::file(what));
        }
    }
    Ok(())
}
