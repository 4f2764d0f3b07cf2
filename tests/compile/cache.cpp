// Compiling with a cache gives the same results as without.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <random>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/compile/graph_cache.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/table/compare.hpp"

namespace mithril {
namespace {

using tests::CacheFolder;
using tests::contents;
using tests::replace_contents;

CompiledModel compiled(bool cache, CompileOptions options = {}) {
  Model model;
  model |= Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  model |= Gelu()({{"input", "h"}, {"output", "a"}});
  model |= Gelu()({{"input", "h"}, {"output", "b"}});
  model |= Model::op("multiply")({{"left", "a"}, {"right", "b"}, {"output", "y"}});
  if (options.shapes.empty()) options.shapes = {{"x", {any, 2}}};
  options.cache = cache;
  return compile(model, cpu(), options);
}

struct Results {
  TensorMap outputs, gradients;
  std::string summary;
};

Results results_of(const CompiledModel& model) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, -2, 3, 4});
  const Tensor incoming = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto [outputs, gradients] = model.evaluate(model.get_parameters(), {{"x", x}}, {{"y", incoming}});
  return {std::move(outputs), std::move(gradients), model.summary()};
}

void check_same(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& [key, tensor] : a) CHECK(identical(b.at(key), tensor));
}

void check_as_without(const CompileOptions& options = {}) {
  const Results with = results_of(compiled(true, options)),
                without = results_of(compiled(false, options));
  check_same(with.outputs, without.outputs);
  check_same(with.gradients, without.gradients);
  CHECK(with.summary == without.summary);
}

// Returns the inode of the file, which differs after the file is written again.
ino_t identity(const std::string& path) {
  struct stat about;
  REQUIRE(stat(path.c_str(), &about) == 0);
  return about.st_ino;
}

std::vector<ino_t> identities(const CacheFolder& folder) {
  std::vector<ino_t> all;
  for (const std::string& path : folder.files()) all.push_back(identity(path));
  return all;
}

// The key at the start of the file of an entry.
std::string key_of(const std::string& path) {
  const std::string whole = contents(path);
  uint64_t length = 0;
  std::copy_n(whole.data() + 24, sizeof(length), reinterpret_cast<char*>(&length));
  return whole.substr(32, length);
}

bool any_graph(const Graph&) { return true; }

Graph one_relu() {
  return parse_graph("graph { input x: float32[N] y: float32[N] = relu(input: x) output y = y }");
}

}  // namespace

TEST_CASE("a model that was compiled before is read, with its gradients") {
  const CacheFolder folder;
  compiled(true);
  CHECK(folder.files().size() == 1);
  check_as_without();
  CHECK(folder.files().size() == 2);
  const std::vector<ino_t> before = identities(folder);
  check_as_without();
  CHECK(identities(folder) == before);
}

TEST_CASE("graphs are not cached without cache=True or while debugging") {
  const CacheFolder folder;
  compiled(false);
  compiled(true, {.debug = true});
  CHECK(folder.files().empty());
}

TEST_CASE("each combination of options has its own entry") {
  const CacheFolder folder;
  size_t entries = 0;
  const CompileOptions all[] = {{},
                                {.shapes = {{"x", {5, 2}}}},
                                {.shapes = {{"x", {"N", 2}}}},
                                {.optimization_level = mithril::OptimizationLevel::none},
                                {.discard_keys = {"a"}}};
  for (const CompileOptions& options : all) {
    compiled(true, options);
    CHECK(folder.files().size() == ++entries);
  }
  const std::vector<ino_t> before = identities(folder);
  for (const CompileOptions& options : all) compiled(true, options);
  CHECK(identities(folder) == before);
}

TEST_CASE("gradients of other outputs, and with checkpoints, have their own entries") {
  const CacheFolder folder;
  check_as_without();
  check_as_without({.use_checkpointing = true});
  CHECK(folder.files().size() == 3);
  const CompiledModel model = compiled(true);
  const Tensor x = Tensor::full(DType::float32, {1, 2}, 1),
               g = Tensor::full(DType::float32, {1, 3}, 1);
  model.evaluate(model.get_parameters(), {{"x", x}}, {{"a", g}});
  CHECK(folder.files().size() == 4);
}

TEST_CASE("short names, inference models and optimization levels work with a cache") {
  const CacheFolder folder;
  for (int times = 0; times < 2; ++times) {
    check_as_without({.use_short_namings = true});
    check_as_without({.optimization_level = mithril::OptimizationLevel::none});
    CHECK(compiled(true, {.inference = true}).summary() ==
          compiled(false, {.inference = true}).summary());
  }
}

TEST_CASE("hooks and fixed parameters work on a model from the cache") {
  const CacheFolder folder;
  compiled(true);
  CompiledModel model = compiled(true);
  const TensorMap params = model.get_parameters();
  const Tensor x = Tensor::full(DType::float32, {1, 2}, 1);
  const Tensor expected = model.evaluate(params, {{"x", x}}).at("y");
  const Tensor bound = model.bind(params).evaluate({}, {{"x", x}}).at("y");
  CHECK(tests::difference(bound, expected, 1e-6).empty());
  int calls = 0;
  model.register_hook("b", [&](const Tensor&) { ++calls; });
  CHECK(identical(model.evaluate(params, {{"x", x}}).at("y"), expected));
  CHECK(calls == 1);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("an entry that is damaged, truncated or of another kind is made again") {
  const CacheFolder folder;
  results_of(compiled(true));
  const std::vector<std::string> paths = folder.files();
  REQUIRE(paths.size() == 2);
  std::mt19937 random(3);
  for (const std::string& path : paths) {
    const std::string whole = contents(path);
    for (int times = 0; times < 12; ++times) {
      CAPTURE(times);
      std::string damaged = whole;
      if (times % 3 == 0) damaged[random() % whole.size()] ^= 1;
      if (times % 3 == 1) damaged.resize(random() % whole.size());
      if (times % 3 == 2) damaged = contents(path == paths[0] ? paths[1] : paths[0]);
      replace_contents(path, damaged);
      check_as_without();
      CHECK(contents(path) == whole);
    }
  }
}

TEST_CASE("an entry that is complete but not a graph is made again") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  const GraphCache cache(files);
  const Graph base = one_relu();
  int made = 0;
  const auto make = [&] { return ++made, base; };
  CHECK(cache.find_or_make(base, "as it is", make, any_graph) == base);
  const std::string path = folder.files().at(0), whole = contents(path);
  const std::string key = key_of(path);
  REQUIRE(files.file_of(key) == path);
  for (const char* entry : {"", "not a graph", "\1\2\3"}) {
    files.keep(key, entry);
    CHECK(cache.find_or_make(base, "as it is", make, any_graph) == base);
  }
  CHECK(made == 4);
  CHECK(cache.find_or_make(base, "as it is", make, any_graph) == base);
  CHECK(made == 4);
}

TEST_CASE("an entry with other inputs or outputs than the graph must have is made again") {
  const CacheFolder folder;
  results_of(compiled(true));
  const std::vector<std::string> paths = folder.files();
  REQUIRE(paths.size() == 2);
  const CacheFiles files(folder.path());
  const std::string keys[] = {key_of(paths[0]), key_of(paths[1])};
  const std::string entries[] = {*files.find(keys[0]), *files.find(keys[1])};
  for (const size_t i : {0, 1}) {  // the gradient in the place of the graph, and back
    files.keep(keys[i], entries[1 - i]);
    check_as_without();
    CHECK(*files.find(keys[i]) == entries[i]);
  }
}

TEST_CASE("an entry that describes a graph which breaks a rule is made again") {
  const CacheFolder folder;
  const GraphCache cache{CacheFiles(folder.path())};
  const Graph base = one_relu();
  Graph broken = base;
  broken.restate(broken.id_of("y"), {.name = "y", .dims = {Dim(3)}, .dtype = DType::int64});
  CHECK_THROWS_AS(verify(broken), InternalError);
  cache.find_or_make(
      base, "as it is", [&] { return broken; }, any_graph);
  REQUIRE(folder.files().size() == 1);
  CHECK(cache.find_or_make(
            base, "as it is", [&] { return base; }, any_graph) == base);
}

TEST_CASE("a folder that cannot be written is not an error") {
  const CacheFolder folder;
  CacheFolder::use("/proc/no_such");
  check_as_without();
}

TEST_CASE("a graph with a user's op is not cached") {
  OpDef op = find_op("relu");
  op.name = "users_relu";
  const CacheFolder folder;
  const GraphCache cache{CacheFiles(folder.path())};
  Graph graph;
  graph.add_output("y", graph.add(op, {graph.add_input({.name = "x", .dims = {Dim(2)}})}, "y")[0]);
  int made = 0;
  for (int times = 0; times < 2; ++times) {
    cache.find_or_make(
        graph, "as it is", [&] { return ++made, graph; }, any_graph);
    cache.find_or_make(
        one_relu(), "to the user's", [&] { return ++made, graph; }, any_graph);
  }
  CHECK(made == 4);
  CHECK(folder.files().empty());
}

TEST_CASE("a graph with a redefined op is not cached") {
  OpDef op = find_op("relu");
  const CacheFolder folder;
  const GraphCache cache{CacheFiles(folder.path())};
  Graph graph;
  graph.add_output("y", graph.add(op, {graph.add_input({.name = "x", .dims = {Dim(2)}})}, "y")[0]);
  cache.find_or_make(
      graph, "as it is", [&] { return graph; }, any_graph);
  CHECK(folder.files().empty());
}

}  // namespace mithril
