// Generates text with a language model, token by token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mithril/compile/compiled_model.hpp"

namespace mithril {

using Tokens = std::vector<std::int64_t>;

struct GenerateOptions {
  std::int64_t max_tokens = 128;  // for each prompt
  double temperature = 0;         // 0: the most probable token; otherwise logits are divided by it
  std::int64_t top_k = 0;         // draw from the most probable tokens; 0: from all
  // Draw from the fewest most probable tokens whose total probability reaches this number.
  double top_p = 1;
  std::uint64_t seed = 0;
  Tokens stop = {};  // tokens that end a text; they are not part of the result
  // Called with each new token and the index of its prompt.
  std::function<void(std::size_t prompt, std::int64_t token)> stream = nullptr;

  void check() const;  // ValueError E0406 for an option out of range
};

// The tokens that continue each prompt. The model has the input input_ids [N, L] (int) and the
// output logits [N, any, V], whose last row belongs to the token after the last one. If prompts
// have different lengths, it also needs the input attention_mask [N, L] (bool): shorter prompts are
// padded on the left. A model with a cache has the state of CachePositions (docs/generation.md): it
// evaluates each token once, and writes the cache in place. A model without a cache evaluates the
// whole text for each token. The model is evaluated in inference mode. The tokens that are drawn
// for a prompt do not depend on the other prompts. InputError E0850 for a model of other keys,
// E0851 for an empty prompt, E0852 for a token out of range, E0853 for a text that is longer than
// the cache, E0854 for prompts of different lengths without attention_mask; ValueError E0417 for
// logits that are not numbers. Example:
//   ml::Tokens answer = ml::generate(compiled, params, prompt, {.max_tokens = 20});
std::vector<Tokens> generate(const CompiledModel& model, const TensorMap& params,
                             const std::vector<Tokens>& prompts,
                             const GenerateOptions& options = {});
Tokens generate(const CompiledModel& model, const TensorMap& params, const Tokens& prompt,
                const GenerateOptions& options = {});

}  // namespace mithril
