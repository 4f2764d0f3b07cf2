#include "mithril/cli/draw_svg.hpp"

#include <fmt/format.h>

#include <chrono>

#include "mithril/base/process.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/cli/command.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/temporary_files.hpp"

namespace mithril::cli {
namespace {

constexpr std::chrono::minutes longest{5};

}  // namespace

std::string svg_of(const std::string& dot_text, const std::string& asked) {
  const std::string advice =
      "install Graphviz (apt-get install graphviz), or write .html: the page saves SVG";
  const std::string dot = program_path("dot");
  if (dot.empty())
    throw MissingError{"an .svg needs Graphviz, and no program dot was found", advice};
  const TemporaryFolder folder("mithril-graph-");
  check_made(folder);
  const std::string from = folder.path("model.dot"), to = folder.path("model.svg");
  const std::string log = folder.path("log");
  write_temporary(folder, asked, from, dot_text);
  const ProcessEnd end =
      run_process({dot, "-Tsvg", "-o", to, from},
                  {.log = log, .temporary_folder = folder.path(), .limit = longest});
  std::string svg = text_if_any(to);
  if (end != ProcessEnd::success || svg.empty()) {
    throw MissingError{fmt::format("{} made no .svg: {}", dot, text_if_any(log)), advice};
  }
  return svg;
}

}  // namespace mithril::cli
