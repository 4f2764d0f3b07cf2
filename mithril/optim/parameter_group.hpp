// Options for some of the parameters of an optimizer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mithril/base/key_patterns.hpp"

namespace mithril {

// Options of the parameters whose key matches `pattern`: `*` is any text, dots included, and `?`
// one character. Of several groups that match a key the first counts. Example:
//   ml::AdamW optimizer({.lr = 1e-3, .groups = {{.pattern = "*.bias", .weight_decay = 0},
//                                               {.pattern = "encoder.*", .lr_factor = 0.1}}});
struct ParameterGroup {
  std::string pattern;
  double lr_factor = 1;                     // the learning rate is multiplied by it
  std::optional<double> weight_decay = {};  // nothing: that of the optimizer
  // This optimizer does not change them. CompileOptions::frozen also leaves out their gradients.
  bool frozen = false;
};

// ValueError E0406 for a factor or a weight decay that is negative.
void check_groups(const std::vector<ParameterGroup>& groups);
// NameError E0623 for a pattern that matches none of the keys, with the nearest key.
void check_patterns(const std::vector<ParameterGroup>& groups,
                    const std::vector<std::string>& keys);

}  // namespace mithril
