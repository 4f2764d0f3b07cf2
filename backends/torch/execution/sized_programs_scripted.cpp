// Programs that run as TorchScript.
#include <ATen/core/grad_mode.h>

#include "backends/torch/device/refusals.hpp"
#include "backends/torch/execution/sized_programs.hpp"
#include "backends/torch/script/script.hpp"
#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {

std::set<std::string> SizedPrograms::beyond() const {
  const std::lock_guard lock(mutex_);
  return beyond_;
}

void SizedPrograms::script(TorchProgram& program, at::TensorList inputs) const {
  if (const OpDef* op = beyond_script(program)) {
    const std::lock_guard lock(mutex_);
    beyond_.insert(op->name);
  } else {
    learn_conversions(program, inputs, Numbers::given);
    program.script = make_script(graph_, program, constants_);
  }
}

// The executor of TorchScript throws texts: a trace of the script, and the error at the end.
std::vector<at::Tensor> SizedPrograms::run_script(const Script& script, at::TensorList inputs,
                                                  const MemoryScope& scope) const {
  const at::NoGradGuard without_gradients;
  try {
    return script.run(inputs);
  } catch (const std::exception& error) {
    if (scope.refusal()) refuse_memory({}, error.what());
    const std::string text = error.what();
    const size_t end = text.find_last_not_of('\n') + 1;
    const size_t begin = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
    raise({.kind = ErrorKind::backend,
           .code = "E1012",
           .message = "torch refused: " + text.substr(begin, end - begin),
           .help = "without jit_compile the op is named"});
  }
}

}  // namespace mithril::torch_backend
