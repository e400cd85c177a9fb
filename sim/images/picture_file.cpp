// SPDX-License-Identifier: Apache-2.0
#include "sim/images/picture_file.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <span>
#include <string>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"
#include "sim/images/decoders.h"

namespace okksim::sim::images {
namespace {

bool begins_with(std::span<const std::byte> bytes, std::string_view start) {
    return bytes.size() >= start.size() &&
           std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

constexpr std::string_view kJpegStart = "\xFF\xD8\xFF";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1A\n";

}  // namespace

bool is_picture_name(std::string_view file) {
    std::string name(file);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.ends_with(".jpg") || name.ends_with(".jpeg") || name.ends_with(".png");
}

Picture read_picture(const std::filesystem::path& file) {
    const MappedFile mapped = map_file(file);
    if (begins_with(mapped.bytes, kJpegStart)) return decode_jpeg(mapped.bytes, file.string());
    if (begins_with(mapped.bytes, kPngStart)) return decode_png(mapped.bytes, file.string());
    throw ConfigError(file.string(),
                      mapped.bytes.empty()
                          ? "the file is empty"
                          : "the content is neither a JPEG nor a PNG picture: convert "
                            "the picture, or give a .npy file");
}

}  // namespace okksim::sim::images
