//! Bytes that meshoptimizer 1.3 has packed (its encoder in WebAssembly, npm `meshoptimizer`), and numbers that its
//! decoder has made of filtered ones.

use super::*;
use crate::io::base64;

const WORDS_0: &str = "\
    oKqqqqoO7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u\
    7u8+7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u4QEUFEACAAAAAACAAAAAAI\
    AAAAAwUAgAAAAACAAAAAACD/////AAIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZyXmJmam5ydnqWgoaKjpKWsp6ipqquyra6vsLeys7S\
    1vLe4ubq+fL2+un9+fXZ7enN4d3ZvdHNscXBpbm1ma2pjaGdgZWRdYltgX1hdVltaU1hRVlVOU0xRSk9OR0xFSkNIQUZAhEKCRIB\
    GgYiDioWMh46PipGMk46VlpGYk5qblp2Yn6Cbop2kpaCnqKOqq6atrqmwsayztK+2t7izuru2vb6/ur59fH66eXh3fHV0c3J3cG9\
    ubXJramloZ2xlZGNiYWBlXl1cW1pZWFdcVVRTUlFQT05NTEtKSUhHRkVEQ0JBQECBgoOElVVVVUAIAAAIAEAgECDghADjiEISANI\
    SSEkkkkmGSbpkmYDSZmZmZmZkmZJl2SYBGSSSSSEkhISEIRxCARBwQIBBACABAAABAACEUQQQT8AAABY+AgAAP8AamaoiP8AAABP\
    +/E+AAD/AMkfxiT/AAAA6GGxLAAA/wCZwAgt/wAAABCxihgRRBBBDwAAAOMrAAD/AOb6r9D/AAAArBhTbwAA/wC18AY//wAAAG4U\
    J1kAAP8AMJaWpP8AAACBnHSNAAAAAAAAAAAq7u7u7u7u7u7u7u7u7u7u/j7u7u7u7u4AAAQAAAAMBT8WGh4iJiouMjY6PkJGSk5S\
    VnJeYmZqbnJ2epaChoqOkpaynqKmqq7Ktrq+wgAAAAAVAAACABAIBAg4IQgAAwQAAP8Ah/onSQQAAP8Ae5rZvAAAAAAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAADo/VmIAAA=";
const WORDS_1: &str = "\
    oTGgqqqqqg7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u\
    7u7u78Hu7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7gAAAQAAgAcAAgYKDhIW\
    Gh4iJiouMjY6PkJGSk5SVo1eYmZqbnJ2emmChoqOkpZNnqKmqq41trq+wiHKztLWDd7i5ur58vb66QIGCtkSFs0eIia9LjKxOj6l\
    RkqZUlaNXmKBam51dm1+gmGKWZKWTZ5Fpqo5sjG6KcLGHc4V1g3eBeb97vX27f7lBt0O1RbNHsXBKrkysTqppUadTpWRWoligX1u\
    dXZtaYJhXY5VUZpJRaY9ObIxLb4lIR3OFRHaCQUB6vn18frp5eHdDtXRzckiwb25tTatqaWhnU6VkY2JhYFqeXVxbWllYV2OVVFN\
    SUVBPTk1MS0pJSEdGRURDQkFAQIGCg4SVKqqFYAAA4EgAwMDhBADAwKVllZZZZZZZlmWZZmWZmVVWZmWZlmWZZlllllllZZWAhBC\
    AwMDEAgDAxAAAxFEEEEOAFj4CAAPamaoiA8AT/vxPgAPyR/GJA8A6GGxLAAPmcAILQ8AELGKGBFEEEEMAOMrAA/m+q/QDwCsGFNv\
    AA+18AY/DwBuFCdZAA8wlpakDwCBnHSNMaAq7u7u7u7u7u7u7u7u7u7u/sHu7u7u7u4AAAQAQAcWGh4iJiouMjY6PkJGSk5SVo1e\
    YmZqbnJ2emmChoqOkpZNnqKmqq41trq+whQCBAMDggADAwQAD4f6J0kEAA97mtm8AAAAAAAAAAAAAAAAAAAAAOj9WYgAAAEA";
const FLOATS_0: &str = "\
    oAAAHwAfHx8fPz8/P39//////4CAQEBAQCAgICAgICAgEBAQ//8AABAQEBAQEBAQBQAQAfiEfACAAAAAFT/wM8//f4B/gP///3+A\
    AMz//4CAgP9//4CA//8PzwAA/39/f4AfAEjHZAL+e0XDHjSO0HHVGXA/hcXPN3m+ApmEKYehtC7//wAAWci87JQJQecVIAAAYDoA\
    BhkDHEgAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEDAAAACQQAAwD8=";
const FLOATS_1: &str = "\
    oWh6qgUgMA8XBxAADxoOJi9MT4//+PwYMNDQMPTE8mLiYvExGPwe3d0AAAcDDwMAkpPbBwcIlIjGaO6iZNf3IIB0nKGQP4QF1gle\
    McfqrnSQmispPIfTKTwkk/gMAwMODztfIBEB3B7sDzay0MIAAAAAAAAAAAAAAAAAAABAwAAAAkEAAMA/UiIA";
const NOISE_0: &str = "\
    oF0HMv/f8/aTwICC1L/ClJEFBAEA4uMGAFpbpijNZGEABf7y39MEHh/z8ARgtVQV8v/z0hQGA/7/wtsepaRMSXh68wDw7QP+iHoE\
    AQBK/9PwAFTWZ/IE3dxu5Qc/az/LHX2cA/Dtm5jT/0lPf8AYBQa8u0D8xGUkH/QAIwAj9fLg3wI5PgA1NgEAAwRGRwQDAUoCSwbF\
    wgQvMAXMxwDi4wvL8ACJhoGG6J4HD/9p//AEMASO8oLlGs4DAAArLF/nPGO/MgIBHtW6Wn7/z+Hibm/vm3MXbPAP8HRAJf8lU1RT\
    npkGjo1tbgFlYgYAAAMEANfUw8/AAAQDBMfEBPcFAAUEAVFSBAE/v4sZmO/Lxvk9/z+3utLNt7o8OwV7sf7y2x4B+vsG0M8DLi8A\
    BDYgEkK2oAIFUVgFBAMAAhRx/2//DcHNEwYDFhdXC2YELz/gAAUGjTXBfwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACFAgED";
const NOISE_1: &str = "\
    odVQA/q/9gKTwICC1AG/wpSRBbu/BAHi4wZaW6YozWRhBf7y39MEHh/z8ARgtVQV8v/z0hQGA/7/wtsepaRMSXh68wDw7QP+iHoE\
    AQBKvwNU1mfyBAHd3G7lAz9rP8sdfZwD8O2bmNP/SU9/wBgFBry7QPzEZSQf9AAjACP18uDfAjk+ADU2AQADBEZHBAMBSgJLBsXC\
    BC8wBczHAOLj3AMCiYYCgYbonAD+mY7yggYJ5RrOBAMEAwAAKyxf5zxjvzICAR7Vulp+/8/h4m5v75tzF2zwD/B0QCX/JVNUU56Z\
    /9kGjo1tbgFlYgYDBNfU2QEEAwTHxAQABQQBUVIEAT+/ixmY78vGt7oCAQDSzQG3ujw7AAV7sf7y2x4B+vsG0M8DLi8ABDYgEkK2\
    oAIFUVgFBAMAAhRxwc0TBgECAxYXVwtmAAAEAQACBQYAjTXBfwIAAAAAAAAAAAAAAAAAAAAAAAAAhQIBAwA=";
const TRIANGLES: &str = "\
    4f4N/hP+Ev4S/hL+Ev4N/gP+Av4C/gL+Av8N/wP/Av8C/wL/Av8N/wP/Av8C/wL/Av8N/wP/Av8C/wL/Av8f///+Hw8Q8wTyAvIC\
    8gLyAs8EzwTPAs8CzwLPAs8LEM8LEM8NEM8NEM8NEM8NEM8LEM8LEM8NEM8NEM8NEM8NEM8LEM8LEM8NEM8NEM8NEM8NEP92yAHI\
    AfgK/8UPAwP/3sUIAgIAk8UIAHaHVmd4qYZliWiYAWkAAA==";
const SEQUENCE: &str = "\
    0QDlvguU0AjXvgvw+wXdjRDqyw6zlA7s0QmP+QGwlQKZmQWC5wudiwuQzQObpBD+kgPR/QP2OZnoBdiNCs/lCeKiBM22AdrqBcGg\
    BJDvBfPWBYS2BKW4BvqkCpW8Bsx1n/QMtMsOpaYH5sAPq68FlNgI3/YB9KgD3cgP7oAM+5kPwM4Qxy7+wA+hqgimjQGj7AbcnQvj\
    vQGm+gi5ggaaowKlnga8tQXDoAz4/Qb90QgAAAAA";
const OCTAHEDRAL_8_IN: &str = "f2N/AGJuf3+llX8Alch/f9k7fwAP4n9/H+9/ABIYf38=";
const OCTAHEDRAL_8_OUT: &str = "IwCGABkqi3/hyJIAkuHIf79iMAAW1XZ/Led0ABkieH8=";
const OCTAHEDRAL_16_IN: &str =
    "/wc4Bv8HAAAoBucG/wf/f0X6QPn/BwAARPl6/P8H/3+Q/bED/wcAAPkAIv7/B/9/7AHt/v8HAAAmAYMB/wf/fw==";
const OCTAHEDRAL_16_OUT: &str =
    "LCMAAO6EAAB4GdgqHIr/fzDh+8cekQAAPJHB4P3H/38Gv2dixjEAAFoWF9WAdv9/By3V5iR1AAD0GSoil3j/fw==";
const QUATERNION_IN: &str =
    "Af0B/QAA/gdO/dD9Uvz+B939qwLbBP4HwwLyBAAA/AdBBCr9cfr9B7P71QF9/P4HHfy8A+r9/gcu/CkC1wL+Bw==";
const QUATERNION_OUT: &str =
    "Ft4AAKx2Ft4951rWenJ+4TMe9TbubNHnyG5CH/o3AAAVwURfJjDm370UQNiPbVLPRSpk6ARuAtRzGCUggHHC1A==";
const EXPONENTIAL_IN: &str = "\
    bvP/7CXp/+zb1v/st+3/7gDg/+4lyf/uJen/8G7b//Alyf/wbtv/8W7b//EAAADxkgQA9kkSAPbbNgD2JQkA+tsWAPrbNgD6AAgA\
    /kkSAP4lKQD+bgsAASUZAAHbNgAB";
const EXPONENTIAL_OUT: &str = "\
    ACBJuwDYtrsAlCS8AEiSvAAAAL0AbFu9ANi2vQBIEr4AbFu+AEiSvgBIkr4AAAAAAECSPwBIkkAAbFtBAFASQgDYtkIAbFtDAAAA\
    RABIkkQAlCRFAOC2RQAoSUYAbNtG";
const COLOR_8_IN: &str = "KdcAvc7XAIxr1wDeSlq/ra3XAP9K1wDOrFpCnYzXAO8=";
const COLOR_8_OUT: &str = "AClSe6XO9xhCa5S85QkxW4St1v8hSnOcxO4QO2OMtd8=";
const COLOR_16_IN: &str =
    "SgG2/gAA7wVzBrb+AABjBFsDtv4AAPcGUgLWAvD9awVrBbb+AAD/B1ICtv4AAHMGagXWAhAC5wRjBLb+AAB7Bw==";
const COLOR_16_OUT: &str =
    "AABFKYpS73s0pXnOvvfjGChCbWuylPe9HOdBCIYx61owhHWtutb//wQhSUqOc/OcGMZd74IQ5zksY3GMtrX73g==";

/// Corners of the triangles as the encoder has turned them.
#[rustfmt::skip]
const CORNERS: [u32; 198] = [
    0, 1, 8, 0, 8, 7, 2, 9, 1, 1, 9, 8, 3, 10, 2, 2, 10, 9, 4, 11, 3, 3, 11, 10, 5, 12, 4, 4, 12, 11, 6, 13, 5,
    5, 13, 12, 7, 8, 15, 7, 15, 14, 8, 9, 16, 8, 16, 15, 9, 10, 17, 9, 17, 16, 10, 11, 18, 10, 18, 17, 11, 12,
    19, 11, 19, 18, 12, 13, 20, 12, 20, 19, 14, 15, 22, 14, 22, 21, 15, 16, 23, 15, 23, 22, 16, 17, 24, 16, 24,
    23, 17, 18, 25, 17, 25, 24, 18, 19, 26, 18, 26, 25, 19, 20, 27, 19, 27, 26, 21, 22, 29, 21, 29, 28, 22, 23,
    30, 22, 30, 29, 23, 24, 31, 23, 31, 30, 24, 25, 32, 24, 32, 31, 25, 26, 33, 25, 33, 32, 26, 27, 34, 26, 34,
    33, 28, 29, 36, 28, 36, 35, 29, 30, 37, 29, 37, 36, 30, 31, 38, 30, 38, 37, 31, 32, 39, 31, 39, 38, 32, 33,
    40, 32, 40, 39, 33, 34, 41, 33, 41, 40, 100, 200, 300, 300, 200, 1000, 5, 3, 1, 70000, 70001, 70002, 0, 1,
    2, 2, 1, 40
];

fn bytes(text: &str) -> Vec<u8> {
    base64::decode(text.as_bytes(), usize::MAX).unwrap().0
}

/// Numbers by a rule that the packing program follows as well.
struct Rule(u32);

impl Rule {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

fn words() -> Vec<u8> {
    let mut rule = Rule(1);
    let element = |i: u32| {
        let third = if i % 40 < 3 { rule.next() % 65536 } else { 5 };
        [i * 7 % 1000, i * i % 500 + 65000, third, 0].map(|x| (x as u16).to_le_bytes())
    };
    (0..300).flat_map(element).flatten().collect()
}

fn floats() -> Vec<u8> {
    let mut rule = Rule(1);
    let element = |i: u16| {
        let second = (rule.next() % 1000) as f32 / 8.0;
        [f32::from(i) * 0.25 - 3.0, second, 1.5].map(f32::to_le_bytes)
    };
    (0..40).flat_map(element).flatten().collect()
}

fn noise() -> Vec<u8> {
    let mut rule = Rule(1);
    let byte = |_| match rule.next() % 3 {
        0 => (rule.next() % 256) as u8,
        _ => (rule.next() % 4) as u8,
    };
    (0..360).map(byte).collect()
}

fn decode(
    mode: &str,
    filter: &str,
    count: usize,
    stride: usize,
    packed: &[u8],
) -> Result<Vec<u8>, String> {
    PackedForm::new(mode, filter, count, stride)?.decode(packed)
}

/// Packed text, the bytes that it stands for, their number of elements and the bytes of one.
type Case = (&'static str, fn() -> Vec<u8>, usize, usize);

#[test]
fn attributes_of_both_versions() {
    let cases: [Case; 6] = [
        (WORDS_0, words, 300, 8),
        (WORDS_1, words, 300, 8),
        (FLOATS_0, floats, 40, 12),
        (FLOATS_1, floats, 40, 12),
        (NOISE_0, noise, 90, 4),
        (NOISE_1, noise, 90, 4),
    ];
    for (packed, expected, count, stride) in cases {
        let packed = bytes(packed);
        let unpacked = decode("ATTRIBUTES", "NONE", count, stride, &packed).unwrap();
        assert!(unpacked == expected(), "{count} {stride} {}", packed[0]);
        // Fewer elements do not use the bytes up.
        assert!(decode("ATTRIBUTES", "NONE", count - 17, stride, &packed).is_err());
    }
}

#[test]
fn triangles_and_indices() {
    let packed = bytes(TRIANGLES);
    let unpacked = decode("TRIANGLES", "NONE", CORNERS.len(), 4, &packed).unwrap();
    let numbers = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.as_chunks::<4>().0;
        words.iter().map(|w| u32::from_le_bytes(*w)).collect()
    };
    assert_eq!(numbers(&unpacked), CORNERS);
    let short = decode("TRIANGLES", "NONE", CORNERS.len(), 2, &packed).unwrap();
    let low: Vec<u8> = unpacked.chunks(4).flat_map(|w| w[..2].to_vec()).collect();
    assert_eq!(short, low);
    let mut rule = Rule(1);
    let expected = (0..60).map(|i| if i % 3 == 0 { i } else { rule.next() % 70000 });
    let sequence = decode("INDICES", "NONE", 60, 4, &bytes(SEQUENCE)).unwrap();
    assert_eq!(numbers(&sequence), expected.collect::<Vec<u32>>());
    assert!(decode("INDICES", "NONE", 59, 4, &bytes(SEQUENCE)).is_err());
    assert!(decode("TRIANGLES", "NONE", CORNERS.len() - 3, 4, &packed).is_err());
}

/// Returns triangles from their least corner on, as packing may turn them.
fn turned(corners: &[u32]) -> Vec<[u32; 3]> {
    let turn = |&[a, b, c]: &[u32; 3]| [a, b, c].min([b, c, a]).min([c, a, b]);
    corners.as_chunks::<3>().0.iter().map(turn).collect()
}

#[test]
fn what_is_packed_is_unpacked() {
    for (elements, stride) in [(words(), 8), (floats(), 12), (noise(), 4), (noise(), 20)] {
        let count = elements.len() / stride;
        let packed = pack_vertices(&elements, stride);
        let unpacked = decode("ATTRIBUTES", "NONE", count, stride, &packed);
        assert!(unpacked.unwrap() == elements, "{count} {stride}");
    }
    // As small as the reference's encoder makes it.
    assert!(pack_vertices(&words(), 8).len() <= bytes(WORDS_0).len());
    let mut rule = Rule(3);
    let random: Vec<u32> = (0..900).map(|_| rule.next() % 60).collect();
    let grid = crate::mesh::generate::grid(20, 30).unwrap();
    for corners in [&CORNERS[..], &random, grid.faces.as_flattened(), &[]] {
        let packed = pack_triangles(corners);
        let unpacked = decode("TRIANGLES", "NONE", corners.len(), 4, &packed).unwrap();
        let words = unpacked.as_chunks::<4>().0.iter();
        let back: Vec<u32> = words.map(|w| u32::from_le_bytes(*w)).collect();
        assert_eq!(turned(&back), turned(corners));
    }
    assert!(pack_triangles(grid.faces.as_flattened()).len() < 3 * grid.face_count());
    assert!(pack_triangles(&CORNERS).len() <= bytes(TRIANGLES).len());
}

#[test]
fn filters_give_the_numbers_of_the_reference() {
    for (filter, stride, before, after) in [
        ("OCTAHEDRAL", 4, OCTAHEDRAL_8_IN, OCTAHEDRAL_8_OUT),
        ("OCTAHEDRAL", 8, OCTAHEDRAL_16_IN, OCTAHEDRAL_16_OUT),
        ("QUATERNION", 8, QUATERNION_IN, QUATERNION_OUT),
        ("EXPONENTIAL", 12, EXPONENTIAL_IN, EXPONENTIAL_OUT),
        ("COLOR", 4, COLOR_8_IN, COLOR_8_OUT),
        ("COLOR", 8, COLOR_16_IN, COLOR_16_OUT),
    ] {
        let mut all = bytes(before);
        PackedFilter::of(filter).unwrap().apply(&mut all, stride);
        assert_eq!(all, bytes(after), "{filter} {stride}");
    }
}

#[test]
fn damaged_bytes_are_refused_or_give_as_many() {
    let all = [
        ("ATTRIBUTES", 300, 8, WORDS_1),
        ("ATTRIBUTES", 40, 12, FLOATS_0),
        ("TRIANGLES", CORNERS.len(), 4, TRIANGLES),
        ("INDICES", 60, 4, SEQUENCE),
    ];
    for (mode, count, stride, packed) in all {
        let packed = bytes(packed);
        for cut in 0..packed.len() {
            assert!(
                decode(mode, "NONE", count, stride, &packed[..cut]).is_err(),
                "{mode} {cut}"
            );
        }
        let mut rule = Rule(7);
        for _ in 0..2000 {
            let mut other = packed.clone();
            for _ in 0..1 + rule.next() % 4 {
                let at = rule.next() as usize % other.len();
                other[at] = rule.next() as u8;
            }
            if let Ok(unpacked) = decode(mode, "NONE", count, stride, &other) {
                assert_eq!(unpacked.len(), count * stride);
            }
        }
    }
    for (mode, filter, count, stride) in [
        ("OTHER", "NONE", 3, 4),
        ("ATTRIBUTES", "OTHER", 3, 4),
        ("ATTRIBUTES", "NONE", 3, 6),
        ("ATTRIBUTES", "NONE", 3, 0),
        ("ATTRIBUTES", "NONE", 3, 260),
        ("ATTRIBUTES", "OCTAHEDRAL", 3, 12),
        ("TRIANGLES", "NONE", 4, 4),
        ("TRIANGLES", "NONE", 3, 8),
        ("INDICES", "COLOR", 3, 4),
    ] {
        assert!(
            PackedForm::new(mode, filter, count, stride).is_err(),
            "{mode} {filter} {count} {stride}"
        );
    }
}
