#include "mithril/training/weight_source.hpp"

namespace mithril {

WeightSource WeightSource::transposed() const {
  WeightSource made = *this;
  made.transpose = !made.transpose;
  return made;
}

WeightSource WeightSource::taking(int one, int of, int along_axis) const {
  WeightSource made = along(along_axis);
  made.part = one;
  made.parts = of;
  return made;
}

WeightSource WeightSource::along(int along_axis) const {
  WeightSource made = *this;
  made.axis = along_axis;
  return made;
}

}  // namespace mithril
