// The sample rules of all records, on the rows of the op table. If a rule says that an output
// carries the samples, a change of one sample changes only its part. Outputs that add up samples
// are sums.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mithril/check/generate.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/sample_context.hpp"
#include "mithril/tensor/functions.hpp"
#include "tests/table/case.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

using Kind = SampleAxis::Kind;

// Returns the sample to which an element belongs.
int64_t sample_of(int64_t element, const Dims& dims, const SampleAxis& axis, int64_t batch) {
  int64_t after = 1;
  for (size_t i = axis.axis + 1; i < dims.size(); ++i) after *= dims[i];
  const int64_t inner = dims[axis.axis] / (axis.outer * batch);
  return element / after % dims[axis.axis] / inner % batch;
}

// The elements of one sample from `of`, the others from `rest`.
Tensor mixed(const Tensor& of, const Tensor& rest, const SampleAxis& axis, int64_t batch,
             int64_t sample) {
  Tensor made = rest.copy();
  const size_t width = made.size() == 0 ? 0 : made.bytes() / static_cast<size_t>(made.size());
  for (int64_t i = 0; i < made.size(); ++i) {
    if (sample_of(i, made.dims(), axis, batch) != sample) continue;
    const auto at = static_cast<size_t>(i) * width;
    std::copy_n(static_cast<const std::byte*>(of.raw_data()) + at, width,
                static_cast<std::byte*>(made.mutable_raw_data()) + at);
  }
  return made;
}

bool same_bits(const Tensor& a, const Tensor& b, int64_t i) {
  const double x = a.at_as_double(i), y = b.at_as_double(i);
  return x == y || (std::isnan(x) && std::isnan(y));
}

// One node with inputs of which some carry samples.
class Trial {
 public:
  Trial(const check::RowGraph& row, std::vector<SampleAxis> axes, int64_t batch)
      : row_(row), node_(row.graph.nodes().front()), axes_(std::move(axes)), batch_(batch) {}

  // Applies the rule. Returns false if no input carries samples, or all outputs mix samples.
  bool claims() {
    std::vector<Tensor> inputs;
    for (const TensorSpec& spec : row_.tensors)
      inputs.push_back(placeholder(spec.dtype, spec.dims));
    const SizeSources sizes(row_.graph);
    const Plan plan = make_plan(row_.graph, sizes, inputs);
    std::vector<SampleAxis> arguments;
    std::vector<Dims> dims;
    for (const Argument& argument : node_.arguments) {
      const ValueId* id = tensor_of(argument);
      arguments.push_back(id ? axis_of_input(*id) : SampleAxis{});
      dims.push_back(id ? dims_of_input(*id) : Dims{});
    }
    const auto is_each = [](const SampleAxis& axis) { return axis.is_each(); };
    if (std::none_of(arguments.begin(), arguments.end(), is_each)) return false;
    SampleContext context(*node_.op, batch_, arguments, plan.nodes.front().values, dims,
                          plan.nodes.front().output_dims);
    follow_samples(context);
    results_ = context.results();
    return std::any_of(results_.begin(), results_.end(),
                       [](const SampleAxis& axis) { return axis.kind != Kind::coupled; });
  }

  const std::vector<SampleAxis>& results() const { return results_; }

  // Another sample in its place changes only its part of the outputs.
  void check_independence(int64_t sample) {
    const std::vector<Tensor> first = generate(row_.tensors, 1), second = generate(row_.tensors, 2);
    std::vector<Tensor> changed = first;
    for (size_t i = 0; i < changed.size(); ++i) {
      if (axes_[i].is_each()) changed[i] = mixed(second[i], first[i], axes_[i], batch_, sample);
    }
    const std::vector<Tensor> a = interpret(row_.graph, first), b = interpret(row_.graph, changed);
    for (size_t k = 0; k < a.size(); ++k) {
      const SampleAxis& axis = results_[k];
      if (axis.kind != Kind::each && axis.kind != Kind::shared) continue;
      REQUIRE(a[k].dims() == b[k].dims());
      REQUIRE((!axis.is_each() || a[k].dims()[axis.axis] % (axis.outer * batch_) == 0));
      for (int64_t i = 0; i < a[k].size(); ++i) {
        if (axis.is_each() && sample_of(i, a[k].dims(), axis, batch_) == sample) continue;
        const bool unchanged = same_bits(a[k], b[k], i);
        CHECK_MESSAGE(unchanged, "output " << k << ", element " << i << ", sample " << sample);
        if (!unchanged) return;
      }
    }
  }

  // An output that adds up samples is the sum over them, with zeros for the others. Gradients are
  // linear in their port "grad". Ints, such as indices, are not replaced by zeros.
  void check_sums() {
    const auto is_sum = [](const SampleAxis& axis) { return axis.kind == Kind::sum; };
    if (std::none_of(results_.begin(), results_.end(), is_sum)) return;
    const auto& ports = row_.ports;
    const auto grad = std::find(ports.begin(), ports.end(), "grad") - ports.begin();
    if (static_cast<size_t>(grad) < ports.size() && !axes_[static_cast<size_t>(grad)].is_each())
      return;
    const std::vector<Tensor> whole = generate(row_.tensors, 3);
    const std::vector<Tensor> expected = interpret(row_.graph, whole);
    std::vector<std::vector<double>> sums(expected.size());
    for (size_t k = 0; k < sums.size(); ++k)
      sums[k].resize(static_cast<size_t>(expected[k].size()));
    for (int64_t sample = 0; sample < batch_; ++sample) {
      std::vector<Tensor> one = whole;
      for (size_t i = 0; i < one.size(); ++i) {
        if (!axes_[i].is_each() || !is_floating(one[i].dtype())) continue;
        const Tensor zeros(one[i].dtype(), one[i].dims());
        one[i] = mixed(whole[i], zeros, axes_[i], batch_, sample);
      }
      const std::vector<Tensor> made = interpret(row_.graph, one);
      for (size_t k = 0; k < sums.size(); ++k) {
        for (size_t i = 0; i < sums[k].size(); ++i)
          sums[k][i] += made[k].at_as_double(static_cast<int64_t>(i));
      }
    }
    for (size_t k = 0; k < sums.size(); ++k) {
      if (results_[k].kind != Kind::sum || expected[k].dtype() != DType::float64) continue;
      for (size_t i = 0; i < sums[k].size(); ++i) {
        const double whole_sum = expected[k].at_as_double(static_cast<int64_t>(i));
        if (std::isfinite(whole_sum)) CHECK(sums[k][i] == doctest::Approx(whole_sum).epsilon(1e-9));
      }
    }
  }

 private:
  size_t index_of_input(ValueId id) const {
    const auto& inputs = row_.graph.inputs();
    return static_cast<size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
  }
  SampleAxis axis_of_input(ValueId id) const { return axes_[index_of_input(id)]; }
  Dims dims_of_input(ValueId id) const { return row_.tensors[index_of_input(id)].dims; }

  const check::RowGraph& row_;
  const Node& node_;
  const std::vector<SampleAxis> axes_;
  const int64_t batch_;
  std::vector<SampleAxis> results_;
};

// Every choice of one axis for one input, and for all inputs that have the same size there, counted
// from either end.
std::vector<std::vector<SampleAxis>> choices(const check::RowGraph& row) {
  std::set<std::vector<size_t>> seen;  // 0: none, else axis + 1
  std::vector<std::vector<SampleAxis>> found;
  const size_t count = row.tensors.size();
  const auto add = [&](const std::vector<size_t>& axes) {
    if (!seen.insert(axes).second) return;
    std::vector<SampleAxis>& made = found.emplace_back(count);
    for (size_t i = 0; i < count; ++i) {
      if (axes[i] > 0) made[i] = SampleAxis::along(axes[i] - 1);
    }
  };
  for (size_t first = 0; first < count; ++first) {
    const Dims& dims = row.tensors[first].dims;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] < 2) continue;
      for (const bool from_end : {false, true}) {
        std::vector<size_t> alone(count), all(count);
        alone[first] = axis + 1;
        for (size_t i = 0; i < count; ++i) {
          const size_t rank = row.tensors[i].dims.size(), back = dims.size() - axis;
          if (from_end ? back > rank : axis >= rank) continue;
          const size_t at = from_end ? rank - back : axis;
          if (row.tensors[i].dims[at] == dims[axis]) all[i] = at + 1;
        }
        add(alone);
        add(all);
        // A contraction: the last axis of one, the last but one of the other.
        if (count == 2 && first == 0 && axis + 1 == dims.size() &&
            row.tensors[1].dims.size() >= 2) {
          const Dims& other = row.tensors[1].dims;
          if (other[other.size() - 2] == dims[axis]) add({axis + 1, other.size() - 1});
        }
      }
    }
  }
  return found;
}

// The size of the axes that carry samples; 0 if they differ.
int64_t batch_of(const check::RowGraph& row, const std::vector<SampleAxis>& axes) {
  int64_t batch = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].is_each()) continue;
    const int64_t size = row.tensors[i].dims[axes[i].axis];
    if (batch != 0 && batch != size) return 0;
    batch = size;
  }
  return batch;
}

// Returns the number of claims of the op's rule that were checked.
int check_op(const OpDef& op, const OpCase& row) {
  if (!has_tensor(row)) return 0;
  const check::RowGraph built = check::build(op, row);
  if (built.graph.nodes().size() != 1 || built.graph.nodes().front().op != &op) return 0;
  int claims = 0;
  for (const std::vector<SampleAxis>& axes : choices(built)) {
    const int64_t whole = batch_of(built, axes);
    for (const int64_t outer : {int64_t{1}, int64_t{2}}) {
      if (whole == 0 || whole % outer != 0 || whole / outer < 2) continue;
      std::vector<SampleAxis> split = axes;
      for (SampleAxis& axis : split) axis.outer = outer;
      Trial trial(built, split, whole / outer);
      if (!trial.claims()) continue;
      CAPTURE(row.name);
      ++claims;
      trial.check_independence(0);
      trial.check_independence(whole / outer - 1);
      trial.check_sums();
    }
  }
  return claims;
}

}  // namespace

TEST_CASE("rules for samples hold on all rows of the op table") {
  // Training statistics are of all samples, and these ops read no elements (offers.cpp).
  const std::set<std::string> without_claims = {"batch_norm_training",
                                                "arange",
                                                "eye",
                                                "eye_like",
                                                "fill_like",
                                                "full",
                                                "ones",
                                                "positions",
                                                "randint",
                                                "randint_rows",
                                                "randn",
                                                "randn_rows",
                                                "random_uniform",
                                                "random_uniform_rows",
                                                "zeros"};
  for (const OpCases& cases : all_op_cases()) {
    const OpDef& op = find_op(cases.op);
    if (!op.eval || !has_sample_rule(op)) continue;
    CAPTURE(op.name);
    int claims = 0;
    for (const OpCase& row : cases.rows()) {
      if (row.error.empty()) claims += check_op(op, row);
    }
    const bool explicit_rule = op.samples || !op.separable.empty();
    if (explicit_rule && !without_claims.contains(op.name)) CHECK(claims > 0);
  }
}

}  // namespace mithril::tests
