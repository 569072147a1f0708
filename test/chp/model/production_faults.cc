// Planted faults of a production server: edits of its messages and of what its store gives back.

#include "test/chp/model/production_server.h"

#include <algorithm>
#include <string>

namespace chp::model {

namespace {

zmtp::message with_frame(const zmtp::message& m, std::size_t index, std::string_view frame) {
  zmtp::message edited;
  std::size_t at = 0;
  for (const std::string_view each : m) {
    edited.push_back(at++ == index ? frame : each);
  }
  return edited;
}

}  // namespace

// Pieces of a copy that are not sent.
bool production_server::is_left_out(planted fault, const pair_message& said) {
  const auto* const piece = std::get_if<copy_piece>(&said);
  if (piece == nullptr) {
    return false;
  }
  return (fault == planted::snapshot_without_sessions && piece->kind == copied::sessions) ||
         (fault == planted::snapshot_keeps_rows && piece->kind == copied::map);
}

void production_server::edit(zmtp::message& m, bool is_sent) {
  const auto fault = around_.how.fault;
  const auto said = parse_pair_message(m);
  if (!said) {
    return;
  }
  if (const auto* const h = std::get_if<chp::hello>(&*said)) {
    greeting_ = h->greeting;
    if (fault == planted::counts_end_of_hello && !is_sent) {
      auto edited = *h;
      edited.durable = h->end;
      m = make_message(edited);
    }
  } else if (const auto* const f = std::get_if<chp::follow>(&*said)) {
    if (fault == planted::half_copy_serves && !is_sent) {
      auto edited = *f;
      edited.needed = 0;
      m = make_message(edited);
    }
  } else if (const auto* const c = std::get_if<confirmation>(&*said)) {
    if (fault == planted::confirms_before_durable && is_sent) {
      m = make_message(confirmation{c->greeting, log_->state().end()});
    }
  } else if (is_left_out(fault, *said) && is_sent) {
    m = {};
    return;
  }
  if (fault == planted::ignores_greeting_numbers && !is_sent &&
      !std::holds_alternative<chp::hello>(*said) && greeting_ != 0) {
    const auto latest = make_message(confirmation{greeting_, 0});
    m = with_frame(m, 1, latest[1]);
  }
}

void production_server::edit(state_numbers& found) const {
  if (planted_here(planted::half_copy_serves)) {
    found.needed = 0;
  }
}

}  // namespace chp::model
