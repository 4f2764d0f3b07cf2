#include "mithril/serialization/tensor_sections.hpp"

#include <algorithm>

namespace mithril {

void add_section(LoadedTensors& file, const std::string& field, std::string prefix,
                 const TensorMap& section) {
  const auto taken = [&](const TensorMap::Item& item) { return item.key().starts_with(prefix); };
  while (std::any_of(file.tensors.begin(), file.tensors.end(), taken)) prefix += ':';
  file.tensors.merge(section.with_prefix(prefix));
  file.metadata[field] = std::move(prefix);
}

TensorMap take_section(LoadedTensors& file, const char* field) {
  const auto prefix = file.metadata.find(field);
  if (prefix == file.metadata.end()) return {};
  std::vector<TensorMap::Item> section, others;
  for (const auto& [key, tensor] : file.tensors) {
    if (key.starts_with(prefix->second)) {
      section.emplace_back(key.substr(prefix->second.size()), tensor);
    } else {
      others.emplace_back(key, tensor);
    }
  }
  file.tensors = TensorMap(std::move(others));
  return TensorMap(std::move(section));
}

}  // namespace mithril
