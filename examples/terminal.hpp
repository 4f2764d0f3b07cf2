// Text that shows results of the examples: a curve, and small images.
#pragma once
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

// The line without spaces at its end, and a line feed.
inline std::string ended(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

// A curve of 8 rows and at most 60 columns; each column shows the mean of several values.
inline std::string curve(const std::vector<double>& values) {
  constexpr size_t rows = 8, columns = 60;
  const size_t width = (values.size() + columns - 1) / columns;  // of a column, in values
  std::vector<double> means;
  for (size_t start = 0; start < values.size(); start += width) {
    const size_t end = std::min(start + width, values.size());
    double sum = 0;
    for (size_t i = start; i < end; ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(end - start));
  }
  if (means.empty()) return {};
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  const double range = *most > *least ? *most - *least : 1;
  std::vector<std::string> lines(rows, std::string(means.size(), ' '));
  for (size_t i = 0; i < means.size(); ++i)
    lines[static_cast<size_t>((*most - means[i]) / range * (rows - 1) + 0.5)][i] = '*';
  std::string text;
  for (size_t row = 0; row < rows; ++row) {
    char label[32];
    std::snprintf(label, sizeof label, "%8.3f",
                  *most - range * static_cast<double>(row) / (rows - 1));
    const bool labelled = row == 0 || row + 1 == rows;
    text += ended((labelled ? label : std::string(8, ' ')) + " |" + lines[row]);
  }
  return text + std::string(9, ' ') + "+" + std::string(means.size(), '-') + "\n";
}

// Float images [rows, 1, height, width] of 0 to 1 side by side, two characters per pixel, and a
// caption below each.
inline std::string pictures(const mithril::Tensor& images,
                            const std::vector<std::string>& captions) {
  constexpr const char* shades = " .:-=+*#%@";
  const auto height = static_cast<size_t>(images.dims()[2]);
  const auto width = static_cast<size_t>(images.dims()[3]);
  const float* pixels = images.data<float>();
  std::string text;
  for (size_t y = 0; y < height; ++y) {
    std::string line;
    for (size_t row = 0; row < captions.size(); ++row) {
      for (size_t x = 0; x < width; ++x) {
        const float value = pixels[(row * height + y) * width + x];
        line += std::string(2, shades[std::clamp(static_cast<int>(value * 10), 0, 9)]);
      }
      line += "  ";
    }
    text += ended(line);
  }
  std::string last;
  for (std::string caption : captions) {
    caption.resize(2 * width + 2, ' ');
    last += caption;
  }
  return text + ended(last);
}
