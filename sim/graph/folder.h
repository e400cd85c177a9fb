// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace okksim::sim::graph {

/// Makes an output folder and its parents. OutputError if that fails.
void make_folder(const std::filesystem::path& folder);

/// The folders of a tree, each listed once.
struct FolderTree {
    std::vector<std::filesystem::path> folders;  ///< sorted, including the root
    /// Unreadable folders, dangling links, and links to a folder above the tree; sorted.
    std::vector<std::filesystem::path> unreadable;
};

/// Lists the folders of a tree. Links to folders are followed, but each folder is listed once, so
/// cycles of links end. A real folder is listed by its own path, not by a link's path. Errors in
/// the tree do not throw.
FolderTree walk_folders(const std::filesystem::path& root);

}  // namespace okksim::sim::graph
