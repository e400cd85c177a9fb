// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/npy.h"

#include <cmath>
#include <fstream>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/host_tensor.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

class TemporaryFile {
 public:
    TemporaryFile()
        : path(std::filesystem::temp_directory_path() /
               ("okksim_npy_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".npy")) {}
    ~TemporaryFile() { std::filesystem::remove(path); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::filesystem::path path;
};

NpyArray parse(const std::string& header, std::size_t data_size, char version = 1) {
    std::string text("\x93NUMPY");
    text += version;
    text += '\0';
    text += static_cast<char>(header.size());
    text += '\0';
    if (version > 1) text += std::string(2, '\0');
    text += header + std::string(data_size, '\1');
    return parse_npy(std::as_bytes(std::span(text)), nullptr, "x.npy");
}

TEST_CASE("headers are read as NumPy writes them and in other orders") {
    CHECK(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24).shape ==
          Shape{2, 3});
    CHECK(parse("{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }", 5).shape == Shape{5});
    CHECK(parse("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", 8).shape.empty());
    const NpyArray other = parse("{\"shape\":(4,),\"fortran_order\":True,\"descr\":\"<V2\"}", 8, 2);
    CHECK(other.descr == "<V2");
    CHECK(other.element_bytes == 2);
}

TEST_CASE("bad files are refused with the reason") {
    CHECK_THROWS_WITH(parse("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8),
                      Contains("big-endian"));
    CHECK_THROWS_WITH(parse("{'descr': '|O8', 'fortran_order': False, 'shape': (2,), }", 16),
                      Contains("|O8"));
    CHECK_THROWS_WITH(
        parse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8),
        Contains("records"));
    CHECK_THROWS_WITH(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11),
                      Contains("11 bytes") && Contains("[3]"));
    CHECK_THROWS_WITH(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 13),
                      Contains("13 bytes"));
    CHECK_THROWS_AS(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4),
                    ConfigError);
    CHECK_THROWS_AS(
        parse("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999,9999999999), }", 4),
        ConfigError);
    CHECK_THROWS_AS(parse("{'descr': '<f4'", 4), ConfigError);
    CHECK_THROWS_AS(parse("{'descr': '<f4'}", 4), ConfigError);
    CHECK_THROWS_WITH(parse_npy({}, nullptr, "empty.npy"), Contains("not a .npy file"));
    CHECK_THROWS_WITH(read_npy("/no/such.npy"), Contains("not found"));
}

TEST_CASE("what is written reads back, with a header of 128 bytes") {
    const TemporaryFile file;
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{1, 2, 3}}) {
        const std::uint64_t count = *element_count(shape);
        const std::vector<std::byte> data(count * 4, std::byte{7});
        write_npy(file.path, "<i4", shape, data);
        CHECK(std::filesystem::file_size(file.path) == 128 + data.size());
        const NpyArray array = read_npy(file.path);
        CHECK(array.descr == "<i4");
        CHECK(array.shape == shape);
        CHECK(std::equal(array.data.begin(), array.data.end(), data.begin(), data.end()));
    }
    CHECK_THROWS_WITH(write_npy("/no/such/folder/x.npy", "<i4", {}, {}),
                      Contains("cannot be written"));
}

TEST_CASE("tensors are read in the type and shape that is wanted") {
    const TemporaryFile file;
    write_npy(file.path, "<V2", {2}, std::vector<std::byte>(4));
    CHECK(load_tensor(file.path, DType::kBf16, {2}).data.size() == 4);
    CHECK_THROWS_WITH(load_tensor(file.path, DType::kFp16, {2}),
                      Contains("<V2") && Contains("fp16_t") && Contains("<f2"));
    CHECK_THROWS_WITH(load_tensor(file.path, DType::kBf16, {2, 1}),
                      Contains("[2]") && Contains("[2,1]"));
}

TEST_CASE("column-major arrays are read in row-major order") {
    // numpy.asfortranarray(numpy.arange(12).reshape(2, 3, 2)): the first index is the fastest. The
    // element of index (i, j, k) is 6 i + 2 j + k, and its position in the file is i + 2 j + 6 k.
    std::string text("\x93NUMPY\x01\0", 8);
    const std::string header = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3, 2), }";
    text += static_cast<char>(header.size());
    text += '\0';
    text += header;
    for (const char value : {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}) text += value;
    const NpyArray array = parse_npy(std::as_bytes(std::span(text)), nullptr, "x.npy");
    CHECK(array.shape == Shape{2, 3, 2});
    REQUIRE(array.data.size() == 12);
    for (int i = 0; i < 12; ++i) CHECK(std::to_integer<int>(array.data[i]) == i);
}

TEST_CASE("arrays of the other signedness are read if their values are in both types") {
    const TemporaryFile file;
    const auto load = [&](const char* descr, std::byte value, bool is_unsigned) {
        write_npy(file.path, descr, {2}, std::vector<std::byte>{std::byte{5}, value});
        return load_tensor(file.path, DType::kI8, {2}, is_unsigned).data[1];
    };
    CHECK(load("|i1", std::byte{127}, true) == std::byte{127});
    CHECK(load("|u1", std::byte{127}, false) == std::byte{127});
    CHECK_THROWS_WITH(load("|i1", std::byte{0x80}, true),
                      Contains("element 1") && Contains("negative") && Contains("u1"));
    CHECK_THROWS_WITH(load("|u1", std::byte{0x80}, false),
                      Contains("element 1") && Contains("above the signed range"));
    // 0x0080 has its top bit clear, as the elements are little-endian.
    write_npy(file.path, "<i2", {1}, std::vector<std::byte>{std::byte{0x80}, std::byte{0}});
    CHECK(load_tensor(file.path, DType::kI16, {1}, true).data.size() == 2);
    write_npy(file.path, "<u4", {1}, std::vector<std::byte>(4));
    CHECK_THROWS_WITH(load_tensor(file.path, DType::kFp32, {1}), Contains("<u4"));
}

TEST_CASE("four and 48 bit constants are widened and packed again") {
    // Elements 1, -2, 3 in nibbles: 0xE1, 0x03.
    const std::vector<std::byte> nibbles{std::byte{0xE1}, std::byte{0x03}};
    const HostTensor i4 = constant_value(DType::kI4, {3}, nibbles);
    CHECK(i4.data.size() == 3);
    CHECK(std::to_integer<int>(i4.data[1]) == 0xFE);
    CHECK(constant_bytes(i4) == nibbles);

    // -2^47 and 5, six bytes each, little-endian.
    std::vector<std::byte> wide(12);
    wide[5] = std::byte{0x80};
    wide[6] = std::byte{5};
    CHECK(integer_element(wide, DType::kI48, 0) == -(std::int64_t{1} << 47));
    const HostTensor i48 = constant_value(DType::kI48, {2}, wide);
    CHECK(i48.data.size() == 16);
    CHECK(std::to_integer<int>(i48.data[7]) == 0xFF);
    CHECK(constant_bytes(i48) == wide);
}

TEST_CASE("floating-point patterns have their values") {
    CHECK(decode_float(DType::kFp16, 0x3C00) == 1.0);
    CHECK(decode_float(DType::kFp16, 0x0001) == std::ldexp(1.0, -24));
    CHECK(std::isinf(decode_float(DType::kFp16, 0xFC00)));
    CHECK(std::isnan(decode_float(DType::kFp16, 0x7C01)));
    CHECK(decode_float(DType::kBf16, 0xC000) == -2.0);
    CHECK(decode_float(DType::kFp8E4M3, 0x7E) == 448.0);  // largest: 1.75 * 2^8
    CHECK(std::isnan(decode_float(DType::kFp8E4M3, 0xFF)));
    CHECK(decode_float(DType::kFp8E4M3, 0x01) == std::ldexp(1.0, -9));
    CHECK(decode_float(DType::kFp8E5M2, 0x7B) == 57344.0);  // 1.75 * 2^15
    CHECK(std::isinf(decode_float(DType::kFp8E5M2, 0x7C)));
}

}  // namespace
}  // namespace okksim::sim::graph
