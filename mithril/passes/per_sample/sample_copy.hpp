// A copy of a graph with concrete sizes, whose values can be split into samples.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/passes/per_sample/sample_axes.hpp"

namespace mithril {

Dims dims_of(const Expression& x);
Expression reshaped(const Expression& x, const Dims& dims);  // x itself if it has these dims
Expression permuted(const Expression& x, const std::vector<size_t>& order);
Expression sliced(const Expression& x, int64_t from, int64_t to);  // along the first axis
Expression joined(const std::vector<Expression>& parts, int64_t axis);
// Sums over these axes, which are removed.
Expression summed(const Expression& x, const std::vector<size_t>& axes);
// Sums over all axes but the first.
Expression summed_rows(const Expression& x);
// Converts x to the dtype in which gradients are accumulated: float32 for 16 bits.
Expression wide(const Expression& x);

// The sources of a copy, which outlive it.
struct SampleSource {
  const Graph& graph;  // a gradient graph
  const Plan& plan;    // for `samples` samples
  const SampleAxes& axes;
  int64_t samples;
};

class SampleCopy {
 public:
  // Names of the copy's values begin with `prefix`.
  SampleCopy(Graph& to, const SampleSource& from, std::string prefix);
  SampleCopy(const SampleCopy&) = delete;
  SampleCopy& operator=(const SampleCopy&) = delete;

  const SampleSource& source() const { return from_; }
  int64_t samples() const { return from_.samples; }
  // The dims that the plan gives.
  const Dims& dims(ValueId id) const { return *dims_[index(id)]; }
  const SampleAxis& axis(ValueId id) const { return from_.axes.of(id); }
  const Node& node(NodeId id) const { return from_.graph.node(id); }
  // A value of a node's argument, as a number.
  const Datum& value(NodeId id, std::string_view port) const;
  // The argument at the port, which holds a tensor.
  ValueId argument(NodeId id, std::string_view port) const;
  bool has(NodeId id, std::string_view port) const;

  void set(ValueId of, ValueId now) { map_[index(of)] = now; }
  void copy(NodeId id);
  bool is_made(ValueId id) const;
  Expression at(ValueId id) const;
  Expression expression(ValueId id_in_copy) const { return {&to_, id_in_copy, &scope_}; }

  // A value that carries samples, as [samples, ...]: in the place of the axis that holds them are
  // the elements of one sample along it.
  Expression lifted(ValueId each);

 private:
  Graph& to_;
  const SampleSource from_;
  const std::string prefix_, scope_;
  std::vector<ValueId> map_;
  std::vector<const Dims*> dims_;
  std::map<ValueId, ValueId> lifted_;
};

}  // namespace mithril
