template <int lanes>
__device__ void sgd_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  float* const y0 = pointer_of<float>(batch, share.tensor, 3);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v4 = a2.at[k];
      const float v1 = v0 * 0.01f;
      const float v3 = v2 + v1;
      const float v5 = v3 * v4;
      const float v6 = v0 - v5;
      b0.at[k] = v6;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) sgd(const Batch batch) {
  sgd_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) sgd_lanes(const Batch batch) {
  sgd_batch<4>(batch);
}
