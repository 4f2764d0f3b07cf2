#include "mithril/several_backends/crossings.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "mithril/base/text.hpp"

namespace mithril {
namespace {

std::optional<int64_t> bytes_of_value(const Value& value) {
  if (!value.ranked) return std::nullopt;
  auto bytes = static_cast<int64_t>(size_of(value.dtype));
  for (const Dim& dim : value.dims) {
    const Dim now = resolve(dim);
    if (!now.is_constant()) return std::nullopt;
    bytes *= now.constant();
  }
  return bytes;
}

// Whether the second backend reads a tensor of the first one without a copy.
bool share_memory(const Backend& from, const Backend& to) {
  const Tensor given(DType::float32, {1});
  const Tensor made = from.receive(given);
  const Tensor taken = to.receive(made);
  const void* at = given.raw_data();
  return made.host().raw_data() == at && taken.host().raw_data() == at;
}

}  // namespace

std::string BackendMembers::name(size_t member) const {
  const std::string_view own = all[member]->name();
  size_t same = 0, number = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i]->name() != own) continue;
    ++same;
    if (i <= member) ++number;
  }
  return std::string(own) + (same > 1 ? " (" + std::to_string(number) + ")" : "");
}

std::vector<Crossing> crossings(const Graph& graph, const std::vector<GraphSegment>& segments,
                                size_t main) {
  std::map<ValueId, size_t> makers;
  for (const GraphSegment& segment : segments) {
    for (const ValueId id : segment.outputs) makers[id] = segment.member;
  }
  std::map<ValueId, std::string> names;
  for (const Output& output : graph.outputs()) names.emplace(output.value, output.name);
  std::vector<Crossing> all;
  std::set<std::pair<size_t, ValueId>> seen;
  const auto take = [&](ValueId id, size_t member) {
    const auto maker = makers.find(id);
    if (maker == makers.end() || maker->second == member) return;
    if (!seen.insert({member, id}).second) return;
    const auto named = names.find(id);
    const Value& value = graph.value(id);
    const std::string& name = named == names.end() ? value.name : named->second;
    all.push_back({maker->second, member, name, value});
  };
  for (const GraphSegment& segment : segments) {
    for (const ValueId id : segment.inputs) take(id, segment.member);
  }
  for (const Output& output : graph.outputs()) take(output.value, main);
  return all;
}

std::vector<std::string> crossing_lines(const std::vector<Crossing>& crossings,
                                        const BackendMembers& members) {
  std::vector<std::string> lines;
  std::map<std::pair<size_t, size_t>, bool> shares;  // per pair of members
  for (const Crossing& crossing : crossings) {
    const Value& value = crossing.value;
    const std::optional<int64_t> bytes = bytes_of_value(value);
    const std::string dims = value.ranked ? to_string(value.dims) : "[...]";
    const auto [shared, is_new] = shares.try_emplace({crossing.from, crossing.to});
    if (is_new)
      shared->second = share_memory(*members.all[crossing.from], *members.all[crossing.to]);
    lines.push_back(fmt::format("crossing from {} to {}: {}, {}{}, {}, {}",
                                members.name(crossing.from), members.name(crossing.to),
                                crossing.name, name(value.dtype), dims,
                                bytes ? memory_text(static_cast<double>(*bytes)) : "bytes by size",
                                shared->second ? "shared" : "copied once"));
  }
  return lines;
}

std::string bytes_text(const std::vector<Crossing>& crossings) {
  int64_t total = 0;
  bool open = false;
  for (const Crossing& crossing : crossings) {
    const std::optional<int64_t> bytes = bytes_of_value(crossing.value);
    total += bytes.value_or(0);
    open = open || !bytes;
  }
  return memory_text(static_cast<double>(total)) + (open ? " and those of open sizes" : "");
}

}  // namespace mithril
