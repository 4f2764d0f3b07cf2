// The area under the receiver operating characteristic.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct AUCOptions {
  int64_t n_classes = 1;  // each against all others
  bool is_label_one_hot = true;
};
// The chance that a sample of a class scores higher for it than one of another, averaged over the
// classes. Ports: pred [N, n_classes] (scores), or [N] for one class, label [N, C], or ints [N],
// output []. No gradient.
Model AUC(const AUCOptions& options);

}  // namespace mithril
