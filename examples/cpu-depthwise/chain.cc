// A chain of depthwise convolutions (3 by 3, zero padding, an activation after each), layer by layer and in fused
// tiles.
//
// Layer by layer, every layer passes over the whole tensor. In fused tiles, all layers of the chain are computed for
// one rectangle of the output before the next; each layer but the last computes a margin around it, which neighbours
// compute again. Between layers a tile's values stay in two small buffers. Both ways are timed in turn in one process.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int channels = 16, side = 512, stride = side + 2;  // planes have a border of zeros, one value wide
constexpr std::size_t plane = std::size_t(stride) * stride;
constexpr int rounds = 5, degree = 16;

using Tensor = std::vector<float>;
struct Kernel {
  float taps[9];
};

/// A polynomial in place of a costly activation; its coefficients are those of the exponential series, damped.
struct Polynomial {
  float coefficients[degree + 1];
  Polynomial() {
    double c = 1;
    for (int i = 0; i <= degree; ++i, c /= -2.0 * i) coefficients[i] = float(c);
  }
  float operator()(float x) const {
    float y = coefficients[degree];
    for (int i = degree - 1; i >= 0; --i) y = y * x + coefficients[i];
    return y;
  }
};
struct Relu {
  float operator()(float x) const { return x > 0 ? x : 0; }
};

constexpr int block = 16;
constexpr int whole_blocks(int count) {
  return (count + block - 1) / block * block;
}

/// One row of one layer: `count` values in whole blocks, from three rows that begin one value to the left.
template <typename Activation>
void row(const float* __restrict above, const float* __restrict here, const float* __restrict below,
         float* __restrict out, int count, const Kernel& kernel, const Activation& activation) {
  const Kernel held = kernel;
  const float* k = held.taps;
  for (int begin = 0; begin < count; begin += block)
    for (int x = begin; x < begin + block; ++x)
      out[x] =
          activation(k[0] * above[x] + k[1] * above[x + 1] + k[2] * above[x + 2] + k[3] * here[x] + k[4] * here[x + 1] +
                     k[5] * here[x + 2] + k[6] * below[x] + k[7] * below[x + 1] + k[8] * below[x + 2]);
}

struct Chain {
  std::vector<std::vector<Kernel>> layers;  // of each layer a kernel for each channel
};

template <typename Activation>
const Tensor& layer_by_layer(const Tensor& input, Tensor& one, Tensor& other, const Chain& chain,
                             const Activation& activation) {
  const Tensor* source = &input;
  Tensor* target = &one;
  for (const auto& kernels : chain.layers) {
    for (int c = 0; c < channels; ++c) {
      const float* in = source->data() + std::size_t(c) * plane;
      float* out = target->data() + std::size_t(c) * plane;
      for (int y = 1; y <= side; ++y)
        row(in + (y - 1) * stride, in + y * stride, in + (y + 1) * stride, out + y * stride + 1, side,
            kernels[std::size_t(c)], activation);
    }
    source = target;
    target = target == &one ? &other : &one;
  }
  return *source;
}

struct Tile {
  int rows, columns;
};

/// `ROWSxCOLUMNS`; rows divide the side, and so do columns, which are whole blocks.
std::optional<Tile> parsed(const std::string& name) {
  Tile tile{};
  if (std::sscanf(name.c_str(), "%dx%d", &tile.rows, &tile.columns) != 2 || tile.rows < 1 || tile.columns < 1 ||
      side % tile.rows != 0 || side % tile.columns != 0 || tile.columns % block != 0)
    return std::nullopt;
  return tile;
}

/// Values in a row of a tile's buffer: the tile, its margins, a border of one value, and room for the last block.
int buffer_width(Tile tile, int count) {
  return whole_blocks(tile.columns + 2 * count) + block;
}

/// Columns of a tile are whole blocks, so only rows of the buffers are computed beyond their end.
template <typename Activation>
void fused(const Tensor& input, Tensor& output, const Chain& chain, Tile tile, Tensor (&buffers)[2],
           const Activation& activation) {
  const int count = int(chain.layers.size());
  const int width = buffer_width(tile, count);
  for (int c = 0; c < channels; ++c) {
    const float* in = input.data() + std::size_t(c) * plane;
    float* out = output.data() + std::size_t(c) * plane;
    for (int top = 1; top <= side; top += tile.rows)
      for (int left = 1; left <= side; left += tile.columns) {
        const int bottom = std::min(top + tile.rows, side + 1), right = std::min(left + tile.columns, side + 1);
        // A buffer's first value is at (top - count, left - count) of the plane.
        const auto at = [&](float* buffer, int y, int x) {
          return buffer + (y - top + count) * width + (x - left + count);
        };
        for (int layer = 0; layer < count; ++layer) {
          const int margin = count - 1 - layer;
          const bool first = layer == 0, last = layer == count - 1;
          float* source = buffers[(layer + 1) % 2].data();
          float* target = buffers[layer % 2].data();
          const int x0 = std::max(1, left - margin), x1 = std::min(side + 1, right + margin);
          for (int y = top - margin; y < bottom + margin; ++y) {
            if (y < 1 || y > side) {  // the padding of the next layer
              if (y == 0 || y == side + 1) std::fill_n(at(target, y, x0 - 1), x1 - x0 + 2, 0.0F);
              continue;
            }
            float* to = last ? out + y * stride + x0 : at(target, y, x0);
            const auto from = [&](int line) { return first ? in + line * stride + x0 - 1 : at(source, line, x0 - 1); };
            row(from(y - 1), from(y), from(y + 1), to, whole_blocks(x1 - x0),
                chain.layers[std::size_t(layer)][std::size_t(c)], activation);
            if (!last && x0 == 1) *at(target, y, 0) = 0;
            if (!last && x1 == side + 1) *at(target, y, side + 1) = 0;
          }
        }
      }
  }
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The same in double precision and without any of the functions above, for one channel.
template <typename Activation>
std::vector<double> reference(const Tensor& input, const Chain& chain, int channel, const Activation& activation) {
  std::vector<double> now(input.begin() + std::ptrdiff_t(std::size_t(channel) * plane),
                          input.begin() + std::ptrdiff_t(std::size_t(channel + 1) * plane));
  for (const auto& kernels : chain.layers) {
    std::vector<double> next(plane, 0.0);
    for (int y = 1; y <= side; ++y)
      for (int x = 1; x <= side; ++x) {
        double sum = 0;
        for (int i = 0; i < 9; ++i)
          sum += double(kernels[std::size_t(channel)].taps[i]) *
                 now[std::size_t((y + i / 3 - 1) * stride + x + i % 3 - 1)];
        next[std::size_t(y * stride + x)] = double(activation(float(sum)));
      }
    now = std::move(next);
  }
  return now;
}

/// Without a tile, layer by layer is compared with itself.
template <typename Activation>
int run(std::optional<Tile> tile_of, int count, std::uint64_t seed, const Activation& activation, double flops) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor input(plane * channels + block, 0.0F), one(plane * channels + block, 0.0F),
      other(plane * channels + block, 0.0F), output(plane * channels + block, 0.0F);
  for (int c = 0; c < channels; ++c)
    for (int y = 1; y <= side; ++y)
      for (int x = 1; x <= side; ++x) input[std::size_t(c) * plane + std::size_t(y * stride + x)] = uniform(random);
  Chain chain;
  for (int layer = 0; layer < count; ++layer) {
    chain.layers.emplace_back();
    for (int c = 0; c < channels; ++c) {
      Kernel kernel{};
      for (float& tap : kernel.taps) tap = uniform(random) / 3;
      kernel.taps[4] += 0.5F;
      chain.layers.back().push_back(kernel);
    }
  }
  const bool tiled = tile_of.has_value();
  const Tile tile = tile_of.value_or(Tile{side, side});
  const auto width = std::size_t(buffer_width(tile, count)), lines = std::size_t(tile.rows + 2 * count);
  Tensor buffers[2] = {Tensor(width * lines + 64, 0.0F), Tensor(width * lines + 64, 0.0F)};

  std::vector<double> ratios, ms;
  const Tensor* truth = nullptr;
  const Tensor* treated = &output;
  for (int round = 0; round <= rounds; ++round) {  // the first warms up
    const double start = processor_seconds();
    truth = &layer_by_layer(input, one, other, chain, activation);
    const double middle = processor_seconds();
    if (tiled)
      fused(input, output, chain, tile, buffers, activation);
    else
      treated = &layer_by_layer(input, one, other, chain, activation);
    const double end = processor_seconds();
    if (round == 0) continue;
    ratios.push_back((middle - start) / (end - middle));
    ms.push_back(1e3 * (end - middle));
  }

  // Against the layers of the whole tensor, and two channels against a plain reference.
  double worst = 0, largest = 0, checksum = 0;
  for (std::size_t i = 0; i < plane * channels; ++i) {
    if (i / stride % stride == 0 || i / stride % stride == stride - 1 || i % stride == 0 || i % stride == stride - 1)
      continue;
    worst = std::max(worst, double(std::fabs((*treated)[i] - (*truth)[i])));
    largest = std::max(largest, double(std::fabs((*truth)[i])));
    checksum += double((*treated)[i]);
  }
  for (const int channel : {0, channels - 1}) {
    const auto plain = reference(input, chain, channel, activation);
    for (std::size_t i = 0; i < plane; ++i) {
      if (i < stride || i >= plane - stride || i % stride == 0 || i % stride == stride - 1) continue;
      worst = std::max(worst, std::fabs(plain[i] - double((*treated)[std::size_t(channel) * plane + i])));
    }
  }
  double computed = 0;
  for (int layer = 0; layer < count && tiled; ++layer)
    computed += std::min(tile.rows + 2.0 * (count - 1 - layer), double(side)) / tile.rows *
                std::min(tile.columns + 2.0 * (count - 1 - layer), double(side)) / tile.columns;

  const char* path = std::getenv("ETUDE_METRICS");
  std::FILE* out = path != nullptr ? std::fopen(path, "a") : stdout;
  const auto report = [&](const char* metric, double value) {
    std::fprintf(out, "{\"name\": \"%s\", \"value\": %.10g}\n", metric, value);
  };
  report("speedup", median(ratios));
  report("chain_ms", median(ms));
  report("gflops", double(count) * flops * channels * side * side / (median(ms) * 1e6));
  report("buffers_kib", tiled ? 2 * double(width * lines * sizeof(float)) / 1024 : 0);
  report("extra_work", tiled ? 100 * (computed / count - 1) : 0);
  report("checksum", checksum);
  report("error", worst / std::max(largest, 1e-30));
  std::fclose(out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const auto tile = options["--tile"], activation = options["--activation"];
  const int count = std::atoi(options["--chain"].c_str());
  const auto seed = std::uint64_t(std::atoll(options["--seed"].c_str()));
  const auto parsed_tile = parsed(tile);
  if (count < 1 || (tile != "layers" && !parsed_tile)) {
    std::fprintf(stderr, "usage: chain --tile ROWSxCOLUMNS|layers --chain N --activation relu|polynomial --seed N\n");
    return 2;
  }
  // A multiplication and an addition for each tap, and for each coefficient.
  if (activation == "relu") return run(parsed_tile, count, seed, Relu(), 18);
  if (activation == "polynomial") return run(parsed_tile, count, seed, Polynomial(), 18 + 2 * degree);
  std::fprintf(stderr, "unknown activation: %s\n", activation.c_str());
  return 2;
}
