// SPDX-License-Identifier: Apache-2.0
// Every command reads regular files only. It refuses pipes, devices, folders and files that the
// system generates on reading, and never hangs.
#include <array>

#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {

TEST_CASE("cli/files without an end are refused by every reader") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net") == 0);
    REQUIRE(shell(program, "$P run net/model.tosa --record sound --record-data") == 0);
    REQUIRE(shell(program, "$P baseline -o base --filter add_fp32; cp -r base other") == 0);
    REQUIRE(shell(program, "mkdir -p timing/traces timing/estimator golden tree/test texts") == 0);
    REQUIRE(shell(program, "mkfifo pipe; mkdir folder") == 0);
    program.write("golden/okk_bdc_add.json", golden_addition().dump());
    // @ is the path without its ending, in a folder of links.
    const char* const lines[] = {
        "$P run @.tosa",
        "$P run @.mlir",
        "$P run @.xmodel",
        "$P run @",
        "$P run net/model.tosa --input sequence=@.npy",
        "$P run net/model.tosa --machine @.toml",
        "$P run net/model.tosa --library @.so",
        "ln -sf ../../@.json tree/test/desc.json; $P run net/model.tosa --check tree/test",
        "$P plan @.tosa",
        "$P coverage @.mlir",
        "$P convert @.tosa -o out.tosa",
        "$P check @.npy net/sequence.npy",
        "ln -sf ../../@.json tree/test/desc.json; $P check net tree",
        "ln -sf ../../@.json tree/test/desc.json; $P conformance tree",
        "ln -sf ../@.json texts/EXPECTED.json; $P conformance texts",
        "$P kernel @.so --launch f",
        "$P kernel $K --launch cli_add --arg i32=4 --arg f32=1 --out y.npy:f32[4] --in @.npy",
        "$P asm @.txt -o out.bin",
        "$P asm /dev/null --machine @.toml -o out.bin",
        "$P disasm @.bin",
        "$P machine @.toml",
        "$P replay @.trace",
        "$P replay @.jsonl.xz",
        "$P replay sound --machine @.toml",
        "$P why @.trace y",
        "$P why sound hidden[0,0,0] --reference @.trace",
        "$P debug @.trace",
        "$P debug sound --script @.txt",
        "$P trace show @.trace",
        "$P trace diff sound @.trace",
        "ln -sf ../@.bin golden/okk_bdc_add.bin; $P golden golden",
        "ln -sf ../@.json golden/okk_bdc_add.json; $P golden golden",
        "ln -sf ../../@.csv timing/estimator/bdc.csv; ln -sf ../../@.csv timing/traces/summary.csv;"
        " $P fidelity timing --quick",
    };
    for (const char* kind : {"../pipe", "/dev/zero", "../folder", "/proc/kmsg"}) {
        REQUIRE(shell(program, "rm -rf links; mkdir links") == 0);
        for (const char* end : {"", ".tosa", ".mlir", ".xmodel", ".npy", ".toml", ".so", ".json",
                                ".txt", ".bin", ".trace", ".jsonl.xz", ".csv"}) {
            const std::string link = std::string("ln -s ") + kind + " links/x" + end;
            REQUIRE(shell(program, link) == 0);
        }
        for (std::string line : lines) {
            for (std::size_t at; (at = line.find('@')) != std::string::npos;) {
                line.replace(at, 1, "links/x");
            }
            CAPTURE(kind, line);
            for (std::size_t at = 0; (at = line.find("$P", at)) != std::string::npos; at += 2) {
                line.replace(at, 2, "timeout 60 $P");
                at += 10;
            }
            const int code = shell(program, line);
            CHECK((code == 1 || code == 2));  // 1: the test fails, because its file is not regular
            const std::string text = program.read(".out") + program.read(".err");
            CHECK(contains(text, "not a regular file"));
        }
    }
}

}  // namespace okksim::tests
