// Packages that are written and read.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "mithril/base/file_pages.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/serialization/safetensors.hpp"
#include "mithril/tensor/functions.hpp"
#include "tests/environment.hpp"
#include "tests/packages/edit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using namespace tests;

void check_same_tensors(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& [key, tensor] : a) CHECK(identical(tensor, b.at(key)));
}

Tensor direct_answer() {
  const Model model = packaged_model();
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, -1, 0, 1, 2});
  return compile(model, cpu(), {.inference = true})
      .evaluate(packaged_params(model), {{"x", x}})
      .at("y");
}

}  // namespace

TEST_CASE("a package has the model, the parameters and a description") {
  const FileFolder folder;
  const Package package = load_package(sample_package(folder, "p",
                                                      {.model_type = "mlp",
                                                       .licence = "Apache-2.0",
                                                       .source = "this test",
                                                       .sizes = {{"hidden_size", 3}}}));
  CHECK(package.make_model() == packaged_model());
  CHECK(package.model() == packaged_model());  // the old name, until 0.2
  check_same_tensors(package.params(), packaged_params(packaged_model()));
  CHECK(package.state().empty());
  const PackageInfo& info = package.info();
  CHECK(info.name == "p");
  CHECK(info.revision.size() == 12);
  CHECK(info.created_at.size() == 20);
  CHECK(info.model_type == "mlp");
  CHECK(info.licence == "Apache-2.0");
  CHECK(info.source == "this test");
  CHECK(info.backends == std::vector<std::string>{"cpu", "torch", "jax"});
  REQUIRE(info.inputs.size() == 1);
  CHECK(info.inputs[0].name == "x");
  CHECK(info.inputs[0].dtype == DType::float32);
  CHECK(*info.inputs[0].shape == KnownShape{"N", 4});
  REQUIRE(info.outputs.size() == 1);
  CHECK(info.outputs[0].name == "y");
  CHECK(*info.outputs[0].shape == KnownShape{"N", 2});
  CHECK(info.sizes.at("parameters") == 3 * 4 + 3 + 2 * 3 + 2);
  CHECK(info.sizes.at("hidden_size") == 3);
  CHECK(package.assets() == std::vector<std::string>{"tokenizer.json"});
  CHECK(package.file("tokenizer.json") == "{}");
  CHECK(package.backend_options("cpu") == "");
  package.verify();
}

TEST_CASE("a package states the shapes that it was saved with") {
  const FileFolder folder;
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  const TensorMap params =
      compile(model, cpu(), {.shapes = {{"x", {"N", 4}}}, .inference = true}).get_parameters();
  save_package(folder.at("p"), model, params, {.shapes = {{"x", {"N", 4}}}});
  const Package package = load_package(folder.at("p"));
  CHECK(*package.info().inputs[0].shape == KnownShape{"N", 4});
  CHECK(*package.info().outputs[0].shape == KnownShape{"N", 2});
  CHECK(package.make_model().shape("x") == KnownShape{"N", 4});
  CHECK_THROWS_AS(save_package(folder.at("q"), model, params, {.shapes = {{"z", {1}}}}), NameError);
}

TEST_CASE("a bound model reads the parameters of its package in the file") {
  const FileFolder folder;
  Model model;
  model |= Linear({.dimension = 2})(
      {{"input", IOKey{.name = "x", .shape = {{"N", 4}}}}, {"output", "y"}});
  const TensorMap params = packaged_params(model);
  save_package(folder.at("p"), model, params);
  std::optional<Package> package = load_package(folder.at("p"));
  const std::string weight = package->params().keys().front();
  const void* stored = package->params().at(weight).raw_data();
  const CompiledModel bound = package->compile_bound(cpu());
  const Tensor x = Tensor::of<float>({1, 4}, {1, 2, 3, 4});
  const Tensor answer = bound.evaluate({}, {{"x", x}}).at("y");
  CHECK(are_file_pages(stored, 1));
  package.reset();
  CHECK(are_file_pages(stored, 1));  // the bound model keeps the file
  CHECK(identical(bound.evaluate({}, {{"x", x}}).at("y"), answer));
}

TEST_CASE("a folder and a .zip file of it give the same answers") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  const Tensor expected = direct_answer();
  CHECK(identical(answer_of(load_package(path)), expected));
  CHECK(identical(answer_of(load_package(path + "/", {.verify = PackageChecks::lazy})), expected));
  copy_package(path, folder.at("p.zip"));
  CHECK(identical(answer_of(load_package(folder.at("p.zip"))), expected));
  copy_package(folder.at("p.zip"), folder.at("again"));
  for (const char* name :
       {"metadata.json", "model.json", "model_info.json", "model.safetensors", "tokenizer.json"}) {
    CHECK(PackageEdit::contents(folder.at("again/") + name) ==
          PackageEdit::contents(path + "/" + name));
  }
  const Package bound = load_package(folder.at("again"));
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, -1, 0, 1, 2});
  CHECK(allclose(bound.compile_bound(cpu()).evaluate({}, {{"x", x}}).at("y"), expected));
}

TEST_CASE("tensors of a folder and of a .zip file are mapped, not copied") {
  const FileFolder folder;
  sample_package(folder);
  copy_package(folder.at("p"), folder.at("p.zip"));
  for (const char* name : {"p", "p.zip"}) {
    const Package package = load_package(folder.at(name));
    const std::string_view file = package.file("model.safetensors");
    for (const auto& [key, tensor] : package.params()) {
      const auto* data = static_cast<const char*>(tensor.raw_data());
      CHECK(data >= file.data());
      CHECK(data + tensor.bytes() <= file.data() + file.size());
      CHECK(tensor.read_only());
    }
  }
}

TEST_CASE("a package has states, shards, options and files for backends") {
  const FileFolder folder;
  Model model;
  model |= BatchNorm1D()({{"input", IOKey{.name = "x", .shape = {{"N", 4}}}}, {"output", "y"}});
  const CompiledModel compiled = compile(model, cpu());
  const TensorMap params = compiled.get_parameters();
  State state = compiled.initial_state_dict();
  for (auto& [key, tensor] : state) tensor = Tensor::full(tensor.dtype(), tensor.dims(), 3);
  folder.write("vocab", "a b c");
  save_package(folder.at("p"), model, params,
               {.state = &state,
                .backends = {{.name = "cpu",
                              .options = R"({"threads": 2})",
                              .files = {{.name = "libmodel.so", .bytes = std::string("none")}}}},
                .assets = {{.name = "text/vocab.txt", .path = folder.at("vocab")}},
                .max_shard_bytes = 16});
  const Package package = load_package(folder.at("p"), {.backend = "cpu"});
  CHECK(fs::exists(folder.at("p/model.safetensors.index.json")));
  check_same_tensors(package.params(), params);
  check_same_tensors(package.state(), state);
  check_same_tensors(load_safetensors(folder.at("p")).tensors.without_prefix("state:"), state);
  CHECK(package.info().backends == std::vector<std::string>{"cpu"});
  CHECK(package.backend_options("cpu") == R"({"threads": 2})");
  CHECK(package.file("text/vocab.txt") == "a b c");
  const Package trusted = load_package(folder.at("p"), {.allow_native_code = true});
  CHECK(trusted.native_file("backends/cpu/libmodel.so") == folder.at("p/backends/cpu/libmodel.so"));
  const Tensor x = Tensor::full(DType::float32, {2, 4}, 3);
  const CompiledModel ready = package.compile(cpu());
  const TensorMap outputs = ready.evaluate(package.params(), {{"x", x}}, package.state()).first;
  for (const float y : outputs.at("y").values<float>())
    CHECK(y == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("Ctrl-C ends the comparison of checksums") {
  const FileFolder folder;
  const Package package = load_package(sample_package(folder));
  // The library checks for an interrupt again after this time.
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  set_interrupt_callback([] { return true; });
  CHECK_THROWS_AS(package.verify(), Interrupted);
  set_interrupt_callback(nullptr);
  CHECK_NOTHROW(package.verify());
}

TEST_CASE("a folder that is replaced while others read it is one package or the other") {
  const FileFolder folder;
  const Model model = packaged_model();
  const TensorMap first = packaged_params(model, 1), second = packaged_params(model, 2);
  const auto write = [&](const TensorMap& params) {
    save_package(folder.at("p"), model, params,
                 {.assets = {{.name = "a/b/c.txt", .bytes = std::string("c")}}});
  };
  write(first);
  std::atomic<bool> ended{false};
  std::string wrong;
  std::thread reader([&] {
    while (!ended && wrong.empty()) {
      try {
        const Package package = load_package(folder.at("p"));
        const TensorMap& params = package.params();
        const bool is_first = identical(params.begin()->tensor(), first.begin()->tensor());
        const TensorMap& expected = is_first ? first : second;
        for (const auto& [key, tensor] : params) {
          if (!identical(tensor, expected.at(key))) wrong = "tensors of both";
        }
      } catch (const Error& error) {
        wrong = error.what();
      }
    }
  });
  for (std::uint64_t i = 0; i < tests::sampled(20, 100); ++i) write(i % 2 == 0 ? second : first);
  ended = true;
  reader.join();
  CHECK(wrong == "");
}

TEST_CASE("a replaced package stays readable in processes that opened it") {
  const FileFolder folder;
  const Model model = packaged_model();
  save_package(folder.at("p"), model, packaged_params(model, 1));
  // `checks` is the old name of `verify`, until 0.2.
  const Package first = load_package(folder.at("p"), {.checks = PackageChecks::lazy});
  save_package(folder.at("p"), model, packaged_params(model, 2));
  check_same_tensors(first.params(), packaged_params(model, 1));
  check_same_tensors(load_package(folder.at("p")).params(), packaged_params(model, 2));
  first.verify();
  CHECK(std::distance(fs::directory_iterator(folder.at(".")), {}) == 1);
}

}  // namespace mithril
