// Elements that are known while a file is imported.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "mithril/tensor/tensor.hpp"

namespace mithril::onnx {

// Null, or a tensor. Its elements may still be in the file, from where the first use of the tensor
// reads them: what needs only the dtype and the dims copies nothing. Copies share the tensor.
class KnownTensor {
 public:
  KnownTensor() = default;
  KnownTensor(Tensor elements)
      : state_(std::make_shared<State>(State{elements.dtype(), elements.dims(), elements, {}})) {}
  // `read` returns a tensor of this dtype and these dims.
  KnownTensor(DType dtype, Dims dims, std::function<Tensor()> read)
      : state_(std::make_shared<State>(State{dtype, std::move(dims), {}, std::move(read)})) {}

  explicit operator bool() const { return state_ != nullptr; }
  void reset() { state_.reset(); }
  DType dtype() const { return state_->dtype; }
  const Dims& dims() const { return state_->dims; }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims().size()); }
  std::int64_t size() const { return element_count(dims()); }
  std::int64_t bytes() const { return size() * static_cast<std::int64_t>(size_of(dtype())); }
  // Whether both share one tensor.
  bool is_same(const KnownTensor& other) const { return state_ == other.state_; }

  const Tensor& operator*() const {
    if (!state_->elements) {
      state_->elements = state_->read();
      state_->read = nullptr;  // with what it keeps alive
    }
    return *state_->elements;
  }
  const Tensor* operator->() const { return &**this; }

 private:
  struct State {
    DType dtype;
    Dims dims;
    std::optional<Tensor> elements;
    std::function<Tensor()> read;
  };

  std::shared_ptr<State> state_;
};

}  // namespace mithril::onnx
