// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/bench.h"

#include <fmt/format.h>

#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "isa/layout.h"
#include "models/chip/execute.h"
#include "sim/lab/bench/form_figures.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/network_figures.h"
#include "sim/lab/bench/sanitizer_figures.h"
#include "sim/lab/bench/small_commands.h"
#include "sim/lab/bench/sweep_figures.h"
#include "sim/lab/bench/text_figures.h"
#include "sim/lab/bench/trace_figures.h"
#include "sim/lab/bench/turns.h"

namespace okksim::sim::bench {
namespace {

using isa::Command;
using isa::Opcode;

constexpr std::int32_t kLanes = 64;
constexpr std::int32_t kLineBytes = 128;

/// Targets of the project for one thread; shares in percent.
constexpr double kArrayShare = 65;
constexpr double kByteShare = 50;
constexpr double kWindowShare = 30;
constexpr double kCopyShare = 50;
/// The limit is the copy lane by lane, which is a quarter faster than one copy of everything. 40 %
/// of it is 50 % of the latter.
constexpr double kElementWiseShare = 40;
constexpr double kSeriesShare = 25;
constexpr double kCommandNumbers = 45;
constexpr double kStartupSorts = 0.15;
constexpr double kIdleMebibytes = 200;

isa::Dim4 aligned(const isa::Dim4& shape) {
    return isa::aligned_stride(0, shape, isa::kWordBits, kLanes, kLineBytes);
}

Command convolution(const isa::Dim4& shape, int output_c, int kernel) {
    isa::Convolution op;
    op.input_shape = shape;
    op.output_c = output_c;
    op.kernel_h = op.kernel_w = kernel;
    const int pad = kernel / 2;
    op.padding = {pad, pad, pad, pad};
    op.stride = op.dilation = {1, 1};
    op.input_stride = aligned(shape);
    op.kernel_stride =
        isa::compact_stride(0, isa::weight_2ic_shape(shape.c, output_c, kernel, kernel), kLanes);
    op.input_addr = {128 * 1024};
    op.weight_addr = {256 * 1024};
    return Command::make(Opcode::bdc_conv2d, op);
}

Command matmul(int rows, int depth, int cols) {
    isa::MatrixMultiply op;
    op.left_rows = rows;
    op.left_cols = depth;
    op.right_cols = cols;
    op.left_cols_per_channel = depth / kLanes;
    op.right_cols_per_channel = cols / kLanes;
    op.left_addr = {128 * 1024};
    op.right_addr = {256 * 1024};
    return Command::make(Opcode::bdc_matmul, op);
}

Command depthwise(const isa::Dim4& shape, int kernel) {
    isa::Depthwise op;
    op.input_shape = shape;
    op.kernel_h = op.kernel_w = kernel;
    const int pad = kernel / 2;
    op.padding = {pad, pad, pad, pad};
    op.stride = op.dilation = {1, 1};
    op.input_addr = {128 * 1024};
    op.weight_addr = {256 * 1024};
    return Command::make(Opcode::bdc_depthwise2d, op);
}

Command pool(Opcode opcode, const isa::Dim4& shape, int kernel) {
    isa::Pool op;
    op.input_shape = shape;
    op.kernel_h = op.kernel_w = kernel;
    const int pad = kernel / 2;
    op.padding = {pad, pad, pad, pad};
    op.stride = {1, 1};
    op.input_addr = {128 * 1024};
    return Command::make(opcode, op);
}

/// Makes a convolution of bytes; a matrix product is a convolution with one position.
Command byte_convolution(const isa::Dim4& shape, std::int32_t output_c, std::int32_t kernel) {
    isa::IntConvolution op;
    op.output_addr = {256 * 1024};
    op.input_addr = {0};
    op.weight_addr = {128 * 1024};
    op.input_shape = shape;
    op.output_c = output_c;
    op.kernel_h = op.kernel_w = kernel;
    const std::int32_t around = kernel / 2;
    op.padding = {around, around, around, around};
    op.stride = op.dilation = {1, 1};
    op.output_type = isa::ElementType::kInt32;
    op.input_type = isa::ElementType::kInt8;
    op.input_zp = -3;
    return Command::make(Opcode::bdc_int_conv2d, op);
}

Command add(const isa::Dim4& shape) {
    isa::VectorBinary op;
    op.dst_addr = {0};
    op.src0_addr = {128 * 1024};
    op.src1_addr = {256 * 1024};
    op.shape = shape;
    op.dst_stride = op.src0_stride = op.src1_stride = aligned(shape);
    return Command::make(Opcode::bdc_add, op);
}

Command fill(isa::LocalAddr address, const isa::Dim4& shape) {
    isa::VectorSet op;
    op.dst_addr = address;
    op.shape = shape;
    op.dst_stride = aligned(shape);
    return Command::make(Opcode::bdc_32bit_set_C, op);
}

Command series(const isa::Dim4& shape, int terms) {
    isa::VectorSeries op;
    op.src_addr = {256 * 1024};
    op.shape = shape;
    op.num_series = terms;
    op.dst_stride = op.src_stride = aligned(shape);
    return Command::make(Opcode::bdc_taylor_exp, op);
}

Command copy_in(const isa::Dim4& shape, std::uint64_t address) {
    isa::GdmaCopyToLocal op;
    op.src_addr = isa::SystemAddr::from(address);
    op.shape = shape;
    op.dst_stride = aligned(shape);
    op.src_stride = isa::continuous_stride(shape);
    return Command::make(Opcode::gdma_32bit_cpy_S2L, op);
}

/// Measures the semantics on memories of the reference machine.
class SemanticsBench {
 public:
    SemanticsBench(const BenchOptions& options, const isa::MachineShape& shape)
        : rounds_(options.quick ? 15 : 25), local_(shape), system_(shape), pool_(1) {
        for (std::int32_t lane = 0; lane < shape.lanes; ++lane) {
            float* values = local_.floats(lane, 0);
            for (std::int64_t i = 0; i < shape.local_bytes / 4; ++i) {
                values[i] = static_cast<float>((lane + i) % 1009 - 504) * 0.001f;
            }
        }
    }

    /// Writes system memory before copies. Otherwise the host maps all of it to one page, which
    /// stays in its caches, and copies do not read memory.
    void write_system(std::uint64_t address, std::int64_t words) {
        const auto bytes = static_cast<std::uint64_t>(words) * sizeof(float);
        auto* const values = reinterpret_cast<float*>(system_.pointer(address, bytes));
        OKKSIM_CHECK(values != nullptr);
        for (std::int64_t i = 0; i < words; ++i) values[i] = static_cast<float>(i % 1009) * 0.001f;
    }

    /// Measures the share of the host's multiply-add peak; a command has `products` products.
    Figure array_share(const std::string& name, double products, const Command& command,
                       double target) {
        return share(name, products, command, target, "GMAC/s", "% of the multiply-add peak",
                     [](double seconds) { return measure_multiply_add_peak(seconds); });
    }

    /// Measures the share of the host's peak of byte dot products; a command has `products`
    /// products.
    Figure byte_share(const std::string& name, double products, const Command& command,
                      double target) {
        return share(name, products, command, target, "GMAC/s", "% of the int8 dot-product peak",
                     [](double seconds) { return measure_byte_product_peak(seconds); });
    }

    /// Measures the share of the fastest copy's bandwidth; a command reads and writes `bytes` in
    /// total.
    Figure copy_share(const std::string& name, double bytes, const Command& command, double bar) {
        const auto block = static_cast<std::size_t>(bytes / 2);
        return share(name, bytes, command, bar, "GB/s", "% of the fastest copy",
                     [block](double seconds) { return measure_copy_bandwidth(block, seconds); });
    }

 private:
    void execute(const Command& command) { models::execute(command, {local_, system_, pool_}); }

    // Compares the best round of the command with the best round of the limit, in turns.
    Figure share(const std::string& name, double work, const Command& command, double target,
                 const char* rate_unit, const char* unit,
                 const std::function<double(double)>& limit) {
        constexpr double kRoundSeconds = 0.004;
        double best_limit = 0;
        double best_rate = 0;
        execute(command);
        const auto round = [&] {
            best_limit = std::max(best_limit, limit(kRoundSeconds / 2));
            const double runs = runs_per_second(kRoundSeconds, [&] { execute(command); });
            best_rate = std::max(best_rate, work * runs * 1e-9);
        };
        const auto figure = [&] {
            return Figure{name,  100 * best_rate / best_limit,
                          unit,  target,
                          false, fmt::format("{:.2f} {}", best_rate, rate_unit),
                          true};
        };
        take_turns(rounds_, round, [&] { return figure().met(); });
        return figure();
    }

    int rounds_;
    models::LocalMemory local_;
    models::SystemMemory system_;
    models::LanePool pool_;
};

/// Returns the resident memory of this process in MiB.
double resident_mebibytes() {
    std::ifstream status("/proc/self/statm");
    double pages = 0, resident = 0;
    status >> pages >> resident;
    return resident * 4096 / (1024 * 1024);
}

/// Measures small commands through firmware call, checks, queues, engines, effect and retirement.
Figure command_rate(const BenchOptions& options) {
    constexpr int kCount = 20000;
    Simulation simulation(load_machine("bm1684"), {});
    Least commands, sort;
    const auto numbers = [&] { return 1e6 * commands.seconds() / (kCount * sort.seconds()); };
    const auto round = [&] {
        sort.add(measure_sort());
        commands.add(run_small_commands(simulation, kCount));
    };
    take_turns(options.quick ? 5 : 21, round, [&] { return numbers() <= kCommandNumbers; });
    const double each = commands.seconds() / kCount;
    return {"small command, firmware call to retirement",
            numbers(),
            "numbers of a sort of 10^6",
            kCommandNumbers,
            true,
            fmt::format("{:.2f} us each, {:.0f} commands/s", each * 1e6, 1 / each)};
}

Figure startup_time(const BenchOptions& options) {
    Least chip, sort;
    const auto sorts = [&] { return chip.seconds() / sort.seconds(); };
    const auto round = [&] {
        sort.add(measure_sort());
        const double start = thread_seconds();
        { const Simulation simulation(load_machine("bm1684"), {}); }
        chip.add(thread_seconds() - start);
    };
    take_turns(options.quick ? 5 : 15, round, [&] { return sorts() <= kStartupSorts; });
    return {"start-up of a chip", sorts(), kSortUnit,
            kStartupSorts,        true,    fmt::format("{:.2f} ms", chip.seconds() * 1e3)};
}

Figure untouched_memory() {
    const Simulation simulation(load_machine("bm1684"), {});
    return {"resident memory with 12 GB of global memory, untouched",
            resident_mebibytes(),
            "MiB",
            kIdleMebibytes,
            true,
            ""};
}

}  // namespace

double run_small_commands(Simulation& simulation, int count) {
    const auto body = [&](isa::CommandPort& port) {
        firmware::Context context(port, context_options(simulation.machine()));
        const firmware::Context::Binding binding(context);
        const isa::Dim4 shape{1, 64, 7, 7};
        Command small = add(shape);
        // Reads of uninitialised operands would cause findings, which take time.
        const auto operands = small.as<isa::VectorBinary>();
        for (const isa::LocalAddr address : {operands.src0_addr, operands.src1_addr}) {
            context.issue(fill(address, shape));
        }
        for (int i = 0; i < count; ++i) context.issue(small);
        context.poll();
    };
    simulation.launch({body, [](models::Picoseconds, models::Picoseconds) {}});
    const double start = thread_seconds();
    simulation.run();
    return thread_seconds() - start;
}

namespace {

void measure_all(const BenchOptions& options, const std::function<void(Figure)>& report) {
    measure_networks(options, report);  // first: children start with the memory of this process
    if (!options.vectors.empty()) report(measure_vectors(options.vectors));
    report(startup_time(options));
    report(untouched_memory());
    report(command_rate(options));
    measure_sanitizer(options, report);
    measure_sweeps(options, report);
    measure_traces(options, report);
    measure_texts(options, report);
    measure_forms(options, report);
    const isa::MachineShape shape = load_machine("bm1684").params.shape();
    SemanticsBench bench(options, shape);
    report(bench.array_share("conv2d 1x64x56x56 -> 64, 3x3", 64.0 * 64 * 56 * 56 * 9,
                             convolution({1, 64, 56, 56}, 64, 3), kArrayShare));
    report(bench.array_share("conv2d 1x256x14x14 -> 256, 3x3", 256.0 * 256 * 14 * 14 * 9,
                             convolution({1, 256, 14, 14}, 256, 3), kArrayShare));
    report(bench.array_share("matmul 256x768x3072", 256.0 * 768 * 3072, matmul(256, 768, 3072),
                             kArrayShare));
    report(bench.byte_share("int8 conv2d 1x256x28x28 -> 256, 3x3", 256.0 * 256 * 28 * 28 * 9,
                            byte_convolution({1, 256, 28, 28}, 256, 3), kByteShare));
    report(bench.byte_share("int8 matmul 256x768x3072", 256.0 * 768 * 3072,
                            byte_convolution({1, 768, 1, 256}, 3072, 1), kByteShare));
    const isa::Dim4 map{1, 64, 56, 56};
    const double taps = 64.0 * 56 * 56 * 9;
    report(bench.array_share("depthwise 1x64x56x56, 3x3", taps, depthwise(map, 3), kWindowShare));
    report(bench.array_share("average pool 1x64x56x56, 3x3", taps,
                             pool(Opcode::bdc_avg_pool2d, map, 3), kWindowShare));
    report(bench.array_share("max pool 1x64x56x56, 3x3", taps, pool(Opcode::bdc_max_pool2d, map, 3),
                             kWindowShare));
    const isa::Dim4 large{1, 64, 128, 256};
    const double elements = static_cast<double>(large.count());
    report(bench.copy_share("add 1x64x128x256", 12 * elements, add(large), kElementWiseShare));
    const std::uint64_t source = shape.global_start + (64u << 20);
    bench.write_system(source, large.count());
    report(bench.copy_share("copy system to local 1x64x128x256", 8 * elements,
                            copy_in(large, source), kCopyShare));
    constexpr int kTerms = 32;
    report(bench.array_share("exponential series of 32 terms", kTerms * elements,
                             series(large, kTerms), kSeriesShare));
}

/// Exception that ends the measurements on a stop request.
struct Stopped {};

}  // namespace

std::vector<Figure> run_bench(const BenchOptions& options,
                              const std::function<void(const Figure&)>& done) {
    std::vector<Figure> figures;
    const auto report = [&](Figure figure) {
        if (StopRequest::signal() != 0) throw Stopped();
        done(figure);
        figures.push_back(std::move(figure));
    };
    try {
        measure_all(options, report);
    } catch (const Stopped&) {
        return figures;
    } catch (const std::runtime_error&) {
        // The signal may have ended a measured process.
        if (StopRequest::signal() == 0) throw;
    }
    return figures;
}

}  // namespace okksim::sim::bench
