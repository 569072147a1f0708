#pragma once
// The words of the model for those of the product, and back.

#include "chp/log_entry.h"
#include "chp/proposal.h"
#include "chp/store.h"
#include "test/chp/model/participant.h"
#include "zmtp/message.h"

#include <string_view>

namespace chp::model {

inline number number_of(sequence s) { return numbered(chp::epoch_of(s), chp::position_of(s)); }
inline sequence sequence_of(number n) { return make_sequence(epoch_of(n), n & 0xFFFF); }
inline row row_of(const reign& r) { return {r.epoch, r.tag, number_of(r.last)}; }
lineage lineage_of(const chp::lineage& of);

// Entries as the model knows them, except for the stamp.
entry entry_of(const log_entry& e);
// The KVSET of an update.
zmtp::message message_of(const update& u);

// The history with this lineage, from the entries that were ever made.
void fill_log(kept& to, const surroundings& around);
rows_of_map rows_of(const store& map);
// Applies a KVPUB.
void apply(rows_of_map& map, const chp::update& published);

}  // namespace chp::model
