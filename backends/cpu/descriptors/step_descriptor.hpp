// Steps before it is known where their values stand.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// Where each value stands; only those that steps read or write.
using BufferRefs = std::vector<BufferRef>;

// What is written where something of the same size stood, which is read before and never after.
struct InPlacePair {
  ValueId write, read;
};

// A value that is cut into so many equal parts, one behind the other, or fewer by a whole factor.
struct Cut {
  ValueId value;
  int64_t parts;
};

// An output that may be made in the place of an input, whose elements nobody wants afterwards.
struct DonatedBuffer {
  ValueId made, given;
};

struct StepDescriptor {
  std::vector<ValueId> reads, writes;
  std::vector<InPlacePair> in_place_pairs = {};  // that are possible
  int64_t scratch_bytes = 0;                     // that it works in
  // Where it treats parts on their own: what it makes, and those that it reads of which each part
  // meets the same part of all others. It makes a PartStep then.
  std::vector<Cut> cuts = {};
  double worth = 0;  // so many threads, where there are cuts
  // `refs` are indexed by ValueId.
  std::function<std::unique_ptr<Step>(const BufferRefs& refs, BufferRef scratch)> make;
  std::vector<StepDescriptor> before = {};  // steps that come before this one
  // Where it makes one value part by part: the same with what is done with each part then.
  std::function<std::unique_ptr<Step>(const BufferRefs& refs, BufferRef scratch,
                                      std::unique_ptr<ElementStep> finish)>
      make_finished = {};
  // Whether the value may then stand at BufferRef::tile, for nobody but `finish` to read.
  bool makes_tiles = false;
};

}  // namespace mithril::cpu_backend
