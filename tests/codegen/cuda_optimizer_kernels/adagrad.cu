template <int lanes>
__device__ void adagrad_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  float* const y0 = pointer_of<float>(batch, share.tensor, 4);
  float* const y1 = pointer_of<float>(batch, share.tensor, 5);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v4 = a2.at[k];
      const float v9 = a3.at[k];
      const float v1 = v0 * v0;
      const float v3 = v2 + v1;
      const float v5 = v0 * v4;
      const float v6 = std::sqrt(v3);
      const float v7 = v6 + 1e-10f;
      const float v8 = v5 / v7;
      const float v10 = v9 - v8;
      b0.at[k] = v10;
      b1.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
  }
}
extern "C" __global__ void __launch_bounds__(256) adagrad(const Batch batch) {
  adagrad_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adagrad_lanes(const Batch batch) {
  adagrad_batch<4>(batch);
}
