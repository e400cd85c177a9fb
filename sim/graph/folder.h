// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace okksim::sim::graph {

/// Makes a folder for output, and those above it. OutputError when it cannot be made.
void make_folder(const std::filesystem::path& folder);

/// The folders of a tree, each once.
struct FolderTree {
    std::vector<std::filesystem::path> folders;  ///< sorted; the root is one
    /// Folders that cannot be listed, links that lead nowhere or to a folder above the tree;
    /// sorted.
    std::vector<std::filesystem::path> unreadable;
};

/// Looks through a tree. Links to folders are followed, but no folder is listed twice, so that
/// links in a circle end; one that is there itself comes under its own name, not a link's. Never
/// throws on account of the tree.
FolderTree walk_folders(const std::filesystem::path& root);

}  // namespace okksim::sim::graph
