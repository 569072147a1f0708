#include "zmtp/pattern/freelance_server.h"

#include "zmtp/metadata.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/freelance_frames.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <unordered_set>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

namespace {

socket_options router_options(socket_options options, const std::string& identity) {
  options.routing_id = identity;
  options.announce_peers = true;
  // Unsent replies are limited by bytes, not by number, because a client may send many requests
  // before it reads the first reply.
  options.send_mark.messages.reset();
  return options;
}

}  // namespace

// Owned by its coroutine, so that it is destroyed with the context.
class freelance_server::core final : public request_holder,
                                     public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, const socket_options& socket,
       const std::string& identity, const std::shared_ptr<freelance_server_state>& state,
       handler&& on_request, freelance_server_handlers&& handlers)
      : executor_{executor},
        runtime_{runtime::of(executor)},
        router_{executor, router_options(socket, identity)},
        gate_{executor},
        state_owner_{state},
        state_{*state},
        on_request_{std::move(on_request)},
        handlers_{std::move(handlers)} {}

  // Reads from clients only while the limit of requests allows it.
  static asio::awaitable<void> serve(std::shared_ptr<core> self) {
    constexpr auto token = asio::as_tuple(asio::use_awaitable);
    routed_message item;
    while (!self->stopped_) {
      if (!self->state_.wants_requests()) {
        static_cast<void>(co_await self->gate_.async_wait(token));
        continue;
      }
      auto [ec, received] = co_await self->router_.async_receive(token);
      if (ec) {
        co_return;
      }
      self->on_item(received);
      for (int more = 0; more < most_in_turn && !self->stopped_ && self->state_.wants_requests() &&
                         self->router_.try_receive(item);
           ++more) {
        self->on_item(item);
      }
    }
  }

  endpoint bind(std::string_view at, error_code& ec) { return router_.bind(at, ec); }

  void stop() {
    stopped_ = true;
    gate_.cancel();
    router_.close();
  }

  error_code reply(std::uint64_t id, message&& answer) override {
    freelance_server_actions actions;
    const auto ec = state_.reply(id, std::move(answer), runtime_.now(), actions);
    carry_out(actions);
    gate_.cancel();
    return ec;
  }

  void drop(std::uint64_t id) override {
    state_.drop(id);
    gate_.cancel();
  }

private:
  static constexpr int most_in_turn = 1'024;

  void on_item(routed_message& item) {
    switch (item.what) {
      case routed_message::kind::message: {
        tell(handlers_.on_received, item.peer, item.content);
        freelance_server_actions actions;
        state_.on_message(item.peer, sessions_.contains(item.peer), std::move(item.content),
                          runtime_.now(), actions);
        carry_out(actions);
        break;
      }
      case routed_message::kind::attached:
        if (const auto* const known = router_.info(item.peer);
            known != nullptr && find_extension(known->properties, freelance_session_name)) {
          sessions_.insert(item.peer);
        }
        break;
      case routed_message::kind::detached: sessions_.erase(item.peer); break;
    }
  }

  void tell(const std::function<void(std::string_view, const message&)>& who, peer_id peer,
            const message& m) {
    if (who) {
      const auto* const known = router_.info(peer);
      tell_user(executor_, who, known != nullptr ? std::string_view{known->routing_id} : "", m);
    }
  }

  void carry_out(freelance_server_actions& actions) {
    for (auto& [to, content] : actions.sends) {
      tell(handlers_.on_send, to, content);
      if (router_.try_send(to, std::move(content)) != send_status::queued) {
        state_.on_reply_not_taken();
      }
    }
    const auto self = shared_from_this();
    for (auto& one : actions.requests) {
      call_user(executor_, [&] { on_request_(held_request{self, one.id, std::move(one.body)}); });
    }
  }

  asio::any_io_executor executor_;
  runtime& runtime_;
  router_socket router_;
  timer gate_;  // a condition: cancel() resumes the loop
  const std::shared_ptr<freelance_server_state> state_owner_;
  freelance_server_state& state_;
  handler on_request_;
  const freelance_server_handlers handlers_;
  std::unordered_set<peer_id> sessions_;  // clients whose control frames are globally unique
  bool stopped_ = false;
};

freelance_server::freelance_server(asio::any_io_executor executor, const std::string& identity,
                                   const freelance_server_options& options, handler on_request,
                                   freelance_server_handlers handlers) {
  const option_check check{"freelance_server", call_errc::bad_call_option};
  check.number("in_flight", options.in_flight);
  if (options.keep_replies) {
    check.duration("keep_replies.age", options.keep_replies->age);
  }
  const auto state = std::make_shared<freelance_server_state>(options);
  const auto own = std::make_shared<core>(executor, options.socket, identity, state,
                                          std::move(on_request), std::move(handlers));
  core_ = own;
  state_ = state;
  asio::co_spawn(executor, core::serve(own), rethrow);
}

freelance_server::~freelance_server() { stop(); }

endpoint freelance_server::bind(std::string_view at) {
  error_code ec = errc::socket_closed;
  const auto own = core_.lock();
  auto bound = own ? own->bind(at, ec) : endpoint{};
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

void freelance_server::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

const freelance_server_counters& freelance_server::counters() const noexcept {
  return state_->counters();
}

}  // namespace zmtp
