#include "zmtp/pattern/freelance_client.h"

#include "zmtp/error.h"
#include "zmtp/message_batch.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/freelance_frames.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/pattern/server_list.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <unordered_map>

namespace zmtp {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

namespace {

constexpr auto token = asio::as_tuple(asio::use_awaitable);

socket_options link_options(socket_options options) {
  options.announce_peers = true;
  options.extensions = {std::string{freelance_session_name}};
  // The limit of calls in flight also limits the queue. Messages of ended calls must not be sent
  // any more.
  options.send_mark.messages.reset();
  options.linger = std::chrono::milliseconds{0};
  return options;
}

// The operations of a link to one server, for servers that behave as REP and as ROUTER.
[[nodiscard]] bool send_on(dealer_socket& wire, peer_id /*to*/, message&& m) {
  return wire.try_send(std::move(m)) == send_status::queued;
}
[[nodiscard]] bool send_on(router_socket& wire, peer_id to, message&& m) {
  return wire.try_send(to, std::move(m)) == send_status::queued;
}

}  // namespace

// Owned by the coroutines of its sockets. When the context is destroyed, it is destroyed together
// with the handlers of the calls.
class freelance_client::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, const socket_options& socket,
       const std::shared_ptr<freelance_client_state>& state)
      : executor_{executor},
        runtime_{runtime::of(executor)},
        link_options_{link_options(socket)},
        state_owner_{state},
        state_{*state},
        alarm_{executor, [this] { on_time(); }} {}

  void connect(const std::vector<std::string>& servers, freelance_model model) {
    for (std::size_t at = 0; at != servers.size(); ++at) {
      if (model == freelance_model::shotgun) {
        add<dealer_socket>(at, servers[at]);
      } else {
        add<router_socket>(at, servers[at]);
      }
    }
  }

  void start(message&& body, const freelance_call_options& how, answer_handler&& handler) {
    auto refusal = error_code{};
    std::uint64_t number = 0;
    if (stopped_) {
      refusal = asio::error::operation_aborted;
    } else if (body.empty()) {
      refusal = errc::bad_message;
    } else if (const auto began = state_.ask(std::move(body), how, runtime_.now(), actions_)) {
      number = *began;
    } else {
      refusal = began.error();
    }
    if (refusal) {
      complete_later(executor_, std::move(handler), refusal, message{});
      return;
    }
    auto work = work_elsewhere(executor_, handler);
    auto& one = *calls_.emplace(number, call{std::move(handler), std::move(work)}).first;
    if (auto slot = asio::get_associated_cancellation_slot(one.second.handler.erased());
        slot.is_connected()) {
      slot.assign([self = weak_from_this(), number](asio::cancellation_type type) {
        if (const auto own = self.lock(); own && type != asio::cancellation_type::none) {
          own->state_.cancel(number);
          own->finish(number, asio::error::operation_aborted, {});
        }
      });
    }
    carry_out(runtime_.now());
  }

  void stop() {
    stopped_ = true;
    alarm_.cancel();
    for (const auto& one : links_) {
      one->close();
    }
    while (!calls_.empty()) {
      const auto number = calls_.begin()->first;
      state_.cancel(number);
      finish(number, asio::error::operation_aborted, {});
    }
  }

private:
  struct call {
    answer_handler handler;
    asio::any_io_executor work_elsewhere;
  };
  // The connection to one server.
  class link {
  public:
    virtual ~link() = default;
    [[nodiscard]] virtual bool send(message&& m) = 0;
    virtual void close() = 0;
  };
  template <class Socket>
  class link_on final : public link {
  public:
    link_on(const asio::any_io_executor& executor, const socket_options& options)
        : wire{executor, options} {}
    bool send(message&& m) override { return send_on(wire, peer, std::move(m)); }
    void close() override { wire.close(std::chrono::milliseconds{0}); }

    Socket wire;
    peer_id peer{};
  };

  template <class Socket>
  void add(std::size_t server, const std::string& endpoint) {
    auto made = std::make_unique<link_on<Socket>>(executor_, link_options_);
    auto& to = *made;
    links_.push_back(std::move(made));
    to.wire.connect(endpoint);
    asio::co_spawn(executor_, hear(shared_from_this(), to, server), rethrow);
  }

  template <class Socket>
  static asio::awaitable<void> hear(std::shared_ptr<core> self, link_on<Socket>& from,
                                    std::size_t server) {
    message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await from.wire.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = self->runtime_.now();
      for (const auto next : batch) {
        auto item = next.to_routed_message();
        if (item.what == routed_message::kind::attached) {
          from.peer = item.peer;
        }
        self->on_item(server, item, now);
      }
    }
  }

  void on_item(std::size_t server, routed_message& item, clock::time_point now) {
    switch (item.what) {
      case routed_message::kind::message:
        state_.on_message(server, std::move(item.content), now, actions_);
        break;
      case routed_message::kind::attached: state_.on_attached(server, now, actions_); break;
      case routed_message::kind::detached: state_.on_detached(server, now, actions_); break;
    }
    carry_out(now);
  }

  void on_time() {
    const auto self = shared_from_this();  // a handler may stop the client
    const auto now = runtime_.now();
    state_.on_deadline(now, actions_);
    carry_out(now);
  }

  void carry_out(clock::time_point now) {
    // Handlers may start calls, which adds new actions, so take the current ones first. Iterate by
    // index, because on_not_taken() may append actions.
    auto actions = std::exchange(actions_, {});
    for (std::size_t i = 0; i < actions.sends.size() && !stopped_; ++i) {
      auto [server, number, content] = std::move(actions.sends[i]);
      if (!links_[server]->send(std::move(content))) {
        state_.on_not_taken(server, number, now, actions);
      }
    }
    for (auto& end : actions.ends) {
      finish(end.call, end.failure ? make_error_code(*end.failure) : error_code{},
             std::move(end.answer));
    }
    if (!stopped_) {
      alarm_.set(state_.next_deadline());
    }
  }

  void finish(std::uint64_t number, error_code ec, message&& answer) {
    const auto found = calls_.find(number);
    if (found == calls_.end()) {
      return;
    }
    auto done = calls_.extract(found);
    asio::get_associated_cancellation_slot(done.mapped().handler.erased()).clear();
    complete_later(executor_, std::move(done.mapped().handler), ec, std::move(answer));
  }

  asio::any_io_executor executor_;
  runtime& runtime_;
  const socket_options link_options_;
  const std::shared_ptr<freelance_client_state> state_owner_;
  freelance_client_state& state_;
  freelance_client_actions actions_;
  std::vector<std::unique_ptr<link>> links_;
  std::unordered_map<std::uint64_t, call> calls_;
  alarm alarm_;
  bool stopped_ = false;
};

freelance_client::freelance_client(asio::any_io_executor executor,
                                   const std::vector<std::string>& servers,
                                   const freelance_client_options& options)
    : executor_{executor} {
  check_servers(servers, "freelance_client");
  option_check{"freelance_client", call_errc::bad_call_option}
      .duration("timeout", options.timeout)
      .duration("ping_interval", options.ping_interval)
      .duration("ping_timeout", options.ping_timeout)
      .duration("server_ttl", options.server_ttl)
      .number("calls", options.calls)
      .number("the number of servers", servers.size(), freelance_client_state::max_servers);
  const auto session = runtime::of(executor).random<std::uint64_t>();
  const auto state = std::make_shared<freelance_client_state>(options, servers.size(), session);
  const auto own = std::make_shared<core>(executor, options.socket, state);
  core_ = own;
  state_ = state;
  own->connect(servers, options.model);
}

freelance_client::~freelance_client() { stop(); }

const freelance_client_counters& freelance_client::counters() const noexcept {
  return state_->counters();
}

void freelance_client::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

void freelance_client::start(message&& body, const freelance_call_options& how,
                             answer_handler&& handler) {
  if (const auto own = core_.lock()) {
    own->start(std::move(body), how, std::move(handler));
  } else {
    complete_later(executor_, std::move(handler), error_code{asio::error::operation_aborted},
                   message{});
  }
}

}  // namespace zmtp
