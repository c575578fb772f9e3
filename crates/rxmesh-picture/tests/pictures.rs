//! Pictures as a whole: the same pixels as the files of `golden`, on any number of threads; odd meshes and options.

mod support;

use glam::Vec3;
use rxmesh_host::io::ReadOptions;
use rxmesh_host::mesh::{COLOR, Column, ColumnData, ElementKind};
use rxmesh_host::{TriMesh, generate, io};
use rxmesh_picture::{
    Background, ColorMap, Paint, Panel, Picture, PictureError, PictureOptions, Rgb, UpAxis,
    Viewpoint, render, render_animation, render_panels,
};
use std::io::Cursor;
use std::path::Path;
use support::{compare, small};

fn read(name: &str) -> TriMesh {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name);
    let options = ReadOptions::default().with(|o| o.triangulate = true);
    io::read(&path, &options).unwrap().mesh
}

/// Returns a sphere with its height as a column.
fn sphere() -> TriMesh {
    let mut mesh = generate::icosphere(4).unwrap();
    let height = mesh
        .positions
        .iter()
        .map(|p| p.y + 0.3 * p.x * p.z)
        .collect();
    mesh.add_vertex_column("height", height).unwrap();
    mesh
}

#[test]
fn pictures_are_those_of_the_files() {
    let bunny = read("bunny.obj");
    let shadow = small().with(|o| o.shadow = true);
    compare("bunny", &render(&bunny, &shadow).unwrap());

    let cube = read("creased_cube.obj");
    let plain = small().with(|o| {
        o.creases = true;
        o.paint = Paint::Plain(Rgb([0xd9, 0xcf, 0xc2]));
    });
    compare("cube", &render(&cube, &plain).unwrap());

    let edges = small().with(|o| {
        o.edges = true;
        o.flat = true;
        o.background = Background::Transparent;
        o.shadow = true;
    });
    compare("bob", &render(&read("bob.ply"), &edges).unwrap());

    let parts = small().with(|o| {
        o.paint = Paint::Parts;
        o.up = UpAxis::Z;
        o.background = Background::Plain(Rgb([0x20, 0x24, 0x28]));
    });
    compare("ant", &render(&read("ant.ply"), &parts).unwrap());
}

#[test]
fn columns_have_a_legend() {
    let column = small().with(|o| {
        o.size = [260, 180];
        o.paint = Paint::Column("height".into());
        o.isolines = 10;
    });
    compare("height", &render(&sphere(), &column).unwrap());
    let fixed = column.with(|o| {
        o.range = Some([-0.5, 0.25]);
        o.map = ColorMap::Viridis;
        o.isolines = 0;
    });
    compare("range", &render(&sphere(), &fixed).unwrap());
}

#[test]
fn panels_stand_beside_each_other() {
    let coarse = generate::icosphere(1).unwrap();
    let points = TriMesh::new(generate::icosphere(3).unwrap().positions, Vec::new()).unwrap();
    let panels = [("before", &coarse), ("points", &points)].map(|(caption, mesh)| Panel {
        caption: Some(caption),
        ..Panel::new(mesh)
    });
    let options = small().with(|o| o.edges = true);
    compare("panels", &render_panels(&panels, &options).unwrap());
}

/// An independent reader finds the pictures of a film, each put over the one before.
#[test]
fn films_are_read_by_others() {
    let mesh = generate::icosphere(2).unwrap();
    let labels =
        [0, 40, 40, 300].map(|end| (0..320).map(|f| u32::from(f < end)).collect::<Vec<_>>());
    let panels = labels.each_ref().map(|labels| Panel {
        labels: Some(labels),
        ..Panel::new(&mesh)
    });
    let options = small().with(|o| o.paint = Paint::Labels);
    let film = render_animation(&panels, &options, 25).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(&film)).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 4);
    let mut screen = Picture {
        width: 200,
        height: 150,
        pixels: vec![[0; 4]; 200 * 150],
    };
    for panel in panels {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let frame = *reader.info().frame_control().unwrap();
        assert_eq!((frame.delay_num, frame.delay_den), (1, 25));
        let (width, left) = (frame.width as usize, frame.x_offset as usize);
        for (y, row) in bytes
            .chunks(3 * width)
            .take(frame.height as usize)
            .enumerate()
        {
            for (x, c) in row.chunks(3).enumerate() {
                screen.pixels[(y + frame.y_offset as usize) * 200 + left + x] =
                    [c[0], c[1], c[2], 255];
            }
        }
        assert!(screen == render_panels(&[panel], &options).unwrap());
    }
    assert!(render_animation(&panels, &options, 0).is_err());
}

/// Large pictures have fewer samples and one hollow in four pixels is looked at; shrunk they are as small ones.
#[test]
fn large_pictures_are_as_small_ones() {
    let bunny = read("bunny.obj");
    let of_size =
        |size| render(&bunny, &small().with(|o| (o.size, o.shadow) = (size, true))).unwrap();
    let (large, small) = (of_size([1200, 900]), of_size([600, 450]));
    let mut sum = 0;
    for (i, pixel) in small.pixels.iter().enumerate() {
        let first = i / 600 * 2 * 1200 + i % 600 * 2;
        for (channel, value) in pixel.iter().take(3).enumerate() {
            let four = [0, 1, 1200, 1201].map(|k| u32::from(large.pixels[first + k][channel]));
            let mean = four.iter().sum::<u32>() / 4;
            let difference = mean.abs_diff(u32::from(*value));
            assert!(difference < 48, "pixel {i}: {four:?} and {value}");
            sum += difference;
        }
    }
    let mean = f64::from(sum) / small.pixels.len() as f64 / 3.0;
    assert!(mean < 0.6, "{mean}");
}

#[test]
fn threads_make_no_difference() {
    let mut mesh = generate::torus(200, 150, 1.0, 0.4).unwrap();
    generate::noise(&mut mesh, 0.4, 3).unwrap();
    let options = small().with(|o| {
        o.shadow = true;
        o.creases = true;
        o.size = [300, 200];
    });
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| render(&mesh, &options).unwrap().to_png())
    };
    let one = on(1);
    assert!([2, 5, 16].map(on).iter().all(|png| *png == one));
}

fn words<T>(result: Result<T, PictureError>) -> String {
    result
        .err()
        .map_or_else(|| "no error".to_owned(), |e| e.to_string())
}

/// Returns `true` if some pixels differ from the first one.
fn shows(picture: &Picture) -> bool {
    picture.pixels.iter().any(|p| *p != picture.pixels[0])
}

#[test]
fn odd_meshes_are_drawn_or_refused() {
    let triangle = |size: f32| {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|p| p * size).to_vec();
        TriMesh::new(positions, vec![[0, 1, 2]]).unwrap()
    };
    let options = small().with(|o| {
        o.shadow = true;
        o.edges = true;
        o.creases = true;
    });
    assert!(words(render(&TriMesh::default(), &options)).contains("no vertices"));
    let mut mesh = triangle(1.0);
    mesh.positions[1].y = f32::NAN;
    assert!(words(render(&mesh, &options)).contains("vertex 1"));
    for size in [1e-38, 1e-20, 1.0, 1e20, 1.5e38] {
        assert!(shows(&render(&triangle(size), &options).unwrap()), "{size}");
    }
    let far = TriMesh::new(
        vec![Vec3::splat(-3e38), Vec3::splat(3e38), Vec3::X],
        vec![[0, 1, 2]],
    );
    render(&far.unwrap(), &options).unwrap();
    // Without area in space, or from where it is seen.
    let point = TriMesh::new(vec![Vec3::ONE; 3], vec![[0, 1, 2], [0, 0, 0]]).unwrap();
    assert!(!shows(&render(&point, &small()).unwrap()));
    let thin = options.with(|o| {
        o.view = Viewpoint {
            azimuth: 90.0,
            elevation: 0.0,
        }
    });
    render(&triangle(1.0), &thin).unwrap();
    for size in [0.0f32, 5.0, 1e-40, 3e38] {
        let one = TriMesh::new(vec![Vec3::splat(size)], Vec::new()).unwrap();
        assert!(shows(&render(&one, &small()).unwrap()), "{size}");
    }
    let top = small().with(|o| {
        o.view = Viewpoint {
            azimuth: 1e9,
            elevation: -90.0,
        };
        o.shadow = true;
    });
    assert!(shows(&render(&sphere(), &top).unwrap()));
}

#[test]
fn faces_behind_each_other_hide_each_other() {
    // The nearer of two squares is seen, in either order, and from behind in another tone.
    let square = |z: f32| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, z))
    };
    let positions = [square(0.0), square(1.0)].concat();
    let far = [[0, 1, 2], [0, 2, 3]];
    let near = [[4, 5, 6], [4, 6, 7]];
    let front = small().with(|o| {
        o.view = Viewpoint {
            azimuth: 0.0,
            elevation: 0.0,
        };
        o.paint = Paint::Labels;
        o.flat = true;
    });
    let middle = |faces: Vec<[u32; 3]>, labels: &[u32], options: &PictureOptions| {
        let mesh = TriMesh::new(positions.clone(), faces).unwrap();
        let panel = Panel {
            labels: Some(labels),
            ..Panel::new(&mesh)
        };
        render_panels(&[panel], options).unwrap().pixels[75 * 200 + 100]
    };
    let first = middle([far, near].concat(), &[0, 0, 1, 1], &front);
    assert_eq!(first, middle([near, far].concat(), &[1, 1, 0, 0], &front));
    let behind = front.clone().with(|o| o.view.azimuth = 180.0);
    assert_ne!(first, middle([far, near].concat(), &[1, 1, 1, 1], &behind));
}

#[test]
fn odd_columns_are_drawn_or_refused() {
    let named = |values: fn(usize) -> f32| {
        let mut mesh = generate::icosphere(2).unwrap();
        let values = (0..mesh.vertex_count()).map(values).collect();
        mesh.add_vertex_column("v", values).unwrap();
        mesh
    };
    let options = small().with(|o| {
        o.paint = Paint::Column("v".into());
        o.isolines = 5;
    });
    let values: [fn(usize) -> f32; 7] = [
        |_| 1.0,
        |_| 0.0,
        |_| f32::MAX,
        |i| if i % 2 == 0 { f32::NAN } else { i as f32 },
        |i| [f32::INFINITY, f32::NEG_INFINITY, 0.0, 1.0][i % 4],
        |i| [f32::MAX, f32::MIN][i % 2],
        |i| i as f32 * 1e-44,
    ];
    for of in values {
        assert!(shows(&render(&named(of), &options).unwrap()));
    }
    assert!(words(render(&named(|_| f32::NAN), &options)).contains("'v' has no value"));
    let other = options.with(|o| o.paint = Paint::Column("w".into()));
    assert!(words(render(&named(|_| 1.0), &other)).contains("there are v"));
    let mut colored = generate::icosphere(1).unwrap();
    let data = ColumnData::F32(vec![f32::NAN; 4 * colored.vertex_count()]);
    let column = Column {
        name: COLOR.into(),
        element: ElementKind::Vertex,
        width: 4,
        data,
    };
    colored.add_column(column).unwrap();
    assert!(shows(&render(&colored, &small()).unwrap()));
    for paint in [Paint::Checker, Paint::Groups, Paint::Labels] {
        let options = small().with(|o| o.paint = paint);
        assert!(render(&generate::icosphere(1).unwrap(), &options).is_err());
    }
}

#[test]
fn wrong_options_are_refused() {
    let mesh = generate::icosphere(1).unwrap();
    type Change = fn(&mut PictureOptions);
    let changes: [(Change, &str); 9] = [
        (|o| o.size = [0, 5], "0 x 5"),
        (|o| o.size = [40_000, 5], "40000 x 5"),
        (|o| o.size = [16_384, 16_384], "at most 67108864 pixels"),
        (|o| o.view.elevation = 91.0, "30,91"),
        (|o| o.view.azimuth = f64::NAN, "NaN,20"),
        (|o| o.zoom = 0.0, "zoom is 0"),
        (|o| o.crease_angle = -1.0, "crease angle is -1"),
        (|o| o.range = Some([1.0, 1.0]), "range is 1,1"),
        (|o| o.isolines = 3, "no column"),
    ];
    for (change, want) in changes {
        let words = words(render(&mesh, &PictureOptions::default().with(change)));
        assert!(words.contains(want), "{words}");
    }
    assert!(render_panels(&[], &small()).is_err());
    for size in [[1, 1], [1, 700], [700, 1], [33, 31]] {
        let options = small().with(|o| o.size = size);
        assert_eq!(
            render(&mesh, &options).unwrap().pixels.len() as u32,
            size[0] * size[1]
        );
        let column = options.with(|o| o.paint = Paint::Column("height".into()));
        render(&sphere(), &column).unwrap();
    }
}
