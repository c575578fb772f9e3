//! Filters, which turn unpacked numbers into those of accessors.

/// A filter, applied after unpacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackedFilter {
    None,
    /// Directions by their place on an octahedron.
    Octahedral,
    /// Rotations by three of their four numbers.
    Quaternion,
    /// Floats by mantissa and exponent.
    Exponential,
    /// Colours by brightness and two differences.
    Color,
}

impl PackedFilter {
    pub(super) fn of(name: &str) -> Option<PackedFilter> {
        Some(match name {
            "NONE" => PackedFilter::None,
            "OCTAHEDRAL" => PackedFilter::Octahedral,
            "QUATERNION" => PackedFilter::Quaternion,
            "EXPONENTIAL" => PackedFilter::Exponential,
            "COLOR" => PackedFilter::Color,
            _ => return None,
        })
    }

    /// Returns `true` if elements of `stride` bytes, a multiple of four, can have the filter.
    pub(super) fn fits(self, stride: usize) -> bool {
        match self {
            PackedFilter::None | PackedFilter::Exponential => true,
            PackedFilter::Octahedral | PackedFilter::Color => matches!(stride, 4 | 8),
            PackedFilter::Quaternion => stride == 8,
        }
    }

    /// Replaces the numbers of elements.
    pub(super) fn apply(self, bytes: &mut [u8], stride: usize) {
        match (self, stride) {
            (PackedFilter::None, _) => {}
            (PackedFilter::Octahedral, 4) => {
                each(bytes, |e: [u8; 4]| {
                    octahedral(e.map(|x| i32::from(x as i8)), 127.0).map(|x| x as u8)
                });
            }
            (PackedFilter::Octahedral, _) => {
                each(bytes, |e| {
                    from_words(octahedral(words(e).map(signed_word), 32767.0))
                });
            }
            (PackedFilter::Quaternion, _) => {
                each(bytes, |e| from_words(quaternion(words(e).map(signed_word))));
            }
            (PackedFilter::Exponential, _) => {
                each(bytes, |e: [u8; 4]| {
                    exponential(u32::from_le_bytes(e)).to_le_bytes()
                });
            }
            (PackedFilter::Color, 4) => {
                let colour = |[y, o, g, a]: [u8; 4]| {
                    let differences = [o, g].map(|x| i32::from(x as i8));
                    color(i32::from(y), differences, i32::from(a), 255.0).map(|x| x as u8)
                };
                each(bytes, colour);
            }
            (PackedFilter::Color, _) => each(bytes, |e| {
                let [y, o, g, a] = words(e);
                let differences = [o, g].map(signed_word);
                from_words(color(i32::from(y), differences, i32::from(a), 65535.0))
            }),
        }
    }
}

fn each<const N: usize>(bytes: &mut [u8], element: impl Fn([u8; N]) -> [u8; N]) {
    let elements = bytes.as_chunks_mut::<N>().0;
    elements.iter_mut().for_each(|e| *e = element(*e));
}

fn words(e: [u8; 8]) -> [u16; 4] {
    [0, 2, 4, 6].map(|k| u16::from_le_bytes([e[k], e[k + 1]]))
}

fn signed_word(word: u16) -> i32 {
    i32::from(word as i16)
}

fn from_words(values: [i32; 4]) -> [u8; 8] {
    let [a, b, c, d] = values.map(|x| (x as u16).to_le_bytes());
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}

fn rounded(x: f32) -> i32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }) as i32
}

/// Returns the direction of a place on the octahedron with the size of the third number; the fourth stays.
fn octahedral(e: [i32; 4], largest: f32) -> [i32; 4] {
    let [mut x, mut y, one, _] = e.map(|x| x as f32);
    let z = one - x.abs() - y.abs();
    // The lower half is folded outwards.
    let fold = z.min(0.0);
    x += if x >= 0.0 { fold } else { -fold };
    y += if y >= 0.0 { fold } else { -fold };
    let scale = largest / (x * x + y * y + z * z).sqrt();
    let [x, y, z] = [x, y, z].map(|x| rounded(x * scale));
    [x, y, z, e[3]]
}

/// Returns a rotation: the fourth number says which of the four is left out, and the size of the others.
fn quaternion(e: [i32; 4]) -> [i32; 4] {
    let size = (e[3] | 3) as f32;
    let [x, y, z, _] = e.map(|x| x as f32);
    let left = size * size * 2.0 - x * x - y * y - z * z;
    let w = left.max(0.0).sqrt();
    let scale = 32767.0 / 2f32.sqrt() / size;
    let place = (e[3] & 3) as usize;
    let mut all = [0; 4];
    for (k, value) in [w, x, y, z].into_iter().enumerate() {
        all[(place + k) % 4] = rounded(value * scale);
    }
    all
}

/// Returns the bits of a float of 24 bits of mantissa and 8 of exponent.
fn exponential(bits: u32) -> u32 {
    let mantissa = (bits << 8) as i32 >> 8;
    let exponent = bits as i32 >> 24;
    let power = f32::from_bits(((exponent + 127) as u32) << 23);
    (power * mantissa as f32).to_bits()
}

/// Returns red, green, blue and alpha. The highest bit of alpha says how many bits all have.
fn color(y: i32, [orange, green]: [i32; 2], alpha: i32, largest: f32) -> [i32; 4] {
    let bits = 32 - alpha.leading_zeros();
    let all = ((1i64 << bits) - 1) as i32;
    let alpha = (alpha << 1) & all | alpha & 1;
    let scale = largest / all as f32;
    let colour = [y + orange - green, y + green, y - orange - green, alpha];
    colour.map(|x| (x as f32 * scale + 0.5) as i32)
}
