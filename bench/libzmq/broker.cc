#include "bench/libzmq/broker.h"

#include <cstdio>
#include <iterator>
#include <utility>

namespace bench::libzmq {
namespace {

using clock = std::chrono::steady_clock;

// [sender][empty][header][command or service]
constexpr std::size_t sender_at = 0;
constexpr std::size_t header_at = 2;
constexpr std::size_t word_at = 3;
constexpr std::size_t rest_at = 4;

}  // namespace

void broker::handle_message() {
  receive_all(router_, parts_);
  const bool complete = parts_.size() > word_at && parts_[1].text().empty();
  if (complete && parts_[header_at].text() == client_header) {
    handle_client(parts_);
  } else if (complete && parts_[header_at].text() == worker_header) {
    handle_worker(parts_);
  } else {
    std::fputs("a message that is not of Majordomo 0.1 was ignored\n", stderr);
  }
}

void broker::handle_client(multipart& parts) {
  std::string name{parts[word_at].text()};
  service& wanted = services_[name];
  wanted.name = std::move(name);
  multipart& queued = wanted.requests.emplace_back();
  queued.reserve(parts.size() - rest_at + 1);
  queued.push_back(std::move(parts[sender_at]));
  const auto body = parts.begin() + rest_at;
  queued.insert(queued.end(), std::move_iterator{body}, std::move_iterator{parts.end()});
  dispatch(wanted);
}

void broker::handle_worker(multipart& parts) {
  const std::string address{parts[sender_at].text()};
  const std::string_view command = parts[word_at].text();
  const auto known = workers_.find(address);
  if (command == ready && known == workers_.end() && parts.size() > rest_at) {
    register_worker(parts);
  } else if (command == reply && known != workers_.end()) {
    forward_reply(known->second, parts);
  } else if (command == heartbeat && known != workers_.end()) {
    known->second.expiry = clock::now() + expiry_time_;
  } else if (command == disconnect) {
    if (known != workers_.end()) {
      remove(known->second);
    }
  } else {
    send_command(address, disconnect, more_parts::no);
    if (known != workers_.end()) {
      remove(known->second);
    }
  }
}

void broker::register_worker(multipart& parts) {
  std::string name{parts[rest_at].text()};
  service& served = services_[name];
  served.name = std::move(name);
  std::string address{parts[sender_at].text()};
  worker& added = workers_[address];
  added.address = std::move(address);
  added.serves = &served;
  becomes_idle(added);
}

void broker::forward_reply(worker& from, multipart& parts) {
  // [client][empty][body...] behind the command.
  if (parts.size() > rest_at + 2) {
    router_.send(parts[rest_at], more_parts::yes);
    router_.send(parts[rest_at + 1], more_parts::yes);
    router_.send_copy(client_header, more_parts::yes);
    router_.send_copy(from.serves->name, more_parts::yes);
    send_from(router_, parts, rest_at + 2);
  }
  becomes_idle(from);
}

void broker::becomes_idle(worker& of) {
  of.expiry = clock::now() + expiry_time_;
  if (!of.idle) {
    of.idle = true;
    of.serves->idle.push_back(&of);
  }
  dispatch(*of.serves);
}

void broker::dispatch(service& of) {
  while (!of.requests.empty() && !of.idle.empty()) {
    worker& chosen = *of.idle.front();
    of.idle.pop_front();
    chosen.idle = false;
    multipart& oldest = of.requests.front();
    send_command(chosen.address, request, more_parts::yes);
    router_.send(oldest.front(), more_parts::yes);
    router_.send_copy("", oldest.size() > 1 ? more_parts::yes : more_parts::no);
    send_from(router_, oldest, 1);
    of.requests.pop_front();
  }
}

void broker::remove(worker& which) {
  which.serves->idle.remove(&which);
  workers_.erase(std::string{which.address});
}

void broker::tick() {
  const auto now = clock::now();
  for (auto entry = workers_.begin(); entry != workers_.end();) {
    worker& one = entry->second;
    if (one.idle && one.expiry < now) {
      one.serves->idle.remove(&one);
      entry = workers_.erase(entry);
    } else {
      ++entry;
    }
  }
  for (const auto& [address, one] : workers_) {
    if (one.idle) {
      send_command(address, heartbeat, more_parts::no);
    }
  }
}

void broker::send_command(std::string_view address, std::string_view command, more_parts more) {
  router_.send_copy(address, more_parts::yes);
  router_.send_copy("", more_parts::yes);
  router_.send_copy(worker_header, more_parts::yes);
  router_.send_copy(command, more);
}

}  // namespace bench::libzmq
