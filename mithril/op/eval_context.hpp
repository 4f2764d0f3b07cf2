// The argument of an op's `eval`: concrete tensors and values by the names of its ports.
#pragma once
#include <compare>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp

// Raises ValueError E0478 (written) or E0479 (read): element `index` is outside of the tensor.
[[noreturn]] void refuse_write(const OpDef& op, std::string_view port, const Tensor& tensor,
                               int64_t index);
[[noreturn]] void refuse_read(const OpDef& op, std::string_view port, const Tensor& tensor,
                              int64_t index);

// Elements of an input as T: the tensor's own memory if it holds T, otherwise a converted copy.
// `[i]` raises E0479 outside of the tensor. Refers to the op and to the name of the port.
template <typename T>
class Elements {
 public:
  Elements(const OpDef& op, std::string_view port, const Tensor& tensor);
  const T& operator[](int64_t index) const {
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size_)) [[unlikely]]
      refuse_read(*op_, port_, holder_, index);
    return data_[index];
  }
  int64_t size() const { return size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  Tensor holder_;
  const T* data_;
  int64_t size_;
  const OpDef* op_;
  std::string_view port_;
};

// A pointer to an element of an output, and an iterator: `y[i] = x`, `*y++ = x`. To follow it
// outside of the output raises E0478. Refers to the op, the name of the port and the tensor.
template <typename T>
class OutputPointer {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = int64_t;
  using pointer = T*;
  using reference = T&;

  OutputPointer(const OpDef& op, std::string_view port, Tensor& tensor)
      : data_(tensor.mutable_data<T>()),
        size_(tensor.size()),
        op_(&op),
        port_(port),
        tensor_(&tensor) {}

  int64_t size() const { return size_; }  // elements of the output
  T& operator[](int64_t index) const {
    index += at_;
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size_)) [[unlikely]]
      refuse_write(*op_, port_, *tensor_, index);
    return data_[index];
  }
  T& operator*() const { return (*this)[0]; }
  OutputPointer& operator+=(int64_t count) {
    at_ += count;
    return *this;
  }
  OutputPointer& operator-=(int64_t count) { return *this += -count; }
  OutputPointer& operator++() { return *this += 1; }
  OutputPointer& operator--() { return *this += -1; }
  OutputPointer operator++(int) {
    const OutputPointer before = *this;
    ++*this;
    return before;
  }
  OutputPointer operator--(int) {
    const OutputPointer before = *this;
    --*this;
    return before;
  }
  friend OutputPointer operator+(OutputPointer at, int64_t count) { return at += count; }
  friend OutputPointer operator+(int64_t count, OutputPointer at) { return at += count; }
  friend OutputPointer operator-(OutputPointer at, int64_t count) { return at -= count; }
  friend int64_t operator-(const OutputPointer& a, const OutputPointer& b) { return a.at_ - b.at_; }
  friend bool operator==(const OutputPointer& a, const OutputPointer& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const OutputPointer& a, const OutputPointer& b) {
    return a.at_ <=> b.at_;
  }

 private:
  T* data_;
  int64_t size_, at_ = 0;
  const OpDef* op_;
  std::string_view port_;
  const Tensor* tensor_;
};

class EvalContext {
 public:
  // tensors: parallel to values, one per argument in port order; null for a value. A number has
  // both: the datum and a rank-0 tensor.
  EvalContext(const OpDef& op, std::span<const Tensor* const> tensors,
              std::span<const Datum> values, std::span<Tensor> outputs)
      : op_(op), tensors_(tensors), values_(values), outputs_(outputs) {}

  bool has(std::string_view port) const;  // an optional port that is not None
  const Tensor& in(std::string_view port, int item = 0) const;
  const Dims& dims(std::string_view port, int item = 0) const { return in(port, item).dims(); }
  int list_size() const;  // tensors at the list port
  template <typename T>
  Elements<T> read(std::string_view port, int item = 0) const {
    return Elements<T>(op_, port, in(port, item));
  }

  const Datum& value(std::string_view port) const;
  int64_t integer(std::string_view port) const { return value(port).integer(); }
  double real(std::string_view port) const { return value(port).real(); }
  bool flag(std::string_view port) const { return value(port).flag(); }
  const std::string& text(std::string_view port) const { return value(port).text(); }
  Dims ints(std::string_view port) const;  // a tuple of ints, or one int as a tuple of one

  const OpDef& op() const { return op_; }
  const std::string& op_name() const;  // for messages
  const Tensor& out(int index = 0) const { return output(index); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  // Initialised with zeros.
  template <typename T>
  OutputPointer<T> write(int index = 0) {
    Tensor& tensor = output(index);
    return OutputPointer<T>(op_, output_port(index), tensor);
  }
  // Writes all elements of an output: `made` has its dtype and dims.
  void write_all(const Tensor& made, int index = 0);
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
  Tensor& output(int index) const;
  const std::string& output_port(int index) const;
  const OpDef& op_;
  std::span<const Tensor* const> tensors_;
  std::span<const Datum> values_;
  std::span<Tensor> outputs_;
};

template <typename T>
Elements<T>::Elements(const OpDef& op, std::string_view port, const Tensor& tensor)
    : holder_(tensor.dtype() == dtype_of<T> ? tensor : tensor.to(dtype_of<T>)),
      data_(holder_.template data<T>()),
      size_(tensor.size()),
      op_(&op),
      port_(port) {}

// eval_context.cpp instantiates the types of `typed`, which the eval of most ops reads.
extern template class Elements<bool>;
extern template class Elements<std::int32_t>;
extern template class Elements<std::int64_t>;
extern template class Elements<float>;
extern template class Elements<double>;

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
    default:
      break;
  }
  MITHRIL_CHECK(false,
                "half precision reaches an op's eval as float32, other integers as int32 or int64");
}

}  // namespace mithril
