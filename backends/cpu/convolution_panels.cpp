#include "backends/cpu/convolution_panels.hpp"

#include <utility>

#include "backends/cpu/sharing.hpp"
#include "backends/cpu/small_planes.hpp"
#include "backends/cpu/winograd.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// The form says how: WinogradForm, SmallPlaneForm.
template <typename Form>
class PanelStep final : public Step {
 public:
  PanelStep(Form form, int threads, const ConvolutionValues& values, const Places& places,
            Place scratch, PackedConstants::Bytes weight, std::unique_ptr<ElementStep> finish)
      : form_(std::move(form)),
        sharing_(sharing_of(form_, threads)),
        threads_(threads),
        source_(places[index(values.source)]),
        made_(places[index(values.made)]),
        scratch_(scratch),
        weight_(std::move(weight)),
        finish_(std::move(finish)) {
    if (values.bias) bias_ = places[index(*values.bias)];
  }

  static int64_t scratch_bytes(const Form& form, int threads) {
    const Sharing sharing = sharing_of(form, threads);
    const int64_t inputs = sharing.whole ? sharing.parts : 1;
    return (inputs * lines(form.input_count()) + sharing.parts * lines(form.part_count())) *
           int64_t{sizeof(float)};
  }

  void run(const Frame& frame) const override {
    const int64_t groups = form_.convolution().images * form_.convolution().groups;
    const int64_t inputs = lines(form_.input_count()), work = lines(form_.part_count());
    auto* scratch = frame.write<float>(scratch_);
    if (!sharing_.whole) {
      for (int64_t i = 0; i < groups; ++i) run_shared(frame, i, scratch, scratch + inputs, work);
      return;
    }
    each_part([&](int64_t part) {
      float* own = scratch + part * (inputs + work);
      const int64_t end = groups * (part + 1) / sharing_.parts;
      for (int64_t i = groups * part / sharing_.parts; i < end; ++i) {
        transform(frame, i, {0, form_.convolution().inputs}, own + inputs, own);
        form_.multiply(operands(frame, i, own, own + inputs, true), {});
      }
    });
  }

 private:
  static Sharing sharing_of(const Form& form, int threads) {
    const int64_t groups = form.convolution().images * form.convolution().groups;
    return share(form.work() * static_cast<double>(groups), groups, threads);
  }

  static int64_t lines(int64_t count) {
    constexpr int64_t line = 16;
    return (count + line - 1) / line * line;
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(static_cast<int>(sharing_.parts), threads_, what);
  }

  void run_shared(const Frame& frame, int64_t i, float* input, float* work, int64_t each) const {
    const Convolution& c = form_.convolution();
    const WindowPart cut = form_.cut(sharing_.parts);
    each_part([&](int64_t part) {
      transform(frame, i, WindowPart{part, cut.parts}.share(c.inputs), work + part * each, input);
    });
    each_part([&](int64_t part) {
      form_.multiply(operands(frame, i, input, work + part * each, cut.of_rows),
                     {part, cut.parts, cut.of_rows});
    });
    if (!finish_ || cut.of_rows) return;
    const int64_t plane = c.down.output * c.across.output;
    each_part([&](int64_t part) {
      const auto [first, last] = WindowPart{part, cut.parts}.share(c.outputs);
      finish(frame, i).run({.begin = first * plane, .size = (last - first) * plane});
    });
  }

  void transform(const Frame& frame, int64_t i, WindowPart::Range channels, float* work,
                 float* to) const {
    const Convolution& c = form_.convolution();
    const float* from = frame.read<float>(source_) + i * c.inputs * c.down.input * c.across.input;
    form_.transform_input(from, channels.first, channels.last, work, to);
  }

  Finish finish(const Frame& frame, int64_t i) const {
    return Finish(finish_.get(), &frame, made_before(i));
  }

  int64_t made_before(int64_t i) const {
    const Convolution& c = form_.convolution();
    return i * c.outputs * c.down.output * c.across.output;
  }

  // What is made is finished where a part makes whole channels.
  PanelOperands operands(const Frame& frame, int64_t i, const float* input, float* work,
                         bool whole) const {
    const Convolution& c = form_.convolution();
    const int64_t group = i % c.groups;
    const auto* weight = reinterpret_cast<const float*>(weight_.get());
    return {.input = input,
            .weight = weight + group * form_.weight_count(),
            .bias = bias_ ? frame.read<float>(*bias_) + group * c.outputs : nullptr,
            .work = work,
            .made = frame.write<float>(made_) + made_before(i),
            .finish = whole ? finish(frame, i) : Finish()};
  }

  Form form_;
  Sharing sharing_;
  int threads_;
  Place source_, made_, scratch_;
  std::optional<Place> bias_;
  PackedConstants::Bytes weight_;
  std::unique_ptr<ElementStep> finish_;  // null: nothing is done with what is made
};

template <typename Form>
Draft panel_draft(const Context& context, const Convolution& convolution,
                  const ConvolutionValues& values, int64_t packed_as) {
  const Form form(convolution);
  const PackedConstants::Bytes weight =
      context.packed.pack(values.weight, packed_as, [&](const Tensor& tensor) {
        const int64_t count = form.weight_count();
        auto bytes = context.packed.allocate(convolution.groups * count * int64_t{sizeof(float)});
        auto* to = reinterpret_cast<float*>(bytes.get());
        const Tensor host = tensor.host();
        const int64_t each = host.size() / convolution.groups;
        const auto panels = static_cast<int>(form.panels()),
                   groups = static_cast<int>(convolution.groups);
        ThreadPool::shared().run(groups * panels, context.threads, [&](int part) {
          const int group = part / panels;
          form.transform_weight(host.data<float>() + group * each, part % panels,
                                to + group * count);
        });
        return bytes;
      });
  Draft draft{.reads = {values.source},
              .writes = {values.made},
              .scratch_bytes = PanelStep<Form>::scratch_bytes(form, context.threads)};
  if (values.bias) draft.reads.push_back(*values.bias);
  draft.make_finished = [=, threads = context.threads](const Places& places, Place scratch,
                                                       std::unique_ptr<ElementStep> finish) {
    return std::make_unique<PanelStep<Form>>(form, threads, values, places, scratch, weight,
                                             std::move(finish));
  };
  draft.make = [make = draft.make_finished](const Places& places, Place scratch) {
    return make(places, scratch, nullptr);
  };
  return draft;
}

}  // namespace

std::optional<Draft> draft_panels(const Context& context, const Convolution& convolution,
                                  const ConvolutionValues& values) {
  // Other ways of packing have numbers from 0 on.
  const int64_t groups = convolution.groups;
  if (context.winograd && suits_winograd(convolution)) {
    return panel_draft<WinogradForm>(context, convolution, values, -2 * groups);
  }
  if (suits_small_planes(convolution)) {
    return panel_draft<SmallPlaneForm>(context, convolution, values, 1 - 2 * groups);
  }
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
