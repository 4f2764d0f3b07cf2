#include "mithril/compile/agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "mithril/base/sha256.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/graph/graph_bytes.hpp"

namespace mithril {
namespace {

// FNV-1a over words of 8 bytes (http://www.isthe.com/chongo/tech/comp/fnv): any change of one word
// changes it. Each of several sums takes every eighth word, because the processor multiplies
// several at once; the result is the checksum of the sums and of the last words.
std::uint64_t checksum_of(const Tensor& tensor) {
  constexpr std::uint64_t start = 14695981039346656037U;
  const auto add = [](std::uint64_t& sum, std::uint64_t word) {
    sum = (sum ^ word) * 1099511628211U;
  };
  using Words = std::array<std::uint64_t, 8>;
  Words sums, words;
  sums.fill(start);
  const auto* bytes = static_cast<const std::byte*>(tensor.raw_data());
  const size_t end = tensor.bytes() / sizeof(Words) * sizeof(Words);
  for (size_t at = 0; at < end; at += sizeof(Words)) {
    std::memcpy(&words, bytes + at, sizeof(Words));
    for (size_t i = 0; i < words.size(); ++i) add(sums[i], words[i]);
  }
  words.fill(0);
  if (end < tensor.bytes()) std::memcpy(&words, bytes + end, tensor.bytes() - end);
  std::uint64_t sum = start;
  for (const Words& each : {sums, words}) {
    for (const std::uint64_t word : each) add(sum, word);
  }
  return sum;
}

std::string checksum_of(const Graph& graph) {
  const std::optional<GraphBytes> bytes = to_bytes(graph);
  const std::string text = bytes ? bytes->bytes : to_string(graph);
  return sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace

void agree_on_program(const CompiledState& compiled, const Graph& graph) {
  if (!is_distributed(compiled)) return;
  AgreementEntries entries = {{"version of Mithril", std::string(version())},
                              {"backend", std::string(compiled.backend->name())},
                              {"dtype", std::string(name(compiled.backend->default_dtype()))},
                              {"debug", compiled.debug ? "True" : "False"},
                              {"jit", compiled.load_options.jit ? "True" : "False"},
                              {"optimization_level", !compiled.load_options.fuse ? "none"
                                                     : compiled.load_options.max ? "max"
                                                                                 : "standard"},
                              {"bucket_bytes", std::to_string(compiled.bucket_bytes)},
                              {"optimizer_state", compiled.shard_memory ? "sharded" : "replicated"},
                              {"mesh", to_string(compiled.mesh)},
                              {"replicated_keys", join(compiled.replicated_keys, ", ")},
                              {"parameters", join(names_of(compiled.parameters), ", ")},
                              {"data", join(names_of(compiled.data), ", ")},
                              {"outputs", join(names_of(compiled.outputs), ", ")}};
  for (const auto& [key, shape] : compiled.shapes)
    entries.emplace_back("shape of " + in_quotes(key), to_string(shape));
  entries.emplace_back("graph", checksum_of(graph));
  agree(*compiled.group, "compile", entries);
}

void add_tensors(AgreementEntries& entries, const std::string& what, const TensorMap& tensors) {
  for (const auto& [key, tensor] : tensors) {
    const Tensor host = tensor.host();
    entries.emplace_back(what + " " + in_quotes(key),
                         fmt::format("{} {} with the checksum {:016x}", name(host.dtype()),
                                     to_string(host.dims()), checksum_of(host)));
  }
}

}  // namespace mithril
