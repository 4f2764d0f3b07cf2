#include "mithril/compile/agreement.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "mithril/backend/runs_on_gpu.hpp"
#include "mithril/base/checksum.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/graph/graph_bytes.hpp"

namespace mithril {
namespace {

std::string digest_of(const Graph& graph) {
  const std::optional<GraphBytes> bytes = to_bytes(graph);
  const std::string text = bytes ? std::string() : to_string(graph);
  const std::string_view written = bytes ? std::string_view(bytes->bytes) : text;
  return fmt::format("{:016x} of {} bytes", checksum_of(std::as_bytes(std::span(written))),
                     written.size());
}

// Without its number: "cuda".
std::string kind_of_device(const Backend& backend) {
  const std::string device = backend.default_device();
  return device.substr(0, device.find(':'));
}

}  // namespace

void check_gpus(const CompiledState& compiled) {
  if (!is_distributed(compiled) || compiled.group->shares_gpus()) return;
  const auto* const backend = dynamic_cast<const RunsOnGpu*>(compiled.backend.get());
  const std::optional<Gpu> gpu = backend ? backend->gpu() : std::nullopt;
  if (gpu) check_gpus(*compiled.group, *gpu);
}

void agree_on_program(const CompiledState& compiled, const Graph& graph) {
  if (!is_distributed(compiled)) return;
  AgreementEntries entries = {{"version of Mithril", std::string(version())},
                              {"backend", std::string(compiled.backend->name())},
                              {"device", kind_of_device(*compiled.backend)},
                              {"share_gpus", compiled.group->shares_gpus() ? "True" : "False"},
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
  entries.emplace_back("graph", digest_of(graph));
  agree(*compiled.group, "compile", entries);
}

void agree_on_graph(const CompiledState& compiled, const Graph& graph) {
  if (!is_distributed(compiled)) return;
  agree(*compiled.group, "compile", {{"graph", digest_of(graph)}});
}

void add_tensors(AgreementEntries& entries, const std::string& what, const TensorMap& tensors) {
  for (const auto& [key, tensor] : tensors) {
    const Tensor host = tensor.host();
    const std::span bytes(static_cast<const std::byte*>(host.raw_data()), host.bytes());
    entries.emplace_back(what + " " + in_quotes(key),
                         fmt::format("{} {} with the checksum {:016x}", name(host.dtype()),
                                     to_string(host.dims()), checksum_of(bytes)));
  }
}

}  // namespace mithril
