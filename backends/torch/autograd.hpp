// A pair of programs as one function of torch's autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace mithril::torch_backend {

// What runs below autograd.
class ForwardBackward {
 public:
  virtual ~ForwardBackward() = default;
  // The outputs, then what backward needs.
  virtual std::vector<at::Tensor> forward(at::TensorList inputs) const = 0;
  // Of what was saved, then the gradients of the differentiable outputs: those of wanted inputs.
  virtual std::vector<at::Tensor> backward(at::TensorList saved_and_gradients) const = 0;

  size_t outputs = 0;                // that the user sees
  std::vector<bool> differentiable;  // per output
  std::vector<bool> wanted;          // per input: whether it gets a gradient
};

bool is_recording_gradients();  // not under torch.no_grad()

// The outputs; torch differentiates them once. A second derivative through them is an error.
std::vector<at::Tensor> differentiable_run(const std::shared_ptr<const ForwardBackward>& programs,
                                           at::TensorList inputs);

}  // namespace mithril::torch_backend
