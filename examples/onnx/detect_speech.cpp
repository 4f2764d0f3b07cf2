// Tells speech from silence, noise and a tone, with the detector of silero-vad, as detect_speech.py
// does. The program fails if the speech has a mean probability below 0.5, or another sound one
// above. Usage: detect_speech silero_vad.onnx
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"
#include "mithril/onnx/read_onnx.hpp"

namespace ml = mithril;

namespace {

using Sound = std::vector<float>;
using Formants = std::array<double, 4>;

constexpr int64_t rate = 16000;
constexpr int64_t frame = 512, context = 64;  // samples: a frame, and what it sees of the last one
constexpr double turn = 2 * std::numbers::pi;

// Centres of the resonances of a, e, i, o and u in Hz, and their widths.
constexpr std::array<Formants, 5> vowels{{{730, 1090, 2440, 3400},
                                          {530, 1840, 2480, 3500},
                                          {270, 2290, 3010, 3600},
                                          {570, 840, 2410, 3300},
                                          {300, 870, 2240, 3300}}};
constexpr Formants widths{80, 100, 150, 200};

// How much the resonances let through of a frequency, between two vowels.
double gain(const Formants& from, const Formants& to, double between, double frequency) {
  double product = 1;
  for (size_t i = 0; i < widths.size(); ++i) {
    const double square = std::pow(std::lerp(from[i], to[i], between), 2);
    product *= square / std::hypot(square - frequency * frequency, widths[i] * frequency);
  }
  return product;
}

// A voice that sings the vowels, a fifth of a second each.
Sound voice(const std::vector<size_t>& sung) {
  const auto samples = static_cast<size_t>(rate) * sung.size() / 5;
  Sound sound(samples);
  double phase = 0;
  for (size_t i = 0; i < samples; ++i) {
    const double time = static_cast<double>(i) / rate;
    const double pitch = 120 * (1 + 0.1 * std::sin(turn * 2.2 * time));
    const double place = static_cast<double>(i * (sung.size() - 1)) / static_cast<double>(samples);
    const auto vowel = static_cast<size_t>(place);
    phase += turn * pitch / rate;
    double sum = 0;
    for (int harmonic = 1; harmonic < 40 && harmonic * pitch < rate / 2.0; ++harmonic) {
      sum += gain(vowels[sung[vowel]], vowels[sung[vowel + 1]], place - std::floor(place),
                  harmonic * pitch) /
             harmonic * std::sin(harmonic * phase);
    }
    const double syllable = std::sin(std::numbers::pi * std::fmod(5 * time, 1));
    sound[i] = static_cast<float>(sum * (0.15 + 0.85 * std::pow(syllable, 0.7)));
  }
  const auto louder = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const float peak = std::abs(*std::max_element(sound.begin(), sound.end(), louder));
  for (float& sample : sound) sample *= 0.3F / peak;
  return sound;
}

Sound noise() {
  std::mt19937 random(0);
  std::normal_distribution<float> normal(0, 0.1F);
  Sound sound(2 * rate);
  for (float& sample : sound) sample = normal(random);
  return sound;
}

Sound tone() {
  Sound sound(2 * rate);
  for (size_t i = 0; i < sound.size(); ++i)
    sound[i] = static_cast<float>(0.3 * std::sin(turn * 440 * static_cast<double>(i) / rate));
  return sound;
}

class SpeechDetector {
 public:
  explicit SpeechDetector(const std::string& path)
      : file_(ml::read_onnx(path,
                            {.constants = {{"sr", ml::Tensor::scalar<int64_t>(rate)}},
                             .shapes = {{"input", {1, context + frame}}, {"state", {2, 1, 128}}}})),
        compiled_(ml::compile(file_.model, ml::cpu(), {.inference = true})) {}

  // The mean probability of speech in the frames.
  double operator()(const Sound& sound) const {
    Sound padded(context);
    padded.insert(padded.end(), sound.begin(), sound.end());
    ml::Tensor state = ml::Tensor::zeros({2, 1, 128});
    double sum = 0;
    const size_t frames = sound.size() / frame;
    for (size_t i = 0; i < frames; ++i) {
      const auto first = padded.begin() + static_cast<int64_t>(i) * frame;
      const Sound input(first, first + context + frame);
      const ml::TensorMap outputs = compiled_.evaluate(
          file_.parameters,
          {{"input", ml::Tensor::of<float>({1, context + frame}, input)}, {"state", state}});
      state = outputs.at("stateN");
      sum += outputs.at("output").item();
    }
    return sum / static_cast<double>(frames);
  }

 private:
  ml::OnnxModel file_;
  ml::CompiledModel compiled_;
};

bool run(const std::string& path) {
  const SpeechDetector detect(path);
  const std::vector<std::pair<const char*, Sound>> others{
      {"silence", Sound(2 * rate)}, {"noise", noise()}, {"a tone", tone()}};
  bool right = true;
  for (const auto& [name, sound] : others) {
    const double mean = detect(sound);
    std::printf("%-8s mean %.3f\n", name, mean);
    right = right && mean < 0.5;
  }
  const double mean = detect(voice({0, 2, 4, 1, 3, 0, 2, 3, 1, 4}));
  std::printf("%-8s mean %.3f\n", "speech", mean);
  return right && mean > 0.5;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: detect_speech silero_vad.onnx\n");
    return 2;
  }
  try {
    return run(argv[1]) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
