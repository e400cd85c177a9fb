// SPDX-License-Identifier: Apache-2.0
// docs/reference/onnx-operators.md has the rows of the ONNX reader.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/graph/onnx/onnx_operators.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using sim::graph::onnx::operator_rows;
using sim::graph::onnx::OperatorRow;
using sim::graph::onnx::refusals;

constexpr const char* kHead =
    "# ONNX operators\n\n"
    "The rows of the reader generate this page (`sim/graph/onnx/onnx_operators.def`). Operator "
    "sets 1 to 23 are read. A node whose operands\n"
    "are all known is computed on the host before the run, if its row can do that. Otherwise, "
    "operators of TOSA compute it on the chip.\n"
    "`okksim inspect FILE` lists the nodes of a file that are not supported, with the reason.\n";

/// Tells where an operator is computed.
std::string_view place_of(const OperatorRow& row) {
    const bool can_fold = row.fold != &sim::graph::onnx::fold::nothing;
    if (row.lower == &sim::graph::onnx::lower::unknown) return "only before the run";
    return can_fold ? "on the chip, or before the run" : "on the chip";
}

std::string document() {
    std::map<std::string, std::map<std::string, std::string_view>> domains;
    for (const OperatorRow& row : operator_rows()) {
        domains[row.domain.empty() ? "ai.onnx" : std::string(row.domain)][std::string(row.type)] =
            place_of(row);
    }
    std::ostringstream text;
    text << kHead;
    for (const auto& [domain, operators] : domains) {
        text << "\n## " << domain << "\n\n| operator | computed |\n|---|---|\n";
        for (const auto& [name, place] : operators)
            text << "| " << name << " | " << place << " |\n";
    }
    text << "\n## Refused\n\n| operator | the file has |\n|---|---|\n";
    for (const auto& refusal : refusals()) {
        text << "| " << (refusal.domain.empty() ? "" : std::string(refusal.domain) + ".")
             << refusal.type << " | " << refusal.reason << " |\n";
    }
    return text.str();
}

}  // namespace

// After a change, rewrite the page: OKKSIM_WRITE_ONNX_MD=1 okksim_onnx_test "onnx-operators.md*".
TEST_CASE("onnx-operators.md is what the rows generate", "[onnx]") {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    const std::string path =
        std::string(source != nullptr ? source : ".") + "/docs/reference/onnx-operators.md";
    if (std::getenv("OKKSIM_WRITE_ONNX_MD") != nullptr) std::ofstream(path) << document();
    std::ifstream stream(path);
    std::ostringstream file;
    file << stream.rdbuf();
    INFO("run with OKKSIM_WRITE_ONNX_MD=1 and commit the file");
    CHECK((file.str() == document()));
}

}  // namespace okksim::tests
