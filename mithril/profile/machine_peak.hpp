// The peak performance of this machine.
#pragma once

namespace mithril {

class Backend;

struct MachinePeak {
  double operations = 0;  // a second, of a product of float32 matrices
  double bytes = 0;       // a second, read and written by a copy
};

// Measures the peak on all processors: the best of a few products of matrices [768, 768] on the
// backend, and of a few copies of 64 MiB. Takes about 0.2 s. Other running programs lower it.
MachinePeak measure_peak(Backend& backend);

}  // namespace mithril
