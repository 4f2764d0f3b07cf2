#include "mithril/optim/optimizer_def.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mithril/base/error.hpp"

namespace mithril {

#define MITHRIL_OPTIMIZER(file, Name) OptimizerDef define_##file();
#include "mithril/optim/list.inc"
#undef MITHRIL_OPTIMIZER

const Datum& OptimizerSettings::at(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const auto& each) { return each.first == name; });
  MITHRIL_CHECK(found != options_.end(), "the record of an optimizer lacks an option of its rule");
  return found->second;
}

std::pair<double, double> OptimizerSettings::pair(std::string_view name) const {
  const Tuple& both = at(name).tuple();
  return {both[0].real(), both[1].real()};
}

const std::vector<OptimizerDef>& optimizer_defs() {
  static const std::vector<OptimizerDef> all = {
#define MITHRIL_OPTIMIZER(file, Name) define_##file(),
#include "mithril/optim/list.inc"
#undef MITHRIL_OPTIMIZER
  };
  return all;
}

const OptimizerDef& optimizer_def(std::string_view name) {
  const std::vector<OptimizerDef>& all = optimizer_defs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& def) { return def.name == name; });
  MITHRIL_CHECK(found != all.end(), "mithril/optim/list.inc lacks an optimizer");
  return *found;
}

void require_option(bool holds, const std::string& option, double got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("optimizer: {} is {}, expected {}", option, got, expected)});
}

}  // namespace mithril
