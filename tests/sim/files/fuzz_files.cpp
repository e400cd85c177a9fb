// SPDX-License-Identifier: Apache-2.0
// okksim_fuzz_files TARGET [seconds] [seed] [round]: damaged files for every reader except those of
// graphs (okksim_fuzz_tosa, okksim_fuzz_readers). Every file must give a result or a documented
// error, quickly and with little memory. Any other outcome ends the program with status 1 and
// prints the number of the round. Given that number, the program repeats the round alone. Without
// TARGET, it prints the names of the targets.
#include <cstdio>
#include <string>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "tests/sim/files/fuzz_target.h"
#include "tests/sim/graph/fuzz_watch.h"

namespace okksim::tests {
namespace {

/// Closing brackets for `count` pieces that open lists or objects; empty for other pieces.
std::string closing(std::string_view piece, std::int64_t count) {
    if (piece == "(") return std::string(static_cast<std::size_t>(count), ')');
    if (piece == "[") return std::string(static_cast<std::size_t>(count), ']');
    if (!piece.ends_with(":{")) return {};
    return std::string(static_cast<std::size_t>(count), '}');
}

/// Overwrites or inserts a few pieces; sometimes repeats one very often, for depth and length.
void insert_pieces(FileBytes& bytes, std::span<const std::string_view> pieces,
                   RandomSource& random) {
    constexpr std::int64_t kVeryOften = 20000;
    for (std::int64_t n = random.between(1, 4); n > 0; --n) {
        const std::string_view piece = random.element(pieces);
        std::string text(piece);
        const std::int64_t more = random.one_in(16) ? kVeryOften : 0;
        for (std::int64_t k = more; k > 0; --k) text += piece;
        // Closed again, so that a reader accepts the deep nesting.
        if (more > 0 && random.one_in(2)) text += closing(piece, more + 1);
        const auto at = random.below(static_cast<std::int64_t>(bytes.size()) + 1);
        const auto end = std::min(static_cast<std::int64_t>(bytes.size()), at + random.below(12));
        bytes.insert(bytes.erase(bytes.begin() + at, bytes.begin() + end), text.begin(),
                     text.end());
    }
}

struct Counts {
    unsigned long long refused = 0;
    unsigned long long accepted = 0;
};

void run_round(const FuzzTarget& target, const std::vector<FileBytes>& corpus, std::uint64_t seed,
               std::uint64_t number, Counts& counts) {
    RoundWatch watch(number);
    RandomSource random(seed * 1000003 + number);
    FileBytes bytes = random.element(corpus);
    if (target.pieces.empty() || random.one_in(2)) {
        damage_bytes(bytes, random.element(corpus), random);
    } else {
        insert_pieces(bytes, target.pieces, random);
    }
    const bool refused = refuses([&] { target.read(bytes); });
    ++(refused ? counts.refused : counts.accepted);
    watch.end();
}

int fuzz(const FuzzTarget& target, int argc, char** argv) {
    const std::string command = "okksim_fuzz_files " + std::string(target.name);
    const FuzzArguments arguments = begin_fuzzing(command.c_str(), argc, argv);
    const std::vector<FileBytes> corpus = target.corpus();
    for (const FileBytes& sound : corpus) {
        target.read(sound);  // an exception is a mistake of the corpus
    }
    Counts counts;
    const std::uint64_t rounds = run_rounds(arguments, [&](std::uint64_t number) {
        run_round(target, corpus, arguments.seed, number, counts);
    });
    std::printf("%s: %llu files: %llu refused, %llu accepted\n", command.c_str(),
                static_cast<unsigned long long>(rounds), counts.refused, counts.accepted);
    return 0;
}

}  // namespace
}  // namespace okksim::tests

int main(int argc, char** argv) {
    for (const okksim::tests::FuzzTarget& target : okksim::tests::fuzz_targets()) {
        if (argc > 1 && target.name == argv[1]) {
            return okksim::tests::fuzz(target, argc - 1, argv + 1);
        }
        if (argc < 2) std::printf("%s\n", std::string(target.name).c_str());
    }
    return argc < 2 ? 0 : 2;
}
