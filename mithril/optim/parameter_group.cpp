#include "mithril/optim/parameter_group.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"
#include "mithril/base/key_patterns.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

void require_not_negative(const ParameterGroup& group, const char* option, double got) {
  if (got >= 0) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("parameter group {}: {} is {}, expected at least 0",
                                in_quotes(group.pattern), option, got)});
}

}  // namespace

void check_groups(const std::vector<ParameterGroup>& groups) {
  for (const ParameterGroup& group : groups) {
    require_not_negative(group, "lr_factor", group.lr_factor);
    require_not_negative(group, "weight_decay", group.weight_decay.value_or(0));
  }
}

void check_patterns(const std::vector<ParameterGroup>& groups,
                    const std::vector<std::string>& keys) {
  for (const ParameterGroup& group : groups) check_pattern(group.pattern, keys);
}

}  // namespace mithril
