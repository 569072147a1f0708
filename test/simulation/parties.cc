#include "test/simulation/parties.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zmtp::simulation {

namespace {

constexpr std::array<std::string_view, 1> delimiter{std::string_view{}};

template <class Topics>
bool matches(const Topics& topics, std::string_view first_part) {
  return std::any_of(topics.begin(), topics.end(),
                     [&](const auto& topic) { return first_part.starts_with(topic); });
}

std::vector<std::string> copies(std::span<const std::string_view> parts) {
  return {parts.begin(), parts.end()};
}

}  // namespace

plain_party::plain_party(simulated_network& net, ledger& books, std::uint32_t number,
                         std::unique_ptr<socket_state> state, const habits& how, bool delimits)
    : party{net, books, number, std::move(state), how}, delimits_{delimits} {}

bool plain_party::receive() {
  routed_message m;
  if (!socket().state().receive(m)) {
    return false;
  }
  (void)books().received(number(), m);
  return true;
}

bool plain_party::speak() {
  if (!offer(delimits_ ? std::span<const std::string_view>{delimiter}
                       : std::span<const std::string_view>{})) {
    return false;
  }
  said();
  return true;
}

router_party::router_party(simulated_network& net, ledger& books, std::uint32_t number,
                           const socket_options& options, const habits& how, bool only_answers)
    : party{net, books, number, std::make_unique<router_state>(options), how},
      only_answers_{only_answers} {}

bool router_party::receive() {
  routed_message m;
  if (!state().receive(m)) {
    return false;
  }
  const auto got = books().received(number(), m);
  if (m.what == routed_message::kind::detached) {
    known_.erase(m.peer);
  } else if (const auto* p = state().find(m.peer);
             p != nullptr && p->info.routing_id.starts_with("party ")) {
    known_[m.peer] = static_cast<std::uint32_t>(std::stoul(p->info.routing_id.substr(6)));
  }
  if (got) {
    known_[m.peer] = got->sender;
    if (got->answers == 0 && (only_answers_ || random().chance(50))) {
      answers_.push_back({m.peer, *got, copies(unwrap(m.content).envelope)});
    }
  }
  return true;
}

bool router_party::speak() {
  if (!answers_.empty()) {
    const auto next = std::move(answers_.front());
    answers_.pop_front();
    const std::vector<std::string_view> envelope{next.envelope.begin(), next.envelope.end()};
    send_to(next.to, next.request.sender, next.request.sequence, envelope);
    return true;
  }
  if (known_.empty()) {
    return false;
  }
  said();
  if (!only_answers_) {
    const auto to =
        *std::next(known_.begin(), static_cast<std::ptrdiff_t>(random().pick(known_.size())));
    send_to(to.first, to.second, 0, {});
  }
  return true;
}

// Drops a message that the socket cannot queue.
void router_party::send_to(peer_id peer, std::uint32_t destination, std::uint32_t answers,
                           std::span<const std::string_view> envelope) {
  auto p = books().next(number(), destination, answers);
  auto m = wrap(p, envelope, how().sizes, random());
  // By its name, if it has one, or as the one that spoke.
  if (const auto named = state().find_routing_id("party " + std::to_string(destination));
      named && random().chance(50)) {
    peer = *named;
  }
  const auto status = socket().send([&](if_full) { return state().send(peer, std::move(m)); });
  if (status == send_status::queued) {
    books().queued(p);
  } else {
    state().count_drop(peer, status);
  }
}

req_party::req_party(simulated_network& net, ledger& books, std::uint32_t number,
                     const socket_options& options, const habits& how)
    : party{net, books, number, std::make_unique<req_state>(options), how} {
  books.excuse_drops(number, [](std::string_view) { return true; });
}

bool req_party::speak() {
  if (!offer({})) {
    return false;
  }
  said();
  asking_ = true;
  impatient_ = false;
  if (socket().state().options().relaxed) {
    ask_again_later();
  }
  return true;
}

void req_party::ask_again_later() {
  constexpr std::chrono::seconds timeout{3};
  const auto asked = last().sequence;
  (void)socket().net().after(socket().host(), timeout, [this, asked] {
    if (asking_ && last().sequence == asked) {
      impatient_ = true;
      send_another();
    }
  });
}

bool req_party::receive() {
  message m;
  if (!socket().state().receive(m)) {
    return false;
  }
  const auto got = books().received(number(), m);
  if (got && (!asking_ || got->destination != number() || got->answers != last().sequence)) {
    books().report(violation::wrong_answer,
                   "REQ " + std::to_string(number()) + " asked " + std::to_string(last().sequence) +
                       " and receives the answer to " + std::to_string(got->answers));
  }
  asking_ = false;
  impatient_ = false;
  return true;
}

rep_party::rep_party(simulated_network& net, ledger& books, std::uint32_t number,
                     const socket_options& options, const habits& how)
    : party{net, books, number, std::make_unique<rep_state>(options), how} {}

bool rep_party::receive() {
  message m;
  if (request_ || !socket().state().receive(m)) {
    return false;
  }
  request_ = books().received(number(), m);
  return true;
}

bool rep_party::speak() {
  const auto request = *request_;
  if (!offer({}, request.sender, request.sequence)) {
    return false;
  }
  request_.reset();
  return true;
}

pub_party::pub_party(simulated_network& net, ledger& books, std::uint32_t number,
                     std::unique_ptr<socket_state> state, const habits& how)
    : party{net, books, number, std::move(state), how},
      manual_{socket().state().options().xpub.manual} {
  const auto& options = socket().state().options();
  const auto& last_values = options.xpub.last_values;
  books.expect_publications(
      number, {.manual = manual_,
               .last_values = last_values ? std::optional{last_values->topics} : std::nullopt});
  if (socket().state().type() == socket_type::pub) {
    books.excuse_drops(number, [](std::string_view) { return true; });
  }
}

// Manual mode: grants less than the peers requested, or nothing. A granted topic never equals one
// that another peer requests.
std::optional<std::string_view> pub_party::granted(std::string_view topic) const {
  if (manual_ && topic == "ba") {
    return std::nullopt;
  }
  return manual_ && topic == "weather" ? "weather today" : topic;
}

void pub_party::grant(const routed_message& action) {
  auto& publisher = static_cast<xpub_state&>(socket().state());
  const auto wanted = action.content.front();
  const auto begins = wanted.front() == '\1';
  const auto topic = granted(wanted.substr(1));
  if (topic &&
      (begins ? publisher.subscribe(action.peer, *topic) : publisher.cancel(action.peer, *topic))) {
    books().given(number(), action.peer, begins, *topic);
  }
}

bool pub_party::receive() {
  routed_message m;
  if (!socket().state().receive(m)) {
    return false;
  }
  const auto said = books().received(number(), m);
  if (manual_ && !said && m.what == routed_message::kind::message) {
    grant(m);
  }
  return true;
}

bool pub_party::speak() {
  if (!next_topic_) {
    next_topic_ = topics[random().pick(std::size(topics))];
  }
  const std::array<std::string_view, 1> envelope{*next_topic_};
  if (!offer(envelope)) {
    return false;
  }
  next_topic_.reset();
  said();
  return true;
}

sub_party::sub_party(simulated_network& net, ledger& books, std::uint32_t number,
                     std::unique_ptr<socket_state> state, const habits& how, unsigned changes)
    : party{net, books, number, std::move(state), how}, changes_{changes} {
  if (filters()) {
    books.excuse_drops(number, [this](std::string_view topic) { return !wants(topic); });
  } else {
    books.expect_publications(number, {.to_all = true});
  }
  for (auto count = random().between(1, 3); count != 0; --count) {
    begin(topics[random().pick(std::size(topics))]);
  }
}

bool sub_party::wants(std::string_view topic) const { return matches(topics_, topic); }

bool sub_party::is_due(const pub_party& publisher, std::string_view topic) const {
  return std::any_of(topics_.begin(), topics_.end(), [&](const auto& wanted) {
    const auto granted = publisher.granted(wanted);
    return granted && topic.starts_with(*granted);
  });
}

// Only what stands alone is a subscription.
bool sub_party::speak() {
  static constexpr std::array<std::string_view, 1> like_a_subscription{"\1weather"};
  if (!offer(random().chance(50) ? std::span<const std::string_view>{like_a_subscription}
                                 : std::span<const std::string_view>{})) {
    return false;
  }
  said();
  return true;
}

bool sub_party::receive() {
  routed_message received;
  if (!socket().state().receive_from(received)) {
    if (random().chance(changes_)) {
      change_topics();
    }
    return false;
  }
  const auto& m = received.content;
  (void)books().received(number(), m, received.peer);
  // XSUB does not filter messages that were in flight when it cancelled the topic.
  if (!(filters() ? wants(m.front()) : matches(ever_, m.front()))) {
    books().report(violation::not_wanted, name() + " receives what it did not subscribe to");
  }
  return true;
}

void sub_party::change_topics() {
  auto idle = socket().state().resumable().empty();
  socket().state().for_each_pipe([&](const pipe& p) { idle = idle && !p.blocked; });
  if (!idle) {
    return;
  }
  books().pass_over_all(number());
  if (!topics_.empty() && random().chance(50)) {
    const auto gone =
        std::next(topics_.begin(), static_cast<std::ptrdiff_t>(random().pick(topics_.size())));
    const auto topic = *gone;
    topics_.erase(gone);
    end(topic);
  } else {
    begin(topics[random().pick(std::size(topics))]);
  }
}

void sub_party::subscribe_to(std::string_view topic) {
  books().pass_over_all(number());
  begin(topic);
}

void sub_party::begin(std::string_view topic) {
  topics_.emplace(topic);
  ever_.emplace(topic);
  if (filters()) {
    socket().subscribe(topic);
  } else {
    say('\1', topic);
  }
}

void sub_party::end(std::string_view topic) {
  if (filters()) {
    socket().unsubscribe(topic);
  } else {
    say('\0', topic);
  }
}

// XSUB's way.
void sub_party::say(char what, std::string_view topic) {
  (void)socket().send(message{what + std::string{topic}});
}

}  // namespace zmtp::simulation
