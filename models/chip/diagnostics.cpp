// SPDX-License-Identifier: Apache-2.0
#include "models/chip/diagnostics.h"

#include <utility>

#include "isa/base/hex.h"
#include "isa/disassembler.h"
#include "models/chip/value_check.h"

namespace okksim::models {
namespace {

std::string operand_of(const isa::Command& command, const char* operand) {
    return isa::mnemonic(command.info()) + " " + operand;
}

std::string hazard_message(const Hazard& hazard) {
    return operand_of(hazard.first, hazard.first_operand) + " and " +
           operand_of(hazard.second, hazard.second_operand) + " both access " +
           hazard.place.text() +
           " without an order between them (data race); use separate buffers or different parallel "
           "sections";
}

}  // namespace

Diagnostics::Diagnostics(const isa::MachineShape& machine, std::size_t engines, LocalMemory& local,
                         SystemMemory& system, UndefinedWords::Effect effect, bool exact_bytes)
    : machine_(machine),
      local_(local),
      system_(system),
      written_(machine, PaddingReads::kTolerated, exact_bytes ? 1 : WrittenMap::kGranuleBytes),
      undefined_(machine, std::move(effect)),
      exact_bytes_(exact_bytes),
      order_(machine, engines) {}

void Diagnostics::watch_users(std::function<const void*()> issuing,
                              std::function<std::string(const void*)> describe) {
    written_.set_padding(PaddingReads::kReported);
    issuing_ = std::move(issuing);
    describe_ = std::move(describe);
}

void Diagnostics::launch_started(Picoseconds) {
    order_.clear();
    for (auto& sites : sites_) sites.clear();
    beyond_table_ = overlapping_ = nullptr;
    undefined_.launch_started();
    if (issuing_ && !keeps_local_) written_.begin_launch();
}

const void* Diagnostics::site_of(const isa::Command& command) const {
    const auto& sites = sites_[static_cast<std::size_t>(command.info().engine)];
    // Ids start at 1.
    return command.id == 0 || command.id > sites.size() ? nullptr : sites[command.id - 1];
}

std::string Diagnostics::text_of(const isa::Command& command, const void* site) const {
    std::string text = isa::disassemble(command, machine_);
    if (site == nullptr) return text;
    const std::string place = describe_(site);
    return place.empty() ? text : text + " in " + place;
}

std::string Diagnostics::text_of(const isa::Command& command) const {
    return text_of(command, site_of(command));
}

std::string Diagnostics::text_of(std::uint32_t carrier) const {
    const Carrier& it = carriers_.at(carrier);
    const std::string text = text_of(it.command, it.site);
    return it.read ? text + ": " + it.read->message() : text;
}

std::uint32_t Diagnostics::number_of(const isa::Command& command, std::optional<PoisonRead> read) {
    if (carriers_.size() < kMostCarriers) {
        carriers_.push_back({command, site_of(command), std::move(read)});
    }
    return static_cast<std::uint32_t>(carriers_.size() - 1);
}

void Diagnostics::add(Key key, std::string message, std::vector<std::string> commands) {
    found_.push_back({key.kind, std::move(message), std::move(commands), {}});
}

template <typename Check>
void Diagnostics::check_rule(const char* rule, const isa::Command& command, const Check& check) {
    const Key key{FindingKind::kRule, {command.opcode, command.opcode}, {rule, ""}};
    if (!may_add(key)) return;
    std::optional<std::string> problem = check();
    if (!problem) return;
    seen_.insert(key);
    add(key, std::move(*problem), {text_of(command)});
}

/// Reports values beyond a table once per call, because later tables get wrong values from the
/// first.
void Diagnostics::check_values(const isa::Command& command, const isa::TensorViews& views) {
    const void* const site = site_of(command);
    if (site != nullptr && site == beyond_table_) return;
    check_rule("values", command, [&] {
        auto problem = find_bad_values(command, converted_, views, local_, machine_,
                                       [this](std::int32_t lane, std::int64_t offset) {
                                           return written_.knows_local(lane, offset, local_) &&
                                                  !undefined_.holds(lane, offset);
                                       });
        if (problem) beyond_table_ = site;
        return problem;
    });
}

/// Reports an overlap once per call; other commands of the call share a tensor with it.
void Diagnostics::check_overlap(const isa::Command& command, const isa::TensorViews& views) {
    const void* const site = site_of(command);
    if (site != nullptr && site == overlapping_) return;
    check_rule("overlap", command, [&] {
        auto problem = find_overlap(command, views, machine_);
        if (problem) overlapping_ = site;
        return problem;
    });
}

void Diagnostics::submitted(const isa::Command& command) {
    if (issuing_) sites_[static_cast<std::size_t>(command.info().engine)].push_back(issuing_());
    const std::optional<Hazard> hazard = order_.submitted(command);
    if (!hazard) return;
    const Key key{FindingKind::kHazard,
                  {hazard->first.opcode, hazard->second.opcode},
                  {hazard->first_operand, hazard->second_operand}};
    if (!seen_.insert(key).second) return;
    add(key, hazard_message(*hazard), {text_of(hazard->first), text_of(hazard->second)});
}

void Diagnostics::take_effect(const isa::Command& command) {
    const isa::TensorViews& views = order_.views_of(command);
    if (issuing_) {
        check_overlap(command, views);
        if (looks_up(command.opcode)) check_values(command, views);
        if (command.info().engine == isa::Engine::kBdc) {
            if (converts_for_tables(command.opcode)) {
                converted_ = command;
            } else {
                converted_.opcode = {};
            }
        }
    }
    follow_undefined(command, views);
    if (exact_bytes_) undefined_.note_gaps(command, views, written_, local_);
    if (views.size() > 0) {
        undefined_.note_dummies(views[0], written_, local_);
        if (views[0].computes_last_channel) {
            undefined_.note_free_columns(views, written_, local_, [&](PoisonRead read) {
                return number_of(command, std::move(read));
            });
        }
    }
    note_stores(command, views);
    written_.mark_results(command, views);
    if (!undefined_.is_settled()) undefined_.settle(command, views);
}

void Diagnostics::note_stores(const isa::Command& command, const isa::TensorViews& views) {
    if (!results_are_watched_) return;
    for (const isa::TensorView& view : views) {
        if (view.local || view.access == isa::Access::kRead) continue;
        const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
        SystemStore store{command, site_of(command), static_cast<std::uint64_t>(touched.low),
                          static_cast<std::uint64_t>(touched.high)};
        if (stores_.size() < kMostStores) {
            stores_.push_back(std::move(store));
        } else {
            stores_[next_store_] = std::move(store);
        }
        next_store_ = (next_store_ + 1) % kMostStores;
    }
}

void Diagnostics::processor_copied(std::uint64_t address, std::uint64_t bytes, const void* site) {
    const UndefinedCopy copy{address, address + bytes, site};
    if (copies_.size() < kMostCopies) {
        copies_.push_back(copy);
    } else {
        copies_[next_copy_] = copy;
    }
    next_copy_ = (next_copy_ + 1) % kMostCopies;
}

std::string Diagnostics::neighbour_of(std::uint64_t gap, std::uint64_t address,
                                      std::uint64_t bytes) const {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        // Starts with the latest copy.
        const std::size_t at = (next_copy_ + 2 * kMostCopies - 1 - i) % kMostCopies;
        if (at >= copies_.size() || gap < copies_[at].begin || gap >= copies_[at].end) continue;
        const std::string place = describe_ ? describe_(copies_[at].site) : std::string();
        return "the kernel's code has copied uninitialised bytes to it" +
               (place.empty() ? "" : ", in " + place);
    }
    const SystemStore* nearest = nullptr;
    std::uint64_t least = UINT64_MAX;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        // Starts with the latest store.
        const std::size_t at = (next_store_ + 2 * kMostStores - 1 - i) % kMostStores;
        if (at >= stores_.size()) continue;
        const SystemStore& store = stores_[at];
        if (store.end <= address || store.begin >= address + bytes) continue;
        std::uint64_t distance = 0;
        if (store.begin > gap) distance = store.begin - gap;
        if (store.end <= gap) distance = gap - store.end + 1;
        if (distance >= least) continue;
        least = distance;
        nearest = &store;
    }
    if (nearest == nullptr) return {};
    return text_of(nearest->command, nearest->site) +
           (least == 0 ? ": does not store to it, but before and after it"
                       : ": makes the nearest store, " + std::to_string(least) + " bytes away");
}

void Diagnostics::follow_undefined(const isa::Command& command, const isa::TensorViews& views) {
    const std::optional<PoisonRead> read = written_.find_unwritten(command, views, local_, system_);
    if (!read && (undefined_.empty() || !undefined_.reads(command, views))) return;
    const std::uint32_t number = number_of(command, read);
    undefined_.carry(command, views, written_, local_, system_, number);
    const std::optional<UndefinedSource> source = undefined_.first_carried();
    if (!source || results_are_watched_) return;
    const isa::MemoryRegion global = machine_.global();
    if (global.holds(views[0].system_addr.value())) add_undefined_store(command, number, *source);
}

void Diagnostics::add_undefined_store(const isa::Command& command, std::uint32_t number,
                                      const UndefinedSource& source) {
    const Key key{FindingKind::kUnwrittenRead, {command.opcode, command.opcode}, {"", ""}};
    if (!seen_.insert(key).second) return;
    std::vector<std::string> commands{text_of(source.reader)};
    if (source.reader != number) commands.push_back(text_of(number));
    add(key,
        isa::mnemonic(command.info()) +
            ": a result depends on uninitialised memory, first read by the first command below",
        std::move(commands));
}

void Diagnostics::host_copies(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    constexpr std::uint64_t kMostElements = INT32_MAX;
    if (bytes > kMostElements) return host_wrote(to, bytes);
    const auto count = static_cast<std::int32_t>(bytes);
    isa::GdmaCopySystem op{};
    op.dst_addr = isa::SystemAddr::from(to);
    op.src_addr = isa::SystemAddr::from(from);
    op.shape = {1, 1, 1, count};
    op.dst_stride = op.src_stride = {count, count, count, 1};
    const isa::Command command = isa::Command::make(isa::Opcode::gdma_8bit_cpy_S2S, op);
    // No kernel call has issued it.
    const auto issuing = std::exchange(issuing_, {});
    take_effect(command);
    issuing_ = issuing;
}

void Diagnostics::host_forgets(std::uint64_t address, std::uint64_t bytes) {
    written_.forget_system(address, bytes);
    undefined_.forget_system(address, bytes);
    // Removes earlier stores to these bytes from the list of neighbours.
    for (SystemStore& store : stores_) {
        if (store.begin < address + bytes && address < store.end) store.begin = store.end = 0;
    }
    for (UndefinedCopy& copy : copies_) {
        if (copy.begin < address + bytes && address < copy.end) copy.begin = copy.end = 0;
    }
}

std::optional<Finding> Diagnostics::host_reads(std::uint64_t address, std::uint64_t bytes) {
    const std::string range =
        "the host reads " + std::to_string(bytes) + " bytes at " + isa::hex(address);
    if (const auto found = undefined_.find(address, bytes)) {
        const UndefinedSource& source = found->source;
        Finding finding{FindingKind::kUnwrittenRead,
                        range + ", of which byte " + std::to_string(found->address - address) +
                            " depends on uninitialised memory; these commands read and store it",
                        {text_of(source.reader)},
                        {}};
        if (source.writer != source.reader) finding.commands.push_back(text_of(source.writer));
        return finding;
    }
    const auto unwritten = written_.find_unwritten(address, bytes, system_);
    if (!unwritten) return std::nullopt;
    Finding finding{
        FindingKind::kUnwrittenRead,
        range + ", of which this byte is uninitialised: " + std::to_string(*unwritten - address) +
            "; store the whole result, or read fewer bytes",
        {},
        {}};
    const std::string neighbour = neighbour_of(*unwritten, address, bytes);
    finding.commands.push_back(neighbour.empty() ? "no command has stored into these bytes"
                                                 : neighbour);
    return finding;
}

std::optional<std::string> Diagnostics::processor_looks(std::uint64_t address, std::uint64_t bytes,
                                                        bool loads) {
    if (!loads && bytes > 1) {  // a sized pointer announces a store
        host_wrote(address, bytes);
        return std::nullopt;
    }
    std::optional<std::string> problem;
    if (const auto found = undefined_.find(address, bytes)) {
        problem = "gives access to values from uninitialised memory, read by " +
                  text_of(found->source.reader);
    } else if (const auto unwritten =
                   loads ? written_.find_unwritten(address, bytes, system_) : std::nullopt) {
        problem = "loads address " + isa::hex(*unwritten) + ", which is uninitialised";
    }
    if (loads) return problem;
    // Through a bare pointer it may also store at this address and after it.
    written_.doubt_system(address);
    for (const isa::MemoryRegion& region : machine_.memories()) {
        if (region.holds(address)) {
            undefined_.forget_system(address, region.start + region.bytes - address);
        }
    }
    return problem;
}

std::optional<std::string> Diagnostics::processor_looks(isa::LocalAddr address) {
    const std::int32_t lane = machine_.lane_of(address);
    const std::int64_t offset = machine_.offset_of(address);
    const auto reader = undefined_.reader_of(lane, offset);
    // It may also store at this address and after it.
    written_.doubt_local(lane, offset);
    undefined_.forget_local(lane, offset, machine_.local_bytes - offset);
    if (!reader) return std::nullopt;
    return "gives access to values from uninitialised memory, read by " + text_of(*reader);
}

std::optional<std::string> Diagnostics::processor_loads(isa::LocalAddr address,
                                                        std::uint64_t bytes) {
    const std::int32_t lane = machine_.lane_of(address);
    const std::int64_t first = machine_.offset_of(address);
    const std::int64_t end = first + static_cast<std::int64_t>(bytes);
    for (std::int64_t at = first / isa::kWordBytes * isa::kWordBytes; at < end;
         at += isa::kWordBytes) {
        if (const auto reader = undefined_.reader_of(lane, at)) {
            return "gives access to values from uninitialised memory, read by " + text_of(*reader);
        }
        if (written_.knows_local(lane, at, local_)) continue;
        return "loads lane " + std::to_string(lane) + ", byte " +
               isa::hex(static_cast<std::uint64_t>(at)) + ", " +
               PoisonRead::reason(written_.is_stale(lane, at));
    }
    return std::nullopt;
}

void Diagnostics::processor_stored(isa::LocalAddr address, std::uint64_t bytes) {
    const std::int32_t lane = machine_.lane_of(address);
    const std::int64_t offset = machine_.offset_of(address);
    written_.mark_local(lane, offset, static_cast<std::int64_t>(bytes));
    undefined_.forget_local(lane, offset, static_cast<std::int64_t>(bytes));
}

std::vector<Finding> Diagnostics::take() {
    seen_.clear();
    return std::exchange(found_, {});
}

}  // namespace okksim::models
