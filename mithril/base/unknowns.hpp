// Unnamed sizes in texts: written as "?12" by their index among all sizes, and renumbered "?1",
// "?2", in the order in which a reader meets them.
#pragma once

#include <map>
#include <string>

namespace mithril {

class UnknownNumbers {
 public:
  // All texts passed to the same object share its numbers.
  std::string renumber(const std::string& text);

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace mithril
