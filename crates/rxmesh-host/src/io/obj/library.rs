//! Material libraries (`mtllib`): colours and textures of the materials, in the form in which glTF has them.
//!
//! Of a material `Kd`, `d` or `Tr` and `map_Kd` are read (Wavefront, Advanced Visualizer, appendix B1). A texture takes
//! the place of `Kd`, as in most programs: many write a grey or black one beside it.

use super::super::names;
use super::super::relocate::library_names;
use crate::files;
use crate::mesh::{ImageContent, SourceMaterials, Tag, TagKind};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Most bytes of a library that is read.
const MOST_BYTES: u64 = 1 << 26;
/// Most materials of all libraries of a file.
const MOST_MATERIALS: usize = 1 << 16;

/// Returns the materials of the libraries that a file names, `None` if no library is found. `name` is the path of the
/// file.
pub(super) fn materials(tags: &[Tag], name: &Path) -> Option<SourceMaterials> {
    let folder = name.parent().unwrap_or(Path::new(""));
    let mut list = MaterialBuilder::default();
    let mut seen = HashSet::new();
    for tag in tags.iter().filter(|tag| tag.kind == TagKind::Library) {
        for name in library_names(&tag.text, folder) {
            let Some(path) = found(name, folder) else {
                continue;
            };
            if seen.insert(path.clone()) && size(&path).is_some_and(|n| n <= MOST_BYTES) {
                // A library that cannot be read is as one that is not there.
                let text = files::read(&path).unwrap_or_default();
                list.read(&text, path.parent().unwrap_or(Path::new("")));
            }
        }
    }
    list.finish()
}

/// Returns the size of a file; `None` if there is no file, or a pipe or device.
fn size(path: &Path) -> Option<u64> {
    let file = std::fs::metadata(path).ok()?;
    file.is_file().then_some(file.len())
}

/// Returns the path of a file that is named in the folder `folder`: as it says, else, as names of another machine do
/// not lead anywhere, with its last part alone. `None` if there is no such file.
fn found(name: &str, folder: &Path) -> Option<PathBuf> {
    let name = names::to_bytes(name);
    let name = String::from_utf8_lossy(&name).replace('\\', "/");
    let last = name.rsplit('/').next().unwrap_or_default();
    let is_drive = name.as_bytes().get(1) == Some(&b':');
    let relative = (!name.starts_with('/') && !is_drive).then_some(name.as_str());
    let mut candidates = relative.into_iter().chain([last]);
    candidates.find_map(|name| {
        let path = folder.join(name);
        (!name.is_empty() && size(&path).is_some()).then_some(path)
    })
}

/// A material under way.
#[derive(Default)]
struct LibraryMaterial {
    name: String,
    color: Option<[f64; 3]>,
    opacity: Option<f64>,
    texture: Option<usize>,
    transform: Option<Value>,
}

/// Materials of libraries, as the lists of a glTF document.
#[derive(Default)]
struct MaterialBuilder {
    materials: Vec<LibraryMaterial>,
    taken: HashSet<String>,
    textures: Vec<Value>,
    has_clamped: bool,
    images: Vec<Value>,
    contents: Vec<Option<ImageContent>>,
    places: HashMap<Vec<u8>, usize>,
}

impl MaterialBuilder {
    /// Reads the text of a library. Lines that are not known are passed over.
    fn read(&mut self, text: &[u8], folder: &Path) {
        // `true` while the lines belong to the last of the materials: the first of a name is the one that holds.
        let mut is_open = false;
        for line in text.split(|&b| b == b'\n') {
            let line = line.trim_ascii();
            let end = line.iter().position(|b| b.is_ascii_whitespace());
            let (word, rest) = line.split_at(end.unwrap_or(line.len()));
            let rest = rest.trim_ascii();
            if word.eq_ignore_ascii_case(b"newmtl") {
                is_open = self.begin(names::from_bytes(rest));
                continue;
            }
            let Some(material) = self.materials.last_mut().filter(|_| is_open) else {
                continue;
            };
            let number = |k: usize| words(rest).nth(k).and_then(number);
            match word.to_ascii_lowercase().as_slice() {
                b"kd" => {
                    // One number is for all three channels.
                    material.color =
                        number(0).map(|r| [r, number(1).unwrap_or(r), number(2).unwrap_or(r)]);
                }
                b"d" => material.opacity = number(0),
                b"tr" => material.opacity = number(0).map(|t| 1.0 - t),
                b"map_kd" => self.texture(rest, folder),
                _ => {}
            }
        }
    }

    /// Begins a material. Returns `false` if there is one of its name.
    fn begin(&mut self, name: String) -> bool {
        let is_new = self.materials.len() < MOST_MATERIALS && self.taken.insert(name.clone());
        if is_new {
            self.materials.push(LibraryMaterial {
                name,
                ..LibraryMaterial::default()
            });
        }
        is_new
    }

    /// Gives the last material a texture: options, and the name of the image.
    fn texture(&mut self, rest: &[u8], folder: &Path) {
        let (options, name) = MapOptions::split(rest);
        if name.is_empty() {
            return;
        }
        let image = self.image(name, folder);
        let mut texture = json!({ "source": image });
        if options.is_clamped {
            texture["sampler"] = 0.into();
            self.has_clamped = true;
        }
        let texture = match self.textures.iter().position(|t| *t == texture) {
            Some(place) => place,
            None => {
                self.textures.push(texture);
                self.textures.len() - 1
            }
        };
        if let Some(material) = self.materials.last_mut() {
            material.texture = Some(texture);
            material.transform = options.transform();
        }
    }

    /// Returns the place of an image.
    fn image(&mut self, name: &[u8], folder: &Path) -> usize {
        let next = self.images.len();
        *self.places.entry(name.to_vec()).or_insert_with(|| {
            let name = names::from_bytes(name);
            // One that is not there is missed when it is needed, with its name.
            let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
            let path = found(&name, folder).unwrap_or_else(|| folder.join(last));
            self.contents.push(Some(ImageContent::File(path)));
            self.images.push(json!({ "uri": escaped(&name) }));
            next
        })
    }

    fn finish(self) -> Option<SourceMaterials> {
        if self.materials.is_empty() {
            return None;
        }
        let mut document = Map::new();
        let materials: Vec<Value> = self.materials.iter().map(LibraryMaterial::value).collect();
        document.insert("materials".into(), materials.into());
        if !self.textures.is_empty() {
            if self.has_clamped {
                let clamp = json!({ "wrapS": 33071, "wrapT": 33071 });
                document.insert("samplers".into(), json!([clamp]));
            }
            document.insert("textures".into(), self.textures.into());
            document.insert("images".into(), self.images.into());
        }
        Some(SourceMaterials {
            document,
            images: self.contents,
            names: self.materials.into_iter().map(|m| m.name).collect(),
            ..SourceMaterials::default()
        })
    }
}

impl LibraryMaterial {
    /// Returns the material in the form of glTF.
    fn value(&self) -> Value {
        let opacity = self.opacity.unwrap_or(1.0).clamp(0.0, 1.0);
        let mut base = Map::new();
        base.insert("metallicFactor".into(), 0.0.into());
        let color = self.color.filter(|_| self.texture.is_none());
        if color.is_some() || opacity < 1.0 {
            let [r, g, b] = color.unwrap_or([1.0; 3]).map(|c| c.clamp(0.0, 1.0));
            base.insert("baseColorFactor".into(), json!([r, g, b, opacity]));
        }
        if let Some(texture) = self.texture {
            let mut used = json!({ "index": texture });
            if let Some(transform) = &self.transform {
                used["extensions"] = json!({ "KHR_texture_transform": transform });
            }
            base.insert("baseColorTexture".into(), used);
        }
        let mut material = json!({ "name": self.name, "pbrMetallicRoughness": base });
        if opacity < 1.0 {
            material["alphaMode"] = "BLEND".into();
        }
        material
    }
}

/// Options of a texture.
#[derive(Debug, PartialEq)]
struct MapOptions {
    is_clamped: bool,
    scale: [f64; 2],
    offset: [f64; 2],
}

impl MapOptions {
    /// Splits the options from the name, which may have spaces in it.
    fn split(mut rest: &[u8]) -> (MapOptions, &[u8]) {
        let mut options = MapOptions {
            is_clamped: false,
            scale: [1.0; 2],
            offset: [0.0; 2],
        };
        while let Some((word, after)) = first_word(rest) {
            // Options and the greatest number of their values.
            let most = match word {
                b"-blendu" | b"-blendv" | b"-cc" | b"-clamp" | b"-imfchan" | b"-texres"
                | b"-bm" | b"-boost" | b"-type" => 1,
                b"-mm" => 2,
                b"-o" | b"-s" | b"-t" => 3,
                _ => break,
            };
            rest = after;
            let mut values = [None; 3];
            for value in values.iter_mut().take(most) {
                let Some((next, after)) = first_word(rest) else {
                    break;
                };
                *value = number(next);
                if most == 3 && value.is_none() {
                    break;
                }
                options.is_clamped |= word == b"-clamp" && next == b"on";
                rest = after;
            }
            match (word, values) {
                (b"-o", [Some(u), v, _]) => options.offset = [u, v.unwrap_or(0.0)],
                (b"-s", [Some(u), v, _]) => options.scale = [u, v.unwrap_or(1.0)],
                _ => {}
            }
        }
        (options, rest)
    }

    /// Returns the transform of the coordinates, whose second axis glTF counts from the upper edge.
    fn transform(&self) -> Option<Value> {
        let ([su, sv], [ou, ov]) = (self.scale, self.offset);
        let is_any = self.scale != [1.0; 2] || self.offset != [0.0; 2];
        is_any.then(|| json!({ "scale": [su, sv], "offset": [ou, 1.0 - sv - ov] }))
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// Returns the first word, and the text after it.
fn first_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii();
    let end = text.iter().position(|b| b.is_ascii_whitespace());
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (!word.is_empty()).then(|| (word, rest.trim_ascii()))
}

fn number(word: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Returns a name as a URI: bytes that it may not have are escaped.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for &byte in names::to_bytes(name).iter() {
        match byte {
            b'\\' => out.push('/'),
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Links;
    use crate::io::{self, Encoding, ReadOptions, WriteOptions};
    use crate::mesh::{MaterialImage, TextureWrap};

    #[test]
    fn options_stand_before_the_name() {
        let (options, name) = MapOptions::split(b"-s 2 3 -o 0.5 -clamp on -mm 0 1 a picture.png");
        assert_eq!(name, b"a picture.png");
        let expected = MapOptions {
            is_clamped: true,
            scale: [2.0, 3.0],
            offset: [0.5, 0.0],
        };
        assert_eq!(options, expected);
        let moved = json!({ "scale": [2.0, 3.0], "offset": [0.5, -2.0] });
        assert_eq!(options.transform(), Some(moved));
        assert_eq!(MapOptions::split(b"-s 1 1 1").1, b"");
        assert_eq!(MapOptions::split(b"-clamp").1, b"");
        // A name may begin as an option does.
        assert_eq!(MapOptions::split(b"-odd name.png").1, b"-odd name.png");
    }

    /// Materials, textures and images of libraries go with the mesh, into glTF as well.
    #[test]
    fn libraries_are_read_beside_the_mesh() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("textures")).unwrap();
        let image = b"\x89PNG\r\n\x1a\nof a program that looks at its beginning only";
        std::fs::write(at("textures/grain fine.png"), image).unwrap();
        let library = "newmtl wood\r\nKd 0 0 0\r\nmap_Kd -clamp on C:\\art\\textures\\..\\textures/grain fine.png\r\n\
            newmtl wood\nKd 1 1 1\n  newmtl stone\n\tKd 0.25 0.5 x\nd 0.5\nillum 2\nmap_Kd gone.png\n\
            newmtl glass\nKd 0.5\nTr 0.25\n";
        std::fs::write(at("textures/m.mtl"), library).unwrap();
        let text = "mtllib textures\\m.mtl missing.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl glass\nf 1 2 3\n";
        std::fs::write(at("a.obj"), text).unwrap();
        let options = ReadOptions::default();
        let mut mesh = io::read(&at("a.obj"), &options).unwrap().mesh;
        let materials = mesh.extras.materials.clone().unwrap();
        assert_eq!(materials.names(), ["wood", "stone", "glass"]);
        let wood = materials.look(0);
        assert_eq!(wood.color, None);
        let texture = wood.texture.unwrap();
        assert_eq!(texture.wrap, [TextureWrap::Clamp; 2]);
        let grain = at("textures/grain fine.png");
        assert_eq!(materials.image(0), Some(MaterialImage::File(&grain)));
        let stone = materials.look(1);
        assert_eq!(stone.color, Some([1.0, 1.0, 1.0, 0.5]));
        let gone = at("textures/gone.png");
        assert_eq!(materials.image(1), Some(MaterialImage::File(&gone)));
        assert_eq!(materials.look(2).color, Some([0.5, 0.5, 0.5, 0.75]));

        mesh.extras.tags.retain(|tag| tag.kind != TagKind::Library);
        let glb = WriteOptions::default().with(|o| o.encoding = Encoding::Binary);
        let report = io::write_with(&at("b.glb"), &mesh, &glb, Links::Refuse).unwrap();
        assert!(report.warnings[0].contains("gone.png"), "{report:?}");
        let again = io::read(&at("b.glb"), &options).unwrap().mesh;
        let again = again.extras.materials.unwrap();
        assert_eq!(again.image(0), Some(MaterialImage::Bytes(image)));
        assert_eq!(again.look(1), stone);
    }

    #[test]
    fn files_that_are_no_libraries_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let tag = |text: &str| Tag {
            face: 0,
            kind: TagKind::Library,
            text: text.into(),
        };
        std::fs::create_dir(at("folder.mtl")).unwrap();
        std::fs::write(
            at("bytes.mtl"),
            [b"Kd 1 1 1\nmap_Kd x.png\n".as_slice(), &[0xff; 99]].concat(),
        )
        .unwrap();
        for name in [
            "folder.mtl",
            "bytes.mtl",
            "none.mtl",
            "",
            "..",
            "/",
            "\\\\host\\share\\m.mtl",
        ] {
            assert_eq!(materials(&[tag(name)], &at("a.obj")), None, "{name}");
        }
    }
}
