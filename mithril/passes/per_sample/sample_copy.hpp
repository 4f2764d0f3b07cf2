// A copy of a graph with concrete sizes, whose values can be split into samples.
#pragma once
#include <map>
#include <string>
#include <tuple>
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
  // How the node reads its argument i, or its argument at the port, which holds a tensor.
  const SampleAxis& axis(NodeId id, size_t i) const {
    return from_.axes.of(id, i, std::get<ValueId>(node(id).arguments[i]));
  }
  const SampleAxis& axis(NodeId id, std::string_view port) const {
    return axis(id, node(id).argument_index(port));
  }
  // Whether an argument of the node carries samples.
  bool reads_samples(NodeId id) const;
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
  Expression lifted(ValueId each) { return lifted(each, axis(each)); }
  // A value that is read as one that carries samples along this axis.
  Expression lifted(ValueId value, const SampleAxis& axis);
  // The argument of the node at the port.
  Expression lifted(NodeId id, std::string_view port) {
    return lifted(argument(id, port), axis(id, port));
  }

 private:
  Graph& to_;
  const SampleSource from_;
  const std::string prefix_, scope_;
  std::vector<ValueId> map_;
  std::vector<const Dims*> dims_;
  std::map<std::tuple<ValueId, size_t, int64_t>, ValueId> lifted_;  // by axis and outer
};

}  // namespace mithril
