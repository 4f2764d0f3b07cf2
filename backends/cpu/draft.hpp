// Steps before it is known where their values stand.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/step.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// The graph with the sizes of one plan.
class Sized {
 public:
  Sized(const Graph& graph, const Plan& plan);

  const Graph& graph() const { return graph_; }
  const Node& node(size_t i) const { return graph_.nodes()[i]; }
  const PlannedNode& planned(size_t i) const { return plan_.nodes[i]; }
  size_t node_count() const { return plan_.nodes.size(); }
  const Dims& dims(ValueId id) const { return *dims_[index(id)]; }
  DType dtype(ValueId id) const { return graph_.value(id).dtype; }
  int64_t count(ValueId id) const { return counts_[index(id)]; }  // of elements
  int64_t bytes(ValueId id) const;
  // Whether the channels of a value [N, C, H, W] stand in blocks: see channel_blocks.hpp.
  bool is_in_blocks(ValueId id) const { return !in_blocks_.empty() && in_blocks_[index(id)]; }
  int64_t channels_of_block() const { return channels_of_block_; }
  void put_in_blocks(std::vector<bool> values, int64_t channels) {
    in_blocks_ = std::move(values);
    channels_of_block_ = channels;
  }

 private:
  void know(ValueId id, const Dims& dims) { dims_[index(id)] = &dims; }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<const Dims*> dims_;
  std::vector<int64_t> counts_;
  std::vector<bool> in_blocks_;  // per value; empty: none
  int64_t channels_of_block_ = 1;
};

// Where each value stands; only those that steps read or write.
using Places = std::vector<Place>;

// What is written where something of the same size stood, which is read before and never after.
struct Overwrite {
  ValueId write, read;
};

// A value that is cut into so many equal parts, one behind the other, or fewer by a whole factor.
struct Cut {
  ValueId value;
  int64_t parts;
};

// An output that may be made in the place of an input, whose elements nobody wants afterwards.
struct Donated {
  ValueId made, given;
};

struct Draft {
  std::vector<ValueId> reads, writes;
  std::vector<Overwrite> overwrites = {};  // that are possible
  int64_t scratch_bytes = 0;               // that it works in
  // Where it treats parts on their own: what it makes, and those that it reads of which each part
  // meets the same part of all others. It makes a PartStep then.
  std::vector<Cut> cuts = {};
  double worth = 0;  // so many threads, where there are cuts
  // `places` are indexed by ValueId.
  std::function<std::unique_ptr<Step>(const Places& places, Place scratch)> make;
  std::vector<Draft> before = {};  // steps that come before this one
  // Where it makes one value part by part: the same with what is done with each part then.
  std::function<std::unique_ptr<Step>(const Places& places, Place scratch,
                                      std::unique_ptr<ElementStep> finish)>
      make_finished = {};
  // Whether the value may then stand at Place::tile, for nobody but `finish` to read.
  bool makes_tiles = false;
};

}  // namespace mithril::cpu_backend
