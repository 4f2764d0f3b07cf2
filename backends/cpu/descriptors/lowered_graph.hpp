// A graph as a list of step descriptors and the storages of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// A piece of memory that one value was made in, and that views of it share.
struct Storage {
  ValueId made;
  std::optional<BufferRef> given = {};  // of an input or a constant
  int64_t bytes = 0;
  bool kept = false;                    // one of its values is an output
  std::optional<size_t> alias_of = {};  // the storage whose memory it shares
  int32_t first = 0, last = 0;          // the steps that make it and read it last
};

struct LoweredGraph {
  std::vector<StepDescriptor> steps;
  std::vector<Storage> storages;
  std::vector<size_t> storage_of;  // per value

  Storage& storage(ValueId id) { return storages[storage_of[index(id)]]; }
  const Storage& storage(ValueId id) const { return storages[storage_of[index(id)]]; }
  void add(Storage storage) {
    storage_of[index(storage.made)] = storages.size();
    storages.push_back(storage);
  }
};

}  // namespace mithril::cpu_backend
