// The ways to read an output that carries no samples as one that does: its elements are alike along
// the axis, or they are the numbers of the samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
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
#include "tests/table/case.hpp"

namespace mithril::tests {
namespace {

// The place along an axis of an element.
int64_t place_along(int64_t element, const Dims& dims, size_t axis) {
  for (size_t i = dims.size(); --i > axis;) element /= dims[i];
  return element % dims[axis];
}

void check_offer(const Tensor& made, const SampleAxis& offer, int64_t batch) {
  const Dims& dims = made.dims();
  REQUIRE(dims[offer.axis] % (offer.outer * batch) == 0);
  int64_t after = 1;
  for (size_t i = offer.axis + 1; i < dims.size(); ++i) after *= dims[i];
  for (int64_t i = 0; i < made.size(); ++i) {
    const int64_t place = place_along(i, dims, offer.axis);
    const double expected =
        offer.numbers ? static_cast<double>(place) : made.at_as_double(i - place * after);
    const double found = made.at_as_double(i);
    const bool same = found == expected || (std::isnan(found) && std::isnan(expected));
    CHECK_MESSAGE(same, "element " << i << ": " << found << ", expected " << expected);
  }
}

// Returns the number of offers for batches of each size of an axis, and of half of it.
int check_offers(const OpDef& op, const OpCase& row) {
  const check::RowGraph built = check::build(op, row);
  if (built.graph.nodes().size() != 1 || built.graph.nodes().front().op != &op) return 0;
  const Node& node = built.graph.nodes().front();
  const std::vector<Tensor> inputs = generate(built.tensors, 1);
  const SizeSources sizes(built.graph);
  const Plan plan = make_plan(built.graph, sizes, inputs);
  const Tensor made = interpret(built.graph, inputs).front();
  const std::vector<SampleAxis> shared(node.arguments.size());
  std::vector<Dims> dims;
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    const auto at = id ? std::find(built.graph.inputs().begin(), built.graph.inputs().end(), *id)
                       : built.graph.inputs().end();
    const auto input = static_cast<size_t>(at - built.graph.inputs().begin());
    dims.push_back(input < built.tensors.size() ? built.tensors[input].dims : Dims{});
  }
  std::set<int64_t> batches;
  for (const int64_t size : made.dims()) {
    if (size > 0) batches.insert(size);
    if (size > 2 && size % 2 == 0) batches.insert(size / 2);
  }
  int offers = 0;
  for (const int64_t batch : batches) {
    SampleContext context(op, batch, shared, plan.nodes.front().values, dims,
                          plan.nodes.front().output_dims);
    op.samples(context);
    for (const SampleAxis& offer : context.offers(0)) {
      ++offers;
      check_offer(made, offer, batch);
    }
  }
  return offers;
}

}  // namespace

TEST_CASE("elements of outputs without samples are alike along the axes that may carry them") {
  // Random elements differ and belong to the sample of their place; the others offer nothing.
  const std::set<std::string> random = {"randn",        "randn_rows",     "randint",
                                        "randint_rows", "random_uniform", "random_uniform_rows"};
  const std::set<std::string> by_place = {"eye", "eye_like", "positions"};
  const std::set<std::string> reads_elements = {"concat_grad", "expand_reduced", "scatter_add",
                                                "slice_grad", "sum_to"};
  for (const OpCases& cases : all_op_cases()) {
    const OpDef& op = find_op(cases.op);
    if (!op.samples || !makes_elements(op) || random.contains(op.name)) continue;
    CAPTURE(op.name);
    int offers = 0;
    for (const OpCase& row : cases.rows()) {
      CAPTURE(row.name);
      if (row.error.empty()) offers += check_offers(op, row);
    }
    if (reads_elements.contains(op.name)) continue;
    CHECK((offers > 0) == !by_place.contains(op.name));
  }
}

TEST_CASE("a size that is a multiple of the batch may be read with samples inside or outside") {
  CHECK(alike_along(1, 12, 3) == std::vector{SampleAxis::along(1), SampleAxis::along(1, 4)});
  CHECK(alike_along(0, 3, 3) == std::vector{SampleAxis::along(0)});
  CHECK(alike_along(0, 4, 3).empty());
  CHECK(alike_along(0, 0, 3).empty());
  CHECK(alike_along(0, 4, 1).empty());  // every size is a multiple of 1
}

}  // namespace mithril::tests
