// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_tensor.h"

#include <charconv>
#include <cstring>
#include <filesystem>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph::onnx {

namespace {

// Sparse tensors are small in the file, whatever their shape is.
constexpr std::uint64_t kMostSparseElements = std::uint64_t{1} << 28;

/// One tensor of the file under way.
class TensorReader {
 public:
    TensorReader(const GraphSource& source, const TensorProto& tensor, const std::string& place)
        : source_(source), tensor_(tensor), place_(place) {}

    HostArray read() {
        HostArray array;
        array.type = element_type(tensor_.data_type);
        array.shape = shape();
        if (element_bytes(array.type) == 0) {
            fail("the element type is " + type_text(array.type) + ", which has no numbers",
                 FileProblem::kUnsupportedType);
        }
        if (tensor_.is_external) {
            const MappedFile file = external_file();
            return with_bytes(std::move(array), external_part(file), file.owner);
        }
        if (tensor_.raw_data) return with_bytes(std::move(array), *tensor_.raw_data, nullptr);
        return typed(array);
    }

 private:
    [[noreturn]] void fail(const std::string& message,
                           FileProblem problem = FileProblem::kDamaged) const {
        throw GraphFileError(source_.name, place_, std::nullopt, message, problem);
    }

    std::string type_text(ElementType type) const {
        return type == ElementType::kUndefined ? std::to_string(tensor_.data_type)
                                               : std::string(element_name(type));
    }

    Shape shape() const {
        if (tensor_.dims.size() > kMaxDimensions) {
            fail("has " + std::to_string(tensor_.dims.size()) + " dimensions; at most " +
                 std::to_string(kMaxDimensions) + " work");
        }
        if (!element_count(tensor_.dims)) {
            fail("has the shape " + shape_text(tensor_.dims) +
                 "; dimensions are 0 or more, with at most 2^58 elements");
        }
        return tensor_.dims;
    }

    [[noreturn]] void fail_size(const HostArray& array, std::uint64_t have,
                                const std::string& what) const {
        fail("has " + std::to_string(have) + " " + what + "; " + type_text(array.type) + " " +
             shape_text(array.shape) + " needs " + std::to_string(array.count()) + " elements" +
             kFetchOrCorrect);
    }

    static bool is_packed(ElementType type) {
        return type == ElementType::kUint4 || type == ElementType::kInt4;
    }

    HostArray with_bytes(HostArray array, std::span<const std::byte> bytes,
                         std::shared_ptr<const void> owner) const {
        const std::uint64_t count = array.count();
        if (is_packed(array.type)) {
            if (bytes.size() != (count + 1) / 2) fail_size(array, bytes.size(), "bytes");
            return unpacked(array, bytes);
        }
        if (bytes.size() / element_bytes(array.type) != count ||
            bytes.size() % element_bytes(array.type) != 0) {
            fail_size(array, bytes.size(), "bytes");
        }
        array.bytes = bytes;
        array.owner = std::move(owner);
        return array;
    }

    /// 4-bit elements: two per byte, the first in the low nibble.
    static HostArray unpacked(const HostArray& array, std::span<const std::byte> bytes) {
        std::vector<std::int64_t> values(array.count());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto byte = std::to_integer<std::int64_t>(bytes[i / 2]);
            const std::int64_t nibble = i % 2 == 0 ? byte & 15 : byte >> 4;
            const bool is_negative = array.type == ElementType::kInt4 && nibble > 7;
            values[i] = is_negative ? nibble - 16 : nibble;
        }
        return make_array(array.type, array.shape, values);
    }

    HostArray typed(const HostArray& array) const {
        const std::size_t count = array.count();
        if (is_packed(array.type)) {
            std::vector<std::byte> bytes;
            for (const std::int64_t each : tensor_.integers) {
                bytes.push_back(static_cast<std::byte>(each));
            }
            return with_bytes(array, bytes, nullptr);
        }
        if (array.type == ElementType::kFloat32) {
            if (tensor_.floats.size() != count) fail_size(array, tensor_.floats.size(), "numbers");
            return copied(array, tensor_.floats.data());
        }
        if (array.type == ElementType::kFloat64) {
            if (tensor_.doubles.size() != count) {
                fail_size(array, tensor_.doubles.size(), "numbers");
            }
            return copied(array, tensor_.doubles.data());
        }
        if (tensor_.integers.size() != count) {
            fail_size(array, tensor_.integers.size(), "numbers");
        }
        return low_bytes(array);
    }

    static HostArray copied(const HostArray& array, const void* data) {
        std::vector<std::byte> bytes(array.count() * element_bytes(array.type));
        if (!bytes.empty()) std::memcpy(bytes.data(), data, bytes.size());
        return make_array(array.type, array.shape, std::move(bytes));
    }

    /// Small integers, and the bits of half-precision numbers, are stored as integers.
    HostArray low_bytes(const HostArray& array) const {
        const std::size_t size = element_bytes(array.type);
        std::vector<std::byte> bytes(array.count() * size);
        for (std::size_t i = 0; i < array.count(); ++i) {
            std::memcpy(bytes.data() + i * size, &tensor_.integers[i], size);
        }
        return make_array(array.type, array.shape, std::move(bytes));
    }

    std::uint64_t external_number(std::string_view key, std::uint64_t otherwise) const {
        const auto entry = tensor_.external.find(key);
        if (entry == tensor_.external.end()) return otherwise;
        const std::string_view text = entry->second;
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) {
            fail("the external data has the " + std::string(key) + " \"" + std::string(text) +
                 "\", which is not a number of bytes");
        }
        return value;
    }

    MappedFile external_file() const {
        const auto entry = tensor_.external.find("location");
        if (entry == tensor_.external.end() || entry->second.empty()) {
            fail("the external data has no location");
        }
        const std::filesystem::path location(entry->second);
        const std::filesystem::path folder = std::filesystem::path(source_.name).parent_path();
        if (entry->second.find('\0') != std::string_view::npos) {
            fail("the location of the external data has a zero byte");
        }
        bool leaves = location.is_absolute();
        for (const auto& part : location) leaves = leaves || part == "..";
        std::error_code error;
        const auto whole = std::filesystem::weakly_canonical(folder / location, error);
        const auto root = std::filesystem::weakly_canonical(
            folder.empty() ? std::filesystem::path(".") : folder, error);
        const auto relative = whole.lexically_relative(root);
        leaves = leaves || error || relative.empty() || *relative.begin() == "..";
        if (leaves) {
            fail("the external data is in \"" + location.string() +
                 "\", outside the folder of the model; external files are in this folder");
        }
        if (!std::filesystem::is_regular_file(whole)) {
            fail("the external data is in \"" + location.string() +
                 "\", which is missing: put the file into the folder of the model");
        }
        return map_file(whole);
    }

    std::span<const std::byte> external_part(const MappedFile& file) const {
        const std::uint64_t size = file.bytes.size();
        const std::uint64_t offset = external_number("offset", 0);
        if (offset > size) {
            fail("the external data begins at byte " + std::to_string(offset) + " of " +
                 std::to_string(size));
        }
        const std::uint64_t length = external_number("length", size - offset);
        if (length > size - offset) {
            fail("the external data has " + std::to_string(length) + " bytes from byte " +
                 std::to_string(offset) + ", but the file has " + std::to_string(size) + " bytes");
        }
        return file.bytes.subspan(offset, length);
    }

    const GraphSource& source_;
    const TensorProto& tensor_;
    const std::string& place_;
};

}  // namespace

HostArray read_tensor(const GraphSource& source, const TensorProto& tensor,
                      const std::string& place) {
    return TensorReader(source, tensor, place).read();
}

HostArray read_sparse_tensor(const GraphSource& source, const SparseTensorProto& tensor) {
    const std::string place = "sparse initializer " + std::string(tensor.values.name);
    const auto fail = [&](const std::string& message) {
        throw GraphFileError(source.name, place, std::nullopt, message + kFetchOrCorrect);
    };
    const HostArray values = read_tensor(source, tensor.values, place);
    const HostArray indices = read_tensor(source, tensor.indices, place);
    const auto elements = element_count(tensor.dims);
    if (!elements || *elements > kMostSparseElements) {
        fail("has the shape " + shape_text(tensor.dims) + "; at most 2^28 elements work");
    }
    const std::size_t rank = tensor.dims.size(), count = values.count();
    const bool is_flat = indices.shape.size() == 1;
    const Shape wanted =
        is_flat ? Shape{static_cast<std::int64_t>(count)}
                : Shape{static_cast<std::int64_t>(count), static_cast<std::int64_t>(rank)};
    if (indices.type != ElementType::kInt64 || indices.shape != wanted) {
        fail("has indices of the shape " + shape_text(indices.shape) + "; " +
             std::to_string(count) + " values have int64 " + shape_text(wanted));
    }
    const std::vector<std::int64_t> at = integers(indices);
    const std::size_t size = element_bytes(values.type);
    std::vector<std::byte> bytes(*elements * size);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t flat = is_flat ? at[i] : 0;
        for (std::size_t axis = 0; axis < rank && !is_flat; ++axis) {
            flat = flat * tensor.dims[axis] + at[i * rank + axis];
        }
        if (flat < 0 || static_cast<std::uint64_t>(flat) >= *elements) {
            fail("has an index outside the shape " + shape_text(tensor.dims));
        }
        std::memcpy(bytes.data() + static_cast<std::size_t>(flat) * size,
                    values.bytes.data() + i * size, size);
    }
    return make_array(values.type, tensor.dims, std::move(bytes));
}

}  // namespace okksim::sim::graph::onnx
