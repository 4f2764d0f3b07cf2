// Counter-based random numbers: SplitMix64 (Steele, Lea, Flood 2014) on pairs of 32 bits.

// The upper 32 bits of the product of two numbers of 32 bits. Ints of 32 bits with a sign are what
// engines compute fastest, so all sums are cut to them.
function upperProduct(a, b) {
  const a1 = a >>> 16;
  const a0 = a & 0xffff;
  const b1 = b >>> 16;
  const b0 = b & 0xffff;
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) | 0;
  const other = (Math.imul(a0, b1) + (middle & 0xffff)) | 0;
  return (Math.imul(a1, b1) + (middle >>> 16) + (other >>> 16)) | 0;
}

// Element i of key k is a function of k and i alone. at(i) sets the bits: `high` and `low`.
export class RandomBits {
  // `key`: a tensor of one int.
  constructor(key) {
    const bits = BigInt.asUintN(64, BigInt(key.data[0]));
    this.mix(Number(bits >> 32n) | 0, Number(bits & 0xffffffffn) | 0);
    this.keyHigh = this.high;
    this.keyLow = this.low;
  }

  at(index) {
    this.mix(Math.floor(index / 4294967296) | 0, index | 0);
    this.mix(this.high ^ this.keyHigh, this.low ^ this.keyLow);
  }

  mix(high, low) {
    low = (low + 0x7f4a7c15) | 0;
    const carry = low >>> 0 < 0x7f4a7c15 ? 1 : 0;
    high = (high - 0x61c88647 + carry) | 0;
    low ^= (low >>> 30) | (high << 2);
    high ^= high >>> 30;
    high = (Math.imul(high, 0x1ce4e5b9) + Math.imul(low, 0xbf58476d)) | 0;
    high = (high + upperProduct(low, 0x1ce4e5b9)) | 0;
    low = Math.imul(low, 0x1ce4e5b9);
    low ^= (low >>> 27) | (high << 5);
    high ^= high >>> 27;
    high = (Math.imul(high, 0x133111eb) + Math.imul(low, 0x94d049bb)) | 0;
    high = (high + upperProduct(low, 0x133111eb)) | 0;
    low = Math.imul(low, 0x133111eb);
    this.high = high ^ (high >>> 31);
    this.low = low ^ ((low >>> 31) | (high << 1));
  }

  // In [0, 1), a multiple of 2^-53.
  uniform(index) {
    this.at(index);
    return ((this.high >>> 0) * 2 ** 21 + (this.low >>> 11)) * 2 ** -53;
  }

  // Mean 0, deviation 1 (Box and Muller), from two counters.
  normal(index) {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform(2 * index)));
    return radius * Math.cos(2 * Math.PI * this.uniform(2 * index + 1));
  }
}
