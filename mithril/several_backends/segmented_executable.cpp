#include "mithril/several_backends/segmented_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "mithril/graph/nested_graphs.hpp"
#include "mithril/several_backends/crossings.hpp"

namespace mithril {
namespace {

constexpr size_t from_outside = SIZE_MAX;  // the segment of inputs and constants

// A segment that is ready to run.
struct LoadedSegment {
  size_t member;
  std::vector<ValueId> inputs, outputs;
  std::vector<ValueId> released;  // that no later segment reads
  size_t nodes;
  std::unique_ptr<Executable> executable;
};

// Assigns donations to segments. An input may be overwritten if one segment alone reads it and no
// output of the graph is the input: a result of another segment might share its elements.
std::vector<std::vector<Donation>> donations_of_segments(const Graph& graph,
                                                         const std::vector<GraphSegment>& segments,
                                                         const std::vector<Donation>& all) {
  struct At {
    size_t segment = from_outside, place = 0, count = 0;
  };
  std::vector<At> readers(graph.values().size()), makers(graph.values().size());
  for (size_t s = 0; s < segments.size(); ++s) {
    for (size_t i = 0; i < segments[s].inputs.size(); ++i) {
      At& reader = readers[index(segments[s].inputs[i])];
      reader = {s, i, reader.count + 1};
    }
    for (size_t i = 0; i < segments[s].outputs.size(); ++i)
      makers[index(segments[s].outputs[i])] = {s, i, 1};
  }
  for (const Output& output : graph.outputs()) ++readers[index(output.value)].count;
  std::vector<std::vector<Donation>> own(segments.size());
  for (const Donation& donation : all) {
    const At& reader = readers[index(graph.inputs()[donation.input])];
    const At& maker = makers[index(graph.outputs()[donation.output].value)];
    if (reader.count == 1 && maker.count == 1 && reader.segment == maker.segment)
      own[maker.segment].push_back({maker.place, reader.place});
  }
  return own;
}

class SegmentedExecutable final : public Executable {
 public:
  SegmentedExecutable(const Graph& graph, std::vector<GraphSegment> segments,
                      const std::vector<std::shared_ptr<Backend>>& members, size_t main,
                      const LoadOptions& options, std::vector<std::string> notes)
      : members_(members),
        main_(main),
        value_count_(graph.values().size()),
        inputs_(graph.inputs()),
        maker_(graph.values().size(), from_outside),
        notes_(std::move(notes)) {
    for (const Output& output : graph.outputs()) outputs_.push_back(output.value);
    for (const Constant& constant : graph.constants()) {
      const auto& all = outputs_;
      if (std::find(all.begin(), all.end(), constant.value) != all.end())
        constants_.emplace_back(constant.value, constant.tensor.as_read_only());
    }
    std::vector<std::vector<Donation>> donations =
        donations_of_segments(graph, segments, options.donations);
    for (size_t i = 0; i < segments.size(); ++i) {
      LoadOptions own{.jit = options.jit,
                      .max = options.max,
                      .fuse = options.fuse,
                      .donations = std::move(donations[i])};
      if (options.observer && observes(*options.observer, segments[i].graph))
        own.observer = options.observer;
      const GraphSegment& segment = segments[i];
      for (const ValueId id : segment.outputs) maker_[index(id)] = segment.member;
      segments_.push_back({segment.member,
                           segment.inputs,
                           segment.outputs,
                           {},
                           segment.graph.nodes().size(),
                           members_[segment.member]->load(segment.graph, own)});
    }
    find_released();
    describe(graph, crossings(graph, segments, main_));
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    MITHRIL_CHECK(inputs.size() == inputs_.size(), "the graph takes another number of inputs");
    std::vector<std::optional<Tensor>> values(value_count_);
    for (size_t i = 0; i < inputs.size(); ++i) values[index(inputs_[i])] = inputs[i];
    for (const auto& [id, tensor] : constants_) values[index(id)] = tensor;
    Received received;
    for (const LoadedSegment& segment : segments_) {
      std::vector<Tensor> given;
      given.reserve(segment.inputs.size());
      for (const ValueId id : segment.inputs)
        given.push_back(taken(id, segment.member, values, received));
      std::vector<Tensor> made = segment.executable->run(given);
      for (size_t i = 0; i < made.size(); ++i)
        values[index(segment.outputs[i])] = std::move(made[i]);
      for (const ValueId id : segment.released) {
        values[index(id)].reset();
        for (size_t member = 0; member < members_.size(); ++member) received.erase({member, id});
      }
    }
    std::vector<Tensor> results;
    results.reserve(outputs_.size());
    for (const ValueId id : outputs_) {
      const bool given = maker_[index(id)] == from_outside;
      results.push_back(given ? *values[index(id)] : taken(id, main_, values, received));
    }
    return results;
  }

  std::vector<std::string> notes() const override { return notes_; }

 private:
  // Tensors that a member has received from another one: each value crosses once.
  using Received = std::map<std::pair<size_t, ValueId>, Tensor>;

  // A value as a tensor of a backend.
  Tensor taken(ValueId id, size_t member, const std::vector<std::optional<Tensor>>& values,
               Received& received) const {
    const Tensor& tensor = *values[index(id)];
    if (maker_[index(id)] == member) return tensor;
    const auto at = received.find({member, id});
    if (at != received.end()) return at->second;
    return received.emplace(std::pair(member, id), members_[member]->receive(tensor)).first->second;
  }

  void find_released() {
    std::set<ValueId> kept(outputs_.begin(), outputs_.end());
    for (size_t i = segments_.size(); i-- > 0;) {
      for (const auto* ids : {&segments_[i].inputs, &segments_[i].outputs}) {
        for (const ValueId id : *ids) {
          if (kept.insert(id).second) segments_[i].released.push_back(id);
        }
      }
    }
  }

  void describe(const Graph& graph, const std::vector<Crossing>& crossings) {
    const BackendMembers members{members_, main_};
    for (size_t i = 0; i < segments_.size(); ++i) {
      const LoadedSegment& segment = segments_[i];
      const std::string last =
          segment.outputs.empty() ? "" : ", to " + graph.value(segment.outputs.back()).name;
      notes_.push_back(fmt::format("segment {}: {} runs {} {}{}", i + 1,
                                   members.name(segment.member), segment.nodes,
                                   segment.nodes == 1 ? "op" : "ops", last));
      for (const std::string& note : segment.executable->notes())
        notes_.push_back(members.name(segment.member) + ": " + note);
    }
    for (std::string& line : crossing_lines(crossings, members)) notes_.push_back(std::move(line));
    notes_.push_back(fmt::format("{} {} between backends in each evaluation, {}", crossings.size(),
                                 crossings.size() == 1 ? "value crosses" : "values cross",
                                 bytes_text(crossings)));
  }

  const std::vector<std::shared_ptr<Backend>> members_;
  const size_t main_;
  const size_t value_count_;
  const std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<std::pair<ValueId, Tensor>> constants_;  // that are outputs
  std::vector<size_t> maker_;                          // per value: the member that makes it
  std::vector<LoadedSegment> segments_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Executable> load_segments(const Graph& graph, std::vector<GraphSegment> segments,
                                          const std::vector<std::shared_ptr<Backend>>& members,
                                          size_t main, const LoadOptions& options,
                                          std::vector<std::string> notes) {
  return std::make_unique<SegmentedExecutable>(graph, std::move(segments), members, main, options,
                                               std::move(notes));
}

}  // namespace mithril
