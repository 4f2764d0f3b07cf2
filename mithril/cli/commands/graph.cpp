// `mithril graph`: a drawing of a model.
#include <fmt/format.h>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/model/diagram_text.hpp"
#include "mithril/model/html.hpp"

namespace mithril::cli {

int draw_graph(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output")) {
    throw UsageError{"missing option --output", "name the file to write: --output model.html"};
  }
  const std::string& path = arguments.value("--output");
  const bool is_dot = path.ends_with(".dot"), is_mermaid = path.ends_with(".mmd");
  if (!is_dot && !is_mermaid && !path.ends_with(".html")) {
    throw UsageError{fmt::format("--output is '{}'", printable(path)),
                     "end it with .html, .dot or .mmd"};
  }
  const int levels = static_cast<int>(arguments.number("--depth", 1).value_or(1));
  Model model = read_model(arguments.value("FILE"), arguments).model.copy();
  if (arguments.has("--shape")) model.set_shapes(shapes_of(arguments.values("--shape")));
  const std::string text = is_dot ? to_dot(model, levels)
                           : is_mermaid
                               ? to_mermaid(model, levels)
                               : "<!doctype html>\n<meta charset=\"utf-8\">\n" + to_html(model);
  if (const std::string why = write_file(path, text); !why.empty()) cannot_write(path, why);
  output.written("graph", arguments.value("FILE"), {path});
  return done;
}

}  // namespace mithril::cli
