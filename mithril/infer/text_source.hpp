// Strings whose text is made when it is first read, such as that of a graph.
#pragma once
#include <cstddef>
#include <string>

namespace mithril {

// Makes a string on first use. Threads may call it at the same time.
class TextSource {
 public:
  virtual ~TextSource() = default;
  virtual const std::string& text() const = 0;
  // Whether the strings of both sources mean the same.
  virtual bool is_same(const TextSource& other) const = 0;
  virtual size_t hash() const = 0;  // equal for sources that are the same
};

}  // namespace mithril
