// SPDX-License-Identifier: Apache-2.0
// okksim_fuzz_calls [count] [seed]: random calls of the documented functions, valid and invalid, on
// small machines. Every call must execute or raise a ProgramFault before any command is issued. The
// fault names function, argument and rule. Any other outcome ends the run with status 1.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "isa/tensors.h"
#include "models/chip/functional_port.h"
#include "tests/support/random_calls.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

/// Approximate number of elements and products of a command, computed so that it cannot overflow.
double work_of(const isa::Command& command, const isa::MachineShape& machine) {
    double total = 0;
    double outputs = 0;
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        const double elements = double(view.shape.n) * view.shape.c * view.shape.h * view.shape.w;
        if (total == 0) outputs = elements;
        total += elements;
    }
    isa::visit_operands(command, [&](const auto& form) {
        if constexpr (requires { form.kernel_h; }) {
            total += outputs * form.kernel_h * form.kernel_w *
                     (command.opcode == isa::Opcode::bdc_conv2d ? form.input_shape.c : 1);
        } else if constexpr (requires { form.left_cols; }) {
            total += double(form.left_rows) * form.left_cols * form.right_cols;
        }
    });
    return total;
}

/// Executes commands of bounded size and only counts the others: with zero strides, valid calls can
/// have any length.
class BoundedPort final : public models::FunctionalPort {
 public:
    using FunctionalPort::FunctionalPort;

    void submit(const isa::Command& command) override {
        ++commands;
        if (work_of(command, machine()) > kMostWork) {
            ++skipped;
            return;
        }
        FunctionalPort::submit(command);
    }

    std::int64_t commands = 0;
    std::int64_t skipped = 0;

 private:
    static constexpr double kMostWork = 60000;
};

struct Counts {
    std::int64_t carried_out = 0;
    std::int64_t refused = 0;
};

class Fuzzer {
 public:
    Fuzzer(const isa::MachineShape& machine, std::uint64_t seed)
        : calls_(machine, seed), port_(machine), context_(port_, options()) {
        context_.begin_launch();
    }

    /// False when a call misbehaved.
    bool step(Counts& counts) {
        const RandomCall call = calls_.anything();
        const std::int64_t before = port_.commands;
        firmware::Context::Binding binding(context_);
        try {
            firmware::call_function(call.function, call.arguments);
            ++counts.carried_out;
            return true;
        } catch (const ProgramFault& fault) {
            ++counts.refused;
            const FaultRecord& record = fault.record();
            const bool names = record.function == call.function && !record.rule.empty() &&
                               (!record.argument.empty() || record.code == FaultCode::kBadState);
            if (names && port_.commands == before) return true;
            return report(call, std::string("incomplete or late fault: ") + fault.what());
        } catch (const std::exception& error) {
            return report(call, std::string("unexpected exception: ") + error.what());
        }
    }

    std::int64_t skipped() const { return port_.skipped; }

 private:
    static firmware::ContextOptions options() {
        firmware::ContextOptions result;
        result.call_stacks = false;
        return result;
    }
    static bool report(const RandomCall& call, const std::string& problem) {
        std::fprintf(stderr, "%s\n    %s\n", call.text().c_str(), problem.c_str());
        return false;
    }

    RandomCalls calls_;
    BoundedPort port_;
    firmware::Context context_;
};

int fuzz(std::int64_t count, std::uint64_t seed) {
    const std::array machines{small_machine(4, 8 * 1024), small_machine(16, 32 * 1024),
                              small_machine(64, 16 * 1024), small_machine(1, 4 * 1024)};
    std::array<std::unique_ptr<Fuzzer>, 4> fuzzers;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        fuzzers[i] = std::make_unique<Fuzzer>(machines[i], seed * 16 + i);
    }
    Counts counts;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (!fuzzers[static_cast<std::size_t>(i % 4)]->step(counts)) ++wrong;
        if (count >= 100000 && i % (count / 10) == 0) {
            std::fprintf(stderr, "%lld of %lld calls\n", static_cast<long long>(i),
                         static_cast<long long>(count));
        }
    }
    std::int64_t skipped = 0;
    for (const auto& fuzzer : fuzzers) skipped += fuzzer->skipped();
    std::printf(
        "%lld calls: %lld carried out (%lld long commands skipped), %lld refused, %lld wrong\n",
        static_cast<long long>(count), static_cast<long long>(counts.carried_out),
        static_cast<long long>(skipped), static_cast<long long>(counts.refused),
        static_cast<long long>(wrong));
    return wrong == 0 ? 0 : 1;
}

}  // namespace

}  // namespace okksim::tests

int main(int argc, char** argv) {
    const long long count = argc > 1 ? std::atoll(argv[1]) : 100000;
    const long long seed = argc > 2 ? std::atoll(argv[2]) : 1;
    if (argc > 3 || count <= 0 || seed < 0) {
        std::fprintf(stderr, "usage: %s [count > 0] [seed >= 0]\n", argv[0]);
        return 2;
    }
    return okksim::tests::fuzz(count, static_cast<std::uint64_t>(seed));
}
