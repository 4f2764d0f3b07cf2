template <int lanes>
__device__ void lion_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  float* const y0 = pointer_of<float>(batch, share.tensor, 5);
  float* const y1 = pointer_of<float>(batch, share.tensor, 6);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v9 = a2.at[k];
      const float v10 = a3.at[k];
      const float v12 = a4.at[k];
      const float v2 = v0 - v1;
      const float v3 = v2 * 0.1f;
      const float v4 = v1 + v3;
      const float v5 = v4 > 0.0f ? 1.0f : v4 < 0.0f ? -1.0f : 0.0f;
      const float v6 = v0 - v1;
      const float v7 = v6 * 0.01f;
      const float v8 = v1 + v7;
      const float v11 = v9 * v10;
      const float v13 = v5 * v12;
      const float v14 = v11 - v13;
      b0.at[k] = v14;
      b1.at[k] = v8;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
  }
}
extern "C" __global__ void __launch_bounds__(256) lion(const Batch batch) {
  lion_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) lion_lanes(const Batch batch) {
  lion_batch<4>(batch);
}
