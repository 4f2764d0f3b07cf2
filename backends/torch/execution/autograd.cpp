#include "backends/torch/execution/autograd.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "mithril/base/error.hpp"

namespace mithril::torch_backend {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* programs_key = "programs";
constexpr const char* inputs_key = "inputs";  // the places of the inputs among the saved values

struct ProgramsHolder final : torch::CustomClassHolder {
  explicit ProgramsHolder(std::shared_ptr<const ForwardBackward> held)
      : programs(std::move(held)) {}
  std::shared_ptr<const ForwardBackward> programs;
};

// Torch calls it, so that in Python the error has torch's own class.
variable_list backward_of(const ForwardBackward& programs, at::TensorList given) {
  try {
    return programs.backward(given);
  } catch (const OutOfMemoryError& error) {
    C10_THROW_ERROR(OutOfMemoryError, error.what());
  }
}

bool requires_grad(const at::Tensor& tensor) { return tensor.requires_grad(); }

bool is_same_memory(const at::Tensor& a, const at::Tensor& b) {
  return a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() && a.strides() == b.strides();
}

// Second derivatives need the inputs with their records. The saved values begin with the inputs of
// forward: those that are in the memory of the input take its place, the others are saved besides.
// Returns the place of each input.
std::vector<int64_t> save_inputs(variable_list& saved, at::TensorList inputs) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_same_memory(saved[i], inputs[i])) {
      saved[i] = inputs[i];
      places.push_back(static_cast<int64_t>(i));
    } else {
      places.push_back(static_cast<int64_t>(saved.size()));
      saved.push_back(inputs[i]);
    }
  }
  return places;
}

struct Evaluation : torch::autograd::Function<Evaluation> {
  static variable_list forward(AutogradContext* context,
                               const std::shared_ptr<const ForwardBackward>& programs,
                               at::TensorList inputs) {
    variable_list made;
    {
      const at::AutoDispatchBelowADInplaceOrView below;
      made = programs->forward(inputs);
    }
    const auto saved_from = made.begin() + static_cast<std::ptrdiff_t>(programs->outputs);
    variable_list saved(saved_from, made.end());
    context->saved_data[inputs_key] = save_inputs(saved, inputs);
    context->save_for_backward(std::move(saved));
    context->saved_data[programs_key] =
        c10::IValue::make_capsule(c10::make_intrusive<ProgramsHolder>(programs));
    made.erase(saved_from, made.end());
    variable_list constant;
    for (size_t i = 0; i < made.size(); ++i) {
      if (programs->differentiable[i]) continue;
      made[i] = made[i].detach();  // a differentiable output may be the same tensor
      constant.push_back(made[i]);
    }
    context->mark_non_differentiable(constant);
    return made;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto holder = c10::static_intrusive_pointer_cast<ProgramsHolder>(
        context->saved_data[programs_key].toCapsule());
    const ForwardBackward& programs = *holder->programs;
    variable_list given = context->get_saved_variables(), inputs;
    const std::vector<int64_t> places = context->saved_data[inputs_key].toIntVector();
    for (const int64_t place : places) inputs.push_back(given[static_cast<size_t>(place)]);
    given.resize(programs.saved);
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!programs.differentiable[i]) continue;
      given.push_back(gradients[i]);
      inputs.push_back(gradients[i]);
    }
    const variable_list made = gradients_of(programs, given, inputs);
    variable_list result{at::Tensor()};  // for the argument that is not a tensor
    size_t next = 0;
    for (const bool wanted : programs.wanted)
      result.push_back(wanted ? made[next++] : at::Tensor());
    return result;
  }

  // With create_graph torch records the gradients as a function of the inputs of forward and of the
  // incoming gradients. Forward is computed again: the saved values belong to no record.
  static variable_list gradients_of(const ForwardBackward& programs, const variable_list& given,
                                    const variable_list& inputs) {
    if (at::GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), requires_grad)) {
      std::vector<bool> wanted;
      for (const at::Tensor& input : inputs) wanted.push_back(input.requires_grad());
      return differentiable_run(programs.derivative(wanted), inputs);
    }
    const at::AutoDispatchBelowADInplaceOrView below;
    return backward_of(programs, given);
  }
};

}  // namespace

bool is_recording_gradients() { return at::GradMode::is_enabled(); }

std::vector<at::Tensor> differentiable_run(const std::shared_ptr<const ForwardBackward>& programs,
                                           at::TensorList inputs) {
  return Evaluation::apply(programs, inputs);
}

}  // namespace mithril::torch_backend
