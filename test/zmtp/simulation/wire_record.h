#pragma once
// The bytes of ZMTP that sockets write and read on each connection, with the parcels and subscriptions.

#include "test/zmtp/simulation/publication_check.h"
#include "test/zmtp/simulation/stream_over.h"
#include "test/zmtp/simulation/wire_tap.h"
#include "zmtp/simulation/process.h"
#include "zmtp/simulation/simulated_network.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

// One direction of one connection.
struct wire {
  struct written {
    std::uint32_t sender;
    std::uint32_t sequence;
    std::size_t end;        // the byte
    bool received = false;  // by the user
    bool excused = false;   // the user may get it or not
  };
  struct subscription {
    bool begins;
    std::string topic;
    std::size_t end;  // the byte
  };

  simulated_network::stream_ptr connection;
  std::uint32_t writer = 0;  // numbers of participants
  std::uint32_t reader = 0;
  lane of_writer = 0;
  wire_tap tap;
  std::vector<written> messages;
  std::deque<subscription> unread;  // subscriptions
  std::size_t put = 0;              // bytes that were written
  std::size_t read = 0;             // bytes
  std::size_t next = 0;             // message that the user is to get
  bool given_up = false;            // the reader may drop what it has read

  // Returns the number of messages that the reader's program has read whole.
  [[nodiscard]] std::size_t came() const noexcept;
};

class wire_record {
public:
  // Gets what is written and read.
  struct listener {
    virtual ~listener() = default;
    virtual void on_written(wire& on, std::span<const std::string_view> message,
                            std::size_t end) = 0;
    // The program of the reader has read the whole command.
    virtual void on_subscription(const wire& on, bool begins, std::string_view topic) = 0;
    // The program has written something that is not ZMTP.
    virtual void on_garbled(const wire& on) = 0;
  };

  // Must outlive what happens in the network.
  wire_record(simulated_network& net, listener& to);
  wire_record(const wire_record&) = delete;
  wire_record& operator=(const wire_record&) = delete;

  // All programs of this process are one participant. A planted fault: `false_layer`, if it is not empty, makes a
  // stream over each stream of its sockets.
  void add(process& of, std::uint32_t number, false_layer layer);
  // The lane of the endpoint of `accepting` for a socket that connects to it.
  [[nodiscard]] static constexpr lane endpoint_of(std::uint32_t accepting) noexcept {
    return (lane{1} << 40U) + accepting;
  }
  // The direction that a participant writes, or reads. Null if there is no such connection.
  [[nodiscard]] wire* written_by(std::uint32_t number, std::uint64_t stream);
  [[nodiscard]] wire* read_by(std::uint32_t number, std::uint64_t stream);
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [stream, both] : wires_) {
      visit(both[0]);
      visit(both[1]);
    }
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // A planted fault: changes what was written before it is recorded.
  void spoil(std::function<void(std::string&)> edit) { edit_ = std::move(edit); }

private:
  using both_ways = std::array<wire, 2>;
  class observed_stream;

  void on_written(wire& on, std::string bytes);
  void on_read(wire& on, std::size_t count);
  void open(virtual_connection& connection);

  listener& to_;
  std::function<void(std::string&)> edit_;
  std::map<const simulated_host*, std::uint32_t> numbers_;
  std::map<std::uint64_t, both_ways> wires_;
  std::size_t bytes_ = 0;
};

}  // namespace zmtp::simulation
