// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/file_check.h"

#include <algorithm>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

namespace {

using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Table;
using flatbuffers::Vector;
using StringVector = Vector<Offset<String>>;

constexpr std::size_t kMaxFlatBuffer = (std::size_t{1} << 31) - 2;
constexpr std::uint64_t kFreeWork = std::uint64_t{1} << 20;
// An honest file refers to a string a few times; sixteen times its own size is generous.
constexpr std::uint64_t kWorkPerByte = 16;

flatbuffers::Verifier::Options verifier_options(std::size_t size) {
    flatbuffers::Verifier::Options options;
    options.max_depth = 16;  // the schema nests five deep
    // Each table takes four bytes itself and four of the offset that refers to it.
    options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 8 + 64);
    return options;
}

/// Walks the four outer levels of the file by hand, for messages that name the table, and leaves
/// the leaf tables to the generated Verify functions.
class FileChecker {
 public:
    FileChecker(std::span<const std::byte> bytes, const std::string& file)
        : file_(file),
          base_(reinterpret_cast<const std::uint8_t*>(bytes.data())),
          size_(std::min(bytes.size(), kMaxFlatBuffer)),
          verifier_(base_, size_, verifier_options(size_)),
          work_left_(kFreeWork + kWorkPerByte * size_) {}

    const wire::TosaGraph& check() {
        if (size_ < 12) fail("root", 0, "the file is too short for a graph: truncated or empty");
        if (!flatbuffers::BufferHasIdentifier(base_, wire::TosaGraphIdentifier())) {
            fail("root", 4, "identifier \"TOSA\" not found: this is not a .tosa file");
        }
        const auto offset = verifier_.VerifyOffset(0);
        if (offset == 0) fail("root", 0, "the offset of the root table leaves the file");
        const auto& graph = *reinterpret_cast<const wire::TosaGraph*>(base_ + offset);
        check_graph(graph);
        return graph;
    }

 private:
    using Path = std::string;

    [[noreturn]] void fail(const Path& path, std::uint64_t offset,
                           const std::string& message) const {
        throw GraphFileError(file_, path, offset,
                             message + "; the file is damaged or hostile: fetch it again");
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
        check_string(as_table(table).GetPointer<const String*>(field), path);
    }

    void check_string(const String* value, const Path& path) {
        if (!verifier_.VerifyString(value)) {
            fail(path, offset_of(value), "the string leaves the file");
        }
        if (value != nullptr) spend(value->size(), path, value);
    }

    void spend(std::uint64_t work, const Path& path, const void* where) {
        if (work > work_left_) {
            fail(path, offset_of(where), "strings or vectors are shared beyond reason");
        }
        work_left_ -= work;
    }

    void strings(const void* table, flatbuffers::voffset_t field, const Path& path) {
        field_offset(table, field, path);
        const auto* vector = as_table(table).GetPointer<const StringVector*>(field);
        if (!verifier_.VerifyVector(vector)) {
            fail(path, offset_of(vector), "the vector leaves the file");
        }
        if (vector == nullptr) return;
        spend(std::uint64_t{4} * vector->size(), path, vector);
        for (flatbuffers::uoffset_t i = 0; i < vector->size(); ++i)
            check_string(vector->Get(i), path);
    }

    /// Applies `check(table, path)` to every element.
    template <typename T, typename Check>
    void tables(const void* table, flatbuffers::voffset_t field, const Path& path, Check&& check) {
        field_offset(table, field, path);
        const auto* vector = as_table(table).GetPointer<const Vector<Offset<T>>*>(field);
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

    void check_graph(const wire::TosaGraph& graph) {
        using G = wire::TosaGraph;
        start(&graph, "root");
        field_offset(&graph, G::VT_VERSION, "version");
        if (as_table(&graph).GetPointer<const wire::Version*>(G::VT_VERSION) == nullptr) {
            fail("version", offset_of(&graph), "the version is missing");
        }
        leaf(graph.version(), "version");
        tables<wire::TosaRegion>(&graph, G::VT_REGIONS, "regions",
                                 [this](const wire::TosaRegion* region, const Path& path) {
                                     check_region(*region, path);
                                 });
        verifier_.EndTable();
    }

    void check_region(const wire::TosaRegion& region, const Path& path) {
        using R = wire::TosaRegion;
        start(&region, path);
        string(&region, R::VT_NAME, path + ".name");
        tables<wire::TosaBasicBlock>(&region, R::VT_BLOCKS, path + ".blocks",
                                     [this](const wire::TosaBasicBlock* block, const Path& inner) {
                                         check_block(*block, inner);
                                     });
        verifier_.EndTable();
    }

    void check_block(const wire::TosaBasicBlock& block, const Path& path) {
        using B = wire::TosaBasicBlock;
        start(&block, path);
        string(&block, B::VT_NAME, path + ".name");
        strings(&block, B::VT_INPUTS, path + ".inputs");
        strings(&block, B::VT_OUTPUTS, path + ".outputs");
        tables<wire::TosaOperator>(&block, B::VT_OPERATORS, path + ".operators",
                                   [this](const wire::TosaOperator* op, const Path& inner) {
                                       check_operator(*op, inner);
                                   });
        tables<wire::TosaTensor>(&block, B::VT_TENSORS, path + ".tensors",
                                 [this](const wire::TosaTensor* tensor, const Path& inner) {
                                     leaf(tensor, inner);
                                     spend_string(tensor->name(), inner);
                                     spend_string(tensor->variable_name(), inner);
                                 });
        tables<wire::TosaShape>(&block, B::VT_SHAPES, path + ".shapes",
                                [this](const wire::TosaShape* shape, const Path& inner) {
                                    leaf(shape, inner);
                                    spend_string(shape->name(), inner);
                                });
        verifier_.EndTable();
    }

    void check_operator(const wire::TosaOperator& op, const Path& path) {
        using O = wire::TosaOperator;
        start(&op, path);
        scalar<std::uint32_t>(&op, O::VT_OP, path + ".op");
        scalar<std::uint8_t>(&op, O::VT_ATTRIBUTE_TYPE, path + ".attribute_type");
        field_offset(&op, O::VT_ATTRIBUTE, path + ".attribute");
        if (op.attribute() != nullptr &&
            !wire::VerifyAttribute(verifier_, op.attribute(), op.attribute_type())) {
            fail(path + ".attribute", offset_of(op.attribute()),
                 "the attribute table or one of its fields leaves the file");
        }
        spend_attribute_strings(op, path + ".attribute");
        strings(&op, O::VT_INPUTS, path + ".inputs");
        strings(&op, O::VT_OUTPUTS, path + ".outputs");
        field_offset(&op, O::VT_LOCATION, path + ".location");
        leaf(op.location(), path + ".location");
        if (op.location() != nullptr) spend_string(op.location()->text(), path + ".location");
        verifier_.EndTable();
    }

    void spend_attribute_strings(const wire::TosaOperator& op, const Path& path) {
        if (const auto* custom = op.attribute_as_CustomAttribute()) {
            spend_string(custom->operator_name(), path);
            spend_string(custom->domain_name(), path);
            const auto* attributes = custom->implementation_attrs();
            if (attributes != nullptr) spend(attributes->size(), path, attributes);
        } else if (const auto* cond_if = op.attribute_as_CondIfAttribute()) {
            spend_string(cond_if->then_graph(), path);
            spend_string(cond_if->else_graph(), path);
        } else if (const auto* while_loop = op.attribute_as_WhileLoopAttribute()) {
            spend_string(while_loop->cond_graph(), path);
            spend_string(while_loop->body_graph(), path);
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

}  // namespace

const wire::TosaGraph& check_graph_file(std::span<const std::byte> bytes, const std::string& file) {
    return FileChecker(bytes, file).check();
}

}  // namespace okksim::sim::graph
