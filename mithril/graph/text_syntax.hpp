// The words of a graph's text: names, strings and numbers, written so that they are read back
// exactly.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// None, True, float32 and similar words for values.
bool is_reserved(std::string_view word);
bool is_symbol_name(std::string_view name);  // letters, digits and _, no digit first; not reserved
bool is_plain_name(std::string_view name);   // the same with dots inside: "encoder.fc1.output"

std::string name_text(std::string_view name);    // unchanged, or `in these` if it is not plain
std::string string_text(std::string_view text);  // "in these"
// The text between the quotes; empty if an escape is invalid.
std::optional<std::string> unescape(std::string_view between);

// The shortest decimal that is read back as the same number. A NaN other than the usual one shows
// its bits: nan(0x7fc00001).
template <class T>
std::string element_text(T element);
// The text of a number with its sign: "-1.5", "inf", "True" for a bool. None if it is not a number
// or does not fit.
template <class T>
std::optional<T> read_element(std::string_view text);

// The text of element_text, but never that of an int: "1.0".
std::string real_text(double number);

}  // namespace mithril
