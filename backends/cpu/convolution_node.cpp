#include "backends/cpu/convolution_node.hpp"

namespace mithril::cpu_backend {
namespace {

// What numbers for each axis say of one of them: an int is the same for all.
const Datum& per_axis(const Datum& numbers, size_t axis) {
  return numbers.kind() == kind::tuple ? numbers.tuple()[axis] : numbers;
}

class Reader {
 public:
  Reader(const Sized& sized, size_t node, const SpelledExpression& call)
      : node_(sized.node(node)), planned_(sized.planned(node)), call_(call) {}

  // The options are the last arguments, from the first of them.
  const Datum& option(size_t which) const {
    const size_t at = call_.children.size() - 4 + which;
    return planned_.values[node_.argument_index(call_.children[at].text)];
  }

  WindowAxis axis(size_t which, const Dims& input, const Dims& weight, const Dims& output) const {
    return {.input = input[which + 2],
            .kernel = weight[which + 2],
            .output = output[which + 2],
            .stride = per_axis(option(0), which).integer(),
            .before = per_axis(per_axis(option(1), which), 0).integer(),
            .dilation = per_axis(option(2), which).integer()};
  }

 private:
  const Node& node_;
  const PlannedNode& planned_;
  const SpelledExpression& call_;
};

bool moves(const WindowAxis& axis) {
  return axis.stride >= 1 && axis.dilation >= 1 && axis.before >= 0 && axis.kernel >= 1;
}

}  // namespace

std::optional<ValueId> tensor_at(const Sized& sized, size_t node, const std::string& port) {
  const int32_t at = sized.planned(node).tensors[sized.node(node).argument_index(port)];
  return at < 0 ? std::nullopt : std::optional(static_cast<ValueId>(at));
}

std::optional<Convolution> convolution_of(const Sized& sized, size_t node,
                                          const SpelledExpression& call,
                                          const ConvolutionValues& values) {
  const Dims &input = sized.dims(values.input), &weight = sized.dims(values.weight),
             &output = sized.dims(values.output);
  const Reader reader(sized, node, call);
  const int64_t groups = reader.option(3).integer();
  const Convolution convolution{.down = reader.axis(0, input, weight, output),
                                .across = reader.axis(1, input, weight, output),
                                .images = input[0],
                                .groups = groups,
                                .inputs = weight[1],
                                .outputs = groups < 1 ? 0 : weight[0] / groups};
  if (!moves(convolution.down) || !moves(convolution.across) || groups < 1) return std::nullopt;
  return convolution;
}

}  // namespace mithril::cpu_backend
