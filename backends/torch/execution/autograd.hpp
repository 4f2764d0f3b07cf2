// A forward and a backward program as one function of torch's autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace mithril::torch_backend {

// The programs, which run below autograd.
class ForwardBackward {
 public:
  virtual ~ForwardBackward() = default;
  // Returns the outputs, then the values that backward needs.
  virtual std::vector<at::Tensor> forward(at::TensorList inputs) const = 0;
  // Takes the saved values, then the gradients of the differentiable outputs. Returns the gradients
  // of the wanted inputs.
  virtual std::vector<at::Tensor> backward(at::TensorList saved_and_gradients) const = 0;

  // Returns the programs of the gradients themselves: their inputs are those of forward, then the
  // gradients of the differentiable outputs. `wanted`: whether the gradient of each is computed.
  virtual std::shared_ptr<const ForwardBackward> derivative(
      const std::vector<bool>& wanted) const = 0;

  size_t outputs = 0;                // that the user sees
  size_t saved = 0;                  // values that backward needs
  std::vector<bool> differentiable;  // per output
  std::vector<bool> wanted;          // per input: whether its gradient is computed
};

bool is_recording_gradients();  // false under torch.no_grad()

// Returns the outputs. Torch can differentiate them, and their gradients, to any order.
std::vector<at::Tensor> differentiable_run(const std::shared_ptr<const ForwardBackward>& programs,
                                           at::TensorList inputs);

}  // namespace mithril::torch_backend
