//! Writing VTU and VTP: raw bytes appended, base64 inline, or text.

use super::super::arrays::arrays;
use super::super::base64;
use super::super::numbers::{ByteOrder, NumberType, bytes_of, scalar_of};
use super::super::shape::Model;
use super::super::text::rows;
use super::super::volume::Role;
use super::super::vtk::{POLYGON, QUAD, TETRAHEDRON, TRIANGLE, coordinates};
use super::super::{Encoding, Pieces};
use crate::mesh::{Column, ColumnData, ElementKind};

/// Writes a mesh as an unstructured grid, or a surface as poly data if `poly_data` is set.
pub(in super::super) fn write(
    mesh: Model<'_>,
    columns: &[&Column],
    poly_data: bool,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let format = if poly_data { "VTP" } else { "VTU" };
    if !mesh.extras().comments.is_empty() {
        let n = mesh.extras().comments.len();
        warnings.push(format!("{format} holds no comments: {n} are not kept"));
    }
    let (vertices, elements) = (mesh.vertex_count(), mesh.element_count());
    let mut file = VtuWriter::new(encoding);
    let (kind, counts) = match poly_data {
        true => (
            "PolyData",
            format!(
                "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{elements}\""
            ),
        ),
        false => ("UnstructuredGrid", format!("NumberOfCells=\"{elements}\"")),
    };
    file.text(&format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
            header_type=\"UInt64\">\n<{kind}>\n<Piece NumberOfPoints=\"{vertices}\" {counts}>\n<Points>\n"
    ));
    let positions = coordinates(mesh);
    if encoding == Encoding::Ascii {
        // Numbers that were rounded in a local frame get only the digits that lead back to it.
        file.open("Points", 3, scalar_of(&positions), "ascii");
        let digits = mesh.coordinate_text();
        rows(0, vertices, &mut file.pieces, |line, v| {
            line.point(&digits, mesh.positions()[v]);
            line.end();
        });
        file.text("</DataArray>\n");
    } else {
        file.array("Points", 3, &positions);
    }
    let section = if poly_data { "Polys" } else { "Cells" };
    file.text(&format!("</Points>\n<{section}>\n"));
    let corners = (0..elements).flat_map(|i| mesh.element(i).iter().copied());
    // Other programs know no unsigned numbers here.
    let nodes = match vertices <= i32::MAX as usize {
        true => ColumnData::I32(corners.map(|v| v as i32).collect()),
        false => ColumnData::U32(corners.collect()),
    };
    file.array("connectivity", 1, &nodes);
    let mut end = 0;
    let ends = (0..elements).map(|i| {
        end += mesh.element(i).len();
        end
    });
    let ends = match mesh.corner_count() <= i32::MAX as usize {
        true => ColumnData::I32(ends.map(|e| e as i32).collect()),
        false => ColumnData::U32(ends.map(|e| e as u32).collect()),
    };
    file.array("offsets", 1, &ends);
    if !poly_data {
        let number = |i: usize| match (mesh, mesh.element(i).len()) {
            (Model::Volume(_), _) => TETRAHEDRON,
            (_, 3) => TRIANGLE,
            (_, 4) => QUAD,
            _ => POLYGON,
        };
        let types = (0..elements).map(number).collect();
        file.array("types", 1, &ColumnData::U8(types));
    }
    file.text(&format!("</{section}>\n"));
    for (element, section) in [
        (ElementKind::Vertex, "PointData"),
        (mesh.element_kind(), "CellData"),
    ] {
        let arrays = arrays(mesh, columns, element);
        let mut tag = format!("<{section}");
        for (role, name) in [(Role::Normals, "Normals"), (Role::Texcoords, "TCoords")] {
            if element == ElementKind::Vertex && arrays.iter().any(|a| a.role == role) {
                tag += &format!(" {name}=\"{name}\"");
            }
        }
        file.text(&format!("{tag}>\n"));
        for a in &arrays {
            file.array(&escaped(a.name), a.width, &a.data);
        }
        file.text(&format!("</{section}>\n"));
    }
    file.text(&format!("</Piece>\n</{kind}>\n"));
    file.finish()
}

/// A file of VTK's XML formats that is being made.
pub(super) struct VtuWriter {
    encoding: Encoding,
    pieces: Pieces,
    appended: Pieces,
    /// Bytes of appended data.
    offset: usize,
}

impl VtuWriter {
    pub(super) fn new(encoding: Encoding) -> VtuWriter {
        VtuWriter {
            encoding,
            pieces: Pieces::new(),
            appended: Pieces::new(),
            offset: 0,
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.pieces.push(text.as_bytes().to_vec());
    }

    /// Writes the tag before an array's data, with its name as XML writes it.
    fn open(&mut self, name: &str, width: usize, scalar: NumberType, format: &str) {
        let kind = type_name(scalar);
        self.text(&format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"{format}\">\n"
        ));
    }

    /// Writes an array, with its name as XML writes it.
    pub(super) fn array(&mut self, name: &str, width: usize, data: &ColumnData) {
        let scalar = scalar_of(data);
        match self.encoding {
            Encoding::Ascii => {
                self.open(name, width, scalar, "ascii");
                rows(0, data.len() / width, &mut self.pieces, |line, i| {
                    for k in i * width..(i + 1) * width {
                        line.value(data, k);
                        line.put(b" ");
                    }
                    line.end();
                });
                self.text("</DataArray>\n");
            }
            Encoding::Base64 => {
                self.open(name, width, scalar, "binary");
                let bytes = bytes_of(data, ByteOrder::Little);
                let mut out = Vec::new();
                base64::encode(
                    &[&(bytes.len() as u64).to_le_bytes(), &bytes[..]].concat(),
                    &mut out,
                );
                out.push(b'\n');
                self.pieces.push(out);
                self.text("</DataArray>\n");
            }
            _ => {
                let (kind, offset) = (type_name(scalar), self.offset);
                self.text(&format!(
                    "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"appended\" \
                        offset=\"{offset}\"/>\n"
                ));
                let bytes = bytes_of(data, ByteOrder::Little);
                self.offset += 8 + bytes.len();
                self.appended
                    .push((bytes.len() as u64).to_le_bytes().to_vec());
                self.appended.push(bytes);
            }
        }
    }

    pub(super) fn finish(mut self) -> Pieces {
        if !self.appended.is_empty() {
            self.text("<AppendedData encoding=\"raw\">\n_");
            let mut appended = std::mem::take(&mut self.appended);
            self.pieces.append(&mut appended);
            self.text("\n</AppendedData>\n");
        }
        self.text("</VTKFile>\n");
        self.pieces
    }
}

/// Returns a name as the value of an attribute; XML holds no control characters.
pub(super) fn escaped(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_control() { '_' } else { c })
        .collect();
    quick_xml::escape::escape(&plain).into_owned()
}

fn type_name(scalar: NumberType) -> &'static str {
    match scalar {
        NumberType::I8 => "Int8",
        NumberType::U8 => "UInt8",
        NumberType::I16 => "Int16",
        NumberType::U16 => "UInt16",
        NumberType::I32 => "Int32",
        NumberType::U32 => "UInt32",
        NumberType::I64 => "Int64",
        NumberType::U64 => "UInt64",
        NumberType::F32 => "Float32",
        NumberType::F64 => "Float64",
    }
}
