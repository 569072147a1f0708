#pragma once
// The services of the broker by name. A service exists while it has a worker or a waiting request, or
// for good if a rule names it.

#include "mdp/broker_actions.h"
#include "mdp/broker_records.h"
#include "mdp/options.h"
#include "mdp/pool.h"
#include "mdp/request_queue.h"

#include <boost/intrusive/set.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mdp {

struct service {
  service(std::string_view n, const service_options& o, bool for_good, pool<line>& lines)
      : name{n}, options{o}, lasting{for_good}, waiting{lines} {}

  std::string name;
  service_options options;
  bool lasting;             // named by a rule
  std::size_t workers = 0;  // alive, at work or not, and taking requests
  std::size_t leaving = 0;  // workers that take no more requests
  std::size_t busy = 0;     // workers at work
  std::size_t working = 0;  // requests in their hands
  // Workers that can take a request. Those with empty hands come first, so that no request waits at
  // the side of another while somebody is idle.
  list_of<worker_record, &worker_record::ready> idle;     // the longest idle first
  list_of<worker_record, &worker_record::ready> at_work;  // below their capacity; they take turns
  // At work, and given nothing more until it is idle: for a suspect, see request_queue. Null without one.
  worker_record* emptying = nullptr;
  // While a worker can take a request, only those that were given back, and not for this worker.
  request_queue waiting;
  std::size_t unanswered = 0;  // requests whose clients wait
  std::size_t octets = 0;      // bytes, all unanswered requests
  request_counters counters;
  list_of<client_record, &client_record::blocked> blocked;
  time_point unserved_since;  // while it has no worker
  std::size_t heap_place = not_in_heap;
  boost::intrusive::set_member_hook<> by_name;

  [[nodiscard]] bool has_room() const noexcept { return !idle.empty() || !at_work.empty(); }
};

class service_table {
public:
  // `lines` must outlive the table.
  explicit service_table(pool<line>& lines) noexcept : lines_{lines} {}

  // Null if there is none of this name.
  [[nodiscard]] service* find(std::string_view name) noexcept;
  // There must be none of this name; the new one has no worker.
  service& create(std::string_view name, const service_options& options, bool lasting,
                  time_point now);
  void remove(service& s) noexcept;
  void set_lasting(service& s, bool lasting) noexcept;
  void add_worker(service& s) noexcept;
  void remove_worker(service& s, time_point now) noexcept;

  // In no order; what is being visited may be removed.
  template <class Visitor>
  void for_each(Visitor visit) {
    services_.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return by_name_.size(); }
  // But for those that are there for good.
  [[nodiscard]] std::size_t without_worker() const noexcept { return without_worker_; }

  // In the order of their names, from the first behind `after`, while `visit` returns true.
  template <class Visitor>
  void for_each_after(std::string_view after, Visitor visit) const {
    for (auto at = in_order_.upper_bound(after); at != in_order_.end() && visit(*at); ++at) {
    }
  }

private:
  struct hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };

  struct name_of {
    using type = std::string_view;
    type operator()(const service& s) const noexcept { return s.name; }
  };

  pool<line>& lines_;
  pool<service> services_;
  // Lets go of the services before they end.
  boost::intrusive::set<service,
                        boost::intrusive::member_hook<service, boost::intrusive::set_member_hook<>,
                                                      &service::by_name>,
                        boost::intrusive::key_of_value<name_of>>
      in_order_;
  boost::unordered_flat_map<std::string_view, service*, hash, std::equal_to<>> by_name_;
  std::size_t without_worker_ = 0;
};

}  // namespace mdp
