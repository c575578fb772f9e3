//! Tests of grids without files.

use super::{Grid, GridError};
use crate::mesh::{Column, ColumnData, ElementKind};
use glam::{DVec3, dvec3};

fn grid() -> Grid {
    Grid::new([2, 3, 4], dvec3(1.0, 2.0, 3.0), dvec3(0.5, 1.0, 2.0)).unwrap()
}

fn column(name: &str, width: usize) -> Column {
    Column {
        name: name.to_owned(),
        element: ElementKind::Vertex,
        width,
        data: ColumnData::F32(vec![0.0; 24 * width]),
    }
}

#[test]
fn places_and_rows() {
    let grid = grid();
    assert_eq!(grid.points(), Ok(24));
    assert_eq!(grid.place([1, 2, 3]), dvec3(1.5, 4.0, 9.0));
    assert_eq!(grid.row([1, 0, 0]), Some(1));
    assert_eq!(grid.row([0, 1, 0]), Some(2));
    assert_eq!(grid.row([1, 2, 3]), Some(23));
    assert_eq!(grid.row([2, 0, 0]), None);
}

#[test]
fn faults_of_grids() {
    let of = |counts, origin, spacing| Grid::new(counts, origin, spacing).unwrap_err().to_string();
    let empty = of([0, 1, 1], DVec3::ZERO, DVec3::ONE);
    assert!(empty.contains("0 x 1 x 1"), "{empty}");
    let large = of([1 << 16, 1 << 16, 1], DVec3::ZERO, DVec3::ONE);
    assert!(large.contains("too large"), "{large}");
    let large = of([u32::MAX; 3], DVec3::ZERO, DVec3::ONE);
    assert!(large.contains("too large"), "{large}");
    for spacing in [dvec3(1.0, 0.0, 1.0), dvec3(1.0, -1.0, 1.0), DVec3::NAN] {
        let why = of([1; 3], DVec3::ZERO, spacing);
        assert!(why.contains("positive"), "{why}");
    }
    let far = of([1; 3], DVec3::INFINITY, DVec3::ONE);
    assert!(far.contains("not finite"), "{far}");
    let far = of([9; 3], DVec3::ZERO, DVec3::MAX);
    assert!(far.contains("not finite"), "{far}");
}

#[test]
fn faults_of_columns() {
    let mut grid = grid();
    grid.add_column(column("a", 3)).unwrap();
    grid.add_column(column("b", 1)).unwrap();
    grid.add_column(column("c", 1)).unwrap();
    grid.validate().unwrap();
    let same = grid.add_column(column("a", 1)).unwrap_err();
    assert_eq!(same, GridError::SameName { name: "a".into() });
    assert_eq!(grid.add_column(column("", 1)), Err(GridError::Unnamed));
    let mut short = column("d", 1);
    short.width = 2;
    let why = grid.add_column(short).unwrap_err().to_string();
    assert!(why.contains("24 values"), "{why}");
    let faces = Column {
        element: ElementKind::Face,
        ..column("d", 1)
    };
    let why = grid.add_column(faces).unwrap_err().to_string();
    assert!(why.contains("rows of faces"), "{why}");
    grid.counts[0] = 3;
    assert!(matches!(grid.validate(), Err(GridError::Length { .. })));
}

#[test]
fn scalars_are_found_or_the_names_are_listed() {
    let mut grid = grid();
    let none = grid.scalar(None).unwrap_err().to_string();
    assert!(none.contains("there are no columns"), "{none}");
    grid.add_column(column("a", 3)).unwrap();
    let none = grid.scalar(None).unwrap_err().to_string();
    assert!(none.contains("columns: a"), "{none}");
    grid.add_column(column("b", 1)).unwrap();
    grid.add_column(column("c", 1)).unwrap();
    assert_eq!(grid.scalar(None).unwrap().name, "b");
    assert_eq!(grid.scalar(Some("c")).unwrap().name, "c");
    let wide = grid.scalar(Some("a")).unwrap_err().to_string();
    assert!(wide.contains("3 values") && wide.contains("b, c"), "{wide}");
    let none = grid.scalar(Some("d")).unwrap_err().to_string();
    assert!(none.contains("'d'") && none.contains("a, b, c"), "{none}");
}
