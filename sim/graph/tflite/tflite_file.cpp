// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_file.h"

#include <algorithm>

#include "sim/graph/flatbuffer/file_check.h"
#include "sim/graph/flatbuffer/file_parts.h"

namespace okksim::sim::graph::tflite {

namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kLeastBytes = 12;

}  // namespace

bool has_identifier(std::span<const std::byte> bytes) {
    constexpr std::string_view kIdentifier = "TFL3";
    return bytes.size() >= 8 &&
           std::equal(kIdentifier.begin(), kIdentifier.end(), bytes.begin() + 4,
                      [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

File::File(const GraphSource& source) : source_(source) {
    const auto* base = reinterpret_cast<const std::uint8_t*>(source.bytes.data());
    const std::size_t size = std::min(source.bytes.size(), kMaxFlatBuffer);
    if (size < kLeastBytes) fail("root", "the file is too short for a model: truncated");
    flatbuffers::Verifier verifier(base, size, verifier_options(size));
    if (!verifier.VerifyBuffer<wire::Model>("TFL3")) {
        fail("root", "a table, vector or string leaves the file");
    }
    model_ = flatbuffers::GetRoot<wire::Model>(base);
    if (model_->version() != kVersion) {
        fail("version",
             "the schema version is " + std::to_string(model_->version()) +
                 "; version 3 is supported: convert the model again with a newer converter",
             FileProblem::kUnsupported);
    }
    check_vectors();
}

void File::check_vectors() const {
    if (model_->subgraphs() == nullptr || model_->subgraphs()->size() == 0) {
        fail("subgraphs", "the model has no subgraph");
    }
    // Tables that share one vector multiply the work of reading: a file refers to each once.
    std::uint64_t work = 0;
    for (const auto* graph : *model_->subgraphs()) {
        if (graph->tensors() != nullptr) work += graph->tensors()->size();
        if (graph->operators() == nullptr) continue;
        for (const auto* op : *graph->operators()) {
            work += 1 + (op->inputs() == nullptr ? 0 : op->inputs()->size()) +
                    (op->outputs() == nullptr ? 0 : op->outputs()->size());
        }
    }
    if (work > source_.bytes.size()) {
        fail("subgraphs", "too many tables share the same vectors");
    }
}

void File::fail(const std::string& where, const std::string& message, FileProblem problem,
                UnreadItems unread) const {
    const bool is_damaged = problem == FileProblem::kDamaged;
    throw GraphFileError(source_.name, where, std::nullopt,
                         message + (is_damaged ? kFetchOrCorrect : ""), problem, std::move(unread));
}

const wire::SubGraph& File::subgraph(std::int64_t index, const std::string& where) const {
    if (index < 0 || index >= subgraph_count()) {
        fail(where, "names subgraph " + std::to_string(index) + "; the model has " +
                        std::to_string(subgraph_count()));
    }
    return *model_->subgraphs()->Get(static_cast<std::uint32_t>(index));
}

std::int32_t File::operator_number(const wire::Operator& op, const std::string& where) const {
    const auto* codes = model_->operator_codes();
    const std::uint32_t count = codes == nullptr ? 0 : codes->size();
    if (op.opcode_index() >= count) {
        fail(where + ".opcode_index", "names operator code " + std::to_string(op.opcode_index()) +
                                          "; the model has " + std::to_string(count));
    }
    const wire::OperatorCode& code = *codes->Get(op.opcode_index());
    return std::max<std::int32_t>(code.builtin_code(), code.deprecated_builtin_code());
}

std::string_view File::custom_name(const wire::Operator& op) const {
    return view(model_->operator_codes()->Get(op.opcode_index())->custom_code());
}

std::span<const std::byte> File::buffer(const wire::Tensor& tensor,
                                        const std::string& where) const {
    const auto* buffers = model_->buffers();
    const std::uint32_t count = buffers == nullptr ? 0 : buffers->size();
    if (tensor.buffer() == 0 && count == 0) return {};
    if (tensor.buffer() >= count) {
        fail(where + ".buffer", "names buffer " + std::to_string(tensor.buffer()) +
                                    "; the model has " + std::to_string(count));
    }
    const wire::Buffer& buffer = *buffers->Get(tensor.buffer());
    if (buffer.offset() > 1) {
        if (buffer.offset() > source_.bytes.size() ||
            buffer.size() > source_.bytes.size() - buffer.offset()) {
            fail("buffers[" + std::to_string(tensor.buffer()) + "].offset",
                 "the data at " + std::to_string(buffer.offset()) + " of " +
                     std::to_string(buffer.size()) + " bytes leaves the file of " +
                     std::to_string(source_.bytes.size()) + " bytes: truncated");
        }
        return source_.bytes.subspan(buffer.offset(), buffer.size());
    }
    if (buffer.data() == nullptr) return {};
    return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

}  // namespace okksim::sim::graph::tflite
