// Messages of servers to a Freelance client, and of clients to a server, in any order.

#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"
#include "zmtp/pattern/freelance_client_state.h"
#include "zmtp/pattern/freelance_frames.h"
#include "zmtp/pattern/freelance_server_state.h"

#include <chrono>
#include <set>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t session = 0x3030'3030'3030'3030;  // eight characters '0'

void try_client(freelance_model model, std::string_view bytes) {
  freelance_client_state client{{.model = model, .calls = 8}, 2, session};
  freelance_client_actions actions;
  freelance_client_state::time_point now{1h};
  std::set<std::uint64_t> open;
  while (!bytes.empty()) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t server = what % 2;
    switch (what / 2 % 8) {
      case 0: client.on_attached(server, now, actions); break;
      case 1: client.on_detached(server, now, actions); break;
      case 2: now += 300ms; break;
      case 3: client.on_deadline(now, actions); break;
      case 4:
      case 5:
        if (const auto call = client.ask(message{std::string_view{"body"}},
                                         {.idempotent = what / 16 % 2 == 0}, now, actions)) {
          open.insert(*call);
        }
        break;
      default: client.on_message(server, take_message(bytes, 1 + what / 64), now, actions); break;
    }
    for (const auto& one : actions.sends) {
      require(one.server < 2 && !one.content.empty(), "what is sent has somebody to go to");
      require(one.call == 0 || one.call <= client.counters().calls, "it is of a call, or a PING");
    }
    for (const auto& one : actions.ends) {
      require(open.erase(one.call) == 1, "a call ends once");
      require(one.failure.has_value() || !one.answer.empty(), "an answer has a body");
    }
    actions.clear();
    require(client.in_flight() == open.size(), "what has not ended is in flight");
  }
}

void try_server(const freelance_server_options& options, std::string_view bytes) {
  freelance_server_state server{options};
  const freelance_server_state::time_point now{1h};
  while (!bytes.empty() && server.wants_requests()) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    freelance_server_actions actions;
    server.on_message({what % 2U, 1}, what / 2 % 2 == 0, take_message(bytes, 1 + what / 4 % 5), now,
                      actions);
    for (auto& one : actions.requests) {
      require(!one.body.empty(), "a request has a body");
      freelance_server_actions after;
      if (what / 32 % 2 == 0) {
        require(!server.reply(one.id, std::move(one.body), now, after), "it can be answered");
        require(after.sends.size() == 1 && after.sends.front().second.size() >= 2,
                "with one reply, behind what it is known by");
      } else if (what / 64 % 2 == 0) {
        server.drop(one.id);
      }
    }
  }
}

void try_control(std::string_view bytes) {
  if (const auto control = control_frame::parse(bytes.substr(0, control_frame::size))) {
    const auto again = control->bytes();
    require(bytes.starts_with(std::string_view{again.data(), again.size()}),
            "what is read and written is the same");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zmtp;
  const auto bytes = fuzz::text_of(data, size);
  fuzz::try_control(bytes);
  for (const auto model : {freelance_model::shotgun, freelance_model::directed}) {
    fuzz::try_client(model, bytes);
  }
  for (const auto form : {freelance_form::plain, freelance_form::sequenced, freelance_form::flp}) {
    fuzz::try_server({.form = form, .in_flight = 8}, bytes);
    fuzz::try_server(
        {.form = form, .keep_replies = reply_cache_options{.entries = 4}, .in_flight = 8}, bytes);
  }
  return 0;
}
