// Metrics of classification. Ports: pred, label, output. They have no gradients.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// How pred and label encode classes.
struct ClassFormat {
  std::optional<double> threshold = {};  // of binary scores: above it is class 1
  bool is_binary = false;                // needs a threshold
  bool is_pred_one_hot = true;           // [N, C]: the class of the largest; false: ints [N]
  bool is_label_one_hot = true;
};
// The classes of pred minus the classes of label. Outputs: pred_formatted, label_formatted (the
// classes), output.
Model Metric(const ClassFormat& options = {});
// The fraction of correct classes.
Model Accuracy(const ClassFormat& options = {});

// micro: over all samples (all three metrics are the accuracy then); macro: the mean over the
// classes that are among the labels; weighted: the mean by how many samples have the class as
// label.
enum class Average { micro, macro, weighted };
std::string_view name(Average average);

struct AveragedMetricOptions {
  Average average = Average::micro;
  std::optional<int64_t> n_classes = {};  // needed but for micro
  ClassFormat format = {};
};
// true positives / (true positives + false positives); 0 for a class that is never predicted.
Model Precision(const AveragedMetricOptions& options = {});
// true positives / (true positives + false negatives).
Model Recall(const AveragedMetricOptions& options = {});
// true positives / (true positives + (false positives + false negatives) / 2).
Model F1(const AveragedMetricOptions& options = {});

}  // namespace mithril
