// Sizes without a name in text: written "?12", by their place among all sizes, they become "?1",
// "?2", in the order in which the reader meets them.
#pragma once

#include <map>
#include <string>

namespace mithril {

class UnknownNumbers {
 public:
  // What is given to the same object shares its numbers.
  std::string renumber(const std::string& text);

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace mithril
