// Packages of TorchScript on the backend on PyTorch, from C++.
#include <doctest/doctest.h>

#include <thread>

#include "backends/torch/torch.hpp"
#include "mithril/engine/engine.hpp"
#include "tests/packages/sample.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {
namespace {

TensorMap script_request() { return {{"x", Tensor::of<float>({2, 4}, {1, 2, 3, 4, -1, 0, 1, 2})}}; }

std::vector<PackagePort> script_ports(const char* name, DType dtype, std::int64_t size) {
  return {{.name = name, .dtype = dtype, .shape = KnownShape{"N", size}}};
}

// Writes the sample model as TorchScript, for two rows, to the package "p"; returns its path.
std::string script_package(const FileFolder& folder) {
  const Model model = packaged_model();
  const CompiledModel compiled = compile(model, torch());
  compiled.save_torchscript(folder.at("model.pt"), packaged_params(model), script_request());
  save_native_package(
      folder.at("p"), script_ports("x", DType::float32, 4), script_ports("y", DType::float32, 2),
      {.backends = {
           {.name = "torch", .files = {{.name = "model.pt", .path = folder.at("model.pt")}}}}});
  return folder.at("p");
}

Tensor script_answer() {
  const Model model = packaged_model();
  return compile(model, torch()).evaluate(packaged_params(model), script_request()).at("y").host();
}

}  // namespace

TEST_CASE("an engine serves TorchScript of a package to many threads, and frees it") {
  if (!has_torch()) return skip_without_torch();
  const FileFolder folder;
  const Package package = load_package(script_package(folder), {.allow_native_code = true});
  const std::shared_ptr<Backend> backend = torch();
  const Tensor expected = script_answer();
  Engine engine;
  engine.register_model("net", package, backend);
  CHECK(engine.memory() ==
        static_cast<std::int64_t>(package.file("backends/torch/model.pt").size()));
  CHECK(backend->memory()->stats().allocated > 0);
  std::vector<Tensor> answers(4);
  std::vector<std::thread> threads;
  for (Tensor& answer : answers) {
    threads.emplace_back(
        [&] { answer = engine.infer("net", script_request()).at("y").host().copy(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& answer : answers) CHECK(identical(answer, expected));
  engine.unload("net");
  CHECK(engine.memory() == 0);
  CHECK(backend->memory()->stats().allocated == 0);
}

TEST_CASE("TorchScript of a package has the calls of a compiled model that need no graph") {
  if (!has_torch()) return skip_without_torch();
  const FileFolder folder;
  const Package package = load_package(script_package(folder), {.allow_native_code = true});
  const CompiledModel compiled = package.compile(torch());
  CHECK(compiled.data_keys() == std::vector<std::string>{"x"});
  CHECK(identical(compiled.evaluate({}, script_request()).at("y").host(), script_answer()));
  CHECK(compiled.summary().find("[N, 2]") != std::string::npos);
  CHECK(folder.error([&] { static_cast<void>(compiled.exported(script_request())); })
            .starts_with("mithril.BackendError[E1048]: exporting needs the graph of the model, "
                         "which is native code\n"));
}

TEST_CASE("TorchScript of a package runs with permission and on the backend that it lists") {
  if (!has_torch()) return skip_without_torch();
  const FileFolder folder;
  const std::string path = script_package(folder);
  CHECK(folder.error([&] { load_package(path); })
            .starts_with("mithril.BackendError[E1041]: p/backends/torch/model.pt: the package "
                         "needs native code: it has no model.json"));
  const Package package = load_package(path, {.allow_native_code = true});
  Engine engine;
  CHECK(folder.error([&] { engine.register_model("net", package, cpu()); })
            .starts_with("mithril.BackendError[E1040]"));
  CHECK(engine.list_models().empty());
}

}  // namespace mithril::tests
