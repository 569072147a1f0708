#include "mdp/titanic/server.h"

#include "mdp/client.h"
#include "mdp/titanic/random_id.h"
#include "mdp/titanic/titanic_report.h"
#include "mdp/worker.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mdp::titanic {

namespace asio = boost::asio;
using boost::system::error_code;

class server::core : public std::enable_shared_from_this<core> {
public:
  core(asio::any_io_executor executor, std::string_view broker, const server_options& options,
       std::shared_ptr<request_database> store, dispatch_handler&& on_dispatch)
      : executor_{std::move(executor)},
        runtime_{zmtp::runtime::of(executor_)},
        broker_{broker},
        options_{options},
        store_{std::move(store)},
        on_dispatch_{std::move(on_dispatch)},
        state_{options.core, request_id_hash{}(random_id(runtime_))},
        alarm_{executor_,
               [this] {
                 state_.on_deadline(runtime_.now(), actions_);
                 carry_out();
               }},
        client_{executor_, broker_, asking(options)} {}

  void open(open_handler on_open) {
    const auto weak = weak_from_this();
    store_->open(
        [weak, on_open = std::move(on_open)](error_code ec, std::vector<stored_request> slots) {
          if (const auto self = weak.lock(); self && !self->stopped_) {
            if (!ec && !self->on_drained_) {
              self->begin(std::move(slots));
            }
            if (on_open) {
              zmtp::call_user(self->executor_, [&] { on_open(ec); });
            }
          }
        },
        [weak](std::vector<store_result> results) {
          if (const auto self = weak.lock(); self && !self->stopped_) {
            const auto now = self->runtime_.now();
            for (auto& result : results) {
              self->state_.on_stored(std::move(result), now, self->actions_);
            }
            self->carry_out();
          }
        });
  }

  void stop() { end(asio::error::operation_aborted); }

  void drain(drain_handler&& handler) {
    if (stopped_ || on_drained_) {
      zmtp::complete_later(executor_, std::move(handler),
                           error_code{asio::error::operation_aborted});
      return;
    }
    on_drained_.emplace(std::move(handler));
    state_.drain();
    draining_workers_ = workers_.size();
    for (const auto& one : workers_) {
      // A worker without a broker drains at once.
      one->async_drain([weak = weak_from_this()](error_code) {
        if (const auto self = weak.lock(); self && !self->stopped_) {
          --self->draining_workers_;
          self->end_if_drained();
        }
      });
    }
    end_if_drained();
  }

  bool purge(const request_id& id, std::string_view principal,
             std::function<void(bool)>&& on_removed) {
    if (stopped_ || !state_.contains(id, principal)) {
      return false;
    }
    purges_.emplace(++last_caller_, std::move(on_removed));
    state_.on_close(last_caller_, zmtp::message{id.to_string()}, runtime_.now(), actions_,
                    principal);
    carry_out();
    return true;
  }

  [[nodiscard]] titanic_status status() const {
    auto now = state_.status(runtime_.now());
    now.sync_time = store_->sync_times();
    return now;
  }
  [[nodiscard]] const titanic_state& state() const noexcept { return state_; }
  [[nodiscard]] std::vector<pending_request> pending(std::size_t count) const {
    return state_.pending(count, runtime_.now());
  }

private:
  void end(error_code why) {
    stopped_ = true;
    alarm_.cancel();
    workers_.clear();
    client_.stop();
    in_flight_.clear();
    for (const auto& each : std::exchange(purges_, {})) {
      zmtp::tell_user(executor_, each.second, false);
    }
    if (auto notified = std::exchange(on_drained_, std::nullopt)) {
      zmtp::complete_later(executor_, std::move(*notified), why);
    }
  }

  void end_if_drained() {
    if (on_drained_ && draining_workers_ == 0 && in_flight_.empty() && state_.drained()) {
      end({});
    }
  }

  void begin(std::vector<stored_request>&& slots) {
    state_.on_recovered(std::move(slots), runtime_.now(), actions_);
    using std::string_view;
    offer(request_service, [this](std::uint64_t caller, zmtp::message&& asked, string_view who) {
      state_.on_request(caller, std::move(asked), random_id(runtime_), actions_, who);
    });
    offer(submit_service, [this](std::uint64_t caller, zmtp::message&& asked, string_view who) {
      state_.on_submit(caller, std::move(asked), actions_, who);
    });
    offer(reply_service, [this](std::uint64_t caller, zmtp::message&& asked, string_view who) {
      state_.on_reply(caller, asked, actions_, who);
    });
    offer(close_service, [this](std::uint64_t caller, zmtp::message&& asked, string_view who) {
      state_.on_close(caller, asked, runtime_.now(), actions_, who);
    });
    register_workers(status_service, [this](worker_request&& request) {
      // If the broker is gone, the reply is lost and the client retries.
      static_cast<void>(request.reply(answer_status(state_, status(), request.body())));
    });
    carry_out();
  }

  template <class Take>
  void offer(std::string_view name, Take take) {
    register_workers(name, [this, take](worker_request&& request) {
      auto asked = std::move(request.body());
      const auto principal = request.principal().value_or("");
      in_flight_.emplace(++last_caller_, std::move(request));
      take(last_caller_, std::move(asked), principal);
      carry_out();
    });
  }

  template <class Handle>
  void register_workers(std::string_view name, Handle handle) {
    const auto in_flight = std::max<std::size_t>(options_.in_flight, 1);
    worker_options options;
    options.service = name;
    options.protocol = options_.protocol;
    options.heartbeat = options_.heartbeat;
    options.reconnect_delay = options_.reconnect_delay;
    options.socket = options_.socket;
    options.reads_principals = true;
    options.in_flight = options_.third_party_broker ? 1 : in_flight;
    const auto count = options_.third_party_broker ? in_flight : 1;
    for (std::size_t i = 0; i < count; ++i) {
      workers_.push_back(std::make_unique<worker>(
          executor_, broker_, options, [weak = weak_from_this(), handle](worker_request request) {
            if (const auto self = weak.lock(); self && !self->stopped_) {
              handle(std::move(request));
            }
          }));
    }
  }

  [[nodiscard]] static client_options asking(const server_options& options) {
    client_options chosen;
    chosen.protocol = options.protocol;
    chosen.socket = options.socket;
    return chosen;
  }

  void carry_out() {
    auto actions = std::exchange(actions_, {});
    if (!actions.operations.empty()) {
      store_->submit(std::move(actions.operations));
    }
    for (auto& one : actions.answers) {
      if (auto asked = in_flight_.extract(one.caller)) {
        // If the broker is gone, the answer is lost and the client retries.
        static_cast<void>(asked.mapped().reply(std::move(one.body)));
      } else if (auto purge = purges_.extract(one.caller)) {
        zmtp::tell_user(executor_, purge.mapped(), one.body.front() == ok);
      }
    }
    for (auto& one : actions.dispatches) {
      if (one.of) {
        zmtp::tell_user(executor_, on_dispatch_, *one.of);
      }
      // One attempt, because titanic_state decides about the next one.
      client_.async_request(
          std::move(one.service), std::move(one.body),
          request_options{.timeout = one.timeout, .attempts = 1, .on_behalf_of = one.on_behalf_of},
          [weak = weak_from_this(), id = one.id](const zmtp::message& part) {
            if (const auto self = weak.lock(); self && !self->stopped_) {
              self->state_.on_dispatch_part(id, part);
            }
          },
          [weak = weak_from_this(), id = one.id](error_code ec, zmtp::message reply) {
            if (const auto self = weak.lock(); self && !self->stopped_) {
              self->state_.on_dispatch_end(id, ec, std::move(reply), self->runtime_.now(),
                                           self->actions_);
              self->carry_out();
            }
          });
    }
    alarm_.set(state_.next_deadline());
    end_if_drained();
  }

  asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  std::string broker_;
  server_options options_;
  std::shared_ptr<request_database> store_;
  const dispatch_handler on_dispatch_;
  titanic_state state_;
  titanic_actions actions_;
  zmtp::alarm alarm_;
  client client_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::unordered_map<std::uint64_t, worker_request> in_flight_;
  std::unordered_map<std::uint64_t, std::function<void(bool)>> purges_;  // by caller
  std::uint64_t last_caller_ = 0;
  std::optional<drain_handler> on_drained_;
  std::size_t draining_workers_ = 0;
  bool stopped_ = false;
};

server::server(asio::any_io_executor executor, std::string_view broker,
               const server_options& options, std::shared_ptr<request_database> store,
               open_handler on_open, dispatch_handler on_dispatch) {
  check(options);
  core_ = std::make_shared<core>(std::move(executor), broker, options, std::move(store),
                                 std::move(on_dispatch));
  core_->open(std::move(on_open));
}

server::~server() { stop(); }

void server::stop() { core_->stop(); }

void server::start_drain(drain_handler handler) { core_->drain(std::move(handler)); }

titanic_status server::status() const { return core_->status(); }

std::vector<pending_request> server::pending(std::size_t count) const {
  return core_->pending(count);
}

bool server::purge(const request_id& id, std::string_view principal,
                   std::function<void(bool)> on_removed) {
  return core_->purge(id, principal, std::move(on_removed));
}

std::vector<titanic_service_status> server::services() const { return core_->state().services(); }

}  // namespace mdp::titanic
