#include "mdp/worker_choice.h"

#include <algorithm>
#include <utility>

namespace mdp {

namespace {

template <class Workers>
worker_record* first_of(Workers& workers, const request& r) noexcept {
  const auto at = std::find_if(workers.begin(), workers.end(),
                               [&](const worker_record& w) { return w.peer != r.refused_by; });
  return at == workers.end() ? nullptr : &*at;
}

}  // namespace

void make_available(worker_record& w) noexcept {
  auto& s = *w.serves;
  if (w.leaving) {
    return;
  }
  if (w.held == 0) {
    w.ready.unlink();
    s.idle.push_back(w);
    if (s.emptying == &w) {
      s.emptying = nullptr;
    }
  } else if (s.emptying != &w && !w.ready.is_linked()) {
    s.at_work.push_back(w);
  }
}

void make_unavailable(worker_record& w) noexcept {
  auto& s = *w.serves;
  w.ready.unlink();
  if (s.emptying == &w) {
    s.emptying = nullptr;
  }
}

void on_assigned(worker_record& w, bool suspect) noexcept {
  w.ready.unlink();
  if (w.held < w.capacity && !suspect) {
    w.serves->at_work.push_back(w);
  }
}

worker_record* worker_for(const request& r) noexcept {
  auto* const idle = first_of(r.asked->idle, r);
  return idle != nullptr ? idle : first_of(r.asked->at_work, r);
}

choice take_suspect(service& s) noexcept {
  auto* const next = s.waiting.suspect();
  if (next == nullptr || s.idle.empty()) {
    return {};
  }
  choice made{.taken = next};
  // change_services() may have lowered the limit while the request was in the queue.
  if (next->attempts >= s.options.attempts) {
    made.is = choice::action::exhaust;
  } else if (made.worker = first_of(s.idle, *next); made.worker != nullptr) {
    made.is = choice::action::assign;
  } else if (s.workers == 1) {
    made.is = choice::action::decline;
  } else {
    return {};
  }
  s.waiting.remove(*next);
  return made;
}

void reserve_worker(service& s) noexcept {
  if (s.waiting.suspect() == nullptr) {
    if (auto* const reserved = std::exchange(s.emptying, nullptr); reserved != nullptr) {
      make_available(*reserved);
    }
  } else if (s.emptying == nullptr && !s.at_work.empty()) {
    s.emptying = &s.at_work.front();
    s.emptying->ready.unlink();
  }
}

choice take_request(service& s) noexcept {
  if (auto* const back = s.waiting.returned(); back != nullptr) {
    if (auto* const taker = worker_for(*back); taker != nullptr) {
      s.waiting.remove(*back);
      return {choice::action::assign, back, taker};
    }
    if (s.has_room() && s.workers == 1) {
      s.waiting.remove(*back);
      return {choice::action::decline, back, nullptr};
    }
  }
  if (s.has_room() && s.waiting.has_turn()) {
    auto& next = s.waiting.take();
    return {choice::action::assign, &next, worker_for(next)};
  }
  return {};
}

}  // namespace mdp
