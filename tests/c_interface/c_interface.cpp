// The C interface from C++, so that the sanitizers see it; python/tests/export/test_c_interface.py
// has more.
#include "mithril/c/mithril.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mithril/tensor/dlpack.hpp"
#include "mithril/tensor/dlpack_abi.hpp"
#include "mithril/tensor/low_bit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril::tests {
namespace {

// Calls the deleter by the type with which it was compiled, as UBSan requires.
void delete_tensor(DLManagedTensorVersioned* tensor) {
  auto* managed = reinterpret_cast<mithril::dlpack::DLManagedTensorVersioned*>(tensor);
  managed->deleter(managed);
}

struct FreesModel {
  void operator()(mithril_model* model) const { mithril_model_free(model); }
};
using OwnedModel = std::unique_ptr<mithril_model, FreesModel>;

// The code of the error of a call; "" if it succeeded.
template <typename Call>
std::string code_of(const Call& call) {
  mithril_error* error = nullptr;
  const mithril_status status = call(&error);
  CHECK((status == MITHRIL_OK) == (error == nullptr));
  if (!error) return "";
  CHECK(mithril_error_status(error) == status);
  CHECK(std::strlen(mithril_error_message(error)) > 0);
  CHECK(std::strlen(mithril_error_kind(error)) > 0);
  CHECK(std::string(mithril_last_error()) == mithril_error_message(error));
  std::string code = mithril_error_code(error);
  mithril_error_free(error);
  CHECK(call(nullptr) == status);  // the error object is optional
  return code;
}

OwnedModel opened_model(const std::string& path, const mithril_open_options* options = nullptr) {
  mithril_model* model = nullptr;
  REQUIRE(mithril_model_open(path.c_str(), options, &model, nullptr) == MITHRIL_OK);
  return OwnedModel(model);
}

// Elements of exactly this size, in memory whose borders a sanitizer watches.
struct CInput {
  std::vector<float> elements;
  std::vector<std::int64_t> shape;
  DLTensor tensor{};

  explicit CInput(std::int64_t rows)
      : elements(static_cast<std::size_t>(std::max<std::int64_t>(4 * rows, 1)), 0.5F),
        shape{rows, 4} {
    tensor = {elements.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
  }
};

mithril_status run(const mithril_model* model, const char* name, const DLTensor* input,
                   DLManagedTensorVersioned** output, mithril_error** error) {
  return mithril_model_run(model, &name, &input, 1, output, 1, error);
}

}  // namespace

TEST_CASE("a model of the C interface describes itself and runs") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  const Tensor expected = answer_of(load_package(path));
  for (const std::int32_t mapped : {0, 1}) {
    mithril_open_options options{};
    options.size = sizeof options;
    options.map_parameters = mapped;
    const OwnedModel model = opened_model(path, &options);
    std::size_t inputs = 0, outputs = 0;
    CHECK(mithril_model_input_count(model.get(), &inputs, nullptr) == MITHRIL_OK);
    CHECK(mithril_model_output_count(model.get(), &outputs, nullptr) == MITHRIL_OK);
    CHECK(inputs == 1);
    CHECK(outputs == 1);
    mithril_port port{};
    CHECK(mithril_model_input(model.get(), 0, &port, nullptr) == MITHRIL_OK);
    CHECK(std::string(port.name) == "x");
    CHECK(port.ndim == 2);
    CHECK(port.shape[0] == -1);
    CHECK(std::string(port.symbols[0]) == "N");
    CHECK(port.shape[1] == 4);
    CHECK(port.symbols[1] == nullptr);
    CInput input(2);
    const float values[] = {1, 2, 3, 4, -1, 0, 1, 2};
    std::copy(std::begin(values), std::end(values), input.elements.begin());
    DLManagedTensorVersioned* output = nullptr;
    REQUIRE(run(model.get(), "x", &input.tensor, &output, nullptr) == MITHRIL_OK);
    CHECK(output->dl_tensor.ndim == 2);
    const auto* made = static_cast<const float*>(output->dl_tensor.data);
    for (std::int64_t i = 0; i < expected.size(); ++i)
      CHECK(made[i] == doctest::Approx(expected.at_as_double(i)));
    delete_tensor(output);
  }
}

TEST_CASE("elements of few bits pass through the C interface") {
  for (const DType dtype : low_bit_dtypes) {
    CAPTURE(name(dtype));
    const FileFolder folder;
    const Connection x(IOKey{.name = "x", .shape = ShapeSpec{2, 2}, .type = dtype});
    save_package(folder.at("p"), Model::create({{"y", x.transpose(Datum::ints({1, 0}))}}), {});
    const OwnedModel model = opened_model(folder.at("p"));
    mithril_port port{};
    CHECK(mithril_model_input(model.get(), 0, &port, nullptr) == MITHRIL_OK);
    const dlpack::DLDataType expected = dlpack_dtype(dtype);
    CHECK(port.dtype.code == expected.code);
    CHECK(port.dtype.bits == bits_of(dtype));
    std::array<std::uint8_t, 4> codes{1, 0, 3, 2};  // a byte for each element
    std::array<std::int64_t, 2> shape{2, 2};
    const DLTensor input{codes.data(), {kDLCPU, 0}, 2, port.dtype, shape.data(), nullptr, 0};
    DLManagedTensorVersioned* output = nullptr;
    REQUIRE(run(model.get(), "x", &input, &output, nullptr) == MITHRIL_OK);
    const auto* made = static_cast<const std::uint8_t*>(output->dl_tensor.data);
    CHECK(output->dl_tensor.dtype.code == expected.code);
    CHECK(output->dl_tensor.dtype.bits == bits_of(dtype));
    CHECK(std::vector(made, made + 4) == std::vector<std::uint8_t>{1, 3, 0, 2});
    delete_tensor(output);
  }
}

TEST_CASE("the C interface refuses null and indices out of range") {
  const FileFolder folder;
  const OwnedModel model = opened_model(sample_package(folder));
  mithril_model* made = nullptr;
  const char* text = nullptr;
  std::size_t count = 0;
  mithril_port port{};
  CInput input(1);
  const char* name = "x";
  const DLTensor* tensor = &input.tensor;
  DLManagedTensorVersioned* output = nullptr;
  const mithril_open_options other_size{};
  using Error = mithril_error**;
  const auto refused = [](const auto& call) { CHECK(code_of(call) != ""); };
  refused([&](Error e) { return mithril_model_open(nullptr, nullptr, &made, e); });
  refused([&](Error e) { return mithril_model_open("x", nullptr, nullptr, e); });
  refused([&](Error e) { return mithril_model_open("x", &other_size, &made, e); });
  refused([&](Error e) { return mithril_model_open("nowhere", nullptr, &made, e); });
  refused([&](Error e) { return mithril_model_name(nullptr, &text, e); });
  refused([&](Error e) { return mithril_model_name(model.get(), nullptr, e); });
  refused([&](Error e) { return mithril_model_revision(nullptr, &text, e); });
  refused([&](Error e) { return mithril_model_revision(model.get(), nullptr, e); });
  refused([&](Error e) { return mithril_model_input_count(nullptr, &count, e); });
  refused([&](Error e) { return mithril_model_input_count(model.get(), nullptr, e); });
  refused([&](Error e) { return mithril_model_output_count(nullptr, &count, e); });
  refused([&](Error e) { return mithril_model_output_count(model.get(), nullptr, e); });
  for (const std::size_t index : {std::size_t{1}, std::numeric_limits<std::size_t>::max()}) {
    refused([&](Error e) { return mithril_model_input(model.get(), index, &port, e); });
    refused([&](Error e) { return mithril_model_output(model.get(), index, &port, e); });
  }
  refused([&](Error e) { return mithril_model_input(nullptr, 0, &port, e); });
  refused([&](Error e) { return mithril_model_input(model.get(), 0, nullptr, e); });
  refused([&](Error e) { return mithril_model_output(model.get(), 0, nullptr, e); });
  const auto run_with = [&](const mithril_model* of, const char* const* names,
                            const DLTensor* const* inputs, std::size_t inputs_given,
                            DLManagedTensorVersioned** to, std::size_t outputs_given) {
    refused([&](Error e) {
      return mithril_model_run(of, names, inputs, inputs_given, to, outputs_given, e);
    });
  };
  const char* no_name = nullptr;
  const DLTensor* no_tensor = nullptr;
  run_with(nullptr, &name, &tensor, 1, &output, 1);
  run_with(model.get(), nullptr, &tensor, 1, &output, 1);
  run_with(model.get(), &name, nullptr, 1, &output, 1);
  run_with(model.get(), &no_name, &tensor, 1, &output, 1);
  run_with(model.get(), &name, &no_tensor, 1, &output, 1);
  run_with(model.get(), &name, &tensor, 0, &output, 1);
  run_with(model.get(), &name, &tensor, 1, nullptr, 1);
  run_with(model.get(), &name, &tensor, 1, &output, 0);
  run_with(model.get(), &name, &tensor, 1, &output, 2);
  const std::array<const char*, 2> twice{"x", "x"};
  const std::array<const DLTensor*, 2> tensors{tensor, tensor};
  run_with(model.get(), twice.data(), tensors.data(), 2, &output, 1);
  CHECK(output == nullptr);
  mithril_model_free(nullptr);
  mithril_error_free(nullptr);
  CHECK(std::string(mithril_error_message(nullptr)) == "");
}

TEST_CASE("a description of a tensor is taken or refused, and the model stays usable") {
  const FileFolder folder;
  const OwnedModel model = opened_model(sample_package(folder));
  std::mt19937_64 random(1);
  const auto one_of = [&](auto... choices) {
    const std::array all{static_cast<std::int64_t>(choices)...};
    return all[random() % all.size()];
  };
  constexpr std::size_t axes = 80;
  std::size_t taken = 0;
  for (int i = 0; i < 3000; ++i) {
    CAPTURE(i);
    CInput input(one_of(0, 1, 2, 3));
    DLTensor& tensor = input.tensor;
    std::vector<std::int64_t> shape(axes, 1), strides(axes, 1);
    std::copy(input.shape.begin(), input.shape.end(), shape.begin());
    tensor.shape = shape.data();
    for (std::int64_t changes = one_of(1, 1, 2, 3); changes > 0; --changes) {
      switch (random() % 8) {
        case 0:
          tensor.ndim = static_cast<std::int32_t>(one_of(-1, 0, 1, 3, axes, INT32_MIN));
          break;
        case 1:
          tensor.dtype.code = static_cast<std::uint8_t>(one_of(0, 1, 2, 3, 4, 5, 6, 7, 200));
          break;
        case 2:
          tensor.dtype.bits = static_cast<std::uint8_t>(one_of(0, 1, 4, 8, 16, 32, 33, 255));
          break;
        case 3:
          tensor.dtype.lanes = static_cast<std::uint16_t>(one_of(0, 1, 2, 65535));
          break;
        case 4:
          tensor.device.device_type = static_cast<std::int32_t>(one_of(0, 1, 2, 3, 13, -1, 99));
          break;
        case 5:
          tensor.data = nullptr;
          break;
        case 6:
          shape[random() % 2] = one_of(-1, 0, INT64_MIN, -4);
          break;
        default:
          strides[0] = one_of(4, -4, INT64_MIN);
          tensor.strides = one_of(0, 1) > 0 ? strides.data() : nullptr;
      }
    }
    // Nothing can find strides that lead out of the caller's memory.
    if (tensor.strides && strides[0] < 0 && tensor.ndim > 0 && shape[0] > 1) continue;
    DLManagedTensorVersioned* output = nullptr;
    const auto call = [&](mithril_error** error) {
      return run(model.get(), "x", &tensor, &output, error);
    };
    mithril_error* error = nullptr;
    const mithril_status status = call(&error);
    CHECK((status == MITHRIL_OK) == (error == nullptr));
    CHECK((status == MITHRIL_OK) == (output != nullptr));
    if (output) delete_tensor(output);
    if (error) CHECK(std::strlen(mithril_error_message(error)) > 0);
    mithril_error_free(error);
    taken += status == MITHRIL_OK;
  }
  CHECK(taken > 100);
  CHECK(taken < 2900);
}

}  // namespace mithril::tests
