// SPDX-License-Identifier: Apache-2.0
// okksim zoo, from the graph to the comparison of results.
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {

TEST_CASE("cli/zoo lists its networks and refuses others") {
    const Program program;
    const ProgramRun list = program.run("zoo --list");
    CHECK(list.exit_code == 0);
    for (const char* name : {"resnet18", "resnet50", "mobilenet_v1", "mobilenet_v2", "vgg16",
                             "yolov5s", "bert", "lstm"}) {
        CHECK(contains(list.out, name));
    }
    const ProgramRun unknown = program.run("zoo resnet51 -o net");
    CHECK(unknown.exit_code == 2);
    CHECK(contains(unknown.err, "resnet50"));
    CHECK(program.run("zoo resnet18").exit_code == 2);
}

TEST_CASE("cli/a network is written in every form that it has") {
    const Program program;
    const auto simulated = [&](const std::string& form) {
        REQUIRE(
            program.run("zoo resnet18 --size 32 --width 0.125 -o net --form " + form).exit_code ==
            0);
        const ProgramRun run =
            program.run("run net/model." + form + " --input image=net/image.npy");
        const std::size_t begin = run.out.find("simulated ");
        REQUIRE(begin != std::string::npos);
        return run.out.substr(begin, run.out.find('\n', begin) - begin);
    };
    const std::string wanted = simulated("tosa");
    CHECK(simulated("mlir") == wanted);
    CHECK(simulated("xmodel") == wanted);
    // The reader of ONNX may order operators otherwise, which costs or saves less than 1 %.
    const auto microseconds = [](const std::string& text) {
        return std::stod(text.substr(std::string("simulated ").size()));
    };
    CHECK(std::abs(microseconds(simulated("onnx")) / microseconds(wanted) - 1) < 0.01);
    const ProgramRun refused = program.run("zoo lstm --size 4 --width 0.25 -o net --form xmodel");
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "has no operator in .xmodel files"));
}

TEST_CASE("cli/a network's folder with golden outputs is a conformance test") {
    const Program program;
    for (const char* precision : {"fp32", "fp16", "int8"}) {
        CAPTURE(precision);
        const std::string options = std::string(" --size 4 --width 0.25 --precision ") + precision;
        REQUIRE(program.run("zoo lstm -o net" + options).exit_code == 0);
        // The golden outputs do not exist yet.
        CHECK(program.run("conformance net").exit_code == 1);
        const std::string reference =
            OKKSIM_REFERENCE_RUN " " + (program.folder() / "net").string();
        REQUIRE(std::system(reference.c_str()) == 0);
        CHECK(program.run("conformance net").exit_code == 0);
        CHECK(program.run("run net/model.tosa --check net").exit_code == 0);
        std::filesystem::remove_all(program.folder() / "net");
    }
}

}  // namespace okksim::tests
