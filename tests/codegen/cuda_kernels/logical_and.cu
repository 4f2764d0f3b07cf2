extern "C" __global__ void logical_and_1(const bool* __restrict__ x0, const bool* __restrict__ x1, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 4; n += item_step()) {
    const bool v0 = x0[(n / 2)];
    const bool v1 = x1[((n) % 2)];
    const bool v2 = v0 && v1;
    y0[n] = v2;
  }
}

extern "C" __global__ void logical_and_5(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = v0 && true;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_and_6(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 5; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = false && v0;
    y0[n] = v1;
  }
}
