// split: a tensor cut along an axis.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/joining.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_split(Solver& s) {
  const Datum *sizes = s.value("sizes"), *axis = s.value("axis");
  int64_t number = 0;
  size_t rank = 0;
  if (!sizes || !axis || !s.number(axis->dim(), number) || !joined_rank(s, "output", "input", rank))
    return false;
  const std::vector<Dim> parts = dims_of(s, *sizes);
  if (parts.size() != static_cast<size_t>(s.count("output"))) {
    s.reject("sizes and outputs differ in number", std::to_string(s.count("output")) + " sizes",
             to_string(*sizes));
  }
  const size_t at = axis_of(s, number, rank);
  std::vector<Dim> dims = fresh_dims(s, rank);
  Dim total = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    dims[at] = parts[k];
    total = total + parts[k];
    s.set_shape("output", dims, static_cast<int>(k));
  }
  dims[at] = total;
  s.set_shape("input", dims);
  return true;
}

void eval_split(EvalContext& c) {
  const Dims& in = c.dims("input");
  const size_t axis = axis_of(c.integer("axis"), in.size());
  const AxisView from(in, axis);
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    int64_t offset = 0;
    for (int k = 0; k < c.output_count(); ++k) {
      const int64_t size = c.out(k).dims()[axis];
      if (c.out(k).size() != from.outer * size * from.inner || offset + size > from.size) {
        reject(c, "the sizes do not add up to the input's", std::to_string(from.size),
               to_string(c.value("sizes")));
      }
      auto y = c.write<T>(k);
      for (int64_t o = 0; o < from.outer; ++o) {
        for (int64_t i = 0; i < size * from.inner; ++i)
          y[o * size * from.inner + i] = x[from.at(o, offset, i)];
      }
      offset += size;
    }
  });
}

void samples_of_split(SampleContext& c) {
  const SampleAxis at = c.in("input");
  if (axis_of(c.value("axis").integer(), c.dims("input").size()) == at.axis)
    return couple_along(c, at.axis);
  c.put_all(at);
}

void batch_split(BatchContext& c) {
  c.become_all(call_all(
      "split", {c.in("input"), c.value("sizes"), batched_axis(c.value("axis"), c.rank("input"))}));
}

}  // namespace

OpDef define_split() {
  return {
      .name = "split",
      .doc =
          "Splits a tensor along `axis` into parts of the given sizes. Their sum is the size of "
          "the axis.",
      .inputs = {{"input", "*s", "T=any"}, value("sizes", "tuple"), value("axis", "int", 0)},
      .outputs = {list("output", "*each", "T")},
      .solve = solve_split,
      .eval = eval_split,
      .grad =
          [](GradContext& g) {
            std::vector<Operand> parts;
            for (int k = 0; k < g.output_count(); ++k) parts.push_back(g.out_grad(k));
            parts.push_back(g.value("axis"));
            g.flow("input", call("concat", std::move(parts)));
          },
      .batch = batch_split,
      .outputs_from = "sizes",
      .samples = samples_of_split,
      .linear = {"input"},
      .spell = {{"jax", "split({input}, {sizes}, {axis})"},
                {"onnx", "split(input, sizes, axis)"},
                {"torch", "aten::split_with_sizes(input, sizes, axis)"}},
  };
}

}  // namespace mithril
