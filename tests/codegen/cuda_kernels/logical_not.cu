extern "C" __global__ void logical_not_1(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 2; n += item_step()) {
    const bool v0 = x0[n];
    const bool v1 = !v0;
    y0[n] = v1;
  }
}

extern "C" __global__ void logical_not_4(const bool* __restrict__ x0, bool* __restrict__ y0) {
  for (int64_t n = first_item(); n < 0; n += item_step()) {
    const Lanes<bool> a0 = lanes_of(x0)[n];
    Lanes<bool> b0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool v0 = a0.at[k];
      const bool v1 = !v0;
      b0.at[k] = v1;
    }
    lanes_of(y0)[n] = b0;
  }
}
