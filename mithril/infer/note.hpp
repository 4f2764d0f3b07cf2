// A pointer to a text that is stored elsewhere.
#pragma once
#include <string>
#include <string_view>

namespace mithril {

class Note {
 public:
  Note() = default;
  // The text outlives it and ends in a zero: of a record, or a copy in an arena.
  explicit Note(const char* text) : text_(text) {}
  explicit Note(const std::string& text) : text_(text.c_str()) {}
  explicit Note(std::string&& text) = delete;

  explicit operator bool() const { return text_ != nullptr; }
  std::string_view operator*() const { return text_; }

 private:
  const char* text_ = nullptr;
};

}  // namespace mithril
