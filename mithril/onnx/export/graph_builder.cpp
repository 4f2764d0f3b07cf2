#include "mithril/onnx/export/graph_builder.hpp"

#include <algorithm>
#include <utility>

#include "mithril/infer/application.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/export/opsets.hpp"
#include "mithril/tensor/low_bit.hpp"

namespace mithril::onnx {

const std::vector<Dim>& Operand::known_dims() const {
  if (!dims) no_form("the rank of a tensor is not known");
  return *dims;
}

std::string FileNames::add(const std::string& name) {
  std::string free = name;
  while (!taken_.insert(free).second) free = name + "_" + std::to_string(++counts_[name]);
  return free;
}

void GraphBuilder::begin(const std::string& path, const std::string& source) {
  path_ = path;
  source_ = source;
}

Operand GraphBuilder::call(const std::string& op, const std::vector<Operand>& inputs,
                           Attributes attributes, std::optional<DType> dtype) {
  const DType made = dtype.value_or(inputs.empty() ? DType::float32 : inputs.front().dtype);
  return call_several(op, inputs, std::move(attributes), {made}).front();
}

std::vector<Operand> GraphBuilder::call_several(const std::string& op,
                                                const std::vector<Operand>& inputs,
                                                Attributes attributes, std::vector<DType> dtypes) {
  check_opset(op, opset_);
  std::vector<Operand> taken;
  for (const Operand& input : inputs) taken.push_back(cast(input, taken_dtype(op, input.dtype)));
  WrittenNode node{.op = op,
                   .name = names_.add(path_ + "/" + op),
                   .attributes = std::move(attributes),
                   .path = path_,
                   .source = source_};
  for (const Operand& input : taken) node.inputs.push_back(input.name);
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  std::vector<Operand> made;
  for (const DType dtype : dtypes) {
    made.push_back(
        {.name = names_.add(path_ + "/" + op + "_output"), .dtype = taken_dtype(op, dtype)});
    node.outputs.push_back(made.back().name);
  }
  graph_.nodes.push_back(std::move(node));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = cast(made[i], dtypes[i]);
  return made;
}

// Floats that the op does not take in this opset are converted to float32, and integers of 4 and 2
// bits to 8 bits.
DType GraphBuilder::taken_dtype(const std::string& op, DType dtype) const {
  if (takes_dtype(op, dtype, opset_)) return dtype;
  if (is_integer(dtype)) return is_unsigned(dtype) ? DType::uint8 : DType::int8;
  if (op == "Scan" || op == "Loop" || op == "If")
    no_form("ONNX has " + op + " of " + std::string(name(dtype)) + " from opset 16 on");
  return DType::float32;
}

Operand GraphBuilder::constant(Tensor tensor) {
  std::string key(name(tensor.dtype()));
  key += to_string(tensor.dims());
  const bool is_small = tensor.bytes() <= 256;
  if (is_small && tensor.bytes() > 0)
    key.append(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
  if (is_small) {
    const auto known = constants_.find(key);
    if (known != constants_.end()) return known->second;
  }
  Operand made{.name = names_.add(path_ + "/constant"), .dtype = tensor.dtype()};
  made.dims.emplace();
  for (const std::int64_t size : tensor.dims()) made.dims->emplace_back(size);
  graph_.initializers.push_back({made.name, std::move(tensor)});
  if (is_small) constants_.emplace(std::move(key), made);
  return made;
}

Operand GraphBuilder::number(double value, DType dtype) {
  if (is_low_bit(dtype)) return constant(Tensor::full(DType::float32, {}, value).to(dtype));
  return constant(Tensor::full(dtype, {}, value));
}

Operand GraphBuilder::integers(const std::vector<std::int64_t>& numbers) {
  return constant(Tensor::of({static_cast<std::int64_t>(numbers.size())}, numbers));
}

Operand GraphBuilder::cast(const Operand& operand, DType dtype) {
  if (operand.is_missing() || operand.dtype == dtype) return operand;
  Attributes attributes = {{"to", static_cast<std::int64_t>(element_type_of(dtype))}};
  const bool is_float8 = is_low_bit(dtype) && is_floating(dtype) && bits_of(dtype) == 8;
  if (dtype == DType::float8_e8m0fnu) {
    attributes.emplace_back("round_mode", std::string("nearest"));
  } else if (is_float8) {
    attributes.emplace_back("saturate", std::int64_t{0});
  }
  Operand made = call("Cast", {operand}, std::move(attributes), dtype);
  made.dims = operand.dims;
  return made;
}

void GraphBuilder::know(const std::vector<Dim>& dims, const std::string& name) {
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const Sum sum = resolved_sum(dims[axis]);
    if (sum.terms.size() != 1) continue;
    const Term& term = *sum.terms.begin();
    const Place place{name, axis, term.factor, sum.constant};
    const bool is_plain = term.factor == 1 && sum.constant == 0;
    const auto [at, is_new] = places_.try_emplace(term.symbol, place);
    const bool was_plain = at->second.factor == 1 && at->second.constant == 0;
    if (!is_new && is_plain && !was_plain) at->second = place;
  }
}

Operand GraphBuilder::size(const Dim& dim) {
  const Sum sum = resolved_sum(dim);
  std::optional<Operand> total;
  for (const Term& term : sum.terms) {
    Operand part = symbol_size(term.symbol);
    const std::int64_t factor = term.factor < 0 && total ? -term.factor : term.factor;
    if (factor != 1) part = call("Mul", {part, integers({factor})});
    if (!total) {
      total = part;
      continue;
    }
    total = call(term.factor < 0 ? "Sub" : "Add", {*total, part});
  }
  if (!total) return integers({sum.constant});
  if (sum.constant == 0) return *total;
  return call("Add", {*total, integers({sum.constant})});
}

Operand GraphBuilder::symbol_size(Symbol* symbol) {
  const auto known = sizes_.find(symbol);
  if (known != sizes_.end()) return known->second;
  const Operand made = compute_size(symbol);
  sizes_.emplace(symbol, made);
  return made;
}

Operand GraphBuilder::compute_size(Symbol* symbol) {
  const auto found = places_.find(symbol);
  if (found != places_.end()) {
    const Place& place = found->second;
    auto shape = shapes_.find(place.value);
    if (shape == shapes_.end()) {
      const Operand whole = call("Shape", {{.name = place.value}}, {}, DType::int64);
      shape = shapes_.emplace(place.value, whole).first;
    }
    Operand size =
        call("Gather", {shape->second, integers({static_cast<std::int64_t>(place.axis)})});
    if (place.constant != 0) size = call("Sub", {size, integers({place.constant})});
    return place.factor == 1 ? size : call("Div", {size, integers({place.factor})});
  }
  if (!open_.insert(symbol).second) no_form("a size follows from no input; state shapes={...}");
  std::optional<Operand> made;
  if (const Product* product = symbol->product()) {
    made = call("Mul", {size(Dim(product->left)), size(Dim(product->right))});
  } else if (const Quotient* quotient = symbol->quotient()) {
    made = call("Div", {size(quotient->dividend), size(quotient->divisor)});
  }
  open_.erase(symbol);
  if (!made) no_form("a size follows from no input; state shapes={...}");
  return *made;
}

Operand GraphBuilder::number(const Dim& dim, DType dtype) {
  const Dim known = resolve(dim);
  if (known.is_constant())  // exact above 2^53, too
    return constant(Tensor::of({}, std::vector<std::int64_t>{known.constant()}).to(dtype));
  return cast(call("Squeeze", {size(known), integers({0})}), dtype);
}

Operand GraphBuilder::shape(const std::vector<Dim>& dims) {
  std::vector<Operand> parts;
  std::vector<std::int64_t> numbers;
  const auto finish_numbers = [&] {
    if (!numbers.empty()) parts.push_back(integers(numbers));
    numbers.clear();
  };
  for (const Dim& dim : dims) {
    const Dim known = resolve(dim);
    if (known.is_constant()) {
      numbers.push_back(known.constant());
      continue;
    }
    finish_numbers();
    parts.push_back(size(known));
  }
  if (parts.empty()) return integers(numbers);
  finish_numbers();
  return parts.size() == 1 ? parts.front() : call("Concat", parts, {{"axis", std::int64_t{0}}});
}

// A size of 0 in the shape of `Reshape` is that of the input, and -1 follows from the others. So a
// shape with one open size, or with those of the input, is a constant. A tensor without elements is
// made anew, because 0 cannot be stated before opset 14.
Operand GraphBuilder::reshape(const Operand& operand, const std::vector<Dim>& dims) {
  std::vector<std::int64_t> numbers;
  int open = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const Dim dim = resolve(dims[axis]);
    if (dim.is_constant(0)) return expand(number(0.0, operand.dtype), dims);
    const bool is_kept =
        operand.dims && axis < operand.dims->size() && same((*operand.dims)[axis], dim);
    open += !dim.is_constant() && !is_kept;
    numbers.push_back(dim.is_constant() ? dim.constant() : is_kept ? 0 : -1);
  }
  Operand made = call("Reshape", {operand, open <= 1 ? integers(numbers) : shape(dims)});
  made.dims = dims;
  return made;
}

Operand GraphBuilder::expand(const Operand& operand, const std::vector<Dim>& dims) {
  Operand made = call("Expand", {operand, shape(dims)});
  made.dims = dims;
  return made;
}

Operand GraphBuilder::reduce(const std::string& op, const Operand& operand,
                             const std::vector<std::int64_t>& axes, bool keepdims) {
  if (axes.empty()) return operand;
  Attributes attributes = {{"keepdims", std::int64_t{keepdims}}};
  std::vector<Operand> inputs = {operand};
  if (op == "ReduceSum" || opset_ >= 18) {
    inputs.push_back(integers(axes));
  } else {
    attributes.emplace_back("axes", axes);
  }
  Operand made = call(op, inputs, std::move(attributes));
  if (operand.dims) {
    made.dims.emplace();
    for (std::size_t axis = 0; axis < operand.dims->size(); ++axis) {
      const bool is_reduced =
          std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
      if (!is_reduced) made.dims->push_back((*operand.dims)[axis]);
      if (is_reduced && keepdims) made.dims->emplace_back(1);
    }
  }
  return made;
}

}  // namespace mithril::onnx
