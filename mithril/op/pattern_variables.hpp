// The variables of an op's patterns in one part. Each is bound to the first dim, shape or type that
// an existing wire has for it, or else to a fresh one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "mithril/infer/facts.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

class PatternVariables {
 public:
  // `dims`: memory for the dims of the patterns.
  PatternVariables(Facts& facts, const CompiledPorts& compiled, Dim* dims);

  Type* type(int variable);
  StoredShape run(int variable);
  // States that an existing type or shape fits. list: each item has its own run.
  void match_type(int variable, Type* type);
  void match_shape(const CompiledPorts::Port& port, bool list, const StoredShape& shape);
  // The pattern as a shape.
  StoredShape shape(const CompiledPorts::Port& port, bool list);
  void make_missing_dims();  // of list ports without items

 private:
  using Element = CompiledPorts::Element;
  Dim dim(const Element& element);
  void match_dim(const Element& element, const Dim& dim);
  void match_run(int variable, const StoredShape& shape);

  Facts& facts_;
  const CompiledPorts& compiled_;
  Dim* dims_;
  uint32_t known_dims_ = 0, known_runs_ = 0;  // bits
  std::array<StoredShape, 8> runs_;
  std::array<Type*, 8> types_{};
};

}  // namespace mithril
