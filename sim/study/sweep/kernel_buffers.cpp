// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/kernel_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "sim/graph/npy.h"

namespace okksim::sim::sweep {

KernelField kernel_field(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw ConfigError("arguments",
                          fmt::format("\"{}\" is no argument; write TYPE=VALUE, in=FILE.npy "
                                      "or out=TYPE[d0,d1,...]",
                                      text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

KernelBuffers::KernelBuffers(const std::vector<KernelField>& fields, ChipDevice& device,
                             firmware::host::DeviceMemory& memory, bool packed)
    : memory_(memory), block_(packed) {
    for (const KernelField& field : fields) {
        if (field.kind == "in") {
            const graph::NpyArray array = graph::read_npy(field.value);
            const std::uint64_t address = allocate(array.data.size());
            device.write(address, array.data);
            block_.add_address(address);
        } else if (field.kind == "out") {
            OutputBuffer output = parse_output("result.npy:" + field.value);
            output.address = allocate(output.bytes);
            block_.add_address(output.address);
            outputs_.push_back(std::move(output));
        } else {
            block_.add_text(field.kind + "=" + field.value);
        }
    }
}

std::uint64_t KernelBuffers::allocate(std::uint64_t bytes) {
    const auto address = memory_.allocate(std::max<std::uint64_t>(bytes, 1), this);
    if (!address) {
        throw ConfigError("arguments", fmt::format("{} bytes do not fit global memory", bytes));
    }
    return *address;
}

}  // namespace okksim::sim::sweep
