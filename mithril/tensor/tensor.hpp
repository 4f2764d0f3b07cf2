// A tensor: contiguous and row-major in the memory of this process, of any dtype; or a tensor of
// another library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

using Dims = std::vector<std::int64_t>;

// "[2, 3]".
std::string to_string(const Dims& dims);

// The product of the dims. ValueError E0480 for a negative dim, E0481 if it does not fit 64 bits.
std::int64_t element_count(const Dims& dims);

class ForeignElements;

// A std::vector, std::array, std::span or C array.
template <class T>
concept Sequence = requires(const T& values) {
  std::begin(values);
  std::size(values);
};

// Copying a Tensor is cheap: the copies share their elements, and all see writes (`copy()` makes a
// separate tensor). Reading from many threads is safe; writing is not.
class Tensor {
 public:
  // A float32 tensor of dims [0].
  Tensor();
  // Not inline: an inlined destructor takes a hundred instructions in each function.
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();
  // All elements zero; aligned to 64 bytes, as is everything that a Tensor allocates.
  Tensor(DType dtype, Dims dims);
  // Elements of indeterminate value, to be written before they are read.
  static Tensor empty(DType dtype, Dims dims);
  // All elements `value`, converted as `to` does.
  static Tensor full(DType dtype, Dims dims, double value);
  static Tensor zeros(Dims dims, DType dtype = DType::float32);
  static Tensor ones(Dims dims, DType dtype = DType::float32);
  // Normal with mean 0 and deviation 1: the same numbers for a seed on every platform.
  static Tensor randn(Dims dims, std::uint64_t seed, DType dtype = DType::float32);
  // A tensor of rank 0: Tensor::scalar(1.0f) is float32.
  template <class T>
  static Tensor scalar(T value);
  // A tensor from values in row-major order: Tensor::of<float>({2, 2}, {1, 2, 3, 4}). ValueError
  // E0482 if the number of values does not match the dims.
  template <class T>
  static Tensor of(Dims dims, const std::vector<T>& values);
  // The same from a std::vector, std::array, std::span or C array: Tensor::of({2, 2}, rows); of
  // rank 1 without dims.
  template <Sequence Values>
  static Tensor of(Dims dims, const Values& values);
  template <Sequence Values>
  static Tensor of(const Values& values);
  // Elements with another owner: they live as long as `owner` does. With a pointer to const the
  // tensor, and all that share with it, are read-only. Bools with bytes besides 0 and 1 are copied,
  // with 1 for each byte that is not 0. ValueError E0482 for null.
  static Tensor borrow(DType dtype, Dims dims, void* data, std::shared_ptr<void> owner);
  static Tensor borrow(DType dtype, Dims dims, const void* data, std::shared_ptr<void> owner);
  // The same without checks, for memory that Mithril fills itself, possibly later.
  static Tensor over(DType dtype, Dims dims, void* data, std::shared_ptr<void> owner);

  // Elements of another library. `data` points to them if they are row-major in the memory of this
  // process; otherwise it is null.
  static Tensor foreign(DType dtype, Dims dims, std::shared_ptr<const ForeignElements> elements,
                        const void* data);

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims_.size()); }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * size_of(dtype_); }
  bool read_only() const { return read_only_; }
  // Whether no other tensor holds its elements, so that writes are not visible elsewhere.
  bool is_sole() const { return !read_only_ && !foreign_ && storage_.use_count() == 1; }
  // Whether an object other than a Tensor holds its elements, or may hold them.
  bool is_borrowed() const;
  // Null if the elements are owned or borrowed.
  const ForeignElements* foreign() const { return foreign_; }
  // The tensor with elements in the memory of this process: itself, unless they are foreign and not
  // in this memory.
  Tensor host() const;

  // The elements; TypeError E0380 if T is not the type of the dtype, ValueError E0487 if they are
  // not in the memory of this process. May be null without elements.
  template <class T>
  const T* data() const;
  template <class T>
  std::span<const T> values() const&;
  // A temporary tensor returns a copy: argmax(scores).values<std::int64_t>().
  template <class T>
  std::vector<T> values() &&;
  // The same, but writable; ValueError E0483 if it is read-only.
  template <class T>
  T* mutable_data();
  template <class T>
  std::span<T> mutable_values();
  // The same without a type.
  const void* raw_data() const {
    if (foreign_) require_host();
    return data_;
  }
  void* mutable_raw_data();

  // The element at a row-major index, as the nearest double.
  double at_as_double(std::int64_t index) const;
  // The only element, as the nearest double; ValueError E0484 if there is not exactly one.
  double item() const;

  // Converted element by element (mithril/tensor/convert.hpp says how); always new elements.
  Tensor to(DType dtype) const;
  Tensor copy() const;          // in the memory of this process and not foreign: to be written to
  Tensor as_read_only() const;  // the same elements, not to be written to
  // The same elements with other dims of the same size; otherwise ValueError E0485. One dim may be
  // -1: it follows from the others. Elements of another library are copied if they are not
  // row-major in the memory of this process.
  Tensor reshape(Dims dims) const;
  // The tensor with row-major elements in the memory of this process, as `host`: itself if they
  // are.
  Tensor contiguous() const { return host(); }

 private:
  Tensor(DType dtype, Dims dims, void* data, std::shared_ptr<void> storage, bool read_only);
  void require_type(DType wanted) const;
  void require_host() const;
  static void require_count(const Dims& dims, std::size_t count);

  DType dtype_ = DType::float32;
  bool read_only_ = false;
  Dims dims_{0};
  std::int64_t size_ = 0;
  void* data_ = nullptr;
  // Shared, because the elements outlive any one holder: tensors pass between graphs, threads and,
  // through DLPack, other libraries, and whichever lets go last frees them.
  std::shared_ptr<void> storage_;
  const ForeignElements* foreign_ = nullptr;  // kept by storage_
};

// Elements that live in another library's tensors: on its devices, with its strides. Immutable but
// for the elements themselves. A Tensor made of it (Tensor::foreign) shares it.
class ForeignElements {
 public:
  virtual ~ForeignElements() = default;
  // The library that can use `object`: "torch 2.11".
  virtual std::string_view library() const = 0;
  // The other library's tensor, in the form of that library, with the lifetime of this object. Null
  // if there is none; host() works nevertheless.
  virtual const void* object() const = 0;
  virtual std::string device() const = 0;           // "cpu", "cuda:0"
  virtual Tensor host() const = 0;                  // in the memory of this process, row-major
  virtual Tensor converted(DType dtype) const = 0;  // new elements, on the same device
};

// Same dtype, same dims and the same bits: a NaN equals itself, 0.0 and -0.0 differ.
bool identical(const Tensor& a, const Tensor& b);

// "float32[2, 3] {1, 2, 3, 4, 5, 6}", cut after twelve elements.
std::string to_string(const Tensor& tensor);
std::string dtype_and_dims(const Tensor& tensor);  // "float32[2, 3]"

template <class T>
Tensor Tensor::scalar(T value) {
  Tensor result = empty(dtype_of<T>, {});
  *result.mutable_data<T>() = value;
  return result;
}

template <class T>
Tensor Tensor::of(Dims dims, const std::vector<T>& values) {
  require_count(dims, values.size());
  Tensor result = empty(dtype_of<T>, std::move(dims));
  T* data = result.mutable_data<T>();
  for (std::size_t i = 0; i < values.size(); ++i) data[i] = values[i];
  return result;
}

template <Sequence Values>
Tensor Tensor::of(Dims dims, const Values& values) {
  using T = std::remove_cvref_t<decltype(*std::begin(values))>;
  require_count(dims, std::size(values));
  Tensor result = empty(dtype_of<T>, std::move(dims));
  T* data = result.template mutable_data<T>();
  for (const auto& value : values) *data++ = value;
  return result;
}

template <Sequence Values>
Tensor Tensor::of(const Values& values) {
  return of({static_cast<std::int64_t>(std::size(values))}, values);
}

template <class T>
const T* Tensor::data() const {
  require_type(dtype_of<T>);
  return static_cast<const T*>(raw_data());
}

template <class T>
std::span<const T> Tensor::values() const& {
  return {data<T>(), static_cast<std::size_t>(size_)};
}

template <class T>
std::vector<T> Tensor::values() && {
  const T* elements = data<T>();
  return {elements, elements + size_};
}

template <class T>
T* Tensor::mutable_data() {
  require_type(dtype_of<T>);
  return static_cast<T*>(mutable_raw_data());
}

template <class T>
std::span<T> Tensor::mutable_values() {
  return {mutable_data<T>(), static_cast<std::size_t>(size_)};
}

}  // namespace mithril
