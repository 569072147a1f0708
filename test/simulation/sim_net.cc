#include "test/simulation/sim_net.h"

#include <utility>

namespace zmtp::simulation {

namespace {

// A connection attempt that gets no answer fails after this time.
constexpr std::chrono::seconds gives_up_connecting{3};

}  // namespace

sim_host& sim_net::add_host() { return *hosts_.emplace_back(std::make_unique<sim_host>()); }

void sim_net::listen(std::string_view name, sim_host& at, handler on_accept) {
  listeners_.insert_or_assign(std::string{name}, listener{&at, std::move(on_accept)});
}

void sim_net::unlisten(std::string_view name) {
  if (const auto known = listeners_.find(name); known != listeners_.end()) {
    listeners_.erase(known);
  }
}

event_queue::duration sim_net::some_delay() {
  const auto span = static_cast<std::size_t>((options_.most_delay - options_.least_delay).count());
  return options_.least_delay +
         event_queue::duration{static_cast<std::int64_t>(world_.random.pick(span + 1))};
}

sim_net::stream_ptr sim_net::open(sim_host& connecting, sim_host& accepting) {
  const stream_options how{
      .delay = some_delay(),
      .jitter = options_.jitter,
      .window = world_.random.between(options_.least_window, options_.most_window),
      .cuts = options_.cuts,
  };
  auto opened = std::make_shared<virtual_stream>(world_, ++last_stream_, how, connecting, accepting,
                                                 observer_);
  streams_.push_back(opened);
  if (prepare_) {
    prepare_(*opened);
  }
  return opened;
}

void sim_net::connect(std::string_view name, sim_host& from, handler on_connected) {
  world_.events.after(
      some_delay(), [this, name = std::string{name}, &from, then = std::move(on_connected)] {
        const auto known = listeners_.find(name);
        if (known != listeners_.end() && parted(from, *known->second.host)) {
          (void)after(from, gives_up_connecting, [then] { then(nullptr); });
          return;
        }
        if (known == listeners_.end() || world_.random.chance(options_.failing_connects)) {
          world_.note("no connection", {});
          from.run([then] { then(nullptr); });
          return;
        }
        const auto opened = open(from, *known->second.host);
        world_.note("connection: stream", {opened->id()});
        from.run([then, opened] { then(opened); });
        world_.events.after(some_delay(), [this, name, opened, host = known->second.host] {
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

void sim_net::hold_back(const sim_host& from, const sim_host& to, bool held) {
  for (const auto& weak : streams_) {
    const auto s = weak.lock();
    for (const auto e : {end_of_stream::connecting, end_of_stream::accepting}) {
      if (s && &s->host(e) == &from && &s->host(other(e)) == &to) {
        s->hold_back(e, held);
      }
    }
  }
}

void sim_net::part(const sim_host& from, const sim_host& to) {
  if (std::find(parted_.begin(), parted_.end(), std::pair{&from, &to}) == parted_.end()) {
    parted_.emplace_back(&from, &to);
    hold_back(from, to, true);
  }
}

void sim_net::rejoin(const sim_host& from, const sim_host& to) {
  if (std::erase(parted_, std::pair{&from, &to}) != 0) {
    hold_back(from, to, false);
  }
}

void sim_net::rejoin_all() {
  while (!parted_.empty()) {
    const auto [from, to] = *parted_.begin();
    rejoin(*from, *to);
  }
}

event_queue::ticket sim_net::after(sim_host& on, event_queue::duration wait,
                                   event_queue::action act) {
  return world_.events.after(wait, [&on, act = std::move(act)] { on.run(act); });
}

std::vector<sim_net::stream_ptr> sim_net::living() {
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

}  // namespace zmtp::simulation
