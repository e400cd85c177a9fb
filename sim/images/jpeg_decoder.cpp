// SPDX-License-Identifier: Apache-2.0
#include "isa/base/errors.h"
#include "sim/images/decoders.h"

#ifdef OKKSIM_JPEG
#include <csetjmp>
#include <cstdio>
// The library's header needs <cstdio> before it.
#include <jpeglib.h>
#endif

namespace okksim::sim::images {

#ifdef OKKSIM_JPEG
namespace {

/// The library reports errors by a jump, because its frames cannot be unwound.
struct ErrorManager {
    jpeg_error_mgr base{};
    std::jmp_buf jump{};
    char text[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void jump_out(j_common_ptr decoder) {
    auto* errors = reinterpret_cast<ErrorManager*>(decoder->err);
    decoder->err->format_message(decoder, errors->text);
    std::longjmp(errors->jump, 1);
}

/// Warnings are errors, because the library replaces missing parts of a picture by grey. Traces
/// have levels from 0.
void refuse_warnings(j_common_ptr decoder, int level) {
    if (level < 0) jump_out(decoder);
}

/// The decoder and its error manager. It has no own frame that a jump leaves.
struct Decoder {
    jpeg_decompress_struct info{};
    ErrorManager errors;

    Decoder() {
        info.err = jpeg_std_error(&errors.base);
        errors.base.error_exit = jump_out;
        errors.base.emit_message = refuse_warnings;
    }
    ~Decoder() { jpeg_destroy_decompress(&info); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    /// Reads the header. Returns false after an error.
    bool start(std::span<const std::byte> bytes) {
        if (setjmp(errors.jump) != 0) return false;
        jpeg_create_decompress(&info);
        jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
        jpeg_read_header(&info, TRUE);
        info.out_color_space = JCS_RGB;
        return true;
    }
    /// Reads all rows. Returns false after an error.
    bool read_rows(std::uint8_t* pixels) {
        if (setjmp(errors.jump) != 0) return false;
        jpeg_start_decompress(&info);
        while (info.output_scanline < info.output_height) {
            JSAMPROW row = pixels + std::size_t{3} * info.output_width * info.output_scanline;
            jpeg_read_scanlines(&info, &row, 1);
        }
        jpeg_finish_decompress(&info);
        return true;
    }
};

[[noreturn]] void refuse(const Decoder& decoder, const std::string& name) {
    throw ConfigError(name, std::string("the JPEG picture is damaged or unusual (") +
                                decoder.errors.text + "): fetch it again, or convert it to PNG");
}

}  // namespace

Picture decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
    Decoder decoder;
    if (!decoder.start(bytes)) refuse(decoder, name);
    require_size(decoder.info.image_width, decoder.info.image_height, name);
    Picture picture{decoder.info.image_width, decoder.info.image_height, {}};
    picture.pixels.resize(std::size_t{3} * decoder.info.image_width * decoder.info.image_height);
    if (!decoder.read_rows(picture.pixels.data())) refuse(decoder, name);
    return picture;
}

#else

Picture decode_jpeg(std::span<const std::byte>, const std::string& name) {
    throw ConfigError(name,
                      "this okksim is built without libjpeg: convert the picture to .npy, or "
                      "build okksim with the package libjpeg62-turbo-dev");
}

#endif

}  // namespace okksim::sim::images
