// Loops over the elements of tensors that are broadcast together.
#pragma once
#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::codegen {

class LoopNest {
 public:
  // Over the elements of `dims`; neighbouring axes are one where every operand can walk them so.
  LoopNest(const Dims& dims, std::vector<Dims> operands);

  const std::vector<int64_t>& sizes() const { return sizes_; }  // outermost first; 1 is left out
  // The index of an operand's element: "i * 32 + j", "0".
  std::string index(size_t operand) const;
  static std::string variable(size_t axis);  // "i"

 private:
  void add_axis(int64_t size, const std::vector<int64_t>& steps);

  std::vector<int64_t> sizes_;
  std::vector<std::vector<int64_t>> steps_;  // per axis, per operand
};

}  // namespace mithril::codegen
