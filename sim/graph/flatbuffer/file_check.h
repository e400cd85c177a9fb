// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

/// File identifier of all versions.
inline constexpr const char* kTosaIdentifier = "TOSA";
inline constexpr std::size_t kMaxFlatBuffer = (std::size_t{1} << 31) - 2;

/// Returns the verifier's limits for a file of `size` bytes.
inline flatbuffers::Verifier::Options verifier_options(std::size_t size) {
    flatbuffers::Verifier::Options options;
    options.max_depth = 16;  // the schemas nest five deep
    // A table takes at least four bytes, and the offset that refers to it another four.
    options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 8 + 64);
    return options;
}

/// Checks the outer tables of the file one by one, so that messages can name the table. The
/// generated Verify functions check the leaf tables. `Schema` has the tables Root, Region, Block,
/// Op, Tensor, Version (and Shape, if blocks have shapes) and verify_attribute(). Its
/// attribute_strings(op) returns the strings that count as work.
template <typename Schema>
class FileChecker {
    using Root = typename Schema::Root;
    using Region = typename Schema::Region;
    using Block = typename Schema::Block;
    using Op = typename Schema::Op;
    using Tensor = typename Schema::Tensor;
    using Version = typename Schema::Version;
    using String = flatbuffers::String;
    using Table = flatbuffers::Table;
    template <typename T>
    using Vector = flatbuffers::Vector<T>;
    template <typename T>
    using Offset = flatbuffers::Offset<T>;
    using StringVector = Vector<Offset<String>>;

 public:
    FileChecker(std::span<const std::byte> bytes, const std::string& file)
        : file_(file),
          base_(reinterpret_cast<const std::uint8_t*>(bytes.data())),
          size_(std::min(bytes.size(), kMaxFlatBuffer)),
          verifier_(base_, size_, verifier_options(size_)),
          work_left_(kFreeWork + kWorkPerByte * size_) {}

    const Root& check() {
        if (size_ < 12) fail("root", 0, "the file is too short for a graph: truncated or empty");
        if (!flatbuffers::BufferHasIdentifier(base_, kTosaIdentifier)) {
            fail("root", 4, "identifier \"TOSA\" not found: this is not a .tosa file");
        }
        const auto offset = verifier_.VerifyOffset(0);
        if (offset == 0) fail("root", 0, "the offset of the root table leaves the file");
        const auto& graph = *reinterpret_cast<const Root*>(base_ + offset);
        check_graph(graph);
        return graph;
    }

 private:
    static constexpr std::uint64_t kFreeWork = std::uint64_t{1} << 20;
    // A valid file refers to each string a few times; sixteen times its size leaves a wide margin.
    static constexpr std::uint64_t kWorkPerByte = 16;
    using Path = std::string;

    [[noreturn]] void fail(const Path& path, std::uint64_t offset,
                           const std::string& message) const {
        throw GraphFileError(file_, path, offset,
                             message + "; the file is damaged or malicious: fetch it again");
    }

    std::uint64_t offset_of(const void* pointer) const {
        return static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(pointer) - base_);
    }

    static const Table& as_table(const void* table) { return *static_cast<const Table*>(table); }

    void start(const void* table, const Path& path) {
        if (!as_table(table).VerifyTableStart(verifier_)) {
            fail(path, offset_of(table),
                 "the table leaves the file, or the file has more tables than its size allows");
        }
    }

    void field_offset(const void* table, flatbuffers::voffset_t field, const Path& path) {
        if (!as_table(table).VerifyOffset(verifier_, field)) {
            fail(path, offset_of(table), "an offset leaves the file");
        }
    }

    template <typename T>
    void scalar(const void* table, flatbuffers::voffset_t field, const Path& path) {
        if (!as_table(table).VerifyField<T>(verifier_, field, sizeof(T))) {
            fail(path, offset_of(table), "the value leaves the file");
        }
    }

    void string(const void* table, flatbuffers::voffset_t field, const Path& path) {
        field_offset(table, field, path);
        check_string(as_table(table).template GetPointer<const String*>(field), path);
    }

    void check_string(const String* value, const Path& path) {
        if (!verifier_.VerifyString(value)) {
            fail(path, offset_of(value), "the string leaves the file");
        }
        if (value != nullptr) spend(value->size(), path, value);
    }

    void spend(std::uint64_t work, const Path& path, const void* where) {
        if (work > work_left_) {
            fail(path, offset_of(where), "too many fields share the same strings or vectors");
        }
        work_left_ -= work;
    }

    void strings(const void* table, flatbuffers::voffset_t field, const Path& path) {
        field_offset(table, field, path);
        const auto* vector = as_table(table).template GetPointer<const StringVector*>(field);
        if (!verifier_.VerifyVector(vector)) {
            fail(path, offset_of(vector), "the vector leaves the file");
        }
        if (vector == nullptr) return;
        spend(std::uint64_t{4} * vector->size(), path, vector);
        for (flatbuffers::uoffset_t i = 0; i < vector->size(); ++i)
            check_string(vector->Get(i), path);
    }

    /// Calls `check(table, path)` for every element.
    template <typename T, typename Check>
    void tables(const void* table, flatbuffers::voffset_t field, const Path& path, Check&& check) {
        field_offset(table, field, path);
        const auto* vector = as_table(table).template GetPointer<const Vector<Offset<T>>*>(field);
        if (!verifier_.VerifyVector(vector)) {
            fail(path, offset_of(vector), "the vector leaves the file");
        }
        if (vector == nullptr) return;
        for (flatbuffers::uoffset_t i = 0; i < vector->size(); ++i) {
            check(vector->Get(i), path + "[" + std::to_string(i) + "]");
        }
    }

    template <typename T>
    void leaf(const T* table, const Path& path) {
        if (!verifier_.VerifyTable(table)) {
            fail(path, offset_of(table),
                 "the table or one of its fields leaves the file, or the file has more tables than "
                 "its size allows");
        }
    }

    void check_graph(const Root& graph) {
        start(&graph, "root");
        field_offset(&graph, Root::VT_VERSION, "version");
        if (graph.version() == nullptr) {
            fail("version", offset_of(&graph), "the version is missing");
        }
        leaf(graph.version(), "version");
        tables<Region>(
            &graph, Root::VT_REGIONS, "regions",
            [this](const Region* region, const Path& path) { check_region(*region, path); });
        verifier_.EndTable();
    }

    void check_region(const Region& region, const Path& path) {
        start(&region, path);
        string(&region, Region::VT_NAME, path + ".name");
        tables<Block>(
            &region, Region::VT_BLOCKS, path + ".blocks",
            [this](const Block* block, const Path& inner) { check_block(*block, inner); });
        verifier_.EndTable();
    }

    void check_block(const Block& block, const Path& path) {
        start(&block, path);
        string(&block, Block::VT_NAME, path + ".name");
        strings(&block, Block::VT_INPUTS, path + ".inputs");
        strings(&block, Block::VT_OUTPUTS, path + ".outputs");
        tables<Op>(&block, Block::VT_OPERATORS, path + ".operators",
                   [this](const Op* op, const Path& inner) { check_operator(*op, inner); });
        tables<Tensor>(&block, Block::VT_TENSORS, path + ".tensors",
                       [this](const Tensor* tensor, const Path& inner) {
                           leaf(tensor, inner);
                           spend_string(tensor->name(), inner);
                           spend_string(tensor->variable_name(), inner);
                       });
        if constexpr (requires { block.shapes(); }) {
            using Shape = typename Schema::Shape;
            tables<Shape>(&block, Block::VT_SHAPES, path + ".shapes",
                          [this](const Shape* shape, const Path& inner) {
                              leaf(shape, inner);
                              spend_string(shape->name(), inner);
                          });
        }
        verifier_.EndTable();
    }

    void check_operator(const Op& op, const Path& path) {
        start(&op, path);
        scalar<std::uint32_t>(&op, Op::VT_OP, path + ".op");
        scalar<std::uint8_t>(&op, Op::VT_ATTRIBUTE_TYPE, path + ".attribute_type");
        field_offset(&op, Op::VT_ATTRIBUTE, path + ".attribute");
        if (op.attribute() != nullptr &&
            !Schema::verify_attribute(verifier_, op.attribute(), op.attribute_type())) {
            fail(path + ".attribute", offset_of(op.attribute()),
                 "the attribute table or one of its fields leaves the file");
        }
        spend_attribute_strings(op, path + ".attribute");
        strings(&op, Op::VT_INPUTS, path + ".inputs");
        strings(&op, Op::VT_OUTPUTS, path + ".outputs");
        if constexpr (requires { op.location(); }) {
            field_offset(&op, Op::VT_LOCATION, path + ".location");
            leaf(op.location(), path + ".location");
            if (op.location() != nullptr) spend_string(op.location()->text(), path + ".location");
        }
        verifier_.EndTable();
    }

    void spend_attribute_strings(const Op& op, const Path& path) {
        for (const String* string : Schema::attribute_strings(op)) spend_string(string, path);
        if (const auto* custom = op.attribute_as_CustomAttribute()) {
            const auto* attributes = custom->implementation_attrs();
            if (attributes != nullptr) spend(attributes->size(), path, attributes);
        }
    }

    void spend_string(const String* value, const Path& path) {
        if (value != nullptr) spend(value->size(), path, value);
    }

    const std::string& file_;
    const std::uint8_t* base_;
    std::size_t size_;
    flatbuffers::Verifier verifier_;
    std::uint64_t work_left_;
};

/// Checks that `bytes` is a well-formed FlatBuffer of the schema. Every offset, vector, string and
/// table within a reader's reach is inside the buffer. The reading work is proportional to the file
/// size: excessive references to the same tables and strings are refused. Does not check versions,
/// names or meanings. GraphFileError names the table.
template <typename Schema>
const typename Schema::Root& check_graph_file(std::span<const std::byte> bytes,
                                              const std::string& file) {
    return FileChecker<Schema>(bytes, file).check();
}

}  // namespace okksim::sim::graph
