#include "backends/cpu/fusion/epilogue.hpp"

#include <algorithm>
#include <optional>

namespace mithril::cpu_backend {
namespace {

bool contains(const std::vector<ValueId>& ids, ValueId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

class EpilogueFusion {
 public:
  EpilogueFusion(const LoweringContext& context, LoweredGraph& lowered,
                 std::span<const DonatedBuffer> donated)
      : context_(context),
        shaped_(context.shaped),
        lowered_(lowered),
        is_donated_(shaped_.graph().values().size()) {
    for (const DonatedBuffer& at : donated) is_donated_[index(at.made)] = true;
  }

  void run() {
    lowered_.find_live_ranges();
    for (StepDescriptor& step : lowered_.steps) {
      if (step.program && !step.reads.empty()) fuse(step);
    }
    std::erase_if(lowered_.steps, [](const StepDescriptor& step) { return step.nodes.empty(); });
  }

 private:
  void fuse(StepDescriptor& program) {
    const ValueId raw = last_made(program.reads);
    Storage& made = lowered_.storage(raw);
    if (made.given || made.made != raw || !is_only_consumer(program, raw)) return;
    StepDescriptor& producer = lowered_.steps[static_cast<size_t>(made.first)];
    if (!producer.takes_epilogue) return;
    const std::optional<ValueId> place = overwriting(raw, program);
    const bool beside = shaped_.count(raw) == shaped_.count(program.writes.front());
    if (!place && !beside) return;
    const bool in_tiles = !place && producer.makes_tiles;
    if (place || in_tiles) made.bytes = 0;
    if (in_tiles) made.given = BufferRef{BufferRef::tile, 0};
    const int32_t first = made.first;
    for (const ValueId id : program.writes) lowered_.storage(id).first = first;
    if (place) lowered_.storage_of[index(raw)] = lowered_.storage_of[index(*place)];
    add_epilogue(producer, program, raw, place);
    if (!place && !in_tiles) producer.writes.push_back(raw);  // into a buffer of its own
    program = {};
  }

  // The output of the elementwise step that may overwrite `raw`.
  std::optional<ValueId> overwriting(ValueId raw, const StepDescriptor& program) const {
    for (const InPlacePair& at : program.in_place_pairs) {
      if (at.read == raw && !is_donated_[index(at.write)]) return at.write;
    }
    return std::nullopt;
  }

  ValueId last_made(const std::vector<ValueId>& values) const {
    return *std::max_element(values.begin(), values.end(),
                             [&](ValueId a, ValueId b) { return made_in(a) < made_in(b); });
  }

  int32_t made_in(ValueId id) const {
    const Storage& storage = lowered_.storage(id);
    return storage.given ? -1 : storage.first;
  }

  bool is_only_consumer(const StepDescriptor& program, ValueId id) const {
    int uses = 0;
    for (const size_t node : program.nodes) {
      const std::vector<int32_t>& tensors = shaped_.planned(node).tensors;
      uses += static_cast<int>(
          std::count(tensors.begin(), tensors.end(), static_cast<int32_t>(index(id))));
    }
    return uses == context_.use_counts[index(id)];
  }

  static void add_epilogue(StepDescriptor& producer, const StepDescriptor& program, ValueId raw,
                           std::optional<ValueId> place) {
    producer.writes = program.writes;
    producer.nodes.insert(producer.nodes.end(), program.nodes.begin(), program.nodes.end());
    // The producer still reads its inputs while the epilogue writes the first tiles, and no other
    // value may be where the producer writes.
    for (const InPlacePair& at : program.in_place_pairs) {
      const bool elsewhere = at.write != place && at.read != raw;
      if (elsewhere && !contains(producer.reads, at.read)) producer.in_place_pairs.push_back(at);
    }
    for (const ValueId id : program.reads) {
      if (id != raw && !contains(producer.reads, id)) producer.reads.push_back(id);
    }
    producer.takes_epilogue = producer.makes_tiles = false;
    producer.epilogue = program.program;
  }

  const LoweringContext& context_;
  const ShapedGraph& shaped_;
  LoweredGraph& lowered_;
  std::vector<bool> is_donated_;  // per value: it may be written into the buffer of an input
};

}  // namespace

void fuse_epilogues(const LoweringContext& context, LoweredGraph& lowered,
                    std::span<const DonatedBuffer> donated) {
  EpilogueFusion(context, lowered, donated).run();
}

}  // namespace mithril::cpu_backend
