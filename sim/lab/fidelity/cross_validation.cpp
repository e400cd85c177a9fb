// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/cross_validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "isa/base/stop_request.h"
#include "sim/lab/fidelity/bandwidth.h"
#include "sim/lab/fidelity/kernel_commands.h"

namespace okksim::sim::fidelity {
namespace {

/// Weight of each case in a fit.
using Training = std::vector<int>;

/// Returns an error's weight in a fit: its size, but less within the noise of silicon. The function
/// is smooth, so that a search along the axes does not stop where two errors balance.
double loss(double error) {
    constexpr double kNoise = 0.028;  // M: deviation of stable contest values in each direction
    const double size = std::abs(error);
    return size < kNoise ? size * size / (2 * kNoise) : size - kNoise / 2;
}

/// Returns the weighted error of a simulated time. No kernel beats the fastest board, so a time
/// below it counts twice. Above the range, the board's kernel may be one that was not recorded.
double weighted_loss(const PredictedCase& entry, double ratio) {
    constexpr double kImpossibleWeight = 2;
    if (!entry.range) return loss(ratio - 1);
    const double us = ratio * entry.silicon_us;
    if (us < entry.range->fastest) return kImpossibleWeight * loss(us / entry.range->fastest - 1);
    return loss(std::max(us / entry.range->high - 1, 0.0));
}

/// Returns a penalty that grows without bound towards the ends of the ranges. It keeps numbers that
/// the cases do not determine away from the ends. Elsewhere, 3 % of one case's error outweigh it.
double implausibility(std::span<const Axis> axes, const Values& values) {
    constexpr double kWeight = 0.0003;
    constexpr double kAlmostOne = 0.999999;
    double sum = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].grid == Grid::kPowersOfTwo || axes[i].low == axes[i].high) continue;
        const double place =
            (2 * values[i] - axes[i].low - axes[i].high) / (axes[i].high - axes[i].low);
        sum -= std::log(1 - std::min(place * place, kAlmostOne));
    }
    return kWeight * sum;
}

/// Caches the model's results: fits start at the same values and often meet again.
class Memory {
 public:
    Memory(const FittedModel& model, const std::vector<PredictedCase>& cases)
        : model_(model), cases_(cases) {}

    double ratio(const Values& values, std::size_t index) {
        {
            const std::lock_guard lock(mutex_);
            const auto& known = entry(values).ratios[index];
            if (known) return *known;
        }
        const double ratio = model_.ratio(values, index);
        const std::lock_guard lock(mutex_);
        entry(values).ratios[index] = ratio;
        return ratio;
    }
    double rate_error_sum(const Values& values) {
        {
            const std::lock_guard lock(mutex_);
            const auto& known = entry(values).rate_error_sum;
            if (known) return *known;
        }
        const std::vector<double> errors = model_.rate_errors(values);
        double sum = 0;
        for (const double error : errors) sum += loss(error);
        const std::lock_guard lock(mutex_);
        rates_ = errors.size();
        entry(values).rate_error_sum = sum;
        return sum;
    }

    /// Returns the mean absolute error of a fit's cases and of the rates. May return a partial sum
    /// that is at least `enough`.
    double error(const Values& values, const Training& training, double enough) {
        const auto seen =
            static_cast<std::size_t>(std::accumulate(training.begin(), training.end(), 0));
        double sum = rate_error_sum(values);
        const auto count = static_cast<double>(std::max<std::size_t>(seen + rates_, 1));
        if (model_.prior) sum += count * model_.prior(values);
        for (const std::size_t index : model_.order) {
            if (sum / count >= enough) break;
            if (training[index] == 0) continue;
            sum += training[index] * weighted_loss(cases_[index], ratio(values, index));
        }
        return sum / count;
    }

 private:
    struct Entry {
        std::vector<std::optional<double>> ratios;
        std::optional<double> rate_error_sum;
    };
    Entry& entry(const Values& values) {
        Entry& found = known_[values];
        found.ratios.resize(cases_.size());
        return found;
    }

    const FittedModel& model_;
    const std::vector<PredictedCase>& cases_;
    std::atomic<std::size_t> rates_ = 0;
    std::map<Values, Entry> known_;
    std::mutex mutex_;
};

/// Runs body(0) ... body(count - 1) on several threads. `progress(done, count)` may be empty.
void for_each_fit(std::size_t count, int threads, const std::function<void(std::size_t)>& body,
                  const std::function<void(std::size_t, std::size_t)>& progress) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::size_t done = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < std::max(threads, 1); ++i) {
        workers.emplace_back([&] {
            for (std::size_t index = next++; index < count; index = next++) {
                if (StopRequest::signal() != 0) return;
                body(index);
                const std::lock_guard lock(mutex);
                ++done;
                if (progress) progress(done, count);
            }
        });
    }
}

/// The cases of all fits, in order: all cases, all but each case, the two halves, all but each
/// operator.
class Folds {
 public:
    explicit Folds(const std::vector<PredictedCase>& cases) : cases_(cases.size()) {
        std::set<std::string> operators;
        for (const PredictedCase& entry : cases) operators.insert(entry.op);
        add([](std::size_t) { return true; });
        for (std::size_t left_out = 0; left_out < cases_; ++left_out) {
            add([&](std::size_t i) { return i != left_out; });
        }
        for (const std::size_t half : {0u, 1u}) {
            add([&](std::size_t i) { return i % 2 != half; });
        }
        for (const std::string& op : operators) {
            operator_fit_[op] = training.size();
            add([&](std::size_t i) { return cases[i].op != op; });
        }
    }

    /// Adds a draw with replacement whose size is the number of cases. `number` is the seed.
    void add_draw(std::uint64_t number) {
        Training fold(cases_);
        std::mt19937_64 random(number);
        for (std::size_t i = 0; i < cases_; ++i) ++fold[random() % cases_];
        training.push_back(std::move(fold));
    }

    static constexpr std::size_t kAll = 0;
    static std::size_t without_case(std::size_t i) { return 1 + i; }
    std::size_t without_half(std::size_t i) const { return 1 + cases_ + i % 2; }
    std::size_t without_operator(const std::string& op) const { return operator_fit_.at(op); }

    std::vector<Training> training;

 private:
    template <typename IsSeen>
    void add(const IsSeen& is_seen) {
        Training fold(cases_);
        for (std::size_t i = 0; i < cases_; ++i) fold[i] = is_seen(i) ? 1 : 0;
        training.push_back(std::move(fold));
    }

    std::size_t cases_;
    std::map<std::string, std::size_t> operator_fit_;
};

/// A counted case of the contest and the kernels that may be its fastest.
struct MeasuredCase {
    double silicon_us = 0;
    std::uint64_t engine_calls = 0;
    std::vector<KernelCommands> kernels;
};

/// Ratio to the fastest kernel of a case. No values within the plausible ranges make a slower
/// kernel the fastest.
constexpr double kHopelessFactor = 2;

MeasuredCase read_kernels(const ContestCase& entry, const Machine& machine) {
    const ContestKernel& best = *entry.best(0);
    MeasuredCase measured{entry.silicon_us, 0, {}};
    for (const ContestKernel& kernel : entry.kernels) {
        if (kernel.correct != best.correct || kernel.simulated_us.empty() ||
            kernel.engine_calls == 0 ||
            kernel.simulated_us[0] > kHopelessFactor * best.simulated_us[0]) {
            continue;
        }
        measured.kernels.emplace_back(kernel.trace, machine);
        measured.engine_calls += kernel.engine_calls;
    }
    return measured;
}

double simulated_ratio(const MeasuredCase& entry, const Machine& machine) {
    double best = std::numeric_limits<double>::infinity();
    for (const KernelCommands& kernel : entry.kernels) {
        best = std::min(best, kernel.microseconds(machine));
    }
    return best / entry.silicon_us;
}

/// Caches each thread's last machine, because loading a machine takes longer than most cases.
class LatestMachines {
 public:
    explicit LatestMachines(std::function<Machine(const Values&)> load) : load_(std::move(load)) {}

    /// Returns a machine that is valid until the thread's next call.
    const Machine& at(const Values& values) {
        Slot& own = slot();
        if (own.values != values) own = {values, load_(values)};
        return own.machine;
    }

 private:
    struct Slot {
        std::optional<Values> values;
        Machine machine;
    };
    Slot& slot() {
        const std::lock_guard lock(mutex_);
        return slots_[std::this_thread::get_id()];
    }

    std::function<Machine(const Values&)> load_;
    std::map<std::thread::id, Slot> slots_;
    std::mutex mutex_;
};

std::vector<std::size_t> cheapest_first(const std::vector<MeasuredCase>& cases) {
    std::vector<std::size_t> order(cases.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return cases[a].engine_calls < cases[b].engine_calls;
    });
    return order;
}

}  // namespace

Agreement CrossValidation::figures(double PredictedCase::*ratio) const {
    std::vector<double> ratios;
    for (const PredictedCase& entry : cases) ratios.push_back(entry.*ratio);
    return agreement(ratios, std::vector<double>(ratios.size(), 1.0));
}

CrossValidation CrossValidation::first_folder() const {
    CrossValidation first = *this;
    std::erase_if(first.cases, [](const PredictedCase& entry) { return entry.further; });
    return first;
}

bool CrossValidation::met() const {
    return first_folder().figures(&PredictedCase::without_case).mean_absolute_error <= kLeftOutBar;
}

std::optional<double> CrossValidation::left_out_outside() const {
    double sum = 0;
    for (const PredictedCase& entry : cases) {
        if (!entry.range) return std::nullopt;
        sum += std::abs(entry.range->error(entry.without_case * entry.silicon_us));
    }
    if (cases.empty()) return std::nullopt;
    return sum / static_cast<double>(cases.size());
}

CrossValidation cross_validate(const std::vector<PredictedCase>& cases, std::span<const Axis> axes,
                               const FittedModel& model, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               std::size_t members) {
    Memory memory(model, cases);
    Folds folds(cases);
    const std::size_t first_member = folds.training.size();
    for (std::size_t i = 0; i < members; ++i) folds.add_draw(i + 1);
    std::vector<FitResult> fits(folds.training.size());
    const Values start = middle(axes);
    const auto run = [&](std::size_t i) {
        fits[i] = fit(axes, start, [&](const Values& values, double enough) {
            return memory.error(values, folds.training[i], enough);
        });
    };
    for_each_fit(fits.size(), threads, run, progress);
    StopRequest::check();

    const auto ratio = [&](std::size_t fit, std::size_t i) {
        return memory.ratio(fits[fit].values, i);
    };
    CrossValidation result{cases, {}, {}};
    for (std::size_t i = first_member; i < fits.size(); ++i) {
        EnsembleFit& member =
            result.ensemble.emplace_back(EnsembleFit{fits[i].values, folds.training[i], {}});
        for (std::size_t k = 0; k < cases.size(); ++k) member.ratios.push_back(ratio(i, k));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        PredictedCase& entry = result.cases[i];
        entry.fitted = ratio(Folds::kAll, i);
        entry.without_case = ratio(Folds::without_case(i), i);
        entry.without_half = ratio(folds.without_half(i), i);
        entry.without_operator = ratio(folds.without_operator(entry.op), i);
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const double all = fits[Folds::kAll].values[axis];
        RefittedNumber number{all, all, all};
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const double value = fits[Folds::without_case(i)].values[axis];
            number.least = std::min(number.least, value);
            number.most = std::max(number.most, value);
        }
        result.numbers.push_back(number);
    }
    return result;
}

CrossValidation cross_validate(const ContestReport& contest, const std::string& machine,
                               const std::vector<std::string>& settings,
                               std::span<const FittedParameter> parameters, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               std::size_t members) {
    const Machine base = load_machine(machine, settings);
    std::vector<PredictedCase> cases;
    std::vector<MeasuredCase> measured;
    for (const ContestCase& entry : contest.cases) {
        if (!entry.counted || entry.best(0) == nullptr || entry.silicon_us <= 0) continue;
        PredictedCase& predicted = cases.emplace_back();
        predicted.op = entry.op;
        predicted.number = entry.number;
        predicted.silicon_us = entry.silicon_us;
        predicted.range = entry.range;
        predicted.further = entry.further;
        measured.push_back(read_kernels(entry, base));
    }
    std::vector<Axis> axes;
    for (const FittedParameter& parameter : parameters) {
        axes.push_back({parameter.low, parameter.high, parameter.grid});
    }
    LatestMachines machines([&](const Values& values) {
        return fitted_machine(machine, settings, parameters, values);
    });
    FittedModel model;
    model.ratio = [&](const Values& values, std::size_t index) {
        return simulated_ratio(measured[index], machines.at(values));
    };
    model.rate_errors = [&](const Values& values) {
        std::vector<double> errors;
        for (const RateFigure& rate : measure_rates(machines.at(values))) {
            errors.push_back(rate.error());
        }
        return errors;
    };
    model.order = cheapest_first(measured);
    model.prior = [&](const Values& values) { return implausibility(axes, values); };
    return cross_validate(cases, axes, model, threads, progress, members);
}

}  // namespace okksim::sim::fidelity
