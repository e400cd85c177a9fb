// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {

/// Form in which an output names the machine, the version and the settings of its measurement.
enum class Form {
    kNoReport,  ///< not at all
    kVersion,   ///< JSON about no machine
    kJson,
    kJsonList,  ///< every element does
    kCsv,       ///< in the last columns
    kTimeline,  ///< under otherData
    kTrace,     ///< read by okksim trace
    kText,
    kPage,   ///< HTML: in its data, and in words
    kTwo,    ///< JSON about two recordings: each under a separate key
    kSweep,  ///< CSV of points: every row has the hash of its machine
};

/// A command line with an output at PATH.
struct Row {
    std::string_view command;
    std::string_view flag;  ///< of the output; empty: an argument
    std::string_view line;
    Form form;
    bool is_folder = false;
    bool is_slow = false;  ///< reports after minutes: only immediate output is tested
};

inline const Row kRows[] = {
    {"run", "--out", "run net/model.tosa --out PATH", Form::kNoReport, true},
    {"run", "--json", "run net/model.tosa --json=PATH", Form::kJson},
    {"run", "--csv", "run net/model.tosa --csv=PATH", Form::kCsv},
    {"run", "--html", "run net/model.tosa --html PATH", Form::kPage},
    {"run", "--keep-values", "run net/model.tosa --keep-values PATH", Form::kNoReport},
    {"run", "--record", "run net/model.tosa --record PATH", Form::kTrace},
    {"run", "--record", "run net/model.tosa --record PATH --record-data", Form::kTrace},
    {"run", "--timeline", "run net/model.tosa --timeline PATH", Form::kTimeline},
    {"run", "--vcd", "run net/model.tosa --vcd PATH.vcd", Form::kText},
    {"run", "--commands", "run net/model.tosa --commands PATH.json", Form::kJsonList},
    {"run", "--commands", "run net/model.tosa --commands PATH", Form::kCsv},
    {"kernel", "--out",
     "kernel $K --launch cli_add --arg i32=1 --arg f32=1 --out PATH:f32[1] --in one.npy",
     Form::kNoReport},
    {"kernel", "--json", "kernel $K --launch cli_computes --json=PATH", Form::kJsonList},
    {"kernel", "--csv", "kernel $K --launch cli_computes --csv=PATH", Form::kCsv},
    {"kernel", "--record", "kernel $K --launch cli_computes --record PATH", Form::kTrace},
    {"kernel", "--timeline", "kernel $K --launch cli_computes --timeline PATH", Form::kTimeline},
    {"kernel", "--vcd", "kernel $K --launch cli_computes --vcd PATH.vcd", Form::kText},
    {"kernel", "--commands", "kernel $K --launch cli_computes --commands PATH", Form::kCsv},
    {"kernel", "--lines", "kernel $K --launch cli_computes --lines=PATH.csv", Form::kCsv},
    {"plan", "--svg", "plan net/model.tosa --svg PATH", Form::kText},
    {"plan", "--json", "plan net/model.tosa --json=PATH", Form::kJson},
    {"inspect", "--json", "inspect --no-time net/model.tosa --json=PATH", Form::kJson},
    {"convert", "--out", "convert net/model.tosa -o PATH.tosa", Form::kNoReport},
    {"convert", "--out", "convert net/model.tosa -o PATH.mlir", Form::kNoReport},
    {"check", "--json", "check one.npy one.npy --json=PATH", Form::kVersion},
    {"zoo", "--out", "zoo lstm --size 4 --width 0.25 -o PATH", Form::kNoReport, true},
    {"manual", "--examples", "manual --examples PATH", Form::kNoReport},
    {"isa", "--json", "isa --json=PATH", Form::kVersion},
    {"asm", "--out", "asm list --machine bm1684 -o PATH", Form::kNoReport},
    {"machine", "--json", "machine --json=PATH", Form::kJson},
    {"replay", "--json", "replay net.trace --json=PATH", Form::kJson},
    {"replay", "--csv", "replay net.trace --csv=PATH", Form::kCsv},
    {"replay", "--timeline", "replay net.trace --timeline PATH", Form::kTimeline},
    {"replay", "--record", "replay net.trace --record PATH", Form::kTrace},
    {"replay", "--commands", "replay net.trace --commands PATH", Form::kCsv},
    {"record", "", "record PATH run net/model.tosa", Form::kTrace},
    {"why", "--json", "why net.trace hidden[0,0,0] --json=PATH", Form::kJson},
    {"trace show", "--json", "trace show net.trace --json=PATH", Form::kJson},
    {"trace diff", "--json", "trace diff net.trace net.trace --json=PATH", Form::kTwo},
    {"conformance", "--out", "conformance tree -o PATH", Form::kNoReport, true},
    {"conformance", "--json", "conformance tree --json=PATH", Form::kJson},
    {"golden", "--json", "golden golden --json=PATH", Form::kJson},
    {"baseline", "--out", "baseline --filter add_fp32 -o PATH", Form::kNoReport, true},
    {"compare", "--json", "compare base base --json=PATH", Form::kVersion},
    {"compare", "--junit", "compare base base --junit PATH", Form::kText},
    {"compare", "--markdown", "compare base base --markdown PATH", Form::kText},
    {"gate", "--json", "gate gate.toml --json=PATH", Form::kVersion},
    {"gate", "--junit", "gate gate.toml --junit PATH", Form::kText},
    {"gate", "--markdown", "gate gate.toml --markdown PATH", Form::kText},
    {"gate", "--write", "gate gate.toml --write PATH", Form::kNoReport, true},
    {"fidelity", "--json", "fidelity timing --json=PATH", Form::kJson, false, true},
    {"fidelity", "--markdown", "fidelity timing --markdown PATH", Form::kText, false, true},
    {"fidelity", "--ensemble", "fidelity timing --ensemble PATH", Form::kNoReport, false, true},
    {"bench", "--json", "bench --quick --json=PATH", Form::kJsonList, false, true},
    {"worth", "--json", "worth still/model.tosa --machine bm1684 --groups lookup --json=PATH",
     Form::kJson},
    {"worth", "--csv", "worth still/model.tosa --machine bm1684 --groups lookup --csv=PATH",
     Form::kCsv},
    {"worth", "--html", "worth still/model.tosa --machine bm1684 --groups lookup --html PATH",
     Form::kPage},
    {"sweep", "--json", "sweep lanes.sqlite --json=PATH", Form::kJson},
    {"sweep", "--json", "sweep lanes.sqlite --compare 0 1 --json=PATH", Form::kJson},
    {"sweep", "--csv", "sweep lanes.sqlite --csv=PATH", Form::kSweep},
    {"sweep", "--store", "sweep lanes.toml --store PATH.sqlite", Form::kNoReport},
    {"sweep", "--front", "sweep lanes.sqlite --front PATH", Form::kNoReport, true},
    {"report", "--out", "report lanes.sqlite -o PATH", Form::kPage},
    {"man", "--out", "man -o PATH", Form::kNoReport, true},
};

/// Makes the inputs of the rows. Where an input depends on a machine, `set` changes that machine.
inline void make_inputs(const Program& program, const std::string& set = "") {
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net; cp -r net tree") == 0);
    // A network without conditions, whose times need no data.
    REQUIRE(shell(program, "$P zoo mobilenet_v2 --size 32 --width 0.25 -o still") == 0);
    // Any reference is sufficient.
    REQUIRE(
        shell(program,
              "sed -i 's/\"op\": \"E2E\"/\"op\": \"E2E\", \"expected_file\": [\"sequence.npy\"]/' "
              "tree/desc.json") == 0);
    REQUIRE(shell(program, "$P baseline -o base --filter add_fp32" + set) == 0);
    REQUIRE(shell(program, "$P run net/model.tosa --record net.trace --record-data" + set) == 0);
    std::string settings = "set = [";
    std::istringstream words(set);
    for (std::string word; words >> word;) {
        if (word != "--set") settings += '"' + word + "\", ";
    }
    program.write("gate.toml",
                  "[gate]\n" + settings + "]\n[[workload]]\ngraph = \"still/model.tosa\"\n");
    program.write("lanes.toml", "name = \"lanes\"\n" + settings +
                                    "]\n[[workload]]\ngraph = \"still/model.tosa\"\n"
                                    "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32]\n");
    REQUIRE(shell(program, "$P sweep lanes.toml -j1") == 0);
    REQUIRE(shell(program, "mkdir -p golden timing/estimator timing/traces") == 0);
    program.write("list", "");
    program.write("golden/okk_bdc_add.json", golden_addition().dump());
    const float values[] = {1, 2, 3};
    program.write("golden/okk_bdc_add.bin",
                  std::string(reinterpret_cast<const char*>(values), sizeof values));
    program.write("one.npy", std::string("\x93NUMPY\1\0\x76\0", 10) +
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" +
                                 std::string(60, ' ') + "\n" + std::string(4, '\0'));
}

inline std::string with_path(std::string_view line, const std::string& path) {
    std::string text = "$P " + std::string(line);
    text.replace(text.find("PATH"), 4, path);
    return text;
}

}  // namespace okksim::tests
