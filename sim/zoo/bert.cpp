// SPDX-License-Identifier: Apache-2.0
// A stack of BERT encoder layers with embeddings and a classifier of two classes.
#include <algorithm>
#include <cmath>

#include "isa/base/errors.h"
#include "sim/zoo/networks.h"
#include "sim/zoo/transformer_layers.h"

namespace okksim::sim::zoo {
namespace {

constexpr int kLayers = 4;
constexpr std::int64_t kTokens = 128;
constexpr std::int64_t kHidden = 256;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kMostTokens = 512;

/// Returns token vectors plus position vectors, normalised: [B,1,T,C].
Feature embeddings(NetworkBuilder& b, std::int64_t tokens) {
    const std::int64_t batch = b.options().batch, hidden = b.scaled(kHidden);
    const std::int64_t vocabulary = b.scaled(kVocabulary);
    const Feature ids = b.index_input("ids", {batch, tokens}, vocabulary);
    const TensorIndex flat =
        b.op(OpCode::kReshape, {ids.tensor, b.graph().shape_value({1, batch * tokens})},
             DType::kI32, {1, batch * tokens});
    Feature words = b.random_constant({1, vocabulary, hidden}, 1.0);
    words.shape = {1, batch * tokens, hidden};
    words.tensor = b.op(OpCode::kGather, {words.tensor, flat}, b.type(), words.shape);
    words = b.reshape(words, {batch, 1, tokens, hidden});
    return layer_norm(b, b.add(words, b.random_constant({1, 1, tokens, hidden}, 0.5)));
}

/// Reshapes [B,1,T,C] to [B * heads, T, C / heads], or with the last two axes exchanged.
Feature split_heads(NetworkBuilder& b, const Feature& x, bool exchanged) {
    const std::int64_t batch = x.shape[0], tokens = x.shape[2], depth = x.shape[3] / kHeads;
    const Feature split = b.reshape(x, {batch, tokens, kHeads, depth});
    const Feature turned = b.transpose(split, exchanged ? std::vector<std::int32_t>{0, 2, 3, 1}
                                                        : std::vector<std::int32_t>{0, 2, 1, 3});
    return b.reshape(turned, {batch * kHeads, turned.shape[2], turned.shape[3]});
}

Feature merge_heads(NetworkBuilder& b, const Feature& x, const Shape& shape) {
    const std::int64_t depth = shape[3] / kHeads;
    const Feature split = b.reshape(x, {shape[0], kHeads, shape[2], depth});
    return b.reshape(b.transpose(split, {0, 2, 1, 3}), shape);
}

Feature attention(NetworkBuilder& b, const Feature& x) {
    const std::int64_t hidden = x.shape[3];
    const std::int64_t values_per_head = hidden / kHeads;
    const auto depth = static_cast<double>(values_per_head);
    const auto tokens = static_cast<double>(x.shape[2]);
    // Scores have deviation 2, and values have no bias. Each token then attends to few others, so
    // tokens remain distinct through the layers, as in trained networks.
    const Feature queries = b.conv(x, {.channels = hidden, .spread = 2.0});
    const Feature keys = b.conv(x, {.channels = hidden});
    const Feature values = b.conv(x, {.channels = hidden, .bias = false});
    // A sum of `depth` products of independent numbers, divided by sqrt(depth).
    const Moments expected{0.0, queries.moments.square() * keys.moments.square()};
    const Feature scores = matmul(b, split_heads(b, queries, false), split_heads(b, keys, true),
                                  1.0 / std::sqrt(depth), expected);
    const Feature shares = softmax(b, scores);
    // The sum of squared shares for a log-normal distribution; it is smaller for few tokens.
    const Moments mean{0.0, std::min(0.5 * std::exp(expected.variance) / tokens, 0.5)};
    const Feature context = matmul(b, shares, split_heads(b, values, false), 1.0, mean);
    return b.conv(merge_heads(b, context, x.shape), {.channels = hidden, .spread = 0.5});
}

Feature encoder_layer(NetworkBuilder& b, const Feature& x) {
    const std::int64_t hidden = x.shape[3];
    const Feature y = layer_norm(b, b.add(x, attention(b, x)));
    const Feature inner = b.conv(y, {.channels = 4 * hidden, .activation = Activation::kGelu});
    return layer_norm(b, b.add(y, b.conv(inner, {.channels = hidden})));
}

}  // namespace

ZooModel build_bert(const ZooOptions& options) {
    NetworkBuilder b(options);
    const std::int64_t tokens = options.size > 0 ? options.size : kTokens;
    if (tokens > kMostTokens) throw ConfigError("size", "BERT takes at most 512 tokens");
    Feature x = embeddings(b, tokens);
    for (int i = 0; i < kLayers; ++i) x = encoder_layer(b, x);
    const std::int64_t hidden = x.shape[3];
    b.output(b.reshape(x, {options.batch, tokens, hidden}), "sequence");
    const Feature first = b.slice(x, {0, 0, 0, 0}, {options.batch, 1, 1, hidden});
    const Feature pooled = b.conv(first, {.channels = hidden, .activation = Activation::kTanh});
    const Feature classes = b.conv(pooled, {.channels = 2, .per_channel = false});
    b.output(b.reshape(classes, {options.batch, 2}), "logits");
    return b.finish();
}

}  // namespace okksim::sim::zoo
