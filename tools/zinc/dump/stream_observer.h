#pragma once
// Sees what both sides of one connection send.

#include "tools/zinc/dump/record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace zinc::dump {

// Destroyed when the connection has ended.
class stream_observer {
public:
  virtual ~stream_observer() = default;
  virtual void on_opened(const std::string& from, const std::string& to) = 0;
  virtual void on_bytes(side from, std::string_view bytes) = 0;
  // The next `bytes` bytes of this side are not known. Nothing of this side follows.
  virtual void on_missing(side from, std::uint64_t bytes) = 0;
  virtual void on_end(side from) = 0;
  // `why` is empty if both sides have ended their streams, and all bytes were known.
  virtual void on_closed(const std::string& why) = 0;
};

using make_observer = std::function<std::unique_ptr<stream_observer>()>;

}  // namespace zinc::dump
