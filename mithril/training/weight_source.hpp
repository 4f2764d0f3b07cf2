// The source of a parameter among stored tensors.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mithril {

// The source of a parameter. Each stored tensor is transposed, then the tensors are concatenated,
// then the part is taken.
struct WeightSource {
  std::vector<std::string> names;  // several stored tensors are concatenated along the axis
  bool transpose = false;          // exchanges the last two axes
  int axis = 0;                    // of the parameter; negative: from the end
  int part = 0, parts = 1;         // takes one of `parts` equal parts along the axis

  WeightSource(const char* name) : names{name} {}
  WeightSource(std::string name) : names{std::move(name)} {}
  WeightSource(std::vector<std::string> stored) : names(std::move(stored)) {}
  // GPT-2's query: ml::WeightSource("h.*.attn.c_attn.weight").transposed().taking(0, 3)
  WeightSource transposed() const;
  WeightSource taking(int one, int of, int along_axis = 0) const;
  WeightSource along(int along_axis) const;
};

}  // namespace mithril
