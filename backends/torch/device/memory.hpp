// The memory of torch that a backend uses.
//
// On the CPU torch's allocator is wrapped once in a process. It records the addresses that a
// counted thread allocates, and counts each until any thread frees it. Every allocation is known in
// advance. The slot for memory reports of torch.profiler stays free, because torch treats its owner
// as its profiler.
// On a GPU the allocator cannot be wrapped, so the slot is used if it is free: allocations are
// known afterwards, and memory that outlives a run is checked again later.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/torch/device/settings.hpp"
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
  const std::shared_ptr<Meter>& meter() const { return meter_; }

 private:
  friend class MemoryScope;
  const std::string device_;
  const bool release_unused_;
  const std::shared_ptr<Meter> meter_;
};

// During its lifetime, torch's allocations in this thread are counted. Those of a library's
// workspace, which stay with torch, are made before.
class MemoryScope {
 public:
  explicit MemoryScope(TorchMemory& memory);
  ~MemoryScope();

  // The tensors that outlive the scope. On the CPU this is known without the call.
  void keep(std::span<const at::Tensor> made);
  // OutOfMemoryError E1101 if more was allocated than the limit allows.
  void check(const std::string& path, const std::string& op) const {
    if (reports_ && scope_.refusal()) out_of_memory(*scope_.refusal(), path, op);
  }
  const std::optional<MemoryRefusal>& refusal() const { return scope_.refusal(); }
  // Ends counting. Rethrows the exceptions of hooks.
  void finish();

 private:
  struct Reports;
  void leave();
  TorchMemory& memory_;
  MeterScope scope_;
  std::unique_ptr<Reports> reports_;  // null on the CPU
};

}  // namespace mithril::torch_backend
