// Strings whose text is made when it is first read, such as that of a graph.
#pragma once
#include <cstddef>
#include <string>

namespace mithril {

// Threads may read it at the same time.
class TextSource {
 public:
  virtual ~TextSource() = default;
  virtual const std::string& text() const = 0;
  // Whether a string of the other source may take the place of one of this source.
  virtual bool is_same(const TextSource& other) const = 0;
  virtual size_t hash() const = 0;  // of equal sources the same
};

}  // namespace mithril
