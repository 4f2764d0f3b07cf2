// A tensor whose elements belong to a library that Mithril does not know.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

class UnknownLibrary final : public ForeignElements {
 public:
  std::string_view library() const override { return "abacus 3"; }
  const void* object() const override { return this; }
  std::string device() const override { return "wood:0"; }
  Tensor host() const override { return Tensor::of<float>({2}, {1, 2}); }
  Tensor converted(DType dtype) const override { return host().to(dtype); }
};

inline Tensor foreign_tensor() {
  return Tensor::foreign(DType::float32, {2}, std::make_shared<UnknownLibrary>(), nullptr);
}

}  // namespace mithril::tests
