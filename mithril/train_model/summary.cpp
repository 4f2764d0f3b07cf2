// A training model as tables for people.
#include <fmt/format.h>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/table.hpp"
#include "mithril/train_model/training.hpp"

namespace mithril {
namespace {

Wire* wire_of(Part& part, const std::string& port) {
  if (!part.op) return find_port(static_cast<Composite&>(part), port);
  const std::span<Wire*> slots = part.slots_of(port);
  return slots.empty() || !slots.front() ? nullptr : top(slots.front());
}

std::string source_text(Wire* wire, WireTexts& texts) {
  if (!wire) return "?";
  std::string name = wire_name(wire);
  return name.empty() ? texts.text(wire) : name + " " + texts.text(wire);
}

// "input = output [N, 3], target = target [N]"
std::string ports_text(Part& part, const std::vector<std::string>& ports, WireTexts& texts) {
  std::vector<std::string> items;
  for (const std::string& port : ports)
    items.push_back(port + " = " + source_text(wire_of(part, port), texts));
  return join(items, ", ");
}

// "Mean(axis=1)"
std::string step_text(const Part& part) {
  const Arguments* arguments = nullptr;
  if (part.op) {
    arguments = static_cast<const OpPart&>(part).arguments.get();
  } else if (const auto& recipe = static_cast<const Composite&>(part).recipe) {
    arguments = &recipe->arguments;
  }
  std::vector<std::string> items;
  if (arguments) {
    for (const auto& [name, datum] : *arguments) items.push_back(name + "=" + to_string(datum));
  }
  return part.class_name() + "(" + join(items, ", ") + ")";
}

std::string steps_text(const std::vector<PartPointer>& steps) {
  std::vector<std::string> items;
  for (const PartPointer& step : steps) items.push_back(step_text(*step));
  return items.empty() ? "-" : join(items, ", ");
}

std::string number_text(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

std::string titled(const std::string& title, const std::vector<Row>& rows) {
  return rows.size() < 2 ? "" : "\n" + title + "\n" + table(rows);
}

}  // namespace

std::string Training::summary(const Composite&, bool shapes, bool types, int depth) const {
  const auto& trained = static_cast<const Composite&>(*model);
  WireTexts texts;
  std::vector<Row> loss_rows{{"loss", "ports", "reduce steps", "coef", "key"}};
  for (const Objective& loss : losses) {
    loss_rows.push_back({step_text(*loss.part), ports_text(*loss.part, loss.ports, texts),
                         steps_text(loss.reduce_steps), number_text(loss.coef),
                         loss.key_name.empty() ? "-" : loss.key_name});
  }
  std::vector<Row> penalty_rows{{"regulariser", "ports", "coef", "key"}};
  for (const Penalty& penalty : penalties) {
    for (const Penalty::Term& term : penalty.terms) {
      std::vector<std::string> ports = penalty.ports;
      penalty_rows.push_back({step_text(*term.part), ports_text(*term.part, ports, texts),
                              number_text(penalty.coef),
                              penalty.key_name.empty() ? "-" : penalty.key_name});
    }
  }
  std::vector<Row> metric_rows{{"metric", "ports", "reduce steps", "key"}};
  for (const Objective& metric : metrics) {
    metric_rows.push_back({step_text(*metric.part), ports_text(*metric.part, metric.ports, texts),
                           steps_text(metric.reduce_steps), metric.key_name});
  }
  std::string text = "TrainModel of " + summary_of(trained, shapes, types, depth);
  UnknownNumbers unknowns;
  std::string tables = titled("Losses", loss_rows) + titled("Regularisation", penalty_rows) +
                       titled("Metrics", metric_rows);
  if (losses.size() > 1) tables += "combined by " + printable(step_text(*combiner.part())) + "\n";
  return text + unknowns.renumber(tables);
}

}  // namespace mithril
