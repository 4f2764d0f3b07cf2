// What the readers of the parts of a tokenizer.json share.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "mithril/json/json.hpp"
#include "mithril/text/json_field.hpp"
#include "mithril/text/vocabulary.hpp"

namespace mithril {

constexpr int64_t most_token = (int64_t{1} << 24) - 1;

// ParseError E0772 with the place and the value of the field.
[[noreturn]] void refuse_setting(const JsonField& field, std::string expected);
// E0772 unless the value is null or as expected.
void require_setting(const JsonField& field, const Json& expected);
// E0772 for a field that is none of these.
void require_known(const JsonField& object, std::initializer_list<const char*> known);
// A text of one character.
std::string character_setting(const JsonField& field);

// The parts of a Sequence, or the only part; none of null.
std::vector<JsonField> steps_of(const JsonField& field, const std::string& name);

TokenIds read_ids(const JsonField& tokens);

// ParseError E0774: the model needs its token for unknown texts and has none.
[[noreturn]] void lacks_unknown(const std::string& where, const std::string& token);

}  // namespace mithril
