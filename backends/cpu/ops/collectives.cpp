#include <cstring>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/exchanges.hpp"
#include "mithril/distributed/errors.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// Tensors of a bucket begin where vectors do.
constexpr int64_t alignment = 64;

bool reads_all_outputs(const Node& node, const Node& start) {
  if (!node.op->collective || node.arguments.size() != start.outputs.size()) return false;
  for (size_t i = 0; i < start.outputs.size(); ++i) {
    const ValueId* id = tensor_of(node.arguments[i]);
    if (!id || *id != start.outputs[i]) return false;
  }
  return true;
}

// Whether one wait, and nothing else, reads the outputs of the start.
bool is_waited_for(const KernelCall& call, size_t start) {
  const Node& node = call.shaped.node(start);
  for (const ValueId id : node.outputs) {
    if (call.context.use_counts[index(id)] != 1 || call.shaped.is_output(id)) return false;
  }
  for (size_t other = start + 1; other < call.shaped.node_count(); ++other) {
    if (reads_all_outputs(call.shaped.node(other), node)) return true;
  }
  return false;
}

// The tensors of a collective side by side; none if they have several dtypes, or no elements.
struct BucketMemory {
  std::vector<BucketMember> members;
  int64_t bytes = 0;
};

std::optional<BucketMemory> bucket_of(const KernelCall& call, size_t start) {
  const ShapedGraph& shaped = call.shaped;
  const std::vector<ValueId>& reads = shaped.tensors(start);
  const std::vector<ValueId>& writes = shaped.node(start).outputs;
  if (reads.size() != writes.size() || !is_waited_for(call, start)) return std::nullopt;
  BucketMemory bucket;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (shaped.dtype(reads[i]) != shaped.dtype(reads[0])) return std::nullopt;
    bucket.bytes = round_up(bucket.bytes, alignment);
    bucket.members.push_back({reads[i], writes[i], bucket.bytes, shaped.bytes(reads[i])});
    bucket.bytes += shaped.bytes(reads[i]);
  }
  return bucket.bytes > 0 ? std::optional(std::move(bucket)) : std::nullopt;
}

void copy_bytes(std::byte* to, const std::byte* from, int64_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
}

// Puts the tensors into the bucket that are not there yet, and starts the exchange of the bucket.
struct AllReduceStart {
  BucketMemory bucket;
  DType dtype;
  Reduction reduction;
  std::string group, path;
  size_t node;

  void operator()(const BufferTable& buffers) const {
    auto* const first = buffers.write<std::byte>(bucket.members.front().write);
    int64_t end = 0;
    for (const BucketMember& member : bucket.members) {
      std::memset(first + end, 0, static_cast<size_t>(member.offset - end));
      copy_bytes(first + member.offset, buffers.read<std::byte>(member.read), member.bytes);
      end = member.offset + member.bytes;
    }
    const int64_t count = bucket.bytes / static_cast<int64_t>(size_of(dtype));
    with_path_of_collective(path, [&] {
      buffers.exchanges().add(
          node, communicator(group)->start_all_reduce(first, dtype, count, reduction));
    });
  }
};

// Waits for the exchange, and copies the tensors that are not to stay in the bucket.
struct AllReduceWait {
  BucketMemory bucket;
  std::string path;
  size_t start;  // the node that started the exchange

  void operator()(const BufferTable& buffers) const {
    with_path_of_collective(path, [&] { buffers.exchanges().wait(start); });
    for (const BucketMember& member : bucket.members) {
      copy_bytes(buffers.write<std::byte>(member.write), buffers.read<std::byte>(member.read),
                 member.bytes);
    }
  }
};

const std::string& name_of_first(const ShapedGraph& shaped, size_t node) {
  return shaped.graph().value(shaped.node(node).outputs.front()).name;
}

}  // namespace

std::optional<StepDescriptor> lower_all_reduce_start(const KernelCall& call) {
  std::optional<BucketMemory> bucket = bucket_of(call, call.at);
  if (!bucket) return std::nullopt;
  const ShapedGraph& shaped = call.shaped;
  StepDescriptor descriptor{.reads = shaped.tensors(call.at),
                            .writes = call.node().outputs,
                            .bucket = bucket->members,
                            .bucket_bytes = bucket->bytes};
  descriptor.step = make_step(AllReduceStart{.bucket = *std::move(bucket),
                                             .dtype = shaped.dtype(call.made()),
                                             .reduction = parse_reduction(call.value(2).text()),
                                             .group = call.value(1).text(),
                                             .path = name_of_first(shaped, call.at),
                                             .node = call.at});
  return descriptor;
}

std::optional<StepDescriptor> lower_all_reduce_wait(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const size_t start = shaped.tensors(call.at).empty()
                           ? ShapedGraph::no_node
                           : shaped.producer(shaped.tensors(call.at).front());
  if (start == ShapedGraph::no_node || !reads_all_outputs(call.node(), shaped.node(start)))
    return std::nullopt;
  std::optional<BucketMemory> bucket = bucket_of(call, start);
  if (!bucket) return std::nullopt;
  for (size_t i = 0; i < bucket->members.size(); ++i) {
    BucketMember& member = bucket->members[i];
    member.read = std::exchange(member.write, call.node().outputs[i]);
  }
  StepDescriptor descriptor{
      .reads = shaped.tensors(call.at), .writes = call.node().outputs, .bucket = bucket->members};
  descriptor.step = make_step(AllReduceWait{
      .bucket = *std::move(bucket), .path = name_of_first(shaped, start), .start = start});
  return descriptor;
}

}  // namespace mithril::cpu_backend
