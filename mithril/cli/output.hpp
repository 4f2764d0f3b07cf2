// What a command prints on standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/json/json.hpp"

namespace mithril::cli {

// The version of the fields of the JSON objects. It changes when a field is removed or gets another
// meaning, and stays when a field is added.
inline constexpr int json_schema = 1;

class Output {
 public:
  explicit Output(bool json) : json_(json) {}

  // Whether the command has to print one JSON object, and no text.
  bool is_json() const { return json_; }
  // Appends text.
  void text(std::string_view text) { text_ += text; }
  // The object of --json. `fields` follow the fields "schema" and "command".
  void object(std::string_view command, Json::Object fields);
  // The files that the command wrote: a line each, or the object with the field "written". `from`
  // is the file that it read.
  void written(std::string_view command, const std::string& from,
               const std::vector<std::string>& paths);

  // Writes what was not yet written to standard output. Errors E0831, with the reason of the
  // system, if it is closed or full.
  void write();

 private:
  bool json_;
  std::string text_;
};

}  // namespace mithril::cli
