// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/host_tensor.h"

#include <algorithm>
#include <cstring>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/merged_dimensions.h"

namespace okksim::sim::graph {

namespace {

const char* word_descr(FileWords words) {
    switch (words) {
        case FileWords::kUint64: return "<u8";
        case FileWords::kFloat64: return "<f8";
        case FileWords::kNone:
        case FileWords::kInt64: break;
    }
    return "<i8";
}

/// Returns the .npy element types accepted for `type`; the first one is used for writing. Common
/// tools spell raw types in several ways.
std::vector<std::string> accepted_descrs(DType type, bool is_unsigned,
                                         FileWords words = FileWords::kNone) {
    switch (type) {
        case DType::kBool: return {"|b1"};
        case DType::kI4:
        case DType::kI8: return {is_unsigned ? "|u1" : "|i1"};
        case DType::kI16: return {is_unsigned ? "<u2" : "<i2"};
        case DType::kI32: return {is_unsigned ? "<u4" : "<i4"};
        case DType::kI48: return {word_descr(words)};
        case DType::kShape: return {"<i8"};
        case DType::kFp32: return {"<f4"};
        case DType::kFp16: return {"<f2"};
        case DType::kBf16: return {"<V2", "|V2", "<u2"};
        case DType::kFp8E4M3: return {"<V1", "|V1", "|u1"};
        case DType::kFp8E5M2: return {"|u1", "|V1", "<V1"};
        case DType::kUnknown: break;
    }
    return {};
}

/// Returns the element type of the same width and the other signedness; empty if there is none.
std::string other_signedness(const std::string& descr) {
    if (descr.size() != 3 || (descr[1] != 'i' && descr[1] != 'u')) return {};
    return {descr[0], descr[1] == 'i' ? 'u' : 'i', descr[2]};
}

/// Returns the index of the first element with its top bit set. Such an element has different
/// values as a signed and as an unsigned number.
std::optional<std::size_t> find_top_bit(const NpyArray& array) {
    const std::size_t size = array.element_bytes;
    for (std::size_t i = 0; i * size < array.data.size(); ++i) {
        if ((array.data[i * size + size - 1] & std::byte{0x80}) != std::byte{0}) return i;
    }
    return std::nullopt;
}

/// True if the array has the other signedness than the tensor, and all values are in the range of
/// both types. Throws ConfigError if a value is not.
bool fits_other_signedness(const NpyArray& array, const std::string& wanted,
                           const std::string& name) {
    if (other_signedness(wanted) != array.descr) return false;
    const auto at = find_top_bit(array);
    if (!at) return true;
    throw ConfigError(name, "element " + std::to_string(*at) + " is " +
                                (array.descr[1] == 'i' ? "negative" : "above the signed range") +
                                ", but the tensor's elements are " + wanted.substr(1) +
                                ": convert the array, and decide what becomes of such values");
}

bool same_encoding(DType type) { return type != DType::kI4 && type != DType::kI48; }

}  // namespace

std::size_t host_element_bytes(DType type) {
    if (type == DType::kI4) return 1;
    if (type == DType::kI48) return 8;
    return static_cast<std::size_t>(storage_bits(type)) / 8;
}

std::string npy_descr(DType type, bool is_unsigned, FileWords words) {
    OKKSIM_CHECK(type != DType::kUnknown);
    return accepted_descrs(type, is_unsigned, words).front();
}

HostTensor make_host_tensor(DType type, Shape shape, std::vector<std::byte> data) {
    const auto count = element_count(shape);
    OKKSIM_CHECK(count && data.size() == *count * host_element_bytes(type));
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(data));
    const std::span<const std::byte> view(*owner);
    return {type, std::move(shape), view, std::move(owner), false, FileWords::kNone};
}

HostTensor to_host_tensor(const NpyArray& array, DType type, const std::string& name,
                          bool is_unsigned, FileWords words) {
    const auto accepted = accepted_descrs(type, is_unsigned, words);
    const bool is_integer_type = is_integer(type) || type == DType::kShape;
    if (std::find(accepted.begin(), accepted.end(), array.descr) == accepted.end() &&
        !(is_integer_type && fits_other_signedness(array, accepted.front(), name))) {
        throw ConfigError(name, "the file holds elements " + array.descr + "; tensors of " +
                                    std::string(dtype_name(type)) + " are stored as " +
                                    (accepted.empty() ? "nothing" : accepted.front()) +
                                    ": convert the array");
    }
    return {type, array.shape, array.data, array.owner, is_unsigned, words};
}

HostTensor load_tensor(const std::filesystem::path& path, DType type, const Shape& shape,
                       bool is_unsigned) {
    HostTensor tensor = to_host_tensor(read_npy(path), type, path.string(), is_unsigned);
    if (merges_to(tensor.shape, shape)) tensor.shape = shape;
    if (tensor.shape != shape) {
        throw ConfigError(path.string(), "the file has shape " + shape_text(tensor.shape) +
                                             "; the tensor has " + shape_text(shape) +
                                             ": reshape the array or give the right file");
    }
    return tensor;
}

HostTensor load_tensor(const std::filesystem::path& path, const Tensor& like) {
    if (like.words == FileWords::kNone) {
        return load_tensor(path, like.type, like.shape, like.is_unsigned);
    }
    HostTensor tensor =
        to_host_tensor(read_npy(path), DType::kI48, path.string(), false, like.words);
    tensor.shape.push_back(2);
    if (merges_to(tensor.shape, like.shape)) tensor.shape = like.shape;
    if (tensor.shape != like.shape) {
        tensor.shape.pop_back();
        throw ConfigError(path.string(),
                          "the file has shape " + shape_text(tensor.shape) + "; the tensor has " +
                              shape_text({like.shape.begin(), like.shape.end() - 1}) +
                              ": reshape the array or give the right file");
    }
    tensor.type = DType::kI32;
    return tensor;
}

HostTensor to_file_form(HostTensor value, const Tensor& like) {
    value.is_unsigned = like.is_unsigned;
    if (like.words == FileWords::kNone) return value;
    OKKSIM_CHECK(value.type == DType::kI32 && !value.shape.empty() && value.shape.back() == 2);
    value.type = DType::kI48;
    value.shape.pop_back();
    value.words = like.words;
    return value;
}

HostTensor transposed(const HostTensor& tensor, const std::vector<std::size_t>& perms) {
    const std::size_t rank = perms.size(), size = host_element_bytes(tensor.type);
    OKKSIM_CHECK(tensor.shape.size() == rank);
    std::vector<std::size_t> step(rank, size);
    for (std::size_t i = rank; i-- > 1;) {
        step[i - 1] = step[i] * static_cast<std::size_t>(tensor.shape[i]);
    }
    Shape shape;
    for (const std::size_t perm : perms) shape.push_back(tensor.shape[perm]);
    std::vector<std::byte> bytes(tensor.data.size());
    for (std::size_t i = 0; i * size < bytes.size(); ++i) {
        std::size_t rest = i, from = 0;
        for (std::size_t axis = rank; axis-- > 0;) {
            const auto length = static_cast<std::size_t>(shape[axis]);
            from += rest % length * step[perms[axis]];
            rest /= length;
        }
        std::memcpy(bytes.data() + i * size, tensor.data.data() + from, size);
    }
    HostTensor result = make_host_tensor(tensor.type, std::move(shape), std::move(bytes));
    result.is_unsigned = tensor.is_unsigned;
    result.words = tensor.words;
    return result;
}

FileWords words_of(const std::string& descr) {
    if (descr == "<u8") return FileWords::kUint64;
    return descr == "<f8" ? FileWords::kFloat64 : FileWords::kNone;
}

std::vector<std::int64_t> load_shape(const std::filesystem::path& path) {
    const HostTensor tensor = to_host_tensor(read_npy(path), DType::kShape, path.string());
    if (tensor.shape.size() > 1) {
        throw ConfigError(path.string(), "the file has shape " + shape_text(tensor.shape) +
                                             "; a shape's value has one dimension");
    }
    std::vector<std::int64_t> values(element_count(tensor.shape).value_or(0));
    if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), 8 * values.size());
    return values;
}

void save_tensor(const std::filesystem::path& path, const HostTensor& tensor) {
    write_npy(path, npy_descr(tensor.type, tensor.is_unsigned, tensor.words), tensor.shape,
              tensor.data);
}

HostTensor constant_value(DType type, const Shape& shape, std::span<const std::byte> data) {
    const std::uint64_t count = element_count(shape).value_or(0);
    OKKSIM_CHECK(data.size() >= storage_bytes(type, count));
    if (same_encoding(type)) {
        return {type,    shape, data.first(storage_bytes(type, count)),
                nullptr, false, FileWords::kNone};
    }
    const std::size_t size = host_element_bytes(type);
    std::vector<std::byte> bytes(count * size);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t value = integer_element(data, type, i);
        std::memcpy(bytes.data() + i * size, &value, size);  // little-endian host
    }
    return make_host_tensor(type, shape, std::move(bytes));
}

HostBytes host_bytes(DType type, const Shape& shape, const ConstantData& data) {
    const bool is_exact = data.size() == storage_bytes(type, element_count(shape).value_or(0));
    if (data.deferred() != nullptr && is_exact && same_encoding(type)) return {data, nullptr};
    const RepeatedElement* all = data.repeated();
    if (all == nullptr) {
        HostTensor value = constant_value(type, shape, data);
        return {value.data, std::move(value.owner)};
    }
    if (same_encoding(type)) return {data, nullptr};
    const std::int64_t value = integer_element(data, type, 0);
    const auto element = std::as_bytes(std::span(&value, 1)).first(host_element_bytes(type));
    auto owner = std::make_shared<const RepeatedElement>(
        element, element_count(shape).value_or(0) * element.size());
    const ConstantData host(*owner);
    return {host, std::move(owner)};
}

std::vector<std::byte> constant_bytes(const HostTensor& tensor) {
    if (same_encoding(tensor.type)) return {tensor.data.begin(), tensor.data.end()};
    const std::uint64_t count = element_count(tensor.shape).value_or(0);
    std::vector<std::byte> bytes(storage_bytes(tensor.type, count));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (tensor.type == DType::kI4) {
            const auto nibble = tensor.data[i] & std::byte{0x0F};
            bytes[i / 2] |= i % 2 == 0 ? nibble : nibble << 4;
        } else {
            std::memcpy(bytes.data() + i * 6, tensor.data.data() + i * 8, 6);
        }
    }
    return bytes;
}

}  // namespace okksim::sim::graph
