// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/graph_types.h"

namespace okksim::sim::check {

/// The file that describes a test, and the one that stands for a refused graph among outputs.
inline constexpr const char* kDescription = "desc.json";
inline constexpr const char* kRejectedFile = "REJECTED";

/// A graph input and the .npy file that holds its value.
struct TestInput {
    std::string name;
    std::filesystem::path file;
};

/// An output, or the state of a variable after the run, and how to judge it.
struct TestOutput {
    std::string name;
    std::string output_file;  ///< plain name of the file that an implementation writes
    std::optional<graph::DType>
        type;                  ///< from the compliance data; else the reference file decides
    bool is_unsigned = false;  ///< HostTensor::is_unsigned
    Rule rule;
    std::filesystem::path reference;  ///< what the rule compares with
    std::optional<std::filesystem::path> bounds;
};

/// One test folder: desc.json and the files that it names. Paths include the folder.
struct TestCase {
    std::filesystem::path folder;
    std::filesystem::path graph;
    bool expects_rejection = false;
    std::string rejection_reason;  ///< the violated condition in the test's words
    bool expects_damage = false;   ///< the test says that its file is malformed
    std::string op;                ///< operator under test, e.g. "CONV2D", "E2E"; may be empty
    std::string error_if;          ///< kind of violation, e.g. "WrongRank"; may be empty
    /// Inputs, outputs and variables stand in the graph's order; the graph has other names for
    /// them.
    bool by_position = false;
    /// The graph may hold inputs as constants; it must have no other inputs than the test.
    bool has_constants = false;
    /// Maps of four dimensions are N, H, W, C in the graph and N, C, H, W in the files.
    bool is_channels_last = false;
    /// Of several graphs of one test, which one this is: "" for the first, whose outputs go to the
    /// test's own folder.
    std::string part;
    std::vector<TestInput> inputs;
    std::vector<TestOutput> outputs;
    std::vector<TestOutput> variables;
    std::vector<std::string> profiles;    ///< any of, as the file spells them: "tosa-pro-int"
    std::vector<std::string> extensions;  ///< all of
};

/// Reads `folder`/desc.json: of a vector ("tosa_file"), of a program of the text forms
/// ("program") or of an operator of .xmodel files ("xmodel"; the first graph). ConfigError with
/// file and key path when it is missing, not JSON, or lacks or misstates a key that is needed.
TestCase load_test_case(const std::filesystem::path& folder);

/// The same where a test may have its graph in several forms ("xmodel"): one case per graph; of the
/// others the one.
std::vector<TestCase> load_test_cases(const std::filesystem::path& folder);

/// Folders below `root` (and `root` itself) that hold a desc.json, sorted by path. Those that
/// cannot be looked into, and links that lead nowhere, are among them: reading them says what is
/// wrong.
std::vector<std::filesystem::path> find_test_cases(const std::filesystem::path& root);

/// Folders below `root` (and `root` itself) with a .tosa or .xmodel file and no desc.json: tests
/// that have lost their description, sorted by path.
std::vector<std::filesystem::path> find_lost_tests(const std::filesystem::path& root);

/// The files of all tests below a folder are read files (isa/output_file.h), whether a test reads
/// them all or not: before reports are opened.
void note_tests(const std::filesystem::path& root);

}  // namespace okksim::sim::check
