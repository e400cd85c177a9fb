// SPDX-License-Identifier: Apache-2.0
#include "models/common/lane_pool.h"

#include <xmmintrin.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace okksim::models {
namespace {

// Below this much work a hand-over to another thread costs more than it saves.
constexpr double kMinimumParallelNanoseconds = 20000.0;

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;
constexpr unsigned kAllExceptionsMasked = 0x1F80;

}  // namespace

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
    _mm_setcsr(kAllExceptionsMasked | kFlushToZero | kDenormalsAreZero);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }

struct LanePool::Impl {
    std::vector<std::thread> workers;
    std::mutex mutex;
    std::condition_variable work_ready;
    std::condition_variable work_done;
    const std::function<void(std::int64_t, std::int64_t)>* body = nullptr;
    std::int64_t count = 0;
    std::uint64_t generation = 0;
    int running = 0;
    bool stopping = false;
    std::exception_ptr error;

    void run_share(int share, int shares) {
        const std::int64_t begin = count * share / shares;
        const std::int64_t end = count * (share + 1) / shares;
        if (begin == end) return;
        try {
            (*body)(begin, end);
        } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
        }
    }

    void worker(int share) {
        std::uint64_t seen = 0;
        while (true) {
            std::unique_lock lock(mutex);
            work_ready.wait(lock, [&] { return stopping || generation != seen; });
            if (stopping) return;
            seen = generation;
            lock.unlock();
            run_share(share, static_cast<int>(workers.size()) + 1);
            lock.lock();
            if (--running == 0) work_done.notify_one();
        }
    }
};

LanePool::LanePool(int threads) : impl_(std::make_unique<Impl>()) {
    for (int share = 1; share < threads; ++share) {
        impl_->workers.emplace_back([this, share] { impl_->worker(share); });
    }
}

LanePool::~LanePool() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->work_ready.notify_all();
    for (std::thread& worker : impl_->workers) worker.join();
}

int LanePool::threads() const { return static_cast<int>(impl_->workers.size()) + 1; }

void LanePool::parallel_for(std::int64_t count, double cost_per_item,
                            const std::function<void(std::int64_t, std::int64_t)>& body) {
    Impl& impl = *impl_;
    if (impl.workers.empty() ||
        static_cast<double>(count) * cost_per_item < kMinimumParallelNanoseconds) {
        body(0, count);
        return;
    }
    {
        const std::lock_guard lock(impl.mutex);
        impl.body = &body;
        impl.count = count;
        impl.error = nullptr;
        impl.running = static_cast<int>(impl.workers.size());
        ++impl.generation;
    }
    impl.work_ready.notify_all();
    impl.run_share(0, static_cast<int>(impl.workers.size()) + 1);
    std::unique_lock lock(impl.mutex);
    impl.work_done.wait(lock, [&] { return impl.running == 0; });
    if (impl.error) std::rethrow_exception(impl.error);
}

}  // namespace okksim::models
