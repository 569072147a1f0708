#include "bench/limits/record_stream.h"

#include <cstring>

namespace bench::limits {
namespace {

constexpr std::size_t input_size = 64 * 1024;

}  // namespace

record_stream::record_stream(descriptor socket, poller& watcher, std::uint64_t tag)
    : socket_{std::move(socket)}, watcher_{&watcher}, tag_{tag}, input_(input_size) {
  set_no_delay(socket_);
  set_nonblocking(socket_);
  watcher_->add(socket_, tag_);
}

bool record_stream::read() {
  const std::size_t kept = filled_ - consumed_;
  std::memmove(input_.data(), input_.data() + consumed_, kept);
  consumed_ = 0;
  filled_ = kept;
  const auto length = read_some(socket_, std::span{input_}.subspan(kept));
  filled_ += length.value_or(0);
  return length != std::size_t{0};
}

void record_stream::flush() {
  if (!waits_for_room_) {
    write_output();
  }
}

void record_stream::on_writable() { write_output(); }

void record_stream::write_output() {
  written_ += write_some(socket_, std::span{output_}.subspan(written_));
  const bool complete = written_ == output_.size();
  if (complete) {
    output_.clear();
    written_ = 0;
  }
  if (waits_for_room_ == complete) {
    waits_for_room_ = !complete;
    watcher_->change(socket_, tag_, complete ? interest::read : interest::read_and_write);
  }
}

}  // namespace bench::limits
