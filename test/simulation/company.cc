#include "test/simulation/company.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace zmtp::simulation {

namespace {

// Beyond, nothing will ever come to rest.
constexpr std::uint64_t most_events = 300'000;

}  // namespace

company::company(std::uint64_t seed, const trace::printer& print) : net_{seed, {}} {
  net_.here().notes.print_to(print);
  net_.observe(&books_);
}

party& company::add(casting part) {
  part.number = static_cast<std::uint32_t>(parties_.size() + 1);
  parties_.push_back(cast(net_, books_, std::move(part)));
  return *parties_.back();
}

void company::introduce(party& connects, party& binds, event_queue::duration bound_after) {
  const auto name = binds.name() + " for " + connects.name();
  endpoints_.push_back({&binds.socket(), &connects.socket(), name});
  if (bound_after.count() == 0) {
    binds.socket().bind(name);
  } else {
    net_.here().events.after(bound_after, [&binds, name] { binds.socket().bind(name); });
  }
  connects.socket().connect(name);
}

// Events until there are none.
void company::come_to_rest(const char* when) {
  auto& events = net_.here().events;
  while (!events.empty()) {
    if (events.happened() > most_events) {
      books_.report(violation::stuck, std::string{"it never comes to rest "} + when);
      return;
    }
    events.run_next();
  }
}

void company::check_rest(const char* when, bool excused) {
  for (const auto& p : parties_) {
    const auto who = p->name() + " (" + std::string{to_string(p->socket().state().type())} + ") ";
    const auto complain = [&](std::string_view what) {
      books_.report(violation::stuck, who + std::string{what} + " " + when);
    };
    p->socket().state().for_each_pipe([&](const pipe& of) {
      if (!of.attached) {
        complain("has a pipe without a connection");
      }
      if (of.out.messages() != 0) {
        complain("has messages to write");
      }
      if (of.blocked) {
        complain("has bytes to decode");
      }
      if (of.in.size() != 0) {
        complain("has messages to receive");
      }
    });
    books_.check_subscribers(p->socket());
    if (!excused && !p->stuck().empty()) {
      complain(p->stuck());
    }
  }
}

template <class As, class Body>
void company::for_each_that(bool (*is)(socket_type), Body&& body) {
  for (const auto& p : parties_) {
    if (is(p->socket().state().type())) {
      body(static_cast<As&>(*p));
    }
  }
}

// From here on nothing may be lost.
void company::say_more() {
  books_.expect_all();
  for_each_that<sub_party>(subscribes, [](sub_party& p) { p.settle_down(); });
  for (int round = 0; round < 2; ++round) {
    for (const auto& p : parties_) {
      const auto type = p->socket().state().type();
      if (publishes(type) || subscribes(type) || type == socket_type::rep ||
          type == socket_type::pull) {
        continue;
      }
      const auto waits_for_ever = !p->stuck().empty();
      p->send_another();
      come_to_rest("after one more");
      if (!waits_for_ever && !p->stuck().empty()) {
        books_.report(violation::stuck, p->name() + ": " + std::string{p->stuck()});
      }
    }
  }
  publish_all();
  subscribe_to_more();
  speak_to_publishers();
  check_rest("after one more", true);
}

// Every subscriber must receive everything that it subscribed to, and nothing else.
void company::publish_all() {
  for_each_that<pub_party>(publishes, [&](pub_party& publisher) {
    for (const auto topic : pub_party::topics) {
      publisher.publish_next(topic);
      publisher.send_another();
      come_to_rest("after a publication");
      for_each_that<sub_party>(subscribes, [&](sub_party& s) {
        const auto wanted = s.is_due(publisher, topic);
        if (wanted != books_.has_received(s.number(), publisher.last())) {
          books_.report(wanted ? violation::lost : violation::not_wanted,
                        s.name() + " and what " + publisher.name() + " publishes under \"" +
                            std::string{topic} + "\"");
        }
      });
    }
  });
}

// A peer that subscribes to a topic gets the last values of all topics with this prefix, even if it
// had received them before. No other peer gets them, and this peer gets nothing else.
void company::subscribe_to_more() {
  for_each_that<sub_party>(subscribes, [&](sub_party& s) {
    const auto* const topic =
        std::find_if(std::begin(sub_party::topics), std::end(sub_party::topics),
                     [&](const auto& t) { return !s.has(t); });
    if (topic == std::end(sub_party::topics)) {
      return;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> expected;
    for_each_that<pub_party>(publishes, [&](const pub_party& publisher) {
      const auto given = publisher.granted(*topic);
      for (const auto& [of, value] : books_.publications_of(publisher.number()).values()) {
        expected[{publisher.number(), value}] =
            books_.times_received(s.number(), publisher.number(), value) +
            (given && of.starts_with(*given) ? 1 : 0);
      }
    });
    s.subscribe_to(*topic);
    come_to_rest("after a subscription");
    for (const auto& [value, times] : expected) {
      const auto received = books_.times_received(s.number(), value.first, value.second);
      if (received != times) {
        books_.report(received < times ? violation::lost : violation::duplicate,
                      s.name() + " and last value " + std::to_string(value.second) + " of party " +
                          std::to_string(value.first));
      }
    }
  });
}

// XPUB must receive the messages that XSUB sends.
void company::speak_to_publishers() {
  for_each_that<sub_party>([](socket_type type) { return type == socket_type::xsub; },
                           [&](sub_party& speaker) {
                             speaker.send_another();
                             come_to_rest("after a word to the publishers");
                             for (const auto& p : parties_) {
                               if (p->socket().state().type() == socket_type::xpub &&
                                   !books_.has_received(p->number(), speaker.last())) {
                                 books_.report(violation::lost,
                                               p->name() + " and what " + speaker.name() + " says");
                               }
                             }
                           });
}

void company::take_leave() {
  books_.close();
  for (const auto& p : parties_) {
    books_.check_counters(p->socket());
  }
  for (const auto& e : endpoints_) {
    e.binds->unbind(e.name);
    e.connects->disconnect(e.name);
  }
  come_to_rest("at the end");
  for (const auto& p : parties_) {
    std::size_t left = 0;
    p->socket().state().for_each_pipe([&](const pipe&) { ++left; });
    if (left != 0 || p->socket().links() != 0) {
      books_.report(violation::leaked, p->name() + " has " + std::to_string(left) + " pipes and " +
                                           std::to_string(p->socket().links()) + " links left");
    }
    books_.check_counters(p->socket());
    books_.check_subscribers(p->socket());
  }
  books_.check_all_detached();
}

}  // namespace zmtp::simulation
