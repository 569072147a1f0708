#include "mdp/titanic/message_bytes.h"

#include "mdp/command.h"

#include <boost/endian/conversion.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace mdp::titanic {

namespace {

constexpr std::size_t size_bytes = 8;

}  // namespace

void append_bytes(const zmtp::message& m, std::vector<std::byte>& to) {
  auto at = to.size();
  to.resize(at + m.payload_size() + m.size() * size_bytes);
  for (const auto part : m) {
    const auto size = boost::endian::native_to_little(static_cast<std::uint64_t>(part.size()));
    std::memcpy(to.data() + at, &size, size_bytes);
    if (!part.empty()) {
      std::memcpy(to.data() + at + size_bytes, part.data(), part.size());
    }
    at += size_bytes + part.size();
  }
}

std::optional<zmtp::message> message_of(std::span<const std::byte> bytes) {
  zmtp::message m;
  while (!bytes.empty()) {
    if (bytes.size() < size_bytes || m.size() == max_frames) {
      return std::nullopt;
    }
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), size_bytes);
    boost::endian::little_to_native_inplace(size);
    bytes = bytes.subspan(size_bytes);
    if (size > bytes.size()) {
      return std::nullopt;
    }
    m.push_back({reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size)});
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return m.empty() ? std::nullopt : std::optional{std::move(m)};
}

}  // namespace mdp::titanic
