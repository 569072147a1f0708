#include "tools/zinc/dump/capture_reader.h"

#include <boost/endian/conversion.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace zinc::dump {

namespace {

// No program captures more of a packet.
constexpr std::size_t most_of_a_packet = 1024 * 1024;
constexpr std::size_t most_of_a_block = 16 * 1024 * 1024;

constexpr std::size_t file_header = 24;
constexpr std::size_t record_header = 16;
constexpr std::uint32_t microseconds_magic = 0xa1b2c3d4;
constexpr std::uint32_t nanoseconds_magic = 0xa1b23c4d;

constexpr std::size_t block_header = 8;
constexpr std::size_t block_frame = 12;  // with the size that ends the block
constexpr std::uint32_t section_block = 0x0a0d0d0a;
constexpr std::uint32_t interface_block = 1;
constexpr std::uint32_t simple_packet_block = 3;
constexpr std::uint32_t enhanced_packet_block = 6;
constexpr std::uint32_t order_magic = 0x1a2b3c4d;
constexpr std::uint16_t end_of_options = 0;
constexpr std::uint16_t resolution_option = 9;
constexpr std::uint16_t offset_option = 14;

const unsigned char* at_of(std::string_view from, std::size_t at) {
  return reinterpret_cast<const unsigned char*>(from.data()) + at;
}

std::chrono::microseconds time_of(std::uint64_t count, std::uint64_t units) {
  const auto rest = static_cast<double>(count % units) * 1e6 / static_cast<double>(units);
  return std::chrono::microseconds{static_cast<std::int64_t>(count / units % (1ULL << 40)) *
                                       1'000'000 +
                                   static_cast<std::int64_t>(rest)};
}

}  // namespace

capture_reader::capture_reader(read_function read) : read_{std::move(read)} {
  if (!fill(4)) {
    fail("the file is empty");
  }
  const auto big = boost::endian::load_big_u32(at_of(buffer_, 0));
  const auto little = boost::endian::load_little_u32(at_of(buffer_, 0));
  if (big == section_block) {
    is_blocks_ = true;
    require(4);
    read_section(std::string{buffer_});
    return;
  }
  is_big_endian_ = big == microseconds_magic || big == nanoseconds_magic;
  const auto magic = is_big_endian_ ? big : little;
  if (magic != microseconds_magic && magic != nanoseconds_magic) {
    fail("neither pcap nor pcapng; write the file with `tcpdump -w FILE`");
  }
  only_.units = magic == nanoseconds_magic ? 1'000'000'000 : 1'000'000;
  require(file_header - 4);
  only_.link = number(buffer_, 16) & 0xffff;
}

std::optional<packet> capture_reader::next() { return is_blocks_ ? next_block() : next_record(); }

std::optional<packet> capture_reader::next_record() {
  if (!fill(record_header)) {
    return std::nullopt;
  }
  const auto seconds = number(buffer_, 0);
  const auto fraction = number(buffer_, 4);
  const auto size = number(buffer_, 8);
  if (size > most_of_a_packet) {
    fail(fmt::format("a packet of {} bytes", size));
  }
  require(size);
  return packet{time_of(std::uint64_t{seconds} * only_.units + fraction, only_.units), only_.link,
                std::string_view{buffer_}.substr(0, size)};
}

std::optional<packet> capture_reader::next_block() {
  while (fill(block_header)) {
    const auto type = number(buffer_, 0);
    if (type == section_block) {
      read_section(buffer_.substr(4));
      continue;
    }
    const auto size = number(buffer_, 4);
    if (size < block_frame || size % 4 != 0 || size > most_of_a_block) {
      fail(fmt::format("a block of {} bytes", size));
    }
    require(size - block_header);
    const auto body = std::string_view{buffer_}.substr(0, size - block_frame);
    std::optional<packet> found;
    if (type == interface_block) {
      read_interface(body);
    } else if (type == enhanced_packet_block) {
      found = read_enhanced_packet(body);
    } else if (type == simple_packet_block) {
      found = read_simple_packet(body);
    }
    if (found) {
      return found;
    }
  }
  return std::nullopt;
}

// `size` is the second number of the block, in the order that the third one tells.
void capture_reader::read_section(const std::string& size) {
  require(4);
  is_big_endian_ = boost::endian::load_big_u32(at_of(buffer_, 0)) == order_magic;
  if (!is_big_endian_ && boost::endian::load_little_u32(at_of(buffer_, 0)) != order_magic) {
    fail("a section without the order of its bytes");
  }
  const auto whole = number(size, 0);
  if (whole < block_frame + 4 || whole % 4 != 0 || whole > most_of_a_block) {
    fail(fmt::format("a section header of {} bytes", whole));
  }
  require(whole - block_frame);
  interfaces_.clear();
}

void capture_reader::read_interface(std::string_view body) {
  if (body.size() < 8) {
    fail("an interface without a link type");
  }
  interface made {
    .link = short_number(body, 0)
  };
  for (auto options = body.substr(8); options.size() >= 4;) {
    const auto code = short_number(options, 0);
    const std::size_t size = short_number(options, 2);
    if (code == end_of_options || size > options.size() - 4) {
      break;
    }
    if (code == resolution_option && size == 1) {
      // 10 to this power, or 2 if the highest bit is set.
      const auto power = static_cast<unsigned char>(options[4]);
      const bool is_binary = (power & 0x80U) != 0;
      made.units = 1;
      for (unsigned i = 0; i < std::min<unsigned>(power & 0x7fU, is_binary ? 63 : 19); ++i) {
        made.units *= is_binary ? 2 : 10;
      }
    }
    if (code == offset_option && size == 8) {
      const auto low = std::uint64_t{number(options, is_big_endian_ ? 8U : 4U)};
      const auto high = std::uint64_t{number(options, is_big_endian_ ? 4U : 8U)};
      // A time of more than a million years would not fit.
      constexpr std::int64_t most = 1LL << 40;
      made.offset = std::chrono::seconds{
          std::clamp(static_cast<std::int64_t>(high << 32 | low), -most, most)};
    }
    options.remove_prefix(std::min(options.size(), 4 + (size + 3) / 4 * 4));
  }
  interfaces_.push_back(made);
}

std::optional<packet> capture_reader::read_enhanced_packet(std::string_view body) {
  constexpr std::size_t header = 20;
  if (body.size() < header) {
    fail("a packet without its header");
  }
  const auto which = number(body, 0);
  const auto size = number(body, 12);
  if (which >= interfaces_.size() || size > body.size() - header) {
    fail("a packet of an unknown interface, or longer than its block");
  }
  const auto count = std::uint64_t{number(body, 4)} << 32 | number(body, 8);
  const auto& from = interfaces_[which];
  return packet{time_of(count, from.units) + from.offset, from.link, body.substr(header, size)};
}

std::optional<packet> capture_reader::read_simple_packet(std::string_view body) const {
  if (body.size() < 4 || interfaces_.empty()) {
    fail("a packet without an interface");
  }
  const auto size = std::min<std::size_t>(number(body, 0), body.size() - 4);
  return packet{{}, interfaces_.front().link, body.substr(4, size)};
}

bool capture_reader::fill(std::size_t size) {
  buffer_.resize(size);
  const auto got = size == 0 ? 0 : read_(buffer_);
  offset_ += got;
  if (got == size) {
    return true;
  }
  if (got != 0) {
    fail("the file ends inside a packet");
  }
  return false;
}

void capture_reader::require(std::size_t size) {
  if (!fill(size)) {
    fail("the file ends inside a packet");
  }
}

std::uint32_t capture_reader::number(std::string_view from, std::size_t at) const {
  return is_big_endian_ ? boost::endian::load_big_u32(at_of(from, at))
                        : boost::endian::load_little_u32(at_of(from, at));
}

std::uint16_t capture_reader::short_number(std::string_view from, std::size_t at) const {
  return is_big_endian_ ? boost::endian::load_big_u16(at_of(from, at))
                        : boost::endian::load_little_u16(at_of(from, at));
}

void capture_reader::fail(std::string_view what) const {
  throw capture_fault{fmt::format("at byte {}: {}", offset_, what)};
}

}  // namespace zinc::dump
