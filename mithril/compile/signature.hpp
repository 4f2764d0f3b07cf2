// The inputs of a compiled graph, and the checks of a user's tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/infer/size_program.hpp"

namespace mithril {

// Immutable: does not read facts, so threads may use it while others compile.
class Signature {
 public:
  // `labels`: the names of inputs in messages ("'image'"), in the order of graph.inputs().
  // `size_advice`: the help of errors about sizes that are numbers.
  Signature(const Graph& graph, std::vector<std::string> labels, std::string size_advice = "");

  size_t size() const { return entries_.size(); }
  DType dtype(size_t i) const { return entries_[i].dtype; }
  const std::string& dims_text(size_t i) const { return entries_[i].text; }

  // The tensor in the width of the graph's input; integers that are 0 or 1 as bools. InputError
  // E0805 for another kind, and for integers that do not fit, which a GPU's are not checked for.
  Tensor convert(size_t i, const Tensor& tensor) const {
    return tensor.dtype() == entries_[i].dtype ? tensor : convert_width(i, tensor);
  }
  // Why the tensor cannot be this input, for any sizes with names; empty if it can.
  std::string mismatch(size_t i, const Tensor& tensor) const;
  // InputError E0803 for a wrong rank, E0804 for a wrong dim.
  void check_dims(std::span<const Tensor> inputs) const;

 private:
  struct Entry {
    std::string label;
    DType dtype;
    bool ranked;
    std::vector<std::optional<std::int64_t>> dims;  // if they are numbers
    std::string text;
    std::vector<std::string> sizes;  // its dims as text
  };
  Tensor convert_width(size_t i, const Tensor& tensor) const;
  [[noreturn]] void refuse(const char* code, size_t i, const Tensor& got, const std::string& what,
                           const std::string& advice = "") const;
  // "'x' has 4 in dim 0, ...", for another input with the size of this dim; empty: there is none.
  std::string equal_size(size_t i, size_t dim, std::span<const Tensor> inputs) const;
  std::vector<Entry> entries_;
  std::string size_advice_;
  SizeProgram sizes_;  // observes the dims of the inputs whose rank is known
};

}  // namespace mithril
