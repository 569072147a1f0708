// Stands in for the Guide's fifth clone server (12/CHP without a backup): a ROUTER at ENDPOINT, a PUB at the
// next port, and the collector at the port after that. The collector is a SUB as in 12/CHP. Runs until SIGTERM.
#include "bench/libzmq/socket.h"
#include "bench/support/endpoint.h"
#include "bench/support/stop_request.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <string>
#include <unordered_map>

namespace bench::libzmq {
namespace {

constexpr std::size_t frames = 5;  // key, sequence, UUID, properties, value
constexpr int turn_messages = 1'000;

struct entry {
  std::uint64_t sequence = 0;
  std::string uuid;
  std::string properties;
  std::string value;
};

class clone_server {
public:
  clone_server(context& context, const tcp_endpoint& at)
      : snapshot_{context, ZMQ_ROUTER}, publisher_{context, ZMQ_PUB}, collector_{context, ZMQ_SUB} {
    publisher_.set(ZMQ_XPUB_NODROP, 1);
    publisher_.set(ZMQ_SNDHWM, 0);
    collector_.subscribe("");
    snapshot_.bind(at.text());
    publisher_.bind(at.further(1).text());
    collector_.bind(at.further(2).text());
  }

  void serve() {
    while (!stop_requested()) {
      std::array items{zmq_pollitem_t{snapshot_.handle(), 0, ZMQ_POLLIN, 0},
                       zmq_pollitem_t{collector_.handle(), 0, ZMQ_POLLIN, 0}};
      zmq_poll(items.data(), static_cast<int>(items.size()), stop_check_milliseconds);
      // Several a poll, which the Guide's loop does not do: it is to the benefit of this side.
      for (int i = 0; i < turn_messages && take_update(); ++i) {
      }
      if ((items[0].revents & ZMQ_POLLIN) != 0) {
        answer_snapshot();
      }
    }
  }

private:
  bool take_update() {
    if (!collector_.try_receive(parts_[0])) {
      return false;
    }
    std::size_t count = 1;
    while (parts_[count - 1].more()) {
      if (count == frames) {
        fail("an update has too many parts: 12/CHP has five");
      }
      collector_.receive(parts_[count++]);
    }
    if (count == frames) {
      publish();
    }
    return true;
  }

  void publish() {
    ++sequence_;
    std::string key{parts_[0].text()};
    if (parts_[4].text().empty()) {
      map_.erase(key);
    } else {
      auto& kept = map_[std::move(key)];
      kept.sequence = sequence_;
      kept.uuid = parts_[2].text();
      kept.properties = parts_[3].text();
      kept.value = parts_[4].text();
    }
    publisher_.send(parts_[0], more_parts::yes);
    publisher_.send_copy(network_order(sequence_), more_parts::yes);
    publisher_.send(parts_[2], more_parts::yes);
    publisher_.send(parts_[3], more_parts::yes);
    publisher_.send(parts_[4]);
  }

  void answer_snapshot() {
    message client;
    if (!snapshot_.try_receive(client)) {
      return;
    }
    message request;
    snapshot_.receive(request);
    message subtree;
    if (request.more()) {
      snapshot_.receive(subtree);
    }
    const std::string wanted{subtree.text()};
    for (const auto& [key, kept] : map_) {
      if (key.starts_with(wanted)) {
        send_entry(client, key, kept.sequence, kept.uuid, kept.properties, kept.value);
      }
    }
    send_entry(client, "KTHXBAI", sequence_, "", "", wanted);
  }

  void send_entry(message& client, std::string_view key, std::uint64_t sequence,
                  std::string_view uuid, std::string_view properties, std::string_view value) {
    snapshot_.send_copy(client.text(), more_parts::yes);
    snapshot_.send_copy(key, more_parts::yes);
    snapshot_.send_copy(network_order(sequence), more_parts::yes);
    snapshot_.send_copy(uuid, more_parts::yes);
    snapshot_.send_copy(properties, more_parts::yes);
    snapshot_.send_copy(value);
  }

  std::string_view network_order(std::uint64_t sequence) {
    boost::endian::store_big_u64(bytes_.data(), sequence);
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  socket snapshot_;
  socket publisher_;
  socket collector_;
  std::array<message, frames> parts_;
  std::array<unsigned char, 8> bytes_{};
  std::uint64_t sequence_ = 0;
  std::unordered_map<std::string, entry> map_;
};

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT"};
  bench::accept_stop_requests();
  bench::libzmq::context context;
  bench::libzmq::clone_server{context, bench::parse_endpoint(arguments.text(0))}.serve();
}
