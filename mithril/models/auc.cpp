// The area under the receiver operating characteristic.
#include "mithril/models/auc.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/repetitions.hpp"

namespace mithril {
namespace {

Model build_auc(const CheckedArguments& arguments) {
  Model model = model_of_class("AUC");
  const int64_t count = repetitions(arguments, "n_classes");
  const Connection pred = model["pred"];
  Connection label = model["label"];
  model.set_differentiability({{"label", false}}).set_types({{"pred", kind::float_tensor}});
  if (arguments.flag("is_label_one_hot")) {
    label = apply("argmax", {label, -1});
  } else {
    model.set_types({{"label", kind::int_tensor}});
  }
  std::vector<Connection> areas;
  for (int64_t i = 0; i < count; ++i) {
    const Connection score = count == 1 ? pred : pred.at({ellipsis, i});
    const Connection points = apply("auc_core", {score, label.eq(i)});
    const Connection first = points.at({ellipsis, slice(0, 1)});  // the area from the origin to it
    areas.push_back(apply("trapezoid", {points[0], points[1]}) + (first[0] * first[1]).sum() / 2.0);
  }
  Connection total = areas.front();
  for (size_t i = 1; i < areas.size(); ++i) total = total + areas[i];
  model.expose_keys({{"output", total / static_cast<double>(count)}});
  return model.set_cin({"pred"}).set_cout({"output"});
}

}  // namespace

Model AUC(const AUCOptions& options) {
  return make_model(
      "AUC", {{"n_classes", options.n_classes}, {"is_label_one_hot", options.is_label_one_hot}});
}

ModelDef define_auc();
ModelDef define_auc() {
  return {
      .name = "AUC",
      .doc =
          "The area under the receiver operating characteristic (ROC) curve, averaged over the "
          "classes.",
      .ports = {{"pred", "[N, n_classes] or [N] for one class"},
                {"label", "[N, C] or [N]"},
                {"output", "[]"}},
      .arguments = {{"n_classes", "int", {}, "number of classes; each is compared with all others"},
                    {"is_label_one_hot", "bool", true,
                     "whether label has a number for each class"}},
      .objective = true,
      .build = build_auc};
}

}  // namespace mithril
