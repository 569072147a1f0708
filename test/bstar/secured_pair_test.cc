#include "bstar/client.h"
#include "test/bstar/node_fixture.h"
#include "test/support/guest_list.h"

#include <optional>

namespace bstar {
namespace {

// A pair whose nodes have one certificate, as a client of the pair needs.
class secured_pairs : public node_test {
protected:
  node_options secured(role as, const zmtp::socket_options& to_peer) {
    return {.pair = quick(as),
            .epoch_file = epoch_path(as),
            .socket = keys_.server(),
            .peer_socket = to_peer};
  }
  static void echo(zmtp::routed_message request, zmtp::router_socket& on) {
    static_cast<void>(on.try_send(request.peer, std::move(request.content)));
  }

  zmtp::test::guest_list keys_;
};

TEST_F(secured_pairs, meet_and_serve_the_clients_that_they_admit) {
  start(primary_, secured(role::primary, keys_.alice()));
  start(backup_, secured(role::backup, keys_.alice()));
  const auto voter = primary_.it->bind_voter("tcp://127.0.0.1:*", echo).to_string();
  connect(primary_, backup_);
  await(primary_, state::active);
  await(backup_, state::passive);

  client refused{executor(), {voter}, {.socket = keys_.mallory()}};
  refused.async_request(zmtp::message{"question"}, {},
                        [](boost::system::error_code, const zmtp::message&) { ADD_FAILURE(); });
  run_until([&] { return keys_.refused() != 0; });
  client admitted{executor(), {voter}, {.socket = keys_.alice()}};
  std::optional<boost::system::error_code> end;
  admitted.async_request(zmtp::message{"question"}, {},
                         [&](boost::system::error_code ec, const zmtp::message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, boost::system::error_code{});
}

// Another server could make a node active or passive.
TEST_F(secured_pairs, do_not_hear_a_peer_with_another_key) {
  start(primary_, secured(role::primary, keys_.alice()));
  start(backup_, secured(role::backup, keys_.misled()));
  connect(primary_, backup_);
  // In this time, the backup would hear as many messages.
  run_until([&] { return primary_.it->status().states_received >= 5; });
  EXPECT_EQ(backup_.it->status().states_received, 0U);
}

}  // namespace
}  // namespace bstar
