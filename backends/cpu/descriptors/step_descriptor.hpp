// Step descriptors: the steps of a plan before memory planning. A graph as a list of them, and the
// storages of its values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/runtime/step.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

struct ElementwiseProgram;

// The buffer of each value that a step reads or writes, by ValueId.
using BufferRefs = std::vector<BufferRef>;

// The step may write `write` into the buffer of `read`: it reads each element before it writes it.
struct InPlacePair {
  ValueId write, read;
};

// A value can be split into this many equal, consecutive parts, or into any divisor of it.
struct RowPartition {
  ValueId value;
  int64_t parts;
};

// An output that may be written into the buffer of an input that the caller donates.
struct DonatedBuffer {
  ValueId made, given;
};

struct StepDescriptor {
  std::vector<ValueId> reads, writes;
  std::vector<InPlacePair> in_place_pairs = {};
  int64_t scratch_bytes = 0;
  // For a step that can run part by part: its outputs, and the inputs of which each part of the
  // outputs reads only the same part. `make` then returns a PartitionedStep.
  std::vector<RowPartition> row_partitions = {};
  double useful_threads = 0;  // the number of threads that pays off, if there are row partitions
  std::function<std::unique_ptr<Step>(const BufferRefs& refs, BufferRef scratch)> make = {};
  std::vector<StepDescriptor> before = {};  // steps that run before this one
  // For a step that writes one value tile by tile: makes the step with an epilogue that runs on
  // each tile.
  std::function<std::unique_ptr<Step>(const BufferRefs& refs, BufferRef scratch,
                                      std::unique_ptr<ElementStep> epilogue)>
      make_with_epilogue = {};
  // Whether the value may be at BufferRef::tile if only the epilogue reads it.
  bool makes_tiles = false;
  // The program of an elementwise step; null: another step.
  std::shared_ptr<const ElementwiseProgram> program = nullptr;
  std::vector<size_t> nodes = {};  // the graph nodes that the step computes
};

// Runs the `eval` of the node's op. The graph and the plan of `shaped` must outlive the steps of
// all functions here.
StepDescriptor evaluated(const ShapedGraph& shaped, size_t node);
// Copies the elements of the node's first tensor argument to its output, in the same order.
StepDescriptor copied(const ShapedGraph& shaped, size_t node);
// Passes a copy of each output of the node to the observer, and writes the tensor that the observer
// returns to the output.
StepDescriptor observed(const ShapedGraph& shaped, size_t node, const Observer& observer);

// The buffer of one value, which views of the value share.
struct Storage {
  ValueId made;
  std::optional<BufferRef> given = {};  // of an input or a constant, and once memory is planned
  int64_t bytes = 0;
  bool kept = false;                    // an output of the graph is in it
  std::optional<size_t> alias_of = {};  // the storage whose buffer it takes over
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
  // Removes steps that a pass left without `make`.
  void remove_empty_steps();
};

// A line for each step: the ops that it computes, what it reads and writes, its scratch memory.
std::string to_string(const LoweredGraph& lowered, const ShapedGraph& shaped);

}  // namespace mithril::cpu_backend
