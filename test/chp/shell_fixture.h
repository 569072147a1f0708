#pragma once
// Servers of the map and clients that follow 12/CHP exactly, on real sockets in one context.

#include "chp/command.h"
#include "chp/server_core.h"
#include "chp/update_id.h"
#include "test/support/network_test.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

using content = std::map<std::string, std::string>;

// A client of one server.
struct raw_client {
  raw_client(const boost::asio::any_io_executor& executor, const server_endpoints& at,
             const zmtp::socket_options& options = {})
      : snapshot_client{executor, options},
        subscriber{executor, options},
        setter{executor, setter_options(options)} {
    subscriber.subscribe("");
    subscriber.subscribe("HUGZ");
    snapshot_client.connect(at.snapshots.to_string());
    subscriber.connect(at.publisher.to_string());
    setter.connect(at.collector.to_string());
  }

  // The options of the other sockets may not fit a PUB.
  static zmtp::socket_options setter_options(const zmtp::socket_options& others) {
    zmtp::socket_options options;
    options.security = others.security;
    return options;
  }

  zmtp::dealer_socket snapshot_client;
  zmtp::sub_socket subscriber;
  zmtp::pub_socket setter;
};

class shell_test : public zmtp::test::network_test {
protected:
  [[nodiscard]] static update_id new_id() {
    static std::uint64_t count = 0;
    return update_id::of_random(4711, ++count);
  }
  // Waits until updates of the client reach the server, and publications of the server reach the client.
  void join(raw_client& client) {
    run_until([&] { return client.setter.subscribers("") == 1; });
    zmtp::message m;
    run_until([&] { return client.subscriber.try_receive(m); });
  }
  static void set(raw_client& client, std::string_view key, std::string_view value,
                  const update_id& id = new_id(), std::string_view properties = {}) {
    EXPECT_EQ(client.setter.try_send(make_set(form::kvmsg, key, id, properties, value)),
              zmtp::send_status::queued);
  }
  // Returns the next message that is not a heartbeat.
  [[nodiscard]] std::vector<std::string> next(raw_client& client) {
    zmtp::message m;
    run_until([&] { return client.subscriber.try_receive(m) && m.front() != "HUGZ"; });
    return {m.begin(), m.end()};
  }
  [[nodiscard]] content snapshot(raw_client& client, std::string_view subtree = "") {
    EXPECT_EQ(client.snapshot_client.try_send(make_snapshot_request(subtree)),
              zmtp::send_status::queued);
    content all;
    zmtp::message m;
    for (;;) {
      run_until([&] { return client.snapshot_client.try_receive(m); });
      if (HasFailure() || m.front() == "KTHXBAI") {
        return all;
      }
      all.emplace(m.front(), m.back());
    }
  }
};

}  // namespace chp
