// Cost of composing, inferring, flattening and differentiating a chain of n x (Linear, Relu).
// Prints JSON. Usage: compose_chain N [gradient]: shapes are known only at the end; run it in a
// cold process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/op/registry.hpp"

namespace ml = mithril;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double resident_kb() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * 4.0;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const bool gradient = argc > 2 && std::strcmp(argv[2], "gradient") == 0;
  ml::find_op("add");  // the op registry is read once per process
  const double memory = resident_kb(), start = now();
  ml::Model net;
  for (int i = 0; i < n; ++i) {
    ml::Model layer = ml::Linear({.dimension = 64});
    if (i == 0) {
      net |= layer({{"input", "x"}});
    } else {
      net += layer;
    }
    net += ml::Model::op("relu");
  }
  const double composed = now();
  net.set_shapes({{"x", {"N", 64}}});
  const double inferred = now();
  const double model_memory = resident_kb();
  const ml::FlatModel flat = ml::flatten(net, ml::DType::float32);
  const double flattened = now();
  const double graph_memory = resident_kb();
  double differentiated = flattened;
  if (gradient) {
    std::vector<std::string> wanted;
    for (const ml::ValueId id : flat.graph.inputs()) {
      const std::string& name = flat.graph.value(id).name;
      if (name != "x") wanted.push_back(name);
    }
    const ml::Graph graph =
        ml::differentiate(flat.graph, {.outputs = {"output"}, .wanted = wanted});
    differentiated = now();
  }
  const auto per_layer = [&](double seconds) { return seconds / n * 1e6; };
  std::printf(
      "{\"layers\": %d, \"compose_us\": %.2f, \"infer_us\": %.2f, \"flatten_us\": %.2f, "
      "\"total_us\": %.2f, "
      "\"gradient_us\": %.2f, \"model_kb\": %.2f, \"graph_kb\": %.2f}\n",
      n, per_layer(composed - start), per_layer(inferred - composed),
      per_layer(flattened - inferred), per_layer(flattened - start),
      per_layer(differentiated - flattened), (model_memory - memory) / n,
      (graph_memory - model_memory) / n);
  std::fflush(stdout);
  return 0;
}
