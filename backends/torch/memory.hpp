// The memory of torch that a backend uses.
//
// On the CPU torch's allocator is wrapped, once in a process: what is taken by a thread that counts
// is remembered by its address, so that it counts until it is given back, by whichever thread. That
// knows every byte before it is taken. torch.profiler's slot for reports of memory is left to it:
// torch takes whoever holds it for its own profiler.
// On a GPU the allocator cannot be wrapped, and that slot is used where it is free: what is taken
// is known once it is there, and what outlives a run is looked at again later.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/torch/settings.hpp"
#include "mithril/backend/meter.hpp"

namespace at {
class Tensor;
}

namespace mithril::torch_backend {

class TorchMemory final : public BackendMemory {
 public:
  explicit TorchMemory(const Settings& settings);

  MemoryStats stats() const override;
  MemoryHookHandle add_hook(MemoryHook hook) override;
  void clear_cache() override;
  std::vector<Tensor> count(const std::function<std::vector<Tensor>()>& body) override;

 private:
  friend class MemoryScope;
  const std::string device_;
  const bool release_unused_;
  const std::shared_ptr<Meter> meter_;
};

// While it lives, what torch takes in this thread counts.
class MemoryScope {
 public:
  explicit MemoryScope(TorchMemory& memory);
  ~MemoryScope();

  // What stays after the scope. On the CPU that is known anyway.
  void keep(std::span<const at::Tensor> made);
  // OutOfMemoryError E1101 where more was taken than the limit allows.
  void check(const std::string& path, const std::string& op) const {
    if (reports_ && scope_.refusal()) out_of_memory(*scope_.refusal(), path, op);
  }
  const std::optional<MemoryRefusal>& refusal() const { return scope_.refusal(); }
  // Ends counting; what a hook throws comes out here.
  void finish();

 private:
  struct Reports;
  void leave();
  TorchMemory& memory_;
  MeterScope scope_;
  std::unique_ptr<Reports> reports_;  // null on the CPU
};

}  // namespace mithril::torch_backend
