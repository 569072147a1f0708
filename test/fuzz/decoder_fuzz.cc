#include "test/fuzz/oracle.h"
#include "test/support/wire.h"
#include "zmtp/decoder.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace zmtp::fuzz {
namespace {

bool judges_frames(error_code fault) {
  return fault == errc::bad_frame_flags || fault == errc::bad_frame_size ||
         fault == errc::frame_too_large || fault == errc::message_too_large ||
         fault == errc::too_many_parts || fault == errc::command_too_large ||
         fault == errc::too_many_commands;
}

// The content of an input, item after item, and the fault. All memory here stays allocated from
// input to input: an allocation costs more than the decoder.
struct finding {
  void clear() noexcept {
    bytes.clear();
    ends.clear();
    fault.clear();
  }
  void add(std::string_view run) {
    bytes += run;
    ends.push_back(bytes.size());
  }

  std::string bytes;
  std::vector<std::size_t> ends;
  error_code fault;
};

// Requires that another run finds the same, without storing its findings.
class same_again {
public:
  explicit same_again(const finding& whole) noexcept : whole_{&whole} {}

  void add(std::string_view run) {
    require(next_ < whole_->ends.size(), "no more is found");
    const auto end = whole_->ends[next_++];
    require(run.size() == end - begin_ &&
                std::memcmp(run.data(), whole_->bytes.data() + begin_, run.size()) == 0,
            "the same is found");
    begin_ = end;
  }
  void end(error_code fault) const {
    require(next_ == whole_->ends.size(), "no less is found");
    require(fault == whole_->fault, "the same fault is found");
  }

private:
  const finding* whole_;
  std::size_t next_ = 0;
  std::size_t begin_ = 0;
};

// The bytes of a peer as they arrive, in memory where ASan detects each access beyond the received
// bytes.
class incoming_bytes {
public:
  // All of them are to come again.
  void start(std::string_view bytes) {
    if (memory_.size() < bytes.size()) {
      ASAN_UNPOISON_MEMORY_REGION(memory_.data(), memory_.size());
      memory_.resize(bytes.size());
    }
    ASAN_POISON_MEMORY_REGION(memory_.data(), memory_.size());
    to_come_ = bytes;
    begin_ = end_ = 0;
    aside_.clear();
  }
  // False if there are none any more.
  [[nodiscard]] bool come(std::size_t count) {
    const auto next = std::min(count, to_come_.size());
    ASAN_UNPOISON_MEMORY_REGION(memory_.data(), end_ + next);
    std::memcpy(memory_.data() + end_, to_come_.data(), next);
    to_come_.remove_prefix(next);
    end_ += next;
    return next != 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::span<std::byte> look() noexcept { return {memory_.data() + begin_, size()}; }
  [[nodiscard]] std::string_view text(std::size_t at, std::size_t count) const noexcept {
    return {reinterpret_cast<const char*>(memory_.data()) + begin_ + at, count};
  }
  // The decoder has no business with taken bytes any more.
  void take(std::size_t count) noexcept {
    ASAN_POISON_MEMORY_REGION(memory_.data() + begin_, count);
    begin_ += count;
  }
  // Keeps the first `count` bytes for message(): parts of a message that a command interrupts.
  void set_aside(std::size_t count) {
    aside_ += text(0, count);
    take(count);
  }
  // A message that ends with the next bytes, and its bytes that were set aside.
  [[nodiscard]] std::string_view message(std::size_t count) {
    return aside_.empty() ? text(0, count) : aside_ += text(0, count);
  }
  void take_message(std::size_t count) noexcept {
    aside_.clear();
    take(count);
  }

private:
  std::vector<std::byte> memory_;
  std::string_view to_come_;
  std::string aside_;
  std::size_t begin_ = 0;  // first byte not taken yet
  std::size_t end_ = 0;
};

// Counts whole frames of one kind, all messages' or all commands'. Each frame except the last has
// another frame after it.
std::size_t frames_in(std::string_view run, unsigned kind) {
  std::size_t count = 0;
  for (bool follows = true; follows; ++count) {
    require(!run.empty(), "the last frame has none behind it");
    const auto flags = static_cast<unsigned char>(run.front());
    const std::size_t header = (flags & test::long_size) != 0 ? 9 : 2;
    require((flags & test::command) == kind && run.size() >= header, "a frame has its header");
    std::size_t size = 0;
    for (std::size_t i = 1; i < header; ++i) {
      size = size << 8 | static_cast<unsigned char>(run[i]);
    }
    require(run.size() - header >= size, "a frame is whole");
    run.remove_prefix(header + size);
    follows = (flags & test::more) != 0;
  }
  require(run.empty(), "nothing is behind the last frame");
  return count;
}

// Gives `into` each message of a run.
template <class Into>
void divide(std::string_view run, std::size_t messages, std::size_t parts_of_last, Into&& into) {
  for (; messages != 1; --messages) {
    const auto reach = frame::message_at(reinterpret_cast<const std::byte*>(run.data()));
    require(reach.bytes < run.size(), "the last message of a run is not empty");
    into(run.substr(0, reach.bytes), reach.parts);
    run.remove_prefix(reach.bytes);
  }
  into(run, parts_of_last);
}

// Gives `into` each message and each command that is found, and returns the fault. `most` is the
// limit of a run of messages.
template <class Piece, class Most, class Into>
error_code find(incoming_bytes& bytes, const limits& limit, Piece&& piece, Most&& most,
                Into&& into) {
  decoder d{limit};
  d.handshake_done();
  std::size_t interruptions = 0;
  for (;;) {
    const frame::cut room = most();
    switch (d.look(bytes.look(), room)) {
      case decoder::found::more:
        require(d.needed() > bytes.size(), "where more is needed it has not come");
        if (!bytes.come(piece())) {
          return {};
        }
        break;
      case decoder::found::message:
        require(d.size() <= bytes.size(), "sizes are kept");
        require(d.messages() != 0 && d.messages() <= room.messages, "a run is limited");
        divide(bytes.message(d.size()), d.messages(), d.parts(),
               [&](std::string_view whole, std::size_t parts) {
                 require(parts <= limit.message_parts, "parts are limited");
                 require(whole.size() <= limit.message_size, "messages are limited");
                 into(whole, parts);
               });
        bytes.take_message(d.size());
        d.messages_taken();
        interruptions = 0;
        break;
      case decoder::found::command:
        require(d.size() + d.command_size() <= bytes.size(), "sizes are kept");
        interruptions += d.parts() != 0 ? 1U : 0U;
        require(interruptions <= limit.message_commands, "interruptions are limited");
        into(bytes.text(d.size(), d.command_size()), 0);
        bytes.set_aside(d.size());
        bytes.take(d.command_size());
        d.command_taken();
        break;
      case decoder::found::fault:
        require(judges_frames(d.fault()), "a fault is one of the frames'");
        return d.fault();
    }
  }
}

// The first byte selects the limits, the second the sizes of the pieces.
void try_decoder(std::string_view input) {
  if (input.size() < 2) {
    return;
  }
  limits limit;
  if ((input[0] & 1) != 0) {
    limit = {.command_size = 100,
             .frame_size = 300,
             .message_size = 1000,
             .message_parts = 5,
             .message_commands = 3};
  }
  const auto bytes = input.substr(2);
  static finding whole;
  static incoming_bytes incoming;
  whole.clear();
  incoming.start(bytes);
  const auto one = [] { return frame::cut{.bytes = 1, .messages = 1}; };
  whole.fault = find(
      incoming, limit, [] { return static_cast<std::size_t>(-1); }, one,
      [](std::string_view run, std::size_t parts) {
        if (parts != 0) {
          require(frames_in(run, 0) == parts, "its parts are counted");
        } else {
          require(frames_in(run, test::command) == 1, "a command is one frame");
        }
        whole.add(run);
      });
  // A single comparison is enough: the second pass must find the same.
  const auto again = [&](auto piece, auto most) {
    same_again same{whole};
    incoming.start(bytes);
    same.end(find(incoming, limit, piece, most,
                  [&same](std::string_view run, std::size_t) { same.add(run); }));
  };
  std::minstd_rand random{static_cast<unsigned char>(input[1])};
  again([&random] { return 1 + random() % 50; }, one);
  again(
      [&random] { return 1 + random() % 200; },
      [&random] { return frame::cut{.bytes = 1 + random() % 500, .messages = 1 + random() % 20}; });
  if (bytes.size() <= 128) {
    again([] { return std::size_t{1}; }, one);
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_decoder(zmtp::fuzz::text_of(data, size));
  return 0;
}
