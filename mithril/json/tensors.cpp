// The JSON form of tensors.

#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/values.hpp"

namespace mithril {
namespace {

Json element(const Tensor& tensor, int64_t index) {
  if (tensor.dtype() == DType::boolean) return tensor.data<bool>()[index];
  if (tensor.dtype() == DType::int64) return tensor.data<int64_t>()[index];
  // JSON has ints of 64 bits with a sign: larger ones are written modulo 2^64, and read so.
  if (tensor.dtype() == DType::uint64) return static_cast<int64_t>(tensor.data<uint64_t>()[index]);
  if (is_integer(tensor.dtype())) return static_cast<int64_t>(tensor.at_as_double(index));
  return json_of(Datum(tensor.at_as_double(index)));
}

Json elements(const Tensor& tensor, size_t axis, int64_t& index) {
  if (axis == tensor.dims().size()) return element(tensor, index++);
  Json::Array items;
  for (int64_t i = 0; i < tensor.dims()[axis]; ++i)
    items.push_back(elements(tensor, axis + 1, index));
  return items;
}

class Reading {
 public:
  Tensor read(const Json& json, const Place& place) {
    for (const Json* at = &json; at->as<Json::Array>(); at = &at->as<Json::Array>()->front()) {
      dims_.push_back(static_cast<int64_t>(at->as<Json::Array>()->size()));
      if (dims_.back() == 0) break;
    }
    add(json, place, 0);
    if (kind_ == DType::int64) return Tensor::of<int64_t>(dims_, integers_);
    const Tensor tensor = Tensor::of<double>(dims_, reals_);
    return kind_ == DType::boolean ? tensor.to(DType::boolean) : tensor;
  }

 private:
  void add(const Json& json, const Place& place, size_t axis) {
    if (axis < dims_.size()) {
      const auto count = static_cast<size_t>(dims_[axis]);
      const Json::Array& items =
          items_of(json, place, count, "an array of " + std::to_string(count) + ", as before it");
      for (size_t i = 0; i < count; ++i) add(items[i], place.at(i), axis + 1);
      return;
    }
    const Datum datum = json.as<Json::Array>() ? Datum() : datum_of(json, place);
    if (!(datum.kind() & kind::number)) wrong_form(json, place, "a number, true or false");
    const DType kind = datum.kind() == kind::bool_value  ? DType::boolean
                       : datum.kind() == kind::int_value ? DType::int64
                                                         : DType::float64;
    kind_ = reals_.empty() ? kind : promote(kind_, kind);
    reals_.push_back(datum.real());
    integers_.push_back(kind == DType::float64 ? 0 : datum.integer());
  }

  Dims dims_;
  DType kind_ = DType::float64;
  std::vector<double> reals_;
  std::vector<int64_t> integers_;
};

}  // namespace

Json json_of(const Tensor& tensor) {
  int64_t index = 0;
  Json::Object object{{"tensor", elements(tensor, 0, index)}};
  const bool plain =
      tensor.dtype() == DType::float64 ||
      (tensor.size() > 0 && (tensor.dtype() == DType::int64 || tensor.dtype() == DType::boolean));
  if (!plain) object.emplace_back("dtype", std::string(name(tensor.dtype())));
  if (tensor.size() == 0 && tensor.rank() > 1) {
    Json::Array dims;
    for (const int64_t dim : tensor.dims()) dims.emplace_back(dim);
    object.emplace_back("shape", std::move(dims));
  }
  return object;
}

Tensor tensor_of(const Json& json, const Place& place) {
  const Fields fields(json, place, {"tensor", "dtype", "shape"});
  Tensor tensor = Reading().read(fields.need("tensor"), place.at("tensor"));
  if (const Json* dtype = fields.find("dtype")) {
    const Place here = place.at("dtype");
    tensor = reading(here, [&] { return tensor.to(parse_dtype(text_of(*dtype, here))); });
  }
  if (const Json* shape = fields.find("shape")) {
    const Place here = place.at("shape");
    Dims dims;
    const Json::Array& items = array_of(*shape, here);
    for (size_t i = 0; i < items.size(); ++i) dims.push_back(integer_of(items[i], here.at(i)));
    tensor = reading(here, [&] {
      element_count(dims);  // refuses a negative one, which reshape would replace
      return tensor.reshape(dims);
    });
  }
  return tensor;
}

}  // namespace mithril
