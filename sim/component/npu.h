// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/host/host_registers.h"

namespace okksim::models {
struct DramParams;
}  // namespace okksim::models

namespace okksim {

struct NpuOptions {
    std::string machine = "bm1684";          ///< name or file of a machine description
    std::vector<std::string> settings = {};  ///< "section.key=value" overrides
    /// Uses the memory bound to dram_out as global memory; otherwise the chip has its own.
    bool external_memory = true;
    /// Longest transaction in bytes for a memory that does not price whole requests (DramLaw).
    std::uint64_t burst_bytes = 4096;
    std::uint64_t registers = 0xF0000000;  ///< address of the register block
    int threads = 1;                       ///< host threads that execute one command
    bool fuse = true;                      ///< operators may share a kernel, as in `okksim run`
};

/// A tensor of a graph in global memory, row major.
struct NpuTensor {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// Data that the host loads before the first run.
struct NpuImage {
    std::uint64_t address = 0;
    std::span<const std::byte> data;  ///< valid as long as the Npu
};

/// A TOSA graph on the chip. The host first writes the images. Then, for each run, it writes the
/// inputs, runs `run` and reads the outputs. `run` is a program number and takes no arguments.
struct NpuGraph {
    std::uint32_t prepare = 0;  ///< always 0: the images contain the packed constants
    std::uint32_t run = 0;
    std::vector<NpuImage> images;
    std::vector<NpuTensor> inputs, outputs;
};

/// The chip as a component of a user's SystemC platform: a target for a host and an initiator for
/// global memory. See README.md.
///
///     okksim::Npu npu("npu", {.settings = {"global.bytes=268435456"}});
///     host.out.bind(npu.host_in);
///     npu.dram_out.bind(memory.in);
///     const std::uint32_t program = npu.add_kernel("axpy");
///
/// Errors: okksim::ConfigError (a std::runtime_error) for invalid machines, kernels and models. At
/// elaboration it also reports unbound sockets and unsuitable memories.
class Npu : public sc_core::sc_module {
 public:
    using HostSocket =
        tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    using MemorySocket = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1,
                                                   sc_core::SC_ZERO_OR_MORE_BOUND>;

    /// The chip's memories at their system addresses, and its registers (host_registers.h).
    HostSocket host_in{"host_in"};
    /// Global memory. Addresses count from 0.
    MemorySocket dram_out{"dram_out"};

    explicit Npu(const sc_core::sc_module_name& name, const NpuOptions& options = {});
    ~Npu() override;

    /// Adds a kernel registered with OKKERNEL_FUNC_REGISTER as a program. It is part of this
    /// program, or of a library loaded before. The argument block is its argument struct.
    std::uint32_t add_kernel(const std::string& name);
    /// Reads, checks and plans a .tosa file.
    NpuGraph add_graph(const std::string& file);

    std::uint64_t global_start() const;  ///< system address of global memory's first byte
    std::uint64_t global_bytes() const;
    std::uint64_t free_start() const;  ///< first byte that is not allocated
    /// Returns the machine's memory parameters, for a DramLaw of the platform.
    const models::DramParams& dram() const;
    /// Returns the fault that ended the last program early, or an empty text.
    std::string fault() const;
    /// Returns suspected mistakes of programs so far, such as uninitialised reads and data races.
    std::string findings();

 private:
    void end_of_elaboration() override;

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace okksim
