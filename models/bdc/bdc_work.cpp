// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_work.h"

#include "isa/base/errors.h"
#include "models/bdc/bdc_classes.h"
#include "models/bdc/bdc_params.h"

namespace okksim::models {
namespace {

namespace roles = isa::roles;

constexpr bool is_packed(isa::DataType data) {
    return data == isa::DataType::kFixed || data == isa::DataType::kFixed8 ||
           data == isa::DataType::kFixed16;
}

using Count = std::int64_t (*)(const isa::Command& command);

/// Returns the operations of a row of the instruction table by the formula of its timing class.
template <typename Form, isa::TimingClass timing>
std::int64_t count(const isa::Command& command) {
    using Class = BdcClass<timing>;
    return Class::Law::operations(command.as<Form>(), Class::kOperations);
}

template <typename Form, isa::TimingClass timing, isa::InstructionKind kind>
constexpr Count count_of() {
    if constexpr (is_bdc_command(isa::engine_of(timing), kind)) {
        return count<Form, timing>;
    } else {
        return nullptr;
    }
}

constexpr std::array<Count, isa::kInstructionCount> kCounts{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) \
    count_of<isa::form, isa::TimingClass::timing, isa::InstructionKind::kind>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

/// Sums the bytes of a command's operands. Omits input and weights if words_read() of the cost
/// formula counts them.
class OperandBytes {
 public:
    explicit OperandBytes(bool law_counts_sources) : law_counts_sources_(law_counts_sources) {}

    std::uint64_t read() const { return read_; }
    std::uint64_t written() const { return written_; }

    template <typename Role>
    void operator()(isa::OperandKind, const char*, const isa::OperandRules&, const auto&,
                    const Role&) {
        static_assert(!Role::kIsTensor);
    }
    template <typename Role>
    requires Role::kIsTensor [[gnu::always_inline]] void operator()(isa::OperandKind, const char*,
                                                                    const isa::OperandRules& rules,
                                                                    isa::LocalAddr,
                                                                    const Role& role) {
        add(rules.access, role);
    }

 private:
    template <typename Role>
    void add(isa::Access access, const roles::Optional<Role>& role) {
        if (role.flag != 0) add(access, static_cast<const Role&>(role));
    }
    template <typename Role>
    void add(isa::Access access, const roles::Updated<Role>& role) {
        add(role.flag != 0 ? isa::Access::kUpdate : access, static_cast<const Role&>(role));
    }
    template <typename Role>
    void add(isa::Access access, const Role& role) {
        const auto bytes = static_cast<std::uint64_t>(bytes_of(role));
        const int position = position_++;
        if (access != isa::Access::kRead) written_ += bytes;
        if (access == isa::Access::kWrite) return;
        const bool is_source = position == kInput || position == kWeights;
        if (!law_counts_sources_ || !is_source) read_ += bytes;
    }

    template <typename Role>
    static std::int64_t bytes_of(const Role& role) {
        if constexpr (std::is_base_of_v<roles::TypedWindows, Role>) {
            return role.geometry().output.count() * isa::element_bytes(role.element);
        } else if constexpr (requires { isa::element_bytes(role.element); }) {
            return elements(role) * isa::element_bytes(role.element);
        } else {
            return words(role) * isa::kWordBytes;
        }
    }
    template <typename Role>
    static std::int64_t elements(const Role& role) {
        return role.shape.count();
    }
    /// The looked-up entries of a table are unknown; one entry per result is assumed.
    static std::int64_t elements(const roles::LaneTable& role) { return role.channels; }
    static std::int64_t words(const roles::Words& role) { return role.shape.count(); }
    static std::int64_t words(const roles::Packed& role) {
        return isa::packed_shape(role.shape, role.type.bits).count();
    }
    static std::int64_t words(const roles::WeightPairs& role) { return 2 * role.shape.count(); }
    static std::int64_t words(const roles::Aligned& role) { return role.shape.count(); }
    static std::int64_t words(const roles::Compact& role) { return role.shape.count(); }
    static std::int64_t words(const roles::Windows& role) { return role.geometry().output.count(); }
    static std::int64_t words(const roles::Matrix& role) {
        return std::int64_t{role.rows} * role.cols;
    }

    static constexpr int kInput = 1;  // position after the result
    static constexpr int kWeights = 2;

    bool law_counts_sources_;
    int position_ = 0;
    std::uint64_t read_ = 0;
    std::uint64_t written_ = 0;
};

using Work = BdcWork (*)(const isa::Command& command, const laws::Array& array);

template <typename Form, isa::TimingClass timing, isa::DataType data>
BdcWork work(const isa::Command& command, const laws::Array& array) {
    using Class = BdcClass<timing>;
    using Law = typename Class::Law;
    constexpr bool kHasWords = requires(const Form& op) { Law::words_read(op, array); };
    const Form op = command.as<Form>();
    OperandBytes bytes(kHasWords);
    op.visit(bytes);
    BdcWork work;
    work.operations = static_cast<std::uint64_t>(Law::operations(op, Class::kOperations));
    work.bytes_read = bytes.read();
    work.bytes_written = bytes.written();
    if constexpr (kHasWords) {
        work.bytes_read += static_cast<std::uint64_t>(Law::words_read(op, array)) * isa::kWordBytes;
    }
    if constexpr (is_packed(data)) work.source_bits = laws::packed::source_bits(op);
    return work;
}

template <typename Form, isa::TimingClass timing, isa::InstructionKind kind, isa::DataType data>
constexpr Work work_of() {
    if constexpr (is_bdc_command(isa::engine_of(timing), kind)) {
        return work<Form, timing, data>;
    } else {
        return nullptr;
    }
}

constexpr std::array<Work, isa::kInstructionCount> kWorks{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) \
    work_of<isa::form, isa::TimingClass::timing, isa::InstructionKind::kind, isa::DataType::data>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

using Peak = double (*)(const laws::Array& array);

template <isa::TimingClass timing>
constexpr Peak peak_of() {
    if constexpr (isa::engine_of(timing) == isa::Engine::kBdc) {
        return [](const laws::Array& array) {
            using Class = BdcClass<timing>;
            return Class::Law::peak(array, Class::parameters(array.params), Class::kOperations);
        };
    } else {
        return [](const laws::Array&) { return 0.0; };
    }
}

constexpr auto kPeaks = std::to_array<Peak>({
#define OKKSIM_TIMING_CLASS(name, ...) peak_of<isa::TimingClass::name>(),
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
});

}  // namespace

std::uint64_t bdc_operations(const isa::Command& command) {
    const Count count = kCounts[isa::row_index(command.info())];
    OKKSIM_CHECK(count != nullptr);
    return static_cast<std::uint64_t>(count(command));
}

BdcWork bdc_work(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params) {
    const Work work = kWorks[isa::row_index(command.info())];
    OKKSIM_CHECK(work != nullptr);
    return work(command, {machine, params});
}

double bdc_peak_operations_per_second(isa::TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params) {
    constexpr double kHertz = 1e6;
    return kPeaks[static_cast<std::size_t>(timing)]({machine, params}) *
           static_cast<double>(machine.lanes) * static_cast<double>(params.execution_units) *
           params.clock_mhz * kHertz;
}

}  // namespace okksim::models
