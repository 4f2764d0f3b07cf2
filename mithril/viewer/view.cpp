#include "mithril/viewer/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/compile/assemble.hpp"
#include "mithril/compile/compose.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/viewer/flat_graph.hpp"
#include "mithril/viewer/histogram.hpp"
#include "mithril/viewer/model_graph.hpp"
#include "mithril/viewer/page.hpp"

namespace mithril {
namespace {

// The graph of a model that is compiled for training, and which of its inputs are trained.
struct TrainedGraph {
  Graph graph;
  InputRoles roles;
  DifferentiateOptions asked;
};

TrainedGraph trained_graph(const Model& model) {
  const ModeGraph mode =
      settle(compose(*model.composite(), DType::float32, {}, nullptr), Mode::training);
  TrainedGraph trained{.graph = mode.graph, .roles = {}, .asked = {}};
  for (const InputKey& input : mode.inputs) {
    if (input.key_class == KeyClass::state) trained.roles.states.insert(input.path);
    if (input.key_class != KeyClass::parameter) continue;
    trained.roles.parameters.insert(input.path);
    if (!input.frozen) trained.asked.wanted.push_back(input.path);
  }
  const auto is_cost = [](const std::string& name) { return name == "final_cost"; };
  const bool has_cost = std::any_of(mode.outputs.begin(), mode.outputs.end(), is_cost);
  for (const Output& output : mode.graph.outputs()) {
    const auto is_it = [&](const std::string& name) { return name == output.name; };
    const bool is_seen = std::any_of(mode.outputs.begin(), mode.outputs.end(), is_it);
    if (!is_seen || (has_cost && !is_cost(output.name))) continue;
    if (is_floating(mode.graph.value(output.value).dtype)) {
      trained.asked.outputs.push_back(output.name);
    }
  }
  return trained;
}

class Page {
 public:
  // `copy`: a model of its own, because composing completes a model.
  Page(const Model& copy, const Composite& model, const ViewOptions& options)
      : model_(model), options_(options), places_(model) {
    std::set<std::string> parameters;
    if (options.params) {
      for (const auto& [key, tensor] : *options.params) parameters.insert(key);
    }
    graphs_.push_back(view_of(model, places_, parameters));
    if (options.gradients || options.passes) add_graphs(copy);
  }

  std::string json() const {
    JsonText json;
    json.open('{').key("schema").number(1).key("title").text(title());
    json.key("graphs").open('[');
    for (const ViewGraph& graph : graphs_) write(json, graph);
    json.close(']').key("histograms").open('{');
    write_histograms(json);
    json.close('}').key("measured").open('{');
    write_measured(json);
    json.close('}').close('}');
    return json.take();
  }

  std::string title() const {
    if (!options_.title.empty()) return options_.title;
    return model_.given_name().empty() ? model_.class_name() : model_.given_name();
  }

 private:
  void add(const Graph& graph, const InputRoles& roles, const Graph* forward, std::string id,
           std::string graph_title) {
    ViewGraph view = view_of(graph, places_, roles, forward);
    view.id = std::move(id);
    view.title = std::move(graph_title);
    graphs_.push_back(std::move(view));
  }

  // Runs the passes; adds the graph before and after each of them, or only the last one.
  Graph add_passes(const Graph& graph, const InputRoles& roles, const Graph* forward,
                   const std::string& id, const std::string& what) {
    if (!options_.passes) return run_passes(graph);
    add(graph, roles, forward, id, what + ", before passes");
    int number = 0;
    return run_passes(graph, {.trace = [&](const Pass& pass, const Graph& result) {
                        const std::string name = pass.name;
                        add(result, roles, forward,
                            id + "-" + std::to_string(++number) + "-" + name,
                            what + ", after " + name);
                      }});
  }

  void add_graphs(const Model& copy) {
    const TrainedGraph trained = trained_graph(copy);
    const Graph forward = add_passes(trained.graph, trained.roles, nullptr, "graph", "Graph");
    if (!options_.gradients || trained.asked.outputs.empty()) return;
    const Graph both = differentiate(forward, trained.asked);
    const Graph whole = add_passes(both, trained.roles, &forward, "gradient", "Gradients");
    if (!options_.passes) add(whole, trained.roles, &forward, "gradient", "Gradients");
  }

  void write_histograms(JsonText& json) const {
    if (!options_.params) return;
    std::set<std::string> inputs;
    for (const NamedPort& port : input_ports(model_, true)) inputs.insert(port.name);
    for (const auto& [key, tensor] : *options_.params) {
      if (!inputs.contains(key)) {
        unknown_name(ErrorKind::input, "E1352", "parameter", key, "", parameter_names());
      }
      const Histogram counted = histogram_of(tensor);
      json.key(key).open('{').key("elements").number(counted.elements);
      json.key("counted").number(counted.counted).key("notFinite").number(counted.not_finite);
      json.key("low").real(counted.low).key("high").real(counted.high);
      json.key("mean").real(counted.mean).key("deviation").real(counted.deviation);
      json.key("bins").open('[');
      for (const std::int64_t count : counted.bins) json.number(count);
      json.close(']').close('}');
    }
  }

  // Inputs of data may be given as parameters, too, but are none of a layer.
  std::vector<std::string> parameter_names() const {
    const std::vector<NamedPort> ports = input_ports(model_);
    std::vector<const Wire*> wires;
    for (const NamedPort& port : ports) wires.push_back(port.wire);
    const std::vector<const Wire*> parameters = layer_parameters(model_, wires);
    std::vector<std::string> names;
    for (const NamedPort& port : ports) {
      if (std::find(parameters.begin(), parameters.end(), port.wire) == parameters.end()) continue;
      names.push_back(port.name);
    }
    return names;
  }

  void write_measured(JsonText& json) const {
    if (options_.measured.empty()) return;
    const std::vector<std::string> known = measurable();
    const std::set<std::string> places(known.begin(), known.end());
    for (const auto& [name, numbers] : options_.measured) {
      json.key(name).open('{');
      for (const auto& [where, number] : numbers) {
        if (!places.contains(where)) {
          unknown_name(ErrorKind::input, "E1353", "part or value", where, "", known);
        }
        if (!std::isfinite(number) || number < 0) refuse_number(name, where, number);
        json.key(where).real(number);
      }
      json.close('}');
    }
  }

  // The paths of parts, and the names of the values that nodes make.
  std::vector<std::string> measurable() const {
    std::vector<std::string> names = places_.paths();
    const ViewGraph& model = graphs_.front();
    for (const ViewNode& node : model.nodes) {
      for (const ViewPort& output : node.outputs) names.push_back(model.values[output.value].name);
    }
    return names;
  }

  [[noreturn]] static void refuse_number(const std::string& name, const std::string& where,
                                         double number) {
    raise({.kind = ErrorKind::input,
           .code = "E1354",
           .message = fmt::format("the {} of '{}' is {}, and the page shows shares of a sum",
                                  printable(name), printable(where), number),
           .help = "measure finite numbers of at least 0"});
  }

  const Composite& model_;
  const ViewOptions& options_;
  PartPlaces places_;
  std::vector<ViewGraph> graphs_;
};

}  // namespace

std::string view_page(const Model& model, const ViewOptions& options) {
  Model own = options.shapes.empty() ? standalone(model) : model.copy();
  if (!options.shapes.empty()) own.set_shapes(options.shapes);
  const std::shared_ptr<Composite> composite = root_of(own.composite());
  const Model copy = options.gradients || options.passes ? own.copy() : own;
  const Completed completed(*composite);
  const Page page(copy, *composite, options);
  return page_with(page.title(), page.json());
}

void write_view(const Model& model, const std::string& path, const ViewOptions& options) {
  const std::string page = view_page(model, options);
  if (const std::string why = write_file(path, page); !why.empty()) cannot_write(path, why);
}

}  // namespace mithril
