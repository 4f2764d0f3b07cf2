#include "mithril/passes/per_sample/materialize.hpp"

#include <algorithm>
#include <numeric>

#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/passes/per_sample/factors.hpp"
#include "mithril/passes/per_sample/windows.hpp"

namespace mithril {
namespace {

// The axes along which `to` broadcasts to `from`, plus `shift`.
std::vector<size_t> broadcast_axes_of(const Dims& from, const Dims& to, size_t shift) {
  std::vector<size_t> axes;
  const size_t added = from.size() - to.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (i < added || to[i - added] != from[i]) axes.push_back(i + shift);
  }
  return axes;
}

Dims with_samples(int64_t samples, const Dims& dims) {
  Dims result = {samples};
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

}  // namespace

Expression Materializer::operator()(ValueId sum) {
  const auto found = made_.find(sum);
  if (found != made_.end()) return copy_.expression(found->second);
  const Expression made = make(sum);
  made_.emplace(sum, made.id);
  return made;
}

Expression Materializer::make(ValueId sum) {
  const NodeId maker = makers_[index(sum)];
  const Dims dims = with_samples(copy_.samples(), copy_.dims(sum));
  if (copy_.axis(sum).kind == SampleAxis::Kind::shared) {
    // A value that is linear in the gradient of the losses and equal for all samples is zero.
    return call("broadcast_to", {copy_.at(sum), Datum::ints(dims)}) * 0.0;
  }
  if (copy_.axis(sum).is_each()) return of_rows(sum);
  MITHRIL_CHECK(maker != no_node, "an input is a sum over the samples");
  const auto& outputs = copy_.node(maker).outputs;
  const size_t output =
      static_cast<size_t>(std::find(outputs.begin(), outputs.end(), sum) - outputs.begin());
  const Expression made =
      copy_.reads_samples(maker) ? of_site(maker, output) : of_linear(maker, output);
  return reshaped(made, dims);
}

Expression Materializer::of_site(NodeId id, size_t output) {
  const std::string& op = copy_.node(id).op->name;
  if (op == "layer_norm_grad" || op == "batch_norm_grad") return of_norm(id, output);
  if (op == "conv2d_weight_grad" && copy_.axis(id, "grad").is_each() &&
      copy_.axis(id, "input").is_each() &&
      copy_.dims(copy_.argument(id, "grad"))[0] == copy_.samples())
    return weight_grads(copy_, id);
  if (op == "sum")
    return of_sum(
        id, axis_set(copy_.value(id, "axis"), copy_.dims(copy_.argument(id, "input")).size()));
  if (op == "sum_to") {
    const Dims& from = copy_.dims(copy_.argument(id, "input"));
    std::vector<bool> reduced(from.size());
    for (const size_t axis : broadcast_axes_of(from, copy_.dims(copy_.node(id).outputs[0]), 0))
      reduced[axis] = true;
    return of_sum(id, reduced);
  }
  const ParameterTerms terms = find_terms(copy_, makers_, copy_.node(id).outputs[output]);
  if (!terms.terms.empty()) return materialized(factors_of(copy_, terms, 0, copy_.samples()));
  return unroll(id, output);
}

// The sum over these axes, and over the rest of the axis that holds the samples.
Expression Materializer::of_sum(NodeId id, const std::vector<bool>& reduced) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] || i == copy_.axis(id, "input").axis) axes.push_back(i + 1);
  }
  return summed(wide(copy_.lifted(id, "input")), axes);
}

// The gradient of a parameter with elements for each sample of a batch of a fixed size: those of
// one sample, and zeros for the others.
Expression Materializer::of_rows(ValueId each) {
  const SampleAxis& axis = copy_.axis(each);
  const Dims& dims = copy_.dims(each);
  const int64_t n = copy_.samples(), inner = dims[axis.axis] / (axis.outer * n);
  const Expression rows = copy_.at(each);
  const Expression eye = call_in(rows, "eye", {Datum(n), Datum(), Datum(rows.dtype())});
  const Expression own =
      call("broadcast_to", {reshaped(eye, {n, 1, n, 1}), Datum::ints({n, axis.outer, n, inner})});
  Dims placed(dims.size() + 1, 1);
  placed[0] = n;
  placed[axis.axis + 1] = dims[axis.axis];
  return call("where", {call("equal", {reshaped(own, placed), 1.0}), rows, 0.0});
}

// weight: the sum of grad * (input - mean) * rstd; bias: the sum of grad.
Expression Materializer::of_norm(NodeId id, size_t output) {
  const bool rows = copy_.node(id).op->name == "layer_norm_grad";
  const Expression grad = wide(copy_.lifted(id, "grad"));
  const size_t rank = grad.dims().size();
  // The channels of [n, q, C, ...], the last axis of [n, ..., D].
  const size_t kept = rows ? rank - 1 : 2;
  std::vector<size_t> axes;
  for (size_t i = 1; i < rank; ++i) {
    if (i != kept) axes.push_back(i);
  }
  if (output == 2) return summed(grad, axes);
  const auto statistic = [&](const char* port) {
    const ValueId value = copy_.argument(id, port);
    if (rows && copy_.axis(id, port).is_each()) return wide(copy_.lifted(id, port));
    Dims dims(rank - kept, 1);
    dims[0] = copy_.dims(value).back();
    return wide(rows ? copy_.at(value) : reshaped(copy_.at(value), dims));
  };
  const Expression input = wide(copy_.lifted(id, "input"));
  return summed(grad * (input - statistic("mean")) * statistic("rstd"), axes);
}

// A node that is linear in sums and reads no samples.
Expression Materializer::of_linear(NodeId id, size_t output) {
  const Node& node = copy_.node(id);
  const Dims& dims = copy_.dims(node.outputs[output]);
  if (node.op->keeps_elements)
    return reshaped((*this)(std::get<ValueId>(node.arguments.front())),
                    with_samples(copy_.samples(), dims));
  const std::string& op = node.op->name;
  const auto axis = [&](const char* port) {
    return axis_of(copy_.value(id, port).integer(), dims.size());
  };
  if (op == "swapaxes" || op == "transpose") {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (op == "swapaxes") {
      std::swap(order[axis("axis1")], order[axis("axis2")]);
    } else if (copy_.value(id, "axes").is_none()) {
      std::reverse(order.begin(), order.end());
    } else {
      order = axis_list(copy_.value(id, "axes"), dims.size());
    }
    for (size_t& position : order) ++position;
    order.insert(order.begin(), 0);
    return permuted((*this)(copy_.argument(id, "input")), order);
  }
  if (op == "sum_to") {
    const ValueId input = copy_.argument(id, "input");
    return summed((*this)(input), broadcast_axes_of(copy_.dims(input), dims, 1));
  }
  const Spelling* formula = node.op->spelling("c");
  if (!formula) return unroll(id, output);
  // A formula of one element: the samples broadcast in front.
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const ValueId* tensor = tensor_of(node.arguments[i]);
    if (!tensor) {
      operands.emplace_back(copy_.source().plan.nodes[index(id)].values[i]);
    } else if (copy_.axis(*tensor).kind == SampleAxis::Kind::sum) {
      const Dims& own = copy_.dims(*tensor);
      Dims padded(dims.size() + 1, 1);
      padded[0] = copy_.samples();
      std::copy(own.begin(), own.end(), padded.end() - static_cast<std::ptrdiff_t>(own.size()));
      operands.emplace_back(reshaped((*this)(*tensor), padded));
    } else {
      operands.emplace_back(copy_.at(*tensor));
    }
  }
  return call(node.op->name, std::move(operands));
}

// The node once for each sample.
Expression Materializer::unroll(NodeId id, size_t output) {
  unrolled_.push_back(id);
  const Node& node = copy_.node(id);
  std::vector<Expression> results;
  for (int64_t sample = 0; sample < copy_.samples(); ++sample) {
    std::vector<Operand> operands;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* tensor = tensor_of(node.arguments[i]);
      if (!tensor) {
        operands.emplace_back(copy_.source().plan.nodes[index(id)].values[i]);
        continue;
      }
      const SampleAxis& axis = copy_.axis(id, i);
      if (axis.kind == SampleAxis::Kind::shared) {
        operands.emplace_back(copy_.at(*tensor));
        continue;
      }
      const Expression all = axis.is_each() ? copy_.lifted(*tensor, axis) : (*this)(*tensor);
      Dims own = dims_of(all);
      own.erase(own.begin());
      operands.emplace_back(reshaped(sliced(all, sample, sample + 1), own));
    }
    const Expression made = call_all(node.op->name, std::move(operands))[output];
    results.push_back(reshaped(made, with_samples(1, copy_.dims(node.outputs[output]))));
  }
  return joined(results, 0);
}

}  // namespace mithril
