// Executables that write the results of donated inputs into tensors of their library.
#pragma once

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// A second base of an Executable. The core cannot write to tensors of other libraries.
class UpdatesInPlace {
 public:
  virtual ~UpdatesInPlace() = default;
  // Whether a donated input like this one holds its new value after a run.
  virtual bool updates(const Tensor& input) const = 0;
};

}  // namespace mithril
