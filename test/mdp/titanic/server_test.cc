// Titanic on real sockets: its services, its client, a broker and workers, and the requests after the loss of
// one of them.

#include "mdp/titanic/server.h"

#include "mdp/titanic/client.h"
#include "mdp/titanic/command.h"
#include "mdp/titanic/random_id.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "test/mdp/shell_fixture.h"
#include "test/mdp/titanic/memory_request_database.h"
#include "test/support/scratch_folder.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace mdp::titanic {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

server_options impatient_titanic() {
  server_options options;
  options.heartbeat = 50ms;
  options.reconnect_delay = 5ms;
  options.core.least_backoff = 5ms;
  options.core.most_backoff = 20ms;
  return options;
}

titanic::client_options impatient_snapshot_client(version protocol) {
  titanic::client_options options;
  options.protocol = protocol;
  options.timeout = 15s;
  options.least_wait = 1ms;
  options.most_wait = 5ms;
  return options;
}

class titanic_server : public shell_test, public testing::WithParamInterface<version> {
protected:
  void start_titanic(const server_options& options = impatient_titanic()) {
    start_titanic_beside(0, options);
  }
  // `others` is the number of workers at the broker that are not Titanic's.
  void start_titanic_beside(std::size_t others,
                            const server_options& options = impatient_titanic()) {
    bool open = false;
    titanic_.emplace(executor(), at_, options,
                     std::make_shared<memory_request_database>(executor(), contents_),
                     [&](error_code ec) {
                       EXPECT_FALSE(ec);
                       open = true;
                     });
    run_until([&] { return open; });
    await_workers(others + own_workers * (options.third_party_broker ? options.in_flight : 1));
  }
  void start_client() { client_.emplace(executor(), at_, impatient_snapshot_client(GetParam())); }

  std::string request(const std::string& service, message body) {
    std::optional<std::string> stored;
    client_->async_request(service, std::move(body), [&](error_code ec, std::string id) {
      EXPECT_FALSE(ec) << ec.message();
      stored = std::move(id);
    });
    run_until([&] { return stored.has_value(); });
    return *stored;
  }
  error_code submit(request_id id, message body) {
    std::optional<error_code> end;
    client_->async_submit(id, "echo", std::move(body), [&](error_code ec) { end = ec; });
    run_until([&] { return end.has_value(); });
    return *end;
  }
  std::pair<error_code, message> reply(const std::string& id, bool wait) {
    std::optional<std::pair<error_code, message>> got;
    const auto take = [&](error_code ec, message m) { got.emplace(ec, std::move(m)); };
    if (wait) {
      client_->async_wait(id, take);
    } else {
      client_->async_reply(id, take);
    }
    run_until([&] { return got.has_value(); });
    return *got;
  }
  error_code close(const std::string& id) {
    std::optional<error_code> end;
    client_->async_close(id, [&](error_code ec) { end = ec; });
    run_until([&] { return end.has_value(); });
    return *end;
  }

  // One for each of its services, where brokers give one several requests.
  static constexpr std::size_t own_workers = 5;

  std::shared_ptr<memory_request_database::contents> contents_ =
      std::make_shared<memory_request_database::contents>();
  std::optional<server> titanic_;
  std::optional<titanic::client> client_;
};

INSTANTIATE_TEST_SUITE_P(mdp, titanic_server, testing::Values(version::v01, version::v02),
                         [](const auto& tested) { return name_of(tested.param); });

TEST_P(titanic_server, registers_its_services) {  // TSP-1
  start_broker();
  start_titanic();
  mdp::client snapshot_client{executor(), at_, patient_client(GetParam())};
  std::size_t there = 0;
  for (const auto name :
       {request_service, reply_service, close_service, submit_service, status_service}) {
    snapshot_client.async_request("mmi.service", message{name},
                                  [&](error_code ec, const message& m) {
                                    EXPECT_FALSE(ec);
                                    EXPECT_EQ(m, message{"200"});
                                    ++there;
                                  });
  }
  run_until([&] { return there == own_workers; });
}

TEST_P(titanic_server, a_request_is_carried_out_and_its_reply_waits) {  // TSP-3, TSP-6, TSP-7
  start_broker();
  start_titanic();
  start_client();
  const auto echo = echo_worker(GetParam());
  const auto id = request("echo", {"a", "", "b"});
  for (int i = 0; i < 3; ++i) {
    const auto [ec, m] = reply(id, i == 0);
    EXPECT_FALSE(ec);
    EXPECT_EQ(m, (message{"a", "", "b"}));
  }
  EXPECT_FALSE(close(id));
  EXPECT_EQ(reply(id, false).first, errc::unknown_id);  // TSP-13
  EXPECT_EQ(reply(id, true).first, errc::unknown_id);
  EXPECT_FALSE(close(id));  // TSP-9
}

TEST_P(titanic_server, a_reply_in_parts_is_kept_whole) {
  start_broker();
  auto options = impatient_titanic();
  options.protocol = GetParam();
  start_titanic(options);
  start_client();
  worker slow{executor(), at_, impatient_worker(version::v02, "parts"), [](worker_request asked) {
                EXPECT_FALSE(asked.reply_in_part(message{"one", "two"}));
                EXPECT_FALSE(asked.reply_in_part(message{"three"}));
                EXPECT_FALSE(asked.reply(message{"four"}));
              }};
  const auto [ec, m] = reply(request("parts", {"body"}), true);
  EXPECT_FALSE(ec);
  EXPECT_EQ(m, (message{"one", "two", "three", "four"}));
}

TEST_P(titanic_server, waits_for_a_service_that_starts_later) {  // TSP-12, TSP-15
  start_broker();
  start_titanic();
  start_client();
  const auto id = request("echo", {"body"});
  EXPECT_EQ(reply(id, false).first, errc::pending);
  std::optional<message> got;
  client_->async_wait(id, [&](error_code ec, message m) {
    EXPECT_FALSE(ec);
    got = std::move(m);
  });
  const auto echo = echo_worker(version::v02);
  run_until([&] { return got.has_value(); });
  EXPECT_EQ(*got, message{"body"});
}

TEST_P(titanic_server, many_requests_at_once) {
  for (const bool third_party_broker : {false, true}) {
    start_broker();
    auto options = impatient_titanic();
    options.third_party_broker = third_party_broker;
    options.in_flight = 8;
    start_titanic(options);
    start_client();
    const auto echo = echo_worker(GetParam());
    constexpr std::size_t count = 200;
    std::set<std::string> ids;
    std::size_t closed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = std::to_string(i);
      client_->async_request(
          "echo", message{text}, [&, text](error_code ec, const std::string& id) {
            EXPECT_FALSE(ec);
            EXPECT_TRUE(ids.insert(id).second);
            client_->async_wait(id, [&, text, id](error_code failed, const message& m) {
              EXPECT_FALSE(failed);
              EXPECT_EQ(m, message{text});
              client_->async_close(id, [&](error_code end) {
                EXPECT_FALSE(end);
                ++closed;
              });
            });
          });
    }
    run_until([&] { return closed == count; });
    const auto status = titanic_->status();
    EXPECT_EQ(status.requests, 0U);
    EXPECT_EQ(status.counters.accepted, count);
    EXPECT_EQ(status.counters.dispatched, count) << "each was executed once";
    client_.reset();
    titanic_.reset();
    broker_.reset();
    contents_ = std::make_shared<memory_request_database::contents>();
  }
}

TEST_P(titanic_server, continues_after_a_restart_with_stored_requests) {  // TSP-2
  start_broker();
  start_titanic();
  start_client();
  const auto waiting = request("echo", {"waiting"});
  auto echo = echo_worker(GetParam());
  const auto answered = request("echo", {"answered"});
  EXPECT_FALSE(reply(answered, true).first);
  EXPECT_FALSE(reply(waiting, true).first);
  echo.reset();
  const auto later = request("echo", {"later"});
  titanic_.reset();
  await_workers(0);
  start_titanic();
  EXPECT_EQ(titanic_->status().requests, 3U);
  EXPECT_EQ(reply(answered, false).second, message{"answered"});
  EXPECT_EQ(reply(later, false).first, errc::pending);
  echo = echo_worker(GetParam());
  EXPECT_EQ(reply(later, true).second, message{"later"});
}

TEST_P(titanic_server, reconnects_to_a_restarted_broker) {
  start_broker();
  start_titanic();
  start_client();
  const auto echo = echo_worker(GetParam());
  const auto id = request("echo", {"before"});
  EXPECT_FALSE(reply(id, true).first);
  broker_.reset();
  start_broker();
  await_workers(own_workers + 1);
  EXPECT_EQ(reply(id, true).second, message{"before"});
  EXPECT_EQ(reply(request("echo", {"after"}), true).second, message{"after"});
}

TEST_P(titanic_server, retries_a_request_that_was_not_stored_and_reports_the_failure) {  // TSP-14
  start_broker();
  start_client();
  std::size_t asked = 0;
  worker stub{executor(), at_, impatient_worker(version::v01, std::string{request_service}),
              [&](worker_request r) {
                ++asked;
                EXPECT_FALSE(r.reply(message{"500"}));
              }};
  await_workers(1);
  std::optional<error_code> end;
  client_->async_request("echo", message{"body"},
                         [&](error_code ec, const std::string&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, errc::not_stored);
  EXPECT_EQ(asked, titanic::client_options{}.attempts);
}

TEST_P(titanic_server, a_request_that_is_sent_again_is_stored_once) {
  start_broker();
  std::vector<worker_request> in_flight;
  auto wide = impatient_worker(version::v01, std::string{request_service});
  wide.in_flight = 10;
  worker stub{executor(), at_, wide, [&](worker_request r) { in_flight.push_back(std::move(r)); }};
  await_workers(1);
  titanic::client_options options;
  options.timeout = std::chrono::milliseconds{50};
  options.attempts = 1'000;
  titanic::client snapshot_client{executor(), at_, options};
  std::optional<error_code> end;
  std::string stored;
  snapshot_client.async_request("echo", message{"body"}, [&](error_code ec, std::string id) {
    end = ec;
    stored = std::move(id);
  });
  run_until([&] { return broker_->status().counters.repeats >= 2; });
  ASSERT_EQ(in_flight.size(), 1U);
  const auto id = random_id(zmtp::runtime::system());
  EXPECT_FALSE(in_flight[0].reply(message{"200", id.to_string()}));
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end) << end->message();
  EXPECT_EQ(stored, id.to_string());
  EXPECT_EQ(in_flight.size(), 1U);
}

TEST_P(titanic_server, a_second_submission_with_the_same_id_is_one_request) {
  start_broker();
  start_titanic();
  start_client();
  const auto echo = echo_worker(GetParam());
  const auto id = random_id(zmtp::runtime::system());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(submit(id, message{"body"}));
  }
  EXPECT_EQ(reply(id.to_string(), true).second, message{"body"});
  // Another one, after a restart.
  titanic_.reset();
  await_workers(1);
  titanic_.emplace(executor(), at_, impatient_titanic(),
                   std::make_shared<memory_request_database>(executor(), contents_));
  start_client();
  EXPECT_FALSE(submit(id, message{"body"}));
  EXPECT_EQ(reply(id.to_string(), true).second, message{"body"});
  EXPECT_EQ(titanic_->status().requests, 1U);
  EXPECT_EQ(titanic_->status().counters.dispatched, 0U);
  EXPECT_EQ(titanic_->status().counters.repeated, 1U);
}

TEST_P(titanic_server, repeats_a_submission_without_an_answer) {
  start_broker();
  auto options = impatient_snapshot_client(GetParam());
  options.timeout = 200ms;
  client_.emplace(executor(), at_, options);
  std::vector<message> asked;
  std::optional<worker_request> unanswered;
  auto takes_two = impatient_worker(version::v01, std::string{submit_service});
  takes_two.in_flight = 2;
  worker stub{executor(), at_, takes_two, [&](worker_request r) {
                asked.push_back(r.body());
                if (asked.size() == 1) {
                  unanswered.emplace(std::move(r));
                } else {
                  EXPECT_FALSE(r.reply({"200", std::string{r.body().front()}}));
                }
              }};
  await_workers(1);
  const auto id = random_id(zmtp::runtime::system());
  EXPECT_FALSE(submit(id, message{"body"}));
  EXPECT_EQ(asked, std::vector(2, message{id.to_string(), "echo", "body"}));
}

TEST_P(titanic_server, rejects_an_answer_with_another_id) {
  start_broker();
  start_client();
  worker stub{executor(), at_, impatient_worker(version::v01, std::string{submit_service}),
              [&](worker_request r) {
                EXPECT_FALSE(r.reply({"200", random_id(zmtp::runtime::system()).to_string()}));
              }};
  await_workers(1);
  EXPECT_EQ(submit(random_id(zmtp::runtime::system()), message{"body"}), errc::bad_reply);
}

// Another Titanic may write its ids otherwise.
TEST_P(titanic_server, sends_an_id_back_byte_for_byte) {
  start_broker();
  start_client();
  const std::string given = "6f9619ff-8b86-d011-b42d-00c04fc964ff";
  std::vector<message> asked;
  worker stores{executor(), at_, impatient_worker(version::v01, std::string{request_service}),
                [&](worker_request r) {
                  EXPECT_FALSE(r.reply({"200", given}));
                }};
  worker replies{executor(), at_, impatient_worker(version::v01, std::string{reply_service}),
                 [&](worker_request r) {
                   asked.push_back(r.body());
                   EXPECT_FALSE(r.reply({"200", "reply"}));
                 }};
  worker closes{executor(), at_, impatient_worker(version::v01, std::string{close_service}),
                [&](worker_request r) {
                  asked.push_back(r.body());
                  EXPECT_FALSE(r.reply(message{"200"}));
                }};
  await_workers(3);
  EXPECT_EQ(request("echo", message{"body"}), given);
  EXPECT_EQ(reply(given, false).second, message{"reply"});
  EXPECT_EQ(reply(given, true).second, message{"reply"});
  EXPECT_FALSE(close(given));
  EXPECT_EQ(asked, std::vector(3, message{given}));
}

TEST_P(titanic_server, rejects_a_malformed_request_immediately) {  // TSP-13
  start_broker();
  start_titanic();
  start_client();
  std::optional<error_code> end;
  const auto note = [&](error_code ec, const std::string&) { end = ec; };
  client_->async_request("", message{"body"}, note);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*std::exchange(end, {}), mdp::errc::no_service);
  client_->async_request("echo", message{}, note);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, errc::bad_request);
}

TEST_P(titanic_server, waiting_is_cancelled_and_ends_with_the_client) {
  start_broker();
  start_titanic();
  start_client();
  const auto id = request("echo", {"body"});
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, const message&) { ends.push_back(ec); };
  boost::asio::cancellation_signal signal;
  client_->async_wait(id, boost::asio::bind_cancellation_slot(signal.slot(), note));
  client_->async_wait(id, note);
  run_ready();
  signal.emit(boost::asio::cancellation_type::total);
  run_until([&] { return ends.size() == 1; });
  client_->stop();
  run_until([&] { return ends.size() == 2; });
  client_->async_wait(id, note);
  run_until([&] { return ends.size() == 3; });
  for (const auto& ec : ends) {
    EXPECT_EQ(ec, boost::asio::error::operation_aborted);
  }
}

TEST_P(titanic_server, leaves_no_work_after_a_stop) {
  start_broker();
  start_titanic();
  start_client();
  request("nobody", {"body"});
  client_->stop();
  titanic_->stop();
  broker_->stop();
  run_to_the_end();
}

TEST_P(titanic_server, a_drain_waits_for_the_reply_and_stores_it) {
  start_broker();
  start_titanic();
  start_client();
  std::optional<worker_request> at_work;
  worker slow{executor(), at_, impatient_worker(GetParam(), "slow"),
              [&](worker_request asked) { at_work.emplace(std::move(asked)); }};
  const auto id = request("slow", {"body"});
  run_until([&] { return at_work.has_value(); });
  std::optional<error_code> end;
  titanic_->async_drain([&](error_code ec) { end = ec; });
  // The workers of Titanic have left, while the service is working.
  await_workers(1);
  EXPECT_FALSE(end);
  EXPECT_FALSE(at_work->reply(message{"reply"}));
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end);
  EXPECT_EQ(contents_->slots.at(0).about.state, outcome::answered);
  EXPECT_EQ(titanic_->status().counters.interrupted, 0U);
  titanic_.reset();
  start_titanic_beside(1);
  start_client();
  EXPECT_EQ(reply(id, false).second, message{"reply"});
  EXPECT_EQ(titanic_->status().counters.dispatched, 0U) << "it was not executed again";
}

TEST_P(titanic_server, a_drain_without_requests_ends) {
  start_broker();
  start_titanic();
  std::vector<error_code> ends;
  const auto note = [&](error_code ec) { ends.push_back(ec); };
  titanic_->async_drain(note);
  titanic_->async_drain(note);
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(std::count(ends.begin(), ends.end(), error_code{}), 1);
  titanic_->async_drain(note);
  run_until([&] { return ends.size() == 3; });
  EXPECT_EQ(ends[2], boost::asio::error::operation_aborted);
  ends.clear();
  titanic_.reset();
  start_titanic_beside(0);
  broker_.reset();
  titanic_->async_drain(note);
  run_until([&] { return ends.size() == 1; });
  EXPECT_FALSE(ends[0]);
}

TEST_P(titanic_server, a_stop_aborts_a_drain) {
  start_broker();
  start_titanic();
  start_client();
  std::optional<worker_request> at_work;
  worker slow{executor(), at_, impatient_worker(GetParam(), "slow"),
              [&](worker_request asked) { at_work.emplace(std::move(asked)); }};
  request("slow", {"body"});
  run_until([&] { return at_work.has_value(); });
  std::optional<error_code> end;
  titanic_->async_drain([&](error_code ec) { end = ec; });
  titanic_->stop();
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, boost::asio::error::operation_aborted);
}

TEST_P(titanic_server, a_store_that_cannot_be_opened_is_reported) {
  start_broker();
  auto store = std::make_shared<sqlite_request_database>(executor(),
                                                         sqlite_options{.path = "/nowhere/store"});
  std::optional<error_code> end;
  titanic_.emplace(executor(), at_, impatient_titanic(), store, [&](error_code ec) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, zmtp::storage_errc::store_failed);
  EXPECT_EQ(broker_->status().workers, 0U);
  titanic_.reset();
}

TEST_P(titanic_server, with_a_durable_store) {
  const zmtp::test::scratch_folder folder;
  start_broker();
  const auto echo = echo_worker(GetParam());
  std::optional<std::string> id;
  for (int i = 0; i < 2; ++i) {
    auto store = std::make_shared<sqlite_request_database>(
        executor(), sqlite_options{.path = folder.path("store"), .reserve_bytes = 4096});
    bool open = false;
    titanic_.emplace(executor(), at_, impatient_titanic(), store, [&](error_code ec) {
      EXPECT_FALSE(ec);
      open = true;
    });
    run_until([&] { return open; });
    await_workers(own_workers + 1);
    start_client();
    if (!id) {
      id = request("echo", {"body"});
    }
    EXPECT_EQ(reply(*id, true).second, message{"body"});
    client_.reset();
    titanic_.reset();
    await_workers(1);
  }
}

}  // namespace
}  // namespace mdp::titanic
