//! Readers of mesh files and of caches: an error that names the file, or a valid mesh that survives being written and
//! read again.

use std::path::Path;

use glam::DVec3;
use rxmesh_host::io::{
    Format, IoError, Loaded, ReadOptions, WriteOptions, read_bytes, read_poly_bytes, write_bytes,
};
use rxmesh_host::mesh::{Column, ElementKind, HOLE, PolyMesh, Rng, SHARPNESS, TriMesh, check_poly};

use crate::files::{self, Form, Seed, surfaces};
use crate::random::Choose;
use crate::{Fuzz, Outcome, grammar, memory, mutate};

/// Memory that a reader may use at a time: a constant for its threads, and a multiple of the file's size. The longest
/// mesh for its text is one of `v 0 0 0` and `f 1 1 1`, eight bytes for twelve, read by several threads into pieces
/// that are then joined.
pub(crate) const MEMORY: (usize, usize) = (16 << 20, 128);

/// Fuzzer of readers, with initial files.
pub(crate) struct Readers {
    seeds: Vec<Seed>,
}

/// Input file of a case.
struct ReaderCase {
    name: String,
    bytes: Vec<u8>,
    options: ReadOptions,
}

impl Readers {
    /// Starts with the real files of a folder, and with generated ones.
    pub(crate) fn new(data: &Path) -> std::io::Result<Readers> {
        let seeds = files::seeds(data)?;
        Ok(Readers { seeds })
    }

    fn case(&self, seed: u64) -> ReaderCase {
        let mut rng = Rng::new(seed);
        let mut other = rng.one_of(&self.seeds).clone();
        let (mut extension, mut bytes) = rng.one_of(&self.seeds).clone();
        let mut changes = rng.between(1, 6);
        if rng.percent(50) {
            let (form, made) = grammar::file(&mut rng);
            (extension, bytes) = (form.to_owned(), made);
            changes = rng.below(4);
        }
        if rng.percent(30) {
            other.1 = grammar::file(&mut rng).1;
        }
        for _ in 0..changes {
            mutate::mutate(&mut rng, &mut bytes, &other.1);
        }
        if rng.percent(10) {
            bytes = wrapped(&mut rng, &bytes);
        }
        // Now and then the name has a wrong extension, or none.
        if rng.percent(5) {
            let named = surfaces().into_iter().map(Form::extension);
            let names: Vec<&str> = named.chain(["bin"]).collect();
            extension = (*rng.one_of(&names)).to_owned();
        }
        ReaderCase {
            name: format!("case.{extension}"),
            bytes,
            options: ReadOptions::default().with(|o| {
                o.triangulate = rng.percent(60);
            }),
        }
    }
}

/// Returns a file as other systems store text: with a byte order mark, in UTF-16, with trailing zeros or Ctrl-Z.
fn wrapped(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let wide = |order: fn(u16) -> [u8; 2]| bytes.iter().flat_map(move |b| order(u16::from(*b)));
    match rng.below(5) {
        0 => [b"\xef\xbb\xbf", bytes].concat(),
        1 => [0xff, 0xfe]
            .into_iter()
            .chain(wide(u16::to_le_bytes))
            .collect(),
        2 => [0xfe, 0xff]
            .into_iter()
            .chain(wide(u16::to_be_bytes))
            .collect(),
        3 => wide(u16::to_le_bytes).collect(),
        _ => [bytes, b"\x1a\0\0"].concat(),
    }
}

impl Fuzz for Readers {
    fn run(&self, seed: u64) -> Outcome {
        let ReaderCase {
            name,
            bytes,
            options,
        } = self.case(seed);
        let (result, peak) = memory::peak(|| read_bytes(&bytes, Path::new(&name), &options));
        let most = MEMORY.0 + MEMORY.1 * bytes.len();
        if peak > most {
            return Err(format!(
                "{} bytes took {peak} bytes of memory, {most} are allowed",
                bytes.len()
            ));
        }
        let (polygons, peak) = memory::peak(|| read_poly_bytes(&bytes, Path::new(&name), &options));
        if peak > most {
            return Err(format!(
                "{} bytes took {peak} bytes of memory as polygons, {most} are allowed",
                bytes.len()
            ));
        }
        polygonal(&name, &result, polygons)?;
        match result {
            Err(error) => message(&name, &error.to_string()),
            Ok(loaded) => {
                loaded
                    .mesh
                    .validate()
                    .map_err(|e| format!("what was read is no mesh: {e}"))?;
                surfaces().into_iter().try_for_each(|form| {
                    round_trip(&loaded.mesh, form.extension(), &form.options())
                        .map_err(|e| format!("as {form}: {e}"))
                })
            }
        }
    }

    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()> {
        let case = self.case(seed);
        println!("{:?}", case.options);
        let path = folder.join(&case.name);
        std::fs::write(&path, case.bytes)?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Returns `true` for the forms of glTF, which holds triangles only.
fn is_gltf(format: Format) -> bool {
    matches!(format, Format::Glb | Format::Gltf)
}

/// Checks that polygons are valid, survive being written, and triangulate to the mesh that is read as triangles.
fn polygonal(
    name: &str,
    triangles: &Result<Loaded, IoError>,
    polygons: Result<Loaded<PolyMesh>, IoError>,
) -> Outcome {
    let mesh = match (polygons, triangles) {
        (Ok(loaded), _) => loaded.mesh,
        // A column of sharpness must have valid values to be read as such; triangles keep any column.
        (Err(error), Ok(_)) if !error.to_string().contains("but must be 0 or more") => {
            return Err(format!("polygons are refused, triangles are not: {error}"));
        }
        (Err(error), _) => return message(name, &error.to_string()),
    };
    mesh.validate()
        .map_err(|e| format!("what was read is no polygon mesh: {e}"))?;
    check_poly(&mesh);
    for form in surfaces() {
        if form.format != Format::Stl && !is_gltf(form.format) {
            polygons_again(&mesh, form.extension(), &form.options())
                .map_err(|e| format!("polygons as {form}: {e}"))?;
        }
    }
    let cut = mesh.triangulate();
    match (cut, triangles) {
        (Ok((cut, _)), Ok(loaded)) if same_but_marks(&cut, &loaded.mesh) => Ok(()),
        (_, Ok(_)) => Err("the polygons are other triangles than those that are read".into()),
        (_, Err(IoError::Polygon { .. })) | (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(error)) => Err(format!("triangles are refused, polygons are not: {error}")),
    }
}

/// Writes polygons and reads them again: corners, and subdivision data where the format stores it.
fn polygons_again(mesh: &PolyMesh, extension: &str, options: &WriteOptions) -> Outcome {
    let name = format!("again.{extension}");
    let name = Path::new(&name);
    let (bytes, _) = write_bytes(name, mesh, options).map_err(|e| format!("not written: {e}"))?;
    let read = read_poly_bytes(&bytes, name, &ReadOptions::default());
    let again = read.map_err(|e| format!("not read again: {e}"))?.mesh;
    if mesh.corners != again.corners || mesh.faces != again.faces {
        return Err("other faces came back".into());
    }
    let holds = !["off", "vtp"].contains(&extension);
    let finite = mesh.sharp_vertices.iter().all(|v| v.sharpness.is_finite());
    let marks = mesh.sharp_edges.len() == again.sharp_edges.len() && mesh.holes == again.holes;
    let vertices = extension != "obj" || !finite || mesh.sharp_vertices == again.sharp_vertices;
    if holds && !(marks && vertices) {
        return Err("other sharpness or holes came back".into());
    }
    Ok(())
}

/// Returns `true` if they are equal except for columns of sharpness and holes, whose type and position may differ.
fn same_but_marks(a: &TriMesh, b: &TriMesh) -> bool {
    let plain = |m: &TriMesh| {
        let mut m = m.clone();
        let mark = |c: &Column| match c.element {
            ElementKind::Vertex => [SHARPNESS, "crease"].contains(&c.name.as_str()),
            ElementKind::Face | ElementKind::Cell => c.name == HOLE,
        };
        m.extras.columns.retain(|c| !mark(c));
        m
    };
    let bits = |m: &TriMesh| {
        let places = m.positions.iter().map(|p| p.to_array().map(f32::to_bits));
        places.collect::<Vec<_>>()
    };
    let (a, b) = (plain(a), plain(b));
    // Columns may contain values that are not equal to themselves.
    format!("{:?}", a.extras) == format!("{:?}", b.extras)
        && bits(&a) == bits(&b)
        && a.faces == b.faces
        && a.placement == b.placement
}

/// Checks that an error names the file and is a message of one line.
pub(crate) fn message(name: &str, text: &str) -> Outcome {
    let rest = text.strip_prefix(name).map(str::trim);
    match rest {
        Some(rest) if rest.len() > 5 && text.len() < 2000 && !text.contains(['\n', '\0']) => Ok(()),
        _ => Err(format!("a message that does not name its place: {text:?}")),
    }
}

/// Writes a mesh and reads it again.
fn round_trip(mesh: &TriMesh, extension: &str, options: &WriteOptions) -> Outcome {
    let name = format!("again.{extension}");
    let name = Path::new(&name);
    let bytes = match write_bytes(name, mesh, options) {
        Ok((bytes, _)) => bytes,
        // STL has only 32-bit floats.
        Err(IoError::Options { .. }) if extension == "stl" && !mesh.placement.is_world() => {
            return Ok(());
        }
        Err(e) => return Err(format!("not written: {e}")),
    };
    // A vertex of glTF has one value: those whose corners have several are split.
    let splits = Format::of_name(name).is_some_and(is_gltf)
        && (mesh.extras.corner_texcoords.is_some() || mesh.extras.corner_normals.is_some());
    let again = match read_bytes(&bytes, name, &ReadOptions::default()) {
        Ok(loaded) => loaded.mesh,
        // In STL a file without faces has no vertices.
        Err(IoError::NoVertices { .. }) if extension == "stl" && mesh.faces.is_empty() => {
            return Ok(());
        }
        Err(e) => return Err(format!("not read again: {e}")),
    };
    let same = |(a, b): (DVec3, DVec3)| match extension == "stl" || mesh.placement.is_world() {
        true => a.as_vec3() == b.as_vec3(),
        false => near(mesh, a, b),
    };
    if mesh.faces.len() != again.faces.len() || !corners(mesh).zip(corners(&again)).all(same) {
        return Err("other corners came back".into());
    }
    // STL has only corners.
    let vertices = |m: &TriMesh| {
        (0..m.vertex_count())
            .map(|v| m.world(v))
            .collect::<Vec<_>>()
    };
    let (before, after) = (vertices(mesh), vertices(&again));
    let kept = before.len() == after.len() && before.into_iter().zip(after).all(same);
    if extension != "stl" && !splits && (!kept || mesh.faces != again.faces) {
        return Err("other vertices or faces came back".into());
    }
    Ok(())
}

/// Returns `true` if two positions of a mesh in its own frame are equal up to rounding to another such frame.
fn near(mesh: &TriMesh, a: DVec3, b: DVec3) -> bool {
    let [low, high] = mesh
        .bounding_box()
        .unwrap_or_default()
        .map(DVec3::from_array);
    let size = (high - low).max_element()
        + mesh.placement.scale * f64::from(mesh.placement.local(a).abs().max_element());
    let digits = size * f64::from(f32::EPSILON) + a.abs().max_element() * 1e-15;
    (a - b).abs().max_element() <= digits
}

fn corners(mesh: &TriMesh) -> impl Iterator<Item = DVec3> {
    let corners = mesh.faces.iter().flatten();
    corners.map(|&v| mesh.world(v as usize))
}
