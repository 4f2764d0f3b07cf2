// `mithril graph`: a drawing of a model.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <utility>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/draw_svg.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/cli/trace_file.hpp"
#include "mithril/model/diagram_text.hpp"
#include "mithril/viewer/view.hpp"

namespace mithril::cli {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string page_of(const ModelFile& file, const Arguments& arguments) {
  std::map<std::string, std::map<std::string, double>> measured;
  if (arguments.has("--profile"))
    measured = measured_in_trace(arguments.value("--profile"), file.model);
  return view_page(file.model, {.title = file_name(arguments.value("FILE")),
                                .shapes = shapes_of(arguments.values("--shape")),
                                .params = file.params ? &*file.params : nullptr,
                                .gradients = arguments.has("--gradients"),
                                .passes = arguments.has("--passes"),
                                .measured = std::move(measured)});
}

void check_page_options(const Arguments& arguments, const std::string& path) {
  for (const char* option : {"--params", "--profile", "--gradients", "--passes"}) {
    if (!arguments.has(option)) continue;
    throw UsageError{fmt::format("{} is for pages, and --output is '{}'", option, printable(path)),
                     "end it with .html"};
  }
}

}  // namespace

int draw_graph(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output")) {
    throw UsageError{"missing option --output", "name the file to write: --output model.html"};
  }
  const std::string& path = arguments.value("--output");
  const bool is_page = path.ends_with(".html"), is_mermaid = path.ends_with(".mmd");
  const bool is_svg = path.ends_with(".svg");
  if (!is_page && !is_mermaid && !is_svg && !path.ends_with(".dot")) {
    throw UsageError{fmt::format("--output is '{}'", printable(path)),
                     "end it with .html, .dot, .mmd or .svg"};
  }
  constexpr int most = std::numeric_limits<int>::max();
  const int levels = static_cast<int>(arguments.number("--depth", 1, most).value_or(1));
  if (!is_page) check_page_options(arguments, path);
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  Model model = file.model.copy();
  if (arguments.has("--shape")) set_stated_shapes(model, arguments);
  std::string text;
  if (is_page) {
    text = page_of(file, arguments);
  } else {
    text = is_mermaid ? to_mermaid(model, levels) : to_dot(model, levels);
    if (is_svg) text = svg_of(text, path);
  }
  if (const std::string why = write_file(path, text); !why.empty()) cannot_write(path, why);
  output.written("graph", arguments.value("FILE"), {path});
  return done;
}

}  // namespace mithril::cli
