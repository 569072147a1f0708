#pragma once
// Decodes the bytes that one side of a connection sends into records. Never keeps more than the start
// of a part. Pure.

#include "tools/zinc/dump/command_words.h"
#include "tools/zinc/dump/recognizer.h"
#include "tools/zinc/dump/record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zinc::dump {

class stream_decoder {
public:
  // Keeps references to the recognizer of the connection and to the sink.
  stream_decoder(side from, const decoder_options& options, recognizer& both,
                 const record_sink& sink)
      : from_{from}, options_{options}, recognizer_{both}, sink_{sink} {}

  // Bytes may come in pieces of any size. The records are the same.
  void feed(std::string_view bytes);
  // `bytes` are missing. The decoder ignores all bytes after them.
  void lose(std::uint64_t bytes);
  // The side has ended the stream.
  void finish();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
  enum class stage : std::uint8_t {
    greeting,
    handshake,
    traffic,
    encrypted,  // CURVE, after the handshake
    opaque,     // a mechanism that Zinc does not know
    over,       // after a fault
  };

  void take_greeting(std::string_view& bytes);
  void take_header(std::string_view& bytes);
  void take_body(std::string_view& bytes);
  void on_header();
  void on_frame();
  void on_command();
  void on_encrypted();
  void on_part();
  void on_message();
  void fail(std::uint64_t offset, std::string text);
  [[nodiscard]] std::size_t kept_size() const noexcept;
  [[nodiscard]] record make(record_kind kind, std::uint64_t offset) const;

  // The parts of a message, and the bytes of each, that are kept.
  static constexpr std::size_t kept_parts = 64;
  static constexpr std::size_t kept_for_recognizer = 512;
  static constexpr std::size_t kept_of_command = 64 * 1024;

  side from_;
  decoder_options options_;
  recognizer& recognizer_;
  const record_sink& sink_;
  stage stage_ = stage::greeting;
  mechanism_kind mechanism_ = mechanism_kind::null;
  std::uint64_t bytes_ = 0;  // that were fed

  std::string kept_;  // the greeting, or the start of the body
  // The frame in progress:
  std::array<std::byte, 9> header_{};
  std::size_t header_size_ = 0;
  bool in_body_ = false;
  std::uint64_t frame_at_ = 0;
  std::uint64_t body_size_ = 0;
  std::uint64_t missing_ = 0;  // bytes of the body
  // The message in progress:
  std::uint64_t message_at_ = 0;
  std::uint64_t part_count_ = 0;
  std::vector<part> parts_;
};

}  // namespace zinc::dump
