// SPDX-License-Identifier: Apache-2.0
// manual: the functions of the API from the command line.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "isa/base/output_file.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/lab/manual/api_examples.h"
#include "sim/lab/manual/api_manual.h"

namespace okksim::sim::cli {

void add_manual_command(CLI::App& app, int& exit_code) {
    auto function = std::make_shared<std::string>();
    auto examples = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("manual",
                           "Print the manual of the okk functions, or of one: formula, arguments, "
                           "layouts, work space, "
                           "time,\ndomain, limits, common mistakes, and a call. Example:\n"
                           "  okksim manual okk_bdc_exp");
    command->add_option("function", *function, "name of a function; default: all functions");
    command->add_option("--examples", *examples,
                        "write the examples to this file instead: kernels in C, "
                        "example_okk_bdc_exp and so on");
    command->callback([=, &exit_code] {
        if (!examples->empty()) {
            const std::string text = manual::example_file();
            write_file(*examples, text);
        } else {
            format_out("{}",
                       function->empty() ? manual::api_markdown() : manual::api_section(*function));
        }
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
