#include "zmtp/simulation/simulated_network.h"

#include <optional>
#include <utility>

namespace zmtp::simulation {

namespace {

// A connection attempt that gets no answer fails after this time.
constexpr std::chrono::seconds gives_up_connecting{3};

}  // namespace

simulated_host& simulated_network::add_host() {
  return *hosts_.emplace_back(std::make_unique<simulated_host>());
}

void simulated_network::listen(std::string_view name, simulated_host& at, handler on_accept) {
  listeners_.insert_or_assign(std::string{name}, listener{&at, std::move(on_accept)});
}

void simulated_network::unlisten(std::string_view name) {
  if (const auto known = listeners_.find(name); known != listeners_.end()) {
    listeners_.erase(known);
  }
}

event_queue::duration simulated_network::some_delay() {
  const auto span = static_cast<std::size_t>((options_.most_delay - options_.least_delay).count());
  return options_.least_delay +
         event_queue::duration{static_cast<std::int64_t>(state_.random.pick(span + 1))};
}

simulated_network::stream_ptr simulated_network::open(simulated_host& connecting,
                                                      simulated_host& accepting) {
  const stream_options how{
      .delay = some_delay(),
      .jitter = options_.jitter,
      .window = state_.random.between(options_.least_window, options_.most_window),
      .cuts = options_.cuts,
  };
  auto opened =
      std::make_shared<virtual_connection>(state_, ++last_stream_, how, connecting, accepting);
  streams_.push_back(opened);
  for (const auto& prepare : prepare_) {
    prepare(*opened);
  }
  return opened;
}

void simulated_network::connect(std::string_view name, simulated_host& from, handler on_connected) {
  state_.events.after(
      some_delay(), [this, name = std::string{name}, &from, then = std::move(on_connected)] {
        const auto known = listeners_.find(name);
        if (known != listeners_.end() && parted(from, *known->second.host)) {
          (void)after(from, gives_up_connecting, [then] { then(nullptr); });
          return;
        }
        if (known == listeners_.end() || state_.random.chance(options_.failing_connects)) {
          state_.note("no connection", {});
          from.run([then] { then(nullptr); });
          return;
        }
        const auto opened = open(from, *known->second.host);
        state_.note("connection: stream", {opened->id()});
        from.run([then, opened] { then(opened); });
        state_.events.after(some_delay(), [this, name, opened, host = known->second.host] {
          host->run([this, name, opened] {
            if (const auto at = listeners_.find(name); at != listeners_.end()) {
              at->second.on_accept(opened);
            } else {
              opened->close(end_of_stream::accepting);
            }
          });
        });
      });
}

void simulated_network::hold_back(const simulated_host& from, const simulated_host& to, bool held) {
  for (const auto& weak : streams_) {
    const auto s = weak.lock();
    for (const auto e : {end_of_stream::connecting, end_of_stream::accepting}) {
      if (s && &s->host(e) == &from && &s->host(other(e)) == &to) {
        s->hold_back(e, held);
      }
    }
  }
}

void simulated_network::part(const simulated_host& from, const simulated_host& to) {
  if (std::find(parted_.begin(), parted_.end(), std::pair{&from, &to}) == parted_.end()) {
    parted_.emplace_back(&from, &to);
    hold_back(from, to, true);
  }
}

void simulated_network::rejoin(const simulated_host& from, const simulated_host& to) {
  if (std::erase(parted_, std::pair{&from, &to}) != 0) {
    hold_back(from, to, false);
  }
}

void simulated_network::rejoin_all() {
  while (!parted_.empty()) {
    const auto [from, to] = *parted_.begin();
    rejoin(*from, *to);
  }
}

event_queue::ticket simulated_network::after(simulated_host& on, event_queue::duration wait,
                                             event_queue::action act) {
  return state_.events.after(wait, [&on, act = std::move(act)] { on.run(act); });
}

std::vector<simulated_network::stream_ptr> simulated_network::living() {
  std::vector<stream_ptr> found;
  std::erase_if(streams_, [&](const auto& weak) {
    const auto s = weak.lock();
    if (s && s->alive()) {
      found.push_back(s);
    }
    return !s || s->over();
  });
  return found;
}

void simulated_network::end_process(const simulated_host& on, bool without_power) {
  std::erase_if(listeners_, [&](const auto& named) { return named.second.host == &on; });
  for (const auto& weak : streams_) {
    const auto s = weak.lock();
    for (const auto e : {end_of_stream::connecting, end_of_stream::accepting}) {
      if (s && &s->host(e) == &on) {
        if (without_power) {
          s->cut(std::nullopt, std::nullopt);
        }
        s->close(e);
      }
    }
  }
}

}  // namespace zmtp::simulation
