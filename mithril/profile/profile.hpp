// Profiles: where the time of evaluations goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/trace_event.hpp"
#include "mithril/profile/machine_peak.hpp"

namespace mithril {

class StepTrace;  // base/trace.hpp

// Which steps a row of a profile adds up: those with the same ops, result, kernel, part of the
// model or phase (forward, backward, update).
enum class ProfileBy : std::uint8_t { op, path, kernel, layer, phase };
// Reads "op", "path", "kernel", "layer" or "phase". ValueError E0406 for another text.
ProfileBy parse_profile_by(std::string_view text);

struct ProfileRow {
  std::string name;
  std::int64_t calls = 0;
  double seconds = 0;  // without the steps in it, such as those of a loop
  // The operations of model.cost(), and the bytes that the steps read and write if nothing is in a
  // cache.
  std::int64_t operations = 0, bytes = 0;
  int threads = 0;      // maximum that worked on one of the steps; 0: the backend does not say
  bool on_cpu = false;  // whether all steps ran on the CPU
};

// Time that is in no step: of a call between its steps, or outside of all calls.
struct ProfileGap {
  std::string name;  // "evaluate, between steps"
  std::int64_t calls = 0;
  double seconds = 0;
};

struct ProfileRowsOptions {
  ProfileBy by = ProfileBy::op;
  std::size_t depth = 0;  // by layer: maximum number of names of a path; 0: all
};
struct ProfileSummaryOptions {
  ProfileBy by = ProfileBy::op;
  std::size_t depth = 0;
  std::optional<MachinePeak> peak = {};  // adds the share of the peak that the steps reach
};

// Records the steps of all evaluations, training steps and calls of engines in this process while
// it runs. Example:
//   ml::Profile profile;
//   compiled.evaluate(params, data);
//   profile.stop();
//   std::cout << profile.summary({.peak = ml::measure_peak(*ml::cpu())});
//   profile.save("trace.json");
// Methods besides `stop` raise StateError E0971 while it runs.
class Profile {
 public:
  Profile();  // begins to record; StateError E0970 if another profile of this process does
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  void stop();  // a second call does nothing

  double seconds() const;  // from the constructor to stop()
  // In the order of their ends. The call "profile" is the profile itself.
  const std::vector<TraceEvent>& events() const;
  // By time, the longest first.
  std::vector<ProfileRow> rows(const ProfileRowsOptions& options = {}) const;
  // In one thread the seconds of rows and gaps add up to seconds().
  std::vector<ProfileGap> gaps() const;
  // A table of rows and gaps.
  std::string summary(const ProfileSummaryOptions& options = {}) const;
  // A trace that chrome://tracing and ui.perfetto.dev open.
  std::string chrome_json() const;
  // Writes the trace. InputError E0831 if the file cannot be written.
  void save(const std::string& path) const;

 private:
  struct Events;
  const Events& read() const;  // reads the events in the first call

  const std::shared_ptr<StepTrace> trace_;  // shared with the runs that add to it
  const std::int64_t start_;                // in ticks
  bool running_ = true;
  const std::unique_ptr<Events> events_;
};

}  // namespace mithril
