//! Invented documents of glTF.

use rxmesh_host::mesh::Rng;

use crate::random::Choose;

/// Bytes of the buffer.
const BYTES: u64 = 240;

/// Makes a document that almost follows the format: a few accessors over one buffer, in meshes of a few nodes.
pub(crate) fn gltf(rng: &mut Rng) -> Vec<u8> {
    let mut parts = vec!["\"asset\":{\"version\":\"2.0\"}".to_owned()];
    let bytes: Vec<u8> = (0..BYTES)
        .flat_map(|_| byte(rng))
        .take(BYTES as usize)
        .collect();
    let uri = format!("data:application/octet-stream;base64,{}", base64(&bytes));
    parts.push(format!(
        "\"buffers\":[{{\"byteLength\":{BYTES},\"uri\":\"{uri}\"}}]"
    ));
    let views = rng.between(1, 4);
    let accessors = rng.between(1, 6);
    let primitives = rng.between(1, 3);
    for (key, count, one) in [
        ("bufferViews", views, view as fn(&mut Rng, u64) -> String),
        ("accessors", accessors, accessor),
    ] {
        let all: Vec<String> = (0..count).map(|_| one(rng, views)).collect();
        parts.push(format!("\"{key}\":[{}]", all.join(",")));
    }
    let all: Vec<String> = (0..primitives).map(|_| primitive(rng, accessors)).collect();
    parts.push(format!(
        "\"meshes\":[{{\"primitives\":[{}]}}]",
        all.join(",")
    ));
    if rng.percent(50) {
        let nodes = rng.between(1, 4);
        let all: Vec<String> = (0..nodes).map(|_| node(rng, nodes)).collect();
        parts.push(format!("\"nodes\":[{}]", all.join(",")));
    }
    if rng.percent(40) {
        let transform = "\"extensions\":{\"KHR_texture_transform\":{\"scale\":[2,3]}}";
        let texture = format!("\"baseColorTexture\":{{\"index\":0,{transform}}}");
        parts.push(format!(
            "\"materials\":[{{\"name\":\"a\",\"pbrMetallicRoughness\":{{{texture}}}}}]"
        ));
        parts.push("\"images\":[{\"bufferView\":0,\"mimeType\":\"image/png\"}]".into());
        parts.push("\"textures\":[{\"source\":0}]".into());
    }
    format!("{{{}}}", parts.join(",")).into_bytes()
}

/// Returns some bytes: of a float, or small whole numbers.
fn byte(rng: &mut Rng) -> Vec<u8> {
    match rng.below(3) {
        0 => (rng.signed_unit() as f32).to_le_bytes().to_vec(),
        1 => vec![rng.below(6) as u8, 0, 0, 0],
        _ => vec![rng.below(8) as u8; 4],
    }
}

/// Returns a number, seldom a wild one.
fn number(rng: &mut Rng, most: u64) -> String {
    match rng.below(40) {
        0 => "-1".into(),
        1 => "1e300".into(),
        2 => u64::MAX.to_string(),
        3 => "\"a\"".into(),
        _ => rng.below(most + 1).to_string(),
    }
}

fn view(rng: &mut Rng, _: u64) -> String {
    let from = 4 * rng.below(20);
    let length = if rng.percent(90) {
        (BYTES - from).to_string()
    } else {
        number(rng, 400)
    };
    let stride = match rng.percent(25) {
        true => format!(",\"byteStride\":{}", number(rng, 24)),
        false => String::new(),
    };
    let packed = match rng.percent(10) {
        true => packed(rng),
        false => String::new(),
    };
    format!("{{\"buffer\":0,\"byteOffset\":{from},\"byteLength\":{length}{stride}{packed}}}")
}

/// Returns what says that a view is packed.
fn packed(rng: &mut Rng) -> String {
    let (length, count) = (number(rng, BYTES), number(rng, 30));
    let stride = rng.one_of(&[4, 8, 12, 2]);
    let mode = rng.one_of(&["ATTRIBUTES", "TRIANGLES", "INDICES"]);
    let place = format!("\"buffer\":0,\"byteLength\":{length},\"byteStride\":{stride}");
    let how = format!("{{{place},\"count\":{count},\"mode\":\"{mode}\"}}");
    format!(",\"extensions\":{{\"EXT_meshopt_compression\":{how}}}")
}

fn accessor(rng: &mut Rng, views: u64) -> String {
    let kind = rng.one_of(&["SCALAR", "VEC2", "VEC3", "VEC3", "VEC3", "VEC4", "MAT2"]);
    let component = rng.one_of(&[5126, 5126, 5126, 5121, 5123, 5125, 5120, 5122, 5124]);
    let count = if rng.percent(80) {
        "6".into()
    } else {
        number(rng, 12)
    };
    let mut text = format!("{{\"componentType\":{component},\"type\":\"{kind}\",\"count\":{count}");
    if rng.percent(92) {
        text.push_str(&format!(",\"bufferView\":{}", number(rng, views - 1)));
    }
    if rng.percent(20) {
        text.push_str(&format!(",\"byteOffset\":{}", number(rng, 40)));
    }
    if rng.percent(20) {
        text.push_str(",\"normalized\":true");
    }
    if rng.percent(10) {
        let count = number(rng, 3);
        let indices = "\"indices\":{\"bufferView\":0,\"componentType\":5121}";
        let values = "\"values\":{\"bufferView\":0}";
        text.push_str(&format!(
            ",\"sparse\":{{\"count\":{count},{indices},{values}}}"
        ));
    }
    text + "}"
}

fn primitive(rng: &mut Rng, accessors: u64) -> String {
    let mut attributes = vec![format!("\"POSITION\":{}", number(rng, accessors - 1))];
    for name in [
        "NORMAL",
        "TEXCOORD_0",
        "COLOR_0",
        "TANGENT",
        "JOINTS_0",
        "WEIGHTS_0",
        "_HEAT",
        "_x",
        "odd name",
    ] {
        if rng.percent(15) {
            attributes.push(format!("\"{name}\":{}", number(rng, accessors - 1)));
        }
    }
    let mut text = format!("{{\"attributes\":{{{}}}", attributes.join(","));
    if rng.percent(50) {
        text.push_str(&format!(",\"indices\":{}", number(rng, accessors - 1)));
    }
    if rng.percent(40) {
        text.push_str(&format!(",\"mode\":{}", number(rng, 6)));
    }
    if rng.percent(20) {
        text.push_str(",\"material\":0");
    }
    text + "}"
}

fn node(rng: &mut Rng, nodes: u64) -> String {
    let mut all = Vec::new();
    if rng.percent(70) {
        all.push("\"mesh\":0".to_owned());
    }
    if rng.percent(30) {
        all.push(format!("\"children\":[{}]", number(rng, nodes - 1)));
    }
    if rng.percent(30) {
        all.push(format!(
            "\"scale\":[{},1,{}]",
            number(rng, 3),
            rng.one_of(&["1", "-2", "1e-9"])
        ));
    }
    if rng.percent(30) {
        all.push(format!(
            "\"translation\":[{},0,{}]",
            number(rng, 9),
            number(rng, 1 << 40)
        ));
    }
    if rng.percent(20) {
        all.push("\"rotation\":[0.5,0.5,-0.5,0.5]".into());
    }
    format!("{{{}}}", all.join(","))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |three: &[u8; 3]| {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        [18, 12, 6, 0].map(|shift| char::from(DIGITS[(bits >> shift & 63) as usize]))
    };
    bytes.as_chunks::<3>().0.iter().flat_map(digits).collect()
}
