#include "test/chp/simulation/guide_process.h"

#include "chp/command.h"
#include "chp/server_address.h"
#include "chp/update_id.h"
#include "test/chp/simulation/server_process.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/use_awaitable.hpp>

#include <cstdint>

namespace chp::simulation {

namespace asio = boost::asio;

asio::awaitable<void> guide_process::write() {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::pub_socket collectors{executor};
  zmtp::sub_socket publishers{executor};
  publishers.subscribe("");
  for (const server each : {0U, 1U}) {
    const auto at = server_address::at(endpoint_of(each));
    if (options_.sends_to.value_or(each) == each) {
      collectors.connect(at.collector);
    }
    publishers.connect(at.publisher);
  }
  zmtp::timer pause{executor};
  auto& random = world_->random();
  for (std::uint64_t n = 1;; ++n) {
    pause.expires_after(random.up_to(options_.pace));
    co_await pause.async_wait(asio::use_awaitable);
    zmtp::message read;
    while (publishers.try_receive(read)) {
    }
    if (!writes_) {
      continue;
    }
    const auto value =
        process_->host() + (options_.expects_once ? '.' : twice_mark) + std::to_string(n);
    const bool is_shared = random.chance(20);
    const auto key = is_shared               ? std::string{"/shared/0"}
                     : options_.expects_once ? "/once/" + value
                                             : "/plain/" + value;
    const auto which = history_->begin(process_->host(), key, value);
    const auto id = options_.has_ids ? update_id::of_random(random.next(), n) : update_id{};
    static_cast<void>(collectors.try_send(make_set(form::kvmsg, key, id, {}, value)));
    history_->forget(which);
  }
}

}  // namespace chp::simulation
