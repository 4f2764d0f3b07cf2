// Which digit an image shows: for each line of 64 numbers from 0 to 16 on standard input, a digit.
// The models are what examples/python/export_digits.py writes; nothing of Mithril is needed:
//   g++ -O2 -static -I FOLDER answer.cpp FOLDER/digits_mlp.cpp FOLDER/digits_cnn.cpp -o answer
//   ./answer cnn < images.txt
#define DECLARATIONS_ONLY
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "digits_cnn.cpp"
#include "digits_mlp.cpp"

namespace {

constexpr int pixels = 64, digits = 10;

// False at the end of the input.
bool read_image(float* image) {
  for (int i = 0; i < pixels; ++i) {
    if (std::scanf("%f", &image[i]) != 1) return false;
    image[i] /= 16;
  }
  return true;
}

const char* evaluate(bool convolutional, const float* image, float* logits) {
  if (convolutional) {
    const digits_cnn_inputs inputs{image};
    const digits_cnn_outputs outputs{logits};
    return digits_cnn_evaluate(&inputs, &outputs, nullptr);
  }
  const digits_mlp_inputs inputs{image};
  const digits_mlp_outputs outputs{logits};
  return digits_mlp_evaluate(&inputs, &outputs, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const bool convolutional = argc > 1 && std::strcmp(argv[1], "cnn") == 0;
  float image[pixels], logits[digits];
  while (read_image(image)) {
    if (const char* problem = evaluate(convolutional, image, logits)) {
      std::fprintf(stderr, "%s\n", problem);
      return 1;
    }
    std::printf("%d\n", static_cast<int>(std::max_element(logits, logits + digits) - logits));
  }
  return 0;
}
