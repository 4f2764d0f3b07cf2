// Composes, compiles and runs a model with the installed libraries, as an outside program would.
#include <iostream>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/version.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

int main() {
  ml::Model model;
  model |= ml::Relu()({{"input", "input"}, {"output", "output"}});
  const auto compiled =
      ml::compile(model, ml::cpu(), {.shapes = {{"input", {ml::any, 2}}}, .data_keys = {"input"}});
  std::cout << mithril::version() << '\n';
  return compiled.output_keys().size() == 1 ? 0 : 1;
}
