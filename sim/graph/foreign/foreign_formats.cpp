// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/foreign/foreign_formats.h"

#include <algorithm>
#include <cctype>

#include "isa/base/errors.h"

namespace okksim::sim::graph {

namespace {

using Bytes = std::span<const std::byte>;

bool has_text(Bytes bytes, std::size_t offset, std::string_view text) {
    return bytes.size() >= offset + text.size() &&
           std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                      [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

/// Reads protobuf varints. Returns nothing if the bytes end or the number is too long.
class ProtobufCursor {
 public:
    explicit ProtobufCursor(Bytes bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ == bytes_.size(); }
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && !at_end(); shift += 7) {
            const auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }
    std::size_t position() const { return at_; }
    bool skip(std::uint64_t count) {
        if (count > bytes_.size() - at_) return false;
        at_ += count;
        return true;
    }

 private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

/// SavedModel: schema version 1 (field 1), then MetaGraphDef (field 2), which begins with its info.
bool probe_saved_model(Bytes bytes) {
    ProtobufCursor cursor(bytes);
    if (cursor.varint() != std::uint64_t{1 << 3} || cursor.varint() != std::uint64_t{1})
        return false;
    if (cursor.varint() != std::uint64_t{2 << 3 | 2} || !cursor.varint()) return false;
    return cursor.varint() == std::uint64_t{1 << 3 | 2};
}

/// GraphDef of TensorFlow 1, a frozen graph. It begins with a NodeDef (field 1), which begins with
/// the node's name (field 1) and its operation (field 2).
bool probe_frozen_graph(Bytes bytes) {
    constexpr std::uint64_t kFirst = 1 << 3 | 2, kSecond = 2 << 3 | 2;
    ProtobufCursor cursor(bytes);
    if (cursor.varint() != kFirst || !cursor.varint() || cursor.varint() != kFirst) return false;
    const auto name = cursor.varint();
    if (!name || *name == 0 || !cursor.skip(*name) || cursor.varint() != kSecond) return false;
    const auto size = cursor.varint();
    const std::size_t at = cursor.position();
    if (!size || *size == 0 || !cursor.skip(*size)) return false;
    const Bytes word = bytes.subspan(at, *size);
    return std::all_of(word.begin(), word.end(), [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b);
        return std::isalnum(c) != 0 || c == '_';
    });
}

/// POSIX tar files have their magic number after name, permissions and times of the first file.
bool probe_tar(Bytes bytes) { return has_text(bytes, 257, "ustar"); }

bool probe_gzip(Bytes bytes) { return has_text(bytes, 0, "\x1f\x8b"); }
bool probe_xz(Bytes bytes) {
    return has_text(bytes, 0,
                    "\xfd"
                    "7zXZ");
}

bool probe_utf16(Bytes bytes) {
    return has_text(bytes, 0, "\xff\xfe") || has_text(bytes, 0, "\xfe\xff");
}

/// Weights without a graph: GGUF, or safetensors (an eight-byte length and JSON).
bool probe_weights(Bytes bytes) {
    return has_text(bytes, 0, "GGUF") || (has_text(bytes, 4, std::string_view("\0\0\0\0{\"", 6)));
}

constexpr std::string_view kZipFile = "PK\x03\x04";
constexpr std::size_t kZipFileBytes = 30;  ///< size of the header before a file's name

bool probe_zip(Bytes bytes) {
    return has_text(bytes, 0, kZipFile) || has_text(bytes, 0, "PK\x05\x06");
}

/// True if the archive has a file with a matching name. The names are from the central directory,
/// or from the first file if that is missing.
template <typename IsMeant>
bool has_zip_entry(Bytes bytes, IsMeant&& is_meant) {
    constexpr std::string_view kEntry = "PK\x01\x02", kEnd = "PK\x05\x06";
    constexpr std::size_t kEndBytes = 22, kMostComment = 0xFFFF, kEntryBytes = 46;
    const auto number = [&](std::size_t at, std::size_t size) {
        std::uint64_t value = 0;
        for (std::size_t i = size; i-- > 0 && at + size <= bytes.size();) {
            value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
        }
        return value;
    };
    const auto name = [&](std::size_t at, std::uint64_t size) {
        const auto rest = bytes.subspan(std::min(at, bytes.size()));
        return std::string_view(reinterpret_cast<const char*>(rest.data()),
                                std::min<std::uint64_t>(size, rest.size()));
    };
    if (!has_text(bytes, 0, kZipFile)) return false;
    if (is_meant(name(kZipFileBytes, number(26, 2)))) return true;
    const std::size_t last = bytes.size() - std::min(bytes.size(), kEndBytes);
    for (std::size_t end = last + 1; end-- > 0 && last - end <= kMostComment;) {
        if (!has_text(bytes, end, kEnd)) continue;
        for (std::size_t at = number(end + 16, 4); has_text(bytes, at, kEntry);) {
            const std::uint64_t size = number(at + 28, 2);
            if (is_meant(name(at + kEntryBytes, size))) return true;
            at += kEntryBytes + size + number(at + 30, 2) + number(at + 32, 2);
        }
        return false;
    }
    return false;
}

bool ends_with_file(std::string_view path, std::string_view file) {
    return path == file || (path.ends_with(file) && path[path.size() - file.size() - 1] == '/');
}

/// Keras 3 writes zip archives whose first file is one of these.
bool probe_keras(Bytes bytes) {
    return has_text(bytes, 0, kZipFile) && (has_text(bytes, kZipFileBytes, "metadata.json") ||
                                            has_text(bytes, kZipFileBytes, "config.json"));
}

bool probe_mlir_bytecode(Bytes bytes) { return has_text(bytes, 0, "ML\xefR"); }

/// torch.save and torch.jit.save write zip archives with NAME/data.pkl. torch.export.save writes
/// archives with serialized_exported_program.json or archive_format. An older torch.save writes a
/// pickle: the protocol, for protocol 4 or later the length of a frame, then a magic number.
bool probe_pytorch(Bytes bytes) {
    constexpr std::string_view kMagic = "\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    constexpr std::size_t kBehindProtocol = 2, kBehindFrame = 11;
    const auto is_of_torch = [](std::string_view name) {
        return ends_with_file(name, "data.pkl") ||
               ends_with_file(name, "serialized_exported_program.json") ||
               ends_with_file(name, "archive_format");
    };
    return has_zip_entry(bytes, is_of_torch) ||
           (has_text(bytes, 0, "\x80") &&
            (has_text(bytes, kBehindProtocol, kMagic) || has_text(bytes, kBehindFrame, kMagic)));
}

bool probe_hdf5(Bytes bytes) { return has_text(bytes, 0, "\x89HDF\r\n\x1a\n"); }

// The commands come from the documentation of the tools.
#define OKKSIM_AS_DOCUMENTED "convert it first; according to the tools' documentation with: "
constexpr ForeignFormat kForeignFormats[] = {
    {"MLIR bytecode", &probe_mlir_bytecode,
     OKKSIM_AS_DOCUMENTED
     "mlir-opt model.mlirbc -o model.mlir (any MLIR tool that knows the file's dialects)"},
    {"a Keras model (zip archive)", &probe_keras,
     OKKSIM_AS_DOCUMENTED
     "python: tf.lite.TFLiteConverter.from_keras_model(model).convert(), written to model.tflite"},
    {"a PyTorch file (zip archive or pickle)", &probe_pytorch,
     OKKSIM_AS_DOCUMENTED "python: torch.onnx.export(model, example_input, \"model.onnx\")"},
    {"a Keras model (HDF5)", &probe_hdf5,
     OKKSIM_AS_DOCUMENTED
     "python: tf.lite.TFLiteConverter.from_keras_model(model).convert(), written to model.tflite"},
    {"a TensorFlow SavedModel", &probe_saved_model,
     OKKSIM_AS_DOCUMENTED
     "python: tf.lite.TFLiteConverter.from_saved_model(folder).convert(), written to model.tflite"},
    {"a frozen TensorFlow graph (GraphDef)", &probe_frozen_graph,
     OKKSIM_AS_DOCUMENTED
     "python: tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(file, inputs, outputs).convert(),"
     " written to model.tflite"},
    {"a file of weights alone (safetensors, GGUF)", &probe_weights,
     "a graph is needed: export the model that the weights belong to"},
    {"a zip archive", &probe_zip, "unpack it first: unzip FILE.zip"},
    {"a tar archive", &probe_tar, "unpack it first: tar -xf FILE.tar"},
    {"a compressed file (gzip)", &probe_gzip, "unpack it first: gunzip FILE.gz"},
    {"a compressed file (xz)", &probe_xz, "unpack it first: unxz FILE.xz"},
    {"text in UTF-16", &probe_utf16, "save it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE -o NEW"},
};
#undef OKKSIM_AS_DOCUMENTED

}  // namespace

const ForeignFormat* find_foreign_format(Bytes bytes) {
    for (const ForeignFormat& format : kForeignFormats) {
        if (format.probe(bytes)) return &format;
    }
    return nullptr;
}

void refuse_foreign_format(Bytes bytes, const std::string& file) {
    const ForeignFormat* format = find_foreign_format(bytes);
    if (format == nullptr) return;
    throw ConfigError(file, "is " + std::string(format->name) + ", which okksim does not read; " +
                                std::string(format->advice));
}

}  // namespace okksim::sim::graph
