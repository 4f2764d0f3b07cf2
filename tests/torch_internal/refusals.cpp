// Errors that torch raises on a GPU, and operators that cannot be recorded there.
#include "backends/torch/device/refusals.hpp"

#include "backends/torch/program/operators.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::Switches;

constexpr const char* failed_kernel =
    "CUDA error: device-side assert triggered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call";

bool waits(const char* name) {
  const auto op = c10::Dispatcher::singleton().findSchema({name, ""});
  REQUIRE(op);
  return torch_backend::waits_for_device(*op);
}

}  // namespace

TEST_CASE("a kernel that failed is not blamed on the op that noticed it") {
  const std::string text = text_of_error([] {
    refuse_operation({"block.y", "relu", "aten::relu(input)"}, Switches::as_they_are,
                     failed_kernel);
  });
  CAPTURE(text);
  CHECK(
      text.starts_with("mithril.BackendError[E1025]: the GPU failed in this or an earlier op: "
                       "CUDA error: device-side assert triggered\n"
                       "  noticed at : block.y (relu)\n"
                       "  torch says : CUDA error: device-side assert triggered"));
  CHECK(text.find("help: set CUDA_LAUNCH_BLOCKING=1") != text.npos);
  CHECK(text_of_error([] {
          refuse_operation({}, Switches::deterministic, failed_kernel);
        }).find("noticed at") == std::string::npos);
}

TEST_CASE("an error outside of an op names none") {
  CHECK(text_of_error([] { refuse_operation({}, Switches::as_they_are, "no"); }) ==
        "mithril.BackendError[E1012]: torch refused: no");
}

TEST_CASE("an error after parameters were overwritten says so") {
  const auto text_after = [](const auto& fails) {
    return text_of_error([&] {
      try {
        fails();
      } catch (...) {
        torch_backend::rethrow_after_writing();
      }
    });
  };
  CHECK(text_after([] { torch_backend::refuse_operation({}, Switches::as_they_are, "no"); }) ==
        "mithril.BackendError[E1012]: torch refused: no\n"
        "  donated : some inputs have been written to");
  const std::string memory = text_after([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "full"); });
  CAPTURE(memory);
  CHECK(memory.starts_with("mithril.OutOfMemoryError[E1102]: there is not enough memory"));
  CHECK(memory.find("donated    : some inputs have been written to") != memory.npos);
}

TEST_CASE("operators that wait for the device are not recorded") {
  for (const char* name :
       {"aten::linalg_cholesky", "aten::linalg_eigh", "aten::linalg_solve", "aten::linalg_det",
        "aten::linalg_eigvalsh", "aten::_unique2", "aten::nonzero"}) {
    CAPTURE(name);
    CHECK(waits(name));
  }
  for (const char* name : {"aten::matmul", "aten::linalg_solve_triangular",
                           "aten::linalg_vector_norm", "aten::convolution"}) {
    CAPTURE(name);
    CHECK_FALSE(waits(name));
  }
}

}  // namespace mithril::tests
