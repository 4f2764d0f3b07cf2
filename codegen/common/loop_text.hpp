// Loops over the elements of tensors that are broadcast together.
#pragma once
#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::codegen {

class LoopNest {
 public:
  // Loops over the elements of `dims`. Adjacent axes are merged if the strides of every operand
  // allow it.
  LoopNest(const Dims& dims, std::vector<Dims> operands);

  // outermost first, without axes of size 1
  const std::vector<int64_t>& sizes() const { return sizes_; }
  // The index of an operand's element: "i * 32 + j", "0".
  std::string index(size_t operand) const;
  static std::string variable(size_t axis);  // "i"

 private:
  void add_axis(int64_t size, const std::vector<int64_t>& steps);

  std::vector<int64_t> sizes_;
  std::vector<std::vector<int64_t>> steps_;  // per axis, per operand
};

}  // namespace mithril::codegen
