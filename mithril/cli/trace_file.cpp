#include "mithril/cli/trace_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/viewer/part_places.hpp"

namespace mithril::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

// A step of a trace. Steps of loops and branches have those of their bodies in them.
struct Step {
  double thread = 0, start = 0, seconds = 0, own = 0, bytes = 0;
  std::string layer;
};

const Json* member(const Json& object, std::string_view name) {
  const auto* fields = object.as<Json::Object>();
  if (!fields) return nullptr;
  for (const auto& [key, value] : *fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

double number_of(const Json* value) {
  if (!value) return 0;
  if (const auto* integer = value->as<std::int64_t>()) return static_cast<double>(*integer);
  const auto* real = value->as<double>();
  return real ? *real : 0;
}

Json read_trace(const std::string& path) {
  const std::string text = read_text(path);
  return reading(path, [&] { return guarded_parse(text, {.bytes = most_bytes}); });
}

// Empty for a file that is not a trace.
std::vector<Step> steps_of(const Json& trace) {
  const Json* events = member(trace, "traceEvents");
  const auto* all = events ? events->as<Json::Array>() : nullptr;
  std::vector<Step> steps;
  if (!all) return steps;
  constexpr double microsecond = 1e-6;
  for (const Json& event : *all) {
    const Json* arguments = member(event, "args");
    const Json* layer = arguments ? member(*arguments, "layer") : nullptr;
    if (!layer || !layer->as<std::string>()) continue;
    const double seconds = number_of(member(event, "dur")) * microsecond;
    steps.push_back({.thread = number_of(member(event, "tid")),
                     .start = number_of(member(event, "ts")) * microsecond,
                     .seconds = seconds,
                     .own = seconds,
                     .bytes = number_of(member(*arguments, "bytes")),
                     .layer = *layer->as<std::string>()});
  }
  return steps;
}

[[noreturn]] void refuse(const std::string& path, std::string message, std::string help) {
  raise({.kind = ErrorKind::input,
         .code = "E1351",
         .path = path,
         .message = std::move(message),
         .help = std::move(help)});
}

// Subtracts from each step the time of the steps in it.
void subtract_inner(std::vector<Step>& steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.start != b.start ? a.start < b.start : a.seconds > b.seconds;
  });
  constexpr double rounding = 1e-9;  // of the times of a trace
  std::vector<Step*> around;
  for (Step& step : steps) {
    const auto contains = [&](const Step& outer) {
      return outer.thread == step.thread &&
             outer.start + outer.seconds + rounding >= step.start + step.seconds &&
             outer.start + outer.seconds > step.start;
    };
    while (!around.empty() && !contains(*around.back())) around.pop_back();
    if (!around.empty()) {
      double& own = around.back()->own;
      own = std::max(own - step.seconds, 0.0);  // the times are rounded
    }
    around.push_back(&step);
  }
}

}  // namespace

std::map<std::string, std::map<std::string, double>> measured_in_trace(const std::string& path,
                                                                       const Model& model) {
  std::vector<Step> steps = steps_of(read_trace(path));
  if (steps.empty()) {
    refuse(path, "this file is not a trace of a profile",
           "write one: mithril bench FILE --trace trace.json, or Profile.save");
  }
  subtract_inner(steps);
  const Model shown = standalone(model);
  const PartPlaces places(*root_of(shown.composite()));
  std::map<std::string, std::map<std::string, double>> measured;
  for (const Step& step : steps) {
    if (!places.maker_of(step.layer)) continue;
    measured["time"][step.layer] += step.own;
    measured["bytes"][step.layer] += step.bytes;
  }
  if (measured.empty()) {
    refuse(path, "this trace has no step of a part of the model",
           "give the trace of a profile of this model");
  }
  return measured;
}

}  // namespace mithril::cli
