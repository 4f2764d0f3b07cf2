// Limits on what the import computes from constants: a small file may name large sizes.
#pragma once
#include <cstdint>

#include "mithril/graph/graph.hpp"

namespace mithril::onnx {

struct Work {
  double bytes = 0;  // of all values, although not all live at the same time
  double operations = 0;
};

// What the reference implementation of the ops does to run the graph. Infinite if a value has more
// than a gigabyte.
Work work_of(const Graph& graph);

// The bytes of the outputs of the graph.
Work work_of_outputs(const Graph& graph);

// What nodes may still compute.
class FoldRoom {
 public:
  FoldRoom(std::int64_t bytes, std::int64_t operations) : bytes_(bytes), operations_(operations) {}

  void add(std::int64_t amount) {
    bytes_ += amount;
    operations_ += amount;
  }
  // Takes the work from what is left. Returns false, and takes nothing, if there is not enough.
  bool take(const Work& work);

 private:
  std::int64_t bytes_, operations_;
};

}  // namespace mithril::onnx
