// What an op's `eval` sees: concrete tensors and values by the names of its ports.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Elements of an input as T: the tensor's own memory where it holds T, a converted copy otherwise.
template <typename T>
class Elements {
 public:
  explicit Elements(const Tensor& tensor);
  const T& operator[](int64_t index) const { return data_[index]; }
  int64_t size() const { return size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  Tensor holder_;
  const T* data_;
  int64_t size_;
};

class EvalContext {
 public:
  // tensors: parallel to values, one per argument in port order; null where the argument is a
  // value. A number that is a value has both: the datum and a rank-0 tensor.
  EvalContext(const OpDef& op, std::span<const Tensor* const> tensors,
              std::span<const Datum> values, std::span<Tensor> outputs)
      : op_(op), tensors_(tensors), values_(values), outputs_(outputs) {}

  bool has(std::string_view port) const;  // an optional port that is not None
  const Tensor& in(std::string_view port, int item = 0) const;
  const Dims& dims(std::string_view port, int item = 0) const { return in(port, item).dims(); }
  int list_size() const;  // tensors at the list port
  template <typename T>
  Elements<T> read(std::string_view port, int item = 0) const {
    return Elements<T>(in(port, item));
  }

  const Datum& value(std::string_view port) const;
  int64_t integer(std::string_view port) const { return value(port).integer(); }
  double real(std::string_view port) const { return value(port).real(); }
  bool flag(std::string_view port) const { return value(port).flag(); }
  const std::string& text(std::string_view port) const { return value(port).text(); }
  Dims ints(std::string_view port) const;  // a tuple of ints, or one int as a tuple of one

  const std::string& op_name() const { return op_.name; }  // for messages
  Tensor& out(int index = 0) { return outputs_[index]; }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  template <typename T>
  T* write(int index = 0) {  // zero to begin with
    return outputs_[index].mutable_data<T>();
  }
  // Calls f(T{}) with T the element type of the first output (bool, int32_t, int64_t, float,
  // double); `typed_like` of an input.
  template <typename F>
  void typed(F f) {
    visit(outputs_[0].dtype(), f);
  }
  template <typename F>
  void typed_like(std::string_view port, F f) {
    visit(in(port).dtype(), f);
  }

 private:
  // visit_dtype without the half types: fewer copies of every loop.
  template <typename F>
  static void visit(DType dtype, F& f);
  int index_of(std::string_view port) const;
  const OpDef& op_;
  std::span<const Tensor* const> tensors_;
  std::span<const Datum> values_;
  std::span<Tensor> outputs_;
};

template <typename T>
Elements<T>::Elements(const Tensor& tensor)
    : holder_(tensor.dtype() == dtype_of<T> ? tensor : tensor.to(dtype_of<T>)),
      data_(holder_.template data<T>()),
      size_(tensor.size()) {}

template <typename F>
void EvalContext::visit(DType dtype, F& f) {
  switch (dtype) {
    case DType::boolean:
      return f(bool{});
    case DType::int32:
      return f(int32_t{});
    case DType::int64:
      return f(int64_t{});
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    case DType::float16:
    case DType::bfloat16:
      break;
  }
  MITHRIL_CHECK(false, "half precision reaches an op's eval as float32");
}

}  // namespace mithril
