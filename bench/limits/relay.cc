// The least work of a broker: queues the requests of clients, gives each to a worker that has room for it
// and returns the reply. Uses records of 64 bytes without a protocol. Runs until SIGTERM.
#include "bench/limits/record_stream.h"
#include "bench/support/arguments.h"
#include "bench/support/stop_request.h"

#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <vector>

namespace bench::limits {
namespace {

enum class role {
  unknown,  // the first byte is missing
  client,
  worker,
};

struct connection {
  record_stream stream;
  std::uint64_t number{};
  limits::role role{role::unknown};
  unsigned room{};  // how many more requests a worker takes
  bool open{true};
  bool to_flush{};
};

constexpr std::uint64_t listener_tag = ~std::uint64_t{};

class relay {
public:
  explicit relay(const tcp_endpoint& endpoint) : listener_{listen_at(endpoint)} {
    poller_.add(listener_, listener_tag);
  }

  void turn() {
    for (const auto& event : poller_.wait(stop_check_milliseconds)) {
      if (event.data.u64 == listener_tag) {
        accept();
        continue;
      }
      connection& ready = *connections_[event.data.u64];
      if ((event.events & EPOLLOUT) != 0) {
        ready.stream.on_writable();
      }
      if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
        read(ready);
      }
    }
    dispatch();
    flush();
  }

private:
  void accept() {
    const std::uint64_t number = connections_.size();
    connections_.push_back(std::make_unique<connection>(
        connection{record_stream{accept_one(listener_), poller_, number}, number}));
  }

  void read(connection& from) {
    if (!from.stream.read()) {
      close(from);
      return;
    }
    if (from.role == role::unknown && !learn_role(from)) {
      return;
    }
    if (from.role == role::client) {
      take_requests(from);
    } else {
      return_replies(from);
    }
  }

  // The requests of a worker that closes are lost. A real broker would redeliver them.
  void close(connection& which) {
    which.open = false;
    workers_.remove(&which);
    which.stream.close();
  }

  bool learn_role(connection& of) {
    const auto bytes = of.stream.unread();
    if (bytes.empty()) {
      return false;
    }
    if (bytes[0] == client_mark) {
      of.role = role::client;
      of.stream.consume(1);
      return true;
    }
    if (bytes[0] != worker_mark) {
      fail("a connection is neither client nor worker: start relay_load at this endpoint");
    }
    if (bytes.size() < 2) {
      return false;
    }
    of.role = role::worker;
    of.room = std::to_integer<unsigned>(bytes[1]);
    of.stream.consume(2);
    workers_.push_back(&of);
    return true;
  }

  void take_requests(connection& from) {
    auto bytes = from.stream.unread();
    for (; bytes.size() >= record_size; bytes = bytes.subspan(record_size)) {
      record& queued = requests_.emplace_back();
      std::memcpy(queued.data(), bytes.data(), record_size);
      // The worker returns it as it came.
      std::memcpy(queued.data(), &from.number, sizeof from.number);
      from.stream.consume(record_size);
    }
  }

  void return_replies(connection& from) {
    auto bytes = from.stream.unread();
    const std::size_t count = bytes.size() / record_size;
    for (std::size_t index = 0; index < count; ++index) {
      const auto reply = bytes.subspan(index * record_size, record_size);
      std::uint64_t number = 0;
      std::memcpy(&number, reply.data(), sizeof number);
      if (number >= connections_.size()) {
        fail("a worker returned a record that it was not given");
      }
      append(*connections_[number], reply);
    }
    from.stream.consume(count * record_size);
    if (from.room == 0 && count > 0) {
      workers_.push_back(&from);
    }
    from.room += static_cast<unsigned>(count);
  }

  void dispatch() {
    while (!requests_.empty() && !workers_.empty()) {
      connection& worker = *workers_.front();
      append(worker, requests_.front());
      requests_.pop_front();
      if (--worker.room == 0) {
        workers_.pop_front();
      }
    }
  }

  void append(connection& to, std::span<const std::byte> bytes) {
    if (!to.open) {
      return;
    }
    to.stream.append(bytes);
    if (!to.to_flush) {
      to.to_flush = true;
      to_flush_.push_back(&to);
    }
  }

  // One write for each connection and turn.
  void flush() {
    for (connection* const each : to_flush_) {
      each->to_flush = false;
      if (each->open) {
        each->stream.flush();
      }
    }
    to_flush_.clear();
  }

  poller poller_{};
  descriptor listener_;
  std::vector<std::unique_ptr<connection>> connections_{};
  std::deque<record> requests_{};
  std::list<connection*> workers_{};  // those with room, the longest waiting first
  std::vector<connection*> to_flush_{};
};

}  // namespace
}  // namespace bench::limits

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT"};
  bench::accept_stop_requests();
  bench::limits::relay relay{bench::parse_endpoint(arguments.text(0))};
  while (!bench::stop_requested()) {
    relay.turn();
  }
}
