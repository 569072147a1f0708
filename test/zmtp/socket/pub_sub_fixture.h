#pragma once
// Base of tests with PUB or XPUB and SUB or XSUB: subscriptions take time to arrive, and their
// arrival is not reported to the subscriber.

#include "test/support/meeting.h"
#include "test/support/network_test.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {

using parts = std::vector<std::string>;

class pub_sub_test : public network_test {
public:
  [[nodiscard]] static parts to_parts(const message& from) {
    parts to;
    for (const auto part : from) {
      to.emplace_back(part);
    }
    return to;
  }
  using network_test::receive;
  template <class Subscriber>
  [[nodiscard]] message receive(Subscriber& from) {
    message m;
    run_until([&] { return from.try_receive(m); });
    return m;
  }
  template <class Subscriber>
  [[nodiscard]] std::vector<parts> receive(Subscriber& from, std::size_t count) {
    std::vector<parts> received;
    while (received.size() < count && !HasFailure()) {
      received.push_back(to_parts(receive(from)));
    }
    return received;
  }
  template <class Publisher>
  static void send(Publisher& from, message m) {
    EXPECT_EQ(from.try_send(std::move(m)), send_status::queued);
  }

  // Waits until the publisher knows all that this subscriber has asked for up to now: subscriptions
  // come in order, so one more is asked for, and tried until it works. Neither may have messages
  // under way.
  template <class Publisher, class Subscriber>
  void agree(Publisher& publisher, Subscriber& subscriber) {
    const auto topic = "agree " + std::to_string(++agreements_);
    subscriber.subscribe(topic);
    const auto sent = [&] { return publisher.counters().messages_sent; };
    const auto before = sent();
    run_until([&] {
      send(publisher, {topic});
      return sent() != before;
    });
    EXPECT_EQ(to_parts(receive(subscriber)), parts{topic});
    subscriber.unsubscribe(topic);
  }

  static void join(socket& binding, socket& connecting, medium over = medium::tcp) {
    connecting.connect(binding.bind(free_endpoint(over)).to_string());
  }

private:
  int agreements_ = 0;
};

}  // namespace zmtp::test
