#include "mithril/compile/signature.hpp"

#include <algorithm>
#include <iterator>

#include "mithril/infer/tensor_kind.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

bool may_lose_integers(DType from, DType to) {
  if (is_floating(to)) return false;
  if (is_low_bit(to)) return true;
  if (is_unsigned(from) == is_unsigned(to)) return size_of(to) < size_of(from);
  return is_unsigned(to) || size_of(to) <= size_of(from);
}

// The first value that is neither 0 nor 1. Tensors of a device are copied to this process.
std::optional<std::string> first_non_flag(const Tensor& integers) {
  const Tensor wide = integers.host().to(DType::int64);
  const std::int64_t* values = wide.data<std::int64_t>();
  const std::int64_t* end = values + wide.size();
  const auto* found =
      std::find_if(values, end, [](std::int64_t value) { return value != 0 && value != 1; });
  if (found == end) return std::nullopt;
  const bool is_huge = integers.dtype() == DType::uint64;
  return is_huge ? std::to_string(static_cast<std::uint64_t>(*found)) : std::to_string(*found);
}

// The dims with which the tensor would fit, if only dims of 1 are missing or too many; otherwise
// none.
std::optional<Dims> fitting_dims(const Dims& got,
                                 const std::vector<std::optional<std::int64_t>>& expected) {
  Dims others;
  std::copy_if(got.begin(), got.end(), std::back_inserter(others),
               [](std::int64_t size) { return size != 1; });
  Dims fitting;
  std::size_t used = 0;
  for (const std::optional<std::int64_t>& size : expected) {
    const bool is_one = size == 1;
    if (!is_one && (used == others.size() || (size && *size != others[used]))) return {};
    fitting.push_back(is_one ? 1 : others[used++]);
  }
  if (used < others.size() || fitting == got) return {};
  return fitting;
}

}  // namespace

Signature::Signature(const Graph& graph, std::vector<std::string> labels, std::string size_advice)
    : size_advice_(std::move(size_advice)) {
  MITHRIL_CHECK(labels.size() == graph.inputs().size(), "a label for each input of the graph");
  for (size_t i = 0; i < labels.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    Entry& entry = entries_.emplace_back();
    entry.label = std::move(labels[i]);
    entry.dtype = value.dtype;
    entry.ranked = value.ranked;
    entry.text = value.ranked ? to_string(value.dims) : "[...]";
    for (const Dim& dim : value.dims) {
      entry.dims.push_back(dim.is_constant() ? std::optional(dim.constant()) : std::nullopt);
      entry.sizes.push_back(to_string(dim));
      sizes_.observe(dim);
    }
  }
}

Tensor Signature::convert_width(size_t i, const Tensor& tensor) const {
  const Entry& entry = entries_[i];
  if (tensor_kind(tensor.dtype()) == tensor_kind(entry.dtype)) {
    Tensor converted = tensor.to(entry.dtype);
    // On a device the comparison would wait for it.
    const bool is_here = !tensor.foreign() || tensor.foreign()->device() == "cpu";
    if (!is_here || !may_lose_integers(tensor.dtype(), entry.dtype) ||
        same_integers(converted, tensor))
      return converted;
    raise({.kind = ErrorKind::input,
           .code = "E0805",
           .message = entry.label + " has values that " + std::string(name(entry.dtype)) +
                      " cannot hold"});
  }
  if (entry.dtype == DType::boolean && !is_floating(tensor.dtype())) {
    const std::optional<std::string> wrong = first_non_flag(tensor);
    if (!wrong) return tensor.to(DType::boolean);
    raise({.kind = ErrorKind::input,
           .code = "E0805",
           .message = entry.label + " has " + *wrong + ", expected 0 or 1",
           .help = "a bool input takes bools, and integers that are 0 or 1"});
  }
  raise({.kind = ErrorKind::input,
         .code = "E0805",
         .message = entry.label + " is " + std::string(name(tensor.dtype())) + ", expected " +
                    std::string(name(entry.dtype)),
         .help = "floats and integers are converted to the width of the model, but not to each "
                 "other"});
}

std::string Signature::mismatch(size_t i, const Tensor& tensor) const {
  const Entry& entry = entries_[i];
  bool fits = tensor_kind(tensor.dtype()) == tensor_kind(entry.dtype);
  if (entry.ranked) fits = fits && tensor.dims().size() == entry.dims.size();
  for (size_t d = 0; d < entry.dims.size() && fits; ++d) {
    fits = !entry.dims[d] || *entry.dims[d] == tensor.dims()[d];
  }
  if (fits) return {};
  return dtype_and_dims(tensor) + ", expected " + std::string(name(entry.dtype)) + entry.text;
}

void Signature::refuse(const char* code, size_t i, const Tensor& got, const std::string& what,
                       const std::string& advice) const {
  const std::optional<Dims> fitting = fitting_dims(got.dims(), entries_[i].dims);
  raise({.kind = ErrorKind::input,
         .code = code,
         .message = entries_[i].label + " has " + what,
         .facts = {{"expected", entries_[i].text}, {"got", to_string(got.dims())}},
         .help = fitting ? "reshape it to " + to_string(*fitting) : advice});
}

std::string Signature::equal_size(size_t i, size_t dim, std::span<const Tensor> inputs) const {
  for (size_t other = 0; other < entries_.size(); ++other) {
    const std::vector<std::string>& sizes = entries_[other].sizes;
    const auto at = std::find(sizes.begin(), sizes.end(), entries_[i].sizes[dim]);
    if (other == i || at == sizes.end()) continue;
    const auto place = static_cast<size_t>(at - sizes.begin());
    return entries_[other].label + " has " + std::to_string(inputs[other].dims()[place]) +
           " in dim " + std::to_string(place) + ", and sizes of one name must be equal";
  }
  return {};
}

void Signature::check_dims(std::span<const Tensor> inputs) const {
  std::vector<std::int64_t> observed, sizes;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].ranked) continue;
    const Dims& got = inputs[i].dims();
    const size_t rank = entries_[i].dims.size();
    if (got.size() != rank) {
      refuse("E0803", i, inputs[i],
             "rank " + std::to_string(got.size()) + ", expected " + std::to_string(rank));
    }
    observed.insert(observed.end(), got.begin(), got.end());
  }
  const auto wrong = sizes_.learn(observed, sizes);
  if (!wrong) return;
  size_t i = 0, dim = wrong->observation;
  for (; dim >= entries_[i].dims.size(); ++i) dim -= entries_[i].dims.size();
  refuse("E0804", i, inputs[i],
         std::to_string(wrong->got) + " in dim " + std::to_string(dim) + ", expected " +
             wrong->expected,
         entries_[i].dims[dim] ? size_advice_ : equal_size(i, dim, inputs));
}

}  // namespace mithril
