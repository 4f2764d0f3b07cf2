// Where the parts of a model are on a page.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/model/composite.hpp"
#include "mithril/viewer/view_graph.hpp"

namespace mithril {

// "models/net.py:12": the line that added the part; empty if it is not known. Files outside the
// current folder are shown by their names alone.
std::string source_text(const Part& part);

class PartPlaces {
 public:
  explicit PartPlaces(const Composite& model);

  const std::vector<ViewGroup>& groups() const { return groups_; }
  // The group of a composite; none for the model itself.
  std::optional<std::size_t> group_of(const Part* composite) const;
  // The part that made a value of the graph, by the name of the value: the op at whose output it
  // is, else the part whose path is the longest prefix of the name. Null: none.
  const Part* maker_of(const std::string& value) const;
  std::vector<std::string> paths() const;  // of all parts, sorted

 private:
  std::vector<ViewGroup> groups_;
  std::unordered_map<const Part*, std::size_t> indices_;
  std::unordered_map<std::string, const Part*> by_value_, by_path_;
};

}  // namespace mithril
