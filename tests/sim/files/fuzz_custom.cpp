// SPDX-License-Identifier: Apache-2.0
// Operands and attributes of a CUSTOM operator as a kernel of a user's library sees them. Bytes of
// the file choose them, and the kernel checks each one as okk_custom.h documents it.
#include <algorithm>
#include <cstring>

#include "firmware/calls/context.h"
#include "firmware/launch/kernel_registry.h"
#include "firmware/okk_custom.h"
#include "models/chip/in_order_machine.h"
#include "sim/execution/custom_operator.h"
#include "sim/machine/machine.h"
#include "tests/sim/files/fuzz_target.h"
#include "tests/sim/graph/fuzz_watch.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;

/// The operands and attributes that the kernel must see.
const kernels::OperatorCall* present_call = nullptr;
const tosa::CustomAttributes* present_attributes = nullptr;

bool is_described(const okk_custom_tensor_t& found, const DeviceTensor& tensor) {
    bool fits = found.addr == tensor.address && found.type == static_cast<int>(tensor.type) &&
                found.rank == tensor.rank && okk_custom_count(&found) == tensor.count();
    for (int i = 0; i < OKK_CUSTOM_MAX_RANK; ++i) {
        fits = fits &&
               found.dims[i] == (i < tensor.rank ? tensor.dims[static_cast<std::size_t>(i)] : 1);
    }
    return fits;
}

extern "C" void fuzz_custom_kernel(const void* args) {
    const auto inputs = static_cast<int>(present_call->inputs.size());
    const auto outputs = static_cast<int>(present_call->outputs.size());
    bool fits = okk_custom_num_inputs(args) == inputs && okk_custom_num_outputs(args) == outputs;
    for (int i = 0; fits && i < inputs; ++i) {
        fits = is_described(*okk_custom_input(args, i),
                            present_call->inputs[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; fits && i < outputs; ++i) {
        fits = is_described(*okk_custom_output(args, i),
                            present_call->outputs[static_cast<std::size_t>(i)]);
    }
    const std::vector<std::uint8_t>& bytes = present_attributes->implementation_attrs;
    fits = fits && okk_custom_attribute_bytes(args) == bytes.size() &&
           (bytes.empty() ||
            std::memcmp(okk_custom_attributes(args), bytes.data(), bytes.size()) == 0);
    if (!fits) fail_round("a custom operator's structs are not what the graph says");
}

/// Takes bytes from a file; past its end it gives zeros.
class Source {
 public:
    explicit Source(const FileBytes& bytes) : bytes_(bytes) {}
    std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }
    std::vector<std::uint8_t> rest() const {
        return {bytes_.begin() + static_cast<std::ptrdiff_t>(at_), bytes_.end()};
    }

 private:
    const FileBytes& bytes_;
    std::size_t at_ = 0;
};

DeviceTensor next_tensor(Source& source) {
    constexpr int kTypes = static_cast<int>(tosa::DType::kFp8E5M2);
    DeviceTensor tensor;
    tensor.address = std::uint64_t{source.next()} * 128;
    tensor.type = static_cast<tosa::DType>(1 + source.next() % kTypes);
    tensor.rank = source.next() % (kernels::kMaxRank + 1);
    for (int i = 0; i < tensor.rank; ++i) {
        tensor.dims[static_cast<std::size_t>(i)] = 1 + source.next();
    }
    tensor.strides = kernels::row_major_strides(
        std::span(tensor.dims).first(static_cast<std::size_t>(tensor.rank)));
    return tensor;
}

void run_operator(const FileBytes& bytes) {
    static const sim::Machine machine = sim::load_machine("bm1684");
    Source source(bytes);
    tosa::CustomAttributes custom{
        .operator_name = "fuzz_custom_kernel", .domain_name = "okk", .implementation_attrs = {}};
    if (source.next() == 0) custom.domain_name = "another";
    std::vector<DeviceTensor> inputs(source.next() % 9), outputs(source.next() % 5);
    for (DeviceTensor& tensor : inputs) tensor = next_tensor(source);
    for (DeviceTensor& tensor : outputs) tensor = next_tensor(source);
    custom.implementation_attrs = source.rest();
    const tosa::Attributes attributes = custom;
    kernels::OperatorCall call{.op = tosa::OpCode::kCustom,
                               .attributes = &attributes,
                               .inputs = inputs,
                               .outputs = outputs};
    present_call = &call;
    present_attributes = &custom;
    models::InOrderMachine port(machine.params);
    port.begin_launch();
    firmware::Context context(port);
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    sim::execution::run_custom_operator(call);
}

}  // namespace

FuzzTarget custom_structs_target() {
    return {"custom",
            [] {
                firmware::KernelRegistry::instance().add("fuzz_custom_kernel", &fuzz_custom_kernel);
                std::vector<FileBytes> files;
                for (std::uint8_t length : {0, 1, 7, 8, 200}) {
                    FileBytes bytes{1, 2, 1};  // the domain okk, two inputs, one output
                    for (std::uint8_t i = 0; i < 30; ++i) bytes.push_back(i);
                    bytes.resize(bytes.size() + length, 0xA5);
                    files.push_back(std::move(bytes));
                }
                return files;
            },
            run_operator};
}

}  // namespace okksim::tests
