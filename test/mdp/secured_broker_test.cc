#include "test/mdp/shell_fixture.h"
#include "test/support/guest_list.h"

namespace mdp {
namespace {

class secured_brokers : public shell_test {
protected:
  void start_secured() {
    auto options = impatient_broker();
    options.socket = keys_.server();
    start_broker(options);
  }
  [[nodiscard]] std::unique_ptr<worker> echo_worker_as(const zmtp::socket_options& socket) {
    auto options = impatient_worker(version::v02);
    options.socket = socket;
    return std::make_unique<worker>(executor(), at_, options, [](worker_request request) {
      auto body = std::move(request.body());
      EXPECT_FALSE(request.reply(std::move(body)));
    });
  }
  [[nodiscard]] client client_as(const zmtp::socket_options& socket) {
    auto options = patient_client(version::v02);
    options.socket = socket;
    return client{executor(), at_, options};
  }
  static std::shared_ptr<std::optional<boost::system::error_code>> ask(client& of) {
    auto end = std::make_shared<std::optional<boost::system::error_code>>();
    of.async_request("echo", zmtp::message{"question"}, {}, {},
                     [end](boost::system::error_code ec, const zmtp::message&) { *end = ec; });
    return end;
  }
  void await_refusals(int count) {
    run_until([&] { return keys_.refused() >= count; });
  }

  zmtp::test::guest_list keys_;
};

TEST_F(secured_brokers, serve_the_workers_and_clients_that_they_admit_and_no_others) {
  start_secured();
  const auto stranger = echo_worker_as(keys_.mallory());
  await_refusals(1);
  auto refused = client_as(keys_.mallory());
  const auto unanswered = ask(refused);
  await_refusals(2);
  EXPECT_EQ(broker_->status().workers, 0U);

  const auto served = echo_worker_as(keys_.alice());
  auto client = client_as(keys_.alice());
  const auto end = ask(client);
  run_until([&] { return end->has_value(); });
  EXPECT_EQ(*end, boost::system::error_code{});
  EXPECT_EQ(broker_->status().workers, 1U);
  EXPECT_FALSE(unanswered->has_value());
}

TEST_F(secured_brokers, do_not_bind_without_an_authenticator) {
  auto options = impatient_broker();
  options.socket = keys_.server();
  options.socket.authenticator.reset();
  broker_.emplace(executor(), options);
  zmtp::error_code ec;
  broker_->bind("tcp://127.0.0.1:*", ec);
  EXPECT_EQ(ec, zmtp::errc::authenticator_missing);
}

}  // namespace
}  // namespace mdp
