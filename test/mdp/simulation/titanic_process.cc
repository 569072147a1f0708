#include "test/mdp/simulation/titanic_process.h"

#include "mdp/titanic/command.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

namespace {

using std::chrono::milliseconds;

constexpr auto path = "titanic";
constexpr milliseconds looked_after_every{2'000};

titanic::sqlite_options store_options(const zmtp::test::faulty_disk& disk, bool sync,
                                      std::function<std::chrono::sys_seconds()> clock) {
  titanic::sqlite_options o;
  o.path = path;
  o.sync = sync;
  o.reserve_bytes = 64 * 1024;
  o.reserve_retry = milliseconds{0};
  o.log_pages = 30;
  o.vfs = disk.name();
  o.clock = std::move(clock);
  return o;
}

client_options asking(const titanic::server_options& options) {
  client_options o;
  o.protocol = options.protocol;
  return o;
}

}  // namespace

titanic_process::life::life(titanic_process& of)
    : file{store_options(of.disk_, !of.faults_.never_syncs,
                         [&of] {
                           using std::chrono::seconds;
                           return std::chrono::sys_seconds{
                               std::chrono::floor<seconds>(of.here().now().time_since_epoch())};
                         })},
      state{of.options_.core},
      alarm{of.here(), of.host(),
            [this, &of] {
              state.on_deadline(of.here().now(), actions);
              of.carry_out();
            }},
      client{of.here(), of.host(), {of.broker_}, asking(of.options_), {}} {}

void titanic_process::begin() {
  life_ = std::make_shared<life>(*this);
  after(here().up_to(milliseconds{20}), [this] { open_store(); });
}

void titanic_process::open_store() {
  std::vector<titanic::stored_request> slots;
  if (life_->file.open(slots)) {
    start_again_later();
    return;
  }
  books_->on_recovered(slots);
  life_->open = true;
  life_->state.on_recovered(std::move(slots), here().now(), life_->actions);
  offer(titanic::request_service, asked_for::request);
  offer(titanic::reply_service, asked_for::reply);
  offer(titanic::close_service, asked_for::close);
  carry_out();
}

void titanic_process::offer(std::string_view name, asked_for what) {
  worker_options o;
  o.service = name;
  o.protocol = options_.protocol;
  o.heartbeat = options_.heartbeat;
  o.reconnect_delay = options_.reconnect_delay;
  o.in_flight = options_.third_party_broker ? 1 : options_.in_flight;
  for (auto left = options_.third_party_broker ? options_.in_flight : 1; left != 0; --left) {
    auto& added = life_->workers.emplace_back();
    const auto at = life_->workers.size() - 1;
    added = std::make_unique<sim_worker>(
        here(), host(), broker_, o, [this, at, what](std::uint64_t request, zmtp::message&& asked) {
          take(*life_->workers[at], request, what, std::move(asked));
        });
  }
}

titanic::request_id titanic_process::random_id() {
  titanic::request_id id;
  for (auto& byte : id.bytes) {
    byte = static_cast<std::uint8_t>(here().random().pick(256));
  }
  return id;
}

void titanic_process::take(sim_worker& from, std::uint64_t request, asked_for what,
                           zmtp::message&& asked) {
  const auto number = ++life_->last_caller;
  auto& state = life_->state;
  titanic::request_id id;
  if (what == asked_for::request) {
    id = random_id();
  } else if (const auto named = titanic::parse_id(asked)) {
    id = *named;
  }
  life_->in_flight.emplace(number, caller{&from, request, what, id});
  switch (what) {
    case asked_for::request:
      if (const auto call = call_of(asked, 1)) {
        books_->on_asked(id, *call);
      }
      state.on_request(number, std::move(asked), id, life_->actions);
      break;
    case asked_for::reply: state.on_reply(number, asked, life_->actions); break;
    case asked_for::close:
      books_->on_closing(id);
      state.on_close(number, asked, here().now(), life_->actions);
      break;
  }
  carry_out();
}

void titanic_process::carry_out() {
  auto actions = std::exchange(life_->actions, {});
  if (faults_.edit) {
    faults_.edit(actions);
  }
  std::move(actions.operations.begin(), actions.operations.end(), std::back_inserter(life_->to_do));
  write_soon();
  for (auto& one : actions.answers) {
    tell(one);
  }
  for (auto& one : actions.dispatches) {
    dispatch(std::move(one));
  }
  if (!faults_.has_no_clock) {
    life_->alarm.set(life_->state.next_deadline());
  }
}

void titanic_process::tell(const titanic::titanic_actions::answer& one) {
  const auto known = life_->in_flight.find(one.caller);
  if (known == life_->in_flight.end()) {
    here().books().report(violation::answered_twice, "a caller of Titanic");
    return;
  }
  const auto asked = known->second;
  life_->in_flight.erase(known);
  const auto code = one.body.front();
  switch (asked.what) {
    case asked_for::request:
      if (code == titanic::ok) {
        books_->on_promised(asked.id);
      }
      break;
    case asked_for::reply:
      if (code == titanic::ok) {
        auto reply = one.body;
        reply.pop_front();
        books_->on_reply(asked.id, reply);
      } else if (code == titanic::refused) {
        books_->on_unknown(asked.id);
      } else if (code == titanic::broken && life_->state.status().accepting) {
        books_->on_given_up(asked.id);
      }
      break;
    case asked_for::close:
      if (code == titanic::ok) {
        books_->on_closed(asked.id);
      }
      break;
  }
  static_cast<void>(asked.from->reply(asked.request, one.body));
}

void titanic_process::dispatch(titanic::titanic_actions::dispatch&& one) {
  const auto call = call_of(one.body);
  if (call) {
    books_->on_dispatched(*call);
  }
  const auto on_end = [this, id = one.id, call](const boost::system::error_code& ec,
                                                zmtp::message&& reply) {
    if (call) {
      books_->on_dispatch_end(*call, !ec);
    }
    life_->state.on_dispatch_end(id, ec, std::move(reply), here().now(), life_->actions);
    carry_out();
  };
  const auto ec = life_->client.ask(
      one.service, std::move(one.body),
      request_options{.timeout = one.timeout, .attempts = 1, .total_timeout = {}},
      {.on_sent =
           [this, call] {
             if (call) {
               here().books().on_sent(*call);
             }
           },
       .on_part = [this, id = one.id](
                      const zmtp::message& part) { life_->state.on_dispatch_part(id, part); },
       .on_end = on_end});
  if (ec) {
    here().books().report(violation::stuck, "Titanic cannot ask: " + ec.message());
  }
}

// Writes together with all changes until then.
void titanic_process::write_soon() {
  if (life_->to_do.empty() || std::exchange(life_->writing, true)) {
    return;
  }
  after(here().up_to(milliseconds{5}), [this] { write(); });
}

void titanic_process::write() {
  std::vector<titanic::store_result> results;
  life_->file.carry_out(std::exchange(life_->to_do, {}), results);
  after(here().up_to(milliseconds{5}), [this, done = std::move(results)]() mutable {
    life_->file.tidy();
    on_written(std::move(done));
  });
}

void titanic_process::on_written(std::vector<titanic::store_result>&& results) {
  life_->writing = false;
  for (auto& one : results) {
    if (faults_.edit_result) {
      faults_.edit_result(one);
    }
    life_->state.on_stored(std::move(one), here().now(), life_->actions);
  }
  carry_out();
  if (!life_->state.status().accepting) {
    start_again_later();
  }
}

void titanic_process::start_again_later() {
  (void)here().net().here().events.after(looked_after_every, [this, which = std::weak_ptr{life_}] {
    if (!which.expired()) {
      kill(false);
      start();
    }
  });
}

// Perhaps in the midst of a write, some of which is done.
void titanic_process::on_kill(bool without_power) {
  without_power_ = without_power;
  auto& random = here().random();
  if (life_->open && !life_->to_do.empty() && random.chance(50)) {
    disk_.switch_off_at(disk_.steps() + random.between(1, 12));
    std::vector<titanic::store_result> nobody_hears;
    life_->file.carry_out(life_->to_do, nobody_hears);
  }
}

void titanic_process::end() {
  books_->on_crash();
  disk_.switch_off_at(0);
  life_.reset();
  if (without_power_) {
    disk_.switch_on(here().random().next());
  } else {
    disk_.switch_on();
  }
}

void titanic_process::fill_disk() {
  here().note("trouble: a full disk", {});
  disk_.limit(here().random().between(60, 250) * 1024);
}

void titanic_process::fail_disk() {
  here().note("trouble: a failing disk", {});
  disk_.fail_at(disk_.steps() + here().random().between(1, 30));
}

void titanic_process::heal_disk() {
  disk_.limit(SIZE_MAX);
  disk_.fail_at(SIZE_MAX);
}

std::optional<titanic::titanic_status> titanic_process::status() const {
  return life_ && life_->open ? std::optional{life_->state.status()} : std::nullopt;
}

void titanic_process::leave() {
  if (running()) {
    kill(false);
  }
}

}  // namespace mdp::simulation
