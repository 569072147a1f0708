#pragma once
// The shell of a client: carries out the actions of client_state. Used by client only.

#include "chp/client.h"
#include "chp/client_connections.h"
#include "chp/client_senders.h"
#include "chp/client_state.h"
#include "chp/truth.h"
#include "chp/waiting_handlers.h"
#include "chp/watch_queue.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace chp {

// Owned by its coroutines, so that a context that is destroyed also destroys it and its handlers.
class client_core final : public client_connections::listener,
                          public client_senders::listener,
                          public std::enable_shared_from_this<client_core> {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using done_handler = zmtp::completion_handler<void(boost::system::error_code)>;
  using set_handler = zmtp::completion_handler<void(boost::system::error_code, truth)>;

  client_core(const boost::asio::any_io_executor& executor,
              const std::vector<server_address>& servers, const client_options& options,
              std::uint64_t session, client::event_handler&& on_event,
              const std::shared_ptr<client_state>& state);

  void start();
  void stop();
  void wait_ready(const zmtp::deadline& until, done_handler&& handler);
  // Sets a key, or erases it if there is no value.
  void add_update(std::string&& key, std::optional<std::string>&& value, const set_options& how,
                  set_handler&& handler);
  void add_watcher(const std::shared_ptr<watch_queue>& queue);
  void report_lost_to(client::lost_handler&& handler) { lost_handler_ = std::move(handler); }

private:
  void on_subscriber_attached(std::size_t server, bool has_log, time_point now) override;
  void on_subscriber_message(const message_parts& m, time_point now) override {
    state_.on_subscriber_message(m, now, actions_);
    carry_out_any();
  }
  void on_snapshot_attached(time_point now) override {
    state_.on_snapshot_attached(now, actions_);
    carry_out();
  }
  void on_snapshot_message(const message_parts& m, time_point now) override {
    state_.on_snapshot_message(m, now, actions_);
    carry_out_any();
  }
  void on_batch_end() override { carry_out(); }
  void on_lost(time_point now) override {
    state_.on_lost(now, actions_);
    carry_out();
  }
  void on_unreachable(time_point now) override {
    state_.on_unreachable(now, actions_);
    carry_out();
  }
  void on_collector_subscribed(std::size_t server, bool has_log, time_point now) override {
    state_.on_collector_subscribed(server, has_log, now, actions_);
    carry_out();
  }
  void on_collector_detached(std::size_t server) override { state_.on_collector_detached(server); }
  void on_written(std::size_t server, std::uint64_t mark, time_point now) override {
    state_.on_written(server, mark, now, actions_);
    carry_out();
  }

  // Most messages bring no actions. The alarm can wait for the end of the batch, but actions cannot:
  // a later message may change what they tell.
  void carry_out_any() {
    if (!actions_.empty()) {
      carry_out();
    }
  }
  void on_time();
  void set_alarm();
  void carry_out();
  void perform(client_actions& actions);
  void complete(const client_actions& actions);
  void tell(const client_actions& actions);
  void begin_session();
  void tell_watchers(const std::vector<change>& changes);
  void tidy();

  boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  const client::event_handler on_event_;
  client::lost_handler lost_handler_;
  const std::shared_ptr<client_state> state_owner_;
  client_state& state_;
  client_actions actions_;
  bool carrying_out_ = false;
  bool tidying_ = false;
  bool stopped_ = false;
  zmtp::alarm alarm_;
  client_connections connections_;
  client_senders senders_;
  waiting_handlers<void(boost::system::error_code, truth)> sets_;  // by ticket
  waiting_handlers<void(boost::system::error_code)> readies_;
  std::uint64_t last_wait_ = 0;
  std::set<std::pair<time_point, std::uint64_t>> ready_ends_;
  std::vector<std::weak_ptr<watch_queue>> watchers_;
};

}  // namespace chp
