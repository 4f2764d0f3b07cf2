// Makes every op and every model of the library that can be made without arguments, evaluates a
// model, and writes it as C++, with the installed libraries, as an outside program would.
#include <iostream>

#include "mithril/mithril.hpp"

namespace ml = mithril;

int main(int count, char** arguments) {
  std::cout << ml::version() << '\n';
  std::cout << ml::all_ops().size() << " ops, " << ml::all_models().size() << " models\n";
  const auto x = ml::Connection("x");
  const ml::Model model = ml::Model::create({{"y", ml::relu(ml::Linear({.dimension = 2})(x))}});
  const auto compiled = ml::compile(model, ml::cpu(), {.shapes = {{"x", {1, 3}}}});
  const ml::Tensor ones = ml::Tensor::full(ml::DType::float32, {1, 3}, 1);
  const auto outputs = compiled.evaluate(compiled.get_parameters(), {{"x", ones}});
  if (count > 1) ml::write_cpp(compiled.exported(), arguments[1]);
  return ml::allclose(outputs.at("y"), outputs.at("y") * 1.0) ? 0 : 1;
}
