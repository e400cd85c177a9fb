// SPDX-License-Identifier: Apache-2.0
// okksim_fuzz_readers mlir|onnx|tflite|tosa090|xmodel [seconds] [seed] [round]: reads and validates
// damaged MLIR texts, or files of the other formats. Every file must give a graph or a documented
// error, quickly and with little memory. An accepted graph is written as text and read again, with
// the same text as result. Any other outcome ends the program with status 1 and prints the number
// of the round. Given that number, the program repeats the round alone. $OKKSIM_GOLDEN_DIR adds
// files to the corpus.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/file_v090.h"
#include "tests/sim/graph/fuzz_watch.h"
#include "tests/sim/graph/graph_damage.h"
#include "tests/sim/graph/sample_graphs.h"
#include "tests/sim/graph/sample_onnx_models.h"
#include "tests/sim/graph/sample_tflites.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

using namespace sim;

/// Constants of one value may be larger than the file; larger ones are not tried here.
constexpr std::uint64_t kMostElements = 1 << 20;

/// Misplaced pieces of the language find more than wrong bytes.
constexpr std::string_view kPieces[] = {"module",     "{",
                                        "}",          "(",
                                        ")",          "<",
                                        ">",          "[",
                                        "]",          ":",
                                        ",",          "=",
                                        "->",         "%0",
                                        "%x#1",       "%r:2",
                                        "^bb0",       "@f",
                                        "#a",         "!t",
                                        "\"tosa.",    "dense<",
                                        "\"0x",       "0x",
                                        "loc(",       "array<i64: 1, ",
                                        "-",          "1e",
                                        "?x",         "tensor<",
                                        "xf32>",      "i1",
                                        "{-#",        "#-}",
                                        "//",         "\"",
                                        "\n",         "\\22",
                                        "func.func",  "return",
                                        "tosa.yield", "tosa.cond_if %c",
                                        "else",       "do",
                                        "unit",       "true",
                                        "\xff"};

/// True when a type of the text has very many elements.
bool asks_for_much(std::string_view text) {
    std::uint64_t product = 1, number = 0;
    bool has_digits = false;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'),
                                             kMostElements + 1);
            has_digits = true;
            continue;
        }
        if (c == 'x' && has_digits) {
            product *= std::max<std::uint64_t>(number, 1);
        } else if (!(c == 'x' || c == ' ' || c == '\n')) {
            product = 1;
        }
        if (product > kMostElements) return true;
        number = 0;
        has_digits = false;
    }
    return false;
}

std::vector<FileBytes> sample_texts() {
    std::vector<FileBytes> files;
    for (const graph::Graph& graph : sample_graphs()) {
        const std::string text = graph::write_mlir(graph);
        files.emplace_back(text.begin(), text.end());
    }
    return files;
}

/// Sources of the corpus of one form.
struct Form {
    std::string_view name;
    const char* program;
    std::vector<FileBytes> (*samples)();
    std::vector<const char*> trees;  ///< of golden vectors
    std::string_view extension;
};

const std::vector<Form>& forms() {
    static const std::vector<Form> list{
        {"mlir",
         "okksim_fuzz_readers mlir",
         &sample_texts,
         {"mlir", "mlir_programs", "mlir_malformed"},
         ".mlir"},
        {"tflite", "okksim_fuzz_readers tflite", &sample_tflites, {"tflite"}, ".tflite"},
        {"tosa090", "okksim_fuzz_readers tosa090", &sample_files_v090, {"tosa090"}, ".tosa"},
        {"xmodel", "okksim_fuzz_readers xmodel", &sample_xmodels, {"oplib"}, ".xmodel"},
        {"onnx", "okksim_fuzz_readers onnx", &sample_onnx_models, {"onnx"}, ".onnx"}};
    return list;
}

class Fuzzer {
 public:
    Fuzzer(const Form& form, std::uint64_t seed) : seed_(seed), files_(form.samples()) {
        const auto golden = golden_dir();
        if (!golden) return;
        for (const char* tree : form.trees) add_files(*golden / tree, form.extension);
    }

    void round(std::uint64_t number) {
        RoundWatch watch(number);
        RandomSource random(seed_ * 1000003 + number);
        FileBytes bytes = random.element(files_);
        if (random.one_in(2)) {
            damage_bytes(bytes, random.element(files_), random);
        } else {
            insert_pieces(bytes, random);
        }
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (asks_for_much(text)) return;
        if (refuses([&] { run(bytes); })) ++refused;
        watch.end();
    }

    std::uint64_t refused = 0;
    std::uint64_t accepted = 0;

 private:
    void add_files(const std::filesystem::path& tree, std::string_view extension) {
        if (!std::filesystem::exists(tree)) return;
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
            if (entry.path().extension() == extension && entry.file_size() < 20000) {
                paths.push_back(entry.path());
            }
        }
        std::sort(paths.begin(), paths.end());
        for (const auto& path : paths) {
            std::ifstream stream(path, std::ios::binary);
            files_.emplace_back(std::istreambuf_iterator<char>(stream),
                                std::istreambuf_iterator<char>());
        }
    }

    /// Also repeats a piece very often, for depth and length.
    static void insert_pieces(FileBytes& bytes, RandomSource& random) {
        for (std::int64_t n = random.between(1, 4); n > 0; --n) {
            const std::string_view piece = random.element(kPieces);
            std::string text(piece);
            for (std::int64_t k = random.one_in(8) ? 20000 : 0; k > 0; --k) text += piece;
            const auto at =
                static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bytes.size() + 1)));
            const auto erased = std::min<std::size_t>(bytes.size() - at,
                                                      static_cast<std::size_t>(random.below(12)));
            const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            bytes.insert(bytes.erase(position, position + static_cast<std::ptrdiff_t>(erased)),
                         text.begin(), text.end());
        }
    }

    static graph::Graph read(const FileBytes& bytes) {
        // A copy of the exact size, so that a sanitizer sees reads beyond the end.
        const auto owner = std::make_shared<const FileBytes>(bytes);
        graph::Graph graph = graph::read_graph(std::as_bytes(std::span(*owner)), owner, "fuzz");
        graph::validate_graph(graph);
        return graph;
    }

    void run(const FileBytes& bytes) {
        const graph::Graph graph = read(bytes);
        ++accepted;
        if ((graph.beyond_v1 & feature_bit(graph::Feature::kTosa090)) != 0) return;
        const std::string text = graph::write_mlir(graph);
        try {
            if (graph::write_mlir(read({text.begin(), text.end()})) == text) return;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        std::fprintf(stderr, "%s\n", text.c_str());
        fail_round("is not read to the same text again");
    }

    std::uint64_t seed_;
    std::vector<FileBytes> files_;
};

int fuzz(int argc, char** argv) {
    const auto form = std::find_if(forms().begin(), forms().end(), [&](const Form& each) {
        return argc > 1 && each.name == argv[1];
    });
    if (form == forms().end()) {
        std::fputs(
            "usage: okksim_fuzz_readers mlir|onnx|tflite|tosa090|xmodel [seconds] [seed] [round]\n",
            stderr);
        return 2;
    }
    const FuzzArguments arguments = begin_fuzzing(form->program, argc - 1, argv + 1);
    Fuzzer fuzzer(*form, arguments.seed);
    const std::uint64_t rounds =
        run_rounds(arguments, [&](std::uint64_t number) { fuzzer.round(number); });
    std::printf("%llu files: %llu refused, %llu accepted\n",
                static_cast<unsigned long long>(rounds),
                static_cast<unsigned long long>(fuzzer.refused),
                static_cast<unsigned long long>(fuzzer.accepted));
    return 0;
}

}  // namespace
}  // namespace okksim::tests

int main(int argc, char** argv) { return okksim::tests::fuzz(argc, argv); }
