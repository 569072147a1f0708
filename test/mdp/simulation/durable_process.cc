#include "test/mdp/simulation/durable_process.h"

#include "mdp/error.h"
#include "mdp/titanic/command.h"
#include "test/mdp/simulation/parcel.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mdp::simulation {

using boost::system::error_code;

void durable_process::begin() {
  client_.emplace(executor(), broker_, options_.client);
  wake_later();
}

// The program does not know whether its request was stored, and does not ask for it again.
void durable_process::end() {
  client_.reset();
  for (const auto call : std::exchange(asked_, {})) {
    here().calls().forget(call);
  }
  for (auto& [call, one] : kept_) {
    one.asking = false;
  }
}

void durable_process::wake_later() {
  after(here().up_to(options_.pace), [this] {
    wake();
    wake_later();
  });
}

void durable_process::wake() {
  auto& random = here().random();
  if (options_.requests != 0) {
    --options_.requests;
    request();
  }
  for (auto& [call, one] : kept_) {
    if (one.asking || (one.closed && !random.chance(2))) {
      continue;
    }
    // Now and then once more, though the reply has come.
    if (!one.replied || one.closed || random.chance(10)) {
      ask_for_reply(call);
    } else if (options_.closes && random.chance(10)) {
      close(call);
    }
  }
  if (random.chance(2)) {
    ask_nonsense();
  }
}

void durable_process::request() {
  auto& random = here().random();
  const auto& what = *asks_[random.pick(asks_.size())];
  const auto call = here().calls().begin_call(what);
  asked_.push_back(call);
  auto body = wrap_call(call, random.pick(options_.bytes + 1));
  body.push_front(what.name);
  client_->async_request(
      std::string{titanic::request_service}, std::move(body), {.attempts = 1},
      [this, call](const error_code& ec, const zmtp::message& answer) {
        auto& calls = here().calls();
        std::erase(asked_, call);
        const auto id = ec ? titanic::result<std::string>{ec} : titanic::parse_accepted(answer);
        if (id) {
          kept_[call] = {.id = *id};
        } else if (const auto known = outcome_of(ec);
                   known == outcome::refused || known == outcome::not_sent) {
          calls.on_failure(call, known);
        } else if (id.error() == titanic::errc::bad_request ||
                   id.error() == titanic::errc::bad_reply) {
          calls.report(violation::wrong_answer, name() + " was refused by Titanic");
        } else {
          // A store that fails may have stored the request nevertheless.
          calls.forget(call);
        }
      });
}

void durable_process::ask_for_reply(std::uint32_t call) {
  kept_[call].asking = true;
  stored_->on_asked(*titanic::parse_id(zmtp::message{kept_[call].id}));
  client_->async_request(std::string{titanic::reply_service}, zmtp::message{kept_[call].id},
                         [this, call](const error_code& ec, zmtp::message answer) {
                           auto& one = kept_[call];
                           auto& calls = here().calls();
                           one.asking = false;
                           if (ec) {
                             return;
                           }
                           const auto reply = titanic::parse_reply(std::move(answer));
                           const auto id = titanic::parse_id(zmtp::message{one.id});
                           if (reply) {
                             stored_->on_reply(*id, *reply);
                             if (!std::exchange(one.replied, true)) {
                               calls.on_reply(call, *reply);
                             }
                           } else if (reply.error() == titanic::errc::request_failed) {
                             stored_->on_failed(*id);
                           } else if (reply.error() == titanic::errc::unknown_id) {
                             stored_->on_unknown(*id);
                           }
                           if (!reply && !one.closed && reply.error() != titanic::errc::pending &&
                               reply.error() != titanic::errc::request_failed) {
                             calls.report(violation::forgotten, name() + " gets for call " +
                                                                    std::to_string(call) + ": " +
                                                                    reply.error().message());
                           }
                         });
}

void durable_process::close(std::uint32_t call) {
  kept_[call].asking = true;
  // The request may be gone, whatever the outcome of the close.
  kept_[call].closed = true;
  client_->async_request(
      std::string{titanic::close_service}, zmtp::message{kept_[call].id},
      [this, call](const error_code&, const zmtp::message&) { kept_[call].asking = false; });
}

// A malformed id is rejected, and has no effect.
void durable_process::ask_nonsense() {
  constexpr std::array<std::string_view, 3> ids{"../titanic", "0123456789ABCDEF",
                                                "00000000000000000000000000000000"};
  client_->async_request(
      std::string{titanic::reply_service}, zmtp::message{ids[here().random().pick(ids.size())]},
      [this](const error_code& ec, const zmtp::message& answer) {
        if (!ec && answer.front() != titanic::refused) {
          here().calls().report(violation::wrong_answer, "Titanic accepts a malformed id");
        }
      });
}

}  // namespace mdp::simulation
