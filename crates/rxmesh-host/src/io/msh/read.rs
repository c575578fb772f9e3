//! The sections of a MSH file.

use super::super::error::Fault;
use super::super::names;
use super::super::numbers::{ByteOrder, Numbers};
use super::super::points::CoordinateBits;
use super::super::scan::quote;
use super::super::volume::{REGION, Volume, references};
use super::entities::PhysicalGroups;
use super::source::MshSource;
use super::tags::Tags;
use crate::mesh::{ColumnData, ElementKind};

/// Versions of the format that differ in how they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V2,
    V40,
    V41,
}

pub(in super::super) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Volume, Fault> {
    let mut reader = MshReader {
        source: MshSource::new(bytes),
        version: None,
        volume: Volume::new(bits, bytes.len()),
        nodes: Tags::default(),
        cells: Elements::default(),
        faces: Elements::default(),
        groups: PhysicalGroups::default(),
    };
    while reader.section(bytes)? {}
    let MshReader {
        mut volume,
        source,
        cells,
        faces,
        groups,
        ..
    } = reader;
    volume.binary = source.binary.is_some();
    let (several, what) = match volume.is_surface() {
        true => (groups.several[2], "surfaces"),
        false => (groups.several[3], "volumes"),
    };
    if several > 0 {
        volume.warnings.push(format!(
            "{several} {what} belong to several physical groups: the first of each is kept"
        ));
    }
    let Elements {
        regions, entities, ..
    } = match volume.is_surface() {
        true => faces,
        false => cells,
    };
    let mut column = |name: &str, values: Option<Numbers>| {
        if let Some(values) = values {
            volume.column(name, ElementKind::Cell, 1, values);
        }
    };
    // Files whose regions were all that there was to say have an entity for each.
    let entities = if entities == regions {
        vec![]
    } else {
        entities
    };
    column(REGION, references(regions, &[0]));
    column("entity", references(entities, &[0, 1]));
    Ok(volume)
}

pub(super) struct MshReader<'a> {
    pub(super) source: MshSource<'a>,
    pub(super) version: Option<Version>,
    pub(super) volume: Volume,
    /// Tags of all nodes.
    pub(super) nodes: Tags,
    pub(super) cells: Elements,
    pub(super) faces: Elements,
    pub(super) groups: PhysicalGroups,
}

/// Contents of a file about its tetrahedra, or its faces.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) tags: Tags,
    /// Physical group of each.
    pub(super) regions: Vec<i32>,
    /// Geometrical entity of each.
    pub(super) entities: Vec<i32>,
}

impl MshReader<'_> {
    /// Reads the next section, if there is one.
    fn section(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        let Some((at, word)) = self.source.tokens.next_at() else {
            return Ok(false);
        };
        let name = word.strip_prefix(b"$").filter(|n| !n.starts_with(b"End"));
        let name = name.and_then(|n| std::str::from_utf8(n).ok());
        let Some(name) = name.filter(|n| !n.is_empty()) else {
            let what = format!("a section such as '$Nodes' expected, found {}", quote(word));
            return Err(Fault::text(at, what));
        };
        let known = matches!(
            name,
            "Nodes" | "Elements" | "Entities" | "NodeData" | "ElementData"
        );
        if matches!(name, "NOD" | "ELM") {
            self.source.begin();
            self.version = Some(Version::V2);
            match name {
                "NOD" => self.nodes(Version::V2)?,
                _ => self.elements_1()?,
            }
            self.source.end("$END", name)?;
            return Ok(true);
        }
        let parametric = name == "ParametricNodes";
        if parametric && matches!(self.version, None | Some(Version::V2)) {
            self.source.begin();
            self.version = Some(Version::V2);
            self.parametric_nodes()?;
            self.source.end("$End", name)?;
            return Ok(true);
        }
        let Some(version) = self
            .version
            .or((name == "MeshFormat" || !known).then_some(Version::V41))
        else {
            return Err(Fault::text(
                at,
                format!("'$MeshFormat' expected before '${name}'"),
            ));
        };
        self.source.begin();
        match name {
            "MeshFormat" => self.format()?,
            "Nodes" => self.nodes(version)?,
            "Elements" => self.elements(version)?,
            "Entities" if version != Version::V2 => self.entities(version)?,
            "NodeData" => self.view(ElementKind::Vertex)?,
            "ElementData" => self.view(ElementKind::Cell)?,
            _ => return self.pass(name, at, bytes).map(|()| true),
        }
        self.source.end("$End", name)?;
        Ok(true)
    }

    fn format(&mut self) -> Result<(), Fault> {
        let tokens = &mut self.source.tokens;
        let (at, word) = tokens.expected("the version")?;
        self.version = Some(match super::version(word) {
            Some(20..=22) => Version::V2,
            Some(40) => Version::V40,
            Some(41) => Version::V41,
            _ => {
                let what = format!(
                    "version {} is not read; 1, 2.0, 2.1, 2.2, 4.0 and 4.1 are",
                    quote(word)
                );
                return Err(Fault::text(at, what));
            }
        });
        let (_, binary) = tokens.whole("the file type")?;
        let (at, size) = tokens.whole("the data size")?;
        if size != 4 && size != 8 {
            return Err(Fault::text(
                at,
                format!("the data size is {size}, possible are 4 and 8"),
            ));
        }
        self.source.size = size as usize;
        if binary == 0 {
            return Ok(());
        }
        tokens.line();
        let at = tokens.offset();
        self.source.binary = match tokens.take(4) {
            Some([1, 0, 0, 0]) => Some(ByteOrder::Little),
            Some([0, 0, 0, 1]) => Some(ByteOrder::Big),
            _ => {
                let what = "the number 1 expected in four bytes, which tells the order of bytes";
                return Err(Fault::byte(at, what));
            }
        };
        Ok(())
    }

    /// Passes over a section that a mesh has no use for.
    fn pass(&mut self, name: &str, at: usize, bytes: &[u8]) -> Result<(), Fault> {
        let end = format!("$End{name}");
        let from = self.source.at();
        let Some(length) = memchr::memmem::find(&bytes[from..], end.as_bytes()) else {
            return Err(Fault::text(at, format!("'${name}' has no '{end}'")));
        };
        self.source.tokens.go_to(from + length + end.len());
        if name == "Comments" {
            let text = names::from_bytes(&bytes[from..from + length]);
            let lines = text.lines().map(|l| l.trim_ascii().to_owned());
            self.volume.comments.extend(lines.filter(|l| !l.is_empty()));
        } else {
            self.volume
                .warnings
                .push(format!("section '{}' is not kept", names::shown(name)));
        }
        Ok(())
    }
}

/// Returns values of 64 bits as a column.
pub(super) fn doubles(values: Vec<f64>) -> Numbers {
    Numbers::Kept(ColumnData::F64(values))
}
