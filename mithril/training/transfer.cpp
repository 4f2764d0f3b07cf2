#include "mithril/training/transfer.hpp"

#include "mithril/base/names.hpp"

namespace mithril {

Transfer transfer(const TensorMap& params, const CompiledModel& from, const CompiledModel& to,
                  std::uint64_t seed) {
  Transfer made{to.get_parameters(seed), {}, {}, {}};
  std::vector<std::string> given;
  for (const auto& [key, tensor] : params) given.push_back(key);
  for (const std::string& key : from.parameter_keys()) {
    if (!params.contains(key)) unknown_name(ErrorKind::name, "E0609", "parameter", key, "", given);
    if (!made.params.contains(key)) made.dropped.push_back(key);
  }
  for (auto& [key, tensor] : made.params) {
    const Tensor* old = params.find(key);
    if (!old) {
      made.added.push_back(key);
    } else if (old->dims() != tensor.dims()) {
      made.reshaped.push_back(key);
    } else {
      tensor = *old;
    }
  }
  return made;
}

}  // namespace mithril
