//! Invented files that almost follow the grammar of their format.

use rxmesh_host::mesh::Rng;

use crate::gltf;
use crate::random::Choose;

/// File and the extension of its name.
pub(crate) type File = (&'static str, Vec<u8>);

/// Most elements in a file: few, so that a case is quick.
const MOST: u64 = 9;

/// Makes a file of one of the formats.
pub(crate) fn file(rng: &mut Rng) -> File {
    match rng.below(6) {
        0 => ("obj", obj(rng)),
        1 => ("off", off(rng)),
        2 => ("stl", stl(rng)),
        3 => ("gltf", gltf::gltf(rng)),
        _ => ("ply", ply(rng)),
    }
}

/// Returns a coordinate as text.
fn coordinate(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 => "nan".into(),
        1 => "1e39".into(),
        2 => format!("{:e}", rng.signed_unit() * 1e-40),
        3 => format!("{}.", rng.below(5)),
        4 => format!("+{}", rng.below(5)),
        _ => format!("{}", rng.signed_unit() as f32),
    }
}

fn coordinates(rng: &mut Rng, n: u64) -> String {
    let all: Vec<String> = (0..n).map(|_| coordinate(rng)).collect();
    all.join(if rng.percent(90) { " " } else { "\t " })
}

/// Returns an index that is mostly one of `n`, from `first` on.
fn index(rng: &mut Rng, first: i64, n: u64) -> i64 {
    if rng.percent(96) {
        first + rng.below(n.max(1)) as i64
    } else {
        rng.below(4 * n + 4) as i64 - 2 * n as i64
    }
}

fn obj(rng: &mut Rng) -> Vec<u8> {
    let end = *rng.one_of(&["\n", "\r\n", "\n", " \n"]);
    let mut text = String::new();
    let (mut v, mut vt, mut vn) = (0, 0, 0);
    for _ in 0..rng.between(1, 40) {
        let line = match rng.below(20) {
            0..=6 => {
                v += 1;
                let n = *rng.one_of(&[3, 3, 3, 3, 4, 6, 7, 2]);
                format!("v {}", coordinates(rng, n))
            }
            7 => {
                vt += 1;
                let n = rng.between(1, 3);
                format!("vt {}", coordinates(rng, n))
            }
            8 => {
                vn += 1;
                format!("vn {}", coordinates(rng, 3))
            }
            9..=15 => face(rng, [v, vt, vn]),
            16 => format!(
                "{} name{}",
                rng.one_of(&["o", "g", "usemtl", "mtllib", "s"]),
                rng.below(3)
            ),
            17 => format!("{} 1 2", rng.one_of(&["l", "p", "curv", "vp"])),
            18 if rng.percent(70) => tag(rng, v),
            18 => "# a comment \\".into(),
            _ => String::new(),
        };
        text.push_str(&line);
        if rng.percent(3) {
            text.push_str(" \\");
        }
        text.push_str(end);
    }
    text.into_bytes()
}

/// Returns a tag of OpenSubdiv's shapes, mostly a valid one.
fn tag(rng: &mut Rng, v: u64) -> String {
    let name = *rng.one_of(&["crease", "crease", "corner", "hole", "creasemethod"]);
    let ints = rng.between(1, 4);
    let floats = if name == "hole" {
        0
    } else {
        *rng.one_of(&[1, 1, ints - 1, ints, 0])
    };
    let mut line = format!("t {name} {ints}/{floats}/{}", u8::from(rng.percent(4)));
    for _ in 0..ints {
        let n = if name == "hole" { v / 2 + 1 } else { v };
        line.push_str(&format!(" {}", index(rng, 0, n)));
    }
    for _ in 0..floats {
        line.push_str(&format!(
            " {}",
            rng.one_of(&["0", "0.5", "2", "10", "1e30", "-1", "nan"])
        ));
    }
    line
}

fn face(rng: &mut Rng, [v, vt, vn]: [u64; 3]) -> String {
    let corners = *rng.one_of(&[3, 3, 3, 3, 4, 5, 2, 1]);
    let form = rng.below(4);
    let mut line = "f".to_owned();
    for _ in 0..corners {
        let mut id = |n: u64| {
            let i = index(rng, 1, n);
            if rng.percent(10) { i - n as i64 - 1 } else { i }
        };
        let corner = match form {
            0 => format!("{}", id(v)),
            1 => format!("{}/{}", id(v), id(vt)),
            2 => format!("{}//{}", id(v), id(vn)),
            _ => format!("{}/{}/{}", id(v), id(vt), id(vn)),
        };
        line.push(' ');
        line.push_str(&corner);
    }
    line
}

/// Returns a count for a header, seldom different from that of the content.
fn said(rng: &mut Rng, n: u64) -> u64 {
    if rng.percent(95) {
        n
    } else {
        *rng.one_of(&[0, n + 1, n.saturating_sub(1), 1 << 32, u64::MAX])
    }
}

fn off(rng: &mut Rng) -> Vec<u8> {
    let (v, f) = (rng.between(0, MOST), rng.between(0, MOST));
    let kind = *rng.one_of(&[
        "OFF", "OFF", "COFF", "NOFF", "CNOFF", "STOFF", "4OFF", "nOFF", "",
    ]);
    let (vertices, faces) = (said(rng, v), said(rng, f));
    if rng.percent(25) {
        return off_binary(rng, kind, [v, f], [vertices, faces]);
    }
    let columns = match kind {
        "COFF" => 7,
        "NOFF" => 6,
        "CNOFF" => 10,
        "STOFF" => 5,
        "4OFF" => 4,
        _ => 3,
    };
    let mut text = format!("{kind}\n{vertices} {faces} 0\n");
    for _ in 0..v {
        text.push_str(&coordinates(rng, columns));
        text.push('\n');
    }
    for _ in 0..f {
        let corners = *rng.one_of(&[3, 3, 3, 4, 2, 0]);
        text.push_str(&corners.to_string());
        for _ in 0..corners {
            text.push_str(&format!(" {}", index(rng, 0, v)));
        }
        for _ in 0..*rng.one_of(&[0, 0, 0, 1, 3, 4]) {
            text.push_str(&format!(" {}", rng.below(256)));
        }
        let end = *rng.one_of(&["\n", "\n", " # c\n"]);
        text.push_str(end);
    }
    text.into_bytes()
}

fn off_binary(rng: &mut Rng, kind: &str, [v, f]: [u64; 2], said: [u64; 2]) -> Vec<u8> {
    let mut bytes = format!("{kind} BINARY\n").into_bytes();
    let big = rng.percent(50);
    let mut word = |w: u32| {
        bytes.extend(if big {
            w.to_be_bytes()
        } else {
            w.to_le_bytes()
        })
    };
    for w in [said[0] as u32, said[1] as u32, 0] {
        word(w);
    }
    for _ in 0..3 * v {
        word((rng.signed_unit() as f32).to_bits());
    }
    for _ in 0..f {
        let corners = *rng.one_of(&[3, 3, 3, 4, 2]);
        word(corners);
        for _ in 0..corners {
            word(index(rng, 0, v) as u32);
        }
        word(0);
    }
    bytes
}

fn stl(rng: &mut Rng) -> Vec<u8> {
    let n = rng.between(0, MOST);
    let corner = |rng: &mut Rng| [(); 3].map(|()| rng.below(3) as f32 * 0.5);
    if rng.percent(50) {
        let mut bytes = vec![b' '; 80];
        if rng.percent(20) {
            bytes[..6].copy_from_slice(b"solid ");
        }
        bytes.extend((said(rng, n) as u32).to_le_bytes());
        for _ in 0..n {
            for _ in 0..4 {
                let p = corner(rng);
                bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
        return bytes;
    }
    let mut text = "solid a name\n".to_owned();
    for _ in 0..n {
        text.push_str("facet normal 0 0 1\nouter loop\n");
        for _ in 0..*rng.one_of(&[3, 3, 3, 3, 4, 2]) {
            let p = corner(rng);
            text.push_str(&format!("  vertex {} {} {}\n", p[0], p[1], p[2]));
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid a name\n");
    text.into_bytes()
}

const TYPES: [(&str, usize); 12] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("float", 4),
    ("double", 8),
    ("int8", 1),
    ("uint16", 2),
    ("int32", 4),
    ("float64", 8),
];

/// Property of an element.
struct Property {
    name: String,
    /// Type of the values.
    kind: (&'static str, usize),
    /// Type of the length, for a list.
    list: Option<(&'static str, usize)>,
}

fn ply(rng: &mut Rng) -> Vec<u8> {
    let format = *rng.one_of(&["ascii", "binary_little_endian", "binary_big_endian"]);
    let (v, f) = (rng.between(0, MOST), rng.between(0, MOST));
    let mut elements = vec![("vertex", v, vertex(rng)), ("face", f, faces(rng))];
    if rng.percent(30) {
        let n = rng.between(0, 3);
        let name = *rng.one_of(&["edge", "material", "tristrips", "vertex"]);
        let at = rng.between(0, 2) as usize;
        elements.insert(
            at,
            (name, n, vec![list("vertex_indices"), some(rng, "extra")]),
        );
    } else if rng.percent(20) {
        let n = rng.between(0, 3);
        let ends = ["vertex1", "vertex2"].map(|name| Property {
            name: name.to_owned(),
            kind: ("int", 4),
            list: None,
        });
        let name = *rng.one_of(&["sharpness", "crease", "other"]);
        let properties = ends.into_iter().chain([some(rng, name)]).collect();
        elements.push(("edge", n, properties));
    }
    if rng.percent(10) {
        elements.swap(0, 1);
    }
    let mut out = format!("ply\nformat {format} 1.0\ncomment made at random\n").into_bytes();
    for (name, n, properties) in &elements {
        out.extend(format!("element {name} {}\n", said(rng, *n)).into_bytes());
        for p in properties {
            let line = match p.list {
                Some(length) => format!("property list {} {} {}\n", length.0, p.kind.0, p.name),
                None => format!("property {} {}\n", p.kind.0, p.name),
            };
            out.extend(line.into_bytes());
        }
    }
    out.extend(b"end_header\n");
    for (_, n, properties) in &elements {
        for _ in 0..*n {
            let mut row = Vec::new();
            for p in properties {
                let values = p.list.map_or(1, |_| *rng.one_of(&[3, 3, 3, 3, 4, 0, 7]));
                if let Some(length) = p.list {
                    put(&mut row, format, length, values as f64);
                }
                for _ in 0..values {
                    let value = match p.name.as_str() {
                        "vertex1" | "vertex2" => index(rng, 0, v) as f64,
                        _ if p.list.is_some() => index(rng, 0, v) as f64,
                        "sharpness" | "crease" if rng.percent(97) => rng.signed_unit().abs() * 3.0,
                        _ => rng.signed_unit() * 3.0,
                    };
                    put(&mut row, format, p.kind, value);
                }
            }
            out.extend(row);
            if format == "ascii" {
                out.push(b'\n');
            }
        }
    }
    out
}

/// Makes a property of a random type.
fn some(rng: &mut Rng, name: &str) -> Property {
    Property {
        name: name.to_owned(),
        kind: *rng.one_of(&TYPES),
        list: None,
    }
}

fn list(name: &str) -> Property {
    Property {
        name: name.to_owned(),
        kind: ("int", 4),
        list: Some(("uchar", 1)),
    }
}

fn vertex(rng: &mut Rng) -> Vec<Property> {
    let kind = *rng.one_of(&[("float", 4), ("float", 4), ("double", 8), ("short", 2)]);
    let real = |name: &str| Property {
        name: name.to_owned(),
        kind,
        list: None,
    };
    let mut all: Vec<Property> = ["x", "y", "z"].map(real).into();
    for names in [
        &["nx", "ny", "nz"][..],
        &["red", "green", "blue"],
        &["s", "t"],
        &["quality"],
        &["sharpness"],
    ] {
        if rng.percent(25) {
            let kind = *rng.one_of(&TYPES);
            all.extend(names.iter().map(|n| Property { kind, ..real(n) }));
        }
    }
    if rng.percent(10) {
        let gone = rng.below(all.len() as u64) as usize;
        all.remove(gone);
    }
    all
}

fn faces(rng: &mut Rng) -> Vec<Property> {
    let mut all = vec![Property {
        name: (*rng.one_of(&["vertex_indices", "vertex_index", "other"])).to_owned(),
        kind: *rng.one_of(&TYPES),
        list: Some(*rng.one_of(&TYPES)),
    }];
    if rng.percent(70) {
        all[0] = list("vertex_indices");
    }
    if rng.percent(30) {
        let name = *rng.one_of(&["flags", "hole"]);
        all.push(some(rng, name));
    }
    if rng.percent(10) {
        all.push(list("texcoord"));
    }
    all
}

/// Appends a value of a type.
fn put(row: &mut Vec<u8>, format: &str, (kind, size): (&str, usize), value: f64) {
    if format == "ascii" {
        let text = if kind.starts_with("float") || kind == "double" {
            format!("{value} ")
        } else {
            format!("{} ", value as i64)
        };
        return row.extend(text.into_bytes());
    }
    let mut bytes = match kind {
        "float" => (value as f32).to_le_bytes().to_vec(),
        "double" | "float64" => value.to_le_bytes().to_vec(),
        _ => (value as i64).to_le_bytes()[..size].to_vec(),
    };
    if format == "binary_big_endian" {
        bytes.reverse();
    }
    row.extend(bytes);
}
