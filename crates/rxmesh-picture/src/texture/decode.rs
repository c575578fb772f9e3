//! Image files of textures: PNG and JPEG.

use super::mip::{MipImage, MipLevel};
use crate::options::MAX_PIXELS;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Longest side of an image.
const MOST_SIDE: usize = 1 << 15;

/// Reads an image by its content. An error says what is wrong, for a message that names the file.
pub(super) fn decode(file: Vec<u8>) -> Result<MipImage, String> {
    let image = match &file[..] {
        bytes @ [0x89, b'P', b'N', b'G', ..] => decode_png(bytes),
        bytes @ [0xff, 0xd8, ..] => decode_jpeg(bytes),
        bytes => Err(format!("{}; PNG and JPEG are read", kind(bytes))),
    }?;
    Ok(MipImage::new(image, file))
}

/// Returns the kind of an image that cannot be read.
fn kind(bytes: &[u8]) -> &'static str {
    let is = |at: usize, word: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(word));
    match () {
        () if is(8, b"WEBP") => "it is a WebP file",
        () if is(0, b"\xabKTX 20") => "it is a KTX2 file",
        () if is(4, b"ftypavif") => "it is an AVIF file",
        () if is(0, b"DDS ") => "it is a DDS file",
        () if is(0, b"BM") => "it is a BMP file",
        () if is(0, b"GIF8") => "it is a GIF file",
        () => "it is not an image of a known kind",
    }
}

fn check(width: usize, height: usize) -> Result<(), String> {
    let pixels = width as u64 * height as u64;
    if pixels > MAX_PIXELS || width.max(height) > MOST_SIDE {
        return Err(format!(
            "it has {width} x {height} pixels, and at most {MAX_PIXELS} are read, {MOST_SIDE} a side"
        ));
    }
    match pixels {
        0 => Err("it has no pixels".into()),
        _ => Ok(()),
    }
}

fn decode_png(bytes: &[u8]) -> Result<MipLevel, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.info().size();
    let [width, height] = [size.0, size.1].map(|n| n as usize);
    check(width, height)?;
    let length = reader.output_buffer_size().ok_or("it is too large")?;
    let mut data = vec![0; length];
    let info = reader.next_frame(&mut data).map_err(|e| e.to_string())?;
    let rows = &data[..info.buffer_size()];
    let texels: Vec<[u8; 3]> = match info.color_type {
        png::ColorType::Grayscale => rows.iter().map(|&l| [l; 3]).collect(),
        png::ColorType::GrayscaleAlpha => rows.chunks_exact(2).map(|p| [p[0]; 3]).collect(),
        png::ColorType::Rgba => rows.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect(),
        _ => rows.as_chunks::<3>().0.to_vec(),
    };
    complete(width, height, texels)
}

fn decode_jpeg(bytes: &[u8]) -> Result<MipLevel, String> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(MOST_SIDE)
        .set_max_height(MOST_SIDE);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    check(width, height)?;
    let data = decoder.decode().map_err(|e| e.to_string())?;
    let texels = match decoder.output_colorspace() {
        Some(ColorSpace::Luma) => data.iter().map(|&l| [l; 3]).collect(),
        _ => data.as_chunks::<3>().0.to_vec(),
    };
    complete(width, height, texels)
}

fn complete(width: usize, height: usize, texels: Vec<[u8; 3]>) -> Result<MipLevel, String> {
    if texels.len() != width * height {
        return Err(format!(
            "it has {} pixels, and {width} x {height} are needed",
            texels.len()
        ));
    }
    Ok(MipLevel {
        width,
        height,
        texels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Picture;

    /// A JPEG file of 16 x 8 pixels, red on the left and blue on the right.
    const JPEG: &[u8] = include_bytes!("../../tests/data/halves.jpg");

    fn png_of(kind: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 1);
        encoder.set_color(kind);
        encoder.set_depth(depth);
        if kind == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 250, 251, 252]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn png_files_of_every_kind_are_read() {
        use png::{BitDepth, ColorType};
        let read =
            |kind, depth, data: &[u8]| decode_png(&png_of(kind, depth, data)).unwrap().texels;
        let gray = [[7; 3], [9; 3]];
        assert_eq!(read(ColorType::Grayscale, BitDepth::Eight, &[7, 9]), gray);
        assert_eq!(
            read(ColorType::Grayscale, BitDepth::Sixteen, &[7, 1, 9, 1]),
            gray
        );
        assert_eq!(
            read(ColorType::GrayscaleAlpha, BitDepth::Eight, &[7, 0, 9, 1]),
            gray
        );
        let two = [[1, 2, 3], [250, 251, 252]];
        assert_eq!(read(ColorType::Indexed, BitDepth::One, &[0b0100_0000]), two);
        assert_eq!(
            read(ColorType::Rgb, BitDepth::Eight, two.as_flattened()),
            two
        );
        let alpha = [1, 2, 3, 0, 250, 251, 252, 9];
        assert_eq!(read(ColorType::Rgba, BitDepth::Eight, &alpha), two);
    }

    #[test]
    fn jpeg_files_are_read() {
        let image = decode_jpeg(JPEG).unwrap();
        assert_eq!((image.width, image.height), (16, 8));
        let near = |x: usize, want: [u8; 3]| {
            let texel = image.texels[4 * 16 + x];
            texel.iter().zip(want).all(|(a, b)| a.abs_diff(b) < 12)
        };
        assert!(near(2, [255, 0, 0]) && near(13, [0, 0, 255]), "{image:?}");
    }

    /// Damaged files give an error or an image, never a panic; what is not an image is named.
    #[test]
    fn damaged_files_are_refused() {
        let png = Picture::plain(9, 7, [10, 20, 30, 255]).to_png();
        for file in [&png, JPEG] {
            assert!(decode(file.to_vec()).is_ok());
            for length in 0..file.len() {
                let _ = decode(file[..length].to_vec());
            }
            for at in 0..file.len() {
                let mut bytes = file.to_vec();
                bytes[at] ^= 0xff;
                let _ = decode(bytes.clone());
            }
        }
        assert!(decode(png[..40].to_vec()).is_err());
        let mut large = png.clone();
        // Width and height of the header, whose checksum follows.
        large[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        assert!(decode(large.clone()).is_err());
        for (bytes, word) in [
            (&b"RIFF....WEBPVP8 "[..], "WebP"),
            (b"DDS ", "DDS"),
            (b"", "known kind"),
            (b"BM6", "BMP"),
        ] {
            let why = decode(bytes.to_vec()).err().unwrap();
            assert!(why.contains(word) && why.contains("PNG and JPEG"), "{why}");
        }
    }
}
