#include "mithril/viewer/part_places.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "mithril/model/flatten.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

std::vector<std::pair<std::string, std::string>> option_texts(const Composite& composite) {
  std::vector<std::pair<std::string, std::string>> texts;
  if (!composite.recipe) return texts;
  for (const auto& [name, value] : composite.recipe->arguments) {
    texts.emplace_back(name, to_string(value));
  }
  return texts;
}

}  // namespace

std::string source_text(const Part& part) {
  namespace fs = std::filesystem;
  const SourceLine* source = source_of(part).get();
  if (!source) return "";
  fs::path file = source->file;
  if (file.is_absolute()) {
    std::error_code failed;
    const fs::path inside = file.lexically_relative(fs::current_path(failed));
    file = inside.empty() || *inside.begin() == ".." ? file.filename() : inside;
  }
  return file.string() + ":" + std::to_string(source->line);
}

PartPlaces::PartPlaces(const Composite& model) {
  std::vector<const Composite*> open = {&model};
  while (!open.empty()) {
    const Composite& composite = *open.back();
    open.pop_back();
    const std::optional<std::size_t> parent = group_of(&composite);
    for (const auto& part : composite.parts) {
      by_path_.emplace(path(part.get()), part.get());
      if (part->op) continue;
      const auto& inner = static_cast<const Composite&>(*part);
      indices_.emplace(part.get(), groups_.size());
      groups_.push_back({.name = composite.name_of(*part),
                         .class_name = part->class_name(),
                         .parent = parent,
                         .is_named = !part->given_name().empty(),
                         .is_composed = inner.recipe == nullptr,
                         .source = source_text(inner),
                         .options = option_texts(inner)});
      open.push_back(&inner);
    }
  }
  for (Part* op : all_op_parts(model)) {
    for (Wire* slot : op->output_slots()) {
      if (slot) by_value_.emplace(name_in_graph(model, top(slot)), op);
    }
  }
}

std::optional<std::size_t> PartPlaces::group_of(const Part* composite) const {
  const auto at = indices_.find(composite);
  return at == indices_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<std::string> PartPlaces::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, part] : by_path_) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

const Part* PartPlaces::maker_of(const std::string& value) const {
  for (std::string name = value;;) {
    if (const auto at = by_value_.find(name); at != by_value_.end()) return at->second;
    if (const auto at = by_path_.find(name); at != by_path_.end()) return at->second;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot == 0) return nullptr;
    name.resize(dot);
  }
}

}  // namespace mithril
