// SPDX-License-Identifier: Apache-2.0
#include "isa/base/errors.h"
#include "sim/images/decoders.h"

#ifdef OKKSIM_PNG
#include <png.h>
#endif

namespace okksim::sim::images {

#ifdef OKKSIM_PNG
namespace {

/// Frees what the library holds for a picture, also after an error.
struct PngImage {
    png_image image{};
    PngImage() { image.version = PNG_IMAGE_VERSION; }
    ~PngImage() { png_image_free(&image); }
    PngImage(const PngImage&) = delete;
    PngImage& operator=(const PngImage&) = delete;
};

[[noreturn]] void refuse(const png_image& image, const std::string& name) {
    throw ConfigError(
        name, std::string("the PNG picture is damaged (") + image.message + "): fetch it again");
}

}  // namespace

Picture decode_png(std::span<const std::byte> bytes, const std::string& name) {
    PngImage holder;
    png_image& image = holder.image;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
        refuse(image, name);
    }
    require_size(image.width, image.height, name);
    image.format = PNG_FORMAT_RGB;
    // Pixels of 16 bits have the same brightness curve as those of 8 bits.
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    Picture picture{image.width, image.height, {}};
    picture.pixels.resize(PNG_IMAGE_SIZE(image));
    constexpr png_color kWhite{255, 255, 255};
    constexpr png_int_32 kDenseRows = 0;
    if (png_image_finish_read(&image, &kWhite, picture.pixels.data(), kDenseRows, nullptr) == 0) {
        refuse(image, name);
    }
    return picture;
}

#else

Picture decode_png(std::span<const std::byte>, const std::string& name) {
    throw ConfigError(name,
                      "this okksim is built without libpng: convert the picture to .npy, or "
                      "build okksim with the package libpng-dev");
}

#endif

}  // namespace okksim::sim::images
