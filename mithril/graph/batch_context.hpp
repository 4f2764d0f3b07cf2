// The argument of an op's `batch`: a node, some of whose arguments have a new first axis.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/graph/grad_context.hpp"

namespace mithril {

// A rule calls `become` for each output. Rank and dims are those without the new axis.
class BatchContext : public NodeContext {
 public:
  // node: its arguments are batched where `batched` says so. outputs: those of the node without the
  // new axis, whose size is `size`. All ranks are known.
  BatchContext(Graph& graph, const Node& node, const std::string& scope, Dim size,
               std::vector<bool> batched, std::vector<Value> outputs);

  const OpDef& op() const { return *node_.op; }
  const Dim& size() const { return size_; }
  bool is_batched(std::string_view port, int item = 0) const {
    return batched_[position(port, item)];
  }
  std::vector<Dim> dims(std::string_view port, int item = 0) const;
  size_t rank(std::string_view port, int item = 0) const { return dims(port, item).size(); }
  const std::vector<Dim>& out_dims(int index = 0) const { return outputs_[index].dims; }

  // The argument with the new axis: one that lacks it is repeated along it.
  Expression batched(std::string_view port, int item = 0);
  // The same, with axes of size 1 after the new one, up to this rank.
  Expression padded(std::string_view port, size_t rank, int item = 0);
  // A tensor whose dims are those of the argument without the new axis, for ops that only read
  // dims.
  Expression shaped_like(std::string_view port, int item = 0);
  // A batched tensor in other dims.
  Expression reshaped(const Expression& x, const std::vector<Dim>& dims) const;
  // Dims with the new axis, as the value of a port `shape`.
  Datum shape(std::vector<Dim> dims) const;

  // All arguments in port order, as they are. A rule replaces some, and calls the op again.
  std::vector<Operand> operands() const;
  size_t position(std::string_view port, int item = 0) const {
    return node_.argument_index(port) + static_cast<size_t>(item);
  }
  std::string_view port_of(size_t position) const;  // of an argument
  size_t argument_count() const { return node_.arguments.size(); }

  // The output with the new axis first. Floats of another dtype are cast.
  void become(const Expression& batched, int index = 0) { set(batched, true, index); }
  void become_all(const std::vector<Expression>& batched);
  // The output, which is the same for each index of the new axis.
  void become_shared(const Expression& result, int index = 0) { set(result, false, index); }
  // The op has no rule for these arguments: "its weight is batched".
  void refuse(std::string why) { why_ = std::move(why); }

  struct Result {
    ValueId value;
    bool batched;
  };
  const std::vector<std::optional<Result>>& results() const { return results_; }
  const std::optional<std::string>& why() const { return why_; }

 private:
  Expression repeated(const Expression& x) const;
  void set(Expression result, bool batched, int index);

  const Dim size_;
  const std::vector<bool> batched_;  // per argument
  const std::vector<Value> outputs_;
  std::vector<std::optional<Result>> results_;
  std::optional<std::string> why_;
};

// The rule of an op without `batch`. Ops that work on each element, ops that keep elements, and ops
// that are `separable` along a run ("*lead") work on tensors with more axes. An op that is
// separable along a first dim ("N") works on the new axis and this dim together. False: neither.
bool batch_by_patterns(BatchContext& context);

}  // namespace mithril
