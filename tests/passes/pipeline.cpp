// The pass pipeline: order, skipping, tracing, and errors of passes.
#include "mithril/passes/pipeline.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "mithril/eval/interpreter.hpp"
#include "tests/graph/random_graph.hpp"

using namespace mithril;

namespace {

Graph small_graph() { return parse_graph("graph { input x: float32[N] output y = x }"); }

template <class E>
std::string error_of(const Graph& graph, const PipelineOptions& options) {
  try {
    run_passes(graph, options);
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

std::vector<std::string> passes_run(PipelineOptions options) {
  std::vector<std::string> names;
  options.trace = [&](const Pass& pass, const Graph&) { names.emplace_back(pass.name); };
  run_passes(small_graph(), options);
  return names;
}

}  // namespace

TEST_CASE("passes do not change the results") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Graph before = tests::random_graph(seed), after = run_passes(before);
    CHECK(after.nodes().size() <= before.nodes().size());
    for (const int64_t rows : {0, 1, 4}) {
      const auto inputs = tests::random_inputs(seed, rows);
      const auto expected = interpret(before, inputs), got = interpret(after, inputs);
      REQUIRE(got.size() == expected.size());
      for (size_t i = 0; i < got.size(); ++i) CHECK(identical(got[i], expected[i]));
    }
  }
}

TEST_CASE("passes run in the order of the list, without those that are skipped") {
  CHECK(passes_run({}) == std::vector<std::string>{"expand_ops", "fold_constants",
                                                   "eliminate_common_subexpressions",
                                                   "eliminate_dead_nodes"});
  CHECK(passes_run({.skip = {"eliminate_common_subexpressions", "expand_ops"}}) ==
        std::vector<std::string>{"fold_constants", "eliminate_dead_nodes"});
}

TEST_CASE("an unknown pass gives the nearest names") {
  CHECK(error_of<NameError>(small_graph(), {.skip = {"eliminate_common_subexpression"}}) ==
        "mithril.NameError[E0612]: there is no pass 'eliminate_common_subexpression'\n"
        "  known : expand_ops, fold_constants, eliminate_common_subexpressions, "
        "eliminate_dead_nodes\n"
        "  help: did you mean 'eliminate_common_subexpressions'?");
}

TEST_CASE("the graph is printed after each pass") {
  std::ostringstream stream;
  run_passes(small_graph(),
             {.skip = {"expand_ops", "fold_constants", "eliminate_common_subexpressions"},
              .trace = print_to(stream)});
  CHECK(stream.str() == "after eliminate_dead_nodes:\n" + to_string(small_graph()));
}

TEST_CASE("a pass that throws is named and its input shown") {
  const Pass bad{"bad", [](const Graph&) -> Graph { throw std::runtime_error("boom"); }};
  const std::string error = error_of<InternalError>(small_graph(), {.passes = {bad}});
  CHECK(error == "mithril: internal error in pass 'bad': boom\nThe pass was given\n" +
                     to_string(small_graph()));
}

TEST_CASE("an error of a pass keeps its class and names the pass") {
  const Pass bad{"bad", [](const Graph&) -> Graph {
                   raise({.kind = ErrorKind::shape, .code = "E0299", .message = "too square"});
                 }};
  const std::string error = error_of<ShapeError>(small_graph(), {.passes = {bad}});
  CHECK(error.find("E0299") != std::string::npos);
  CHECK(error.find("too square (in pass 'bad')") != std::string::npos);
  CHECK(error.find(to_string(small_graph())) != std::string::npos);
}

TEST_CASE("a pass whose result is not valid is named") {
  const Pass bad{"bad", [](const Graph& graph) {
                   Graph result = graph;
                   result.add_value({.name = "lost"});
                   return result;
                 }};
  const std::string error = error_of<InternalError>(small_graph(), {.passes = {bad}});
  CHECK(error.find("in pass 'bad'") != std::string::npos);
  CHECK(error.find("value 'lost': nothing makes it") != std::string::npos);
  CHECK_NOTHROW(run_passes(small_graph(), {.passes = {bad}, .verify = false}));
}

TEST_CASE("a long graph is cut in an error") {
  Graph graph;
  for (int i = 0; i < 2000; ++i) graph.add_input({.name = "input_" + std::to_string(i)});
  const Pass bad{"bad", [](const Graph&) -> Graph { throw std::runtime_error("boom"); }};
  const std::string error = error_of<InternalError>(graph, {.passes = {bad}});
  CHECK(error.size() < 10000);
  CHECK(error.find("more characters") != std::string::npos);
}
