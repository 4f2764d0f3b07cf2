// `mithril bench`: how long a model takes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "backends/cpu/cpu.hpp"
#include "mithril/backend/memory_timeline.hpp"
#include "mithril/base/text.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/cli/onnx_runtime.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/text_table.hpp"
#include "mithril/edit/cost.hpp"
#include "mithril/profile/profile.hpp"

namespace mithril::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The sets of shapes to time. Set i has the i-th shape of each key, or its only one.
std::vector<std::vector<std::string>> shape_sets(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_key;
  for (const std::string& text : texts) {
    const std::string key = parse_pair("--shape", text).first;
    auto found = std::find_if(by_key.begin(), by_key.end(),
                              [&](const auto& entry) { return entry.first == key; });
    if (found == by_key.end()) found = by_key.insert(by_key.end(), {key, {}});
    found->second.push_back(text);
  }
  std::size_t sets = 1;
  for (const auto& [key, shapes] : by_key) sets = std::max(sets, shapes.size());
  std::vector<std::vector<std::string>> found(sets);
  for (const auto& [key, shapes] : by_key) {
    if (shapes.size() != 1 && shapes.size() != sets) {
      throw UsageError{fmt::format("--shape gives '{}' {} times, and another input {} times", key,
                                   shapes.size(), sets),
                       "give each input once, or as often as the others"};
    }
    for (std::size_t i = 0; i < sets; ++i) {
      found[i].push_back(shapes.size() == 1 ? shapes.front() : shapes[i]);
    }
  }
  return found;
}

struct Timing {
  std::string shapes;
  double compile = 0, first = 0, median = 0, p90 = 0, p99 = 0, least = 0, most = 0;  // in ms
  std::int64_t runs = 0;
  Cost cost;                                      // 0: not counted
  std::optional<std::int64_t> run_bytes = {};     // the memory of an evaluation
  std::unique_ptr<Profile> profile = nullptr;     // of --ops and --trace; null without
  std::optional<OnnxRuntimeAnswer> against = {};  // of --against
};

double percentile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[at];
}

Cost cost_of(const Model& model, const std::vector<std::string>& shapes) try {
  return cost(model, shapes_of(shapes)).total;
} catch (const ShapeError&) {
  return {};  // only the parameters state some sizes
}

// A profile of a few more evaluations.
std::unique_ptr<Profile> profile_of(const CompiledModel& bound, const TensorMap& data,
                                    std::int64_t runs) {
  auto profile = std::make_unique<Profile>();
  for (std::int64_t i = 0; i < runs; ++i) bound.evaluate({}, data);
  profile->stop();
  return profile;
}

Json::Array op_rows(const Profile& profile) {
  Json::Array rows;
  for (const ProfileRow& row : profile.rows()) {
    rows.push_back(Json::Object{{"ops", row.name},
                                {"calls", row.calls},
                                {"ms", row.seconds * 1e3},
                                {"operations", row.operations},
                                {"bytes", row.bytes},
                                {"threads", std::int64_t{row.threads}}});
  }
  return rows;
}

std::string shapes_text(const Timing& timing) {
  return timing.shapes.empty() ? "as stated" : timing.shapes;
}

// The ops of all profiles. Without profiles it has its header only.
std::vector<TableRow> op_table(const std::vector<Timing>& timings) {
  std::vector<TableRow> rows = {
      {"shapes", "ops", "calls", "time ms", "operations", "bytes", "threads"}};
  for (const Timing& timing : timings) {
    if (!timing.profile) continue;
    for (const ProfileRow& row : timing.profile->rows()) {
      rows.push_back({shapes_text(timing), row.name, std::to_string(row.calls),
                      fmt::format("{:.4g}", row.seconds * 1e3), std::to_string(row.operations),
                      std::to_string(row.bytes), std::to_string(row.threads)});
    }
  }
  return rows;
}

Timing time_shapes(const ModelFile& file, const Arguments& arguments,
                   const std::vector<std::string>& shapes) {
  constexpr double time_ms = 2000;
  constexpr std::int64_t least_runs = 5, most_runs = 10000;
  Timing timing;
  timing.shapes = join(shapes, " ");
  const std::uint64_t seed = seed_of(arguments);
  auto begin = Clock::now();
  const CompiledModel compiled = compile_file(file, arguments, shapes);
  const TensorMap params = parameters_of(file, compiled, arguments);
  const CompiledModel bound = compiled.bind(params, state_of(file, compiled));
  timing.compile = milliseconds(begin);
  const TensorMap data = inputs_of(compiled, {}, seed);
  begin = Clock::now();
  bound.evaluate({}, data);
  timing.first = milliseconds(begin);
  const std::optional<long> runs = arguments.number("--runs", 1);
  std::vector<double> times;
  const auto start = Clock::now();
  const auto wants_more = [&] {
    const auto count = static_cast<std::int64_t>(times.size());
    if (runs) return count < *runs;
    return count < least_runs || (count < most_runs && milliseconds(start) < time_ms);
  };
  while (wants_more()) {
    begin = Clock::now();
    bound.evaluate({}, data);
    times.push_back(milliseconds(begin));
  }
  std::sort(times.begin(), times.end());
  timing.runs = static_cast<std::int64_t>(times.size());
  timing.median = percentile(times, 0.5);
  timing.p90 = percentile(times, 0.9);
  timing.p99 = percentile(times, 0.99);
  timing.least = times.front();
  timing.most = times.back();
  timing.cost = cost_of(file.model, shapes);
  timing.run_bytes = bound.memory_timeline(data).planned_bytes;
  constexpr std::int64_t most_profiled = 20;
  if (arguments.has("--ops") || arguments.has("--trace"))
    timing.profile = profile_of(bound, data, std::min(timing.runs, most_profiled));
  if (arguments.has("--against")) {
    timing.against =
        run_onnx_runtime(file, arguments, compiled,
                         {.params = params.share(), .state = state_of(file, compiled)}, data,
                         {.exact_products = false,
                          .threads = arguments.number("--threads", 1).value_or(0),
                          .runs = runs.value_or(0),
                          .seconds = time_ms / 1e3});
  }
  return timing;
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

TableFormat format_of(const std::string& name) {
  if (name == "markdown") return TableFormat::markdown;
  return name == "csv" ? TableFormat::csv : TableFormat::text;
}

// Of operations and bytes the one of which the model reaches more; none if they are not counted.
std::optional<double> share_of_peak(const Timing& timing, const MachinePeak& peak) {
  if (timing.cost.operations == 0) return std::nullopt;
  const double reached = std::max(static_cast<double>(timing.cost.operations) / peak.operations,
                                  static_cast<double>(timing.cost.bytes) / peak.bytes);
  return reached / (timing.median / 1000);
}

Json json_of(const Timing& timing, const MachinePeak& peak) {
  Json::Object object{{"shapes", timing.shapes},   {"compile_ms", timing.compile},
                      {"first_ms", timing.first},  {"median_ms", timing.median},
                      {"p90_ms", timing.p90},      {"p99_ms", timing.p99},
                      {"min_ms", timing.least},    {"max_ms", timing.most},
                      {"runs", timing.runs},       {"operations", timing.cost.operations},
                      {"bytes", timing.cost.bytes}};
  if (const auto share = share_of_peak(timing, peak)) object.emplace_back("share_of_peak", *share);
  if (timing.run_bytes) object.emplace_back("run_bytes", *timing.run_bytes);
  if (timing.profile) object.emplace_back("ops", op_rows(*timing.profile));
  if (timing.against) {
    object.emplace_back("onnxruntime", Json::Object{{"version", timing.against->version},
                                                    {"load_ms", timing.against->load_ms},
                                                    {"first_ms", timing.against->first_ms},
                                                    {"median_ms", timing.against->median_ms},
                                                    {"runs", timing.against->runs}});
  }
  return object;
}

TableRow row_of(const Timing& timing, const MachinePeak& peak) {
  const auto ms = [](double value) { return fmt::format("{:.4g}", value); };
  const double seconds = timing.median / 1000;
  const std::optional<double> share = share_of_peak(timing, peak);
  const bool is_counted = timing.cost.operations > 0;
  const auto rate = [&](std::int64_t count, const char* unit) {
    return is_counted ? scaled(static_cast<double>(count) / seconds, unit) : std::string("?");
  };
  TableRow row = {shapes_text(timing),
                  ms(timing.median),
                  ms(timing.p90),
                  ms(timing.p99),
                  ms(timing.least),
                  ms(timing.most),
                  grouped(timing.runs),
                  rate(timing.cost.operations, "op/s"),
                  rate(timing.cost.bytes, "B/s"),
                  share ? fmt::format("{:.0f} %", 100 * *share) : std::string("?"),
                  ms(timing.compile),
                  ms(timing.first)};
  if (timing.against) {
    row.push_back(ms(timing.against->median_ms));
    row.push_back(fmt::format("{:.2f}", timing.median / timing.against->median_ms));
  }
  return row;
}

void write_trace(const std::vector<Timing>& timings, const Arguments& arguments) {
  if (!arguments.has("--trace")) return;
  timings.front().profile->save(arguments.value("--trace"));
}

}  // namespace

int bench(const Arguments& arguments, Output& output) {
  if (const std::string backend = arguments.value("--backend"); backend != "cpu") {
    for (const char* option : {"--ops", "--trace", "--against"}) {
      if (arguments.has(option))
        throw UsageError{fmt::format("{} is for the backend cpu, not for {}", option, backend)};
    }
    return run_python("bench", arguments.values("arguments"));
  }
  const auto sets = shape_sets(arguments.values("--shape"));
  if (arguments.has("--trace") && sets.size() > 1)
    throw UsageError{"--trace is for one shape of each input, and --shape gives several"};
  const auto begin = Clock::now();
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  const double load = milliseconds(begin);
  std::vector<Timing> all;
  for (const auto& shapes : sets) all.push_back(time_shapes(file, arguments, shapes));
  const std::int64_t process_bytes = peak_bytes();  // before the copies of measure_peak
  const MachinePeak peak = measure_peak(*cpu());
  std::vector<TableRow> rows = {{"shapes", "median ms", "p90", "p99", "min", "max", "runs",
                                 "operations", "memory", "of peak", "compile ms", "first ms"}};
  if (arguments.has("--against")) {
    rows.front().emplace_back("onnxruntime ms");
    rows.front().emplace_back("ratio");
  }
  write_trace(all, arguments);
  Json::Array timings;
  for (const Timing& timing : all) {
    rows.push_back(row_of(timing, peak));
    timings.push_back(json_of(timing, peak));
  }
  if (output.is_json()) {
    output.object("bench", {{"file", arguments.value("FILE")},
                            {"load_ms", load},
                            {"peak_bytes", process_bytes},
                            {"peak_operations_per_second", peak.operations},
                            {"peak_bytes_per_second", peak.bytes},
                            {"timings", std::move(timings)}});
    return done;
  }
  const TableFormat format = format_of(arguments.value_or("--format", "text"));
  output.text(table_text(rows, format));
  if (format != TableFormat::text && arguments.has("--ops"))
    output.text("\n" + table_text(op_table(all), format));
  if (format == TableFormat::text) {
    output.text(fmt::format("\nloaded in {:.4g} ms; peak memory of the process {}\n", load,
                            memory_text(static_cast<double>(process_bytes))));
    output.text(
        fmt::format("peak of this machine, measured now: {} in a product of float32 "
                    "matrices, {} in a copy\n",
                    scaled(peak.operations, "op/s"), scaled(peak.bytes, "B/s")));
    for (const Timing& timing : all) {
      if (!arguments.has("--ops")) continue;
      const std::string title = timing.shapes.empty() ? "" : timing.shapes + "\n";
      output.text("\n" + title + timing.profile->summary({.peak = peak}));
    }
  }
  return done;
}

}  // namespace mithril::cli
