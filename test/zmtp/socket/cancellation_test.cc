// An operation is cancelled alone, and leaves nothing behind: a receive took no message, a send queued
// none.

#include "test/support/network_test.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::cancellation_type;
using namespace std::chrono_literals;

struct cancellation_kind {
  cancellation_type type;
  const char* name;
};

std::ostream& operator<<(std::ostream& to, const cancellation_kind& k) { return to << k.name; }

class cancellation : public network_test, public testing::WithParamInterface<cancellation_kind> {
protected:
  void SetUp() override { peer_ = join(dealer_, router_); }

  // Notes how the operation ended.
  auto cancellable(error_code& end) {
    return asio::bind_cancellation_slot(signal_.slot(), [&, this](error_code ec, const auto&...) {
      EXPECT_FALSE(emitting_) << "called within emit()";
      end = ec;
      over_ = true;
    });
  }
  void emit() {
    emitting_ = true;
    signal_.emit(GetParam().type);
    emitting_ = false;
  }
  void run_to_its_end() {
    run_until([&] { return over_; });
    over_ = false;
  }

  static socket_options for_router() {
    auto options = announcing();
    options.mandatory = true;
    options.send_mark.messages = 1;
    return options;
  }

  dealer_socket dealer_{executor(), with_send_mark(1)};
  router_socket router_{executor(), for_router()};
  peer_id peer_;
  asio::cancellation_signal signal_;

private:
  bool emitting_ = false;
  bool over_ = false;
};

INSTANTIATE_TEST_SUITE_P(of_type, cancellation,
                         testing::Values(cancellation_kind{cancellation_type::total, "total"},
                                         cancellation_kind{cancellation_type::partial, "partial"},
                                         cancellation_kind{cancellation_type::terminal, "terminal"},
                                         cancellation_kind{cancellation_type::all, "all"}),
                         testing::PrintToStringParamName());

TEST_P(cancellation, a_cancelled_receive_takes_no_message) {
  error_code end;
  dealer_.async_receive(cancellable(end));
  emit();
  // A message that arrives in the same turn does not go to the cancelled operation.
  EXPECT_EQ(router_.try_send(peer_, message{"stays"}), send_status::queued);
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(receive(dealer_), message{"stays"});
}

TEST_P(cancellation, a_cancelled_batch_receive_takes_no_message) {
  error_code end;
  message_batch batch;
  router_.async_receive(batch, cancellable(end));
  emit();
  EXPECT_EQ(dealer_.try_send(message{"stays"}), send_status::queued);
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(receive(router_).content, message{"stays"});
}

TEST_P(cancellation, affects_only_one_of_several_operations) {
  std::vector<std::string> got;
  error_code end;
  const auto note = [&](error_code, const message& m) { got.emplace_back(m[0]); };
  dealer_.async_receive(note);
  dealer_.async_receive(cancellable(end));
  dealer_.async_receive(note);
  emit();
  run_to_its_end();
  EXPECT_TRUE(got.empty());
  for (const auto* text : {"one", "two"}) {
    EXPECT_EQ(router_.try_send(peer_, message{text}), send_status::queued);
    run_ready();
  }
  run_until([&] { return got.size() == 2; });
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two"}));
}

TEST_P(cancellation, a_cancelled_send_queues_no_message) {
  dealer_socket lonely{executor()};
  error_code end;
  lonely.async_send(message{"not queued"}, cancellable(end));
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  router_socket other{executor()};
  lonely.connect(other.bind("tcp://127.0.0.1:*").to_string());
  EXPECT_EQ(lonely.try_send(message{"queued"}), send_status::queued);
  EXPECT_EQ(receive(other).content, message{"queued"});
  EXPECT_EQ(lonely.counters().messages_sent, 1U);
}

TEST_P(cancellation, a_cancelled_batch_keeps_the_messages_not_queued) {
  dealer_socket dealer{executor(), with_send_mark(2)};
  dealer.connect("tcp://127.0.0.1:1");
  error_code end;
  auto batch = batch_of({message{"1"}, message{"2"}, message{"3"}, message{"4"}});
  dealer.async_send(batch, cancellable(end));
  run_ready();
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(messages_of(batch), (std::vector<message>{message{"3"}, message{"4"}}));
  EXPECT_EQ(dealer.counters().messages_sent, 2U);
  dealer.close(0ms);
}

TEST_P(cancellation, ends_a_wait_for_a_full_peer) {
  while (router_.try_send(peer_, message{std::string(1'000'000, 'x')}) == send_status::queued) {
  }
  error_code end;
  router_.async_wait_writable(peer_, cancellable(end));
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  const auto sent = router_.counters().messages_sent;
  router_.async_send(peer_, message{"not queued"}, cancellable(end));
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(router_.counters().messages_sent, sent);
}

TEST_P(cancellation, has_no_effect_on_completed_operations) {
  error_code end = errc::timed_out;
  EXPECT_EQ(router_.try_send(peer_, message{"came"}), send_status::queued);
  EXPECT_EQ(router_.try_send(peer_, message{"too"}), send_status::queued);
  EXPECT_EQ(receive(dealer_), message{"came"});
  // There is something to receive: the operation is over, and only its handler has not run.
  dealer_.async_receive(cancellable(end));
  emit();
  run_to_its_end();
  EXPECT_FALSE(end);
  EXPECT_EQ(dealer_.counters().messages_received, 2U);
  emit();
}

TEST_P(cancellation, works_with_a_deadline) {
  error_code end;
  dealer_.async_receive(deadline{24h}, cancellable(end));
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  dealer_.async_receive(deadline{1ms}, cancellable(end));
  run_to_its_end();
  EXPECT_EQ(end, errc::timed_out);
  emit();
  run_ready();
}

TEST_P(cancellation, does_nothing_after_the_socket_was_destroyed) {
  error_code end;
  {
    dealer_socket gone{executor()};
    gone.async_receive(cancellable(end));
  }
  emit();
  run_to_its_end();
  EXPECT_EQ(end, asio::error::operation_aborted);
  emit();
}

}  // namespace
}  // namespace zmtp::test
