// Makes parameters: from the initial distributions of layers, a random draw, or a state dict.
#include <algorithm>
#include <cmath>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/compiled_state.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

// Advice for a key that the user named, which may be meant as data. Layers have paths.
std::string if_it_is_data(const std::string& key) {
  if (key.find('.') != std::string::npos) return {};
  return "; if it is data, name it in data_keys";
}

Dims numbers(const std::string& key, const Value& value, const std::string& text) {
  Dims dims;
  for (const Dim& dim : value.dims) {
    if (dim.is_constant()) dims.push_back(dim.constant());
  }
  if (value.ranked && dims.size() == value.dims.size()) return dims;
  std::string missing = "the rank";
  for (size_t i = 0; i < value.dims.size() && missing == "the rank"; ++i) {
    if (!value.dims[i].is_constant()) missing = "dim " + std::to_string(i);
  }
  raise({.kind = ErrorKind::shape,
         .code = "E0209",
         .message = missing + " of the parameter " + quoted(key) + " is not known",
         .facts = {{"shape", text}},
         .help = "give shapes when compiling, for this key or for the data that determines it" +
                 if_it_is_data(key)});
}

std::int64_t fan_in(const std::string& key, const InitialDistribution& initial, const Dims& dims) {
  if (!initial.own_fan) {
    if (initial.fan_in) return *initial.fan_in;
    raise({.kind = ErrorKind::shape,
           .code = "E0209",
           .message = "the fan in of the parameter " + quoted(key) + " is not known",
           .help = "give shapes when compiling"});
  }
  std::int64_t fan = 1;
  for (size_t i = 1; i < dims.size(); ++i) fan *= dims[i];
  return fan;
}

template <typename Draw>
Tensor fill(DType dtype, Dims dims, Draw draw) {
  Tensor tensor(DType::float64, std::move(dims));
  for (double& element : tensor.mutable_values<double>()) element = draw();
  return dtype == DType::float64 ? tensor : tensor.to(dtype);
}

Tensor uniform(DType dtype, Dims dims, Random random, double low, double high) {
  return fill(dtype, std::move(dims), [&] { return low + (high - low) * random.uniform(); });
}

Tensor begin(const InputKey& input, DType dtype, Dims dims, Random random) {
  using Distribution = Initializer::Distribution;
  const InitialDistribution& as = input.initial;
  if (as.interval) {
    return uniform(dtype, std::move(dims), random, as.interval->first, as.interval->second);
  }
  switch (as.distribution) {
    case Distribution::zeros:
      return Tensor(dtype, std::move(dims));
    case Distribution::ones:
      return Tensor::full(dtype, std::move(dims), 1);
    case Distribution::constant:
      return Tensor::full(dtype, std::move(dims), as.a);
    case Distribution::uniform:
      return uniform(dtype, std::move(dims), random, as.a, as.b);
    case Distribution::normal:
      return fill(dtype, std::move(dims), [&] { return as.a + as.b * random.normal(); });
    case Distribution::uniform_fan_in:
      break;
  }
  const auto fan = static_cast<double>(std::max<std::int64_t>(fan_in(input.key, as, dims), 1));
  const double bound = as.b / std::sqrt(fan);
  return uniform(dtype, std::move(dims), random, -bound, bound);
}

// Each parameter has its own random stream, named by its path, so short names do not change its
// values.
template <typename Make>
TensorMap make_parameters(const Impl& compiled, std::uint64_t seed, Make make) {
  std::vector<TensorMap::Item> items;
  for (const NamedIndex& key : compiled.parameters) {
    const InputKey& input = compiled.inputs[key.index];
    const Value& value = compiled.graph.value(compiled.graph.inputs()[key.index]);
    const std::string& dims = compiled.forward->signature.dims_text(key.index);
    const Tensor made =
        make(input, value.dtype, numbers(key.name, value, dims), Random(seed, input.path));
    items.emplace_back(key.name, compiled.backend->adopt(made, true));
  }
  return TensorMap(std::move(items));
}

}  // namespace

TensorMap CompiledModel::get_parameters(std::uint64_t seed) const try {
  return make_parameters(*impl_, seed, begin);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

TensorMap CompiledModel::randomize_params(std::uint64_t seed) const try {
  const auto draw = [](const InputKey& input, DType dtype, Dims dims, Random random) {
    if (const auto interval = input.initial.interval) {
      return uniform(dtype, std::move(dims), random, interval->first, interval->second);
    }
    return fill(dtype, std::move(dims), [&] { return random.normal(); });
  };
  return make_parameters(*impl_, seed, draw);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

TensorMap CompiledModel::load_state_dict(const TensorMap& saved) const try {
  std::vector<Fact> wrong;
  std::vector<TensorMap::Item> items;
  for (const NamedIndex& key : impl_->parameters) {
    const Signature& signature = impl_->forward->signature;
    const Tensor* tensor = saved.find(key.name, items.size());
    if (!tensor) {
      wrong.push_back({"missing", key.name + " " + signature.dims_text(key.index)});
    } else if (const std::string why = signature.mismatch(key.index, *tensor); !why.empty()) {
      wrong.push_back({"mismatched", key.name + " " + why});
    } else {
      items.emplace_back(key.name,
                         impl_->backend->adopt(signature.convert(key.index, *tensor), true));
    }
  }
  for (const auto& [name, tensor] : saved) {
    const auto known = [&name = name](const NamedIndex& key) { return key.name == name; };
    const auto& spare = impl_->spare_parameters;
    if (std::find(spare.begin(), spare.end(), name) != spare.end()) continue;
    if (std::none_of(impl_->parameters.begin(), impl_->parameters.end(), known)) {
      wrong.push_back(
          {"unknown", name + " " + to_string(tensor.dims()), did_you_mean(name, parameter_keys())});
    }
  }
  if (wrong.empty()) return TensorMap(std::move(items));
  raise({.kind = ErrorKind::state,
         .code = "E0901",
         .message = "the state dict does not fit the model",
         .facts = std::move(wrong)});
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
