// The memory that torch allocates: on the CPU through its allocator, on a GPU through its reports.
#include "backends/torch/device/memory.hpp"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <malloc.h>

#include <cstring>
#include <unordered_map>

#include "backends/torch/device/cuda_library.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/backend/counted_blocks.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {

namespace {

// Never removed. All blocks share its deleter, and the context of a block is its address, because
// oneDNN's scratch memory relies on this.
class CountingAllocator final : public c10::Allocator {
 public:
  static void install() {
    static const bool installed = [] {
      auto* counting = new CountingAllocator();
      free_ = counting->torchs_->raw_deleter();
      c10::SetCPUAllocator(counting);
      return c10::GetCPUAllocator() == counting;
    }();
    MITHRIL_CHECK(installed, "another library keeps torch's allocator for itself");
  }

  c10::DataPtr allocate(size_t bytes) override {
    MeterScope* scope = MeterScope::current();
    if (!scope || bytes == 0) return torchs_->allocate(bytes);
    const auto size = static_cast<int64_t>(bytes);
    if (!scope->take(cpu, size)) {
      C10_THROW_ERROR(OutOfMemoryError, "more memory is needed than memory_limit allows");
    }
    Reserve* reserve = scope->meter()->reserve();
    if (void* part = reserve ? reserve->take(bytes) : nullptr) {
      remember_block(part, {scope->meter(), size, reserve});
      return {part, part, free, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DataPtr block = allocated(*scope, size);
    void* address = block.release_context();
    remember_block(address, {scope->meter(), size});
    return {address, address, free, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return free; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    torchs_->copy_data(to, from, bytes);
  }

 private:
  static constexpr const char* cpu = "cpu";

  c10::DataPtr allocated(MeterScope& scope, int64_t bytes) {
    try {
      return torchs_->allocate(static_cast<size_t>(bytes));
    } catch (const c10::Error& error) {
      scope.fail(cpu, bytes);
      C10_THROW_ERROR(OutOfMemoryError, error.what_without_backtrace());
    }
  }

  static void free(void* address) {
    if (!forget_block(address, cpu)) free_(address);
  }

  c10::Allocator* const torchs_ = c10::GetCPUAllocator();
  static inline c10::DeleterFnPtr free_ = nullptr;
};

}  // namespace

// Called under the allocator's lock, so it must not throw. `check` finds memory above the limit.
struct MemoryScope::Reports {
  class Listener final : public c10::MemoryReportingInfoBase {
   public:
    void reportMemoryUsage(void* address, int64_t bytes, size_t, size_t,
                           c10::Device device) override {
      MeterScope* scope = MeterScope::current();
      if (!scope || device.is_cpu()) return;
      const std::string name = device.str();
      if (bytes > 0) {
        scope->add(name.c_str(), bytes);
        blocks.insert_or_assign(address, Block{name, bytes});
      } else if (const auto at = blocks.find(address); at != blocks.end()) {
        scope->give(name.c_str(), at->second.bytes);
        blocks.erase(at);
      }
    }
    // The allocator of the CPU would search for addresses that it does not know.
    bool memoryProfilingEnabled() const override { return false; }

    struct Block {
      std::string device;
      int64_t bytes;
    };
    std::unordered_map<const void*, Block> blocks;  // allocated in this scope and not freed
  };

  static inline const c10::DebugInfoKind slot = c10::DebugInfoKind::PROFILER_STATE;

  static bool is_free() {
    const c10::DebugInfoBase* there = c10::ThreadLocalDebugInfo::get(slot);
    return !there || dynamic_cast<const Listener*>(there);
  }

  const std::shared_ptr<Listener> listener = std::make_shared<Listener>();
  const c10::DebugInfoGuard guard{slot, listener};
};

MemoryScope::MemoryScope(TorchMemory& memory) : memory_(memory), scope_(memory.meter_.get()) {
  const bool is_limited = memory.meter_->limit().has_value();
  if (is_limited && memory.device_.starts_with("cuda")) {
    const MeterScope unmetered(nullptr);
    allocate_workspaces(c10::Device(memory.device_));
  }
  if (memory.device_ != "cpu" && Reports::is_free()) reports_ = std::make_unique<Reports>();
  memory.meter_->sweep();
}

MemoryScope::~MemoryScope() { leave(); }

void MemoryScope::keep(std::span<const at::Tensor> made) {
  if (!reports_) return;
  auto& blocks = reports_->listener->blocks;
  for (const at::Tensor& tensor : made) {
    if (!tensor.defined() || !tensor.has_storage()) continue;
    const auto at = blocks.find(tensor.storage().data());
    if (at == blocks.end()) continue;
    const auto is_gone = [storage = tensor.storage().getWeakStorageImpl()] {
      return storage.expired();
    };
    memory_.meter_->watch({is_gone, at->second.device, at->second.bytes});
    blocks.erase(at);
  }
}

// Blocks without an owner, such as the workspace of a library, belong to torch from now on.
void MemoryScope::leave() {
  if (!reports_) return;
  for (const auto& [address, block] : reports_->listener->blocks) {
    scope_.give(block.device.c_str(), block.bytes);
  }
  reports_.reset();
}

void MemoryScope::finish() {
  leave();
  if (memory_.release_unused_) memory_.clear_cache();
  scope_.finish();
}

namespace {

c10::DeviceAllocator* caching_allocator(const std::string& device) {
  if (!device.starts_with("cuda")) return nullptr;
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(c10::Device(device).type());
  return allocator->initialized() ? allocator : nullptr;
}

// On a GPU torch's cache keeps the memory, and allocates parts of it.
std::unique_ptr<Reserve> preallocated(const Settings& settings) {
  if (!settings.preallocate) return nullptr;
  const int64_t bytes = *settings.memory_limit;
  const MeterScope unmetered(nullptr);
  try {
    if (settings.device != "cpu") {
      at::empty({bytes}, at::TensorOptions(c10::kByte).device(c10::Device(settings.device)));
      return nullptr;
    }
    c10::DataPtr block = c10::GetCPUAllocator()->allocate(static_cast<size_t>(bytes));
    // The system provides a page at the first write.
    std::memset(block.get(), 0, static_cast<size_t>(bytes));
    const c10::DeleterFnPtr free = block.get_deleter();
    return std::make_unique<Reserve>(block.release_context(), static_cast<size_t>(bytes), free);
  } catch (const c10::Error&) {
    out_of_memory({bytes, 0}, "", "");
  }
}

std::shared_ptr<Meter> make_meter(const Settings& settings) {
  CountingAllocator::install();
  return Meter::make(settings.memory_limit, preallocated(settings));
}

}  // namespace

TorchMemory::TorchMemory(const Settings& settings)
    : device_(settings.device),
      release_unused_(settings.release_unused),
      meter_(make_meter(settings)) {}

MemoryStats TorchMemory::stats() const {
  meter_->sweep();
  MemoryStats stats{
      .allocated = meter_->allocated(), .peak = meter_->peak(), .limit = meter_->limit()};
  if (c10::DeviceAllocator* allocator = caching_allocator(device_)) {
    const auto all = allocator->getDeviceStats(c10::Device(device_).index());
    stats.cached = all.reserved_bytes[0].current - all.allocated_bytes[0].current;
  } else if (const Reserve* reserve = meter_->reserve()) {
    stats.cached = static_cast<int64_t>(reserve->left());
  }
  return stats;
}

MemoryHookHandle TorchMemory::add_hook(MemoryHook hook) {
  return meter_->add_hook(std::move(hook));
}

// Clears the cache of the device. On the CPU, returns freed memory that the C library keeps.
void TorchMemory::clear_cache() {
  if (c10::DeviceAllocator* allocator = caching_allocator(device_)) return allocator->emptyCache();
  malloc_trim(0);
}

std::vector<Tensor> TorchMemory::count(const std::function<std::vector<Tensor>()>& body) {
  MemoryScope scope(*this);
  std::vector<Tensor> made;
  try {
    made = body();
  } catch (const Error&) {
    throw;
  } catch (...) {
    if (scope.refusal()) out_of_memory(*scope.refusal(), "", "");
    throw;
  }
  scope.check("", "");
  for (const Tensor& tensor : made) {
    if (is_torch(tensor))
      scope.keep({static_cast<const at::Tensor*>(tensor.foreign()->object()), 1});
  }
  scope.finish();
  return made;
}

}  // namespace mithril::torch_backend
