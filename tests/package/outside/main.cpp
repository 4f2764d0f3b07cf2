// Adds an op as docs/add-an-op.md does, makes every op and every model of the library that can be
// made without arguments, evaluates a model, and writes it as C++, with the installed libraries, as
// an outside program would.
#include <iostream>

#include "mithril/extension.hpp"
#include "mithril/mithril.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/reduction.hpp"

namespace ml = mithril;

// 2 * input * input.
ml::OpDef doubled_square() {
  return {.name = "doubled_square",
          .doc = "2 * input * input.",
          .inputs = {{"input", "*s", "float"}},
          .outputs = {{"output", "*s", "float"}},
          .eval = [](ml::EvalContext& c) { ml::map1_float(c, [](auto x) { return 2 * x * x; }); },
          .grad =
              [](ml::GradContext& g) {
                ml::flow_summed(g, "input", 2.0 * (2.0 * g.in("input")) * g.out_grad());
              }};
}

int main(int count, char** arguments) {
  std::cout << ml::version() << '\n';
  const ml::OpDef& op = ml::add_op(doubled_square());
  const ml::AxisView view = ml::AxisView::along({2, 3}, -1);
  if (op.model_name != "DoubledSquare" || view.size != 3) return 1;
  std::cout << ml::all_ops().size() << " ops, " << ml::all_models().size() << " models\n";
  const auto x = ml::Connection("x");
  const ml::Model model = ml::Model::create({{"y", ml::relu(ml::Linear({.dimension = 2})(x))}});
  const auto compiled = ml::compile(model, ml::cpu(), {.shapes = {{"x", {1, 3}}}});
  const ml::Tensor ones = ml::Tensor::full(ml::DType::float32, {1, 3}, 1);
  const auto outputs = compiled.evaluate(compiled.get_parameters(), {{"x", ones}});
  if (count > 1) ml::write_cpp(compiled.exported(), arguments[1]);
  return ml::allclose(outputs.at("y"), outputs.at("y") * 1.0) ? 0 : 1;
}
