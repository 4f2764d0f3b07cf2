// Reads JSON text value by value, without building a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mithril {

// Accepts what RFC 8259 allows with at most 127 levels of nesting, and numbers that a finite double
// can hold. That is what serde_json, the parser of the safetensors package, accepts. The text must
// be UTF-8. Throws JsonFault at the first byte that does not fit.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // The first character of the next value: '{', '[', '"', a digit, '-', 't', 'f' or 'n'; 0 at the
  // end of the text.
  char peek();
  bool at_end() { return peek() == 0 && at_ == text_.size(); }
  std::size_t position() const { return at_; }

  // Calls read(key) for each field of an object; `read` consumes the value.
  template <typename Read>
  void object(Read read) {
    open('{', "an object");
    for (bool first = true; next('}', first); first = false) {
      std::string key = string();
      colon();
      read(std::move(key));
    }
  }
  // Calls read() for each item of an array; `read` consumes the item.
  template <typename Read>
  void array(Read read) {
    open('[', "an array");
    for (bool first = true; next(']', first); first = false) read();
  }
  std::string string();
  // nullopt if the number is negative, has a fraction or an exponent, or does not fit.
  std::optional<std::uint64_t> unsigned_integer();
  void null() { word("null"); }
  void skip();  // any value

  // Throws a JsonFault at the next value.
  [[noreturn]] void expected(std::string_view what);

 private:
  void open(char bracket, std::string_view what);
  bool next(char closing, bool first);
  void colon();
  void word(std::string_view expected_word);
  std::string_view number();
  std::size_t digits();
  void escape(std::string& text);
  std::uint32_t hex();

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// The position at which the text is not the expected JSON.
struct JsonFault {
  std::size_t position;
  std::string expected;
};

}  // namespace mithril
