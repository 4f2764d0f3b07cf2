// Makes parameters: from the initial distributions of layers, a random draw, or a state dict.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>

#include "mithril/base/names.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/parameter_blocks.hpp"

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
         .message = missing + " of the parameter " + in_quotes(key) + " is not known",
         .facts = {{"shape", text}},
         .help = "give shapes when compiling, for this key or for the data that determines it" +
                 if_it_is_data(key)});
}

// The dims whose fan counts: those of the parameter, or of another one.
const Dims& fan_dims(const std::string& key, const InitialDistribution& initial, const Dims& dims) {
  if (initial.own_fan) return dims;
  if (initial.fan_dims) return *initial.fan_dims;
  raise({.kind = ErrorKind::shape,
         .code = "E0209",
         .message = "the fan in of the parameter " + in_quotes(key) + " is not known",
         .help = "give shapes when compiling"});
}

// The product of all dims but one.
double product_without(const Dims& dims, size_t left_out) {
  std::int64_t product = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != left_out) product *= dims[i];
  }
  return static_cast<double>(std::max<std::int64_t>(product, 1));
}

double fan(Initializer::Distribution distribution, const Dims& dims) {
  using Distribution = Initializer::Distribution;
  const double in = product_without(dims, 0), out = product_without(dims, 1);
  if (distribution == Distribution::uniform_fan_out || distribution == Distribution::normal_fan_out)
    return out;
  const bool mean = distribution == Distribution::uniform_fan_mean ||
                    distribution == Distribution::normal_fan_mean;
  return mean ? (in + out) / 2 : in;
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

// The result of the function of an initializer, with the dims and the dtype of the parameter.
Tensor from_function(const InputKey& input, DType dtype, const Dims& dims, Random random) {
  const Initializer& as = input.initial.initializer;
  if (!as.function) {
    raise({.kind = ErrorKind::state,
           .code = "E0917",
           .message = "the initializer of the parameter " + in_quotes(input.key) +
                      " is a function, which JSON does not hold",
           .help = "load saved parameters, or call set_initializer after reading the model"});
  }
  const Tensor initial = as.function(dims, random.next() >> 1);
  // A copy, because the function may keep what it returns.
  if (initial.dims() == dims) return initial.to(dtype).copy();
  if (initial.size() == 1 && initial.dims().empty())
    return Tensor::full(dtype, dims, initial.item());
  raise({.kind = ErrorKind::shape,
         .code = "E0217",
         .message = "the initializer of the parameter " + in_quotes(input.key) +
                    " returned an array of another shape",
         .facts = {{"expected", to_string(dims)}, {"got", to_string(initial.dims())}}});
}

Tensor first_values(const InputKey& input, DType dtype, const Dims& dims, Random random) {
  using Distribution = Initializer::Distribution;
  const Initializer& as = input.initial.initializer;
  const auto normal = [&](double mean, double deviation) {
    return fill(dtype, dims, [&] { return mean + deviation * random.normal(); });
  };
  switch (as.distribution) {
    case Distribution::zeros:
      return Tensor(dtype, dims);
    case Distribution::ones:
      return Tensor::full(dtype, dims, 1);
    case Distribution::constant:
      return Tensor::full(dtype, dims, as.a);
    case Distribution::uniform:
      return uniform(dtype, dims, random, as.a, as.b);
    case Distribution::normal:
      return normal(as.a, as.b);
    case Distribution::function:
      return from_function(input, dtype, dims, random);
    default:
      break;
  }
  const double scale =
      as.b / std::sqrt(fan(as.distribution, fan_dims(input.key, input.initial, dims)));
  const bool is_normal = as.distribution == Distribution::normal_fan_in ||
                         as.distribution == Distribution::normal_fan_out ||
                         as.distribution == Distribution::normal_fan_mean;
  return is_normal ? normal(0, scale) : uniform(dtype, dims, random, -scale, scale);
}

Tensor begin_one(const InputKey& input, DType dtype, const Dims& dims, Random random) {
  Tensor initial = first_values(input, dtype, dims, random);
  const std::optional<std::int64_t> row = input.initial.initializer.zero_row;
  if (!row || dims.empty() || *row < 0 || *row >= dims[0] || initial.size() == 0) return initial;
  const std::size_t bytes = initial.bytes() / static_cast<std::size_t>(dims[0]);
  std::memset(
      static_cast<std::byte*>(initial.mutable_raw_data()) + bytes * static_cast<std::size_t>(*row),
      0, bytes);
  return initial;
}

Tensor begin(const InputKey& input, DType dtype, const Dims& dims, Random random) {
  if (const auto interval = input.initial.interval) {
    return uniform(dtype, dims, random, interval->first, interval->second);
  }
  const std::int64_t stacked = input.initial.initializer.stacked;
  if (stacked == 0) return begin_one(input, dtype, dims, random);
  const auto rest = dims.begin() + std::min(stacked, std::ssize(dims));
  Tensor all(dtype, dims);
  const Dims each(rest, dims.end());
  auto* to = static_cast<std::byte*>(all.mutable_raw_data());
  for (std::int64_t left = element_count(Dims(dims.begin(), rest)); left > 0; --left) {
    const Tensor one = begin_one(input, dtype, each, Random(random.next(), input.path));
    if (one.bytes() > 0) std::memcpy(to, one.raw_data(), one.bytes());
    to += one.bytes();
  }
  return all;
}

// Each parameter has its own random stream, named by its path, so short names do not change its
// values.
template <typename Make>
TensorMap make_parameters(const Impl& compiled, std::uint64_t seed, Make make) {
  std::vector<TensorMap::Item> items;
  for (const NamedIndex& key : compiled.parameters) {
    const InputKey& input = compiled.inputs[key.index];
    const Value& value = compiled.graph.value(compiled.graph.inputs()[key.index]);
    const std::string& dims = compiled.whole_signature().dims_text(key.index);
    Tensor initial =
        make(input, value.dtype, numbers(key.name, value, dims), Random(seed, input.path));
    if (const auto block = parameter_block(compiled, key.name))
      initial = cut_block(initial, *block);
    items.emplace_back(key.name, compiled.backend->adopt(initial, !input.frozen));
  }
  return TensorMap(std::move(items));
}

}  // namespace

TensorMap CompiledModel::get_parameters(std::uint64_t seed) const {
  return make_parameters(*impl_, seed, begin);
}

TensorMap CompiledModel::randomize_params(std::uint64_t seed) const {
  const auto draw = [](const InputKey& input, DType dtype, const Dims& dims, Random random) {
    if (const auto interval = input.initial.interval) {
      return uniform(dtype, dims, random, interval->first, interval->second);
    }
    return fill(dtype, dims, [&] { return random.normal(); });
  };
  return make_parameters(*impl_, seed, draw);
}

TensorMap fitting_parameters(const CompiledModel::Impl& compiled, const TensorMap& saved) {
  std::vector<Fact> wrong;
  std::vector<TensorMap::Item> items;
  for (const NamedIndex& key : compiled.parameters) {
    const Signature& signature = compiled.whole_signature();
    const std::optional<TensorBlock> block = parameter_block(compiled, key.name);
    const Tensor* tensor = saved.find(key.name, items.size());
    if (!tensor) {
      wrong.push_back({"missing", key.name + " " + signature.dims_text(key.index)});
    } else if (block && compiled.forward().signature.mismatch(key.index, *tensor).empty()) {
      items.emplace_back(key.name, signature.convert(key.index, *tensor));
    } else if (const std::string why = signature.mismatch(key.index, *tensor); !why.empty()) {
      wrong.push_back({"mismatched", key.name + " " + why});
    } else {
      const Tensor whole = signature.convert(key.index, *tensor);
      items.emplace_back(key.name, block ? cut_block(whole.host(), *block) : whole);
    }
  }
  for (const auto& [name, tensor] : saved) {
    const auto known = [&name = name](const NamedIndex& key) { return key.name == name; };
    const auto& spare = compiled.spare_parameters;
    if (std::find(spare.begin(), spare.end(), name) != spare.end()) continue;
    if (std::none_of(compiled.parameters.begin(), compiled.parameters.end(), known)) {
      wrong.push_back({"unknown", name + " " + to_string(tensor.dims()),
                       did_you_mean(name, names_of(compiled.parameters))});
    }
  }
  if (wrong.empty()) return TensorMap(std::move(items));
  raise({.kind = ErrorKind::state,
         .code = "E0901",
         .message = "the state dict does not fit the model",
         .facts = std::move(wrong)});
}

void CompiledModel::check_state_dict(const TensorMap& saved) const {
  fitting_parameters(*impl_, saved);
}

TensorMap CompiledModel::load_state_dict(const TensorMap& saved) const {
  TensorMap params = fitting_parameters(*impl_, saved);
  std::vector<TensorMap::Item> items;
  for (const NamedIndex& key : impl_->parameters) {
    Tensor tensor = std::move(params.at(key.name));
    items.emplace_back(key.name, impl_->backend->adopt(tensor, !impl_->is_frozen(key)));
  }
  return TensorMap(std::move(items));
}

}  // namespace mithril
