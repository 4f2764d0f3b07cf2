// Step descriptors: the steps of a plan before memory planning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

struct ElementwiseProgram;

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

// A tensor of a collective, and its place in the bucket. The start of the collective reads `read`
// and writes `write`, which is in the bucket. The wait reads what the start has written.
struct BucketMember {
  ValueId read, write;
  int64_t offset, bytes;
};

// Elements of another value: the axes, outermost first, with their steps, and the first element.
struct StridedView {
  ValueId source;
  std::vector<Axis> axes;
  int64_t start = 0;
};

// A step that makes tiles, and can run part by part in a loop.
struct TiledRows {
  // As StepDescriptor::row_partitions. All parts need values with 1 part as a whole.
  std::vector<RowPartition> partitions = {};
  int64_t tiles = 0;  // whole tiles of rows; 0: the step only runs as a whole
};

struct StepDescriptor {
  std::vector<ValueId> reads, writes;
  std::vector<InPlacePair> in_place_pairs = {};
  // For a PartitionedStep: its outputs, and the inputs of which each part of the outputs reads only
  // the same part.
  std::vector<RowPartition> row_partitions = {};
  TiledRows tiled_rows = {};
  double useful_threads = 0;  // the number of threads that pays off; 0: not known
  // Null for an elementwise program, whose step is made when memory is planned.
  std::unique_ptr<Step> step = nullptr;
  std::vector<StepDescriptor> before = {};  // steps that run before this one
  bool takes_epilogue = false;              // `step` is a TiledStep
  // Whether the value may be at BufferRef::tile if only the epilogue reads it.
  bool makes_tiles = false;
  // The programs of an elementwise step, and of an epilogue; null: none.
  std::shared_ptr<const ElementwiseProgram> program = nullptr, epilogue = nullptr;
  std::optional<StridedView> copies = {};    // the step only copies these elements
  std::vector<StepDescriptor> members = {};  // of a GroupStep
  std::vector<size_t> nodes = {};            // the graph nodes that the step computes
  // The bucket of a collective, which written values may share, and also values that a start reads.
  std::vector<BucketMember> bucket = {};
  int64_t bucket_bytes = 0;  // of a start; 0: the step is a wait
  std::string kernel = {};   // its name for traces; empty: an elementwise program, or a group

  int64_t scratch_bytes() const { return step ? step->scratch_bytes() : 0; }
  bool keeps_scratch() const { return step && step->keeps_scratch(); }
};

}  // namespace mithril::cpu_backend
