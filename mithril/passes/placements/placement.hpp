// What the processes of a group hold of a value, and of the inputs of a graph.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

struct Placement {
  enum class Kind : uint8_t {
    replicated,  // each process holds all of it
    sharded,     // each holds rows, along `axis`, which has outer * rows * inner elements
    partial,     // each holds a part; the parts of all processes are combined by `reduction`
  };
  Kind kind = Kind::replicated;
  size_t axis = 0;
  int64_t outer = 1;
  bool numbers = false;  // its elements are the numbers of the process's rows, from 0 on
  Reduction reduction = Reduction::sum;

  static Placement sharded(size_t axis, int64_t outer = 1, bool numbers = false) {
    return {Kind::sharded, axis, outer, numbers};
  }
  static Placement partial(Reduction reduction = Reduction::sum) {
    return {Kind::partial, 0, 1, false, reduction};
  }
  bool is_sharded() const { return kind == Kind::sharded; }
  bool is_partial() const { return kind == Kind::partial; }
  bool operator==(const Placement&) const = default;
};

// "replicated", "sharded along axis 0", "partial sum"
std::string to_string(const Placement& placement);

struct PlacementOptions {
  std::string group = {};  // the name of the communicator
  int rank = 0, size = 1;  // of this process; of the group
  // Per input of the graph, whether a process gets rows of it: data, sharded along the first axis.
  // Missing entries at the end are false. An input with an axis of as many rows is sharded, too.
  std::vector<bool> sharded_inputs = {};
  std::vector<bool> partial_inputs = {};   // per input: it holds a term of a sum over the processes
  std::vector<bool> partial_outputs = {};  // per output: it stays such a term
  int64_t bucket_bytes = int64_t{25} << 20;
};

}  // namespace mithril
