// Each kind of bad input has an error of its own, and the engine keeps serving.
// python/tests/test_bad_input.py is the same for Python, C and HTTP.
#include <doctest/doctest.h>

#include "mithril/engine/engine.hpp"
#include "tests/packages/edit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril::tests {
namespace {

struct BadRequest {
  const char *kind, *code, *model;
  TensorMap (*inputs)();
};

TensorMap row_of(Dims dims) { return {{"x", Tensor(DType::float32, std::move(dims))}}; }

const BadRequest bad_requests[] = {
    {"an unknown model", "E1201", "ent",
     [] {
       return row_of({2, 4});
     }},
    {"a missing input", "E0801", "net", [] { return TensorMap(); }},
    {"an unknown input", "E0802", "net",
     [] {
       TensorMap inputs = row_of({2, 4});
       inputs["z"] = Tensor();
       return inputs;
     }},
    {"another rank", "E0803", "net", [] { return row_of({4}); }},
    {"another size", "E0804", "net",
     [] {
       return row_of({2, 3});
     }},
    {"another dtype", "E0805", "net",
     [] {
       return TensorMap{{"x", Tensor(DType::int64, {2, 4})}};
     }},
};

struct BadPackage {
  const char *kind, *code;
  void (*change)(PackageEdit&);
};

const BadPackage bad_packages[] = {
    {"another format version", "E0760",
     [](PackageEdit& edit) {
       edit.replace("metadata.json", "\"format_version\": 1", "\"format_version\": 2");
     }},
    {"another checksum", "E0766",
     [](PackageEdit& edit) { edit.files.at("model.safetensors").back() ^= 1; }},
    {"a backend that is not available", "E1040",
     [](PackageEdit& edit) {
       edit.replace("model_info.json", "\"cpu\"", "\"abacus\"");
       edit.list_again();
     }},
    {"native code", "E1041",
     [](PackageEdit& edit) {
       edit.files.erase("model.json");
       edit.files["backends/cpu/model.so"] = "code";
       edit.list_again();
     }},
};

template <typename Action>
std::string code_of_error(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

}  // namespace

TEST_CASE("each kind of bad request has its own error, and the engine keeps serving") {
  const FileFolder folder;
  Engine engine;
  engine.register_model("net", load_package(sample_package(folder)), cpu());
  for (const BadRequest& bad : bad_requests) {
    CAPTURE(bad.kind);
    CHECK(code_of_error([&] { engine.infer(bad.model, bad.inputs()); }) == bad.code);
    CHECK(engine.infer("net", row_of({2, 4})).at("y").dims() == Dims{2, 2});
  }
}

TEST_CASE("each kind of bad package has its own error, and the engine keeps serving") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  const PackageEdit whole(path);
  const auto load = [&] {
    const Package package = load_package(path);
    return ServableModel{package.compile(cpu()), package.params().share()};
  };
  Engine first;
  first.register_model("net", load);
  Engine engine({.memory_limit = first.memory()});  // of one model
  engine.register_model("net", load);
  engine.register_model("other", load_package(sample_package(folder, "other")), cpu());
  for (const BadPackage& bad : bad_packages) {
    CAPTURE(bad.kind);
    engine.infer("other", row_of({2, 4}));  // evicts net
    PackageEdit edit = whole;
    bad.change(edit);
    edit.write();
    CHECK(code_of_error([&] { load_package(path).compile(cpu()); }) == bad.code);
    CHECK(code_of_error([&] { engine.infer("net", row_of({2, 4})); }) == bad.code);
    CHECK(engine.infer("other", row_of({2, 4})).at("y").dims() == Dims{2, 2});
    whole.write();
    CHECK(engine.infer("net", row_of({2, 4})).at("y").dims() == Dims{2, 2});
  }
}

}  // namespace mithril::tests
