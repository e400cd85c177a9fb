// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/line_source.h"

#include <fmt/format.h>
#include <lzma.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"

namespace okksim::sim::trace {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::size_t kLongestLine = kBlock;
/// Limit on decoder memory in bytes: 128 MiB; the largest preset of xz needs 65 MiB.
constexpr std::uint64_t kDecoderMemory = std::uint64_t{128} << 20;
constexpr std::array<unsigned char, 6> kXzMagic{0xFD, '7', 'z', 'X', 'Z', 0x00};

const char* meaning(lzma_ret result) {
    switch (result) {
        case LZMA_MEMLIMIT_ERROR: return "the compressed data need more than 128 MiB to unpack";
        case LZMA_BUF_ERROR: return "the compressed data are cut off";
        default: return "the compressed data are damaged";
    }
}

std::FILE* open_regular(const std::filesystem::path& path) {
    refuse_endless(path, "give the path of a file");
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) throw ConfigError(path.string(), "cannot be read");
    return file;
}

}  // namespace

/// Delivers the file's bytes after decompression.
class LineSource::Bytes {
 public:
    explicit Bytes(const std::filesystem::path& path) : file_(open_regular(path), &std::fclose) {
        fill();
        compressed_ = in_size_ >= kXzMagic.size() &&
                      std::memcmp(in_.data(), kXzMagic.data(), kXzMagic.size()) == 0;
        if (compressed_ &&
            lzma_stream_decoder(&stream_, kDecoderMemory, LZMA_CONCATENATED) != LZMA_OK) {
            throw std::bad_alloc();
        }
        stream_.next_in = in_.data();
        stream_.avail_in = in_size_;
    }
    ~Bytes() { lzma_end(&stream_); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    /// Appends up to one block. Returns false at the end; problem() tells why if the data are
    /// incomplete.
    bool append(std::string& text) {
        if (!compressed_) {
            if (in_size_ == 0) return false;
            text.append(reinterpret_cast<const char*>(in_.data()), in_size_);
            fill();
            return true;
        }
        if (ended_) return false;
        stream_.next_out = out_.data();
        stream_.avail_out = out_.size();
        while (stream_.avail_out == out_.size()) {
            if (stream_.avail_in == 0) {
                fill();
                stream_.next_in = in_.data();
                stream_.avail_in = in_size_;
            }
            const lzma_ret result = lzma_code(&stream_, in_size_ == 0 ? LZMA_FINISH : LZMA_RUN);
            if (result == LZMA_OK) continue;
            ended_ = true;
            if (result != LZMA_STREAM_END) problem_ = meaning(result);
            break;
        }
        const std::size_t size = out_.size() - stream_.avail_out;
        text.append(reinterpret_cast<const char*>(out_.data()), size);
        return size > 0;
    }
    /// The reason for a premature end, or nullptr.
    const char* problem() const { return problem_; }

 private:
    void fill() { in_size_ = std::fread(in_.data(), 1, in_.size(), file_.get()); }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    bool compressed_ = false;
    bool ended_ = false;
    const char* problem_ = nullptr;
    lzma_stream stream_ = LZMA_STREAM_INIT;
    std::array<unsigned char, kBlock> in_;
    std::array<unsigned char, kBlock> out_;
    std::size_t in_size_ = 0;
};

LineSource::LineSource(const std::filesystem::path& path)
    : path_(path), bytes_(std::make_unique<Bytes>(path)) {}
LineSource::~LineSource() = default;

std::string LineSource::where() const { return fmt::format("{}:{}", path_.string(), line_); }

std::optional<std::string_view> LineSource::next() {
    while (true) {
        const std::size_t end = text_.find('\n', at_);
        if (end != std::string::npos) {
            const std::string_view line(text_.data() + at_, end - at_);
            at_ = end + 1;
            ++line_;
            return line;
        }
        text_.erase(0, at_);
        at_ = 0;
        if (text_.size() > kLongestLine) {
            ++line_;
            throw ConfigError(where(),
                              fmt::format("the line is longer than {} characters", kLongestLine));
        }
        if (bytes_->append(text_)) continue;
        if (bytes_->problem() != nullptr) {
            ++line_;
            throw ConfigError(where(), fmt::format("{}; get the file again", bytes_->problem()));
        }
        if (text_.empty()) return std::nullopt;
        at_ = text_.size();
        ++line_;
        return std::string_view(text_);
    }
}

}  // namespace okksim::sim::trace
