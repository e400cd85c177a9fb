// SPDX-License-Identifier: Apache-2.0
#include "sim/why/event_times.h"

#include <array>
#include <string>

#include "sim/trace/replay.h"

namespace okksim::sim::why {
namespace {

/// Collects the times of commands. An engine completes its commands in the order of their ids. This
/// is not program order: commands of parallel sections overtake each other.
class Times : public trace::AccountListener, public models::CommandObserver {
 public:
    explicit Times(const Recording& recording)
        : recording_(recording), times_(recording.events().size()) {
        const std::vector<Event>& events = recording.events();
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (!events[i].is_command) continue;
            if (launches_.size() <= events[i].launch) launches_.resize(events[i].launch + 1);
            of_engine(events[i].launch, events[i].command).push_back(i);
        }
    }

    void launch_started(models::Picoseconds time) override {
        ++launch_;
        // The replay does not contain the host's work before the launch.
        replayed_ = time;
        begun_ = recording_.launch_begin(launch_).value_or(time);
    }
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const trace::CommandAccount&) override {
        if (launch_ >= launches_.size()) return;
        const std::vector<std::size_t>& events = of_engine(launch_, command);
        // Ids start at 1.
        if (command.id == 0 || command.id > events.size()) return;
        times_[events[command.id - 1]] = {begun_ + (times.start - replayed_),
                                          begun_ + (times.end - replayed_)};
    }

    std::vector<EventTime> take() { return std::move(times_); }

 private:
    /// The command events of one launch, by kind of engine.
    using Commands = std::array<std::vector<std::size_t>, isa::kEngineKinds>;

    std::vector<std::size_t>& of_engine(std::size_t launch, const isa::Command& command) {
        return launches_[launch][static_cast<std::size_t>(command.info().engine)];
    }

    const Recording& recording_;
    std::vector<EventTime> times_;
    std::vector<Commands> launches_;  ///< by number of the launch, starting at 1
    std::size_t launch_ = 0;
    models::Picoseconds begun_, replayed_;  ///< start of this launch in the run and in the replay
};

}  // namespace

std::vector<EventTime> event_times(const Recording& recording) {
    Times times(recording);
    trace::ReplayOptions options;
    options.observers.push_back(&times);
    options.listeners.push_back(&times);
    trace::replay(recording.path(), options);
    return times.take();
}

}  // namespace okksim::sim::why
