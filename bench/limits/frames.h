#pragma once
// ZMTP's message frames and nothing else of it: as many of one size as fit into a buffer, and how
// many a buffer holds.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench::limits {

// Bytes of one write and of one read of the bare limits.
inline constexpr std::size_t write_size = 1024 * 1024;
inline constexpr std::size_t read_size = 1024 * 1024;

// Returns the size with the header, which is longer for bodies above 255 bytes.
std::size_t frame_size(std::size_t body_size);

class frame_encoder {
public:
  explicit frame_encoder(std::size_t body_size);

  // Encodes into the buffer what fits of `count` frames, which begin where the call before ended:
  // a frame that does not fit whole is continued by the next call. Returns the bytes.
  std::span<const std::byte> encode(std::uint64_t count);
  // How many frames the calls so far completed.
  std::uint64_t completed() const { return completed_; }

private:
  std::size_t encode_whole(std::size_t at, std::uint64_t count);

  std::size_t body_size_;
  // Bytes of a frame that are written. A long body is whatever the memory holds, as in the programs that are compared.
  std::size_t written_;
  std::vector<std::byte> frame_;  // header and body, as an application's own memory
  std::size_t within_frame_ = 0;  // bytes of the frame that the calls before encoded
  std::uint64_t completed_ = 0;
  std::vector<std::byte> buffer_;
};

class frame_decoder {
public:
  explicit frame_decoder(std::size_t body_size);

  // Where to read to. Then received() counts the frames that are complete now.
  std::span<std::byte> room() { return std::span{buffer_}.subspan(kept_); }
  // Ends the program when a frame has another size.
  std::uint64_t received(std::size_t bytes);

private:
  std::size_t body_size_;
  std::size_t missing_ = 0;  // bytes of the current body that have not arrived
  std::size_t kept_ = 0;     // bytes at the front: a header that is not complete
  std::vector<std::byte> buffer_;
};

}  // namespace bench::limits
