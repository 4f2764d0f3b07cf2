// The interface of the forms of a convolution: the algorithms that ConvolutionStep runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/cpu/conv/geometry.hpp"
#include "backends/cpu/runtime/int16_operand.hpp"
#include "backends/cpu/runtime/vnni_operand.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// The same convolution with VNNI pairs of input channels in place of float32 channels: element i of
// the bfloat16 channels 2c and 2c + 1 is one 32-bit pair, which has the size of a float.
Convolution in_pairs(Convolution convolution);

// The source, and the weight, as matrices whose k are the input channels.
VnniOperand vnni_source(const Convolution& convolution);
VnniOperand vnni_weight(const Dims& dims);
Int16Operand int16_source(const Convolution& convolution, DType dtype);
Int16Operand int16_weight(const Dims& dims);  // of int16

struct ConvolutionOperands {
  const void* source;  // padded, of the unit; the source of all units if it is read in place
  const void* weight;  // packed
  const void* bias = nullptr;  // of all output channels; null: 0
  void* work = nullptr;        // workspace of the part
  void* made;                  // the result of all units
  Epilogue epilogue = Epilogue();
  int64_t unit = 0;
};

// One algorithm for the sizes of one convolution. Immutable. Sizes of memory are in bytes.
class ConvolutionForm {
 public:
  virtual ~ConvolutionForm() = default;

  // Units run one after the other, or each in one thread: the groups of all images, or all of them
  // as one unit.
  virtual int64_t units() const { return 1; }
  virtual double work() const = 0;  // of all units, as a number of float32 multiplications

  // The source as an operand that the step packs to VNNI pairs first, and the weight as well. If it
  // is read in place, so is the weight.
  virtual VnniOperand source_pairs() const { return {}; }

  virtual PackedFormat format() const = 0;
  // Whether pack_weight takes bound bfloat16 weights as VNNI pairs of input channels.
  virtual bool takes_pairs() const { return true; }
  virtual int64_t panels() const = 0;  // of the packed weight
  virtual int64_t weight_bytes() const = 0;
  // Packs one panel. `packed` is the start of all panels.
  virtual void pack_weight(const void* weight, int64_t panel, void* packed) const = 0;
  // Forms of ranges of output channels, which run one after the other so that they share the
  // memory of a weight that is packed in each run. Empty: all channels run at once.
  virtual std::vector<std::shared_ptr<const ConvolutionForm>> rounds(int /*threads*/) const {
    return {};
  }

  // The padded source of a unit; 0: the source is read in place.
  virtual int64_t source_bytes() const = 0;
  virtual int64_t source_rows() const = 0;  // that pad() can pad separately
  virtual void pad(const void* source, int64_t unit, Range rows, void* padded) const = 0;

  // The workspace of each of `parts` parts.
  virtual int64_t work_bytes(int64_t /*parts*/) const { return 0; }
  virtual GemmPart cut(int64_t parts) const = 0;
  virtual void multiply(const ConvolutionOperands& operands, const GemmPart& part) const = 0;

  // The result in another layout than that of the value; 0: multiply() writes the value. store()
  // converts a part of it, and runs the epilogue.
  virtual int64_t made_bytes() const { return 0; }
  virtual void store(const void* /*from*/, void* /*made*/, const Epilogue& /*epilogue*/,
                     const GemmPart& /*part*/) const {}
};

}  // namespace mithril::cpu_backend
