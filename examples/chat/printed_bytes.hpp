// Vocabularies of bytes write each byte as a character that can be printed.
#pragma once
#include <string>
#include <string_view>

std::string printed(std::string_view bytes);
// The text itself if one of its characters does not stand for a byte.
std::string bytes_of(std::string_view printed_text);
