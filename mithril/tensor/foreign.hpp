// Elements that live in another library's tensors: on its devices, with its strides.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Immutable but for the elements themselves. A Tensor made of it (Tensor::foreign) shares it.
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

}  // namespace mithril
