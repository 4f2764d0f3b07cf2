// The parts of a model and who reads whom, for drawings.
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
  std::set<std::size_t> reads = {};  // boxes
};

// Boxes of the named inputs, of the parts of the first `levels` levels, and of the outputs, in this
// order. A part with parts on a further level is a group of their boxes.
std::vector<DiagramBox> diagram_of(const Composite& model, WireTexts& texts, int levels = 1);

}  // namespace mithril
