// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/npy.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxRank = 32;
constexpr std::size_t kMaxElementBytes = 1024;

/// Parses the header: a Python dictionary literal with the keys descr, fortran_order and shape.
class HeaderParser {
 public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    bool is_column_major() const { return *is_column_major_; }

    NpyArray parse() {
        NpyArray array;
        expect('{');
        while (!accept('}')) {
            const std::string key = parse_string();
            expect(':');
            if (key == "descr") {
                array.descr = parse_string();
            } else if (key == "fortran_order") {
                is_column_major_ = parse_bool();
            } else if (key == "shape") {
                array.shape = parse_shape();
                has_shape_ = true;
            } else {
                fail("unknown key \"" + key + "\" in the header");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (array.descr.empty() || !is_column_major_ || !has_shape_) {
            fail("the header lacks descr, fortran_order or shape");
        }
        array.element_bytes = element_bytes(array.descr);
        return array;
    }

 private:
    [[noreturn]] void fail(const std::string& message) const {
        throw ConfigError(name_, ".npy: " + message);
    }

    void skip_space() {
        while (position_ < text_.size() &&
               (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t')) {
            ++position_;
        }
    }

    bool accept(char c) {
        skip_space();
        if (position_ >= text_.size() || text_[position_] != c) return false;
        ++position_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) {
            fail("damaged header: expected '" + std::string(1, c) + "' at byte " +
                 std::to_string(position_) + " of it");
        }
    }

    std::string parse_string() {
        skip_space();
        if (position_ < text_.size() && text_[position_] == '[') {
            fail("the elements are records; save one array per file");
        }
        const char quote = position_ < text_.size() ? text_[position_] : '\0';
        if (quote != '\'' && quote != '"') expect('\'');
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) fail("damaged header: a string does not end");
        const auto value = text_.substr(position_ + 1, end - position_ - 1);
        position_ = end + 1;
        return std::string(value);
    }

    bool parse_bool() {
        skip_space();
        for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
            if (text_.substr(position_).starts_with(word)) {
                position_ += std::string_view(word).size();
                return value;
            }
        }
        fail("damaged header: fortran_order is neither True nor False");
    }

    Shape parse_shape() {
        Shape shape;
        expect('(');
        while (!accept(')')) {
            skip_space();
            std::int64_t value = 0;
            const auto [end, error] =
                std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
            if (error != std::errc() || value < 0) fail("damaged header: bad dimension");
            position_ = static_cast<std::size_t>(end - text_.data());
            shape.push_back(value);
            if (shape.size() > kMaxRank) fail("more than 32 dimensions");
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return shape;
    }

    std::size_t element_bytes(const std::string& descr) const {
        constexpr std::string_view kKinds = "?biufcV";
        if (descr.size() >= 3 && descr[0] == '>') {
            fail("element type " + descr + " is big-endian; save array.astype(\"<...\")");
        }
        std::size_t size = 0;
        const char* first = descr.data() + std::min<std::size_t>(2, descr.size());
        const char* last = descr.data() + descr.size();
        const auto [end, error] = std::from_chars(first, last, size);
        if (descr.size() < 3 || std::string_view("<|=").find(descr[0]) == std::string_view::npos ||
            kKinds.find(descr[1]) == std::string_view::npos || error != std::errc() ||
            end != last || size == 0 || size > kMaxElementBytes) {
            fail("element type \"" + descr +
                 "\" is not read; numbers, booleans and raw bytes (V) are");
        }
        return size;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t position_ = 0;
    std::optional<bool> is_column_major_;
    bool has_shape_ = false;
};

std::size_t little_endian(std::span<const std::byte> bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
        value = value << 8 | std::to_integer<std::size_t>(bytes[i - 1]);
    }
    return value;
}

/// Returns the elements of a column-major array, whose first index is the fastest, in row-major
/// order.
std::vector<std::byte> in_row_major_order(const NpyArray& array) {
    const std::size_t size = array.element_bytes;
    const std::size_t rank = array.shape.size();
    std::vector<std::size_t> steps(rank, size);
    for (std::size_t i = 1; i < rank; ++i) {
        steps[i] = steps[i - 1] * static_cast<std::size_t>(array.shape[i - 1]);
    }
    std::vector<std::byte> bytes(array.data.size());
    Shape index(rank, 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < bytes.size(); to += size) {
        std::copy_n(array.data.data() + from, size, bytes.data() + to);
        for (std::size_t axis = rank; axis-- > 0;) {
            from += steps[axis];
            if (++index[axis] < array.shape[axis]) break;
            from -= steps[axis] * static_cast<std::size_t>(array.shape[axis]);
            index[axis] = 0;
        }
    }
    return bytes;
}

std::string header_text(const std::string& descr, const Shape& shape) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",), }" : "), }");
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   const std::string& name) {
    const auto fail = [&name](const std::string& message) {
        throw ConfigError(name, ".npy: " + message);
    };
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (bytes.size() < 12 || !text.starts_with(kMagic)) {
        fail("not a .npy file, or truncated: it does not begin with \\x93NUMPY");
    }
    const int version = std::to_integer<int>(bytes[6]);
    if (version < 1 || version > 3) {
        fail("format version " + std::to_string(version) + " is not read; 1, 2 and 3 are");
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t header_size = little_endian(bytes.subspan(8, length_bytes));
    const std::size_t data_offset = 8 + length_bytes + header_size;
    if (data_offset > bytes.size()) fail("truncated in the header");
    HeaderParser header(text.substr(8 + length_bytes, header_size), name);
    NpyArray array = header.parse();
    const auto count = element_count(array.shape);
    const std::size_t data_size = bytes.size() - data_offset;
    if (!count || *count > data_size / array.element_bytes ||
        *count * array.element_bytes != data_size) {
        fail("has " + std::to_string(data_size) + " bytes of data; shape " +
             shape_text(array.shape) + " of " + array.descr +
             " needs another number: truncated or damaged");
    }
    array.data = bytes.subspan(data_offset);
    array.owner = std::move(owner);
    if (header.is_column_major() && array.shape.size() > 1) {
        auto ordered = std::make_shared<const std::vector<std::byte>>(in_row_major_order(array));
        array.data = *ordered;
        array.owner = std::move(ordered);
    }
    return array;
}

NpyArray read_npy(const std::filesystem::path& path) {
    MappedFile file = map_file(path);
    return parse_npy(file.bytes, std::move(file.owner), path.string());
}

void write_npy(const std::filesystem::path& path, const std::string& descr, const Shape& shape,
               std::span<const std::byte> data) {
    constexpr std::size_t kPrefix = 10;  // magic, version, length
    std::string header = header_text(descr, shape);
    // Padded with spaces and a newline to 128 bytes, or a multiple of 64 if longer.
    const std::size_t total = std::max<std::size_t>(128, (kPrefix + header.size() + 64) / 64 * 64);
    header.resize(total - kPrefix - 1, ' ');
    header += '\n';
    std::string prefix(kMagic);
    prefix += '\x01';
    prefix += '\0';
    prefix += static_cast<char>(header.size() & 0xFFU);
    prefix += static_cast<char>(header.size() >> 8);
    OutputFile file(path.string());
    file << prefix << header;
    file.write({reinterpret_cast<const char*>(data.data()), data.size()});
    file.commit();
}

}  // namespace okksim::sim::graph
