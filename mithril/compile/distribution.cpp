#include "mithril/compile/distribution.hpp"

#include <string>

#include "mithril/base/error.hpp"

namespace mithril {

bool has_peers(const Communicator* group) { return group && group->size() > 1; }

bool is_distributed(const CompiledState& compiled) {
  return has_peers(compiled.group.get()) && compiled.mode == Mode::training && !compiled.inference;
}

Communicator* group_of(const CompiledState& compiled) {
  return is_distributed(compiled) ? compiled.group.get() : nullptr;
}

void check_exchanges(const Backend& backend, bool several) {
  const bool exchanges = !several && (backend.name() == "cpu" || backend.name() == "torch");
  const bool is_of_autograd = exchanges && backend.graph_options().differentiates;
  if (exchanges && !is_of_autograd) return;
  const std::string subject = several ? "a model on several backends"
                                      : "the backend \"" + std::string(backend.name()) + "\"";
  raise({.kind = ErrorKind::backend,
         .code = "E1054",
         .message = subject + (is_of_autograd ? " with requires_grad" : "") +
                    " cannot train on several processes",
         .help = is_of_autograd
                     ? "make the backend without requires_grad, and train with ml.TrainingStep"
                     : "compile for ml.CpuBackend() or ml.TorchBackend(), or leave out the group"});
}

void refuse_distributed(const CompiledState& compiled, const char* subject, const char* help) {
  if (!is_distributed(compiled)) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1054",
         .message = std::string(subject) +
                    " takes a model of one process, and this one trains on " +
                    std::to_string(compiled.group->size()),
         .help = help});
}

void refuse_export(const CompiledState& compiled, const char* subject) {
  refuse_distributed(compiled, subject,
                     "compile the model without a group to export it; its parameters fit both");
}

}  // namespace mithril
