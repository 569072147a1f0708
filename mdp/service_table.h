#pragma once
// The broker's services by name. A service exists while it has a worker or a waiting request, or
// always if a rule names it.

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
  std::size_t workers = 0;  // live, busy or not, and taking requests
  std::size_t leaving = 0;  // workers that take no more requests
  std::size_t busy = 0;     // workers with requests
  std::size_t working = 0;  // requests assigned to workers
  // Workers that can take a request. Workers without requests come first, so that no request waits
  // behind another while a worker is idle.
  list_of<worker_record, &worker_record::ready> idle;     // idle for longest first
  list_of<worker_record, &worker_record::ready> at_work;  // below their capacity; they take turns
  // A busy worker that gets nothing more until it is idle, then a suspect; see request_queue. Or
  // null.
  worker_record* emptying = nullptr;
  // While a worker can take a request, this contains only suspects that wait for an idle worker, and
  // returned requests that this worker must not get.
  request_queue waiting;
  std::size_t unanswered = 0;  // requests whose clients wait
  std::size_t bytes = 0;       // bytes, all unanswered requests
  request_counters counters;
  service_times times;
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

  // Returns null if no service has this name.
  [[nodiscard]] service* find(std::string_view name) noexcept;
  // Adds a service without workers. No service may have this name.
  service& create(std::string_view name, const service_options& options, bool lasting,
                  time_point now);
  void remove(service& s) noexcept;
  void set_lasting(service& s, bool lasting) noexcept;
  void add_worker(service& s) noexcept;
  void remove_worker(service& s, time_point now) noexcept;

  // Visits all services in no particular order. `visit` may remove the visited service.
  template <class Visitor>
  void for_each(Visitor visit) {
    services_.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return by_name_.size(); }
  // Returns the number of services without a worker, except those with a rule.
  [[nodiscard]] std::size_t without_worker() const noexcept { return without_worker_; }

  // Visits services in the order of their names, from the first name after `after`, while `visit`
  // returns true.
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
  // Declared after the pool, because the set must be destroyed before its elements.
  boost::intrusive::set<service,
                        boost::intrusive::member_hook<service, boost::intrusive::set_member_hook<>,
                                                      &service::by_name>,
                        boost::intrusive::key_of_value<name_of>>
      in_order_;
  boost::unordered_flat_map<std::string_view, service*, hash, std::equal_to<>> by_name_;
  std::size_t without_worker_ = 0;
};

}  // namespace mdp
