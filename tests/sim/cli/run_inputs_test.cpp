// SPDX-License-Identifier: Apache-2.0
// okksim run: pictures as inputs, the best classes, shapes and rounding.
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/graph/builder.h"
#include "sim/graph/npy.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

namespace graph = sim::graph;
using graph::DType;

// A PNG file of 2x1 pixels with the greys 0 and 255.
constexpr std::uint8_t kPicture[] = {
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0xD1, 0x49, 0x20, 0x56, 0x00, 0x00, 0x00, 0x0B, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9C, 0x63, 0x60, 0xF8, 0x0F, 0x00, 0x01, 0x02, 0x01, 0x00, 0x42, 0xBE, 0xBC, 0x68,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

void write_picture(const Program& program, std::size_t bytes = sizeof kPicture) {
    std::ofstream(program.folder() / "p.png", std::ios::binary)
        .write(reinterpret_cast<const char*>(kPicture), static_cast<std::streamsize>(bytes));
}

/// y = x as [1,2], for the picture's form [1,1,1,2] (nchw) of x.
void write_model(const Program& program, const graph::Shape& input = {1, 1, 1, 2}, int inputs = 1) {
    graph::GraphBuilder builder;
    for (int i = 0; i < inputs; ++i) {
        const auto x = builder.input(DType::kFp32, input, "x" + std::to_string(i));
        const auto y =
            builder.add(tosa::OpCode::kAbs, tosa::NoAttributes{}, {x}, DType::kFp32, input);
        const auto shape = builder.shape_value({1, 2});
        builder.output(builder.add(tosa::OpCode::kReshape, tosa::NoAttributes{}, {y, shape},
                                   DType::kFp32, {1, 2}));
    }
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
}

void write_text(const Program& program, const std::string& name, const std::string& text) {
    std::ofstream(program.folder() / name) << text;
}

/// The program ends with exit code 2, and its message contains the texts.
void check_refused(const Program& program, const std::string& command,
                   const std::vector<std::string>& texts) {
    const ProgramRun run = program.run(command);
    INFO(command << "\n" << run.out << run.err);
    CHECK(run.exit_code == 2);
    for (const std::string& text : texts) CHECK(contains(run.err, text));
}

}  // namespace

TEST_CASE("cli/a picture is the only input, and the best classes have labels") {
    const Program program;
    write_model(program);
    write_picture(program);
    write_text(program, "labels.txt", "dark\nbright\n");
    const ProgramRun run = program.run(
        "run model.tosa --input p.png --layout nchw --top 1 --labels labels.txt --json=r.json "
        "--out out");
    INFO(run.out << run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.out,
                   "input x0: p.png 2x1, grey in nchw, pixel / 255 (on the host, before the run)"));
    CHECK(contains(run.out, "the output is probabilities"));
    CHECK(contains(run.out, "   1    100.00 %            1      1  bright"));
    const auto json = nlohmann::json::parse(program.read("r.json"));
    CHECK(json["classes"][0]["best"][0]["label"] == "bright");
    CHECK(json["classes"][0]["best"][0]["probability"] == 1.0);
    CHECK(json["made_inputs"].size() == 1);
    CHECK(json["random_inputs"].empty());
    // With mean and scale: (0 - 255) * -2 = 510 and 0. The softmax of 510 and 0 is 1 for class 0.
    const ProgramRun scaled = program.run(
        "run model.tosa --input x0=p.png --layout nchw --mean 255 --scale=-2 --labels labels.txt");
    INFO(scaled.out << scaled.err);
    CHECK(contains(scaled.out, "(pixel - 255) * -2"));
    CHECK(contains(scaled.out, "softmax of the output"));
    CHECK(contains(scaled.out, "   1    100.00 %          510      0  dark"));
}

TEST_CASE("cli/a picture that does not fit is refused with its reason") {
    const Program program;
    write_model(program);
    write_picture(program, 40);
    check_refused(program, "run model.tosa --input p.png", {"p.png", "the PNG picture is damaged"});
    check_refused(program, "run model.tosa --input none.jpg", {"none.jpg"});
    write_text(program, "t.jpg", "text");
    check_refused(program, "run model.tosa --input t.jpg", {"t.jpg", "neither a JPEG nor a PNG"});
    write_picture(program);
    check_refused(program, "run model.tosa --input y=p.png --layout nchw",
                  {"--input y", "no such input; it has: x0"});
    check_refused(program, "run model.tosa --input p.png --input x0=p.png",
                  {"give --input NAME=FILE"});
    check_refused(program, "run model.tosa --input x0=p.png --input x0=p.png", {"is given twice"});
    check_refused(program, "run model.tosa --input x0=p.png --layout nchw --mean 1,2",
                  {"--mean 1,2", "the input has 1 channel"});
    check_refused(program, "run model.tosa --input p.png --mean nan", {"is not a finite number"});
    check_refused(program, "run model.tosa --input p.png --resize bend", {"--resize"});
    check_refused(program, "run model.tosa --bgr", {"--bgr", "no --input is a .jpg or .png file"});
    write_model(program, {1, 1, 2, 1});
    check_refused(program, "run model.tosa --input p.png",
                  {"input x0", "--layout nchw or --layout nhwc"});
    write_model(program, {1, 1, 1, 2}, 2);
    check_refused(program, "run model.tosa --input p.png", {"the model has 2: x0, x1"});
}

TEST_CASE("cli/classes that an output does not have are refused") {
    const Program program;
    write_model(program);
    write_text(program, "labels.txt", "a\nb\nc\n");
    check_refused(program, "run model.tosa --labels labels.txt", {"has 3 labels", "has 2 classes"});
    check_refused(program, "run model.tosa --labels none.txt",
                  {"--labels none.txt", "cannot be read"});
    write_text(program, "empty.txt", "");
    check_refused(program, "run model.tosa --labels empty.txt", {"has no label"});
    CHECK(program.run("run model.tosa --top 0").exit_code == 2);
    CHECK(program.run("run model.tosa --top 1 --no-data").exit_code == 2);
}

TEST_CASE("cli/--shape binds open dimensions of every command that reads a graph") {
    const Program program;
    write_text(program, "net.mlir", R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = tosa.abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
)");
    for (const char* command : {"run net.mlir", "plan net.mlir", "inspect net.mlir --no-time",
                                "convert net.mlir -o net.tosa"}) {
        const ProgramRun run = program.run(std::string(command) + " --shape x=2x3");
        INFO(command << run.out << run.err);
        CHECK(run.exit_code == 0);
    }
    check_refused(program, "plan net.mlir --shape x=2x4", {"[2,4]", "[?,3]"});
    check_refused(program, "plan net.mlir --shape y=2x3", {"no such input; it has: x"});
    check_refused(program, "plan net.mlir --shape x=2x",
                  {"--shape x=2x: is not of the form NAME=SHAPE"});
    check_refused(program, "plan net.mlir --shape 2x3", {"is not of the form"});
    check_refused(program, "run net.mlir --shape x=2x3 --shape x=2x3",
                  {"--shape x: is given twice"});
    write_model(program);
    check_refused(program, "run model.tosa --shape x0=1x1x1x4",
                  {"[1,1,1,4]", "the model's input has [1,1,1,2]"});
    check_refused(program, "run model.tosa --shape x=1", {"no such input; it has: x0"});
}

TEST_CASE("cli/--rounding is for formats with a choice of it") {
    const Program program;
    write_model(program);
    check_refused(program, "run model.tosa --rounding single",
                  {"--rounding single", "no rounding to choose"});
    check_refused(program, "run model.tosa --rounding up", {"--rounding"});
    const ProgramRun run = program.run("run model.tosa --rounding double");
    CHECK(run.exit_code == 0);
    CHECK_FALSE(contains(run.out, "rounding:"));
}

}  // namespace okksim::tests
