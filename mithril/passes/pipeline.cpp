#include "mithril/passes/pipeline.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <ostream>

#include "mithril/base/names.hpp"
#include "mithril/passes/fuse_attention.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril {
namespace {

constexpr size_t longest_shown = 8000;

std::string shown(const Graph& graph) {
  const std::string text = to_string(graph);
  if (text.size() <= longest_shown) return text;
  return text.substr(0, longest_shown) + "\n... (" + std::to_string(text.size() - longest_shown) +
         " more characters)\n";
}

void check_names(const PipelineOptions& options) {
  std::vector<std::string> names;
  for (const Pass& pass : options.passes) names.emplace_back(pass.name);
  for (const std::string& name : options.skip) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    unknown_name(ErrorKind::name, "E0612", "pass", name, "", names);
  }
}

Graph run_and_verify(const Pass& pass, const Graph& graph, bool verify_result) {
  Graph result = pass.run(graph);
  if (verify_result) verify(result);
  return result;
}

// Whether an error of a transform or a loop is in the user's model, so that a graph adds nothing.
bool is_of_model(const Error& error) {
  constexpr std::array codes = {"E0102", "E0130", "E0131", "E0139", "E0209", "E0301",
                                "E0427", "E0428", "E0501", "E0502", "E1369"};
  return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
}

Graph run_named(const Pass& pass, const Graph& graph, bool verify_result) {
  try {
    return run_and_verify(pass, graph, verify_result);
  } catch (const Error& error) {
    if (is_of_model(error)) throw;
    ErrorDetails details = error.details();
    details.message += " (in pass '" + std::string(pass.name) + "')";
    details.facts.push_back({"graph", "\n" + shown(graph), ""});
    details.marker.clear();  // it belongs to the previous last fact
    raise(std::move(details));
  } catch (const std::bad_alloc&) {  // no fault of the pass
    throw;
  } catch (const std::exception& error) {
    throw InternalError("mithril: internal error in pass '" + std::string(pass.name) +
                        "': " + error.what() + "\nThe pass was given\n" + shown(graph));
  }
}

}  // namespace

const std::vector<Pass>& default_passes() {
  static const std::vector<Pass> passes = {
      {"expand_ops", expand_ops},
      {"fold_constants", fold_constants},
      {"eliminate_common_subexpressions", eliminate_common_subexpressions},
      {"eliminate_dead_nodes", eliminate_dead_nodes},
  };
  return passes;
}

const std::vector<Pass>& passes_with_fused_attention() {
  static const std::vector<Pass> passes = {
      {"expand_ops", expand_ops},
      {"fold_constants", fold_constants},
      {"eliminate_common_subexpressions", eliminate_common_subexpressions},
      {"fuse_attention", fuse_attention},
      {"fold_constants", fold_constants},
      {"eliminate_dead_nodes", eliminate_dead_nodes},
  };
  return passes;
}

Trace print_to(std::ostream& stream) {
  return [&stream](const Pass& pass, const Graph& result) {
    stream << "after " << pass.name << ":\n" << to_string(result);
  };
}

Graph run_passes(const Graph& graph, const PipelineOptions& options) {
  check_names(options);
  std::optional<Graph> result;
  for (const Pass& pass : options.passes) {
    if (std::find(options.skip.begin(), options.skip.end(), pass.name) != options.skip.end()) {
      continue;
    }
    result = run_named(pass, result ? *result : graph, options.verify);
    if (options.trace) options.trace(pass, *result);
  }
  return result ? *std::move(result) : graph;
}

}  // namespace mithril
