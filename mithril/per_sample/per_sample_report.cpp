#include "mithril/per_sample/per_sample_report.hpp"

#include <fmt/format.h>

namespace mithril {
namespace {

std::string_view name(PerSampleQuery::Kind kind) {
  constexpr std::string_view names[] = {"gradients", "norms",   "dots",
                                        "weighted",  "clipped", "projections"};
  return names[static_cast<size_t>(kind)];
}

std::string cost_text(const StrategyCost& cost) {
  return fmt::format("{} {:.3g} Mflop, {:.3g} M elements", name(cost.strategy), cost.flops / 1e6,
                     cost.elements / 1e6);
}

}  // namespace

std::string explained(const PerSampleProgram& program) {
  const PerSampleQuery& query = program.query;
  std::string text(name(query.kind));
  if (query.validation > 0) {
    text += fmt::format(" with {} validation samples{}, which run {} the training samples",
                        query.validation, query.pairs ? ", in pairs" : "",
                        query.joined ? "in one batch with" : "apart from");
  }
  text += "\n";
  if (!program.executable) {
    return text + "  each sample by itself: " + program.single_samples + "\n";
  }
  for (const PerSampleChoice& choice : program.choices) {
    text += fmt::format("{}: {}\n", choice.key, name(choice.strategy));
    if (choice.possible.size() > 1) {
      for (const StrategyCost& cost : choice.possible) {
        text += fmt::format("  cost   : {}\n", cost_text(cost));
      }
    }
    for (const std::string& term : choice.terms) text += fmt::format("  term   : {}\n", term);
    for (const std::string& node : choice.unrolled)
      text += fmt::format("  one sample at a time: {}\n", node);
  }
  return text;
}

}  // namespace mithril
