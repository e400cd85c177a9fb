// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/folder.h"

#include <algorithm>
#include <deque>
#include <set>

#include "isa/base/output_file.h"

namespace okksim::sim::graph {
namespace {

namespace fs = std::filesystem;

/// Lists folders. Real folders are listed before links are followed.
class Walk {
 public:
    FolderTree below(const fs::path& root) {
        std::error_code unknown;
        root_ = fs::canonical(root, unknown);
        list(root);
        while (!links_.empty()) {
            const fs::path link = links_.front();
            links_.pop_front();
            std::error_code error;
            const fs::file_status target = fs::status(link, error);
            if (fs::is_directory(target) && !leads_above(link)) {
                list(link);
            } else if (fs::is_directory(target) || !fs::exists(target)) {
                tree_.unreadable.push_back(link);
            }
        }
        std::sort(tree_.folders.begin(), tree_.folders.end());
        std::sort(tree_.unreadable.begin(), tree_.unreadable.end());
        return std::move(tree_);
    }

 private:
    /// True if the link leads to a folder that contains the tree. Following it would list unrelated
    /// files.
    bool leads_above(const fs::path& link) const {
        std::error_code unknown;
        const fs::path place = fs::canonical(link, unknown);
        return std::ranges::mismatch(place, root_).in1 == place.end() && place != root_;
    }

    void list(const fs::path& root) {
        std::deque<fs::path> folders{root};
        while (!folders.empty()) {
            const fs::path folder = folders.front();
            folders.pop_front();
            std::error_code error;
            const fs::path place = fs::canonical(folder, error);
            if (!error && !seen_.insert(place).second) continue;
            fs::directory_iterator entry;
            if (!error) entry = fs::directory_iterator(folder, error);
            if (error) {
                tree_.unreadable.push_back(folder);
                continue;
            }
            tree_.folders.push_back(folder);
            std::vector<fs::path> links;
            for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
                std::error_code unknown;  // an entry with an error is neither
                const fs::file_status status = entry->symlink_status(unknown);
                if (fs::is_directory(status)) folders.push_back(entry->path());
                if (fs::is_symlink(status)) links.push_back(entry->path());
            }
            std::sort(links.begin(), links.end());
            links_.insert(links_.end(), links.begin(), links.end());
        }
    }

    FolderTree tree_;
    fs::path root_;
    std::set<fs::path> seen_;
    std::deque<fs::path> links_;
};

}  // namespace

FolderTree walk_folders(const std::filesystem::path& root) { return Walk().below(root); }

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw OutputError(folder.string(), "is no folder and cannot be made: " + error.message());
    }
}

}  // namespace okksim::sim::graph
