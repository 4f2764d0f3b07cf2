// A graph as a list of step descriptors, and the storages of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// The buffer of one value, which views of the value share.
struct Storage {
  ValueId made;
  std::optional<BufferRef> given = {};  // of an input or a constant, and once memory is planned
  int64_t bytes = 0;
  bool kept = false;                    // an output of the graph is in it
  std::optional<size_t> alias_of = {};  // the storage whose buffer it takes over
  int64_t alias_offset = 0;             // in bytes, from the start of that storage
  int32_t first = 0, last = 0;          // the live range: the steps that write and read it
};

struct LoweredGraph {
  std::vector<StepDescriptor> steps;
  std::vector<Storage> storages;
  std::vector<size_t> storage_of;  // per value

  Storage& storage(ValueId id) { return storages[storage_of[index(id)]]; }
  const Storage& storage(ValueId id) const { return storages[storage_of[index(id)]]; }
  void add(Storage storage);
  // Sets `first` and `last` of all storages from what the steps read and write; both are 0 if no
  // step writes the storage.
  void find_live_ranges();
};

// The names of the nodes' ops, such as "conv2d+relu".
std::string joined_ops(const std::vector<size_t>& nodes, const ShapedGraph& shaped);
// A line for each step: the ops that it computes, what it reads and writes, its scratch memory.
std::string to_string(const LoweredGraph& lowered, const ShapedGraph& shaped);

}  // namespace mithril::cpu_backend
