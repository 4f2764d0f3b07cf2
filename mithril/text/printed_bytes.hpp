// Vocabularies of bytes write each byte as a character that can be printed.
#pragma once
#include <string>
#include <string_view>

std::string printed(std::string_view bytes);
// Inverts `printed`. A text with a character that represents no byte is returned unchanged.
std::string bytes_of(std::string_view printed_text);
