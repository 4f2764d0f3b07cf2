// Indices of inputs after some of them are removed.
#pragma once

#include <algorithm>
#include <vector>

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

class Shift {
 public:
  explicit Shift(std::vector<size_t> gone) : gone_(std::move(gone)) {
    std::sort(gone_.begin(), gone_.end());
  }
  bool is_gone(size_t index) const { return std::binary_search(gone_.begin(), gone_.end(), index); }
  void apply(std::vector<NamedIndex>& keys) const {
    for (NamedIndex& key : keys) {
      key.index -= static_cast<size_t>(std::lower_bound(gone_.begin(), gone_.end(), key.index) -
                                       gone_.begin());
    }
  }
  void apply(std::vector<InputKey>& inputs) const {
    size_t at = 0;
    std::erase_if(inputs, [&](const InputKey&) { return is_gone(at++); });
  }

 private:
  std::vector<size_t> gone_;
};

}  // namespace mithril
