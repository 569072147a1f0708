#pragma once
// Reads the packets of a capture file: pcap and pcapng, as tcpdump and Wireshark write them. Pure: the
// bytes come from a function. Zinc reads these two forms itself, because libpcap would be one more
// library with a parser of its own, and could not be fuzzed here.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::dump {

// Names the fault and its place in the file.
class capture_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct packet {
  std::chrono::microseconds time{0};  // since 1970
  std::uint32_t link = 0;             // LINKTYPE_ of its first header
  std::string_view bytes{};           // valid until the next packet is read
};

class capture_reader {
public:
  // Fills its argument and returns the number of bytes, which is lower only at the end of the file.
  using read_function = std::function<std::size_t(std::span<char>)>;

  // Reads the header of the file. Throws capture_fault.
  explicit capture_reader(read_function read);

  // Returns nothing at the end of the file. Throws capture_fault.
  [[nodiscard]] std::optional<packet> next();

private:
  struct interface {
    std::uint32_t link = 0;
    std::uint64_t units = 1'000'000;  // ticks of the clock in each second
    std::chrono::seconds offset{0};   // to be added to each time
  };

  [[nodiscard]] std::optional<packet> next_record();
  [[nodiscard]] std::optional<packet> next_block();
  void read_section(const std::string& size);
  void read_interface(std::string_view body);
  [[nodiscard]] std::optional<packet> read_enhanced_packet(std::string_view body);
  [[nodiscard]] std::optional<packet> read_simple_packet(std::string_view body) const;

  // Returns false at the end of the file.
  [[nodiscard]] bool fill(std::size_t size);
  void require(std::size_t size);
  [[nodiscard]] std::uint32_t number(std::string_view from, std::size_t at) const;
  [[nodiscard]] std::uint16_t short_number(std::string_view from, std::size_t at) const;
  [[noreturn]] void fail(std::string_view what) const;

  read_function read_;
  std::string buffer_;        // the bytes of the last fill()
  std::uint64_t offset_ = 0;  // in the file, behind these bytes
  bool is_blocks_ = false;    // pcapng
  bool is_big_endian_ = false;
  interface only_;  // the interface of a pcap file
  std::vector<interface> interfaces_;
};

}  // namespace zinc::dump
