// MITHRIL_DUMP prints the result of each pass of the CPU backend.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backends/cpu/dump.hpp"
#include "backends/cpu/executable.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

struct Dumped {
  std::vector<std::string> passes, texts;

  const std::string& after(const std::string& pass) const {
    for (size_t i = 0; i < passes.size(); ++i) {
      if (passes[i] == pass) return texts[i];
    }
    FAIL("no dump of " << pass);
    return texts.front();
  }
};

cpu_backend::DumpSink sink_of(Dumped& dumped) {
  return [&](std::string_view pass, const std::string& text) {
    dumped.passes.emplace_back(pass);
    dumped.texts.push_back(text);
  };
}

// The dumps of two convolutions, each with an elementwise epilogue, and of a product of tables.
Dumped dumped() {
  const std::string options = "bias: None, stride: 1, padding: 1, dilation: 1, groups: 1)\n";
  Graph graph = parse_graph(
      "graph {\n"
      "  input x: float32[1, 16, 8, 8]\n"
      "  input w: float32[16, 16, 3, 3]\n"
      "  input v: float32[16, 16, 3, 3]\n"
      "  c: float32[1, 16, 8, 8] = conv2d(input: x, weight: w, " +
      options +
      "  r: float32[1, 16, 8, 8] = relu(input: c)\n"
      "  d: float32[1, 16, 8, 8] = conv2d(input: r, weight: v, " +
      options +
      "  s: float32[1, 16, 8, 8] = sigmoid(input: d)\n"
      "  t: float32[1, 16, 8, 8] = tanh(input: s)\n"
      "  m: float32[1, 16] = mean(input: t, axis: (2, 3), keepdim: False)\n"
      "  output m = m\n"
      "}\n");
  Dumped dumped;
  const auto executable = cpu_backend::make_executable(graph, {.dump = sink_of(dumped)});
  executable->run(std::vector<Tensor>{random({1, 16, 8, 8}, 1), random({16, 16, 3, 3}, 2),
                                      random({16, 16, 3, 3}, 3)});
  return dumped;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Environment {
 public:
  explicit Environment(const char* value) { setenv("MITHRIL_DUMP", value, 1); }
  ~Environment() { unsetenv("MITHRIL_DUMP"); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};

}  // namespace

TEST_CASE("each pass is dumped once, in the order of the pipeline") {
  CHECK(dumped().passes ==
        std::vector<std::string>{"decompose_batch_norm", "fold_padding", "join_slice_gradients",
                                 "narrow_integer_products", "fuse_multiply_adds", "legalize_half",
                                 "layouts", "fusion", "schedule", "lowering", "epilogues", "slices",
                                 "rows", "loops", "memory", "instantiate"});
}

TEST_CASE("the dump of a rewrite shows its own changes only") {
  Dumped dumped;
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float32[1, 2, 4, 4]\n"
      "  input w: float32[2, 2, 3, 3]\n"
      "  input s: float32[2]\n"
      "  input h: float16[4]\n"
      "  p: float32[1, 2, 6, 6] = pad(input: x, pad_width: ((0, 0), (0, 0), (1, 1), (1, 1)), "
      "value: "
      "0.0)\n"
      "  c: float32[1, 2, 4, 4] = conv2d(input: p, weight: w, bias: None, stride: 1, padding: 0, "
      "dilation: 1, groups: 1)\n"
      "  b: float32[1, 2, 4, 4] = batch_norm_inference(input: c, mean: s, variance: s, "
      "weight: s, bias: s, eps: 1e-05)\n"
      "  r: float16[4] = relu(input: h)\n"
      "  output b = b\n"
      "  output r = r\n"
      "}\n");
  cpu_backend::make_executable(graph, {.dump = sink_of(dumped)});
  const std::string& decomposed = dumped.after("decompose_batch_norm");
  CHECK(!contains(decomposed, "batch_norm_inference"));
  CHECK(contains(decomposed, "pad(input: x"));
  const std::string& folded = dumped.after("fold_padding");
  CHECK(!contains(folded, "pad(input: x"));
  CHECK(!contains(folded, "storage_cast"));
  CHECK(contains(dumped.after("legalize_half"), "storage_cast"));
}

TEST_CASE("dumps show groups, steps, epilogues and buffers") {
  const Dumped dump = dumped();
  CHECK(contains(dump.after("legalize_half"), "t: float32[1, 16, 8, 8] = tanh(input: s)"));
  CHECK(contains(dump.after("fusion"), "group: s = sigmoid; t = tanh\n"));
  CHECK(contains(dump.after("lowering"), "relu: c -> r"));
  CHECK(contains(dump.after("lowering"), "sigmoid+tanh: d -> t"));
  CHECK(contains(dump.after("epilogues"), "conv2d+relu: x, w -> r"));
  CHECK(contains(dump.after("epilogues"), "conv2d+sigmoid+tanh: r, v -> t"));
  CHECK(contains(dump.after("memory"), "outputs 64 bytes\n"));
  CHECK(contains(dump.after("memory"), "m: buffer 4 at 0, 64 bytes, steps 2 to 2\n"));
  CHECK(contains(dump.after("instantiate"), "step 0: conv2d+relu: traversal small\n"));
  CHECK(contains(dump.after("instantiate"), "output m: buffer 4\n"));
}

TEST_CASE("gates of a recurrent layer are neither copied nor added up") {
  Dumped dumped;
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float32[4, 32]\n"
      "  input w: float32[32, 64]\n"
      "  m: float32[4, 64] = matmul(left: x, right: w)\n"
      "  a: float32[4, 32] = slice(input: m, starts: (0,), stops: (32,), steps: None, axes: (1,))\n"
      "  b: float32[4, 32] = slice(input: m, starts: (32,), stops: (64,), steps: None, axes: "
      "(1,))\n"
      "  p: float32[4, 32] = multiply(left: a, right: b)\n"
      "  c: float32[4, 64] = slice_grad(input: p, like: m, starts: (32,), stops: (64,), steps: "
      "None, "
      "axes: (1,))\n"
      "  d: float32[4, 64] = slice_grad(input: p, like: m, starts: (0,), stops: (32,), steps: "
      "None, "
      "axes: (1,))\n"
      "  s: float32[4, 64] = add(left: c, right: d)\n"
      "  output s = s\n"
      "}\n");
  const auto executable = cpu_backend::make_executable(graph, {.dump = sink_of(dumped)});
  executable->run(std::vector<Tensor>{random({4, 32}, 1), random({32, 64}, 2)});
  CHECK(contains(dumped.after("fold_padding"), " = slice_grad("));
  const std::string& joined = dumped.after("join_slice_gradients");
  CHECK(contains(joined, "s: float32[4, 64] = concat("));
  CHECK(!contains(joined, "slice_grad("));
  CHECK(contains(dumped.after("epilogues"), "step 1: slice: m -> a\n"));
  CHECK(contains(dumped.after("slices"), "step 1: slice+slice+multiply: m -> p\n"));
}

TEST_CASE("dumps show the first elements of large constants") {
  std::string elements = "1";
  for (int i = 2; i <= 20; ++i) elements += ", " + std::to_string(i);
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float32[20]\n"
      "  constant small: float32[8] = {1, 2, 3, 4, 5, 6, 7, 8}\n"
      "  constant large: float32[20] = {" +
      elements +
      "}\n"
      "  y: float32[20] = add(left: x, right: large)\n"
      "  output small = small\n"
      "  output y = y\n"
      "}\n");
  std::string text;
  cpu_backend::make_executable(graph, {.dump = [&](std::string_view pass, const std::string& dump) {
                                 if (pass == "legalize_half") text = dump;
                               }});
  CHECK(contains(text, "small: float32[8] = {1, 2, 3, 4, 5, 6, 7, 8}\n"));
  CHECK(contains(text, "large: float32[20] = {1, 2, 3, 4, 5, 6, 7, 8, ... 12 more}\n"));
}

TEST_CASE("MITHRIL_DUMP lists passes by name") {
  CHECK(!cpu_backend::dump_from_environment());
  {
    const Environment environment("memory,layouts");
    CHECK(cpu_backend::dump_from_environment());
  }
  const Environment environment("layout");
  const std::string text = text_of_error([] { cpu_backend::dump_from_environment(); });
  CHECK(
      text.starts_with("mithril.ValueError[E0436]: MITHRIL_DUMP lists 'layout', which is not a "
                       "pass of the CPU backend"));
}

}  // namespace mithril::tests
