// Memory of what runs give, kept for later runs once nobody holds it.
#pragma once

#include <cstdint>
#include <memory>

#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// A process gets large pieces of memory page by page, each of which costs when it is first written
// to. So they come back here, as long as no more is kept and lent together than was lent at once.
// Any number of threads may take, and let go.
class ResultMemory {
 public:
  ResultMemory();

  // Its elements are not initialised. It may outlive this.
  Tensor take(DType dtype, const Dims& dims) const;

 private:
  class Pieces;
  std::shared_ptr<Pieces> pieces_;
};

}  // namespace mithril::cpu_backend
