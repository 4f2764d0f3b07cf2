#include "mithril/server/metrics.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace mithril {
namespace {

// A label value: backslashes, quotes and line ends are escaped.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '\\' || character == '"') result += '\\';
    result += character == '\n' ? std::string("\\n") : std::string(1, character);
  }
  return result;
}

std::string number_text(double number) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

struct Metric {
  const char *name, *type, *help;
};

class MetricsWriter {
 public:
  void begin(const Metric& metric) {
    name_ = metric.name;
    text_ += "# HELP " + name_ + " " + metric.help + "\n# TYPE " + name_ + " " + metric.type + "\n";
  }
  void add(const std::string& labels, double value, const std::string& suffix = {}) {
    text_ += name_ + suffix;
    if (!labels.empty()) text_ += "{" + labels + "}";
    text_ += " " + number_text(value) + "\n";
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string name_, text_;
};

struct NamedStats {
  std::string label;  // model="net"
  ServingStats stats;
};

void add_latencies(MetricsWriter& writer, const NamedStats& model) {
  std::uint64_t count = 0;
  const auto& bounds = ServingStats::latency_bounds;
  for (std::size_t i = 0; i < model.stats.latencies.size(); ++i) {
    count += model.stats.latencies[i];
    const std::string bound = i < bounds.size() ? number_text(bounds[i]) : "+Inf";
    writer.add(model.label + ",le=\"" + bound + "\"", static_cast<double>(count), "_bucket");
  }
  writer.add(model.label, model.stats.latency_seconds, "_sum");
  writer.add(model.label, static_cast<double>(count), "_count");
}

}  // namespace

std::string prometheus_text(const Engine& engine) {
  std::vector<NamedStats> models;
  for (const std::string& name : engine.list_models()) {
    try {
      models.push_back({"model=\"" + escaped(name) + "\"", engine.stats(name)});
    } catch (const NameError&) {
      // It was unloaded meanwhile.
    }
  }
  MetricsWriter writer;
  const auto add_all = [&](const Metric& metric, auto value) {
    writer.begin(metric);
    for (const auto& [label, stats] : models) writer.add(label, static_cast<double>(value(stats)));
  };
  using Stats = const ServingStats&;
  add_all({"mithril_requests_total", "counter", "Requests that named the model."},
          [](Stats stats) { return stats.requests; });
  writer.begin(
      {"mithril_failures_total", "counter", "Requests that were not answered, by reason."});
  for (const auto& [label, stats] : models) {
    writer.add(label + ",reason=\"error\"", static_cast<double>(stats.failed));
    writer.add(label + ",reason=\"full_queue\"", static_cast<double>(stats.rejected));
    writer.add(label + ",reason=\"deadline\"", static_cast<double>(stats.expired));
    writer.add(label + ",reason=\"cancelled\"", static_cast<double>(stats.cancelled));
  }
  add_all({"mithril_evaluations_total", "counter", "Evaluations, each of a batch of requests."},
          [](Stats stats) { return stats.calls; });
  add_all({"mithril_rows_total", "counter", "Rows of requests in these evaluations."},
          [](Stats stats) { return stats.rows; });
  add_all({"mithril_loads_total", "counter", "How often the model was loaded."},
          [](Stats stats) { return stats.loads; });
  add_all({"mithril_waiting_requests", "gauge", "Requests that wait now."},
          [](Stats stats) { return stats.waiting; });
  add_all({"mithril_sessions", "gauge", "Open sessions."},
          [](Stats stats) { return stats.sessions; });
  add_all({"mithril_wait_seconds_total", "counter", "Time that requests waited."},
          [](Stats stats) { return stats.wait_seconds; });
  add_all({"mithril_run_seconds_total", "counter", "Time of evaluations."},
          [](Stats stats) { return stats.run_seconds; });
  writer.begin({"mithril_request_seconds", "histogram", "Latency of answered requests."});
  for (const NamedStats& model : models) add_latencies(writer, model);
  writer.begin({"mithril_memory_bytes", "gauge", "Memory of models and sessions."});
  writer.add("", static_cast<double>(engine.memory()));
  return std::move(writer).text();
}

}  // namespace mithril
