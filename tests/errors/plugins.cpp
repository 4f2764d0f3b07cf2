// Errors of opening plugins, and of tensors of other libraries.
#include <doctest/doctest.h>

#include <string>

#include "mithril/backend/plugin.hpp"
#include "tests/errors/foreign_tensor.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

std::string opening(const std::string& name) {
  return text_of_error([&] { load_backend(std::string(TEST_PLUGINS) + "/lib" + name + ".so"); });
}

}  // namespace

TEST_CASE("a missing plugin is refused with the message of the system") {
  const std::string text = text_of_error([] { load_backend("/nowhere/libmithril_torch.so"); });
  CHECK(
      text.starts_with("mithril.BackendError[E1006]: the backend's library cannot be opened: "
                       "/nowhere/libmithril_torch.so\n"
                       "  why : /nowhere/libmithril_torch.so: cannot open shared object file"));
}

TEST_CASE("a missing plugin is refused with the nearest file") {
  CHECK(opening("misfti").ends_with("\n  help: did you mean 'libmisfit.so'?"));
}

TEST_CASE("a plugin of another Mithril is refused") {
  const std::string path = std::string(TEST_PLUGINS) + "/libother_version.so";
  CHECK(opening("other_version") ==
        "mithril.BackendError[E1003]: the backend was built for another Mithril: " + path +
            "\n"
            "  expected : plugin version 5\n"
            "  got      : 6\n"
            "  help: build it again");
}

TEST_CASE("a plugin for another release of its library is refused with both releases") {
  const std::string path = std::string(TEST_PLUGINS) + "/libmisfit.so";
  CHECK(opening("misfit") ==
        "mithril.BackendError[E1004]: the backend was built for torch 2.11.0: " + path +
            "\n"
            "  expected : torch 2.11.0\n"
            "  got      : torch 2.15\n"
            "  help: build it again, against the one that is installed");
}

TEST_CASE("a plugin that does not state its release is refused") {
  const std::string path = std::string(TEST_PLUGINS) + "/libmisfit_unnamed.so";
  CHECK(opening("misfit_unnamed") ==
        "mithril.BackendError[E1004]: the backend was built for another library: " + path +
            "\n"
            "  expected : another library\n"
            "  got      : torch 2.15\n"
            "  help: build it again, against the one that is installed");
}

TEST_CASE("a plugin that returns no backend is refused") {
  struct Case {
    std::string name, why;
  };
  const Case cases[] = {{"gives_null", "mithril_backend() returns null"},
                        {"empty", "its `make` is null"},
                        {"makes_null", "its `make` returns null"}};
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const std::string path = std::string(TEST_PLUGINS) + "/lib" + each.name + ".so";
    CHECK(opening(each.name) ==
          "mithril.BackendError[E1050]: the library provides no backend: " + path + "\n  why : " +
              each.why + "\n  help: mithril/backend/plugin.hpp says what a plugin must provide");
  }
}

TEST_CASE("elements of a foreign tensor are not read without host()") {
  const Tensor tensor = tests::foreign_tensor();
  CHECK(text_of_error([&] { tensor.item(); }).starts_with("mithril.ValueError[E0484]"));
  CHECK(text_of_error([&] { tensor.values<float>(); }) ==
        "mithril.ValueError[E0487]: the elements of a float32 tensor of dims [2] are not row-major "
        "in the memory of this process, but in abacus 3 on wood:0\n"
        "  help: read those of its host()");
  CHECK(identical(tensor.host(), Tensor::of<float>({2}, {1, 2})));
  CHECK(tensor.to(DType::float64).dtype() == DType::float64);
  CHECK(to_string(tensor) == "float32[2] {1, 2}");
}

}  // namespace mithril
