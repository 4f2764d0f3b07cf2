// Profiles, and the memory of evaluations step by step.
#include "profile.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "convert.hpp"
#include "mithril/backend/memory_timeline.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/model/model.hpp"
#include "mithril/profile/profile.hpp"
#include "mithril/viewer/part_places.hpp"
#include "mithril/viewer/profile_page.hpp"

namespace mithril::python {
namespace {

// A profile that a with block begins and ends.
class ProfileBlock {
 public:
  void begin() { profile_ = std::make_unique<Profile>(); }
  void end() {
    if (profile_) profile_->stop();
  }
  const Profile& get() const {
    if (profile_) return *profile_;
    raise({.kind = ErrorKind::state,
           .code = "E0971",
           .message = "the profile has not ended",
           .help = "read it after stop(), in Python after its with block"});
  }

 private:
  std::unique_ptr<Profile> profile_;
};

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

// Measured once in a process. A thread that waits for another one to measure it does not hold the
// interpreter.
const MachinePeak& peak_of_machine() {
  const InterpreterUnlocked free;
  static const MachinePeak peak = measure_peak(*cpu());
  return peak;
}

ProfileRowsOptions rows_options(const std::string& by, std::size_t depth) {
  return {.by = parse_profile_by(by), .depth = depth};
}

std::string summary_of(const ProfileBlock& block, const std::string& by, std::size_t depth,
                       bool peak) {
  const ProfileRowsOptions rows = rows_options(by, depth);
  ProfileSummaryOptions options{.by = rows.by, .depth = rows.depth};
  const Profile& profile = block.get();
  profile.seconds();  // refuses a profile that records before the peak is measured
  if (peak) options.peak = peak_of_machine();
  return profile.summary(options);
}

py::list rows_of(const ProfileBlock& block, const std::string& by, std::size_t depth) {
  py::list rows;
  for (const ProfileRow& row : block.get().rows(rows_options(by, depth))) {
    rows.append(py::dict(py::arg("name") = row.name, py::arg("calls") = row.calls,
                         py::arg("seconds") = row.seconds, py::arg("operations") = row.operations,
                         py::arg("bytes") = row.bytes,
                         py::arg("threads") = row.threads > 0 ? py::object(py::int_(row.threads))
                                                              : py::object(py::none())));
  }
  return rows;
}

// The time and the bytes of the parts of the model, on its page. A layer is a part of the model, or
// the key that its part makes.
py::object view_of(const ProfileBlock& block, const Model& model) {
  py::dict seconds, bytes;
  const Model shown = standalone(model);
  const PartPlaces places(*root_of(shown.composite()));
  for (const ProfileRow& row : block.get().rows(rows_options("layer", 0))) {
    if (!places.maker_of(row.name)) continue;
    seconds[row.name.c_str()] = row.seconds;
    bytes[row.name.c_str()] = row.bytes;
  }
  return py::cast(model).attr("view")(
      py::arg("measured") = py::dict(py::arg("time") = seconds, py::arg("bytes") = bytes));
}

py::list gaps_of(const ProfileBlock& block) {
  py::list gaps;
  for (const ProfileGap& gap : block.get().gaps())
    gaps.append(py::dict(py::arg("name") = gap.name, py::arg("calls") = gap.calls,
                         py::arg("seconds") = gap.seconds));
  return gaps;
}

py::list list_of(const std::vector<TracedTensor>& tensors) {
  py::list list;
  for (const TracedTensor& tensor : tensors)
    list.append(py::dict(py::arg("name") = tensor.name, py::arg("dtype") = tensor.dtype,
                         py::arg("shape") = tensor.dims));
  return list;
}

void describe(py::dict& to, const TraceEvent& event) {
  const TracedStep& step = *event.step;
  to["path"] = step.name;
  to["ops"] = step.ops;
  to["kernel"] = step.kernel;
  to["layer"] = step.layer;
  to["phase"] = step.phase;
  to["backend"] = step.backend;
  to["device"] = step.device;
  to["threads"] = event.threads > 0 ? py::object(py::int_(event.threads)) : py::object(py::none());
  to["operations"] = step.operations;
  to["bytes"] = step.bytes;
  to["reads"] = list_of(step.reads);
  to["writes"] = list_of(step.writes);
}

py::dict dict_of_profile(const ProfileBlock& block) {
  const Profile& profile = block.get();
  const std::vector<TraceEvent>& events = profile.events();
  std::int64_t first = 0;
  for (const TraceEvent& event : events) {
    if (event.kind == TraceEvent::Kind::call && event.name == "profile") first = event.start;
  }
  py::list steps, calls, work;
  for (const TraceEvent& event : events) {
    py::dict entry(py::arg("thread") = event.thread,
                   py::arg("begin") = seconds(event.start - first),
                   py::arg("duration") = seconds(event.end - event.start));
    if (event.kind == TraceEvent::Kind::step) {
      if (event.step) describe(entry, event);
      steps.append(entry);
      continue;
    }
    if (event.kind == TraceEvent::Kind::call) {
      entry["name"] = event.name;
      calls.append(entry);
    } else {
      work.append(entry);
    }
  }
  return py::dict(py::arg("schema") = 1, py::arg("seconds") = profile.seconds(),
                  py::arg("steps") = steps, py::arg("calls") = calls, py::arg("work") = work,
                  py::arg("gaps") = gaps_of(block));
}

void bind_profile_class(py::module_& module) {
  py::class_<ProfileBlock>(module, "Profile",
                           R"(The steps of evaluations in a with block, which `profile()` begins.

Read it after the block.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    print(p.seconds)

See docs/profiling.md.)")
      .def("__enter__",
           [](py::object self) {
             self.cast<ProfileBlock&>().begin();
             return self;
           })
      .def("__exit__", [](ProfileBlock& block, const py::args&) { block.end(); })
      .def_property_readonly(
          "seconds", [](const ProfileBlock& block) { return block.get().seconds(); },
          "Seconds from the start to the end of the block.")
      .def("rows", rows_of, py::arg("by") = "op", py::kw_only(), py::arg("depth") = 0,
           R"(Returns the steps added up, as a list of dicts. The longest is the first.

A dict has "name", "calls", "seconds", "operations", "bytes" and "threads": the most that worked on
one of the steps, or None. The seconds do not contain those of steps in a step.

Args:
    by: "op", "path", "kernel", "layer" or "phase".
    depth: by "layer", the most names of a path. 0 is all.

Raises:
    ValueError: If `by` is another text.
    StateError: If the block has not ended.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    for row in p.rows(by="layer"):
        print(row["name"], row["seconds"]))")
      .def("gaps", gaps_of,
           R"(Returns what is in no step: between the steps of calls, and outside of calls.

In one thread the seconds of rows and gaps add up to `seconds`.

Returns:
    List of dicts with "name", "calls" and "seconds".

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    print(sum(gap["seconds"] for gap in p.gaps())))")
      .def("summary", summary_of, py::arg("by") = "op", py::kw_only(), py::arg("depth") = 0,
           py::arg("peak") = true,
           R"(Returns a table of the steps and of what is in no step.

Args:
    by: "op", "path", "kernel", "layer" or "phase".
    depth: by "layer", the most names of a path. 0 is all.
    peak: whether to show the share of what this machine can do. The first summary of the process
        measures it in about 0.2 s, with a product of matrices and a copy.

Raises:
    ValueError: If `by` is another text.
    StateError: If the block has not ended.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    print(p.summary(by="layer")))")
      .def(
          "save",
          [](const ProfileBlock& block, py::handle path) { block.get().save(path_of(path)); },
          py::arg("path"),
          R"(Writes a trace in Chrome's format, which ui.perfetto.dev and chrome://tracing open.

It has a track for each thread, and the sizes, operations and bytes of each step.

Raises:
    InputError: If the file cannot be written.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    p.save("trace.json"))")
      .def(
          "html", [](const ProfileBlock& block) { return profile_page(block.get()); },
          R"(Returns the steps as a page of HTML, with their time and bytes.

The page needs no model. `view(model)` shows the parts of one.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    with open("profile.html", "w", encoding="utf-8") as file:
        file.write(p.html()))")
      .def("view", view_of, py::arg("model"),
           R"(Returns the page of the model with the time and the bytes of its parts.

Steps of parts that the model lacks, such as those of a loss, are left out.

Args:
    model: the model that was compiled, or one with the same paths.

Raises:
    StateError: If the block has not ended.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    p.view(model).save("model.html"))")
      .def("to_dict", dict_of_profile,
           R"(Returns the events as a dict of numbers, texts and lists.

"steps" has for each step "path", "ops", "kernel", "layer", "phase", "backend", "device", "thread",
"threads", "begin", "duration", "operations", "bytes", "reads" and "writes". "calls" has the calls
around them, and "work" what threads of the pool did for other threads. Times are seconds from the
start of the block.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    longest = max(p.to_dict()["steps"], key=lambda step: step["duration"]))");
  module.def(
      "profile", [] { return ProfileBlock(); },
      R"(Returns a profile, which records the evaluations in its with block.

It records evaluations, training steps, `generate` and engines in all threads of the process. One
profile at a time can record.

Returns:
    A `Profile`.

Raises:
    StateError: On entry, if a profile records already.

Example:
    with ml.profile() as p:
        compiled.evaluate(params, data)
    print(p.summary())
    p.save("trace.json")

See docs/profiling.md.)");
}

py::dict dict_of_value(const TimelineValue& value) {
  return py::dict(
      py::arg("name") = value.name, py::arg("made_by") = value.made_by,
      py::arg("bytes") = value.bytes, py::arg("first") = value.first, py::arg("last") = value.last,
      py::arg("offset") = value.offset < 0 ? py::object(py::none()) : py::int_(value.offset));
}

template <typename Values>
py::list dicts_of(const Values& values) {
  py::list list;
  for (const TimelineValue& value : values) list.append(dict_of_value(value));
  return list;
}

py::list dicts_of_steps(const MemoryTimeline& timeline) {
  py::list list;
  for (const TimelineStep& step : timeline.steps)
    list.append(py::dict(py::arg("path") = step.name, py::arg("ops") = step.ops,
                         py::arg("bytes") = step.bytes));
  return list;
}

void bind_timeline(py::module_& module) {
  py::class_<MemoryTimeline>(module, "MemoryTimeline",
                             R"(What is in memory at each step of an evaluation.

`str()` shows the peak and the values that own it. Inputs, parameters and constants are not in it.

Example:
    timeline = compiled.memory_timeline(data)
    print(timeline)

See docs/profiling.md.)")
      .def_readonly("peak_bytes", &MemoryTimeline::peak_bytes, "The most that is alive at once.")
      .def_readonly("peak_step", &MemoryTimeline::peak_step,
                    "The first step at which the peak is alive.")
      .def_readonly(
          "planned_bytes", &MemoryTimeline::planned_bytes,
          "Bytes that an evaluation takes: of all outputs, and of the values with the gaps "
          "between them.")
      .def_property_readonly(
          "steps", dicts_of_steps,
          "List of dicts with \"path\", \"ops\" and \"bytes\", the bytes that are alive.")
      .def_property_readonly(
          "values", [](const MemoryTimeline& timeline) { return dicts_of(timeline.values); },
          "List of dicts with \"name\", \"made_by\", \"bytes\", \"first\", \"last\" and "
          "\"offset\". "
          "The offset is None for an output.")
      .def(
          "alive_at",
          [](const MemoryTimeline& timeline, std::size_t step) {
            return dicts_of(timeline.alive_at(step));
          },
          py::arg("step"), R"(Returns the values that are alive at a step, the largest first.

Example:
    timeline = compiled.memory_timeline(data)
    print(timeline.alive_at(timeline.peak_step)[0]["name"]))")
      .def("__str__", [](const MemoryTimeline& timeline) { return to_string(timeline); });
  py::class_<CompiledModel> compiled(module.attr("CompiledModel"));
  compiled.def(
      "memory_timeline",
      [](const CompiledModel& m, const py::dict& data, bool gradients) {
        return m.memory_timeline(tensor_map_of(data), {.gradients = gradients});
      },
      py::arg("data") = py::dict(), py::kw_only(), py::arg("gradients") = false,
      R"(Returns what is in memory at each step of an evaluation.

Args:
    data: an example of each input whose sizes are open.
    gradients: whether the evaluation also computes the gradients of the cost.

Returns:
    A `MemoryTimeline`.

Raises:
    InputError: If a size is open, and data has no example, or data has an unknown key.
    GradientError: If the model was compiled for inference, and gradients is True.
    BackendError: If the backend does not plan memory. The CPU backend does.

Example:
    print(compiled.memory_timeline(data, gradients=True)))");
}

}  // namespace

void bind_profile(py::module_& module) {
  bind_profile_class(module);
  bind_timeline(module);
}

}  // namespace mithril::python
