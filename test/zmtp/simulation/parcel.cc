#include "test/zmtp/simulation/parcel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace zmtp::simulation {

namespace {

// The part that describes the message: it begins as no other part does.
struct label {
  char mark = '#';
  std::uint8_t parts = 0;  // behind it
  std::array<char, 6> unused{};
  std::uint32_t sender = 0;
  std::uint32_t sequence = 0;
  std::uint32_t destination = 0;
  std::uint32_t answers = 0;
  std::uint64_t sum = 0;
};

constexpr std::size_t most_large = std::size_t{70} * 1024;
constexpr std::size_t least_large = 4096;

bool is_label(std::string_view part) noexcept {
  return part.size() == sizeof(label) && part.front() == '#';
}

std::uint64_t mix(std::uint64_t sum, std::uint64_t with) noexcept {
  sum = (sum ^ with) * 0x9e37'79b9'7f4a'7c15;
  return sum ^ sum >> 32;
}

std::uint64_t add_part(std::uint64_t sum, std::string_view part) noexcept {
  sum = mix(sum, part.size());
  for (std::size_t at = 0; at < part.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, part.data() + at, std::min(sizeof word, part.size() - at));
    sum = mix(sum, word);
  }
  return sum;
}

std::size_t some_size(const body_sizes& sizes, random_source& random) {
  const auto kind = random.pick(100);
  if (kind < sizes.large) {
    return random.between(least_large, most_large);
  }
  if (kind < 20) {
    return 0;
  }
  return kind < 70 ? random.between(1, 30) : random.between(31, kind < 92 ? 300 : 3000);
}

std::string some_body(std::size_t size, random_source& random) {
  std::string body(size, '\0');
  auto word = random.next();
  for (std::size_t at = 0; at < size; at += sizeof word) {
    std::memcpy(body.data() + at, &word, std::min(sizeof word, size - at));
    word += 0x9e37'79b9'7f4a'7c15;
  }
  if (size != 0) {
    body.front() = 'b';
  }
  return body;
}

}  // namespace

message wrap(parcel& p, std::span<const std::string_view> envelope, const body_sizes& sizes,
             random_source& random) {
  std::vector<std::string> body(random.pick(sizes.most_parts + 1));
  p.sum = 0;
  for (auto& part : body) {
    part = some_body(some_size(sizes, random), random);
    p.sum = add_part(p.sum, part);
  }
  label own;
  own.parts = static_cast<std::uint8_t>(body.size());
  own.sender = p.sender;
  own.sequence = p.sequence;
  own.destination = p.destination;
  own.answers = p.answers;
  own.sum = p.sum;

  message m;
  for (const auto part : envelope) {
    m.push_back(part);
  }
  m.push_back({reinterpret_cast<const char*>(&own), sizeof own});
  for (auto& part : body) {
    if (part.size() >= least_large && random.chance(50)) {
      m.adopt_back(std::move(part));
    } else {
      m.push_back(part);
    }
  }
  p.size = m.framed_size();
  return m;
}

unwrapped unwrap(std::span<const std::string_view> parts) {
  unwrapped result;
  const auto at = std::find_if(parts.begin(), parts.end(), is_label);
  if (at == parts.end()) {
    return result;
  }
  result.envelope.assign(parts.begin(), at);
  label own;
  std::memcpy(&own, at->data(), sizeof own);
  result.what = {.sender = own.sender,
                 .sequence = own.sequence,
                 .destination = own.destination,
                 .answers = own.answers,
                 .sum = own.sum,
                 .size = 0};
  const std::span body{at + 1, parts.end()};
  if (std::find_if(body.begin(), body.end(), is_label) != body.end()) {
    result.found = unwrapped::state::mixed;
    return result;
  }
  if (body.size() < own.parts) {
    result.found = unwrapped::state::cut_short;
    return result;
  }
  std::uint64_t sum = 0;
  for (const auto part : body) {
    sum = add_part(sum, part);
  }
  const auto same = body.size() == own.parts && sum == own.sum;
  result.found = same ? unwrapped::state::whole : unwrapped::state::mixed;
  return result;
}

unwrapped unwrap(const message& m) {
  const std::vector<std::string_view> parts{m.begin(), m.end()};
  return unwrap(parts);
}

}  // namespace zmtp::simulation
