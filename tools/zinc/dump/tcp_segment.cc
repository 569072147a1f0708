#include "tools/zinc/dump/tcp_segment.h"

#include "zmtp/frame.h"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace zinc::dump {

namespace {

using zmtp::byte_reader;

enum link_type : std::uint32_t {
  null_link = 0,
  ethernet = 1,
  raw_bsd = 12,
  raw_openbsd = 14,
  raw_ip = 101,
  loop = 108,
  cooked = 113,
  raw_ipv4 = 228,
  raw_ipv6 = 229,
  cooked_2 = 276,
};

constexpr std::uint64_t ipv4_type = 0x0800;
constexpr std::uint64_t ipv6_type = 0x86dd;
constexpr std::uint64_t vlan_type = 0x8100;
constexpr std::uint64_t provider_vlan_type = 0x88a8;
constexpr std::uint64_t tcp_protocol = 6;

void skip(byte_reader& reader, std::uint64_t size) { static_cast<void>(reader.take(size)); }

// Takes the header of the link. Returns whether an IP packet follows.
bool take_link(std::uint32_t link, byte_reader& reader) {
  const auto is_ip = [](std::optional<std::uint64_t> type) {
    return type == ipv4_type || type == ipv6_type;
  };
  switch (link) {
    case null_link:
    case loop: return reader.take(4).has_value();
    case ethernet: {
      if (!reader.take(12)) {
        return false;
      }
      auto type = reader.number(2);
      for (int tags = 0; tags < 4 && (type == vlan_type || type == provider_vlan_type); ++tags) {
        if (!reader.take(2)) {
          return false;
        }
        type = reader.number(2);
      }
      return is_ip(type);
    }
    case raw_bsd:
    case raw_openbsd:
    case raw_ip:
    case raw_ipv4:
    case raw_ipv6: return true;
    case cooked: return reader.take(14) && is_ip(reader.number(2));
    case cooked_2: {
      const auto type = reader.number(2);
      return is_ip(type) && reader.take(18);
    }
    default: return false;
  }
}

// The content of an IP packet.
struct ip_packet {
  std::string from;
  std::string to;
  std::string_view bytes{};
  std::size_t size = 0;  // that were sent
};

template <class Address>
std::string text_of(std::string_view bytes) {
  typename Address::bytes_type all{};
  std::ranges::copy(bytes, reinterpret_cast<char*>(all.data()));
  return Address{all}.to_string();
}

std::optional<ip_packet> take_ipv4(std::string_view bytes) {
  byte_reader reader{bytes};
  const auto first = reader.number(1);
  skip(reader, 1);
  const auto total = reader.number(2);
  skip(reader, 2);
  const auto fragment = reader.number(2);
  skip(reader, 1);
  const auto protocol = reader.number(1);
  skip(reader, 2);
  const auto from = reader.take(4);
  const auto to = reader.take(4);
  const std::size_t header = first ? (*first & 0xf) * 4 : 0;
  // MORE, or an offset.
  if (!to || header < 20 || header > bytes.size() || (*fragment & 0x3fff) != 0 ||
      protocol != tcp_protocol) {
    return std::nullopt;
  }
  // The kernel writes 0 into a large packet that the network card will divide.
  const auto whole = *total == 0 ? bytes.size() : static_cast<std::size_t>(*total);
  if (whole < header) {
    return std::nullopt;
  }
  const auto content = bytes.substr(header);
  return ip_packet{text_of<boost::asio::ip::address_v4>(*from),
                   text_of<boost::asio::ip::address_v4>(*to), content.substr(0, whole - header),
                   whole - header};
}

std::optional<ip_packet> take_ipv6(std::string_view bytes) {
  byte_reader reader{bytes};
  skip(reader, 4);
  const auto length = reader.number(2);
  auto next = reader.number(1);
  skip(reader, 1);
  const auto from = reader.take(16);
  const auto to = reader.take(16);
  if (!to) {
    return std::nullopt;
  }
  auto size = *length == 0 ? reader.rest().size() : static_cast<std::size_t>(*length);
  // Headers that may come before that of TCP: for each hop, routing and destination options.
  for (int headers = 0; headers < 8 && (next == 0U || next == 43U || next == 60U); ++headers) {
    const auto following = reader.number(1);
    const auto eights = reader.number(1);
    if (!eights || !reader.take(6 + *eights * 8) || size < 8 + *eights * 8) {
      return std::nullopt;
    }
    size -= static_cast<std::size_t>(8 + *eights * 8);
    next = following;
  }
  if (next != tcp_protocol) {
    return std::nullopt;
  }
  return ip_packet{'[' + text_of<boost::asio::ip::address_v6>(*from) + ']',
                   '[' + text_of<boost::asio::ip::address_v6>(*to) + ']',
                   reader.rest().substr(0, size), size};
}

std::optional<ip_packet> take_ip(std::string_view bytes) {
  const auto version = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front()) >> 4;
  return version == 4 ? take_ipv4(bytes) : version == 6 ? take_ipv6(bytes) : std::nullopt;
}

}  // namespace

bool is_known_link(std::uint32_t link) noexcept {
  constexpr std::array known{null_link, ethernet, raw_bsd,  raw_openbsd, raw_ip,
                             loop,      cooked,   raw_ipv4, raw_ipv6,    cooked_2};
  return std::ranges::find(known, link) != known.end();
}

std::optional<tcp_segment> segment_of(std::uint32_t link, std::string_view bytes) {
  byte_reader below{bytes};
  if (!take_link(link, below)) {
    return std::nullopt;
  }
  auto ip = take_ip(below.rest());
  if (!ip) {
    return std::nullopt;
  }
  byte_reader reader{ip->bytes};
  const auto from_port = reader.number(2);
  const auto to_port = reader.number(2);
  const auto number = reader.number(4);
  const auto acknowledged = reader.number(4);
  const auto offset = reader.number(1);
  const auto flags = reader.number(1);
  const std::size_t header = offset ? (*offset >> 4) * 4 : 0;
  if (!flags || header < 20 || header > ip->bytes.size() || header > ip->size) {
    return std::nullopt;
  }
  const auto has = [&flags](unsigned bit) { return (*flags & bit) != 0; };
  return tcp_segment{.from = ip->from + ':' + std::to_string(*from_port),
                     .to = ip->to + ':' + std::to_string(*to_port),
                     .from_port = static_cast<std::uint16_t>(*from_port),
                     .to_port = static_cast<std::uint16_t>(*to_port),
                     .number = static_cast<std::uint32_t>(*number),
                     .acknowledged = static_cast<std::uint32_t>(*acknowledged),
                     .syn = has(2),
                     .ack = has(16),
                     .fin = has(1),
                     .rst = has(4),
                     .bytes = ip->bytes.substr(header),
                     .size = static_cast<std::uint32_t>(ip->size - header)};
}

}  // namespace zinc::dump
