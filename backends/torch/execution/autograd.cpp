#include "backends/torch/execution/autograd.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include "mithril/base/error.hpp"

namespace mithril::torch_backend {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* programs_key = "programs";

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

// Connects a gradient with all its inputs. Otherwise a second derivative would treat values that
// are computed below autograd as constants.
struct OnlyOnce : torch::autograd::Function<OnlyOnce> {
  static at::Tensor forward(AutogradContext*, const at::Tensor& gradient, at::TensorList) {
    return gradient.view_as(gradient);
  }
  static variable_list backward(AutogradContext*, const variable_list&) {
    TORCH_CHECK(false,
                "Mithril's gradients are differentiated once: a second derivative through a "
                "compiled model is not available");
  }
};

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
    context->save_for_backward(variable_list(saved_from, made.end()));
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
    variable_list given = context->get_saved_variables();
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (programs.differentiable[i]) given.push_back(gradients[i]);
    }
    variable_list made;
    {
      const at::AutoDispatchBelowADInplaceOrView below;
      made = backward_of(programs, given);
    }
    variable_list result{at::Tensor()};  // for the argument that is not a tensor
    size_t next = 0;
    for (const bool wanted : programs.wanted) {
      result.push_back(wanted ? made[next++] : at::Tensor());
      if (wanted && at::GradMode::is_enabled()) {
        result.back() = OnlyOnce::apply(result.back(), at::TensorList(given));
      }
    }
    return result;
  }
};

}  // namespace

bool is_recording_gradients() { return at::GradMode::is_enabled(); }

std::vector<at::Tensor> differentiable_run(const std::shared_ptr<const ForwardBackward>& programs,
                                           at::TensorList inputs) {
  return Evaluation::apply(programs, inputs);
}

}  // namespace mithril::torch_backend
