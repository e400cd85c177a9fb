// SPDX-License-Identifier: Apache-2.0
// Pictures in files, and their sizes.
#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/images/picture_file.h"
#include "sim/images/picture_size.h"
#include "tests/support/catch.h"

namespace okksim::sim::images {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using Bytes = std::vector<std::uint8_t>;

// A PNG file of 2x2 pixels: red, green; blue, white.
const Bytes kPng{0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
                 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00,
                 0x00, 0xFD, 0xD4, 0x9A, 0x73, 0x00, 0x00, 0x00, 0x16, 0x49, 0x44, 0x41, 0x54, 0x78,
                 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0xC0, 0xF0, 0x9F, 0x81, 0x91, 0x81, 0xE1, 0xFF, 0xFF,
                 0xFF, 0x0C, 0x00, 0x1E, 0xF6, 0x04, 0xFD, 0x09, 0xED, 0x34, 0x3E, 0x00, 0x00, 0x00,
                 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
// A JPEG file of 8x8 grey pixels with the value 200.
const Bytes kJpeg{
    0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x4A, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01,
    0x00, 0x01, 0x00, 0x00, 0xFF, 0xDB, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03,
    0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05, 0x05, 0x04, 0x04, 0x05, 0x0A, 0x07,
    0x07, 0x06, 0x08, 0x0C, 0x0A, 0x0C, 0x0C, 0x0B, 0x0A, 0x0B, 0x0B, 0x0D, 0x0E, 0x12, 0x10, 0x0D,
    0x0E, 0x11, 0x0E, 0x0B, 0x0B, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0C, 0x0F,
    0x17, 0x18, 0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0xFF, 0xC0, 0x00, 0x0B, 0x08, 0x00, 0x08,
    0x00, 0x08, 0x01, 0x01, 0x11, 0x00, 0xFF, 0xC4, 0x00, 0x1F, 0x00, 0x00, 0x01, 0x05, 0x01, 0x01,
    0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
    0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0xFF, 0xC4, 0x00, 0xB5, 0x10, 0x00, 0x02, 0x01, 0x03,
    0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04, 0x00, 0x00, 0x01, 0x7D, 0x01, 0x02, 0x03, 0x00,
    0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32,
    0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35,
    0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55,
    0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75,
    0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94,
    0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2,
    0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9,
    0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6,
    0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFF, 0xDA,
    0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00, 0xFB, 0x02, 0xBF, 0xFF, 0xD9};

class File {
 public:
    explicit File(const Bytes& bytes) {
        std::ofstream(path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    fs::path path() const { return folder_.path() / "picture"; }

 private:
    TemporaryFolder folder_;
};

Picture read(const Bytes& bytes) { return read_picture(File(bytes).path()); }

TEST_CASE("the content decides the format, and pixels are red, green, blue") {
    const Picture png = read(kPng);
    CHECK(png.width == 2);
    CHECK(png.height == 2);
    CHECK(png.pixels == Bytes{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255});
    const Picture jpeg = read(kJpeg);
    CHECK(jpeg.width == 8);
    CHECK(jpeg.pixels == Bytes(8 * 8 * 3, 200));
}

TEST_CASE("names of pictures end in their format") {
    for (const char* name : {"a.jpg", "a.JPEG", "b/c.Png"}) CHECK(is_picture_name(name));
    for (const char* name : {"a.npy", "jpg", "a.png.npy", "1x3x224x224"})
        CHECK_FALSE(is_picture_name(name));
}

TEST_CASE("every cut of a picture is an error with its file and reason") {
    for (const Bytes* whole : {&kPng, &kJpeg}) {
        // The last bytes are the end mark, which PNG readers do not need for the pixels.
        constexpr std::size_t kEndChunk = 12;
        const std::size_t needed = whole->size() - (whole == &kPng ? kEndChunk : 2);
        for (std::size_t length = 0; length < needed; ++length) {
            const File file(
                Bytes(whole->begin(), whole->begin() + static_cast<std::ptrdiff_t>(length)));
            CHECK_THROWS_AS(read_picture(file.path()), ConfigError);
        }
    }
    CHECK_THROWS_WITH(read(Bytes(kPng.begin(), kPng.begin() + 40)),
                      Contains("picture: the PNG picture is damaged"));
    CHECK_THROWS_WITH(read(Bytes(kJpeg.begin(), kJpeg.end() - 20)),
                      Contains("the JPEG picture is damaged"));
    CHECK_THROWS_WITH(read({}), Contains("empty"));
    CHECK_THROWS_WITH(read({'a', 'b'}), Contains("neither a JPEG nor a PNG"));
    CHECK_THROWS_AS(read_picture("/nonexistent.png"), ConfigError);
}

TEST_CASE("no changed byte of a picture crashes the reader") {
    for (const Bytes* whole : {&kPng, &kJpeg}) {
        for (std::size_t at = 0; at < whole->size(); ++at) {
            Bytes changed = *whole;
            changed[at] ^= 0xFF;
            try {
                const Picture picture = read(changed);
                CHECK(picture.pixels.size() ==
                      static_cast<std::size_t>(3 * picture.width * picture.height));
            } catch (const ConfigError&) {
                SUCCEED();
            }
        }
    }
}

TEST_CASE("a header with too many pixels is refused before memory is taken") {
    Bytes large = kPng;
    // Width and height 65536: the checksum of the header is wrong, too, but PNG readers check sizes
    // or sums first. Either is an error.
    large[17] = 1;
    large[21] = 1;
    CHECK_THROWS_AS(read(large), ConfigError);
    Bytes jpeg = kJpeg;
    // The frame header FF C0 has height and width as 16-bit numbers after 5 bytes.
    for (std::size_t i = 0; i + 9 < jpeg.size(); ++i) {
        if (jpeg[i] != 0xFF || jpeg[i + 1] != 0xC0) continue;
        for (std::size_t n = 5; n < 9; ++n) jpeg[i + n] = 0xEA;
    }
    // 0xEAEA = 60138 in each direction.
    CHECK_THROWS_WITH(read(jpeg), Contains("60138x60138"));
}

Picture row(const Bytes& greys) {
    Picture picture{static_cast<std::int64_t>(greys.size()), 1, {}};
    for (const std::uint8_t grey : greys) picture.pixels.insert(picture.pixels.end(), 3, grey);
    return picture;
}
Bytes greys(const Picture& picture) {
    Bytes values;
    for (std::size_t i = 0; i < picture.pixels.size(); i += 3) values.push_back(picture.pixels[i]);
    return values;
}

TEST_CASE("stretching interpolates between the centres of pixels") {
    // Centres of the result in the source: 0.25, 0.75, 1.25, 1.75. Those of the source are 0.5 and
    // 1.5. Only one pixel is within reach of the first and the last centre, so the results are 0,
    // 0.25 * 100, 0.75 * 100, 100.
    CHECK(greys(resized(row({0, 100}), 4, 1, Resize::kStretch)) == Bytes{0, 25, 75, 100});
    // One result of four pixels: the triangle reaches 4 pixels from the centre 2. The weights are
    // 1 - 1.5/4 and 1 - 0.5/4 on both sides. (0.625 * (0 + 30) + 0.875 * (10 + 20)) / 3 = 15.
    CHECK(greys(resized(row({0, 10, 20, 30}), 1, 1, Resize::kStretch)) == Bytes{15});
    CHECK(greys(resized(row({7, 8, 9}), 3, 1, Resize::kStretch)) == Bytes{7, 8, 9});
}

TEST_CASE("cropping cuts equal edges, and fitting adds black ones") {
    // Four pixels to a square of one pixel per row: the middle pixel is from 1.5 to 2.5. Its
    // triangle has the centre 2 and reaches 1 pixel: half of 10 and half of 20.
    CHECK(greys(resized(row({0, 10, 20, 30}), 1, 1, Resize::kCrop)) == Bytes{15});
    CHECK(greys(resized(row({9, 10, 20, 9}), 2, 1, Resize::kCrop)) == Bytes{10, 20});
    // Two pixels in a square of 2x4: the rows above and below are black.
    CHECK(greys(resized(row({50, 60}), 2, 3, Resize::kFit)) == Bytes{0, 0, 50, 60, 0, 0});
    CHECK(greys(resized(row({50, 60}), 4, 1, Resize::kFit)) == Bytes{0, 50, 60, 0});
}

}  // namespace
}  // namespace okksim::sim::images
