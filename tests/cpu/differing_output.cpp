#include "tests/cpu/differing_output.hpp"

#include "backends/cpu/cpu.hpp"
#include "mithril/eval/interpreter.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

Tensor random(const Dims& dims, std::uint64_t seed) {
  return generate({normal(dims).as(DType::float32)}, seed).front();
}

// Empty if the backend matches the reference.
std::string differing_output(const std::string& text, const std::vector<Tensor>& inputs,
                             int threads, double allowed) {
  const Graph graph = parse_graph(text);
  const auto executable = cpu({.threads = threads})->load(graph, {});
  const std::vector<Tensor> expected = interpret(graph, inputs), got = executable->run(inputs);
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string wrong = difference(got[i], expected[i], allowed);
    if (!wrong.empty()) return graph.outputs()[i].name + ": " + wrong;
  }
  return {};
}

}  // namespace mithril::tests
