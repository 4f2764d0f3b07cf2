// Packages that an engine serves.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "mithril/engine/engine.hpp"
#include "tests/packages/sample.hpp"

namespace mithril::tests {
namespace {

const Dims two_rows = {2, 4};

TensorMap package_request() {
  return {{"x", Tensor::of<float>(two_rows, {1, 2, 3, 4, -1, 0, 1, 2})}};
}

// A batch may add numbers in another order.
bool is_near(const Tensor& a, const Tensor& b) {
  const auto x = a.values<float>(), y = b.values<float>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](float u, float v) { return std::abs(u - v) < 1e-5F; });
}

}  // namespace

TEST_CASE("an engine serves a package, as a folder and as an archive") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  copy_package(path, folder.at("p.zip"));
  const Tensor expected = answer_of(load_package(path));
  for (const std::string& stored : {path, folder.at("p.zip")}) {
    Engine engine;
    engine.register_model("net", load_package(stored), cpu());
    CHECK(identical(engine.infer("net", package_request()).at("y"), expected));
    engine.register_model("net", load_package(stored), cpu(),
                          {.max_batch_size = 8, .max_delay = std::chrono::milliseconds(0)});
    CHECK(engine.infer("net", package_request()).at("y").dims() == Dims{2, 2});
    CHECK(engine.model_info("net").options.max_batch_size == 8);
  }
}

TEST_CASE("8 threads on two packages get the answers of their own") {
  const FileFolder folder;
  const Model model = packaged_model();
  Engine engine;
  std::vector<Tensor> expected;
  for (const std::uint64_t seed : {1, 2}) {
    const std::string name = "p" + std::to_string(seed);
    save_package(folder.at(name), model, packaged_params(model, seed));
    const Package package = load_package(folder.at(name));
    expected.push_back(answer_of(package));
    engine.register_model(
        name, package, cpu(),
        {.max_batch_size = seed == 1 ? 4 : 1, .max_delay = std::chrono::microseconds(200)});
  }
  REQUIRE_FALSE(identical(expected[0], expected[1]));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, of = i % 2] {
      const std::string name = "p" + std::to_string(of + 1);
      const Package own = load_package(folder.at(name));
      for (int k = 0; k < 20; ++k) {
        const Tensor served = engine.infer(name, package_request()).at("y");
        const Tensor computed = answer_of(own);
        for (const Tensor& got : {served, computed}) {
          if (!is_near(got, expected[of])) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a package is compiled again after an eviction, although its folder was replaced") {
  const FileFolder folder;
  const Package package = load_package(sample_package(folder));
  const Tensor expected = answer_of(package);
  Engine first;
  first.register_model("a", package, cpu());
  Engine engine({.memory_limit = first.memory()});
  engine.register_model("a", package, cpu());
  engine.register_model("b", package, cpu());
  CHECK_FALSE(engine.model_info("a").loaded);
  std::filesystem::remove_all(package.path());
  CHECK(identical(engine.infer("a", package_request()).at("y"), expected));
  CHECK(engine.stats("a").loads == 2);
  CHECK_FALSE(engine.model_info("b").loaded);
}

TEST_CASE("a package that does not list the backend is not registered") {
  const FileFolder folder;
  const Package package =
      load_package(sample_package(folder, "p", {.backends = {{.name = "torch"}}}));
  Engine engine;
  CHECK(folder.error([&] { engine.register_model("net", package, cpu()); })
            .starts_with("mithril.BackendError[E1040]: p/model_info.json: the package does not "
                         "list the backend 'cpu'"));
  CHECK(engine.list_models().empty());
}

}  // namespace mithril::tests
