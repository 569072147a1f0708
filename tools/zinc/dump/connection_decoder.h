#pragma once
// Decodes both directions of one connection. Pure.

#include "tools/zinc/dump/recognizer.h"
#include "tools/zinc/dump/record.h"
#include "tools/zinc/dump/stream_decoder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace zinc::dump {

class connection_decoder {
public:
  connection_decoder(const decoder_options& options, record_sink sink)
      : sink_{std::move(sink)},
        streams_{stream_decoder{side::connecting, options, recognizer_, sink_},
                 stream_decoder{side::accepting, options, recognizer_, sink_}} {}
  connection_decoder(const connection_decoder&) = delete;
  connection_decoder& operator=(const connection_decoder&) = delete;

  void open(std::string from, std::string to) {
    record made;
    made.fields = {{"from", std::move(from)}, {"to", std::move(to)}};
    sink_(std::move(made));
  }
  void feed(side from, std::string_view bytes) { of(from).feed(bytes); }
  void lose(side from, std::uint64_t bytes) { of(from).lose(bytes); }
  void finish(side from) { of(from).finish(); }
  // `reason` is empty if both sides have ended their streams.
  void close(std::string reason) {
    finish(side::connecting);
    finish(side::accepting);
    record made;
    made.kind = record_kind::closed;
    made.name = std::move(reason);
    made.fields = {{"sent", of(side::connecting).bytes()},
                   {"received", of(side::accepting).bytes()}};
    sink_(std::move(made));
  }

private:
  [[nodiscard]] stream_decoder& of(side which) { return streams_[static_cast<std::size_t>(which)]; }

  record_sink sink_;
  recognizer recognizer_;
  std::array<stream_decoder, 2> streams_;
};

}  // namespace zinc::dump
