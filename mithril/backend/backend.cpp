#include "mithril/backend/backend.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

std::vector<std::string> missing_ops(const Graph& graph,
                                     const std::function<bool(const OpDef&)>& runs) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    const bool listed = std::find(names.begin(), names.end(), node.op->name) != names.end();
    if (!listed && !runs(*node.op)) names.push_back(node.op->name);
  }
  return names;
}

void Backend::check_ops(const Graph& graph) const {
  const std::vector<std::string> lacking = missing(graph);
  if (lacking.empty()) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1001",
         .message = "backend " + in_quotes(name()) + " cannot run the ops " + join(lacking, ", ")});
}

bool Backend::is_available(std::string_view device) const {
  const std::vector<std::string> known = devices();
  return std::find(known.begin(), known.end(), device) != known.end();
}

void Backend::check_device(const std::string& device) const {
  if (is_available(device)) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1005",
         .message = "there is no device " + in_quotes(device),
         .facts = {{"known", join(devices(), ", ")}}});
}

MemoryInfo Backend::memory_info(const std::string& device) {
  const std::string chosen = device.empty() ? default_device() : device;
  check_device(chosen);
  const HostMemory found = memory_at(chosen);
  MemoryInfo info{.device = chosen, .total = found.total, .free = found.free};
  BackendMemory* counted = chosen == default_device() ? memory() : nullptr;
  if (!counted) return info;
  const MemoryStats stats = counted->stats();
  info.allocated = stats.allocated;
  info.peak = stats.peak;
  info.limit = stats.limit;
  return info;
}

HostMemory Backend::memory_at(const std::string& device) const {
  return device == "cpu" ? host_memory() : HostMemory();
}

Tensor Backend::zeros(Dims dims, DType dtype) const {
  return adopt(Tensor::zeros(std::move(dims), dtype), false);
}

Tensor Backend::ones(Dims dims, DType dtype) const {
  return adopt(Tensor::ones(std::move(dims), dtype), false);
}

Tensor Backend::randn(Dims dims, std::uint64_t seed, DType dtype) const {
  return adopt(Tensor::randn(std::move(dims), seed, dtype), false);
}

Tensor Backend::to_device(const Tensor& tensor, const std::string& device) const {
  check_device(device);
  return moved(tensor, device);
}

Tensor Backend::moved(const Tensor& tensor, const std::string& device) const {
  MITHRIL_CHECK(device == "cpu", "a backend with devices of its own moves tensors to them");
  return tensor.host();
}

BackendMemory& memory_of(Backend& backend) {
  if (BackendMemory* memory = backend.memory()) return *memory;
  raise({.kind = ErrorKind::backend,
         .code = "E1020",
         .message = "backend " + in_quotes(backend.name()) + " does not count its memory"});
}

}  // namespace mithril
