// Stands in for libFuzzer, so that a fuzz target is an ordinary test with any compiler: feeds it
// each file of the corpus directories named as arguments, then seeded mutations of them.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using input = std::vector<std::uint8_t>;

constexpr int mutated_inputs = 20'000;
constexpr std::size_t max_size = 64 * 1024;

const input* current = nullptr;

// A failure must leave its input behind: it becomes a corpus file.
void print_current_input(int) {
  std::fputs("input:", stderr);
  for (const auto byte : *current) {
    std::fprintf(stderr, " %02x", unsigned{byte});
  }
  std::fputs("\n", stderr);
}

void feed(const input& bytes) {
  // A copy has no spare capacity, so that a sanitizer sees each byte read beyond it.
  const input exact{bytes};
  current = &exact;
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::vector<input> corpus_of(int count, char** directories) {
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator{directories[i]}) {
      paths.push_back(entry.path());
    }
  }
  // Directories list their files in no order, but the mutations must be the same each time.
  std::sort(paths.begin(), paths.end());
  std::vector<input> corpus;
  for (const auto& path : paths) {
    std::ifstream file{path, std::ios::binary};
    corpus.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
  }
  return corpus;
}

class mutator {
public:
  explicit mutator(const std::vector<input>& corpus) : corpus_{corpus} {}

  input next() {
    input bytes = corpus_[below(corpus_.size())];
    for (auto changes = 1 + below(4); changes > 0; --changes) {
      change(bytes);
    }
    if (bytes.size() > max_size) {
      bytes.resize(max_size);
    }
    return bytes;
  }

private:
  std::size_t below(std::size_t n) { return random_() % n; }

  std::uint8_t telling_byte() {
    constexpr std::array<std::uint8_t, 8> telling{0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff, 0x20};
    return below(2) == 0 ? telling[below(telling.size())] : static_cast<std::uint8_t>(below(256));
  }

  static auto at(input& bytes, std::size_t index) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index);
  }

  void change(input& bytes) {
    const auto where = below(bytes.size() + 1);
    const auto behind = where + below(bytes.size() - where + 1);
    switch (below(6)) {
      case 0: bytes.resize(where); break;
      case 1: bytes.insert(at(bytes, where), 1 + below(8), telling_byte()); break;
      case 2: bytes.erase(at(bytes, where), at(bytes, behind)); break;
      case 3: {
        const input again(at(bytes, where), at(bytes, behind));
        bytes.insert(at(bytes, behind), again.begin(), again.end());
        break;
      }
      case 4: {
        const auto& other = corpus_[below(corpus_.size())];
        bytes.insert(at(bytes, where), other.begin(), other.end());
        break;
      }
      default:
        if (where < bytes.size()) {
          bytes[where] = below(2) == 0 ? telling_byte()
                                       : static_cast<std::uint8_t>(bytes[where] ^ 1U << below(8));
        }
    }
  }

  const std::vector<input>& corpus_;
  std::mt19937 random_{1};
};

}  // namespace

int main(int count, char** directories) {
  const auto corpus = corpus_of(count, directories);
  if (corpus.empty()) {
    std::fputs("no corpus: name directories that hold files\n", stderr);
    return 1;
  }
  std::signal(SIGABRT, print_current_input);
  for (const auto& bytes : corpus) {
    feed(bytes);
  }
  mutator mutations{corpus};
  for (int i = 0; i < mutated_inputs; ++i) {
    feed(mutations.next());
  }
  std::printf("%zu files and %d mutations of them\n", corpus.size(), mutated_inputs);
}
