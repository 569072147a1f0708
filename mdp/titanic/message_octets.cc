#include "mdp/titanic/message_octets.h"

#include "mdp/command.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace mdp::titanic {

namespace {

constexpr std::size_t size_octets = 8;

}  // namespace

void append_octets(const zmtp::message& m, std::vector<std::byte>& to) {
  auto at = to.size();
  to.resize(at + m.payload_size() + m.part_count() * size_octets);
  for (const auto part : m) {
    const auto size = boost::endian::native_to_little(static_cast<std::uint64_t>(part.size()));
    std::memcpy(to.data() + at, &size, size_octets);
    if (!part.empty()) {
      std::memcpy(to.data() + at + size_octets, part.data(), part.size());
    }
    at += size_octets + part.size();
  }
}

std::optional<zmtp::message> message_of(std::span<const std::byte> octets) {
  zmtp::message m;
  while (!octets.empty()) {
    if (octets.size() < size_octets || m.part_count() == max_frames) {
      return std::nullopt;
    }
    std::uint64_t size = 0;
    std::memcpy(&size, octets.data(), size_octets);
    boost::endian::little_to_native_inplace(size);
    octets = octets.subspan(size_octets);
    if (size > octets.size()) {
      return std::nullopt;
    }
    m.push_back({reinterpret_cast<const char*>(octets.data()), static_cast<std::size_t>(size)});
    octets = octets.subspan(static_cast<std::size_t>(size));
  }
  return m.empty() ? std::nullopt : std::optional{std::move(m)};
}

}  // namespace mdp::titanic
