// How update_register is packed and unpacked, what changes while it is, and how two become one.

#include "chp/error.h"
#include "chp/update_register.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace chp {

namespace {

using gap_list = boost::container::small_vector<counter_range, 1>;

// A piece is made of these: [session][session, 8][counter, 8][gaps, 1][first, 8][last, 8]… and [other][id].
constexpr char session_mark = 'S';
constexpr char other_mark = 'O';
constexpr std::size_t session_head_size = 1 + 8 + 8 + 1;
constexpr std::size_t gap_size = 8 + 8;
constexpr std::size_t other_size = 1 + update_id::size;
// Behind its session: [refusals][session, 8][forgotten up to, 8][how many, 1][first, 8][last, 8][why, 1]…
constexpr char refusals_mark = 'R';
constexpr std::size_t refusals_head_size = 1 + 8 + 8 + 1;
constexpr std::size_t refusal_size = 8 + 8 + 1;
constexpr std::size_t max_record_size =
    session_head_size + max_gaps * gap_size + refusals_head_size + max_refusals * refusal_size;

void append_number(std::string& to, std::uint64_t number) {
  std::array<unsigned char, 8> bytes;
  boost::endian::store_big_u64(bytes.data(), number);
  to.append(bytes.begin(), bytes.end());
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) noexcept {
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(bytes.data() + at));
}

// Counters that are in both lists.
std::vector<counter_range> common(std::span<const counter_range> a,
                                  std::span<const counter_range> b) {
  std::vector<counter_range> both;
  while (!a.empty() && !b.empty()) {
    const counter_range shared{std::max(a.front().first, b.front().first),
                               std::min(a.front().last, b.front().last)};
    if (shared.first <= shared.last) {
      both.push_back(shared);
    }
    auto& sooner = a.front().last < b.front().last ? a : b;
    sooner = sooner.subspan(1);
  }
  return both;
}

// Joins adjacent gaps, the nearest first. An update that is wrongly missing is safer than one that
// wrongly counts as applied.
void reduce(std::vector<counter_range>& gaps) {
  while (gaps.size() > max_gaps) {
    auto nearest = gaps.begin();
    for (auto each = gaps.begin(); each + 1 != gaps.end(); ++each) {
      if (each[1].first - each->last < nearest[1].first - nearest->last) {
        nearest = each;
      }
    }
    nearest[1].first = nearest->first;
    gaps.erase(nearest);
  }
}

// Both have applied what either has. Throws std::bad_alloc, and then nothing has changed.
void merge(std::uint64_t& upto, gap_list& gaps, std::uint64_t other_upto,
           std::vector<counter_range> other_gaps) {
  if (upto == 0) {
    gaps.assign(other_gaps.begin(), other_gaps.end());
    upto = other_upto;
    return;
  }
  const auto most = std::max(upto, other_upto);
  std::vector<counter_range> own_gaps{gaps.begin(), gaps.end()};
  if (upto < most) {
    own_gaps.push_back({upto + 1, most});
  }
  if (other_upto < most) {
    other_gaps.push_back({other_upto + 1, most});
  }
  auto both = common(own_gaps, other_gaps);
  reduce(both);
  gaps.assign(both.begin(), both.end());
  upto = most;
}

}  // namespace

// Images that have not got there yet have it as it is.
void update_register::prepare_change(std::uint32_t at) {
  auto& r = records_[at];
  if (r.changed == images_ever_) {
    return;
  }
  for (auto* const each : images_) {
    if (r.changed < each->opened && each->record <= at && at < each->records_end) {
      pack(r, room_for(max_record_size, each->kept));
    }
  }
  r.changed = images_ever_;
}

// Packs the first id without a session before it is removed.
void update_register::prepare_end_of_other(std::uint64_t number) {
  for (auto* const each : images_) {
    if (each->other == number && number < each->others_end) {
      pack(others_[number % limits_.max_others], room_for(other_size, each->kept));
      ++each->other;
    }
  }
}

std::string& update_register::room_for(std::size_t size, std::deque<std::string>& in) {
  if (in.empty() || in.back().size() + size > max_piece_size) {
    in.emplace_back();
  }
  return in.back();
}

void update_register::pack(const record& r, std::string& onto) {
  if (r.counter == 0) {
    return;  // there was no memory for what it was made for
  }
  onto += session_mark;
  append_number(onto, r.session);
  append_number(onto, r.counter);
  onto += static_cast<char>(r.gaps.size());
  for (const auto& gap : r.gaps) {
    append_number(onto, gap.first);
    append_number(onto, gap.last);
  }
  if (r.refused) {
    onto += refusals_mark;
    append_number(onto, r.session);
    append_number(onto, r.refused->forgotten);
    onto += static_cast<char>(r.refused->last.size());
    for (const auto& one : r.refused->last) {
      append_number(onto, one.updates.first);
      append_number(onto, one.updates.last);
      onto += static_cast<char>(refusal_code(one.why));
    }
  }
}

void update_register::pack(const update_id& other, std::string& onto) {
  onto += other_mark;
  onto += other.bytes();
}

update_register::progress update_register::begin() const {
  return {.opened = images_ever_ + 1,
          .records_end = records_.size(),
          .other = others_ever_ - others_.size(),
          .others_end = others_ever_};
}

std::string update_register::next_piece(progress& of) const {
  std::string piece;
  if (!of.kept.empty()) {
    piece = std::move(of.kept.front());
    of.kept.pop_front();
    if (!piece.empty()) {
      return piece;
    }
  }
  for (; of.record < of.records_end && piece.size() + max_record_size <= max_piece_size;
       ++of.record) {
    if (const auto& r = records_[of.record]; r.changed < of.opened) {
      pack(r, piece);
    }
  }
  if (of.record < of.records_end) {
    return piece;
  }
  for (; of.other < of.others_end && piece.size() + other_size <= max_piece_size; ++of.other) {
    pack(others_[of.other % limits_.max_others], piece);
  }
  return piece;
}

std::string update_register::piece_of(std::uint64_t session) const {
  std::string piece;
  if (const auto* const r = find_record(session)) {
    pack(*r, piece);
  }
  return piece;
}

std::vector<std::string> update_register::pieces() const {
  std::vector<std::string> all;
  auto at = begin();
  for (auto piece = next_piece(at); !piece.empty(); piece = next_piece(at)) {
    all.push_back(std::move(piece));
  }
  return all;
}

update_register::image update_register::open_image() {
  auto opened = std::make_unique<progress>(begin());
  images_.push_back(opened.get());
  ++images_ever_;
  return {*this, std::move(opened)};
}

update_register::image::~image() {
  if (at_) {
    std::erase(of_->images_, at_.get());
  }
}

void update_register::add_known(std::uint64_t session, const update_register& of) {
  const auto theirs = of.find(session);
  if (theirs.counter <= theirs.unsure) {
    return;
  }
  std::vector<counter_range> gaps;
  if (theirs.unsure != 0) {
    gaps.push_back({1, theirs.unsure});
  }
  for (const auto& gap : theirs.gaps) {
    if (gap.last <= theirs.unsure) {
      continue;
    }
    if (!gaps.empty() && gap.first <= gaps.back().last + 1) {
      gaps.back().last = gap.last;
    } else {
      gaps.push_back(gap);
    }
  }
  reduce(gaps);
  auto& r = touch(session);
  if (!theirs.refused.empty()) {
    if (!r.refused) {
      r.refused = std::make_unique<refusals>();
    }
    r.refused->last.reserve(max_refusals + 1);
    std::vector<counter_range> unknown{r.gaps.begin(), r.gaps.end()};
    unknown.push_back({r.counter + 1, update_id::max_counter});
    for (const auto& one : theirs.refused) {
      for (const auto& updates : common({&one.updates, 1}, unknown)) {
        r.refused->add({updates, one.why});
      }
    }
  }
  merge(r.counter, r.gaps, theirs.counter, std::move(gaps));
}

// Returns the size in bytes of the first session in `rest`, or 0 if it is invalid.
std::size_t update_register::unpack_session(std::string_view rest) {
  if (rest.size() < session_head_size) {
    return 0;
  }
  const auto session = number_at(rest, 1);
  const auto counter = number_at(rest, 9);
  const std::size_t gap_count = static_cast<unsigned char>(rest[17]);
  const auto size = session_head_size + gap_count * gap_size;
  if (gap_count > max_gaps || rest.size() < size || counter == 0 ||
      counter > update_id::max_counter || session != update_id::make_session(session)) {
    return 0;
  }
  std::vector<counter_range> gaps;
  std::uint64_t above = 0;
  for (auto at = session_head_size; at < size; at += gap_size) {
    const counter_range gap{number_at(rest, at), number_at(rest, at + 8)};
    if (gap.first <= above || gap.last < gap.first || gap.last >= counter) {
      return 0;
    }
    gaps.push_back(gap);
    above = gap.last + 1;
  }
  auto& r = touch(session);
  merge(r.counter, r.gaps, counter, std::move(gaps));
  return size;
}

// Reads the refusals of a known session. Returns their size in bytes, or 0 if there are none.
std::size_t update_register::unpack_refusals(std::string_view rest) {
  if (rest.size() < refusals_head_size) {
    return 0;
  }
  const auto session = number_at(rest, 1);
  const auto forgotten = number_at(rest, 9);
  const std::size_t count = static_cast<unsigned char>(rest[17]);
  const auto size = refusals_head_size + count * refusal_size;
  if (count > max_refusals || rest.size() < size || forgotten > update_id::max_counter ||
      find_record(session) == nullptr) {
    return 0;
  }
  auto& r = touch(session);
  if (!r.refused) {
    r.refused = std::make_unique<refusals>();
  }
  auto& own = *r.refused;
  own.last.reserve(std::min(own.last.size() + count, max_refusals) + 1);
  own.forgotten = std::max(own.forgotten, forgotten);
  for (auto at = refusals_head_size; at < size; at += refusal_size) {
    const counter_range updates{number_at(rest, at), number_at(rest, at + 8)};
    if (updates.first == 0 || updates.last < updates.first ||
        updates.last > update_id::max_counter) {
      return 0;
    }
    own.add({updates, refusal_of(static_cast<std::uint8_t>(rest[at + 16]))});
  }
  return size;
}

boost::system::error_code update_register::unpack(std::string_view piece) {
  if (piece.size() > max_piece_size) {
    return errc::malformed_register;
  }
  while (!piece.empty()) {
    if (piece.front() == session_mark || piece.front() == refusals_mark) {
      const auto size =
          piece.front() == session_mark ? unpack_session(piece) : unpack_refusals(piece);
      if (size == 0) {
        return errc::malformed_register;
      }
      piece.remove_prefix(size);
    } else if (piece.front() == other_mark && piece.size() >= other_size) {
      const auto id = update_id::of_frame(piece.substr(1, update_id::size));
      if (!id.empty() && !by_id_.contains(id)) {
        insert_other(id);
      }
      piece.remove_prefix(other_size);
    } else {
      return errc::malformed_register;
    }
  }
  return {};
}

}  // namespace chp
