// Models of the C interface.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/base/names.hpp"
#include "mithril/c/errors.hpp"
#include "mithril/package/package.hpp"
#include "mithril/tensor/dlpack.hpp"

namespace mithril::c {
namespace {

// The texts that a mithril_port points to.
struct PortTexts {
  std::string name;
  DLDataType dtype;
  bool ranked = false;
  std::vector<std::int64_t> shape;
  std::vector<std::string> names;
  std::vector<const char*> symbols;
};

PortTexts texts_of(const PackagePort& port) {
  const dlpack::DLDataType dtype = dlpack_dtype(port.dtype);
  PortTexts texts{.name = port.name, .dtype = {dtype.code, dtype.bits, dtype.lanes}};
  texts.ranked = port.shape && !port.shape->has_run();
  if (!texts.ranked) return texts;
  for (const KnownDim& dim : port.shape->head()) {
    texts.shape.push_back(dim.number().value_or(-1));
    texts.names.push_back(dim.number() ? "" : to_string(dim));
  }
  for (std::size_t i = 0; i < texts.names.size(); ++i)
    texts.symbols.push_back(texts.shape[i] < 0 ? texts.names[i].c_str() : nullptr);
  return texts;
}

std::vector<std::unique_ptr<const PortTexts>> all_texts(const std::vector<PackagePort>& ports) {
  std::vector<std::unique_ptr<const PortTexts>> all;
  for (const PackagePort& port : ports)
    all.push_back(std::make_unique<const PortTexts>(texts_of(port)));
  return all;
}

// A description of the caller's elements that nothing frees.
dlpack::DLManagedTensorVersioned* borrowed(const DLTensor& tensor) {
  auto* managed = new dlpack::DLManagedTensorVersioned{};
  managed->version = {dlpack::DLPACK_MAJOR_VERSION, dlpack::DLPACK_MINOR_VERSION};
  managed->flags =
      dlpack::DLPACK_FLAG_BITMASK_READ_ONLY | dlpack::DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  managed->deleter = [](dlpack::DLManagedTensorVersioned* self) { delete self; };
  managed->dl_tensor = {
      tensor.data,
      {static_cast<dlpack::DLDeviceType>(tensor.device.device_type), tensor.device.device_id},
      tensor.ndim,
      {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
      tensor.shape,
      tensor.strides,
      tensor.byte_offset};
  return managed;
}

Tensor tensor_of(const DLTensor& given) {
  std::unique_ptr<dlpack::DLManagedTensorVersioned> managed(borrowed(given));
  Tensor tensor = from_dlpack(managed.get());
  static_cast<void>(managed.release());  // the tensor has taken it over
  return tensor;
}

// A tensor of Mithril's own, as the caller frees it. The layout is that of the standard.
DLManagedTensorVersioned* given_away(const Tensor& tensor) {
  static_assert(sizeof(DLManagedTensorVersioned) == sizeof(dlpack::DLManagedTensorVersioned));
  return reinterpret_cast<DLManagedTensorVersioned*>(to_dlpack(tensor));
}

}  // namespace
}  // namespace mithril::c

struct mithril_model {
  mithril::Package package;
  mithril::CompiledModel compiled;
  bool mapped = false;     // whether the parameters are arguments of `compiled`
  mithril::State initial;  // of such a model
  std::vector<std::unique_ptr<const mithril::c::PortTexts>> inputs, outputs;
};

namespace mithril::c {
namespace {

using Ports = std::vector<std::unique_ptr<const PortTexts>>;

std::shared_ptr<Backend> backend_named(const std::string& name,
                                       const mithril_open_options& options) {
  if (name == "cpu") return cpu({.threads = options.threads});
  if (name == "torch") return load_backend(plugin_path("mithril_torch"));
  unknown_member(ErrorKind::backend, "E1042", "the C interface", "backend", name, "",
                 {"cpu", "torch"});
}

mithril_open_options read_options(const mithril_open_options* given) {
  mithril_open_options options{};
  if (!given) return options;
  if (given->size != sizeof(mithril_open_options))
    refuse_call("mithril_model_open: options.size is not sizeof(mithril_open_options)");
  return *given;
}

// The state of the package, and that of the model where the package has none.
State initial_state(const Package& package, const CompiledModel& compiled) {
  State state = compiled.initial_state_dict();
  for (auto& [key, tensor] : state) {
    if (const Tensor* saved = package.state().find(key)) tensor = *saved;
  }
  return state;
}

void describe(const Ports& ports, std::size_t index, mithril_port* port, const char* function) {
  if (!port) refuse_call(std::string(function) + ": port is NULL");
  if (index >= ports.size()) {
    refuse_call(
        fmt::format("{}: index is {}, expected less than {}", function, index, ports.size()));
  }
  const PortTexts& texts = *ports[index];
  *port = {texts.name.c_str(), texts.dtype,
           texts.ranked ? static_cast<std::int32_t>(texts.shape.size()) : -1, texts.shape.data(),
           texts.symbols.data()};
}

TensorMap named_inputs(const char* const* names, const DLTensor* const* inputs, std::size_t count) {
  if (count > 0 && (!names || !inputs))
    refuse_call("mithril_model_run: input_names and inputs are needed");
  std::vector<TensorMap::Item> items;
  for (std::size_t i = 0; i < count; ++i) {
    if (!names[i] || !inputs[i]) refuse_call(fmt::format("mithril_model_run: input {} is NULL", i));
    items.emplace_back(names[i], tensor_of(*inputs[i]));
  }
  return TensorMap(std::move(items));
}

// Gives the outputs to the caller, all or none. Elements that belong to others are copied: the
// caller's inputs, and constants of the model.
void give_outputs(const mithril_model& model, const TensorMap& made,
                  DLManagedTensorVersioned** outputs) {
  std::vector<Tensor> owned;
  for (const auto& port : model.outputs) {
    const Tensor& tensor = made.at(port->name);
    owned.push_back(tensor.is_borrowed() || tensor.read_only() ? tensor.copy() : tensor);
  }
  std::vector<DLManagedTensorVersioned*> given;
  given.reserve(owned.size());
  try {
    for (const Tensor& tensor : owned) given.push_back(given_away(tensor));
  } catch (...) {
    for (DLManagedTensorVersioned* tensor : given) tensor->deleter(tensor);
    throw;
  }
  std::copy(given.begin(), given.end(), outputs);
}

}  // namespace
}  // namespace mithril::c

using mithril::c::guarded, mithril::c::refuse_call;

extern "C" {

mithril_status mithril_model_open(const char* path, const mithril_open_options* options,
                                  mithril_model** model, mithril_error** error) {
  return guarded(error, [&] {
    if (!path || !model) refuse_call("mithril_model_open: path and model are needed");
    const mithril_open_options read = mithril::c::read_options(options);
    const std::string backend = read.backend ? read.backend : "cpu";
    const auto made = mithril::c::backend_named(backend, read);
    mithril::Package package = mithril::load_package(
        path, {.backend = backend, .allow_native_code = read.allow_native != 0});
    const bool mapped = read.map_parameters != 0 && !package.runs_library(backend);
    mithril::CompiledModel compiled = mapped ? package.compile(made) : package.compile_bound(made);
    mithril::State initial = mithril::c::initial_state(package, compiled);
    const mithril::PackageInfo& info = package.info();
    auto inputs = mithril::c::all_texts(info.inputs), outputs = mithril::c::all_texts(info.outputs);
    *model = new mithril_model{std::move(package), std::move(compiled), mapped,
                               std::move(initial), std::move(inputs),   std::move(outputs)};
  });
}

void mithril_model_free(mithril_model* model) { delete model; }

mithril_status mithril_model_name(const mithril_model* model, const char** name,
                                  mithril_error** error) {
  return guarded(error, [&] {
    if (!model || !name) refuse_call("mithril_model_name: model and name are needed");
    *name = model->package.info().name.c_str();
  });
}

mithril_status mithril_model_revision(const mithril_model* model, const char** revision,
                                      mithril_error** error) {
  return guarded(error, [&] {
    if (!model || !revision) refuse_call("mithril_model_revision: model and revision are needed");
    *revision = model->package.info().revision.c_str();
  });
}

mithril_status mithril_model_input_count(const mithril_model* model, size_t* count,
                                         mithril_error** error) {
  return guarded(error, [&] {
    if (!model || !count) refuse_call("mithril_model_input_count: model and count are needed");
    *count = model->inputs.size();
  });
}

mithril_status mithril_model_output_count(const mithril_model* model, size_t* count,
                                          mithril_error** error) {
  return guarded(error, [&] {
    if (!model || !count) refuse_call("mithril_model_output_count: model and count are needed");
    *count = model->outputs.size();
  });
}

mithril_status mithril_model_input(const mithril_model* model, size_t index, mithril_port* port,
                                   mithril_error** error) {
  return guarded(error, [&] {
    if (!model) refuse_call("mithril_model_input: model is NULL");
    mithril::c::describe(model->inputs, index, port, "mithril_model_input");
  });
}

mithril_status mithril_model_output(const mithril_model* model, size_t index, mithril_port* port,
                                    mithril_error** error) {
  return guarded(error, [&] {
    if (!model) refuse_call("mithril_model_output: model is NULL");
    mithril::c::describe(model->outputs, index, port, "mithril_model_output");
  });
}

mithril_status mithril_model_run(const mithril_model* model, const char* const* input_names,
                                 const DLTensor* const* inputs, size_t input_count,
                                 DLManagedTensorVersioned** outputs, size_t output_count,
                                 mithril_error** error) {
  return guarded(error, [&] {
    if (!model || !outputs) refuse_call("mithril_model_run: model and outputs are needed");
    if (output_count != model->outputs.size()) {
      refuse_call(fmt::format("mithril_model_run: output_count is {}, expected {}", output_count,
                              model->outputs.size()));
    }
    const mithril::TensorMap data = mithril::c::named_inputs(input_names, inputs, input_count);
    const auto& compiled = model->compiled;
    mithril::c::give_outputs(*model,
                             model->mapped
                                 ? compiled.infer(model->package.params(), data, model->initial)
                                 : compiled.evaluate({}, data),
                             outputs);
  });
}

}  // extern "C"
