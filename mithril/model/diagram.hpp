// The boxes and edges of a drawing of a model.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "mithril/model/table.hpp"

namespace mithril {

struct DiagramBox {
  enum class Kind { input, part, output };

  Kind kind = Kind::part;
  std::string name;        // within its group
  std::string below;       // the class of a part, or the shape of an input or output
  std::string group = {};  // the path of the part that contains it; empty: the model itself
  std::set<std::size_t> reads = {};  // the indices of the boxes whose values it reads
};

// Boxes of the named inputs, of the parts of the first `levels` levels, and of the outputs, in this
// order. A part whose own parts are within these levels has no box: it is the group of their boxes.
std::vector<DiagramBox> diagram_of(const Composite& model, WireTexts& texts, int levels = 1);

}  // namespace mithril
