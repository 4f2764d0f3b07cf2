#include "mithril/training/step_agreement.hpp"

#include "mithril/base/text.hpp"
#include "mithril/optim/option_text.hpp"

namespace mithril {

AgreementEntries agreement_on(const Optimizer& optimizer, const TrainingOptions& options) {
  AgreementEntries entries = {{"optimizer", optimizer.def().name},
                              {"steps of the optimizer", std::to_string(optimizer.steps())},
                              {"micro_steps", std::to_string(optimizer.micro_steps())},
                              {"averaged", std::to_string(optimizer.averaged())},
                              {"accumulate", std::to_string(options.accumulate)},
                              {"average", average_text(options)}};
  for (const auto& [name, value] : optimizer.options())
    entries.emplace_back(name, to_string(value));
  return entries;
}

void add_memory(AgreementEntries& entries, const Optimizer& optimizer,
                const TrainingOptions& options, const std::string& key) {
  const Optimizer::ParameterMemory* memory = optimizer.find_memory(key);
  if (!memory) return;
  entries.emplace_back("step of " + in_quotes(key), std::to_string(memory->steps));
  if (memory->block) return;
  for (size_t i = 0; i < memory->slots.size(); ++i)
    add_tensors(entries, optimizer.slots()[i].name + " of", {{key, memory->slots[i]}});
  if (options.averages() && memory->average)
    add_tensors(entries, "average of", {{key, *memory->average}});
}

}  // namespace mithril
